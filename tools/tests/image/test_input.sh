#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Keyboard and mouse of QEMU, by the controller's loop-back: every fault of broken ones counted, every
# key of a script there and in time; and machines without a controller.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

# What bench input makes on purpose, and how often it must be counted.
faults='{"garbage": 3, "unfinished": 3, "repeats": 3, "mouse_byte_lost": 2, "mouse_byte_more": 2,
    "no_byte": 1, "buffer_full": 6, "queue_full": 1, "stale_byte": 1}'

# faults_counted NAME: each so often, and the bench is OK: what came behind each was right.
faults_counted() {
    json "$1" ".benches[0] | .status == \"OK\" and (.facts as \$facts | $faults | to_entries |
        length == 9 and all(\$facts[.key] == .value))"
}

# The bench waited 20 ms for a key that was not pressed, and gave a stuck controller 500 ms.
waits_end() {
    json "$1" '(.run.verdict.hz | tonumber) as $hz | .benches[0].facts |
        .never_late >= 0 and .never_late < $hz / 100 and
        .stuck_after >= $hz / 2 and .stuck_after < $hz * 5 / 8'
}

facts() {
    value "$1" '.benches[0] | .status, .reason, .facts' | tr -d '\n '
}

check_faults() {
    check "$1: each fault counted as what it is, and right behind it" "$(facts "$1")" \
        faults_counted "$1"
    check "$1: waits for what never comes end" "$(facts "$1")" waits_end "$1"
}

# samples NAME SERIES
samples() {
    "$TARE" show --samples "input/$2" "$work/$1.db"
}

# Arrivals by the driver's own reading, less the moment that the byte was written: `arrival` of each
# input of the trace and `written` of each event of the script, paired by their order. The reading
# is as far behind the interrupt in each.
same_distance() {
    "$TARE" export --format csv-events "$work/$1.db" 2>/dev/null |
        sed -n 's/.*,input,.* arrival=\([0-9]*\).*/\1/p' >"$work/arrivals"
    samples "$1" written >"$work/written"
    paste "$work/arrivals" "$work/written" | awk '{ print $1 - $2 }' | sort -u >"$work/distances"
    [ "$(wc -l <"$work/arrivals")" -eq 96 ] && [ "$(wc -l <"$work/distances")" -eq 1 ]
}

# Never before its moment, and the timer's way later at most.
in_time() {
    samples "$1" intended >"$work/intended"
    paste "$work/intended" "$work/written" |
        awk '$2 < $1 || $2 - $1 > 5000 { exit 1 } END { if (NR != 96) exit 1 }'
}

test_q35() {
    boot q35 0 --bench input
    check_faults q35
    check 'q35: every key of the script arrives once, in order' \
        "$(value q35 '.benches[0].interactive | del(.events)' | tr -d '\n ')" json q35 \
        '.benches[0].interactive | .planned == 96 and .arrived == 96 and .matched == 96 and
            .missing == 0 and .unplanned == 0 and .in_order'
    check 'q35: arrival stamps within 64 ticks of the write' \
        "$(value q35 '.benches[0].interactive | .arrival_error_min, .arrival_error_max' |
            tr '\n' ' ')" json q35 '.benches[0].interactive |
            .arrival_error_min >= 0 and .arrival_error_max <= 64'
    check 'q35: every arrival as far behind its write' "$(cat "$work/distances" 2>/dev/null)" \
        same_distance q35
    check 'q35: every byte written in time' 'not so' in_time q35
    check 'q35: no unexpected interrupt' "$(value q35 '.run.interrupts' | tr -d '\n ')" \
        json q35 '.run.interrupts | length > 0 and all((.count | tostring) == .expected)'
}

# Its tables do not report whether there is a controller.
test_pc() {
    boot pc 0 --machine pc --shift 6 --bench input
    check_faults pc
}

# The next bench runs.
test_absent() {
    boot absent 0 --shift 6 --bench input,clock --set clock.reads=20 --set input.source=loopback \
        -- -machine i8042=off
    check 'no controller: SKIP, with what was found and what the tables report' "$(facts absent)" \
        json absent '[.benches[] | [.name, .status]] == [["input", "SKIP"], ["clock", "OK"]] or
            [.benches[] | [.name, .status]] == [["clock", "OK"], ["input", "SKIP"]]'
    check 'no controller: the reason' "$(facts absent)" json absent '.benches[] |
        select(.name == "input") | .reason ==
            "no i8042 on this machine: status FFh at port 64h; the FADT reports none"'
}

# Without a controller all comes by the timer, and each figure is labelled so.
test_timer() {
    boot timer 0 --shift 6 --bench input -- -machine i8042=off
    boot timed 0 --shift 6 --bench echo,click,keystroke -- -machine i8042=off
    check_faults timer
    check 'timer: every key arrives once, in order' \
        "$(value timer '.benches[0].interactive | del(.events)' | tr -d '\n ')" json timer \
        '.benches[0].interactive | .planned == 96 and .arrived == 96 and .matched == 96 and
            .missing == 0 and .unplanned == 0 and .in_order'
    check 'timer: every bench is OK, which recovers the known work, and states the source' \
        "$(value timed '.benches[] | .name, .status, .reason, .found')" json timed \
        '[.benches[] | .status == "OK" and (.found.input |
            startswith("from a timer: no i8042 on this machine: status FFh"))] ==
                [true, true, true]'
    check 'timer: the handler is the one of a timer' 'it is not' \
        json timed '[.benches[] | .objects[]? | select(.kind == "vector") | .name] |
            any(. == "timer keyboard") and all(startswith("i8042") | not)'
    "$TARE" report "$work/timed.db" -o "$work/timed.html" 2>/dev/null
    check 'timer: figures of the report state it' 'they do not' \
        grep -q 'input from a timer: no i8042 on this machine' "$work/timed.html"
    boot by_hand 0 --shift 6 --bench echo --set input.source=timer
    check 'timer, by hand: OK and stated' "$(value by_hand '.benches[0].found')" json by_hand \
        '.benches[0] | .status == "OK" and .found.input == "from a timer: input.source=timer"'
}

# A source that raises no interrupt when a key is released.
test_timer_mutants() {
    tree=$work/tree
    copy_tree
    damaged=$tree/kernel/input/controller.c
    sed -i 's/    if (buffer.open) {/    if (buffer.open \&\& byte < 0x80) {/' "$damaged"
    check 'mutant: the text to damage is there' 'it is not' grep -q 'byte < 0x80' "$damaged"
    inner_make -j2 build/image/tare.efi || fail 'the damaged image is built' "$(tail -n 5 "$work/make.txt")"
    boot mutant 1 --shift 6 --bench echo,click,keystroke --set input.source=timer \
        "$tree/build/image/tare.efi"
    check 'mutant: benches whose keys are lost are not OK' \
        "$(value mutant '.benches[] | .name, .status, .reason')" json mutant \
        '[.benches[] | select(.name != "click") | .status] == ["FAIL", "FAIL"]'
}

test_q35
test_pc
test_absent
test_timer
test_timer_mutants
finish
