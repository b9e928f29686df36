#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The image on processors of many models, with plans good and bad, with crashes and without a line.
# Machines of many shapes: matrix.sh.
set -u

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/boot.sh"

# What a processor may lack, on models that do: used where CPUID offers it, else told of with a reason.
models='--shift 6 --bench clock,idle,chase,bandwidth,contextswitch,syscall,exceptions,pagefault
    --set idle.ms=50 --set chase.max_kib=64 --set chase.orders=random --set chase.trials=1
    --set bandwidth.max_kib=4 --set contextswitch.rounds=20 --set exceptions.count=20'

# offers NAME FEATURE: "yes" or "no", by CPUID.
offers() {
    value "$1" ".run.machine.cpu_features | split(\" \") | if index(\"$2\") then \"yes\" else \"no\" end"
}

# used NAME FEATURE BENCH SERIES: the series is there where the feature is; else it is absent with a
# reason, and nothing of it is there.
used() {
    check "$1: $2 $(offers "$1" "$2"): $3 $4 accordingly" "$(value "$1" ".benches[] |
        select(.name == \"$3\") | .absent[] | [.name, .reason] | join(\": \")" | tr '\n' ';')" \
        json "$1" ".benches[] | select(.name == \"$3\") |
            ([.series[] | select(.name == \"$4\")] | length) as \$there |
            ([.absent[] | select(.name as \$n | \"$4\" | startswith(\$n)) | .reason | length]) as \$why |
            if \"$(offers "$1" "$2")\" == \"yes\" then \$there == 1 and \$why == []
            else \$there == 0 and (\$why | length) == 1 and \$why[0] > 5 end"
}

# model NAME OPTION...: all that runs there is OK, and has what the model has.
model() {
    model_name=$1
    shift
    # shellcheck disable=SC2086
    boot "$model_name" 0 $models "$@"
    check "$model_name: all benches OK" "$(value "$model_name" '.benches[] | .name + .status' |
        tr '\n' ' ')" all_ok "$model_name" bandwidth chase clock contextswitch exceptions idle \
        pagefault syscall
    used "$model_name" 1gib_pages chase random.1g.wb
    used "$model_name" avx2 bandwidth read.avx2
    used "$model_name" avx512f bandwidth read.avx512
    used "$model_name" pcid contextswitch process_pipe_round.pcid
}

test_models() {
    model nehalem --cpu Nehalem --memory 8192
    model epyc --cpu EPYC --memory 8192
    model haswell --cpu Haswell-noTSX --memory 8192
    model max --cpu max --memory 8192
    check 'models: with and without 1 GiB pages and AVX2' 'all alike' test \
        "$(for name in nehalem epyc haswell max; do
            echo "$(offers $name 1gib_pages) $(offers $name avx2)"
        done | tr '\n' ',')" = 'no no,yes yes,no yes,yes yes,'
}

test_plans() {
    boot badkey 1 --shift 6 --set idle.colour=red
    check 'unknown key: named' 'it is not' says badkey 'idle.colour'
    check 'unknown key: the known ones are listed' 'they are not' says badkey \
        'idle.ms idle.sample_us idle.tick_hz'
    boot badbench 1 --shift 6 --bench idle,bogus
    check 'unknown bench: named, the known ones listed' 'not so' says badbench \
        'no bench "bogus"; there are: all none aliasing background'
    boot badvalue 1 --shift 6 --set idle.sample_us=5
    check 'value out of range: named with its range' 'not so' says badvalue \
        'idle.sample_us=5: must be a number from 10 to 1000000'
    boot nox2apic 1 --shift 6 --bench clock --set lapic.mode=x2apic
    check 'x2APIC where there is none: said' 'it is not' says nox2apic 'offers no x2APIC'
    boot badlist 1 --shift 6 --bench load --set load.events=100:10,50:10
    check 'unordered list: named' 'it is not' says badlist 'entry 2 is earlier'
    boot grouped 0 --shift 4 --bench load \
        --set load.events=5000:100,5300:100,5400:50,20000:3000,20100:100
    check 'events that share a sample: recovered as a group' 'not so' json grouped \
        '.benches[0].recovery | .spurious == 0 and .recovered == .injected'
    boot text 0 --shift 6 --bench idle --set idle.ms=100 --set link.format=text
    check 'text format: only text on the line' 'a 00h is there' not_binary text
}

not_binary() {
    ! tr -d '\000' <"$work/$1.log" | cmp -s - "$work/$1.log" || return 0
    return 1
}

# A plan on the disk, one in the load options, and which of them wins.
test_plan_sources() {
    printf 'bench=clock # from the disk\nclock.reads=7\n' >"$work/tare.plan"
    tools/mkimage.sh "$work/disk.img" "$image" "$work/tare.plan"
    raw disk -drive "file=$work/disk.img,format=raw,snapshot=on"
    check 'plan on the disk: read' 'it was not' json disk \
        '.run.plan.source == "file" and (.benches | length) == 1 and
         (.benches[0].series[0].n == 7)'
    raw options -kernel "$image" -append 'tare.efi bench=clock clock.reads=9'
    check 'plan in the load options: read' 'it was not' json options \
        '.run.plan.source == "load_options" and .benches[0].series[0].n == 9'
    printf 'bench=none\n' >"$work/fw.plan"
    raw both -drive "file=$work/disk.img,format=raw,snapshot=on" \
        -fw_cfg "name=opt/tare/plan,file=$work/fw.plan"
    check 'fw_cfg goes before the disk' 'it does not' json both \
        '.run.plan.source == "fw_cfg" and (.benches | length) == 0'
    head -c 5000 /dev/zero | tr '\000' ' ' >"$work/fw.plan"
    raw toolong -kernel "$image" -fw_cfg "name=opt/tare/plan,file=$work/fw.plan"
    check 'a plan that is too long: refused, not cut' 'not so' json toolong \
        '(.run.valid | not) and (.run.errors[0] | contains("5000 characters"))'
}

# raw NAME QEMU-ARGUMENT...: QEMU without `tare boot`, its line a file, decoded afterwards.
raw() {
    raw_name=$1
    shift
    timeout 120 qemu-system-x86_64 -machine q35,smm=off -m 256 -bios /usr/share/ovmf/OVMF.fd \
        -accel tcg,thread=single -icount shift=6,sleep=off -nodefaults -display none -net none \
        -no-reboot -serial "file:$work/$raw_name.log" "$@" >"$work/$raw_name.err" 2>&1
    check "$raw_name: ends by itself" "$(tail -n 2 "$work/$raw_name.err")" test $? -eq 0
    "$TARE" decode "$work/$raw_name.log" -o "$work/$raw_name.db" >"$work/$raw_name.out" 2>&1
}

# Every kind of fault ends its bench as CRASH, with a name and a backtrace; the next bench runs.
test_crashes() {
    for kind in ud:invalid de:divide gp:protection null:page write:page stack:overflow; do
        # The callers of an overflow are itself.
        caller=call_guarded+
        [ "$kind" != stack:overflow ] || caller=overflow_stack
        boot "crash-${kind%:*}" 1 --shift 6 --bench clock,fault,gap --set gap.ms=5 \
            --set "fault.kind=${kind%:*}"
        check "crash-${kind%:*}: named, with a symbolised backtrace, and survived" 'not so' \
            crash_reported "crash-${kind%:*}" "${kind#*:}" "$caller"
    done
}

# What a processor cannot survive by itself ends with a name all the same, and in no reset: QEMU ends
# by itself there without the words.
test_crash_of_crashes() {
    printf 'bench=fault,clock fault.kind=report link.format=text\n' >"$work/fw.plan"
    raw report -kernel "$image" -fw_cfg "name=opt/tare/plan,file=$work/fw.plan"
    check 'an exception inside a report is told' 'it is not' says report 'in the report of a crash'
    printf 'bench=fault,clock fault.kind=df link.format=text\n' >"$work/fw.plan"
    raw df -kernel "$image" -fw_cfg "name=opt/tare/plan,file=$work/fw.plan"
    check 'a double fault is named' 'it is not' says df 'CRASH #DF double fault in bench fault'
    check 'and ends the run' 'it does not' says df 'the run ends here: #DF double fault'
}

# mce NAME STATUS: hardware that fails while a bench runs, as QEMU's monitor has it.
mce() {
    printf 'bench=idle,clock idle.ms=60000 link.format=text\n' >"$work/fw.plan"
    mkfifo "$work/$1.monitor"
    {
        tries=0
        until grep -aqsF 'bench idle (' "$work/$1.log" || [ "$tries" -eq 300 ]; do
            sleep 0.1
            tries=$((tries + 1))
        done
        echo "mce 0 4 $2 5 0xdead000 0"
    } >"$work/$1.monitor" &
    raw "$1" -kernel "$image" -monitor stdio \
        -fw_cfg "name=opt/tare/plan,file=$work/fw.plan" <"$work/$1.monitor"
    check "$1: the bank is told" 'it is not' says "$1" "bank 4, status ${2#0x}, address dead000"
}

test_machine_checks() {
    mce survived 0xbc00000000000135
    check 'survived: only its bench ends' 'not so' says survived 'tare: done, with a crash'
    mce corrupt 0xbe00000000000135
    check 'corrupt: the run ends' 'it does not' says corrupt 'the run ends here: #MC machine check'
}

# A handler that crashed has not ended its interrupt; the next bench needs that very interrupt.
test_crash_in_interrupt() {
    boot crash-interrupt 1 --shift 6 --bench fault,idle --set fault.kind=interrupt --set idle.ms=50
    check 'crash-interrupt: the next bench gets its interrupts' 'it does not' json crash-interrupt \
        '[.benches[] | [.name, .status]] == [["fault", "CRASH"], ["idle", "OK"]] and
         (.benches[1].series[] | select(.name == "handler") | .n) == 5'
    check 'crash-interrupt: handler and bracket named' 'they are not' crash_names \
        crash_in_handler bracket_entry
}

crash_names() {
    says crash-interrupt "$1+" && says crash-interrupt "$2+"
}

crash_reported() {
    says "$1" "$2" && says "$1" "$3" &&
        json "$1" '[.benches[] | [.name, .status]] ==
            [["clock", "OK"], ["fault", "CRASH"], ["gap", "OK"]]' && json "$1" '.run.valid | not'
}

screen_says() {
    "$TEST_BIN/screen_text" "$work/screen.ppm" 2>/dev/null | grep -qF "$1"
}

dump_screen() {
    rm -f "$work/screen.ppm"
    printf 'screendump %s\n' "$work/screen.ppm" | socat - "unix-connect:$work/monitor" \
        >/dev/null 2>&1
    sleep 0.3
    screen_says "$1"
}

# No serial port: the screen says so, and what happens.
test_no_serial() {
    printf 'bench=clock clock.reads=5\n' >"$work/fw.plan"
    timeout 120 qemu-system-x86_64 -machine q35,smm=off -m 256 -bios /usr/share/ovmf/OVMF.fd \
        -kernel "$image" -nodefaults -display none -net none -no-reboot -vga std -serial none \
        -fw_cfg "name=opt/tare/plan,file=$work/fw.plan" \
        -monitor "unix:$work/monitor,server=on,wait=off" >"$work/screen.err" 2>&1 &
    qemu=$!
    check 'no serial port: the screen tells the run to its end' 'it does not' \
        wait_for 60 dump_screen 'finished; nothing could be saved'
    check 'no serial port: the screen says so' 'it does not' screen_says 'no serial port found'
    printf 'quit\n' | socat - "unix-connect:$work/monitor" >/dev/null 2>&1
    wait $qemu
    check 'no serial port, no screen: ends by itself' 'it does not' timeout 120 \
        qemu-system-x86_64 -machine q35,smm=off -m 256 -bios /usr/share/ovmf/OVMF.fd \
        -kernel "$image" -nodefaults -display none -net none -no-reboot -serial none \
        -fw_cfg "name=opt/tare/plan,file=$work/fw.plan"
}

# bytes NUMBER...: the bytes themselves.
bytes() {
    for byte in "$@"; do
        # shellcheck disable=SC2059
        printf "\\$(printf %03o "$byte")"
    done
}

# spcr LOW HIGH: body of an SPCR table for a 16550 at that I/O port, revision 2.
spcr() {
    bytes 0 0 0 0 1 8 0 1 "$1" "$2" 0 0 0 0 0 0
    bytes 0 0 4 0 0 0 7 0 1 0 0 0
    bytes 255 255 255 255 0 0 0 0 0 0 0 0 0 0 0 0
}

# ACPI's SPCR table names the port; one that names no port is passed over.
test_spcr() {
    printf 'bench=none\n' >"$work/fw.plan"
    spcr 248 2 >"$work/spcr.com2"
    raw spcr -kernel "$image" -serial "file:$work/com2.log" \
        -acpitable "sig=SPCR,rev=2,data=$work/spcr.com2" -fw_cfg "name=opt/tare/plan,file=$work/fw.plan"
    "$TARE" decode "$work/com2.log" -o "$work/com2.db" >"$work/com2.err" 2>&1
    check 'SPCR: the run leaves on the port it names' "$(cat "$work/com2.err")" json com2 \
        '.run.machine.serial | startswith("SPCR port 0x2f8")'
    spcr 0 48 >"$work/spcr.nowhere"
    raw nowhere -kernel "$image" -acpitable "sig=SPCR,rev=2,data=$work/spcr.nowhere" \
        -fw_cfg "name=opt/tare/plan,file=$work/fw.plan"
    check 'SPCR that points nowhere: COM1 is found all the same' 'it is not' json nowhere \
        '.run.machine.serial | startswith("legacy port 0x3f8")'
}

# A line that stops taking bytes: a pipe that nobody reads holds 64 KiB, the run sends more.
test_dead_line() {
    mkfifo "$work/dead.in" "$work/dead.out"
    printf 'bench=idle idle.ms=60000 link.format=text\n' >"$work/fw.plan"
    exec 3<>"$work/dead.out"
    check 'dead line: the run ends all the same' 'it hangs' timeout 200 qemu-system-x86_64 \
        -machine q35,smm=off -m 256 -bios /usr/share/ovmf/OVMF.fd -kernel "$image" \
        -accel tcg,thread=single -icount shift=6,sleep=off -nodefaults -display none -net none \
        -no-reboot -chardev "pipe,id=line,path=$work/dead" -serial chardev:line \
        -fw_cfg "name=opt/tare/plan,file=$work/fw.plan"
    exec 3>&-
}

test_models
test_plans
test_plan_sources
test_crashes
test_crash_in_interrupt
test_crash_of_crashes
test_machine_checks
test_no_serial
test_spcr
test_dead_line
finish
