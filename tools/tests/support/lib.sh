# SPDX-License-Identifier: BSD-2-Clause
#
# Sourced by the shell tests: results, waits with a time limit, a temporary folder.
#
#     TARE       the host program          (default build/tare)
#     TEST_BIN   the test programs' folder (default build/host/tests)
#
# shellcheck shell=sh

TARE=${TARE:-build/tare}
TEST_BIN=${TEST_BIN:-build/host/tests}
# Python scripts import plain.py.
export TARE PYTHONPATH="$PWD/tools/tests/support" PYTHONDONTWRITEBYTECODE=1
passed=0
failed=0
skipped=0

# Tables are as wide as in a file, on whatever terminal the tests run.
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

# query FILE SQL: the answer of tare db query without its line of names, as sqlite3 prints it.
query() {
    "$TARE" db query "$1" "$2" | tail -n +2 | tr '\t' '|'
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

# edit_run FILE SQL...: changes a run file as no tare would, and makes it one that tare wrote: without a seal.
edit_run() {
    edited=$1
    shift
    rm -f "$work/edited.fleet"
    sqlite3 "$edited" "DELETE FROM run WHERE key = 'file.content' OR key LIKE 'seal%'" "$@" 2>"$work/edited" &&
        "$TARE" db add "$work/edited.fleet" "$edited" >"$work/edited" 2>&1 &&
        "$TARE" db extract "$work/edited.fleet" 1 -o "$edited" >"$work/edited" 2>&1
}

# bench_row WHAT FIGURE MORE: a line of a bench's report.
bench_row() {
    printf '%-58s %14s  %s\n' "$1" "$2" "$3"
}

# median_of [FILE]: of the numbers in the file, or of the input.
median_of() {
    sort -g "$@" | awk '{ v[NR] = $1 } END { if (NR > 0) print v[int((NR + 1) / 2)] }'
}

# spread FILE: how many numbers it has, from the smallest to the largest, and the load of this machine.
spread() {
    sort -g "$1" | awk '{ v[NR] = $1 } END { printf "n %d, %s to %s, load ", NR, v[1], v[NR] }'
    cut -d ' ' -f 1 /proc/loadavg
}

# inner_make GOAL...: make without its set-up step, in the folder $tree if it is set; nothing is downloaded.
# The output goes to $work/make.txt.
inner_make() {
    picolibc=${PICOLIBC:-$(tools/build/picolibc.sh)}
    uplot=${UPLOT:-$(tools/build/npm.sh uplot)}
    lwip=${LWIP:-$(tools/build/source.sh lwip)}
    MAKEFLAGS='' make --no-print-directory -C "${tree:-.}" INNER=1 PICOLIBC="$picolibc" \
        LWIP="$lwip" UPLOT="$uplot" "$@" >"$work/make.txt" 2>&1
}

# expect_status NAME STATUS COMMAND...: passes if the status is this; the output goes to $work/output.
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

# wait_for SECONDS COMMAND...: waits until the command succeeds; false if the time expires first. The
# command must not call wait_for itself, because there is only one counter.
wait_for() {
    wait_left=$(($1 * 20))
    shift
    until "$@"; do
        [ "$wait_left" -gt 0 ] || return 1
        wait_left=$((wait_left - 1))
        sleep 0.05
    done
}

# up_to COUNT COMMAND...: runs the command until it succeeds, at most COUNT times. Returns false if it never
# does. For commands that a busy host may make fail; the command must not call up_to itself.
up_to() {
    up_to_left=$1
    shift
    until "$@"; do
        up_to_left=$((up_to_left - 1))
        [ "$up_to_left" -gt 0 ] || return 1
        echo "again: $*"
    done
}

# tare_commands: prints the name of each command of the host program.
tare_commands() {
    "$TARE" help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p'
}

# machine_or_finish WHAT: without QEMU or its firmware $firmware, skips WHAT and ends the test.
machine_or_finish() {
    if ! command -v qemu-system-x86_64 >"$work/which" || [ ! -r "$firmware" ]; then
        skip "$1" 'no QEMU or no OVMF'
        finish
        exit
    fi
}

# Prints the last line of a test; the exit status is 0 if all checks passed.
finish() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
}
