#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# All tests: sources, unit tests, shell tests. Shell tests run two at a time; what each says is
# printed when it is done, failures again at the end. The last line is the sum.
set -u

cd "$(dirname "$0")/../.." || exit 1
tests=tools/tests
results=build/test
rm -rf "$results"
mkdir -p "$results"
start=$(date +%s)

announce() {
    printf '%4d s  %s\n' $(($(date +%s) - start)) "$*"
}

# run NAME COMMAND...: output to $results/NAME.txt; a test that dies without its sum counts as one
# failure.
run() {
    run_name=$1
    shift
    run_status=0
    "$@" >"$results/$run_name.txt" 2>&1 || run_status=$?
    if ! grep -qE '[0-9]+ passed, [0-9]+ failed' "$results/$run_name.txt"; then
        if [ "$run_status" -eq 0 ]; then
            echo "$run_name: 1 passed, 0 failed" >>"$results/$run_name.txt"
        else
            echo "FAIL  $run_name: status $run_status" >>"$results/$run_name.txt"
            echo "$run_name: 0 passed, 1 failed" >>"$results/$run_name.txt"
        fi
    fi
    announce "$run_name: $(grep -E '[0-9]+ passed, [0-9]+ failed' "$results/$run_name.txt" |
        tail -n 1 | sed 's/^[a-z_]*: //')"
}

for check in lint-format lint-cppcheck lint-tidy; do
    MAKEFLAGS='' run $check make --no-print-directory INNER=1 PICOLIBC="${PICOLIBC:-}" $check
done

# Two lanes, so that both processors have something to do; each boots one machine at a time.
lane() {
    for test in "$@"; do
        if [ -e "$tests/$test.sh" ]; then
            run "$test" sh "$tests/$test.sh"
        else
            run "$test" "build/host/tests/$test"
        fi
    done
}

one_lane=
other_lane=
for source in "$tests"/unit_*.c; do
    other_lane="$other_lane $(basename "$source" .c)"
    swapped=$one_lane
    one_lane=$other_lane
    other_lane=$swapped
done
# shellcheck disable=SC2086 # words
lane $one_lane &
# shellcheck disable=SC2086
lane $other_lane
wait

FUZZ_SECONDS=${FUZZ_SECONDS:-2} lane test_exact test_report test_sources test_image test_counting \
    test_smm test_tasks test_process test_model test_show test_svg test_export test_watch test_keys \
    machine_checks input_machine pmu_table pmu_silicon test_system test_switching test_host \
    test_store test_db test_hostile_files fuzz &
lane test_machines test_capture test_lossy_boot test_bochs pmu_machine test_events test_input \
    test_interactive test_memory test_seed3 test_processors test_compare test_sim test_sim_trace \
    test_sim_convolve test_sweep test_install
wait

sed -n '/^back end/,/^$/p' "$results/pmu_table.txt"

cat "$results"/*.txt | grep -E '^(FAIL|skip)  |: failed: ' || true
cat "$results"/*.txt | awk '
    match($0, /[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$/) {
        split(substr($0, RSTART), n, /[ ,a-z]+/)
        passed += n[1]; failed += n[2]; skipped += n[3]
    }
    END {
        printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
        exit failed > 0 || passed == 0
    }'
