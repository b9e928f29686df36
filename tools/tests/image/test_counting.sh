#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Counting on a machine without a PMU: QEMU's emulation, where every MSR reads 0. Counters
# that do not count must be reported as absent; instructions are known from virtual time.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

short='--shift 6 --profile all --set idle.ms=50 --set gap.ms=10 --set load.random=5:1:20:500
    --set clock.reads=50 --set region.count=100'

# No event counter: reported as absent with the reason, never as a number.
test_absent() {
    # shellcheck disable=SC2086
    boot counted 0 $short --set events=instructions,cycles,0xc0:0x00,smi
    check 'no PMU: bench counters is skipped, with the reason' \
        "$(value counted '.benches[] | select(.name == "counters") | .reason')" json counted \
        '.benches[] | select(.name == "counters") |
            .status == "SKIP" and (.reason | contains("none of 4 counters works"))'
    check 'no PMU: every counter claimed is reported, none as usable' \
        "$(value counted '.run.counters')" json counted '(.run.counters | length) == 4 and
            all(.run.counters[]; .state == "forgets")'
    check 'no PMU: events are n/a with a reason' "$(value counted '.run.events')" json counted \
        '[.run.events[] | select(.state == "absent") | .name] ==
            ["cycles", "0xc0:0x00", "smi"] and
         all(.run.events[] | select(.state == "absent"); .reason | length > 10)'
    check 'no PMU: no series of an absent event' 'there is one' json counted \
        'all(.benches[].series[]; .event == null or .event == "instructions")'
    check 'no PMU: tare show prints n/a' "$(cat "$work/counted.out")" shows counted 'n/a .*cycles'
    check 'no PMU: SMIs are n/a as well' 'they are not' json counted \
        '.benches[] | select(.name == "gap") |
            (.absent | map(.name) | contains(["smi"])) and (.facts | has("smi") | not)'
}

shows() {
    "$TARE" show --full "$work/$1.db" >"$work/$1.shown" 2>&1
    grep -q "$2" "$work/$1.shown"
}

# samples BENCH/SERIES: the raw integers.
samples() {
    "$TARE" show --samples "$1" "$work/counted.db"
}

# Ticks over ticks an instruction, sample by sample.
same_as_ticks() {
    samples "$1" >"$work/ticks" && samples "$1.instructions" >"$work/instructions" &&
        [ -s "$work/instructions" ] && awk '{ print $1 / 64 }' "$work/ticks" |
        cmp -s - "$work/instructions"
}

# Virtual time counts instructions, and is reported as their source.
test_icount() {
    check 'exact: instructions are counted, source icount' "$(value counted '.run.events[0]')" \
        json counted '.run.events[0] |
            .name == "instructions" and .state == "counted" and .source == "icount"'
    for series in idle/floor idle/ticking load/samples clock/empty.cost region/region; do
        check "exact: instructions of each sample of $series" 'they differ from its ticks' \
            same_as_ticks $series
    done
    check 'exact: work of each event counted' 'it is not' json counted \
        '(.benches[] | select(.name == "load") | .series[] |
            select(.name == "work.instructions")) | .of == "work" and .n == 5'
    check 'every counted run reports the cost of an empty region' \
        "$(value counted '.benches[] | select(.name == "region") | .facts')" json counted \
        '.benches[] | select(.name == "region") | .facts.region_instructions |
            . > 0 and . <= 60'
}

test_plans() {
    boot uncounted 0 --shift 6 --bench region
    check 'nothing to count: bench region is skipped' 'it is not' json uncounted \
        '.benches[0] | .status == "SKIP" and (.reason | contains("nothing is counted"))'
    boot badevent 1 --force --shift 6 --bench idle --set events=cycles,blades
    check 'unknown event: named, the known ones listed' "$(cat "$work/badevent.err")" \
        printed badevent 'blades'
    check 'unknown event: the known ones are listed' 'they are not' printed badevent 'segment-loads'
    # In host time clocks may disagree on a busy machine: valid or not is no matter here.
    timeout 120 "$TARE" boot --mode real --log "$work/real.log" -o "$work/real.db" --bench idle \
        --set idle.ms=20 --set events=instructions >"$work/real.err" 2>&1
    check 'host time: instructions are n/a, unless a counter counts them' \
        "$(value real '.run.events')" json real '.run.kind == (if .run.hypervisor == "TCGTCGTCGTCG" then "emulated" else "real" end) and
            (.run.events[0] | .state == "absent" or .source == "pmu")'
    check 'the image itself calls the time of TCG emulated' "$(value real .run.hypervisor)" \
        test "$(sqlite3 "$work/real.db" "SELECT value FROM run WHERE key = 'kind'")" = \
        "$(value real .run.kind)"
}

# The kernels' instructions by virtual time, without a counter: each executes the expected number.
test_kernels() {
    boot kernels 0 --shift 3 --bench counters --set counters.virtual=1 --set counters.repeats=2 \
        --set counters.iterations=2000
    check 'kernels: instructions executed are those expected' \
        "$(value kernels '.benches[0] | .kernels' | tr -d ' \n')" json kernels \
        '[.benches[] | select(.name == "counters") | .kernels[] | .name as $kernel |
            .counts[] | select(.event == "instructions" and .expected != null) |
            .median >= .expected and .median <= .expected + 40] | length == 8 and all'
    check 'kernels: as many pages as wanted, by page tables of our own' 'they are absent' json \
        kernels '[.benches[] | select(.name == "counters") | .absent[] | .name] |
            index("pages") == null and length == 8'
}

test_absent
test_icount
test_kernels
test_plans
finish
