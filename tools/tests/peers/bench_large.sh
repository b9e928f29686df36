#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# make bench ONLY=large: peak memory of decode, show and export over runs of more and more events, up to
# EVENTS (10^7, or with BILLION=1 10^9, which takes some 15 minutes and 16 GB in TMPDIR and for the run
# file). Memory that grows with the run shows as a row above the one before. Times are CPU seconds, user
# and system.
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

count=1000000
while [ "$count" -le "$events" ]; do
    large "$count" || {
        printf '%-58s %10s      failed: %s\n' "$count events" none "$(tail -n 1 "$work/error")"
        exit 1
    }
    count=$((count * 10))
done
