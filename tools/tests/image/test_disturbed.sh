#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What comes to a bench that did not ask for it: interrupts without end, NMIs (kernel/run/inject.h).
# The bench ends, reports what came and from where, and is no longer OK. Later benches deliver the
# same results as without it. Without an HPET, a bench that hangs is still ended.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

cat >"$work/plan" <<'PLAN'
bench=gap,inversion,load,order,switches
gap.ms=2
inversion.medium_ms=1
load.random=3:1:20:500
switches.ms=1
PLAN

run() {
    run_name=$1
    run_status=$2
    shift 2
    boot "$run_name" "$run_status" --shift 6 --plan "$work/plan" "$@"
}

# is NAME BENCH FILTER: of one bench.
is() {
    json "$1" ".benches[] | select(.name == \"$2\") | $3"
}

# results NAME: prints each bench with its status and reason.
results() {
    value "$1" '.benches[] | [.name, .status, .reason] | join(" ")' | tr '\n' ';'
}

# check_faults NAME: the run reports the storm in `order`, its input masked, and the NMI in `gap`.
check_faults() {
    check "$1: a storm is masked at its source, and reported" "$(results "$1")" is "$1" order \
        '.status == "FAIL" and (.facts["storm.231"] >= 1000 and .facts["storm.231"] < 1010) and
            .facts["storm.231.input"] >= 16 and
            .reason == "interrupt storm: unexpected vector 231 came \(.facts["storm.231"]) times; " +
                "input \(.facts["storm.231.input"]) of the I/O APICs was masked"'
    check "$1: an unexpected NMI is reported, and no watchdog" "$(results "$1")" is "$1" gap \
        '.status == "FAIL" and .facts.unexpected_nmi == 1 and
            .facts["unexpected_nmi.first"] > 0 and
            .facts["unexpected_nmi.last"] == .facts["unexpected_nmi.first"] and
            .reason == "1 unexpected NMI"'
    check "$1: it is among the run's interrupts" "$(value "$1" '.run.interrupts[] | [.name, .count]
        | join(" ")' | tr '\n' ';')" json "$1" \
        '[.run.interrupts[] | select(.vector == 2) | .name, .count, .expected] == ["nmi", 1, "0"]'
    check "$1: the run is INVALID for these two, nothing crashed" \
        "$(value "$1" '.run.invalid_reasons[]' | tr '\n' ';')" json "$1" \
        '(.run.invalid_reasons | length) == 2 and .run.crashes == []'
    differ=$(sqlite3 "$work/$1.db" "ATTACH '$work/clean.db' AS clean; SELECT bench || '/' || name
        FROM clean.series a LEFT JOIN main.series b USING (bench, name) WHERE bench IN
        ('inversion', 'load', 'switches') AND name NOT REGEXP '$course_series' AND
        a.samples IS NOT b.samples")
    check "$1: benches between and behind deliver the same samples" "$differ" \
        test -z "$differ" -a -n "$(results "$1")"
    check "$1: others are OK" "$(results "$1")" json "$1" \
        '[.benches[] | select(.status == "OK") | .name] == ["inversion", "load", "switches"]'
}

# Two benches hang, with interrupts off; what comes first is 2 s.
test_without_hpet() {
    boot no_hpet 1 --shift 6 --plan "$work/plan" --set inject=loop@gap,storm@order,loop@switches \
        --set bench.limit_ms=2000 -- -machine hpet=off
    check 'no HPET: the real-time clock ends what hangs' "$(results no_hpet)" json no_hpet \
        '[.benches[] | select(.status == "CRASH" and (.reason | contains("after 2000 ms"))) |
            .name] == ["gap", "switches"] and
            (.run.machine.nmi_watchdog | contains("real-time clock"))'
    check 'no HPET: no source for a storm, and that is reported' "$(results no_hpet)" \
        is no_hpet order '([.absent[] | select(.name == "injected_storm")] | length) == 1'
    check 'no HPET: others are OK' "$(results no_hpet)" json no_hpet \
        '[.benches[] | select(.status == "OK") | .name] == ["inversion", "load", "order"]'
}

# A timer that goes off while a crash is reported: what is pending then reaches neither the next
# bench nor firmware. Vector 40h is the timer's.
test_late() {
    late='--bench aliasing,idle --set aliasing.tick_hz=1000 --set inject=ud@aliasing
        --set inject.after=200 --set idle.ms=50'
    # shellcheck disable=SC2086
    boot late 1 --shift 6 $late
    check 'late: the next bench has no interrupt from before it' \
        "$("$TARE" show --samples idle/handler_start "$work/late.db" 2>&1 | head -n 1)" json late \
        '.benches[] | select(.name == "idle") | .series[] | select(.name == "handler_start") |
            .n == 5 and .min > 0'
    # shellcheck disable=SC2086
    boot late_borrow 1 --shift 6 --set machine=borrow $late -- -d int -D "$work/interrupts"
    tables=$(awk '/ v=40 / { timer = 1 } timer && /IDT=/ { print $2; timer = 0 }' \
        "$work/interrupts" | sort | uniq -c)
    check 'late, borrow: each interrupt of the timer is taken by handlers of the image' "$tables" \
        test "$(echo "$tables" | wc -l)" -eq 1 -a -n "$tables"
}

faults=inject=nmi@gap,storm@order
run clean 0
run own 1 --set $faults
check_faults own
run borrow 1 --set $faults --set machine=borrow
check_faults borrow
test_without_hpet
test_late
finish
