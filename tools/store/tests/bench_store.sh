#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# make bench ONLY=store: the run file of 10^7 samples and 10^6 events beside zstd -1 of the same bytes
# plain (a fleet of this run), and the time that commands take for it: all in turn, CPU seconds of user and
# system. The sum of all samples of a series by SQL, for 10^5, 10^6 and 10^7 samples, is linear or not.
set -u

. tools/tests/support/lib.sh

rounds=${ROUNDS:-5}
samples=10000000
events=1000000

# cpu NAME COMMAND...: adds the seconds to $work/NAME.s.
cpu() {
    cpu_name=$1
    shift
    /usr/bin/time -o "$work/cpu" -f '%U %S' "$@" >"$work/printed" 2>"$work/error" || return 1
    awk '{ print $1 + $2 }' "$work/cpu" >>"$work/$cpu_name.s"
}

# sum N: of the run of N samples; the answer must have all of them.
sum() {
    cpu "sum$1" "$TARE" db query "$work/$1.db" "SELECT count(*), sum(value) FROM sample WHERE series = 'idle'" &&
        test "$(tail -n 1 "$work/printed" | cut -f 1)" -eq "$1"
}

bench_store() {
    for n in 100000 1000000 $samples; do
        "$TEST_BIN/big_log" $n $((n / 10)) >"$work/$n.log" &&
            "$TARE" decode "$work/$n.log" -o "$work/$n.db" 2>"$work/error" || return 1
    done
    "$TARE" db add "$work/plain.db" "$work/$samples.db" >"$work/printed" 2>"$work/error" || return 1
    for round in $(seq "$rounds"); do
        echo "store, round $round of $rounds" >&2
        cpu decode "$TARE" decode "$work/$samples.log" -o "$work/again.db" &&
            cpu show "$TARE" show "$work/$samples.db" && sum 100000 && sum 1000000 && sum $samples || return 1
        [ -z "$zstd" ] || cpu zstd zstd -q -1 -f "$work/plain.db" -o "$work/plain.zst" || return 1
    done
    cmp "$work/again.db" "$work/$samples.db" >"$work/error"
}

report_store() {
    size=$(stat -c %s "$work/$samples.db")
    bench_row 'run file of 10^7 samples and 10^6 events' "$size B" "bar: 12000000; log $(stat -c %s "$work/$samples.log") B"
    bench_row 'a sample or an event' "$(awk -v b="$size" -v n=$((samples + events)) 'BEGIN { printf "%.3f", b / n }') B" 'bar: 1.2'
    if [ -n "$zstd" ]; then
        bench_row 'the same plain, zstd -1' "$(stat -c %s "$work/plain.zst") B" \
            "of $(stat -c %s "$work/plain.db"); $(median_of "$work/zstd.s") s, $(spread "$work/zstd.s")"
    else
        bench_row 'the same plain, zstd -1' none 'zstd is not installed'
    fi
    for name in decode show sum100000 sum1000000 sum$samples; do
        bench_row "$name, CPU" "$(median_of "$work/$name.s") s" "$(spread "$work/$name.s")"
    done
    bench_row 'sum of 10^7 samples over that of 10^6' \
        "$(awk -v a="$(median_of "$work/sum$samples.s")" -v b="$(median_of "$work/sum1000000.s")" 'BEGIN { printf "%.1f", a / b }')" \
        'bar: 12'
}

zstd=$(command -v zstd)
if bench_store; then
    report_store
else
    bench_row 'run file of 10^7 samples and 10^6 events' none "failed: $(tail -n 1 "$work/error")"
    exit 1
fi
