#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# make bench ONLY=decode: a log of 10^7 samples and 10^6 events, decoded and reported, beside babeltrace2
# that prints the same events. An item is a sample or a record. CPU seconds of user and system, which
# writes the run file; in turn, and the median counts. Those of the user alone are beside them.
#
# The codecs alone: wire_sizes decodes the payloads of the log and keeps nothing. Beside them, zstd -d
# of the same samples as plain numbers, whose time includes that of writing them to a pipe's end.
set -u

. tools/tests/support/lib.sh

rounds=${ROUNDS:-5}
samples=10000000
events=1000000

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

# codecs: ns of the series' payloads, of the traces' and of both, in turn with the peers, go to
# $work/series.ns, traces.ns and both.ns; the samples have been counted.
codecs() {
    build/host/bench/wire_sizes "$work/1.log" >"$work/sizes" 2>"$work/error" || return 1
    awk '$1 == "series" { print $5 }' "$work/sizes" >>"$work/series.ns"
    awk '$1 == "traces" { print $5 }' "$work/sizes" >>"$work/traces.ns"
    awk '$1 == "series" || $1 == "traces" { n += $4; ns += $5 } END { print ns; exit n < 11000000 }' \
        "$work/sizes" >>"$work/both.ns"
    [ ! -e "$work/raw.zst" ] || cpu zstd zstd -dc "$work/raw.zst"
}

# pack_samples: $work/raw.zst, of the idle samples as 8 bytes each.
pack_samples() {
    command -v zstd >/dev/null && command -v perl >/dev/null || return 0
    "$TARE" show --samples echo/idle "$work/1.db" 2>"$work/error" | perl -ne 'print pack("q<", $_)' >"$work/raw" &&
        test "$(stat -c %s "$work/raw")" -eq $((8 * samples)) &&
        zstd -q -1 "$work/raw" -o "$work/raw.zst"
}

bench_decode() {
    for series in 1 10; do
        "$TEST_BIN/big_log" $samples $events $series >"$work/$series.log" || return 1
    done
    "$TARE" decode "$work/1.log" -o "$work/1.db" 2>"$work/error" &&
        "$TARE" export --format ctf -o "$work/ctf" "$work/1.db" 2>"$work/error" &&
        test "$(babeltrace2 --clock-seconds "$work/ctf/echo" 2>"$work/error" | wc -l)" -ge "$events" || return 1
    pack_samples || return 1
    for round in $(seq "$rounds"); do
        echo "decoding, round $round of $rounds" >&2
        cpu one "$TARE" decode "$work/1.log" -o "$work/1.db" &&
            cpu ten "$TARE" decode "$work/10.log" -o "$work/10.db" &&
            cpu theirs babeltrace2 --clock-seconds "$work/ctf/echo" &&
            codecs &&
            cpu report "$TARE" report -o "$work/page.html" "$work/1.db" || return 1
    done
}

# codec_row NAME ITEMS FILE BAR
codec_row() {
    bench_row "the codecs alone, $1" "$(rate "$2" "$(awk -v ns="$(median_of "$3")" 'BEGIN { print ns / 1e9 }')") /s" \
        "$(awk -v ns="$(median_of "$3")" -v n="$2" 'BEGIN { printf "%.1f", ns / n }') ns each; ms: $(awk \
            '{ printf "%.1f\n", $1 / 1e6 }' "$3" >"$work/ms"; spread "$work/ms")$4"
}

report_codecs() {
    for name in series traces; do
        eval "$name=$(awk -v name=$name '$1 == name { print $4 }' "$work/sizes")"
    done
    # shellcheck disable=SC2154 # assigned above
    codec_row samples "$series" "$work/series.ns" ''
    # shellcheck disable=SC2154
    codec_row records "$traces" "$work/traces.ns" ''
    codec_row both $((series + traces)) "$work/both.ns" '; bar: 50 M'
    if [ -e "$work/raw.zst" ]; then
        bench_row "zstd -d of $(($(stat -c %s "$work/raw") / 8)) samples, from $(stat -c %s "$work/raw.zst") B" \
            "$(rate $(($(stat -c %s "$work/raw") / 8)) "$(median_of "$work/zstd.s")") /s" "s: $(spread "$work/zstd.s")"
    else
        bench_row 'zstd -d of the samples' skip 'zstd and perl are not both installed'
    fi
}

report_decode() {
    report_codecs
    records=$((samples + events))
    for name in one ten; do
        seconds=$(median_of "$work/$name.s")
        bench_row "10^7 samples in $name series and 10^6 events, decode" "$seconds s" \
            "$(rate $records "$seconds") items/s, bar: 50 M ($(rate $records \
                "$(median_of "$work/$name.u")") by the user's time alone); peak $(median_of \
                "$work/$name.k") KiB, bar: 65536"
    done
    theirs=$(median_of "$work/theirs.s")
    bench_row 'the 10^6 events as text, babeltrace2' "$theirs s" \
        "$(rate $events "$theirs") events/s; peak $(median_of "$work/theirs.k") KiB"
    bench_row 'records a second, decode over babeltrace2' \
        "$(awk -v r=$records -v e=$events -v a="$(median_of "$work/one.s")" -v b="$theirs" \
            'BEGIN { printf "%.1f", r / a / (e / b) }')" 'bar: 10'
    bench_row 'tare report of that run, wall-clock' "$(median_of "$work/report.e") s" \
        "bar: 5 s; peak $(median_of "$work/report.k") KiB"
    bench_row 'its page' "$(stat -c %s "$work/page.html") B" 'bar: 6000000 B'
}

if bench_decode; then
    report_decode
else
    bench_row 'decode beside babeltrace2' none "failed: $(tail -n 1 "$work/error")"
    exit 1
fi
