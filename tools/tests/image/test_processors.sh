#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# More than one processor: all that MADT lists are started or named, any of them runs the benches,
# work done together comes out to the instruction, and one that is lost stops no other.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

# A second MADT beside the machine's: it lists a processor, APIC id 9, that is not there. The
# machine's own lists an empty place, 4.
printf '\000\000\340\376\000\000\000\000\000\010\011\011\001\000\000\000' >"$work/madt"
crowd() {
    echo "-smp 4,maxcpus=5 -acpitable sig=APIC,data=$work/madt"
}

# processor NAME NUMBER TEXT: true if the run's report of that processor ends with TEXT.
processor() {
    json "$1" ".run.machine[\"processor.$2\"] | endswith(\"$3\")"
}

# pairs NAME SERIES LEAST MOST: each pair of the matrix but the diagonal took so many instructions
# in each trial; the diagonal none. Prints those that did not.
pairs() {
    "$TARE" show --samples "lines/$2" "$work/$1.db" | awk -v least="$3" -v most="$4" \
        -v ticks="$(value "$1" '.run.ticks_per_instruction // 1')" '
        BEGIN { n = 4; trials = 5 }
        { pair = int((NR - 1) / trials); value = $1 / ticks
          same = int(pair / n) == pair % n
          if (same ? value != 0 : value < least || value > most) print pair ": " value }
        END { if (NR != n * n * trials) print NR " samples" }'
}

# medians NAME BENCH: of all its series, by name, in instructions.
medians() {
    value "$1" "(.run.ticks_per_instruction | tonumber) as \$t | .benches[] |
        select(.name == \"$2\") | .series[] | select(.unit == \"tick\") |
        \"\(.name)=\(.median / \$t)\"" | tr '\n' ' '
}

# Prints samples of round trips that are off by more than a look in vain. One of a hundred may be
# shorter (161 and 164 were seen): where QEMU's round of processors ends decides who looks in vain.
odd_rounds() {
    for number in 0 1 3; do
        "$TARE" show --samples "ipi/round.$number" "$work/$1.db" | awk -v number="$number" \
            -v ticks="$(value "$1" '.run.ticks_per_instruction // 1')" '
            { value = $1 / ticks }
            value <= 170 && value >= 150 && short++ == 0 { next }
            value <= 170 || value >= 210 { print number ": " value }
            END { if (NR != 100) print number ": " NR " samples" }'
    done
}

# moved OPERATION INSTRUCTIONS: of 512 bytes, counted by hand in bench/memory/streams.S. What lies
# around 256 of these, at one processor, is 78 to 86 instructions; each further one adds its own 256,
# what lets it begin and what finds it done, in each trial.
moved() {
    check "together: $1: each processor adds its own instructions, and some 70 to meet" \
        "$(value exact ".benches[] | select(.name == \"together\") | .series[] |
            select(.name == \"$1\")" | tr -d '\n ')" \
        test "$("$TARE" show --samples "together/$1" "$work/exact.db" | awk -v of="$2" -v ticks="$(
            value exact '.run.ticks_per_instruction // 1')" '
            { n = int((NR - 1) / 3) + 1; around = $1 / ticks - n * 256 * of }
            n == 1 ? around >= 78 && around <= 86 : around >= 55 * n && around <= 100 * n { good++ }
            END { print good }')" = 9
}

test_together() {
    moved read 67
    moved write 67
    moved copy 132
    moved write_nt 67
    check 'together: the three processors that are left, 128 KiB each' "$(value exact '.benches[] |
        select(.name == "together") | .facts' | tr -d '\n ')" json exact '.benches[] |
        select(.name == "together") | .facts | .processors == 3 and .bytes == 131072'
}

# In exact mode, on processor 2: what the kernel has of a processor's own goes along.
test_exact() {
    # shellcheck disable=SC2046
    boot exact 0 --shift 6 --bench clock,idle,order,process,ipi,lines,contention,together,lost \
        --set processor=2 --set idle.ms=50 --set process.calls=50 -- $(crowd)
    for number in 0 1 2 3; do
        check "processor $number works" "$(value exact ".run.machine[\"processor.$number\"]")" \
            processor exact $number ': works'
    done
    check 'an empty place is reported as absent' "$(value exact '.run.machine["processor.4"]')" \
        processor exact 4 'absent: not enabled in MADT'
    check 'a processor that does not answer is named' \
        "$(value exact '.run.machine["processor.5"]')" \
        processor exact 5 'silent: no answer to two start-up IPIs'
    check 'and in the log' 'it is not' printed exact 'processor 5: apic id 9'
    check 'the benches run on processor 2' "$(value exact '.benches[] | .name, .status' |
        tr '\n' ' ')" all_ok exact clock idle order process ipi lines contention together lost
    check 'and that is reported' "$(value exact .run.machine.processor)" \
        json exact '.run.machine.processor == "2"'
    check 'idle floor without spread beside three others' 'it has some' json exact \
        '[.benches[] | select(.name == "idle") | .series[] | select(.name == "floor") |
            .max - .min] == [0]'
    for series in store:6000:6050 cas:6400:6450; do
        name=${series%%:*}
        range=${series#*:}
        wrong=$(pairs exact "$name" "${range%:*}" "${range#*:}")
        check "matrix by $name: complete, each pair $range instructions" "$wrong" test -z "$wrong"
    done
    check 'each pair the same in both roles: 200 round trips of 30 and 32 instructions' \
        "$(value exact '.benches[] | select(.name == "lines") | .matrices[].median | @json')" \
        json exact '(.run.ticks_per_instruction | tonumber) as $t | .benches[] |
        select(.name == "lines") | [.matrices[].median | flatten |
            map(select(. != null) * 200 / $t | round) | unique] == [[6010], [6409]]'
    check 'an interrupt there and back: 190 instructions from all' \
        "$(medians exact ipi)" json exact '(.run.ticks_per_instruction | tonumber) as $t |
        [.benches[] | select(.name == "ipi") | .series[] | select(.name | startswith("round.")) |
            .median / $t == 190] == [true, true, true]'
    wrong=$(odd_rounds exact)
    check 'and each sample one look more or less, but one' "$wrong" test -z "$wrong"
    check 'TSCs of one clock: no skew beyond its bound' "$(medians exact ipi)" json exact \
        '[.benches[] | select(.name == "ipi") | .series[] |
            select(.name | startswith("skew.")) | .median] | all(. > -1000 and . < 1000)'
    check 'a spin lock alone: 10 instructions, a ticket lock 8' "$(medians exact contention)" \
        json exact '(.run.ticks_per_instruction | tonumber) as $t | .benches[] |
        select(.name == "contention") | [.series[] |
            select(.name == "spin_lock" or .name == "ticket_lock") | .min / $t / 200 | floor] ==
            [10, 8]'
    test_together
    check 'a lost processor is named with what ended it' "$(value exact '.run.machine["lost.3"]')" \
        json exact '.run.machine["lost.3"] | endswith("lost: #DE divide error")'
}

test_no_such() {
    boot none 1 --shift 6 --smp 2 --bench clock --set processor=7
    check 'processor=7 of two: refused, with what there is' "$(cat "$work/none.err")" \
        printed none 'processor=7: there is no such processor; these work: 0 1'
}

# A thread of the host's each: numbers mean nothing, but that they are there. Few rounds: the host
# may have fewer processors, and then each hand-over takes a turn of its scheduler's.
test_threads() {
    boot threads 0 --mode real --smp 4 --bench ipi,lines,contention --set processor=3 \
        --set lines.repetitions=2 --set contention.repetitions=5 --set contention.trials=2 \
        --set ipi.samples=5
    check 'threads of the host: every bench OK' "$(value threads '.benches[] | .name, .reason' |
        tr '\n' ' ')" all_ok threads ipi lines contention
    for name in store cas; do
        wrong=$(pairs threads "$name" 1 1e18)
        check "threads of the host: matrix by $name complete" "$wrong" test -z "$wrong"
    done
    "$TARE" show --full "$work/threads.db" >"$work/shown"
    check 'threads of the host: the emulator is reported' 'it is not' \
        grep -q 'emulated processors (TCG' "$work/shown"
}

# One that is late is lost, and taken out of its work all the same, by an NMI: it may write somewhere
# by the time it comes to its end. Two tables take NMIs: the kernel's, for the watchdog, and its own.
test_late() {
    boot late 0 --shift 6 --smp 2 --bench gap,lost --set gap.ms=2 --set lost.kind=hang -- \
        -d int -D "$work/interrupts"
    check 'a processor that does not come back is named' "$(value late '.run.machine["lost.1"]')" \
        json late '.run.machine["lost.1"] | endswith("lost: it did not finish its work in time")'
    tables=$(awk '/ v=02 / { nmi = 1 } nmi && /IDT=/ { print $2; nmi = 0 }' "$work/interrupts" |
        sort -u)
    check 'and an NMI takes it out of its work' "$tables" test "$(echo "$tables" | wc -l)" -eq 2
}

# Without others the benches are left out, and no processor is looked for.
test_alone() {
    boot alone 0 --shift 6 --bench ipi,lines,contention
    check 'one processor: SKIP, and why' "$(value alone '.benches[] | .name, .reason' | tr '\n' ' ')" \
        json alone '[.benches[] | [.status, .reason]] | unique == [["SKIP", "only one processor works"]]'
}

# entry ID: an x2APIC entry of MADT, enabled, as printf's %b takes it.
entry() {
    printf '\\0011\\0020\\0000\\0000\\0%03o\\0%03o\\0000\\0000' $(($1 % 256)) $(($1 / 256))
    printf '\\0001\\0000\\0000\\0000\\0000\\0000\\0000\\0000'
}

# 600 processors of which one is there: ids beyond 255, and more than there is room for. The run names
# what it waits for, does not wait 100 ms for each, and counts those without a number.
test_crowd() {
    printf '\000\000\340\376\000\000\000\000' >"$work/madt600"
    crowd_id=0
    crowd_entries=
    while [ $crowd_id -lt 600 ]; do
        crowd_entries=$crowd_entries$(entry $crowd_id)
        crowd_id=$((crowd_id + 1))
    done
    printf '%b' "$crowd_entries" >>"$work/madt600"
    boot crowd 0 --shift 6 --bench ipi -- -acpitable "sig=APIC,data=$work/madt600"
    check '600 processors: the line names what it waits for' "$(tail -n 3 "$work/crowd.err")" \
        grep -aq 'tare: starting 511 processors' "$work/crowd.log"
    check '600 processors: one beyond 8 bits needs x2APIC' \
        "$(value crowd '.run.machine["processor.511"]')" processor crowd 511 \
        'apic id 511, package 511 core 0 thread 0: silent: only x2APIC mode reaches it (lapic.mode=x2apic)'
    check '600 processors: those without a number are counted' \
        "$(value crowd '.run.machine["processors.beyond"]')" json crowd \
        '.run.machine["processors.beyond"] == "MADT lists 88 more processors, which are not started: tare supports at most 512"'
    # Eight wait 100 ms, the other 247 that can be asked 2 ms; 25 s without a bound.
    check '600 processors: the wait is bounded' \
        "$(value crowd '.run.machine["processors.start_ms"]')" json crowd \
        '.run.machine["processors.start_ms"] | tonumber | . > 1000 and . < 5000'
}

test_exact
test_crowd
test_no_such
test_threads
test_late
test_alone
finish
