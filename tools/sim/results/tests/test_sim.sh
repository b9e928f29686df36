#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tare sim: the paper's table, the order of service, what is refused, and that results are the same
# each time.
set -u

. tools/tests/support/lib.sh

models=tools/tests/models

# holds NAME FILE FILTER: jq's filter is true of the file.
holds() {
    check "$1" "$(head -c 400 "$2")" sh -c 'jq -e "$1" "$2" >/dev/null 2>&1' sh "$3" "$2"
}

# printed NAME TEXT: the last output holds the text, however it was wrapped.
printed() {
    tr -s ' \n' ' ' <"$work/output" >"$work/line"
    check "$1" "$(head -n 20 "$work/output")" grep -qF -- "$2" "$work/line"
}

# ---- the paper's table ----

# What independent programs gave for the reconstructed inputs: mean and deviation of one run of 10000
# passes, over 300 runs. Differences of means are to lie within 3 standard errors of themselves.
cat >"$work/expected" <<'EOF'
low.quanta               48658 230    48625 130
medium.quanta            24032 160    24016 94
special.transit          15.713 .047  15.664 .043
low.wait                 1.797 .026   1.504 .019
low.waiting              30.42 .22    25.38 .18
low.nonzero              5.907 .064   5.925 .057
medium.wait              .331 .013    .258 .009
medium.waiting           10.18 .21    8.33 .17
medium.nonzero           3.253 .098   3.098 .079
preemptions.strict       8329 91      8664 80
preemptions.wide         9392 93      9681 80
preempt.length           3.297 .036   3.359 .033
preempt.lock_out         4.641 .053   4.841 .051
special.below.20         88.26 .32    88.89 .32
special.20-30            9.74 .29     9.49 .31
special.30-40            1.42 .12     1.13 .11
special.40-50            .456 .067    .405 .064
special.50-60            .105 .030    .078 .028
special.60-70            .022 .014    .013 .010
special.above.70         .007 .009    .004 .006
EOF
# One run of 2000000 passes, so that its error is that of one of 10000 by the root of 200.
cat >"$work/precise" <<'EOF'
special.transit           15.718  15.659
special.transit.deviation 4.710   4.365
low.wait                  1.800   1.5025
low.waiting               30.43   25.36
medium.wait               .3320   .2577
medium.waiting            10.20   8.34
preemptions.served        4867    4881
preemptions.displaced     3467    3779
special.below.20          88.22   88.94
special.20-30             9.76    9.44
special.30-40             1.41    1.13
special.40-50             .473    .406
EOF
paper="$work/paper.json"
expect_status "the paper's model" 0 "$TARE" sim --json --replications 100 "$models/paper.model"
cp "$work/output" "$paper"
jq -r '.results[] | .arrivals as $a | .statistics[] |
    select(.mean != null) | "\($a) \(.name) \(.mean) \(.deviation)"' "$paper" >"$work/found"
# Rows of `expected` that are not met; both files have a row for each cell.
awk -v runs=100 -v reference=300 '
    FILENAME ~ /found$/ { mean[$1, $2] = $3; deviation[$1, $2] = $4; next }
    FILENAME ~ /expected$/ {
        look("poisson", $1, $2, $3 / sqrt(reference)); look("uniform", $1, $4, $5 / sqrt(reference))
    }
    FILENAME ~ /precise$/ {
        look("poisson", $1, $2, deviation["poisson", $1] / sqrt(200))
        look("uniform", $1, $3, deviation["uniform", $1] / sqrt(200))
    }
    function look(arrivals, name, wanted, error,    own, z) {
        own = deviation[arrivals, name] / sqrt(runs)
        z = own > 0 ? (mean[arrivals, name] - wanted) / sqrt(own * own + error * error) : 99
        seen++
        if (z > 3 || z < -3) {
            print arrivals, name, mean[arrivals, name], "not", wanted ": z", z
        }
    }
    END { print seen " cells" }' "$work/found" "$work/expected" "$work/precise" >"$work/cells"
check "the reference's expectations of both columns are met in all cells" "$(cat "$work/cells")" \
    test "$(cat "$work/cells")" = '64 cells'
holds "each cell stands beside the paper's, conflicts marked" "$paper" '
    (.paper | length) == 40 and
    ([.paper[] | select(.conflict and .arrivals == "uniform") | .item] |
        contains(["Special Transit", "Preemptions (a)", "Avg Preempt (c)", "below 20"])) and
    ([.paper[] | select(.arrivals == "poisson") | .item as $i | select(.conflict) | $i] -
        ["Preemptions (a)", "Preemptions (b)", "Avg Preempt (c)"] == [])'
holds 'each statistic has its unit and its definition' "$paper" '
    [.results[].statistics[] | select((.unit | length) == 0 or (.definition | length) < 20)] == []'
expect_status 'as tables' 0 "$TARE" sim --replications 10 "$models/paper.model"
printed "the paper's rows" 'Item Poisson SE Uniform SE Difference Low priority quanta'
printed "the paper's classes" 'Time Poisson SE Cumulative Uniform SE Cumulative below 20'
printed 'what is in conflict' 'reproduce the cells in conflict'
printed 'the definitions' '(d) time of medium work while low work is present'
check 'in 80 columns' "$(awk 'length > 80' "$work/output")" \
    sh -c '! grep -qE ".{81}" "$1"' sh "$work/output"

# ---- the order of service ----

# order NAME LINE A B C: when the three are done.
order() {
    {
        cat "$models/order.model"
        echo "$2"
    } >"$work/order.model"
    "$TARE" sim --json --time 10 "$work/order.model" >"$work/order.json"
    holds "$1" "$work/order.json" "[.results[0].statistics[] | select(.name | endswith(\".transit\")) |
        .mean] == [$3, $4, $5]"
}
order 'A-P, B-P, C-Q, B-Q, A-R' '' 5 4 3
order 'one stimulus a turn: A-P, C-Q, A-R, B-P, B-Q' 'discipline one-a-turn' 3 5 2
order 'in line before it is sent: A-P, C-Q, B-P, A-R, B-Q' 'discipline requeue-before' 4 5 2

# ---- quantiles of all replications together ----

cat >"$work/queue.model" <<'EOF'
passes 5000
levels low
stimulus request arrivals poisson rate 0.9 route low exponential 1
EOF
"$TARE" sim "$work/queue.model" >"$work/queue"
"$TARE" sim --json "$work/queue.model" >"$work/queue.json"
"$TARE" sim "$work/queue.model" -o "$work/queue.db"
jq -r '[.results[0].statistics[] | select(.name | test("request.transit.p")) | .mean * 100 | round] |
    map(. / 100) | map(tostring) | join(" ")' "$work/queue.json" >"$work/known"
awk '$1 == "request" { for (i = 5; i <= 8; i++) printf "%s%g", (i > 5 ? " " : ""), $i; print "" }' \
    "$work/queue" >"$work/printed"
check 'tables and JSON print the same quantiles' "$(cat "$work/known" "$work/printed")" \
    cmp -s "$work/known" "$work/printed"
"$TARE" show --samples replications/request.transit.p90 "$work/queue.db" |
    awk '{ sum += $1 } END { printf "%.1f", sum / NR }' >"$work/mean"
holds 'and so does the run file' "$work/queue.json" "
    .results[0].statistics[] | select(.name == \"request.transit.p90\") |
    (.mean * 1e5 - $(cat "$work/mean") | fabs) < 2"
holds 'with an interval that is longer above' "$work/queue.json" '
    .results[0].statistics[] | select(.name == "request.transit.p99") |
    (.too_short | not) and .high - .mean > .mean - .low and .low < .mean'
holds 'or are too short for one, in JSON' "$work/queue.json" '
    .results[0].statistics[] | select(.name == "request.transit.p99.9") |
    .too_short and .low == null and .mean > 40'
check 'and in tables' "$(cat "$work/queue")" grep -q '^request.transit.p99.9 .* too short' "$work/queue"
"$TARE" sim --precision 1 --of request.transit.p99.9 --replications 2 --passes 100 \
    "$work/queue.model" >"$work/queue"
check 'a precision that nothing can tell' "$(cat "$work/queue")" \
    grep -q '^precision: unknown, because the replications are too short' "$work/queue"

# ---- the same each time ----

once() {
    "$TARE" sim --json --replications 20 --passes 500 "$@" "$models/processors.model"
}
once --jobs 1 >"$work/one"
once --jobs 2 >"$work/two"
once --jobs 7 >"$work/seven"
once --seed 2 >"$work/other"
check 'one thread or two: the same bytes' 'they differ' cmp "$work/one" "$work/two"
check 'or seven' 'they differ' cmp "$work/one" "$work/seven"
check 'another seed: other numbers' 'they are the same' sh -c '! cmp -s "$1" "$2"' sh \
    "$work/one" "$work/other"
once --precision 0.5 --of request.transit >"$work/precise.json"
holds 'as many replications as the precision takes, a multiple of the first' "$work/precise.json" '
    .results[0] | .precise and .reached <= 0.005 and .replications > 20 and .replications % 20 == 0'
once --precision 0.5 --of request.transit --jobs 1 >"$work/precise1.json"
check 'as many each time' 'they differ' cmp "$work/precise.json" "$work/precise1.json"

# --passes stands in for a missing line, and does not change what a line has.
printf 'levels low\nstimulus s cycle delay 1 route low 1\n' >"$work/short.model"
expect_status 'no line of passes: refused' 1 "$TARE" sim "$work/short.model"
"$TARE" sim --json --passes 30 "$work/short.model" >"$work/short.json"
holds '--passes stands in for it' "$work/short.json" '.passes == 30'

# Quanta that never come: without a message, it would never end.
printf 'levels low\npasses 9\nprocess p at low\nstimulus s arrivals poisson rate 0.2 route p 1\n' \
    >"$work/unloaded.model"
expect_status 'quanta of a model without a load' 1 timeout 20 "$TARE" sim --quanta 1000 \
    --replications 1 --warm-up 0 "$work/unloaded.model"
printed 'the reason' 'it requires 1000 quanta of loads, but only 0 arrive: give passes or a time'

# ---- nonsense ----

# refused NAME TEXT MODEL: the model, with \n for line ends, is refused for this reason.
refused() {
    printf '%b' "$3" >"$work/bad.model"
    expect_status "refused: $1" 1 timeout 5 "$TARE" sim "$work/bad.model"
    check "with line and reason: $1" "$(head -n 1 "$work/output")" \
        grep -qF -- "bad.model:$2" "$work/output"
}
loads='2.2 13 15\n1.5 30 3'
refused 'occupancies of 1 together' '4: the occupancies' "100\n$loads\n60 40\n1\n7 low\n"
refused 'an average above the maximum' '2: the average 14' '100\n14 13 15\n1.5 30 3\n20 10\n1\n7 low\n'
refused 'a tail that cannot be' '2: 40 % in the tail is impossible' \
    '100\n2.2 13 40\n1.5 30 3\n20 10\n1\n7 low\n'
refused 'a negative length' '6: the length -7 is below 0' "100\n$loads\n20 10\n1\n-7 low\n"
refused 'an unknown priority' '6: unknown priority "high"' "100\n$loads\n20 10\n1\n7 high\n"
# ---- more values than are kept ----

expect_status 'more values than a run file keeps' 0 "$TARE" sim --passes 1002000 --replications 1 \
    --arrivals poisson --set occupancy.low=0.12 --set occupancy.medium=0.075 -o "$work/many.db" \
    "$models/paper.model"
# All, after the first, in neither list; the largest, by each list and of all; when it came.
sqlite3 "$work/many.db" "WITH f AS (SELECT name, value FROM fact WHERE bench = 'model'),
    s AS (SELECT name, n, max FROM series WHERE bench = 'model')
    SELECT (SELECT value FROM f WHERE name = 'passes'), (SELECT n FROM s WHERE name = 'response'),
        (SELECT n FROM s WHERE name = 'worst.response'),
        (SELECT value FROM f WHERE name = 'unkept.response'),
        (SELECT value FROM f WHERE name = 'rest.response'),
        (SELECT value FROM f WHERE name = 'largest.response') =
            (SELECT max(max) FROM s WHERE name IN ('response', 'worst.response'))" >"$work/many"
check 'are counted, and the largest of all is kept' "$(cat "$work/many")" \
    grep -qx '1002000|1000000|1000|2000|1000|1' "$work/many"
largest=$(sqlite3 "$work/many.db" "SELECT value FROM fact WHERE name = 'largest.response'")
printf 'max model.response %s ns in model\n' "$largest" "$((largest - 1))" >"$work/limits"
"$TARE" compare --limits "$work/limits" "$work/many.db" >"$work/output"
printed 'a limit is checked against the largest of all' '1 kept, 1 broken'

refused 'a missing quantum' '7: the line is missing' "100\n$loads\n20 10\n2\n7 low\n"
refused 'missing occupancies' '4: the line is missing' "100\n$loads\n"
refused 'no passes' '1: 0 is not a number of passes' "0\n$loads\n20 10\n1\n7 low\n"
refused 'an empty series' '2:' 'levels low\nload low service values none occupancy 10%\n'
refused 'an unknown level' '2: "high" is not a level' 'levels low\nload high service 1 rate 0.5\n'
refused 'an unknown statement' '2: unknown statement "foo"' 'levels low\nfoo low\n'
refused 'bounds that are crossed' '2: the lower end 5' \
    'levels low\nload low service uniform 5 2 rate 0.1\n'
refused 'an unstable route' '3: what arrives' \
    'levels low\nload low service exponential 1 occupancy 50%\nstimulus s arrivals poisson interval 5 route low 4\n'
expect_status 'no such file' 1 "$TARE" sim "$work/none.model"

# wrong NAME TEXT ARGUMENT...: wrong usage.
wrong() {
    wrong_name=$1
    wrong_text=$2
    shift 2
    expect_status "wrong usage: $wrong_name" 2 "$TARE" sim "$@"
    printed "the reason is printed: $wrong_name" "$wrong_text"
}
wrong 'no model' 'no model given'
wrong 'two models' 'more than one model given' a b
wrong 'arrivals' '--arrivals often: must be poisson, uniform or both' --arrivals often a
wrong 'a setting' '--set low: must be NAME=NUMBER' --set low a
wrong 'no replications' '--replications 0: must be a number from 1 to 100000' --replications 0 a
wrong 'precision' '--precision 100: must be per cent' --precision 100 a
wrong 'classes' '--classes 3,2:' --classes 3,2 a
wrong 'a trace without a file' '--trace needs --output' --trace a
wrong 'a file for nothing' '--program and --output exclude each other' --program -o x.db a
finish
