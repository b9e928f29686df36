#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
#     tools/tests/run.sh [TEST]...
#
# All tests, or those that are named: checks of the sources (lint-NAME), unit tests, shell tests. Two at a time,
# or as many as there are processors: each worker takes the next free test, the longest first, so that all end
# together. One more worker has the tests that wait most of their time. When a test ends, its sum is printed; at
# the end its failures are. The last line is the sum over all tests.
#
# A test has passed if its status is 0 and the last sum in its output is its own, without a failure. What else
# may become of it is a failure by name. Its result goes to the last line through a pipe, so that no full disk
# can lose it; each test that was meant to run is counted there.
#
# Before the failures the slowest 20 tests are listed by the processor seconds that they took, each with its seconds
# and the share of a processor. Processes that a killed test leaves, or that no shell waited for, are not counted.
#
#   TEST_SECONDS   time limit of a test, after which it is killed with all that it started (default 900)
#   TEST_WORKERS   tests at a time besides those that wait (default: processors, at least two)
#   TEST_ROOTS     folders in which tests are looked for (default: all of this tree)
#   TEST_RESULTS   folder for NAME.txt, the output of each test (default build/test)
set -u

cd "$(dirname "$0")/../.." || exit 1
limit=${TEST_SECONDS:-900}
results=${TEST_RESULTS:-build/test}
mkdir -p "$results" && rm -rf "${results:?}"/* && mkdir "$results/taken" || exit 1
start=$(date +%s)
# Set by make when it began to build.
built=${TEST_STARTED:+$((start - TEST_STARTED))}
tests_at_once=${TEST_WORKERS:-$(nproc)}
[ -n "${TEST_WORKERS:-}" ] || [ "$tests_at_once" -ge 2 ] || tests_at_once=2
unset TEST_STARTED TEST_WORKERS

# Tests lie in the module that they test.
# shellcheck disable=SC2086 # one word a folder
found=$(find ${TEST_ROOTS:-boot kernel bench tools} -name "test_*.sh" -o -name "unit_*.c" -o -name matrix.sh -o -name fuzz.sh | LC_ALL=C sort)

# kill_session ID: what a test that is over its limit leaves, also what has another process group.
kill_session() {
    # shellcheck disable=SC2046 # one word a process
    kill -KILL $(cat /proc/[0-9]*/stat 2>/dev/null | awk -v id="$1" '
        { process = $1; sub(/.*\) /, "") } $4 == id { print process }') 2>/dev/null
}

# processor_seconds: what the children of this shell took between two outputs of `times`.
processor_seconds() {
    awk -F '[ms ]+' 'NR % 2 == 0 { spent = 60 * ($1 + $3) + $2 + $4 - spent } END { printf "%.1f", spent }'
}

# judge NAME STATUS SECONDS SPENT: reads the output of a test, prints "NAME SECONDS SPENT PASSED FAILED SKIPPED WHY";
# WHY is empty if it passed. A check of the sources needs no sum. What an inner program counted as failed counts here.
judge() {
    awk -v name="$1" -v status="$2" -v seconds="$3" -v spent="$4" -v limit="$limit" '
        /^([a-z0-9_]+: )?[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$/ {
            own = $0 ~ /^[0-9]/ || index($0, name ": ") == 1
            sub(/^[a-z0-9_]+: /, "")
            split($0, n, /[ ,a-z]+/)
            bad += n[2]
        }
        END {
            if (!own) { n[1] = name ~ /^lint-/ && status == 0; n[3] = 0 }
            why = bad > 0 ? bad " failed" : ""
            if (!own && !n[1]) { why = "no own sum" }
            if (own && n[1] + n[3] + bad == 0) { why = "its sum is 0 tests" }
            ending = status > 128 ? "signal " status - 128 : "status " status
            if (status != 0) { why = (bad > 0 ? why ", " : "") ending }
            if (status == 124 || (status == 137 && seconds >= limit)) { why = "no end in " limit " s: killed" }
            print name, seconds, spent + 0, n[1] + 0, why != "" && bad == 0 ? 1 : bad + 0, n[3] + 0, why
        }'
}

# run NAME COMMAND...: output to $results/NAME.txt. In a separate session: that is what is killed. It ends
# with its worker.
run() {
    run_name=$1
    shift
    run_status=0
    run_start=$(date +%s)
    run_times=$results/taken/$run_name.times
    command times >"$run_times"
    setpriv --pdeathsig TERM setsid timeout -k 5 "$limit" "$@" >"$results/$run_name.txt" 2>&1 </dev/null &
    run_session=$!
    wait "$run_session" || run_status=$?
    command times >>"$run_times"
    case $run_status in
    124 | 137) kill_session "$run_session" ;;
    esac
    cat "$results/$run_name.txt" 2>/dev/null | judge "$run_name" "$run_status" $(($(date +%s) - run_start)) \
        "$(processor_seconds <"$run_times")"
}

# Those that wait for lines and keys most of the time: some fifth of a processor is enough for them.
waiting='test_capture test_keys test_boot_checks test_lossy_boot test_watch test_suite test_gdb test_camera'

# The long ones, longest first; a + b are run one after the other, by one worker. Whatever else there
# is comes after them: it takes seconds.
long='test_paper lint-tidy test_exact+test_report+test_page test_bochs lint-cppcheck test_smp test_no_serial test_mutants matrix
    test_inject test_machines test_media test_readme test_recipe test_check test_model_processors test_profile test_under fuzz pmu_machine
    test_new_field test_snapshot test_install test_export test_db test_timerlat test_tasks test_smp_benches test_corrupt_log test_hostile_files
    test_interactive test_actions test_noise test_network test_two_images test_findings test_exec test_file_names test_process test_smm test_screen
    test_borrow test_disturbed test_counting test_count test_web test_model test_input test_secure_boot lint-format test_sim
    test_sim_convolve test_sim_run test_memory test_compare test_ci test_events
    test_host test_switching test_system test_disk_benches test_disks
    test_firmware test_disk_contention test_sensitivity unit_hostile unit_decoder
    test_processors test_names test_loaders test_uart test_special test_questions test_statuses'
programs='machine_checks cause_machine ahci_machine alarm_machine e1000_machine idle_machine input_machine uart_machine nvme_machine virtio_machine
    virtio_net_machine recorder_machine pmu_table pmu_silicon
    lint-modules lint-cycles lint-names lint-links lint-lists lint-counts'

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
            LWIP="${LWIP:-$(tools/build/source.sh lwip)}" \
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

# worker ENTRY...: takes those tests of the list that are free; who makes the folder has the test.
worker() {
    for entry; do
        mkdir "$results/taken/$entry" 2>/dev/null || continue
        for test in $(echo "$entry" | tr + ' '); do
            one "$test"
        done
    done
}

# slowest: reads lines "SPENT SECONDS NAME", and prints those of the 20 slowest tests and the sum.
slowest() {
    sort -rn | awk -v wall=$(($(date +%s) - start)) -v processors="$(nproc)" -v built="${built:-}" '
        function row(spent, seconds, name) {
            printf "%11.1f  %7d  %4d %%  %s\n", spent, seconds, 100 * spent / (seconds > 0 ? seconds : 1), name
        }
        NR == 1 { print "\nprocessor s        s   share  slowest tests" }
        NR <= 20 { row($1, $2, $3) }
        { spent += $1 }
        END {
            row(spent, wall * processors, "all " NR " tests in " wall " s on " processors " processors")
            if (built != "") { print "built in " built " s" }
            print ""
        }'
}

# collect TEST...: reads what judge() printed of these, and prints it with the time since the start. Then the
# slowest, the failures, and the sum.
collect() {
    passed=0 failed=0 skipped=0 ended=' ' failures= costs=
    while read -r name seconds spent good bad left_out why; do
        ended="$ended$name "
        costs="$costs$spent $seconds $name
"
        passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + left_out))
        [ -z "$why" ] || failures="${failures}FAIL  $name: $why
"
        printf '%4d s  %3d s  %s: %d passed, %d failed, %d skipped\n' $(($(date +%s) - start)) "$seconds" "$name" \
            "$good" "$bad" "$left_out"
    done
    for name; do
        case $ended in
        *" $name "*) ;;
        *)
            failed=$((failed + 1))
            failures="${failures}FAIL  $name: no worker ran it to its end
"
            ;;
        esac
    done
    sed -n '/^matrix of machines/,/^$/p' "$results/matrix.txt" 2>/dev/null
    sed -n '/^back end/,/^$/p' "$results/pmu_table.txt" 2>/dev/null
    printf '%s' "$costs" | slowest
    grep -hE '^(FAIL|skip)  |: failed: ' "$results"/*.txt
    printf '%s' "$failures"
    echo "$passed passed, $failed failed, $skipped skipped" && [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}

# What a fast parser has not met in so many inputs, it does not meet in a second either: `make fuzz`.
export FUZZ_SECONDS="${FUZZ_SECONDS:-1}" FUZZ_RUNS="${FUZZ_RUNS:-5000}"
# Where undefined behaviour traps.
export ASAN_OPTIONS="${ASAN_OPTIONS:-handle_sigill=1}"
list=$*
if [ $# -gt 0 ]; then
    waiting=
else
    listed=$waiting
    list=$(all_tests)
fi
workers=$tests_at_once
trap 'kill 0' HUP INT TERM
# shellcheck disable=SC2086,SC2046 # one word a test
{
    worker $waiting &
    while [ "$workers" -gt 0 ]; do
        worker $list &
        workers=$((workers - 1))
    done
    wait
} | collect $(echo "$waiting" "$list" | tr + ' ')
