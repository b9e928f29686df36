#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tare watch on the log of a real boot: whole, growing, damaged, begun anew, on a terminal. What it
# prints of the processor must be what `tare show` prints.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

# grow FROM TO: FROM is copied slowly, some 3 s.
grow() {
    grow_size=$(stat -c %s "$1")
    grow_at=0
    grow_step=$((grow_size / 30 + 1))
    while [ "$grow_at" -lt "$grow_size" ]; do
        tail -c +$((grow_at + 1)) "$1" | head -c "$grow_step" >>"$2"
        grow_at=$((grow_at + grow_step))
        sleep 0.1
    done
}

# The last view of an output, without its first line, which names the log.
last_view() {
    awk '/^tare watch: / { view = ""; next } { view = view $0 "\n" } END { printf "%s", view }' "$1"
}

# Shares in percent, from the accounts of all benches, as "BENCH NAME SHARE" of the larger ones, and
# of the processes that their threads add up to.
shares_shown() {
    value watched '([.benches[].accounting.elapsed | select(.)] | add) as $all | .benches[] |
        .name as $bench | .accounting.accounts[]? | select(.kind != "dispatch" and .kind != "tracer"
        and .kind != "unknown" and (.kind == "thread" and .id == 0 | not))
        | (.ticks / $all * 10000 | round | . / 100) as $share | select($share > 0.02)
        | "\($bench) \(.name) \($share)"' | sort
}

shares_watched() {
    awk '/^[^ ]+ +(process|interrupts,) / { bench = $1 }
        /^ +(thread|interrupt|DPC|page fault of) / {
            sub(/^ +(thread|interrupt|DPC|page fault of) /, "")
            share = match($0, / +[0-9.]+ %/) ? substr($0, RSTART, RLENGTH - 2) + 0 : 0
            if (share > 0.02) { print bench, substr($0, 1, RSTART - 1), share }
        }' "$work/once" | sort
}

# Whether the shares of a process, or of interrupts and so on, are the sum of those below, within rounding.
sums_watched() {
    awk 'function close_group() { if (group - sum > 0.06 || sum - group > 0.06) { exit 1 } }
        /^[^ ]+ +(process|interrupts,) / { close_group(); match($0, /[0-9.]+ %/)
            group = substr($0, RSTART) + 0; sum = 0; groups++ }
        /^            / && / %/ { match($0, /[0-9.]+ %/); sum += substr($0, RSTART) }
        END { close_group(); exit groups < 4 }' "$work/once"
}

test_whole() {
    expect_status 'whole log' 0 "$TARE" watch --once --seconds 1000 "$work/watched.log"
    cp "$work/output" "$work/once"
    shares_shown >"$work/shown"
    shares_watched >"$work/watched"
    check 'whole log: shares are those of tare show' "$(diff "$work/shown" "$work/watched")" \
        cmp -s "$work/shown" "$work/watched"
    check 'whole log: there are some' "$(cat "$work/once")" test "$(wc -l <"$work/shown")" -gt 3
    check 'whole log: a process is the sum of its threads' "$(cat "$work/once")" sums_watched
    check 'whole log: idle is that of tare show' "$(grep '^busy' "$work/once")" grep -q \
        "idle $(value watched '([.benches[].accounting.elapsed | select(.)] | add) as $all |
            [.benches[].accounting.accounts[]? | select(.kind == "thread" and .id == 0).ticks] | add |
            . / $all * 10000 | round | . / 100' | awk '{ printf "%.2f", $1 }') %" "$work/once"
    check 'whole log: all events' "$(head -n 3 "$work/once")" grep -q \
        ", $(value watched '[.benches[].accounting.events | select(.)] | add') events" "$work/once"
    check 'whole log: every bench and its state' "$(head -n 2 "$work/once")" \
        grep -q 'order OK  overload OK  switches OK' "$work/once"
    check 'whole log: the kind of time' "$(head -n 1 "$work/once")" \
        grep -q 'ended, exact time' "$work/once"
    expect_status 'standard input' 0 sh -c "'$TARE' watch --seconds 1000 - <'$work/watched.log'"
    last_view "$work/output" >"$work/view"
    last_view "$work/once" >"$work/wanted"
    check 'standard input: the same view' "$(diff "$work/wanted" "$work/view")" \
        cmp -s "$work/wanted" "$work/view"
}

test_growing() {
    : >"$work/growing.log"
    "$TARE" watch --seconds 1000 "$work/growing.log" >"$work/output" 2>"$work/printed" &
    watcher=$!
    grow "$work/watched.log" "$work/growing.log"
    watch_status=0
    wait $watcher || watch_status=$?
    check 'growing log: ends with the run' "status $watch_status: $(cat "$work/printed")" \
        test $watch_status -eq 0
    last_view "$work/output" >"$work/view"
    check 'growing log: ends with the same view' "$(diff "$work/wanted" "$work/view")" \
        cmp -s "$work/wanted" "$work/view"
    : >"$work/growing.log"
    "$TARE" watch --seconds 1 "$work/growing.log" >"$work/output" 2>"$work/printed" &
    watcher=$!
    grow "$work/watched.log" "$work/growing.log"
    watch_status=0
    wait $watcher || watch_status=$?
    check 'a short window: ends with the run' "$(cat "$work/printed")" test $watch_status -eq 0
    check 'a short window: a view each time it has passed' "$(cat "$work/output")" \
        test "$(grep -c '^tare watch' "$work/output")" -ge 2
}

# A log that is emptied and written again is that of another run.
test_anew() {
    head -c $(($(stat -c %s "$work/watched.log") / 2)) "$work/watched.log" >"$work/anew.log"
    "$TARE" watch --seconds 1000 "$work/anew.log" >"$work/output" 2>"$work/printed" &
    watcher=$!
    sleep 0.5
    : >"$work/anew.log"
    sleep 0.5
    cat "$work/watched.log" >>"$work/anew.log"
    watch_status=0
    wait $watcher || watch_status=$?
    check 'begun anew: ends with the run' "status $watch_status: $(cat "$work/printed")" \
        test $watch_status -eq 0
    last_view "$work/output" >"$work/view"
    check 'begun anew: the same view' "$(diff "$work/wanted" "$work/view")" \
        cmp -s "$work/wanted" "$work/view"
}

# So is another file in its place, as a capture that met another run leaves it.
test_replaced() {
    head -c $(($(stat -c %s "$work/watched.log") / 2)) "$work/watched.log" >"$work/replaced.log"
    timeout 20 "$TARE" watch --seconds 1000 "$work/replaced.log" >"$work/output" 2>"$work/printed" &
    watcher=$!
    sleep 0.5
    cp "$work/watched.log" "$work/replaced.log.new"
    mv "$work/replaced.log.new" "$work/replaced.log"
    watch_status=0
    wait $watcher || watch_status=$?
    check 'replaced: ends with the run' "status $watch_status: $(cat "$work/printed")" \
        test $watch_status -eq 0
    last_view "$work/output" >"$work/view"
    check 'replaced: the same view' "$(diff "$work/wanted" "$work/view")" \
        cmp -s "$work/wanted" "$work/view"
}

# unknown FILE: the percentage that is unknown.
unknown() {
    sed -nE 's/.* unknown ([0-9.]+) %.*/\1/p' "$1" | tail -n 1
}

test_damaged() {
    size=$(stat -c %s "$work/watched.log")
    # Two frames of traces are taken out of the middle: the type is the second byte of each.
    python3 - "$work/watched.log" "$work/damaged.log" <<'END'
import sys
pieces = open(sys.argv[1], 'rb').read().split(b'\0')
traces = [i for i, piece in enumerate(pieces) if len(piece) > 100 and piece[1] == 22]
for i in traces[len(traces) // 2:len(traces) // 2 + 2]:
    pieces[i] = b''
open(sys.argv[2], 'wb').write(b'\0'.join(pieces))
END
    expect_status 'damaged log' 0 "$TARE" watch --seconds 1000 "$work/damaged.log"
    check 'damaged log: reports the loss' "$(head -n 3 "$work/output")" \
        grep -qE ' [0-9]+ packets lost' "$work/output"
    check 'damaged log: more is unknown' "$(unknown "$work/once"), $(unknown "$work/output")" \
        awk -v a="$(unknown "$work/once")" -v b="$(unknown "$work/output")" 'BEGIN { exit !(b > a) }'
    head -c $((size / 2)) "$work/watched.log" >"$work/cut.log"
    expect_status 'a log that ends early' 1 sh -c "'$TARE' watch - <'$work/cut.log'"
    check 'a log that ends early is reported' "$(cat "$work/output")" \
        grep -q 'ends before the run does' "$work/output"
    expect_status 'the same with --once' 0 "$TARE" watch --once "$work/cut.log"
    expect_status 'no log' 1 "$TARE" watch --once "$work/none.log"
    expect_status 'no seconds' 2 "$TARE" watch --seconds 0 "$work/watched.log"
    : >"$work/empty.log"
    expect_status 'an empty log' 0 "$TARE" watch --once "$work/empty.log"
    check 'an empty log is reported' "$(cat "$work/output")" grep -q 'no trace data yet' "$work/output"
}

# On a terminal: redrawn in place, not too often; q ends it and gives the terminal back.
test_terminal() {
    head -c $(($(stat -c %s "$work/watched.log") / 2)) "$work/watched.log" >"$work/screen.log"
    mkfifo "$work/keys"
    timeout 20 script -qefc "stty rows 24 columns 80; '$TARE' watch '$work/screen.log'; stty -a" \
        "$work/screen" <"$work/keys" >"$work/output" 2>&1 &
    terminal=$!
    exec 9>"$work/keys"
    sleep 2
    echo q >&9
    wait_for 10 has_ended $terminal
    exec 9>&-
    wait $terminal
    escape=$(printf '\033')
    draws=$(grep -c "${escape}\[H" "$work/screen")
    check 'terminal: redrawn in place' "$draws times" test "$draws" -ge 3
    check 'terminal: at most 5 times a second' "$draws times in 2 s" test "$draws" -le 13
    check 'terminal: the other screen is left again' 'it is not' \
        grep -q "${escape}\[?1049l" "$work/screen"
    check 'terminal: and keys echo again' 'they do not' grep -q ' echo ' "$work/screen"
    check 'terminal: no line is wider' "$(awk 'length > 400' "$work/screen" | head -n 1)" \
        not grep -qE '.{400}' "$work/screen"
}

has_ended() {
    ! kill -0 "$1" 2>/dev/null
}

not() {
    ! "$@"
}

boot watched 0 --bench aliasing,keystroke,order,overload,switches --set switches.ms=10
test_whole
test_growing
test_anew
test_replaced
test_damaged
if command -v script >"$work/which"; then
    test_terminal
else
    skip 'on a terminal' 'no script'
fi
finish
