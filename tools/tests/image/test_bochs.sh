#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The disk image in a second emulator: Bochs with Debian's OVMF. Its TSC counts instructions, one
# tick each; unknown MSRs fault there as on silicon; OVMF finds no ACPI tables for it, so the PIT is
# the only reference, which is enough in exact time.
#
# CPUID falsely claims event counters here. Their registers fault or, if Bochs is set to make them
# storage, keep what is written and never count.
#
# Firmware alone takes 17 s of each boot here, so that boots are few and each has much to do. The rate
# is that of `tare boot --shift 7`, and low, because the line's speed is not the processor's: a byte
# costs fewer instructions to wait for.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh
. tools/tests/support/bochs.sh

if ! command -v bochs >/dev/null; then
    skip bochs 'it is not installed'
    finish
    exit
fi

events='events=instructions,cycles,loads,branches,dtlb-misses,smi,own@0xd0:0x81'

# counters NAME STATE COUNT: each counter claimed is in STATE. The events of the plan are reported
# as absent, except instructions, which are known from the exact time.
counters() {
    check "$1: each counter claimed found out, as '$2'" \
        "$(value "$1" '.run.counters[] | [.name, .state, .reason] | join(" ")' | tr '\n' ';')" \
        json "$1" "(.run.counters | length) == $3 and
            ([.run.counters[] | .state] | unique) == [\"$2\"]"
    check "$1: the benches run all the same" "$(value "$1" '.benches[] | .name, .status' |
        tr '\n' ' ')" json "$1" '[.benches[] | select(.name == "clock") | .status] == ["OK"]'
    check "$1: instructions counted from exact time" "$(value "$1" '.run.events[0]')" \
        json "$1" '[.run.events[] | select(.state == "counted") | [.name, .source]] ==
            [["instructions", "icount"]]'
    check "$1: the other events absent, each with a reason" \
        "$(value "$1" '.run.events[] | [.name, .state, .reason] | join(" ")' | tr '\n' ';')" \
        json "$1" '[.run.events[] | select(.state != "counted")] | length == 6 and
            all(.state == "absent" and (.reason // "" | length) > 10 and .counter == null)'
    check "$1: no count of an absent event, not even 0" \
        "$(value "$1" '.benches[].series[] | .event // empty' | sort -u | tr '\n' ' ')" \
        json "$1" '[.benches[].series[] | .event // empty] | unique == ["instructions"]'
}

# At 8 MHz a counted read of the clock takes 8 microseconds: hence the threshold.
whole='clock.reads=100 gap.ms=20 gap.threshold_ns=32000 idle.ms=100 load.random=10:1:20:2000
    delivery.offsets=100 chase.max_kib=16 chase.orders=random chase.trials=2 bandwidth.max_kib=4 bandwidth.trials=1
    syscall.calls=50'
whole_benches=clock,gap,idle,load,loop,call,syscall,chase,bandwidth,delivery
test_whole() {
    : >"$work/bochs.msrs"
    # shellcheck disable=SC2086 # words
    bochs_run bochs corei7_skylake_x "bench=fault,$whole_benches" $whole "$events"
    check 'bochs: exact time, one tick an instruction' 'not so' json bochs \
        '.run.kind == "exact" and .run.ticks_per_instruction == "1"'
    check 'bochs: the image recognises it, though CPUID shows a processor alone' \
        "$(value bochs '.run.machine | .emulated_by, .hypervisor_bit')" json bochs \
        '.run.machine | .emulated_by == "Bochs" and .hypervisor_bit == "clear"'
    check 'bochs: own, reported as such' 'it is not' json bochs '.run.ownership == "own"'
    check 'bochs: invariant TSC, TSC deadline and PCID reported' \
        "$(value bochs '.run.machine | .invariant_tsc, .cpu_features' | tr '\n' ' ')" json bochs \
        '.run.machine | .invariant_tsc == "yes" and
            (.cpu_features | contains("tsc_deadline") and contains("pcid"))'
    check 'bochs: one clock is enough in exact time' "$(value bochs .run.verdict | tr '\n' ' ')" \
        json bochs '.run.verdict | .ok and (.by | contains(",") | not)'
    check 'bochs: time is the same behind each bench' \
        "$(value bochs '[.benches[] | select(.reason // "" | contains("time changed"))]')" json bochs \
        '[.benches[] | select(.status == "OK") | .facts["proof.ticks_per_instruction"]] |
            unique == [1]'
    check 'bochs: benches OK, the fault caught' \
        "$(value bochs '[.benches[] | .status]' | tr '\n' ' ')" json bochs \
        '[.benches[] | select(.name != "region") | [.name, .status]] ==
            [["bandwidth", "OK"], ["call", "OK"], ["chase", "OK"], ["clock", "OK"],
             ["delivery", "OK"], ["fault", "CRASH"], ["gap", "OK"], ["idle", "OK"], ["load", "OK"], ["loop", "OK"],
             ["syscall", "OK"]]'
    check 'bochs: the fault named, with a symbolised backtrace' 'it is not' crash_is_named
    check 'bochs: the plan read from the disk' "$(value bochs '.run.plan.source')" json bochs \
        '.run.plan.source == "file" and (.run.plan.text | contains("clock.reads=100"))'
    check 'bochs: 3 instructions a hop, of every page size and memory type' \
        "$(value bochs '.benches[] | select(.name == "chase") | .curves' | tr -d '\n ')" json bochs \
        '[.benches[] | select(.name == "chase") | .curves[] | .min[], .max[]] |
            length > 20 and unique == [3]'
    check 'bochs: AVX-512 used, as CPUID offers it' "$(value bochs '.run.machine.cpu_features')" \
        json bochs '(.run.machine.cpu_features | contains("avx512f")) and
            ([.benches[] | .series[] | select(.name == "copy.avx512")] | length) == 1'
    check 'bochs: no 1 GiB pages without a free GiB, and that is reported' \
        "$(value bochs '.benches[] | select(.name == "chase") | .absent' | tr '\n' ' ')" json bochs \
        '[.benches[] | .absent[] | select(.name == "random.1g.wb") | .reason] == ["no free block of 1 GiB"]'
    check 'bochs: no gap, idle floor without spread' 'not so' json bochs \
        '([.benches[].series[] | select(.name == "gap_length" and .event == null) | .n] == [0]) and
         ([.benches[].series[] | select(.name == "floor" and .event == null) | .max - .min] == [0])'
    check 'bochs: load recovered' "$(value bochs '.benches[] | select(.name == "load") | .recovery' |
        tr '\n' ' ')" json bochs '.benches[] | select(.name == "load") | .recovery |
            .recovered == 10 and .within_tolerance == 10 and .spurious == 0'
    counters bochs faults 7
}

crash_is_named() {
    printed bochs 'CRASH #UD invalid opcode in bench fault' &&
        printed bochs 'raise_invalid_opcode+' && printed bochs 'call_guarded+'
}

# Version 5 of the counters adds registers that show which are in use.
test_counters() {
    : >"$work/icelake.msrs"
    bochs_run icelake corei7_icelake_u bench=clock clock.reads=50 "$events"
    counters icelake faults 11
}

# Threads, messages, nested interrupts and processes, on a second emulator's LAPIC, page walker and
# SYSCALL; self-sent interrupts through x2APIC's own register; keyboard and mouse through an I/O APIC
# that no table lists. This processor has PCID. Its counters are storage: general ones, their
# selects, fixed ones and their control, global control.
tasks='paths.samples=200 overload.events=5000 clock.reads=50 delivery.offsets=100'
tasks_benches=order,nesting,inversion,aliasing,switches,process,paths,overload,input
tasks_benches=$tasks_benches,contextswitch,pagefault,exits,delivery
test_tasks() {
    {
        storage 0x0c1 4
        storage 0x186 4
        storage 0x309 3
        storage 0x38d 4
    } >"$work/tasks.msrs"
    # shellcheck disable=SC2086 # words
    bochs_run tasks corei7_skylake_x "bench=clock,$tasks_benches" $tasks lapic.mode=x2apic \
        pagefault.pcid=1 "$events"
    counters tasks dead 7
    check 'bochs: local APIC in x2APIC mode' 'it is not' json tasks '.run.machine.lapic == "x2apic"'
    check 'bochs: every bench of threads is OK' "$(value tasks '[.benches[] | .name, .status] |
        join(" ")')" json tasks '[.benches[] | select(.name != "region") | .status] |
            length == 14 and unique == ["OK"]'
    check 'bochs: in x2APIC mode and with a TSC deadline, 15 promises of delivery kept' \
        "$(value tasks '.benches[] | select(.name == "delivery") | .promises[] | [.name, .broken] |
        join(" ")' | tr '\n' ';')" json tasks '[.benches[] | select(.name == "delivery") | .promises[] |
            select(.broken == 0) | .name] | length == 15 and contains(["x2apic", "past"])'
    check 'bochs: MSRs of x2APIC and the TSC deadline, to the instruction' "$(value tasks '.benches[] |
        select(.name == "exits") | .exits[] | [.series, .ticks] | join(" ")' | tr '\n' ';')" \
        json tasks '[.benches[] | select(.name == "exits") | .exits[] |
            select(.series | test("^(x2apic_(read|eoi|icr|self)|tsc_deadline)$")) | .ticks] |
            length == 5 and unique == [1]'
    check 'bochs: interrupts of x2APIC and the TSC deadline, until their handler ran' "$(value tasks '.benches[] |
        select(.name == "exits") | .exits[] | [.series, .ticks] | join(" ")' | tr '\n' ';')" \
        json tasks '[.benches[] | select(.name == "exits") | .exits[] |
            select(.series | test("^(x2apic_ipi_|deadline_)")) | .ticks] | length == 5 and all(. > 60)'
    check 'bochs: with PCID, a round trip of the same instructions' "$(value tasks '.benches[] |
        select(.name == "contextswitch") | .series[] | [.name, .median] | join(" ")' |
        tr '\n' ';')" json tasks '.benches[] | select(.name == "contextswitch") |
            [.series[] | select(.event == null and (.name | startswith("process_pipe_round"))) |
                .min, .max] | length == 4 and (unique | length) == 1'
    check 'bochs: the books of every trace close' "$(value tasks '.benches[] |
        [.name, .accounting.difference] | join(" ")' | tr '\n' ' ')" json tasks \
        '[.benches[] | select(.accounting) | .accounting.elapsed - .accounting.sum] |
            length >= 7 and unique == [0]'
    check 'bochs: a deadline is met the same each time' "$(value tasks '.benches[] |
        select(.name == "paths") | .series[] | select(.name == "timer")' | tr '\n' ' ')" \
        json tasks '.benches[] | select(.name == "paths") | .series[] |
            select(.event == null and .name == "timer") | .min == .max'
    check 'bochs: every key of a script arrives, in order' "$(value tasks '.benches[] |
        select(.name == "input") | .interactive | [.planned, .matched, .unplanned] | @csv')" \
        json tasks '.benches[] | select(.name == "input") | .interactive | .planned > 0 and
            .matched == .planned and .unplanned == 0 and .in_order'
}

# instructions NAME: "BENCH/SERIES N MINIMUM MEDIAN MAXIMUM" in instructions, of each series that counts
# ticks, sorted.
instructions() {
    "$TARE" show --json "$work/$1.db" 2>"$work/$1.shown" | jq -r '
        (.run.ticks_per_instruction | tonumber) as $ticks | .benches[] | .name as $bench |
        .series[] | select(.event == null and .unit == "tick" and .median != null) |
        [$bench + "/" + .name, .n, (.min, .median, .max | . / $ticks)] | join(" ")' | LC_ALL=C sort
}

# What the emulators count in different ways, by the series in which it is seen: PATTERN@WHY. The
# first that fits explains the series; what none explains must be equal.
emulators='^bandwidth/(copy|read|write)[.]rep$@QEMU counts a repeated string instruction in parts
^(idle|load|clock|gap)/@by the clock, whose rate each measures; Bochs counts events at each reading
^exits/hlt_timer$@from a deadline, whose rate each measures
^exits/self_ipi$@QEMU ends its block of instructions before it delivers; Bochs delivers behind the next one
^(aliasing|inversion|paths/timer|switches)@waits for a timer, whose rate each measures
^input/(intended|written)$@times since the script began, by the rate measured
_traced$@beginning a packet of the trace takes an instruction more or less, by what is in it
^pagefault/@QEMU does not count the instruction that faults, and has no PCID
'

# compare ONE OTHER EXPLANATIONS: the table of both, a line a series; fails if one differs for no known
# reason.
compare() {
    instructions "$1" >"$work/$1.counts"
    instructions "$2" >"$work/$2.counts"
    printf '%s' "$3" >"$work/explanations"
    echo "instructions, $1 and $2: samples, minimum, median, maximum"
    LC_ALL=C join "$work/$1.counts" "$work/$2.counts" | awk -v reasons="$work/explanations" '
        BEGIN {
            FS = "@"
            while ((getline <reasons) > 0) {
                pattern[++count] = $1
                reason[count] = $2
            }
            FS = " "
        }
        {
            ours = $2 " " $3 " " $4 " " $5
            theirs = $6 " " $7 " " $8 " " $9
            why = ours == theirs ? "same" : "DIFFERS"
            for (i = 1; why == "DIFFERS" && i <= count; i++)
                if ($1 ~ pattern[i])
                    why = reason[i]
            same += why == "same"
            bad += why == "DIFFERS"
            printf "  %-44s %-26s %-26s %s\n", $1, ours, ours == theirs ? "" : theirs, why
        }
        END {
            printf "  %d series, %d the same\n\n", NR, same
            exit bad > 0 || same < 30
        }' >"$work/table"
    compared=$?
    cat "$work/table"
    check "$1 and $2: the same instructions, or a known reason" \
        "$(grep DIFFERS "$work/table" | tr -s ' ' | tr '\n' ';')" test $compared -eq 0
    # What CPUID offers decides what is absent.
    for compared in "$1" "$2"; do
        value "$compared" '.benches[] | select(.status == "OK" and .name != "region") | .name' |
            LC_ALL=C sort >"$work/$compared.ok"
    done
    check "$1 and $2: each bench that is OK is so there" \
        "$(comm -23 "$work/$1.ok" "$work/$2.ok" | tr '\n' ' ')" \
        test -s "$work/$1.ok" -a -z "$(comm -23 "$work/$1.ok" "$work/$2.ok")"
}

# The same plans in QEMU; x2APIC and event counters are Bochs's.
test_against_qemu() {
    for setting in $whole $tasks; do
        case $setting in
        clock.*) ;;
        *) settings="${settings:-} --set $setting" ;;
        esac
    done
    # shellcheck disable=SC2086 # words
    boot qemu 0 --shift 7 --bench "$whole_benches,$tasks_benches" $settings --set clock.reads=50
    compare bochs qemu "$emulators"
    compare tasks qemu "$emulators"
}

# noise NAME: "BENCH/SERIES N SPREAD": gaps, readings of the clock that took longer than others, samples
# of the idle loop that did, without a timer and with one, and handlers. The timer's are the only
# interrupts that may come.
noise() {
    value "$1" '.benches[] | .name as $bench | .series[] | select(.event == null) |
        select($bench + "/" + .name |
            test("^gap/(gap_length|histogram_bound)$|^idle/(floor|ticking|handler)$")) |
        [$bench + "/" + .name, .n, if .n == 0 then "-" else .max - .min end] | join(" ")'
}

# By the clock, whose rate each run measures against the PIT.
timed='^(idle/(floor|ticking|handler_start)|load/(entry|intended|samples|work))$'

# near ONE OTHER: these series differ by 0.1 % at most, of each of samples, minimum, median, maximum.
near() {
    LC_ALL=C join "$work/$1.counts" "$work/$2.counts" | awk -v timed="$timed" '
        $1 ~ timed {
            count++
            for (i = 2; i <= 5; i++)
                bad += $i - $(i + 4) > $i * 1e-3 || $(i + 4) - $i > $i * 1e-3
        }
        END { exit bad > 0 || count != 7 }'
}

# The same plan on the machine borrowed from firmware, which has no serial port: the log is on the
# volume. Firmware is interrupted by its own timer before and after each bench, and by nothing within.
test_borrow() {
    com1=0
    : >"$work/borrow.msrs"
    # shellcheck disable=SC2086 # words
    bochs_run borrow corei7_skylake_x "bench=fault,$whole_benches" $whole "$events"
    com1=1
    check 'borrow: reported, without a port, with the log file' \
        "$(value borrow '.run | .ownership, .machine.serial, .machine.log_file')" json borrow \
        '.run.ownership == "borrow" and .run.machine.serial == "none" and
            .run.machine.log_file == "tare-0001.log"'
    turns=$(grep -ao 'firmware had [0-9]* turns' "$work/borrow.log" | tr -dc 0-9)
    check 'borrow: firmware had a turn between any two benches' "${turns:-none}" \
        test "${turns:-0}" -ge 10
    dd if="$work/disk.img" of="$work/esp" bs=1M skip=1 count=64 status=none
    fsck.vfat -n "$work/esp" >"$work/fsck" 2>&1
    check 'borrow: the file system is whole' "$(tr '\n' ' ' <"$work/fsck")" test $? -eq 0
    check 'borrow: at the power-off the registers are firmware'\''s' \
        "$(sed -n 's/.*CPU0  \] //p' "$work/borrow.messages" | grep -E 'CR[034]|EFER|[CDSEFG]S|IOPL' |
            tail -n 14 | tr '\n' ';')" registers_are 'EFER   = 0x00000d00' 'CS:0038\(' 'DS:0030\(' \
        'SS:0030\(' 'ES:0030\(' 'FS:0030\(' 'GS:0030\(' 'FS_BASE:0+$' 'GS_BASE:0+$' \
        'CR0=0x80010033' 'CR4=0x00000668' 'IOPL=0 .* IF '
    compare bochs borrow "$timed@by the clock, whose rate each measures, to 0.1 %
"
    check 'bochs and borrow: what is timed by the clock agrees to 0.1 %' 'not so' near bochs borrow
    noise bochs >"$work/own.noise"
    noise borrow >"$work/borrow.noise"
    echo 'noise in instructions, own and borrow: samples, greatest less smallest'
    LC_ALL=C join "$work/own.noise" "$work/borrow.noise" |
        awk '{ printf "  %-20s %6d %6s  %6d %6s\n", $1, $2, $3, $4, $5 }'
    echo
    check 'bochs and borrow: the same noise, to the instruction' \
        "$(diff "$work/own.noise" "$work/borrow.noise" | tr '\n' ';')" \
        test "$(wc -l <"$work/own.noise")" -eq 5 -a \
        "$(cat "$work/own.noise")" = "$(cat "$work/borrow.noise")"
}

# registers_are PATTERN...: true if the registers that Bochs prints at power-off match each pattern.
registers_are() {
    for register in "$@"; do
        sed '1,/soft power off/d' "$work/borrow.messages" | grep -qE "$register" || return 1
    done
}

PATH=$PATH:/usr/sbin:/sbin
export MTOOLS_SKIP_CHECK=1 MTOOLSRC=/dev/null
test_whole
test_counters
test_tasks
test_borrow
test_against_qemu
finish
