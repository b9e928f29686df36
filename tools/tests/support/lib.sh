# SPDX-License-Identifier: BSD-2-Clause
#
# Common to the shell tests, which source it: results, waits that end, a folder of one's own.
#
#     TARE       the host program          (default build/tare)
#     TEST_BIN   the test programs' folder (default build/host/tests)
#
# shellcheck shell=sh

TARE=${TARE:-build/tare}
TEST_BIN=${TEST_BIN:-build/host/tests}
passed=0
failed=0
skipped=0

# As wide as in a file, on whatever terminal the tests run.
unset COLUMNS

work=$(mktemp -d "${TMPDIR:-/tmp}/tare-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

pass() {
    passed=$((passed + 1))
    echo "pass  $1"
}

fail() {
    failed=$((failed + 1))
    echo "FAIL  $1: $2"
}

skip() {
    skipped=$((skipped + 1))
    echo "skip  $1: $2"
}

# check NAME WHY COMMAND...: passes if the command succeeds.
check() {
    check_name=$1
    check_why=$2
    shift 2
    if "$@"; then
        pass "$check_name"
    else
        fail "$check_name" "$check_why"
    fi
}

# inner_make GOAL...: make without its set-up step, in the folder $tree if it is set; nothing is fetched.
# Output in $work/make.txt.
inner_make() {
    picolibc=${PICOLIBC:-$(tools/build/picolibc.sh)}
    uplot=${UPLOT:-$(tools/build/uplot.sh)}
    lwip=${LWIP:-$(tools/build/lwip.sh)}
    MAKEFLAGS='' make --no-print-directory -C "${tree:-.}" INNER=1 PICOLIBC="$picolibc" \
        LWIP="$lwip" UPLOT="$uplot" "$@" >"$work/make.txt" 2>&1
}

# expect_status NAME STATUS COMMAND...: the output is left in $work/output.
expect_status() {
    expect_name=$1
    expect_wanted=$2
    shift 2
    expect_got=0
    "$@" >"$work/output" 2>&1 || expect_got=$?
    if [ "$expect_got" -eq "$expect_wanted" ]; then
        pass "$expect_name"
    else
        fail "$expect_name" "status $expect_got, not $expect_wanted: $(tail -n 5 "$work/output")"
    fi
}

# wait_for SECONDS COMMAND...: until the command succeeds; false if it does not in that time. The
# command must not wait_for itself: there is one count.
wait_for() {
    wait_left=$(($1 * 20))
    shift
    until "$@"; do
        [ "$wait_left" -gt 0 ] || return 1
        wait_left=$((wait_left - 1))
        sleep 0.05
    done
}

# up_to COUNT COMMAND...: until the command succeeds, COUNT times at most; false if it never does. It is
# for what a busy host may spoil, and the command must not call it.
up_to() {
    up_to_left=$1
    shift
    until "$@"; do
        up_to_left=$((up_to_left - 1))
        [ "$up_to_left" -gt 0 ] || return 1
        echo "again: $*"
    done
}

# The last line of a test: its exit status is 0 if all passed.
finish() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
}
