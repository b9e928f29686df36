#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The image on processors of many models, with plans good and bad, with crashes and without a line.
# Machines of many shapes: matrix.sh. Firmware takes nearly all of a boot's time, so that a boot often
# shows several things; what a plan gets wrong that `tare host` reads with the same code is in
# test_host.sh, the plan on a disk and an invalid opcode in test_bochs.sh.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

# Features that some models lack: used if CPUID offers them, else reported as absent with a reason.
models='--shift 7 --bench clock,idle,chase,bandwidth,contextswitch,syscall,exceptions,pagefault
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
    model haswell --cpu Haswell-noTSX --memory 8192
    model max --cpu max --memory 8192
    check 'models: with and without 1 GiB pages and AVX2' 'all alike' test \
        "$(for name in nehalem haswell max; do
            echo "$(offers $name 1gib_pages) $(offers $name avx2)"
        done | tr '\n' ',')" = 'no no,no yes,yes yes,'
}

test_plans() {
    boot badkey 1 --force --shift 7 --set idle.colour=red
    check 'unknown key: named' 'it is not' printed badkey 'idle.colour'
    check 'unknown key: the known ones are listed' 'they are not' printed badkey \
        'idle.ms idle.sample_us idle.tick_hz'
    boot nox2apic 1 --shift 7 --bench clock --set lapic.mode=x2apic
    check 'x2APIC where there is none: reported' 'it is not' printed nox2apic 'offers no x2APIC'
    boot text 1 --shift 7 --bench load,fault,gap --set gap.ms=5 --set fault.kind=write \
        --set load.events=5000:100,5300:100,5400:50,20000:3000,20100:100 --set link.format=text
    check 'events that share a sample: recovered as a group' 'not so' json text \
        '.benches[] | select(.name == "load") | .recovery |
            .spurious == 0 and .recovered == .injected'
    check 'text format: only text on the line' 'a 00h is there' not_binary text
    crashed text page
}

not_binary() {
    ! tr -d '\000' <"$work/$1.log" | cmp -s - "$work/$1.log" || return 0
    return 1
}

# A plan on the disk, one in fw_cfg, one in the load options: which of them wins.
test_plan_sources() {
    raw options -kernel "$image" -append "tare.efi bench=clock,fault,gap,load clock.reads=9 gap.ms=5 \
fault.kind=null load.events=100:10,50:10 link.wait_ms=0"
    check 'plan in the load options: read' 'it was not' json options \
        '.run.plan.source == "load_options" and .benches[0].series[0].n == 9'
    check 'unordered list: named' 'it is not' printed options 'entry 2 is earlier'
    crashed options page
    printf 'bench=none\n' >"$work/tare.plan"
    tools/build/mkimage.sh --mib 0 "$work/disk.img" "$image" "$work/tare.plan"
    plan bench=fault,gap gap.ms=5 fault.kind=de
    raw both -drive "file=$work/disk.img,format=raw,snapshot=on" \
        -fw_cfg "name=opt/tare/plan,file=$work/fw.plan"
    check 'fw_cfg goes before the disk' 'it does not' json both '.run.plan.source == "fw_cfg"'
    crashed both divide
    head -c 5000 /dev/zero | tr '\000' ' ' >"$work/fw.plan"
    raw toolong -kernel "$image" -fw_cfg "name=opt/tare/plan,file=$work/fw.plan"
    check 'a plan that is too long: refused, not cut' 'not so' json toolong \
        '(.run.valid | not) and (.run.errors[0] | contains("4096 characters, got 5000"))'
}

# plan SETTING...: a plan for a line without a host, which would send bye.
plan() {
    printf '%s\n' "$@" link.wait_ms=0 >"$work/fw.plan"
}

# raw NAME QEMU-ARGUMENT...: QEMU without `tare boot`, its line a file, decoded afterwards.
raw() {
    raw_name=$1
    shift
    timeout 120 qemu-system-x86_64 -machine q35,smm=off -m 256 -bios /usr/share/ovmf/OVMF.fd \
        -accel tcg,thread=single -cpu max,-rdrand,-rdseed,-monitor -icount shift=7,sleep=off \
        -nodefaults -display none -net none -no-reboot -serial "file:$work/$raw_name.log" "$@" \
        >"$work/$raw_name.err" 2>&1
    check "$raw_name: ends by itself" "$(tail -n 2 "$work/$raw_name.err")" test $? -eq 0
    "$TARE" decode "$work/$raw_name.log" -o "$work/$raw_name.db" >"$work/$raw_name.out" 2>&1
}

# crashed NAME WORD: a fault ended its bench as CRASH, with the name of the exception and a backtrace,
# and the next bench ran.
crashed() {
    check "$1: the crash named, with a symbolised backtrace, and survived" 'not so' \
        crash_reported "$1" "$2"
    "$TARE" show crash "$work/$1.db" >"$work/crash.txt" 2>&1
    check "$1: the file and line of each call" "$(cat "$work/crash.txt")" \
        grep -q '^  #[0-9]* .* call_guarded+[0-9]* at kernel/run/runner.c:[0-9]*$' "$work/crash.txt"
}

crash_reported() {
    printed "$1" "$2" && printed "$1" call_guarded+ && json "$1" '.run.valid | not' &&
        json "$1" '[.benches[] | select(.name == "fault" or .name == "gap") | .status] ==
            ["CRASH", "OK"]'
}

# What a processor cannot survive by itself ends with a name all the same, and in no reset: QEMU ends
# by itself there without the words.
test_crash_of_crashes() {
    plan bench=fault,clock fault.kind=report link.format=text
    raw report -kernel "$image" -fw_cfg "name=opt/tare/plan,file=$work/fw.plan"
    check 'an exception inside a report is reported' 'it is not' \
        printed report 'in the report of a crash'
    plan bench=fault,clock fault.kind=df link.format=text
    raw df -kernel "$image" -fw_cfg "name=opt/tare/plan,file=$work/fw.plan"
    check 'a double fault is named' 'it is not' printed df 'CRASH #DF double fault in bench fault'
    check 'and ends the run' 'it does not' printed df 'the run ends here: #DF double fault'
}

# mce NAME STATUS: hardware that fails while a bench runs, as QEMU's monitor has it: first another
# processor's. An older error, logged before the image started, is there.
mce() {
    plan bench=idle,contention,clock,lines idle.ms=60000 link.format=text contention.trials=1 \
        contention.repetitions=3 lines.trials=1 lines.repetitions=3
    mkfifo "$work/$1.monitor"
    {
        echo 'mce 0 3 0x9200000000000135 0 0 0'
        tries=0
        until grep -aqsF 'bench idle (' "$work/$1.log" || [ "$tries" -eq 300 ]; do
            sleep 0.1
            tries=$((tries + 1))
        done
        echo 'mce 1 2 0xbc00000000000135 5 0xbeef000 0'
        echo "mce 0 4 $2 5 0xdead000 0"
    } >"$work/$1.monitor" &
    raw "$1" -kernel "$image" -smp 2 -monitor stdio \
        -fw_cfg "name=opt/tare/plan,file=$work/fw.plan" <"$work/$1.monitor"
    check "$1: the bank is reported" 'it is not' \
        printed "$1" "bank 4, status ${2#0x}, address dead000"
}

test_machine_checks() {
    mce survived 0xbc00000000000135
    check 'survived: only its bench ends' 'not so' printed survived 'tare: done, with a crash'
    check 'survived: the other processor works on' "$(grep -a 'bench lines:' "$work/survived.log")" \
        printed survived 'bench lines: OK'
    mce corrupt 0xbe00000000000135
    check 'corrupt: the run ends' 'it does not' \
        printed corrupt 'the run ends here: #MC machine check'
}

# A handler that crashed has not ended its interrupt; the next bench needs that very interrupt.
test_crash_in_interrupt() {
    boot crash-interrupt 1 --shift 7 --bench fault,idle --set fault.kind=interrupt --set idle.ms=50
    check 'crash-interrupt: the next bench gets its interrupts' 'it does not' json crash-interrupt \
        '[.benches[] | [.name, .status]] == [["fault", "CRASH"], ["idle", "OK"]] and
         (.benches[1].series[] | select(.name == "handler") | .n) == 5'
    check 'crash-interrupt: handler and timed section named' 'they are not' crash_names \
        crash_in_handler timed_section_entry
}

# Writes that would leave no handler for a fault: to the page tables, and past free memory.
test_wild_writes() {
    for wild in tables overrun; do
        boot $wild 1 --shift 7 --bench fault,gap --set fault.kind=$wild --set gap.ms=5
        crashed $wild page
    done
    check 'overrun: named' 'it is not' printed overrun \
        'in bench fault: overrun, the guard page after free memory was touched'
}

# What ends in the middle of a change of page tables leaves them writable; QEMU shows CR0 with each
# interrupt that the next bench takes.
test_write_protection() {
    boot wp 1 --shift 7 --bench fault,idle --set fault.kind=wp --set idle.ms=50 \
        --set bench.limit_ms=500 -- -d int -D "$work/interrupts"
    check 'wp: the watchdog ends it, and the next bench is OK' 'not so' json wp \
        '[.benches[] | [.name, .status]] == [["fault", "CRASH"], ["idle", "OK"]]'
    state=$(awk '/ v=40 / { timer = 1 } timer && /^CR0=/ { print $1; timer = 0 }' \
        "$work/interrupts" | sort -u)
    check 'wp: page tables are read only behind it' "$state" test "$state" = CR0=80010033
}

# An instruction takes 1 us: a timer is due before what it is to interrupt has begun, as where a
# hypervisor takes the processor away; and in real time on a host that may be busy. Each bench holds
# what it found against what must be.
test_slow() {
    boot slow 0 --shift 10 --bench input,nesting,order,paths,process
    boot real 0 --mode real --smp 2 --bench input,inversion,nesting,order,paths,process
}

crash_names() {
    printed crash-interrupt "$1+" && printed crash-interrupt "$2+"
}

# No serial port and no screen. With a screen: test_no_serial.sh.
test_no_serial() {
    plan bench=clock clock.reads=5
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

# spcr LOW HIGH [SPEED]: body of an SPCR table for a 16550 at that I/O port, with the code of its speed
# (7: 115200), revision 2.
spcr() {
    bytes 0 0 0 0 1 8 0 1 "$1" "$2" 0 0 0 0 0 0
    bytes 0 0 4 0 0 0 "${3:-7}" 0 1 0 0 0
    bytes 255 255 255 255 0 0 0 0 0 0 0 0 0 0 0 0
}

# at_speed NAME REV PLAN: boots with table $work/NAME.table and decodes the run.
at_speed() {
    plan "bench=none link.wait_ms=1 $3"
    raw "$1" -kernel "$image" -acpitable "sig=SPCR,rev=$2,data=$work/$1.table" \
        -fw_cfg "name=opt/tare/plan,file=$work/fw.plan"
}

# ACPI's SPCR table names the port; one that names no port is passed over.
test_spcr() {
    plan bench=none
    spcr 248 2 >"$work/spcr.com2"
    raw spcr -kernel "$image" -serial "file:$work/com2.log" \
        -acpitable "sig=SPCR,rev=2,data=$work/spcr.com2" -fw_cfg "name=opt/tare/plan,file=$work/fw.plan"
    "$TARE" decode "$work/com2.log" -o "$work/com2.db" >"$work/com2.err" 2>&1
    check 'SPCR: the run leaves on the port it names' "$(cat "$work/com2.err")" json com2 \
        '.run.machine.serial | startswith("SPCR port 0x2f8")'
    spcr 0 48 >"$work/spcr.nowhere"
    plan bench=fault,gap gap.ms=5 fault.kind=gp
    raw nowhere -kernel "$image" -acpitable "sig=SPCR,rev=2,data=$work/spcr.nowhere" \
        -fw_cfg "name=opt/tare/plan,file=$work/fw.plan"
    check 'SPCR that points nowhere: COM1 is found all the same' 'it is not' json nowhere \
        '.run.machine.serial | startswith("legacy port 0x3f8")'
    crashed nowhere protection
}

# The speed that the SPCR states, by its code or, from revision 4 on, precisely; unless the plan sets one.
test_spcr_speed() {
    spcr 248 3 6 >"$work/speed2.table"
    at_speed speed2 2 link.baud=0
    check 'link.baud=0: the speed of the SPCR' "$(value speed2 .run.machine.serial)" json speed2 \
        '.run.machine.serial == "SPCR port 0x3f8, 57600 baud"'
    { spcr 248 3 0 && bytes 0 150 0 0 0 0 0 0; } >"$work/speed4.table"
    at_speed speed4 4 link.baud=0
    check 'link.baud=0: the precise speed of revision 4' "$(value speed4 .run.machine.serial)" json speed4 \
        '.run.machine.serial == "SPCR port 0x3f8, 38400 baud"'
    cp "$work/speed2.table" "$work/planned.table"
    at_speed planned 2 link.baud=9600
    check 'link.baud: the plan goes before the SPCR' "$(value planned .run.machine.serial)" json planned \
        '.run.machine.serial == "SPCR port 0x3f8, 9600 baud"'
}

# Two graphics outputs, of which the first takes only copies of pictures.
test_screens() {
    plan bench=none
    raw screens -kernel "$image" -fw_cfg "name=opt/tare/plan,file=$work/fw.plan" \
        -device virtio-gpu-pci,addr=2 -device secondary-vga,addr=3
    check 'two screens: the one that can be drawn on is found' \
        "$(value screens .run.machine.framebuffer)" json screens \
        '.run.machine.framebuffer | test("^[0-9]+x[0-9]+$")'
}

# A line that stops taking bytes: an unread pipe holds 64 KiB, 4 of them free; the run sends more.
test_dead_line() {
    mkfifo "$work/dead.in" "$work/dead.out"
    plan bench=clock,gap,process,chase link.format=text
    exec 3<>"$work/dead.out"
    head -c 61440 /dev/zero >&3
    check 'dead line: the run ends all the same' 'it hangs' timeout 200 qemu-system-x86_64 \
        -machine q35,smm=off -m 256 -bios /usr/share/ovmf/OVMF.fd -kernel "$image" \
        -accel tcg,thread=single -cpu max,-rdrand,-rdseed,-monitor -icount shift=7,sleep=off \
        -nodefaults -display none -net none -no-reboot -serial chardev:line \
        -chardev "pipe,id=line,path=$work/dead" \
        -fw_cfg "name=opt/tare/plan,file=$work/fw.plan"
    cat <&3 >"$work/dead.log" &
    reader=$!
    check 'dead line: what it took ends in the middle' 'it does not' wait_for 10 is_cut
    kill $reader
    exec 3>&-
}

# The line took what it could hold, and the end of the run was not in it.
is_cut() {
    [ "$(stat -c %s "$work/dead.log" 2>/dev/null || echo 0)" -ge 65536 ] && ! grep -aq 'tare: done' "$work/dead.log"
}

test_models
test_plans
test_plan_sources
test_crash_in_interrupt
test_wild_writes
test_write_protection
test_slow
test_crash_of_crashes
test_machine_checks
test_no_serial
test_spcr
test_spcr_speed
test_screens
test_dead_line
finish
