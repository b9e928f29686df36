#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Test: one stimulus of a simulation followed step by step, and a whole simulation as a trace, read
# by `tare show`, babeltrace2 and lttng-analyses; what they say is held against each other and
# against the simulation's own numbers.
set -u

cd "$(dirname "$0")/../.." || exit 1
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

models=tools/tests/models
summary='[.steps[] | select(.what == "begins" or .what == "ends") |
    "\(.at) \(.what) \(.place)"] | join(", ")'

# holds FILE FILTER: the filter says true of the JSON.
holds() {
    jq -e "$2" "$1" >"$work/said"
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
        >"$work/said" 2>&1
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

# The same replication by the events, beside its responses and waits.
test_run_file() {
    "$TARE" show --json "$work/run.db" >"$work/run.json"
    jq '.benches[] | select(.name == "model")' "$work/run.json" >"$work/bench.json"
    check 'run file: every tick has its account' "$(jq -c '.accounting | del(.threads)' "$work/bench.json")" \
        holds "$work/bench.json" '.accounting | .unknown == 0 and .inconsistencies == 0 and
            .discarded == 0 and .gaps == 0'
    check 'run file: a timer for each arrival' "$(jq -c .accounting.vectors "$work/bench.json")" \
        test "$(jq '.accounting.vectors[0].gross.n' "$work/bench.json")" -eq \
        $(($(jq '[.series[] | select(.name | startswith("wait.")).n] | add' "$work/bench.json") + 40))
}

# sum JSON: of lttng-schedstats-mi: wake-ups and ns of waiting, of all threads.
sum_waits() {
    lttng-schedstats-mi "$1" 2>"$work/analyses.err" | jq -c '[.results[] |
        select(.class == "per_tid_stats").data[] | {n: .[1].value, ns: (.[1].value * .[3].value)}] |
        [(map(.n) | add), (map(.ns) | add | round)]'
}

test_ctf() {
    expect_status 'CTF of a simulation' 0 "$TARE" sim --passes 40 --ctf "$work/ctf" \
        $models/paper.model
    babeltrace2 --clock-seconds "$work/ctf/model" >"$work/theirs" 2>"$work/warnings"
    check 'CTF: babeltrace2 reads it without a warning' "$(head -n 3 "$work/warnings")" \
        test ! -s "$work/warnings"
    "$TARE" export --format text --bench model "$work/run.db" >"$work/ours"
    check 'CTF: the events of the run file, to the byte' "$(cmp "$work/ours" "$work/theirs")" \
        cmp -s "$work/ours" "$work/theirs"
    check 'CTF: lttng-schedstats has the wake-ups of tare show' \
        "$(sum_waits "$work/ctf/model") $(cat "$work/analyses.err")" \
        test "$(sum_waits "$work/ctf/model")" = "$(jq -c '[.accounting.threads[].wakeup_delay |
            select(.n > 0)] | [(map(.n) | add), (map(.total) | add)]' "$work/bench.json")"
    expect_status 'CTF: what else is in the directory is left alone' 1 "$TARE" sim --passes 4 \
        --ctf tools/tests $models/paper.model
}

# Each processor has a trace of its own; read as one they are in order of time.
test_processors() {
    expect_status 'CTF of two processors' 0 "$TARE" sim --passes 20 --ctf "$work/two" \
        $models/processors.model
    babeltrace2 --clock-seconds "$work/two" >"$work/theirs" 2>"$work/warnings"
    check 'two processors: babeltrace2 reads both' "$(cat "$work/warnings")" \
        test ! -s "$work/warnings"
    check 'two processors: events of both' "$(head -n 3 "$work/theirs")" test \
        "$(grep -o 'cpu_id = [0-9]' "$work/theirs" | sort -u | tr '\n' ' ')" = \
        'cpu_id = 0 cpu_id = 1 '
    check 'two processors: in order of time' 'they are not' sort -s -c -t '[' -k 2,2n "$work/theirs"
}

# refused NAME TEXT OPTION...: tare sim says why.
refused() {
    refused_name=$1
    refused_text=$2
    shift 2
    expect_status "$refused_name" 1 "$TARE" sim "$@"
    check "$refused_name: says why" "$(cat "$work/output")" grep -qF -- "$refused_text" \
        "$work/output"
}

test_refusals() {
    refused 'no such stimulus' 'there is no stimulus D; the first is A' --trace --stimulus D \
        $models/order.model
    refused 'no such pass' 'arrives 1 times only' --trace --pass 2 $models/order.model
    refused 'a model without a stimulus' 'has none' --trace $models/two1.model
    refused 'quanta of no load' 'give a time at which it ends' --ctf "$work/never" --quanta 5 \
        $models/order.model
    check 'what is refused leaves nothing' "$(ls "$work")" test ! -e "$work/never"
}

test_order
test_passes
test_run_file
if command -v babeltrace2 >"$work/which" && command -v lttng-schedstats-mi >"$work/which"; then
    test_ctf
    test_processors
else
    skip 'exported traces' 'no babeltrace2 or lttng-analyses'
fi
test_refusals
finish
