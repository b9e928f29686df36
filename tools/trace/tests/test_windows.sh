#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Windows of a run, --from and --to, and Perfetto traces in pieces: what lies outside is left out, what
# lies within is as in the whole, and each begins with what ran.
set -u

. tools/tests/support/lib.sh

run=$work/run.db
second=1000000000

# events OPTION...: the records of bench echo in this window.
events() {
    "$TARE" export --format csv-events --bench echo "$@" "$run" 2>/dev/null | tail -n +2
}

# accounts OPTION...: each account of bench echo and its ticks.
accounts() {
    "$TARE" show --json "$@" "$run" 2>/dev/null | jq -r '.benches[] | select(.name == "echo") |
        .accounting.accounts[] | "\(.kind) \(.id) \(.ticks)"'
}

# sum: of accounts, by name.
sum() {
    awk '{ ticks[$1 " " $2] += $3 } END { for (key in ticks) if (ticks[key]) print key, ticks[key] }' |
        sort
}

# refused TEXT OPTION...: the usage error is this.
refused() {
    refused_text=$1
    shift
    expect_status "refused: $*" 2 "$TARE" show "$@" "$run"
    check "refused: $*: why" "$(cat "$work/output")" grep -qF -- "$refused_text" "$work/output"
}

# Begin and end of the window in ticks since the trace's begin, which is at 5 s.
test_within() {
    events --from 7ms --to 900ms | grep -v thread_is >"$work/part"
    events | grep -v thread_is | awk -F , -v from=$((5 * second + 7000000)) \
        -v to=$((5 * second + 900000000)) '$4 >= from && $4 < to' >"$work/wanted"
    check 'what lies within is as in the whole' "$(diff "$work/part" "$work/wanted" | head -n 3)" \
        cmp -s "$work/part" "$work/wanted"
    check 'and there is something' 'nothing' test -s "$work/wanted"
    events --from 7ms --to 900ms | grep thread_is >"$work/states"
    check 'it begins with the states of all threads' "$(cat "$work/states")" test \
        "$(grep -c "$((5 * second + 7000000)),thread_is" "$work/states")" -eq 3
    accounts | sum >"$work/whole"
    for window in '--to 123456789ticks' '--from 123456789ticks --to 1.1s' '--from 1.1s'; do
        # shellcheck disable=SC2086 # words
        accounts $window
    done | sum >"$work/parts"
    check 'accounts of windows sum to those of the whole' "$(diff "$work/parts" "$work/whole")" \
        cmp -s "$work/parts" "$work/whole"
}

test_stated() {
    expect_status 'show: a window' 0 "$TARE" show --from 1s --to 1500ms echo "$run"
    check 'show: the window is stated' "$(head -n 3 "$work/output")" \
        grep -qF "from 1s to 1500ms since the start of each bench's trace" "$work/output"
    "$TARE" show --json --from 1s "$run" 2>/dev/null >"$work/json"
    check 'JSON: and there' "$(jq .run.window "$work/json")" \
        jq -e '.run.window | startswith("from 1s on")' "$work/json" >"$work/output"
    expect_status 'report: a window' 0 "$TARE" report --to 1s -o "$work/page.html" "$run"
    check 'report: and there' 'it is not' grep -q 'up to 1s since' "$work/page.html"
    refused 'must be a time with its unit' --from 5
    refused 'exclude each other' --estimates --from 5s
    expect_status 'a window that is empty' 1 "$TARE" show --from 2s --to 1s "$run"
    expect_status 'a window behind the end' 1 "$TARE" show --from 9000s "$run"
}

test_formats() {
    expect_status 'CTF of a window' 0 "$TARE" export --format ctf --from 1s --to 1.5s \
        -o "$work/ctf" "$run"
    events --from 1s --to 1.5s | cut -d , -f 4 >"$work/ours"
    if command -v babeltrace2 >/dev/null; then
        babeltrace2 --clock-seconds "$work/ctf/echo" 2>&1 |
            sed 's/^\[\([0-9]*\)\.\([0-9]*\)\].*/\1\2/; s/^0*//' >"$work/theirs"
        check 'babeltrace2 reads it, and has an event at each time that tare has one' \
            "$(diff "$work/ours" "$work/theirs" | head -n 3)" cmp -s "$work/ours" "$work/theirs"
    else
        skip 'babeltrace2 reads it' 'there is none'
    fi
    expect_status 'openmetrics is of whole runs' 2 "$TARE" export --format openmetrics --to 1s "$run"
}

# decoded FILE: its packets as text in FILE.txt.
decoded() {
    protoc --decode=perfetto.protos.Trace -I tools/export/tests perfetto.proto <"$1" >"$1.txt" \
        2>"$work/output"
}

# count PATTERN FILE...: lines in all of them.
count() {
    count_pattern=$1
    shift
    cat "$@" | grep -c "$count_pattern"
}

# Each piece is a trace by itself: names are written anew, tracks announced, and what runs is drawn.
test_pieces() {
    expect_status 'one piece' 0 "$TARE" export --format perfetto -o "$work/all" "$run"
    expect_status 'pieces' 0 "$TARE" export --format perfetto --piece-bytes 1000000 \
        -o "$work/piece" "$run"
    check 'pieces: they are named' "$(cat "$work/output")" grep -q 'piece-1 to .*piece-3' "$work/output"
    check 'pieces: none in one' 'FILE is there' test ! -e "$work/piece"
    decoded "$work/all"
    for piece in 1 2 3; do
        check "piece $piece: at most so many bytes" "$(stat -c %s "$work/piece-$piece")" test \
            "$(stat -c %s "$work/piece-$piece")" -le 1000000
        check "piece $piece: protoc decodes it" "$(cat "$work/output")" decoded "$work/piece-$piece"
        check "piece $piece: begins a sequence" "$(head -n 8 "$work/piece-$piece.txt")" test \
            "$(grep -m 1 sequence_flags "$work/piece-$piece.txt" | tr -d ' ')" = sequence_flags:3
        check "piece $piece: has its process and threads" 'it has not' test \
            "$(count '^ *thread_name:' "$work/piece-$piece.txt")" -ge 2
        check "piece $piece: as many begin as end" 'they do not' test \
            "$(count SLICE_BEGIN "$work/piece-$piece.txt")" -eq \
            "$(count SLICE_END "$work/piece-$piece.txt")"
    done
    check 'pieces: no waking is lost, or there twice but where a piece begins' \
        "$(count sched_waking "$work"/piece-?.txt) of $(count sched_waking "$work/all.txt")" test \
        "$(($(count sched_waking "$work"/piece-?.txt) - $(count sched_waking "$work/all.txt")))" -le 2
    expect_status 'pieces too small' 2 "$TARE" export --format perfetto --piece-bytes 5 \
        -o "$work/no" "$run"
}

"$TEST_BIN/big_log" 5000 40000 >"$work/log"
expect_status 'a run' 0 "$TARE" decode "$work/log" -o "$run"
test_within
test_stated
test_formats
if command -v protoc >/dev/null; then
    test_pieces
else
    skip 'pieces' 'there is no protoc'
fi
finish
