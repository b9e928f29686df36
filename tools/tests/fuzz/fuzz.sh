#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Runs each fuzzer for FUZZ_SECONDS, or all of them for about FUZZ_TOTAL seconds, and FUZZ_RUNS inputs at
# most; of FUZZ_ONLY only that one ("log", "plan"). Each begins with its corpus (fuzz_corpus.sh) and what
# earlier runs found, which is in build/fuzz; crashing inputs stay there. FUZZ_SEED makes the runs
# repeatable in what they try first. The table at the end goes to build/fuzz/table.txt as well.
#
# FUZZ_TABLE names the table of all runs, to which this run is added (fuzz_table.awk): `make fuzz` keeps
# it in tools/tests/fuzz/table.txt. Rates are by processor time, which a busy machine does not change.
set -u

. tools/tests/support/lib.sh

. "$(dirname "$0")/fuzz_corpus.sh"

line='%-12s %12s %10s %7s %9s %8s\n'

# Temporary files in memory. ASan's copies of strstr() and strlen() measure a whole page at each call;
# what a freed block held, and where it came from, is kept for less of the past.
if [ -w /dev/shm ]; then
    TMPDIR=$(mktemp -d /dev/shm/tare-fuzz.XXXXXX) || exit 1
    export TMPDIR
    trap 'rm -rf "$work" "$TMPDIR"' EXIT
fi
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_sigill=1:intercept_strstr=0:intercept_strlen=0:malloc_context_size=5:quarantine_size_mb=16"

# statistic NAME FILE: the value of this statistic of libFuzzer, 0 if it is missing.
statistic() {
    awk -v key="stat::$1:" '$1 == key { value = $2 } END { print value + 0 }' "$2"
}

# processor_seconds FILE: what children took, of the second line of `times`.
processor_seconds() {
    awk 'NR == 2 { gsub(/[ms]/, " "); print $1 * 60 + $2 + $3 * 60 + $4 }' "$1"
}

# rate COUNT SECONDS
rate() {
    awk -v count="$1" -v seconds="$2" 'BEGIN { printf "%d", (seconds > 0 ? count / seconds : 0) }'
}

# fuzz PROGRAM SECONDS: a row of the table.
fuzz() {
    name=$(basename "$1")
    name=${name#fuzz_}
    corpus=build/fuzz/$name
    printed=$work/$name
    mkdir -p "$corpus"
    copy_corpus "$name" "$corpus" || {
        fail "$name" 'its corpus cannot be unpacked'
        return
    }
    status=0
    (
        inner=0
        "$1" -max_total_time="$2" -runs="${FUZZ_RUNS:--1}" -seed="${FUZZ_SEED:-1}" -max_len=10000 -timeout=20 -rss_limit_mb=1024 \
            -dict=tools/wire/tests/log.dict -artifact_prefix="build/fuzz/$name-" -print_final_stats=1 \
            "$corpus" >"$printed" 2>&1 || inner=$?
        times >"$work/fuzz.times"
        exit "$inner"
    ) || status=$?
    edges=$(grep -o 'cov: [0-9]*' "$printed" | tail -n 1)
    first=$(grep 'INITED' "$printed" | grep -o 'cov: [0-9]*')
    spent=$(processor_seconds "$work/fuzz.times")
    # shellcheck disable=SC2059 # the format of all rows
    printf "$line" "$name" "$(statistic number_of_executed_units "$printed")" \
        "$(rate "$(statistic number_of_executed_units "$printed")" "$spent")" "${edges#cov: }" \
        "$(find "$corpus" -type f | wc -l)" "$status" >>"$work/fuzz.table"
    echo "$name $(statistic number_of_executed_units "$printed") $spent ${first#cov: } ${edges#cov: } $status" >>"$work/fuzz.rows"
    check "$name: $2 s, ${edges:-no coverage}" "$(tail -n 5 "$printed" | tr '\n' ' ')" \
        test "$status" -eq 0
}

count=0
for program in build/host/tests/fuzz_*; do
    count=$((count + 1))
done
seconds=${FUZZ_SECONDS:-60}
if [ -n "${FUZZ_TOTAL:-}" ]; then
    seconds=$((FUZZ_TOTAL / count))
    [ "$seconds" -gt 0 ] || seconds=1
fi
mkdir -p build/fuzz
# shellcheck disable=SC2059
printf "$line" parser executions 'a second' edges inputs status >"$work/fuzz.table"
for program in build/host/tests/fuzz_*; do
    if [ -z "${FUZZ_ONLY:-}" ] || [ "$(basename "$program")" = "fuzz_$FUZZ_ONLY" ]; then
        fuzz "$program" "$seconds"
    fi
done
cp "$work/fuzz.table" build/fuzz/table.txt
cat "$work/fuzz.table"
if [ -n "${FUZZ_TABLE:-}" ]; then
    touch "$FUZZ_TABLE"
    awk -f "$(dirname "$0")/fuzz_table.awk" "$FUZZ_TABLE" "$work/fuzz.rows" >"$work/all" &&
        cat "$work/all" >"$FUZZ_TABLE" && tail -n 1 "$FUZZ_TABLE"
fi
finish
