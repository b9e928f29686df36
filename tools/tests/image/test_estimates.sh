#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The report's experiments: one boot in exact mode fills every row of `tare show --estimates`. The
# values follow from the raw samples, and missing ones are reported.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

benches=clockread,loop,call,syscall,creation,contextswitch,chase,stride,bandwidth,pagefault,filecache,fileread,diskload,rtt,netbandwidth,connection,remotefile

# read_estimates NAME: the JSON of the run's experiments.
read_estimates() {
    "$TARE" show --estimates --json "$work/$1.db" >"$work/estimates.json" 2>"$work/estimates.err"
}

# estimates FILTER: true if jq's filter is true of these.
estimates() {
    jq -e "$1" "$work/estimates.json" >/dev/null 2>&1
}

# medians FILTER: of the rows that the filter selects, on one line.
medians() {
    jq -r "[.experiments[] | select($1) | .results[0].median] | join(\" \")" "$work/estimates.json"
}

# as_sampled SERIES BENCH [EMPTY]: the row matches the raw samples: the median of a series,
# less that of another one of the bench, in instructions, and halved where it is a round trip.
as_sampled() {
    as_raw=$(value report "(.run.ticks_per_instruction | tonumber) as \$ticks |
        .benches[] | select(.name == \"$2\") | [.series[] | {(.name): .median}] | add |
        (.[\"$1\"] - (.[\"${3:-}\"] // 0)) / \$ticks / (if \"$1\" | endswith(\"_round\") then 2 else 1 end)")
    [ -n "$as_raw" ] && [ "$(medians ".series == \"$1\"")" = "$as_raw" ]
}

# missed: rows of experiments 9 to 16 that differ from their estimates by more than a quarter, or
# have none.
missed() {
    jq -r '.experiments[] | select((.number | tonumber) >= 9) | . as $row | .results[0] |
        select(.missing == null and (.difference_percent == null or
            (.difference_percent | fabs) > 25)) |
        "\($row.number) \($row.what): \(.estimate) against \(.median) \(.unit)"' "$work/estimates.json"
}

# table_of NAME: with ESTIMATES=full, estimates and results of experiments 9 to 16.
table_of() {
    [ "${ESTIMATES:-}" != full ] || jq -r --arg name "$1" '.experiments[] |
        select((.number | tonumber) >= 9) | . as $row | .results[0] | select(.missing == null) |
        [$name, $row.number, $row.what, (.estimate | round), (.median | round), .unit,
         (.difference_percent * 10 | round / 10)] | @tsv' "$work/estimates.json"
}

boot report 0 --shift 6 --bench "$benches,exceptions,fork"
check 'every bench is OK' 'one is not' \
    all_ok report clockread loop call syscall creation contextswitch chase stride bandwidth pagefault \
    filecache fileread diskload rtt netbandwidth connection remotefile exceptions fork
read_estimates report
check 'each of the 45 rows that one machine can fill has a result' 'one has none' estimates \
    '[.experiments[].results[0] | select(.missing == null and .n > 0)] | length == 45'
check 'the sixteen experiments' 'one is not there' estimates \
    '[.experiments[].number | tonumber] | unique == [range(1; 17)]'
check 'another machine and Linux are missing: how to get them' 'it is not reported' estimates \
    '[.experiments[] | select(.results[0].missing) | {number, why: .results[0].missing}] |
     map(.number) == ["10", "11", "15", "15"] and (.[:3] | all(.why | startswith("no other machine: "))) and
     (.[3].why | endswith(": tare host --bench remotefile"))'
check 'in instructions, exactly, but of a cached block and loop-back' 'a result differs from sample to sample' estimates \
    '[.experiments[] | select(.bench | IN("rtt", "netbandwidth", "connection") | not) |
     .results[0] | select(.missing == null and .min == .max and
     (.unit == "instruction" or .unit == "byte/instruction"))] | length == 31'
check 'estimates with their reasons, but of bandwidths' 'one is missing' estimates \
    '[.experiments[] | select(.number != "8") | .results[0] | select(.estimate > 0 and
     (.because | length) > 0)] | length == 44'
check 'the stride table: 96 cells of 3 instructions' 'it is another' estimates \
    '.table | length == 96 and all(.results == [3] and .reported_ns > 3)'
check 'clock, loop and loads: golden' "$(medians '.number | test("^[127]$")')" \
    test "$(medians '.number | test("^[127]$")')" = '2 4 8 2 3 3 3 3 3'
check 'calls of 0 to 7 arguments: golden' "$(medians '.bench == "call"')" \
    test "$(medians '.bench == "call"')" = '5 6 7 8 9 10 11 13'
check 'the bars of system call, page fault and process switch' 'one is missed' estimates \
    '[.experiments[] | {(.series): .results[0].median}] | add |
     .null <= 60 and .stat <= 300 and .demand_zero <= 2000 and .process_pipe_round <= 300'
check 'a system call matches its samples' 'it is not' as_sampled null syscall empty
check 'a page fault matches its samples' 'it is not' as_sampled demand_zero pagefault empty
check 'a switch matches its samples' 'it is not' as_sampled process_pipe_round contextswitch empty
check 'a pair of stamps matches its samples' 'it is not' as_sampled pair.rdtsc clockread

"$TARE" show --estimates "$work/report.db" >"$work/table"
check 'times of disks are virtual times, whatever the TSC counts' 'one is not' estimates \
    '[.experiments[] | select(.bench == "diskload" or .bench == "fileread" or .series == "miss" or
     .series == "file") | .results[0].unit] | length == 6 and all(. == "ns")'
check 'the table: at least 34 exact rows, and the 4 that need another machine or Linux' 'not so' \
    test "$(grep -c 'exact$' "$work/table")" -ge 34 -a "$(grep -c ' n/a$' "$work/table")" = 4

# Of every cost, also of those that are no row: bench, name, estimate and difference where that is
# more than a quarter.
"$TARE" show --full "$work/report.db" | tr -d , | awk '
    /^[a-z_]+: / { bench = $1 }
    $NF ~ /^[+-][0-9.]+$/ && $(NF - 2) == "exact" {
        count++
        if ($NF > $(NF - 1) / 4 || -$NF > $(NF - 1) / 4) print bench, $1, $(NF - 1), $NF
    }
    END { if (count < 20) print count " differences" }' >"$work/missed"
check 'no estimate misses by more than a quarter' "$(cat "$work/missed")" test ! -s "$work/missed"
"$TARE" show --estimates --why "$work/report.db" "$work/report.db" >"$work/why"
check 'within 100 columns' 'a line is longer' \
    test "$(cat "$work/table" "$work/why" | wc -L)" -le 100
check 'estimates are in the run file' 'they are not' test "$(sqlite3 "$work/report.db" \
    "SELECT instructions, unit FROM expect WHERE bench = 'call' AND series = 'register7'")" = '13|cycle'

check 'each estimate of experiments 9 to 16 is within a quarter, but of a remote machine' \
    "$(missed)" test -z "$(missed)"
check 'units and ratios of estimates' 'not printed' \
    grep -Eq '^9  page fault, page on disk .* [0-9,]+ ns +[0-9,]+ ns$' "$work/table"
check 'ratios are printed' 'they are not' grep -Eq '^9  page fault, page on disk .*%  1\.0[0-9]+ ' "$work/table"
check 'in JSON too' 'not so' estimates '[.experiments[].results[0] | select(.ratio) |
    (.ratio - .median / .estimate) * 1e4 | round] | length > 40 and all(. == 0)'
check 'the ratio of a process switch to a thread switch is explained' 'it is not' \
    grep -q 'process switch by a pipe: half of a round trip' "$work/table"
check 'why results with a disk differ' 'not printed' \
    grep -q 'page fault, page on disk: the report' "$work/table"

# Without a bench, with one that did not finish, and without a series.
cp "$work/report.db" "$work/less.db"
edit_run "$work/less.db" "
    DELETE FROM series WHERE bench IN ('call', 'syscall') OR name = 'memory';
    DELETE FROM expect WHERE bench = 'call'; DELETE FROM param WHERE bench = 'call';
    DELETE FROM fact WHERE bench = 'call'; DELETE FROM bench WHERE name = 'call';
    UPDATE bench SET state = 'SKIP', reason = 'no ring 3' WHERE name = 'syscall'"
read_estimates less
check 'a bench that did not run: how to get it' 'it is not reported' estimates \
    '[.experiments[] | select(.number == "3") | .results[0].missing] |
     unique == ["not in this run: boot with --bench call"]'
check 'a bench that was skipped: why' 'it is not reported' estimates \
    '.experiments[] | select(.series == "null") | .results[0] |
     .missing == "SKIP: no ring 3" and .median == null and .estimate > 0'
check 'a missing series: reported' 'it is not' estimates \
    '.experiments[] | select(.series == "memory") | .results[0].missing |
     contains("loop/memory is missing or incomplete in the run")'
expect_status 'two runs beside each other' 0 "$TARE" show --estimates "$work/report.db" "$work/less.db"
check 'a column each' 'not so' grep -q '5 instr  *n/a\( \|$\)' "$work/output"
expect_status 'two runs without --estimates: usage' 2 "$TARE" show --full "$work/report.db" "$work/less.db"
expect_status '--why alone: usage' 2 "$TARE" show --why "$work/report.db"

# The estimates follow the plan: other disks, other links, other lengths of an instruction.
# follows NAME OPTION...
follows() {
    follows_name=$1
    shift
    boot "$follows_name" 0 --bench "$waiting" "$@"
    read_estimates "$follows_name"
    table_of "$follows_name"
    check "$follows_name: estimates of all rows that one machine can fill" "$(missed)" \
        estimates '[.experiments[].results[0] | select(.median and .estimate)] | length == 17'
    check "$follows_name: none misses by more than a quarter" "$(missed)" test -z "$(missed)"
}

waiting=pagefault,filecache,fileread,diskload,rtt,netbandwidth,connection,remotefile
follows hub --net hub --set disk.model=optane
follows slow_link --set net.packet_ns=500000 --set net.byte_ps=80000 --set disk.model=nvme
if [ "${ESTIMATES:-}" = full ]; then
    for model in hdd1996 ssd2014 nvme optane; do
        for shift in 0 3 5; do
            follows "$model.$shift" --shift $shift --set disk.model=$model
            [ $model != ssd2014 ] || follows "hub.$shift" --shift $shift --net hub
        done
    done
fi
finish
