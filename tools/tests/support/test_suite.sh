#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Runs the runner of all tests (run.sh) on example tests: each outcome is named and counted in the last line.
set -u

. tools/tests/support/lib.sh

# plant NAME: adds an example test, from standard input.
plant() {
    cat >"$work/planted/test_$1.sh"
}

# suite [COMMAND]...: runs all example tests, with the command if there is one, and writes the output to
# $work/output and its last line to $suite_last. The example tests are removed.
suite() {
    suite_status=0
    # shellcheck disable=SC2046 # one word a test
    env TEST_ROOTS="$work/planted" TEST_RESULTS="$results" TEST_SECONDS=2 "$@" sh tools/tests/run.sh \
        $(ls "$work/planted" | sed 's/\.sh$//') >"$work/output" 2>&1 || suite_status=$?
    suite_last=$(tail -n 1 "$work/output")
    rm -f "$work/planted"/*
}

# is_failure WHAT NAME WHY [SUM]: the last run names the test and ends with this sum over all tests.
is_failure() {
    check "$1: a failure by name" "$(cat "$work/output")" grep -qx "FAIL  test_$2: $3" "$work/output"
    check "$1: the run fails, and its last line has each test" "$suite_status $suite_last" \
        test "$suite_status $suite_last" = "1 ${4:-1 passed, 1 failed, 0 skipped}"
}

plant_good() {
    plant good <<'END'
echo '1 passed, 0 failed, 0 skipped'
END
}

# planted_case WHAT WHY [SUM]: runs the example test, from standard input, together with a good one.
planted_case() {
    plant_good
    plant bad
    suite
    is_failure "$1" bad "$2" "${3:-}"
}

mkdir "$work/planted"
results=$work/results

test_endings() {
    plant_good
    plant skips <<'END'
echo 'unit_inner: 5 passed, 0 failed'
echo '2 passed, 0 failed, 3 skipped'
END
    suite
    check 'good tests: the run passes, with the sums of each' "$(cat "$work/output")" \
        test "$suite_status $suite_last" = '0 3 passed, 0 failed, 3 skipped'
    planted_case 'a failed check' '1 failed' '3 passed, 1 failed, 0 skipped' <<'END'
echo '2 passed, 1 failed, 0 skipped'
END
    planted_case 'a passing sum with another status' 'status 3' '3 passed, 1 failed, 0 skipped' <<'END'
echo '2 passed, 0 failed, 0 skipped'
exit 3
END
    planted_case 'a signal after the sum' 'signal 9' '3 passed, 1 failed, 0 skipped' <<'END'
echo '2 passed, 0 failed, 0 skipped'
kill -KILL $$
END
    planted_case 'death after the sum of an inner program' 'status 1' <<'END'
echo 'unit_inner: 5 passed, 0 failed'
exit 1
END
    planted_case 'an end after the sum of an inner program' 'no own sum' <<'END'
echo 'unit_inner: 5 passed, 0 failed'
END
    planted_case 'a failure of an inner program alone' '2 failed' '2 passed, 2 failed, 0 skipped' <<'END'
echo 'unit_inner: 5 passed, 2 failed'
echo '1 passed, 0 failed, 0 skipped'
END
    planted_case 'no sum' 'no own sum' </dev/null
    planted_case 'a sum of nothing' 'its sum is 0 tests' <<'END'
echo '0 passed, 0 failed, 0 skipped'
END
    expect_status 'no program of that name: the run fails' 1 \
        env TEST_RESULTS="$results" sh tools/tests/run.sh unit_that_is_missing
    check 'no program of that name: a failure by name' "$(cat "$work/output")" \
        grep -qx 'FAIL  unit_that_is_missing: status 127' "$work/output"
}

# is_gone PROCESS: whether it has ended, even if its parent has not noticed.
is_gone() {
    ! grep -qs '^State:.[^Z]' "/proc/$1/status"
}

# Also processes that ignore the first signal, and those in another process group.
test_hang() {
    plant_good
    plant bad <<END
trap '' TERM
timeout 600 sleep 600 &
echo \$! >'$work/pid'
sleep 600
echo '1 passed, 0 failed, 0 skipped'
END
    suite
    is_failure 'a hang' bad 'no end in 2 s: killed'
    check 'a hang: what it started is killed too' 'it lives' is_gone "$(cat "$work/pid")"
}

test_worker() {
    plant_good
    plant bad <<'END'
# The worker that waits for this: the parent of the session's first process.
kill -KILL "$(awk '{ print $4 }' "/proc/$PPID/stat")"
sleep 60
END
    suite
    is_failure 'a worker that dies' bad 'no worker ran it to its end'
}

# There is no space for the failure and both sums.
test_full_disk() {
    results=$work/small
    mkdir -p "$results"
    plant bad <<'END'
head -c 200000 /dev/zero | tr '\0' x
echo
echo 'FAIL  something: is wrong'
echo '0 passed, 1 failed, 0 skipped'
exit 1
END
    plant late <<'END'
sleep 1
echo '1 passed, 0 failed, 0 skipped'
exit 0
END
    # shellcheck disable=SC2016 # the inner shell expands it
    if unshare --mount true 2>/dev/null; then
        suite unshare --mount sh -c 'mount -t tmpfs -o size=64k tmpfs "$TEST_RESULTS" && exec "$@"' sh
        is_failure 'a full disk: the one that failed' bad 'status 1' '0 passed, 2 failed, 0 skipped'
        is_failure 'a full disk: the one that passed' late 'no own sum' '0 passed, 2 failed, 0 skipped'
    else
        skip 'a full disk' 'needs a private mount: root'
        rm -f "$work/planted"/*
    fi
    results=$work/results
    plant bad <<'END'
head -c 200000 /dev/zero
echo '1 passed, 0 failed, 0 skipped'
END
    plant_good
    # shellcheck disable=SC2016
    suite sh -c 'ulimit -f 100 && exec "$@"' sh
    is_failure 'a file that may not grow' bad '.*'
}

# spent NAME: the processor seconds of a test in the table of the slowest.
spent() {
    awk -v name="test_$1" '$5 == name { print $1 }' "$work/output"
}

test_slowest() {
    plant burns <<'END'
sh -c 'ulimit -t 1; while :; do :; done'
echo '1 passed, 0 failed, 0 skipped'
END
    plant sleeps <<'END'
sleep 1
echo '1 passed, 0 failed, 0 skipped'
END
    suite TEST_SECONDS=60 TEST_STARTED=$(($(date +%s) - 100))
    check 'the slowest tests: one that computes' "$(cat "$work/output")" test "$(spent burns | tr -d .)" -ge 8
    check 'the slowest tests: one that sleeps' "$(cat "$work/output")" test "$(spent sleeps | tr -d .)" -le 3
    check 'the slowest tests: the first is above the second' "$(cat "$work/output")" \
        test "$(grep -Eo '%  test_[a-z]*' "$work/output" | tr -d '\n')" = '%  test_burns%  test_sleeps'
    check 'how long it took to build' "$(cat "$work/output")" grep -Eqx 'built in 10[0-5] s' "$work/output"
    check 'the slowest tests: the last line is the sum' "$suite_last" test "$suite_last" = '2 passed, 0 failed, 0 skipped'
}

test_output() {
    plant_good
    # shellcheck disable=SC2016
    suite sh -c '"$@" >/dev/full' sh
    check 'the sum cannot be printed: the run fails' "status $suite_status" test "$suite_status" -ne 0
}

test_endings
test_hang
test_worker
test_full_disk
test_slowest
test_output
finish
