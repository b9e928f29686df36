#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tare sim -o and --sweep: a simulation as a run that every command takes and none mixes with
# measured ones; a sweep whose quantiles rise with the load.
set -u

. tools/tests/support/lib.sh

paper=tools/tests/models/paper.model

sweep() {
    "$TARE" sim "$paper" --sweep occupancy.low=0.1:0.6:0.1 --passes 1000 --replications 6 "$@"
}

# From the JSON of a sweep: the values of a measure, point by point.
values() {
    jq -r --arg of "$1" '.sweep.rows[].results["special.transit"][$of].value // empty' "$work/json"
}

rises() {
    values "$1" >"$work/$1"
    [ "$(wc -l <"$work/$1")" -eq 6 ] && sort -nuc "$work/$1" 2>"$work/sort"
}

test_sweep() {
    expect_status 'a sweep' 0 sweep -o "$work/whole.db"
    cp "$work/output" "$work/whole.txt"
    check 'six points' "$(cat "$work/whole.txt")" \
        test "$(grep -cE '^ +0\.[1-6] .* %' "$work/whole.txt")" -eq 6
    check '80 columns' "$(awk 'length > 80' "$work/whole.txt")" \
        test "$(awk 'length > 80' "$work/whole.txt" | wc -l)" -eq 0
    sweep --json >"$work/json" 2>"$work/error"
    for measure in mean p50 p90 p99; do
        check "$measure rises with the load" "$(values "$measure")" rises "$measure"
    done
    check 'quantiles are in order' "$(cat "$work/json")" jq -e '[.sweep.rows[].results[] |
        .p50.value < .p90.value and .p90.value < .p99.value and .mean.half_width > 0] | all' \
        "$work/json" >"$work/jq"
    # 20 % low and 10 % medium are the paper's own input (15.72 by 2000000 passes).
    check 'the mean at the paper'"'"'s load' "$(values mean)" jq -e \
        '.sweep.rows[1] | .setting == 0.2 and .occupancy == 0.3 and
        (.results["special.transit"].mean.value - 15.72 | fabs) < 0.4' "$work/json" >"$work/jq"
    expect_status 'report of a sweep' 0 "$TARE" report "$work/whole.db" -o "$work/sweep.html" \
        --svg "$work/svg"
    check 'has its figure' "$(ls "$work/svg")" \
        grep -q 'Simulated, not measured' "$work/svg/sweep-special-transit.svg"
    expect_status 'points that cannot be' 0 sweep --sweep occupancy.low=0.8:1:0.1
    check 'give the reason' "$(cat "$work/output")" grep -q '^  0.9 is refused: line 5: ' "$work/output"
    check 'as the others are simulated' "$(cat "$work/output")" grep -qE '^ +0\.8 +90\.0 %' \
        "$work/output"
    expect_status 'none of them can be' 1 sweep --sweep occupancy.low=2:3:1
    expect_status 'no such setting' 1 sweep --sweep occupancy.nothing=0.1:0.2:0.1
    expect_status 'no points' 2 sweep --sweep occupancy.low=0.2:0.1:0.1
}

# What is less urgent takes nothing from what is more, and all points have the same random numbers:
# not a digit of the medium level's waits may depend on the low one's work. Theory knows the mean
# of the low one's at scale 1 (6.380787).
test_common_numbers() {
    "$TARE" sim tools/tests/models/two2.model --sweep scale.low=0.5:1:0.5 --replications 4 --json \
        >"$work/json" 2>"$work/error"
    check 'the same random numbers at all points' "$(head -n 5 "$work/json")" jq -e \
        '[.sweep.rows[].results["medium.wait"]] | length == 2 and .[0] == .[1] and .[0].p99.value > 0' \
        "$work/json" >"$work/jq"
    check 'waits as theory has them' "$(cat "$work/json")" jq -e '.sweep.rows[1].results["low.wait"] |
        (.mean.value - 6.380787 | fabs) < 0.4 and .p50.value < .p90.value and .p99.value <
        .["p99.9"].value' "$work/json" >"$work/jq"
}

# A measured run of another kind.
measured() {
    "$TEST_BIN/big_log" 500 200 2 >"$work/log" &&
        "$TARE" decode "$work/log" -o "$work/measured.db" 2>"$work/decode"
}

test_run() {
    expect_status 'a run file' 0 "$TARE" sim "$paper" --passes 500 --replications 16 \
        -o "$work/one.db"
    expect_status 'and another' 0 "$TARE" sim "$paper" --passes 500 --replications 16 \
        --seed 2 --set occupancy.low=0.4 -o "$work/two.db"
    expect_status 'show' 0 "$TARE" show --full "$work/one.db"
    check 'marked as simulated' "$(head -n 2 "$work/output")" \
        grep -q '^VALID  simulated time' "$work/output"
    "$TARE" show --samples model/response "$work/one.db" >"$work/response" 2>&1
    check '500 responses, none shorter than the work' "$(sort -n "$work/response" | head -n 3)" \
        awk '$1 < 1290000 { bad = 1 } END { exit bad || NR != 500 }' "$work/response"
    expect_status 'more load is worse' 1 "$TARE" compare "$work/one.db" "$work/two.db"
    check 'of each replication' "$(cat "$work/output")" \
        grep -q '^  replications.special.transit.p50 ' "$work/output"
    measured || fail 'a measured run' "$(cat "$work/decode")"
    expect_status 'compare refuses a measured run' 2 "$TARE" compare "$work/one.db" \
        "$work/measured.db"
    check 'and gives the reason' "$(cat "$work/output")" grep -q 'which is simulated' "$work/output"
    for format in csv json openmetrics tsv; do
        expect_status "export as $format" 0 "$TARE" export --format $format \
            -o "$work/export.$format" "$work/one.db"
    done
    expect_status 'report' 0 "$TARE" report "$work/one.db" -o "$work/one.html"
    check 'marked as simulated' '' grep -q 'simulated: 1 tick is 1 ns' "$work/one.html"
    check 'and nothing of a TSC' "$(grep -o '.\{20\}TSC at.\{20\}' "$work/one.html")" \
        sh -c '! grep -q "TSC at" "$1"' - "$work/one.html"
}

test_sweep
test_common_numbers
test_run
finish
