#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The time base "exact, shared" through all commands: a run with the noise of a host is valid, its
# lengths are instructions everywhere, and it is not compared with a run of another time base.
set -u

. tools/tests/support/lib.sh

# log NAME KIND INSTRUCTIONS NOISE
log() {
    "$TEST_BIN/time_log" "$2" "$3" "$4" >"$work/$1.log"
}

# says NAME TEXT: the last output holds the text, however it was wrapped.
says() {
    tr -s ' \n' ' ' <"$work/output" >"$work/line"
    check "$1" "$(head -n 20 "$work/output")" grep -qF -- "$2" "$work/line"
}

log a 'exact, shared' 2846 4000
log b 'exact, shared' 2877 4000
log pure exact 5 0
log far exact 2846 0
log noise exact 5 4000

for run in a b; do
    expect_status "$run: valid, however far from the estimate" 0 \
        "$TARE" decode "$work/$run.log" -o "$work/$run.db"
done
expect_status 'far from the estimate in exact time: invalid' 1 \
    "$TARE" decode "$work/far.log" -o "$work/far.db"
says 'with the reason' 'register0: expected 5 instructions (tolerance 3), got 2846'
expect_status 'noise in exact time: invalid' 1 "$TARE" decode "$work/noise.log" -o "$work/noise.db"
says 'with the reason' 'true in 56 of 60 trials, expected all'
expect_status 'exact time without either: valid' 0 \
    "$TARE" decode "$work/pure.log" -o "$work/pure.db"

expect_status show 0 "$TARE" show call "$work/a.db"
says 'show names the time base' 'exact time, shared: the TSC counts instructions, those of the hypervisor included'
says 'show has instructions' 'costs in instructions:'
says 'show: the mode with its share, and the difference' \
    'cost n mode share min..max expected difference register0 60 2846 93 % 2446..3246 5 +2841'
expect_status 'show --json' 0 "$TARE" show --json "$work/a.db"
check 'JSON names the time base' "$(head -c 300 "$work/output")" \
    jq -e '.run.kind == "exact, shared" and .run.valid' "$work/output"

expect_status 'compare: 31 instructions more are worse' 1 \
    "$TARE" compare "$work/a.db" "$work/b.db"
says 'lengths are instructions' 'lengths in instructions'
says 'the values' 'call.register0 2846 2877'
expect_status 'exact with shared: refused' 2 "$TARE" compare "$work/a.db" "$work/pure.db"
says 'both are named' 'exact, shared time, which counts instructions'

expect_status openmetrics 0 "$TARE" export --format openmetrics "$work/a.db"
says 'the label' 'kind="exact, shared"'
says 'instructions' 'tare_duration_instructions'
expect_status bencher 0 "$TARE" export --format bencher "$work/a.db"
says 'instructions for Bencher' '"instructions": { "value": 2846'

echo 'median call.register0 2850 instructions in exact, shared' >"$work/limits"
expect_status 'a limit of the time base is kept' 0 \
    "$TARE" compare --limits "$work/limits" "$work/a.db"
expect_status 'and broken' 1 "$TARE" compare --limits "$work/limits" "$work/b.db"
echo 'median call.register0 2850 instructions' >"$work/limits"
expect_status 'a limit of exact time does not apply' 1 \
    "$TARE" compare --limits "$work/limits" "$work/a.db"
says 'it says so' 'the run has exact, shared time'

finish
