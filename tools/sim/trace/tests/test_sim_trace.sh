#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# One stimulus of a simulation followed step by step, held against the simulation's own numbers.
set -u

# shellcheck source-path=SCRIPTDIR
. tools/tests/support/lib.sh

models=tools/tests/models
summary='[.steps[] | select(.what == "begins" or .what == "ends") |
    "\(.at) \(.what) \(.place)"] | join(", ")'

# holds FILE FILTER: the filter is true of the JSON.
holds() {
    jq -e "$2" "$1" >"$work/printed"
}

# follow STIMULUS: its begins and ends in the example of the paper's section 3.3.
follow() {
    "$TARE" sim --trace --json --stimulus "$1" $models/order.model | jq -r "$summary"
}

# The paper's order of service: A-P, B-P, C-Q, B-Q, A-R.
test_order() {
    follow A >"$work/order"
    follow B >>"$work/order"
    follow C >>"$work/order"
    check 'section 3.3: who is served when' "$(cat "$work/order")" cmp -s "$work/order" - <<'ORDER'
0 begins P, 1 ends P, 4 begins R, 5 ends R
1 begins P, 2 ends P, 3 begins Q, 4 ends Q
2 begins Q, 3 ends Q
ORDER
    "$TARE" sim --trace --stimulus B $models/order.model >"$work/text"
    check 'as text: no line is longer than a terminal' "$(cat "$work/text")" \
        test -z "$(grep -E '.{81}' "$work/text")"
    check 'as text: B waits for Q, which has the processor and serves C' "$(cat "$work/text")" \
        grep -q '^2b sent on.* 1.0000 ' "$work/text"
}

# Transit times of passes, by following each, are the run file's responses; accounts add up.
test_passes() {
    "$TARE" sim --passes 40 --replications 1 -o "$work/run.db" $models/paper.model \
        >"$work/printed" 2>&1
    "$TARE" show --samples model/response "$work/run.db" >"$work/responses"
    for pass in 1 7 23 40; do
        "$TARE" sim --trace --json --pass $pass $models/paper.model >"$work/pass.json"
        check "pass $pass: as long as the simulation's response" \
            "$(jq .transit "$work/pass.json") and $(sed -n ${pass}p "$work/responses")" \
            test "$(jq '.transit * .unit_ns | round' "$work/pass.json")" = \
            "$(sed -n ${pass}p "$work/responses")"
        check "pass $pass: the account adds up" "$(jq -c .account "$work/pass.json")" \
            holds "$work/pass.json" '([.account[]] | add) - .transit | fabs < 1e-12'
    done
}

# refused NAME TEXT OPTION...: tare sim prints the reason.
refused() {
    refused_name=$1
    refused_text=$2
    shift 2
    expect_status "$refused_name" 1 "$TARE" sim "$@"
    check "$refused_name: prints the reason" "$(cat "$work/output")" grep -qF -- "$refused_text" \
        "$work/output"
}

# A customer of a station, whose transits are the run file's as well.
test_station() {
    "$TARE" sim --replications 1 --set passes=40 -o "$work/disk.db" $models/disk.model \
        >"$work/printed" 2>&1
    "$TARE" sim --trace --pass 20 $models/disk.model >"$work/text"
    check 'a customer of a station waits for a server' "$(cat "$work/text")" \
        grep -qE 'begins after [0-9.]+: others have all servers' "$work/text"
    "$TARE" sim --trace --json --pass 20 $models/disk.model >"$work/pass.json"
    check 'its account is work and the wait there' "$(jq -c .account "$work/pass.json")" \
        holds "$work/pass.json" '.account.work == 150 and .account.station > 0 and
            ((.account.work + .account.station - .transit) | fabs < 1e-9)'
    for customers in 4 8; do
        "$TARE" sim --set population.reads=$customers --json $models/disk.model 2>/dev/null |
            jq '.results[0].statistics[] | select(.name == "reads.transit") | .mean'
    done >"$work/population"
    check 'no wait of 4 customers, and some of 8' "$(cat "$work/population")" \
        awk 'NR == 1 && $1 != 150 || NR == 2 && $1 <= 150 { bad = 1 }
            END { exit bad || NR != 2 }' "$work/population"
}

test_refusals() {
    refused 'no such stimulus' 'has no stimulus D; the first is A' --trace --stimulus D \
        $models/order.model
    refused 'no such pass' 'arrives 1 times only' --trace --pass 2 $models/order.model
    refused 'a model without a stimulus' 'has none' --trace $models/two1.model
}

test_order
test_passes
test_station
test_refusals
finish
