#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# make bench: what a run costs. Times are wall-clock and belong to the machine of the day; pairs are
# run in turn, and the median counts.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

rounds=${ROUNDS:-5}

# seconds COMMAND...: wall-clock time with three decimals.
seconds() {
    seconds_start=$(date +%s%N)
    "$@" >/dev/null 2>&1
    awk -v ns=$(($(date +%s%N) - seconds_start)) 'BEGIN { printf "%.3f\n", ns / 1e9 }'
}

for round in $(seq "$rounds"); do
    echo "round $round of $rounds" >&2
    seconds boot none 0 --bench none >>"$work/none"
    seconds boot default 0 --profile all >>"$work/default"
done
boot default 0 --profile all >/dev/null
boot minute 0 --shift 6 --bench idle --set idle.ms=60000 --set idle.tick_hz=0 >/dev/null

echo 'runs that count, on models' >&2
"$TEST_BIN/pmu_machine" build/image/tare.elf "$work" >"$work/models"

none=$(median_of "$work/none")
default=$(median_of "$work/default")
bench_row 'firmware and an empty plan, exact mode' "$none s" "median of $rounds"
bench_row 'firmware and all benches, exact mode' "$default s" "median of $rounds, in turn"
bench_row 'all benches beyond the firmware' \
    "$(awk -v a="$default" -v b="$none" 'BEGIN { printf "%.3f", a - b }') s" 'bar: 20 s'
bench_row 'tare.efi' "$(stat -c %s "$image") B" 'bar: 1 MiB'
bench_row 'log of 60 s of 1 ms idle samples' "$(stat -c %s "$work/minute.log") B" 'bar: 110 KB'
bench_row "banner after firmware's end, guest time" "$(value default '(.run.machine.ticks_exit_to_banner |
    tonumber) * 1e5 / .run.verdict.hz | round / 100') ms" \
    'bar: 20 ms'
bench_row 'largest error of recovered work, instructions' "$(value default '(.run.ticks_per_instruction |
    tonumber) as $ticks | .benches[] | select(.name == "load") |
    .recovery.max_error_ticks / $ticks')" 'bar: 0'
for model in intel5 k7 core v2; do
    region=".benches[] | select(.name == \"region\" and .pass == 1) | .facts"
    bench_row "empty region, $(value $model "$region | .counters") counters read, instructions, model $model" \
        "$(value $model "$region | .region_instructions")" 'bar: 60 with four'
done

echo 'paths of the kernel' >&2
boot paths 0 --bench paths,process --set paths.samples=20000 >&2

# in_instructions BENCH FILTER: ticks of that bench, as instructions.
in_instructions() {
    value paths "(.run.ticks_per_instruction | tonumber) as \$ticks |
        .benches[] | select(.name == \"$1\") | ($2) / \$ticks"
}

# median_of SERIES: jq's filter for it.
median_of() {
    echo "(.series[] | select(.name == \"$1\") | .median)"
}

bench_row 'thread switch by yield, instructions' "$(in_instructions paths "$(median_of switch)")" 'bar: 150'
bench_row 'null system call and back, instructions' \
    "$(in_instructions process "$(median_of null_call) - $(median_of empty)")" 'bar: 60'
bench_row 'a record of 3 fields, call included, instructions' \
    "$(in_instructions paths .facts.trace_record)" 'bar: 24'
bench_row 'interrupt to the stamp of its entry, instructions' "$(in_instructions paths .facts.isr_lead)" \
    'bar: 60 to the first C instruction'
bench_row 'timer, deadline to handler, instructions' "$(in_instructions paths "$(median_of timer)")" \
    "p99.9 $(in_instructions paths '.series[] | select(.name == "timer") | .p999'); bar: 100, and the same"

. "$(dirname "$0")/lttng_pair.sh"
"$(dirname "$0")/bench_wire.sh"
"$(dirname "$0")/bench_decode.sh"
"$(dirname "$0")/../../store/tests/bench_store.sh"
"$(dirname "$0")/bench_large.sh"
"$(dirname "$0")/bench_page.sh"
"$(dirname "$0")/bench_linux.sh"
"$(dirname "$0")/bench_noise.sh"
sh bench/latency/tests/bench_timerlat.sh
sh bench/noise/tests/bench_hour.sh
"$(dirname "$0")/bench_host.sh"
"$(dirname "$0")/bench_sim.sh"
sh tools/tests/image/bench_sensitivity.sh
RUNS=10000 FLAT_RUNS=2000 FILES=200 sh tools/store/tests/bench_fleet.sh
build/host/bench/change_points 200
