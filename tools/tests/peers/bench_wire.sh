#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# make bench ONLY=wire: what a run takes on the line, in exact time and, with much noise, in real time
# under an emulator. Sizes of the exact run are the same in each boot.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

baud=115200

# size NAME KIND COLUMN: of $work/NAME.sizes; 2: frames, 3: bytes, 4: items.
size() {
    awk -v kind="$2" -v column="$3" '$1 == kind { print $column }' "$work/$1.sizes"
}

# each NAME KIND: bytes for each item.
each() {
    awk -v kind="$2" '$1 == kind && $4 > 0 { printf "%.3f", $3 / $4 }' "$work/$1.sizes"
}

# sizes NAME BOOT-OPTION...: boots into $work/NAME.log; what its frames take goes to $work/NAME.sizes.
sizes() {
    sizes_name=$1
    shift
    boot "$sizes_name" 0 --profile all "$@" >"$work/booted"
    grep -q '^pass' "$work/booted" &&
        "$TEST_BIN/wire_sizes" "$work/$sizes_name.log" >"$work/$sizes_name.sizes"
}

# report NAME RECORD-BAR SAMPLE-BAR
report() {
    bench_row "$1: a record of a trace, of $(size "$1" traces 4)" "$(each "$1" traces) B" "bar: $2"
    bench_row "$1: a sample, of $(size "$1" series 4)" "$(each "$1" series) B" "bar: $3"
    bench_row "$1: records of text, of $(size "$1" meta 4) B" "$(each "$1" meta)" 'bar: 0.25 of it'
}

if ! sizes exact --shift 6 || ! sizes noisy --mode real; then
    cat "$work/booted" >&2
    exit 1
fi
report exact 0.6 0.12
bench_row 'exact: the whole run' "$(size exact all 3) B" "bar: 75000; $(size exact all 2) frames"
bench_row "exact: home, at $baud baud" \
    "$(awk -v b="$(size exact all 3)" -v r=$baud 'BEGIN { printf "%.1f", b * 10 / r }') s" 'bar: 7 s'
report noisy 2.2 1.5
bench_row 'noisy: the whole run' "$(size noisy all 3) B" "$(size noisy all 2) frames"
