#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Runs each fuzzer for FUZZ_SECONDS. The corpus starts empty, or from build/fuzz where an earlier run
# left one; crashing inputs stay there. FUZZ_SEED makes the runs repeatable in what they try first.
set -u

. "$(dirname "$0")/lib.sh"

for program in build/host/tests/fuzz_*; do
    name=$(basename "$program")
    corpus=build/fuzz/$name
    mkdir -p "$corpus"
    [ "$name" != fuzz_log ] || build/host/tests/fake_image --stdout | head -c 8192 >"$corpus/log"
    [ "$name" != fuzz_model ] || cp tools/tests/models/*.model "$corpus"
    [ "$name" != fuzz_convolve ] || cp tools/tests/models/*.convolve "$corpus"
    if "$program" -max_total_time="${FUZZ_SECONDS:-60}" -seed="${FUZZ_SEED:-1}" -max_len=8192 \
        -rss_limit_mb=1024 -dict=tools/tests/log.dict -artifact_prefix="build/fuzz/$name-" -print_final_stats=1 "$corpus" \
        >"$work/$name" 2>&1; then
        pass "$name: $(awk '/number_of_executed_units/ { print $2 }' "$work/$name") inputs, $(
            grep -o 'cov: [0-9]*' "$work/$name" | tail -n 1)"
    else
        fail "$name" "$(tail -n 5 "$work/$name" | tr '\n' ' ')"
    fi
done
finish
