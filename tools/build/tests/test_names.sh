#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# names.sh accepts the tree, and refuses a name that is typed where a macro belongs.
set -u

. tools/tests/support/lib.sh

tree=$work/tree
mkdir "$tree"
cp -r boot kernel bench tools "$tree" || exit 1

# refuses NAME FILE SED WANTED: with that change of the file names.sh fails and prints the name.
refuses() {
    cp "$tree/$2" "$work/kept"
    sed "$3" "$work/kept" >"$tree/$2"
    if cmp -s "$work/kept" "$tree/$2"; then
        fail "$1" "sed changes nothing: $3"
    else
        tools/build/names.sh "$tree" >"$work/printed"
        status=$?
        check "$1" "status $status: $(tail -n 2 "$work/printed")" test "$status" = 1 -a \
            "$(grep -c "^$2:[0-9]*: \"$4\"" "$work/printed")" -ge 1
    fi
    cp "$work/kept" "$tree/$2"
}

tools/build/names.sh "$tree" >"$work/printed"
status=$?
check 'names: none is typed again' "$(tail -n 5 "$work/printed")" test "$status" = 0

refuses 'names: a fact that the image types' kernel/run/publish.c \
    's/FACT_SAMPLE_TICKS/"sample_ticks"/' sample_ticks
refuses 'names: a fact that the host types' tools/trace/reconcile.c \
    's/FACT_SAMPLE_TICKS/"sample_ticks"/' sample_ticks
refuses 'names: a plain word as a fact' bench/noise/host/view_gap.c 's/FACT_DEAD/"dead"/' dead
refuses 'names: a bench that names itself' bench/noise/gap.c 's/\.name = BENCH_GAP/.name = "gap"/' gap
refuses 'names: a bench of a figure' bench/counters/host/figures_counters.c \
    's/(run, BENCH_COUNTERS)/(run, "counters")/' counters
refuses 'names: a unit' tools/present/metrics_of.c 's/(series, UNIT_HZ)/(series, "hz")/' hz
refuses 'names: an array of names' bench/memory/host/memory_benches.c 's/PART_WALK/"walk"/' walk
refuses 'names: a state in a comparison' tools/base/colour.c 's/STATE_SKIP/"SKIP"/' SKIP
refuses 'names: a record' tools/wire/assembly.c 's/{RECORD_CRASH,/{"crash",/' crash
refuses 'names: a suffix in a format' tools/present/metrics_of.c 's/"%s" SUFFIX_X/"%s.x"/' '%s.x'

sed -i 's/^\( *\)bench_fact(run, FACT_STOPPED_BY,/\1bench_fact(run, "unheard_of", UNIT_TICK, 0);\n&/' \
    "$tree/bench/noise/flight.c"
refuses 'names: one that no header has' bench/noise/host/gap_bench.c \
    's/FACT_UNKEPT/"unheard_of"/' unheard_of
cp "$tree/bench/noise/host/noise_values.c" "$work/kept"
echo 'PLUGIN_OF(unheard_of, .order = 500);' >>"$tree/bench/noise/host/noise_values.c"
tools/build/names.sh "$tree" >"$work/printed"
status=$?
check 'names: a reading of a bench that the image has not' "status $status: $(cat "$work/printed")" \
    test "$status" = 1 -a "$(grep -c 'no bench "unheard_of"' "$work/printed")" = 1
cp "$work/kept" "$tree/bench/noise/host/noise_values.c"

# One name stands in one place: its new name is an error of the compiler wherever it is read.
sed -i 's/FACT_SAMPLE_TICKS/FACT_TICKS_OF_SAMPLE/' "$tree/kernel/run/names.h"
readers=$(cd "$tree" && grep -rl FACT_SAMPLE_TICKS kernel tools --include='*.c' | grep -v /tests/)
for reader in $readers; do
    (cd "$tree" && cc -std=gnu17 -fsyntax-only -I. -D_GNU_SOURCE "$reader") >"$work/output" 2>&1
    status=$?
    check "names: sample_ticks has another name: $reader" "status $status" \
        test "$status" != 0 -a "$(grep -c "FACT_SAMPLE_TICKS.*undeclared" "$work/output")" -ge 1
done
check 'names: sample_ticks is read in image and host' "$readers" \
    test "$(echo "$readers" | cut -d/ -f1 | sort -u | tr '\n' ' ')" = 'kernel tools '
finish
