#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# make bench ONLY=decode: a log of 10^7 samples and 10^6 events, decoded and reported, beside babeltrace2
# that prints the same events. An item is a sample or a record. CPU seconds of user and system, which
# writes the run file; in turn, and the median counts. Those of the user alone are beside them.
set -u

. tools/tests/support/lib.sh

rounds=${ROUNDS:-5}
samples=10000000
events=1000000

median() {
    sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

row() {
    printf '%-58s %14s  %s\n' "$1" "$2" "$3"
}

# rate COUNT SECONDS: in millions a second.
rate() {
    awk -v n="$1" -v s="$2" 'BEGIN { if (s > 0) printf "%.2f M", n / s / 1e6; else print "none" }'
}

# cpu NAME COMMAND...: seconds of user and system, of the user alone and by the wall clock go to
# $work/NAME.s, .u and .e, peak memory in KiB to $work/NAME.k.
cpu() {
    cpu_name=$1
    shift
    /usr/bin/time -o "$work/cpu" -f '%U %e %M %S' "$@" >/dev/null 2>"$work/error" || return 1
    awk '{ print $1 + $4 }' "$work/cpu" >>"$work/$cpu_name.s"
    cut -d ' ' -f 1 "$work/cpu" >>"$work/$cpu_name.u"
    cut -d ' ' -f 2 "$work/cpu" >>"$work/$cpu_name.e"
    cut -d ' ' -f 3 "$work/cpu" >>"$work/$cpu_name.k"
}

bench_decode() {
    for series in 1 10; do
        "$TEST_BIN/big_log" $samples $events $series >"$work/$series.log" || return 1
    done
    "$TARE" decode "$work/1.log" -o "$work/1.db" 2>"$work/error" &&
        "$TARE" export --format ctf -o "$work/ctf" "$work/1.db" 2>"$work/error" &&
        test "$(babeltrace2 --clock-seconds "$work/ctf/echo" 2>"$work/error" | wc -l)" -eq "$events" || return 1
    for round in $(seq "$rounds"); do
        echo "decoding, round $round of $rounds" >&2
        cpu one "$TARE" decode "$work/1.log" -o "$work/1.db" &&
            cpu ten "$TARE" decode "$work/10.log" -o "$work/10.db" &&
            cpu theirs babeltrace2 --clock-seconds "$work/ctf/echo" &&
            cpu report "$TARE" report -o "$work/page.html" "$work/1.db" || return 1
    done
}

report_decode() {
    records=$((samples + events))
    for name in one ten; do
        seconds=$(median "$work/$name.s")
        row "10^7 samples in $name series and 10^6 events, decode" "$seconds s" \
            "$(rate $records "$seconds") items/s, bar: 50 M ($(rate $records \
                "$(median "$work/$name.u")") by the user's time alone); peak $(median \
                "$work/$name.k") KiB, bar: 65536"
    done
    theirs=$(median "$work/theirs.s")
    row 'the 10^6 events as text, babeltrace2' "$theirs s" \
        "$(rate $events "$theirs") events/s; peak $(median "$work/theirs.k") KiB"
    row 'records a second, decode over babeltrace2' \
        "$(awk -v r=$records -v e=$events -v a="$(median "$work/one.s")" -v b="$theirs" \
            'BEGIN { printf "%.1f", r / a / (e / b) }')" 'bar: 10'
    row 'tare report of that run, wall-clock' "$(median "$work/report.e") s" \
        "bar: 5 s; peak $(median "$work/report.k") KiB"
    row 'its page' "$(stat -c %s "$work/page.html") B" 'bar: 6000000 B'
}

if bench_decode; then
    report_decode
else
    row 'decode beside babeltrace2' none "failed: $(tail -n 1 "$work/error")"
    exit 1
fi
