#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# All tests: sources, unit tests, shell tests. Two at a time, or as many as there are processors:
# each worker takes the next free test, the longest first, so that all end together. One more worker
# has the tests that wait most of their time. The output of each is printed when it ends, failures
# again at the end. The last line is the sum.
set -u

cd "$(dirname "$0")/../.." || exit 1
results=build/test
rm -rf "$results"
mkdir -p "$results"
start=$(date +%s)

# announce BEGIN TEXT: when it ended, and how long it took.
announce() {
    announce_now=$(date +%s)
    printf '%4d s  %3d s  %s\n' $((announce_now - start)) $((announce_now - $1)) "$2"
}

# run NAME COMMAND...: output to $results/NAME.txt; a test that dies without its sum counts as one
# failure.
run() {
    run_name=$1
    shift
    run_status=0
    run_start=$(date +%s)
    "$@" >"$results/$run_name.txt" 2>&1 || run_status=$?
    if ! grep -qE '[0-9]+ passed, [0-9]+ failed' "$results/$run_name.txt"; then
        if [ "$run_status" -eq 0 ]; then
            echo "$run_name: 1 passed, 0 failed" >>"$results/$run_name.txt"
        else
            echo "FAIL  $run_name: status $run_status" >>"$results/$run_name.txt"
            echo "$run_name: 0 passed, 1 failed" >>"$results/$run_name.txt"
        fi
    fi
    run_sum=$(grep -E '[0-9]+ passed, [0-9]+ failed' "$results/$run_name.txt" | tail -n 1 |
        sed 's/^[a-z_]*: //')
    announce "$run_start" "$run_name: $run_sum"
}

# Those that wait for lines and keys most of the time: some fifth of a processor is enough for them.
waiting='test_capture test_keys test_boot_checks test_lossy_boot test_watch'

# The long ones, longest first; a + b are run one after the other, by one worker. Whatever else there
# is comes after them: it takes seconds.
long='lint-tidy test_exact+test_report+test_page test_bochs matrix lint-cppcheck fuzz pmu_machine
    test_timerlat test_machines test_tasks test_verdicts test_inject test_export test_corrupt_log test_hostile_files
    test_interactive test_exec test_findings test_file_names test_process test_smm test_no_serial test_screen test_borrow test_disturbed test_counting
    test_model test_input test_secure_boot lint-format test_sim
    test_sim_convolve test_sim_run test_install test_memory test_compare test_ci test_events
    test_host test_switching test_system test_disk_benches test_disks test_media
    test_firmware test_disk_contention test_sensitivity test_noise test_network unit_hostile unit_decoder test_recipe
    test_db test_processors test_names test_loaders test_uart test_special test_questions test_statuses'
programs='machine_checks cause_machine ahci_machine alarm_machine e1000_machine idle_machine input_machine uart_machine nvme_machine virtio_machine
    virtio_net_machine sdhci_machine recorder_machine pmu_table pmu_silicon
    lint-rooms lint-cycles lint-names lint-links lint-counts'

# Tests lie in the room that they test.
found=$(find boot kernel bench tools -name "test_*.sh" -o -name "unit_*.c" -o -name matrix.sh -o -name fuzz.sh | LC_ALL=C sort)

# Each test once, in the order in which they begin.
all_tests() {
    for test in $long $programs $found; do
        test=${test##*/}
        test=${test%.*}
        case " $listed " in
        *[\ +]"$test"[\ +]*) continue ;;
        esac
        listed="$listed $test"
        echo "$test"
    done
}

# one TEST: lint by its make goal on one processor, a shell test, or a test program.
one() {
    case $1 in
    lint-*)
        # Of each function the analyzer looks at less than in `make lint`, which takes twice as long.
        MAKEFLAGS='' run "$1" make --no-print-directory INNER=1 PICOLIBC="${PICOLIBC:-}" \
            LWIP="${LWIP:-$(tools/build/lwip.sh)}" \
            LINT_JOBS=1 TIDY_NODES=8000 "$1"
        ;;
    *)
        if script=$(echo "$found" | grep -m 1 "/$1\.sh$"); then
            run "$1" sh "$script"
        else
            run "$1" "build/host/tests/$1"
        fi
        ;;
    esac
}

# worker LIST: takes tests of it until none is left; who makes the folder has the test. The list is not
# the tests' input: one that read it would leave others out.
worker() {
    while read -r entry <&3; do
        mkdir "$results/taken/$entry" 2>/dev/null || continue
        for test in $(echo "$entry" | tr + ' '); do
            one "$test" </dev/null 3<&-
        done
    done 3<"$1"
}

# What a fast parser has not met in so many inputs, it does not meet in a second either: `make fuzz`.
export FUZZ_SECONDS="${FUZZ_SECONDS:-1}" FUZZ_RUNS="${FUZZ_RUNS:-30000}"
# Where undefined behaviour traps.
export ASAN_OPTIONS="${ASAN_OPTIONS:-handle_sigill=1}"
mkdir "$results/taken"
listed=$waiting
echo "$waiting" | tr ' ' '\n' >"$results/taken/waiting"
all_tests >"$results/taken/list"
workers=$(nproc)
[ "$workers" -ge 2 ] || workers=2
worker "$results/taken/waiting" &
while [ "$workers" -gt 0 ]; do
    worker "$results/taken/list" &
    workers=$((workers - 1))
done
wait

cat "$results/taken/waiting" "$results/taken/list" >"$results/taken/all"
while read -r entry; do
    [ -d "$results/taken/$entry" ] || echo "FAIL  $entry: no worker ran it
$entry: 0 passed, 1 failed" >"$results/not-run-$entry.txt"
done <"$results/taken/all"
sed -n '/^matrix of machines/,/^$/p' "$results/matrix.txt"
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
