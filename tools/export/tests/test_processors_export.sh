#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tare export of traces of several processors: what each processor did must be in each format, to
# the tick. The run is made up (scheduler_run.c), which states what it holds; the readers are
# babeltrace2, protoc and a program of Python that shares no code with tare.
set -u

. tools/tests/support/lib.sh

oracle="/usr/bin/python3 $(dirname "$0")/processors_oracle.py"

# sums: the last six counts of all processors in one line; what the processor was is left out.
sums() {
    awk '{ for (i = 8; i <= NF; i += 2) sum[i] += $i } END { for (i = 8; i <= 18; i += 2) print sum[i] }' "$1"
}

# same FORMAT FILE: the oracle finds what the run was made of.
same() {
    # shellcheck disable=SC2086 # words
    $oracle "$1" "$work/run.db" "$2" >"$work/$1.found" 2>&1 && cmp -s "$work/$1.found" "$work/truth"
}

test_ctf() {
    expect_status 'ctf: written' 0 "$TARE" export --format ctf -o "$work/ctf" "$work/run.db"
    check 'ctf: a stream for each processor' "$(ls "$work/ctf/smp/kernel")" \
        test "$(find "$work/ctf/smp/kernel" -name 'stream_[0-3]' | wc -l)" -eq 4
    babeltrace2 --clock-seconds "$work/ctf" >"$work/theirs" 2>"$work/warnings"
    check 'ctf: babeltrace2 has no warning' "$(cat "$work/warnings")" test ! -s "$work/warnings"
    "$TEST_BIN/unit_export" "$work/run.db" smp >"$work/ours"
    check 'ctf: babeltrace2 merges all events into the order of the trace, to the byte' \
        "$(cmp "$work/ours" "$work/theirs" 2>&1)" cmp -s "$work/ours" "$work/theirs"
    check 'ctf: each processor is idle as long as it was, to the tick' \
        "$(diff "$work/ctf.found" "$work/truth" | head -n 4)" same ctf "$work/theirs"
    # shellcheck disable=SC2086 # words
    $oracle busy "$work/run.db" "$work/theirs" >"$work/busy" 2>&1
    "$TARE" show --json "$work/run.db" |
        jq -r '.benches[0].accounting.processors[] | "\(.cpu) \(.busy)"' >"$work/accounts"
    check 'ctf: and as busy as the accounts have it, to the tick' \
        "$(cat "$work/busy" "$work/accounts")" cmp -s "$work/busy" "$work/accounts"
    check 'ctf: all four' "$(cat "$work/busy")" test "$(wc -l <"$work/busy")" -eq 4
    for name in 'why = ( "decay"' 'why = ( "disk"' 'why = ( "reschedule"' 'why = ( "shootdown"' \
        'reason = ( "quantum"'; do
        check "ctf: has a name: $name" "$(grep -c tare_ "$work/theirs")" \
            grep -qF "$name" "$work/theirs"
    done
    lttng-cputop-mi "$work/ctf/smp" >"$work/cputop.json" 2>"$work/output"
    check 'ctf: lttng-cputop knows the migrations' "$(cat "$work/output")" test \
        "$(jq '[.results[] | select(.class == "per-process").data[][1].value] | add' "$work/cputop.json")" \
        -eq "$(sums "$work/truth" | sed -n 3p)"
}

test_csv_events() {
    "$TARE" export --format csv-events "$work/run.db" >"$work/csv"
    check 'csv-events: each processor is idle as long as it was, to the tick' \
        "$(diff "$work/csv.found" "$work/truth" | head -n 4)" same csv "$work/csv"
    for fields in 'thread_migrate,thread=[0-9]* from=[0-3] to=[0-3]' \
        'thread_boost,thread=[0-9]* from=[0-9]* to=[0-9]* why=[0-5]' 'ipi,to=[0-3] why=[01]' \
        'quantum,thread=[0-9]* left=0'; do
        check "csv-events: $fields" "$(head -n 3 "$work/csv")" grep -q ",[0-3],$fields\$" "$work/csv"
    done
}

# Instants of threads are on the tracks of threads, so that only their sums are counted.
test_perfetto() {
    expect_status 'perfetto: written' 0 \
        "$TARE" export --format perfetto -o "$work/trace" "$work/run.db"
    # shellcheck disable=SC2086 # words
    expect_status 'perfetto: arrows lead from wake-ups to switches' 0 \
        $oracle perfetto "$work/run.db" "$work/trace"
    # shellcheck disable=SC2086 # words
    $oracle perfetto "$work/run.db" "$work/trace" >"$work/perfetto.found" 2>&1
    check 'perfetto: each processor is idle as long as it was, to the tick' \
        "$(cat "$work/perfetto.found")" test "$(cut -d ' ' -f 1-10 "$work/perfetto.found")" = \
        "$(cut -d ' ' -f 1-10 "$work/truth")"
    check 'perfetto: migrations, interrupts, quanta and boosts are instants' \
        "$(cat "$work/perfetto.found")" test "$(sums "$work/perfetto.found")" = \
        "$(sums "$work/truth")"
    protoc --decode=perfetto.protos.Trace -I "$(dirname "$0")" perfetto.proto \
        <"$work/trace" >"$work/decoded" 2>"$work/output"
    check 'perfetto: with no field that is not of Perfetto' "$(cat "$work/output")" \
        sh -c "! grep -qE '^ *[0-9]+(:| \{)' '$work/decoded'"
    check 'perfetto: each processor has its tracks' "$(grep -c 'name: "CPU ' "$work/decoded")" \
        test "$(grep -cE 'name: "CPU [0-3]: (interrupts|deferred calls|idle)"' "$work/decoded")" -eq 12
    "$TEST_BIN/scheduler_run" "$work/long.db" 60000 >"$work/long"
    "$TARE" export --format perfetto --piece-bytes 1000000 -o "$work/piece" "$work/long.db" \
        2>"$work/output"
    # shellcheck disable=SC2086 # words
    $oracle perfetto "$work/long.db" "$work"/piece-[1-9] >"$work/perfetto.found" 2>&1
    check 'perfetto: pieces have the same idle times together' \
        "$(cat "$work/output" "$work/perfetto.found")" \
        test "$(cut -d ' ' -f 1-6 "$work/perfetto.found")" = "$(cut -d ' ' -f 1-6 "$work/long")"
    check 'perfetto: several pieces' "$(cat "$work/output")" test -s "$work/piece-3"
    # Without several processors there is neither.
    "$TEST_BIN/scheduler_run" "$work/one.db" 2000 1 >"$work/output"
    "$TARE" export --format perfetto "$work/one.db" | protoc --decode=perfetto.protos.Trace \
        -I "$(dirname "$0")" perfetto.proto >"$work/decoded" 2>"$work/output"
    check 'perfetto: one processor has the tracks that it had, and no arrows' \
        "$(grep -E 'flow_ids|name: "CPU' "$work/decoded" | head -n 3)" \
        test "$(grep -cE 'flow_ids|name: "CPU' "$work/decoded")" -eq 0
}

# The figures of a report, by the events. With as few of them, no spans are joined.
test_figures() {
    "$TEST_BIN/scheduler_run" "$work/few.db" 12000 >"$work/output"
    "$TARE" export --format csv-events "$work/few.db" >"$work/csv"
    expect_status 'tsv: written' 0 "$TARE" export --format tsv -o "$work/tsv" "$work/few.db"
    # shellcheck disable=SC2086 # words
    expect_status 'figures: what CPUs ran, how busy they were, and ready threads are as the events' 0 \
        $oracle figures "$work/few.db" "$work/csv" "$work/tsv"
    "$TARE" export --format tsv -o "$work/tsv" "$work/one.db" 2>"$work/output"
    check 'figures: one processor has those that it had' "$(ls "$work/tsv")" \
        test "$(find "$work/tsv" -name 'smp-processors.tsv' -o -name 'smp-ready.tsv' | wc -l)" -eq 0
}

# What one processor lost is not lost for the others.
test_losses() {
    "$TEST_BIN/scheduler_run" "$work/lossy.db" 20000 4 lossy >"$work/output"
    "$TARE" export --format ctf -o "$work/ctf" "$work/lossy.db" 2>"$work/output"
    babeltrace2 --clock-seconds "$work/ctf" >"$work/theirs" 2>"$work/warnings"
    "$TEST_BIN/unit_export" "$work/lossy.db" smp >"$work/ours"
    check 'losses: babeltrace2 reads what is left, to the byte' \
        "$(cmp "$work/ours" "$work/theirs" 2>&1)" cmp -s "$work/ours" "$work/theirs"
    check 'losses: babeltrace2 reports them, with the stream' "$(cat "$work/warnings")" test \
        "$(grep -cE 'discarded 1 packet .*stream_1' "$work/warnings") $(grep -cE \
            'discarded 7 events .*stream_2' "$work/warnings") $(wc -l <"$work/warnings")" = '2 2 4'
    "$TARE" export --format perfetto "$work/lossy.db" 2>"$work/output" |
        protoc --decode=perfetto.protos.Trace -I "$(dirname "$0")" perfetto.proto >"$work/decoded"
    check 'losses: perfetto: two processors have some in each part' "$(cat "$work/output")" test \
        "$(awk '/^    cpu: / { cpu = $2 } /^    lost_events: true/ { print cpu }' "$work/decoded" |
            sort | tr -d '\n')" = 1122
    expect_status 'losses: the page is made' 0 \
        "$TARE" report -o "$work/lossy.html" "$work/lossy.db"
}

for program in babeltrace2 protoc lttng-cputop-mi; do
    if ! command -v $program >"$work/which"; then
        skip 'exported traces of several processors' "no $program"
        finish
        exit
    fi
done
: >"$work/ctf.found"
: >"$work/csv.found"
"$TEST_BIN/scheduler_run" "$work/run.db" 20000 >"$work/truth"
test_ctf
test_csv_events
test_perfetto
test_figures
test_losses
finish
