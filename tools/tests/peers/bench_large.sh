#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# make bench ONLY=large: peak memory of decode, show and export over runs of more and more events, up to
# EVENTS (10^7, or with BILLION=1 10^9, which takes some 15 minutes and 16 GB in TMPDIR and for the run
# file). Memory that grows with the run shows as a row above the one before. Times are CPU seconds, user
# and system. Then runs of a tenth as many keys (big_log), up to 10^7 events or with BILLION=1 10^8: show,
# show --json and report compared with babeltrace2, which reads the same events, in turn: n, median, min, max, and the
# load of the machine.
set -u

. tools/tests/support/lib.sh

bar=65536
events=${EVENTS:-10000000}
[ "${BILLION:-0}" = 0 ] || events=1000000000
run=$work/large.db

# measured COMMAND...: peak memory in KiB and CPU seconds to $peak and $seconds; false if it failed.
measured() {
    /usr/bin/time -o "$work/time" -f '%M %U %S' "$@" >/dev/null 2>"$work/error" || return 1
    read -r peak user system <"$work/time"
    seconds=$(awk -v u="$user" -v s="$system" 'BEGIN { print u + s }')
}

# row NAME: what was measured.
row() {
    printf '%-58s %10s KiB  %s s CPU, %s M events/s; bar: %s\n' "$1" "$peak" "$seconds" \
        "$(awk -v n="$2" -v s="$seconds" 'BEGIN { if (s > 0) printf "%.1f", n / s / 1e6 }')" "$bar"
}

# large EVENTS: a row for each command. The log is made as it is read.
large() {
    mkfifo "$work/log"
    build/host/bench/long_log "$1" >"$work/log" &
    measured "$TARE" decode - -o "$run" <"$work/log" || return 1
    rm "$work/log"
    row "$1 events: decode" "$1"
    measured "$TARE" show "$run" || return 1
    row "$1 events: show" "$1"
    measured "$TARE" show --threads "$run" || return 1
    row "$1 events: show --threads" "$1"
    measured "$TARE" export --format csv-events "$run" || return 1
    row "$1 events: export --format csv-events" "$1"
    measured "$TARE" export --format perfetto --from 1s --to 11s -o "$work/window" "$run" || return 1
    row "$1 events: export --format perfetto, a window of 10 s" "$1"
}

# key_round EVENTS: a time of each command, to $work/NAME.s, and its peak memory, to $work/NAME.k.
key_round() {
    for key_name in show json report babeltrace2; do
        case $key_name in
        show) measured "$TARE" show "$run" ;;
        json) measured "$TARE" show --json "$run" ;;
        report) measured "$TARE" report -o "$work/page.html" "$run" ;;
        *) [ -z "$theirs" ] || continue && measured babeltrace2 -o dummy "$work/ctf/echo" ;;
        esac || return 1
        echo "$seconds" >>"$work/$key_name.s"
        echo "$peak" >>"$work/$key_name.k"
    done
}

# key_row NAME WHAT BAR: n, median, min and max of the times, and the largest peak.
key_row() {
    sort -n "$work/$1.s" | awk -v what="$2" -v bar="$3" -v peak="$(sort -n "$work/$1.k" | tail -n 1)" -v ours="$bar" '
        { t[NR] = $1 }
        END { printf "%-58s %10s KiB  n %d, median %.2f s CPU, min %.2f, max %.2f; bar: %s, %s KiB\n", what, peak, NR,
              t[int((NR + 1) / 2)], t[1], t[NR], bar, ours }'
}

# keys EVENTS: a tenth of them are keys.
keys() {
    rm -rf "$work/ctf" "$work"/*.s "$work"/*.k
    "$TEST_BIN/big_log" $(($1 / 10 * 8)) "$1" >"$work/log" && "$TARE" decode --force "$work/log" -o "$run" 2>"$work/error" &&
        rm "$work/log" || return 1
    theirs=
    if ! command -v babeltrace2 >/dev/null; then
        theirs='babeltrace2 is missing'
    else
        "$TARE" export --format ctf -o "$work/ctf" "$run" 2>"$work/error" || return 1
    fi
    for round in $(seq "${ROUNDS:-5}"); do
        echo "$1 events, round $round" >&2
        key_round "$1" || return 1
    done
    key_row show "$1 events, a tenth of them keys: show" '2 s'
    key_row json "$1 events, a tenth of them keys: show --json" none
    key_row report "$1 events, a tenth of them keys: report" '3 s'
    if [ -n "$theirs" ]; then
        printf '%-58s %10s      skipped: %s\n' "$1 events: babeltrace2 -o dummy" none "$theirs"
    else
        key_row babeltrace2 "$1 events: babeltrace2 -o dummy" none
    fi
    printf '%-58s %s\n' 'load of the machine' "$(cut -d ' ' -f 1-3 /proc/loadavg)"
}

count=1000000
while [ "$count" -le "$events" ]; do
    large "$count" || {
        printf '%-58s %10s      failed: %s\n' "$count events" none "$(tail -n 1 "$work/error")"
        exit 1
    }
    count=$((count * 10))
done
most=10000000
[ "${BILLION:-0}" = 0 ] || most=100000000
count=1000000
while [ "$count" -le "$most" ] && [ "$count" -le "$events" ]; do
    keys "$count" || {
        printf '%-58s %10s      failed: %s\n' "$count events, keys" none "$(tail -n 1 "$work/error")"
        exit 1
    }
    count=$((count * 10))
done
