#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The machine borrowed from firmware: the same results as when it is owned, the log on the volume
# that the image came from, and firmware's state put back after each bench.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

PATH=$PATH:/usr/sbin:/sbin
export MTOOLS_SKIP_CHECK=1
esp=1M # where the partition begins on the disk image

# Many, so that firmware has many turns; short; of all kinds: threads, processes, interrupts, system
# calls, other processors, vector registers, the keyboard controller. Of gap on several processors the
# emulator decides whose turn makes a gap of the other.
plan='clock.reads=50 gap.ms=5 gap.processors=1 idle.ms=5 load.random=5:1:20:500 chase.max_kib=16 chase.trials=1
    chase.orders=random bandwidth.max_kib=4 contextswitch.rounds=20 exceptions.count=20
    ipi.samples=10'
benches=clock,gap,idle,load,loop,call,clockread,counters,syscall,exceptions,contextswitch,nesting
benches=$benches,creation,inversion,order,paths,process,switches,chase,bandwidth,stride,ipi,echo

settings=
for setting in $plan; do
    settings="$settings --set $setting"
done

# On a disk that can be written to, which `tare boot` never does. disk NAME PLAN: the log of the line
# is left in $work/NAME.log, that of the volume in $work/NAME.saved. QEMU waits at the power-off for
# what is asked of the machine then: $work/NAME.state.
disk() {
    disk_name=$1
    echo "$2" >"$work/plan"
    rm -f "$work/monitor"
    timeout $limit qemu-system-x86_64 -machine q35,smm=off -accel tcg,thread=single \
        -cpu max,-rdrand,-rdseed,-monitor -icount shift=6,sleep=off \
        -rtc base=2024-01-01T00:00:00,clock=vm -smp 2 -m 256 -bios "$firmware" -nodefaults \
        -display none -no-reboot -no-shutdown -net none -serial "file:$work/$disk_name.log" \
        -monitor "unix:$work/monitor,server=on,wait=off" \
        -fw_cfg "name=opt/tare/plan,file=$work/plan" \
        -drive "if=none,id=disk,format=raw,file=$work/disk.img" -device ide-hd,drive=disk \
        </dev/null >"$work/$disk_name.qemu" 2>&1 &
    disk_pid=$!
    check "$disk_name: ends with a power-off" 'it does not' \
        wait_for 120 is_off
    monitor 'info registers' 'info lapic' >"$work/$disk_name.state"
    monitor quit >/dev/null
    wait $disk_pid
    mcopy -n -o -i "$work/disk.img@@$esp" ::/tare-0001.log "$work/$disk_name.saved" 2>/dev/null ||
        : >"$work/$disk_name.saved"
    dd if="$work/disk.img" of="$work/esp" bs=1M skip=1 count=64 status=none
    check "$disk_name: the file system is whole" "$(fsck.vfat -n "$work/esp" | tr '\n' ' ')" \
        fsck_passes
}

fsck_passes() {
    fsck.vfat -n "$work/esp" >/dev/null 2>&1
}

is_off() {
    sleep 0.3
    monitor 'info status' | grep -q 'paused (shutdown)'
}

decode() {
    "$TARE" decode -o "$work/$2.db" "$work/$1" >"$work/$2.err" 2>&1
}

# What counts instructions, and so must not know who owns the machine: every sample.
same_samples() {
    for same_series in call/loop call/stack3 contextswitch/thread_yield \
        contextswitch/process_pipe_round; do
        "$TARE" show --samples "$same_series" "$work/$1.db" >"$work/one" &&
            "$TARE" show --samples "$same_series" "$work/$2.db" >"$work/other" &&
            [ -s "$work/one" ] && cmp -s "$work/one" "$work/other" || return 1
    done
}

# medians NAME: of all series but those that the course of the boot decides.
medians() {
    value "$1" ".benches[] | .name as \$b | .series[] |
        select((.unit == \"cycle\" or .unit == \"tick\") and (.name | test(\"$course_series\") | not)) |
        \"\(\$b) \(.name) \(.n) \(.median)\""
}

same_medians() {
    medians "$1" >"$work/one"
    medians "$2" >"$work/other"
    [ "$(wc -l <"$work/one")" -gt 100 ] && cmp -s "$work/one" "$work/other"
}

test_volume() {
    cp build/image/tare-disk.img "$work/disk.img"
    disk borrow "machine=borrow bench=$benches $plan"
    check 'borrow: the file is the log of the line, from its first word on' 'it is not' is_tail
    check 'borrow: the file decodes' 'it does not' decode borrow.saved borrow
    # shellcheck disable=SC2046 # words
    check 'borrow: all benches OK but counters, of which there are none' \
        "$(value borrow '.benches[] | select(.status != "OK") | .name' | tr '\n' ' ')" \
        all_ok borrow $(echo $benches | tr , ' ' | sed 's/ counters//')
    check 'borrow: the log file is reported' \
        "$(value borrow '.run.machine | .log_file, .no_log_file')" json borrow \
        '.run.machine.log_file == "tare-0001.log" and .run.machine.no_log_file == null'
    turns=$(grep -ao 'firmware had [0-9]* turns' "$work/borrow.saved" | tr -dc 0-9)
    check 'borrow: firmware had at least 20 turns' "${turns:-none}" [ "${turns:-0}" -ge 20 ]
}

# Without what firmware left on the line before.
is_tail() {
    tail_bytes=$(($(wc -c <"$work/borrow.saved") - 2))
    [ "$tail_bytes" -gt 1000 ] || return 1
    tail -c "$tail_bytes" "$work/borrow.saved" >"$work/one"
    tail -c "$tail_bytes" "$work/borrow.log" | cmp -s - "$work/one"
}

# At the power-off it is firmware's again: what OVMF has when it starts a program.
test_state() {
    check 'state: CR0, CR4 and EFER are firmware'\''s' \
        "$(grep -E '^(CR0|EFER)' "$work/borrow.state" | tr '\n' ' ')" state_is \
        'CR0=80010033 .*CR4=00000668' 'EFER=0000000000000d00'
    check 'state: so are the segments' "$(grep -E '^[CDEFGS]S' "$work/borrow.state")" state_is \
        '^CS =0038 ' '^SS =0030 ' '^DS =0030 ' '^ES =0030 ' '^FS =0030 0+ ' '^GS =0030 0+ '
    check 'state: so is the GDT' "$(grep GDT "$work/borrow.state")" state_is \
        '^GDT= +[0-9a-f]+ 00000047'
    check 'state: its 10 ms timer runs' "$(grep -A 1 LVTT "$work/borrow.state")" state_is \
        'LVTT.*0x00020020 .*periodic' 'initial_count = [1-9][0-9]* current_count = [1-9]'
    check 'state: its interrupts are on' "$(grep RFL "$work/borrow.state")" interrupts_are_on
}

# paging_state NAME: what addresses mean at its power-off.
paging_state() {
    grep -oE '(CR[34]|EFER)=[0-9a-f]+' "$work/$1.state"
}

# Where the machine is owned ResetSystem, which is firmware's code, has firmware's page tables under it.
test_own_reset() {
    cp build/image/tare-disk.img "$work/disk.img"
    disk own_reset 'machine=own bench=gap gap.ms=5 link.wait_ms=0'
    paging_state borrow >"$work/one"
    paging_state own_reset >"$work/other"
    check 'own: the power-off is asked for on firmware'\''s page tables' \
        "$(tr '\n' ' ' <"$work/other")" test -s "$work/one" -a "$(cat "$work/one")" = "$(cat "$work/other")"
}

state_is() {
    for state_pattern in "$@"; do
        tr -d '\r' <"$work/borrow.state" | grep -qE "$state_pattern" || return 1
    done
}

interrupts_are_on() {
    flags=$(sed -n 's/.*RFL=\([0-9a-f]*\).*/\1/p' "$work/borrow.state" | head -n 1)
    [ $((0x${flags:-0} & 0x200)) -ne 0 ]
}

test_same_results() {
    # shellcheck disable=SC2086
    boot own 0 --shift 6 --smp 2 --bench "$benches" $settings -- -machine smm=off
    check 'own: reported as such' 'it is not' json own '.run.machine.log_file == null'
    same_medians own borrow
    same=$?
    check 'own and borrow: the same medians' \
        "$(diff "$work/one" "$work/other" | tr '\n' ';')" test $same -eq 0
    check 'own and borrow: what counts instructions is the same to the last sample' \
        'it is not' same_samples own borrow
}

# A file there, and not one sector for what belongs into it: the line has it all the same.
test_full() {
    cp build/image/tare-disk.img "$work/disk.img"
    room=$(mdir -i "$work/disk.img@@$esp" ::/ | sed -n 's/ bytes free//p' | tr -d ' ')
    head -c "$((room - 1024))" /dev/zero >"$work/filler"
    mcopy -i "$work/disk.img@@$esp" "$work/filler" ::/filler
    rm "$work/filler"
    disk full 'machine=borrow bench=gap gap.ms=5'
    check 'full: the line has the whole log' 'it does not' decode full.log full
    check 'full: and it is valid' 'it is not' all_ok full gap
    check 'full: the file is not longer than it can be' "$(wc -c <"$work/full.saved")" \
        [ "$(wc -c <"$work/full.saved")" -le 1024 ]
}

# With -kernel there is no volume to write to. x2APIC mode could not be left again.
test_no_volume() {
    boot kernel 1 --shift 6 --set machine=borrow --set lapic.mode=x2apic --bench gap
    check 'x2apic: refused, with the cure' "$(cat "$work/kernel.err")" printed kernel \
        'lapic.mode=x2apic: needs machine=own, since firmware cannot leave x2APIC mode'
    check 'kernel: no log file, and why' 'not reported' printed kernel \
        'no log file: EFI_WRITE_PROTECTED'
}

firmware=/usr/share/ovmf/OVMF.fd
test_volume
test_state
test_own_reset
test_same_results
test_full
test_no_volume
finish
