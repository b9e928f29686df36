#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tare boot --gdb: the printed lines, typed into gdb, stop at the bench's function, and the run goes on to its end.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

# In the background, with its messages in $work/NAME.txt; $process is its id.
begin() {
    begin_name=$1
    shift
    timeout $limit "$TARE" boot --mode exact --log "$work/$begin_name.log" -o "$work/$begin_name.db" "$@" "$image" \
        >"$work/$begin_name.txt" 2>&1 &
    process=$!
    wait_for 120 grep -q '^    continue$' "$work/$begin_name.txt"
    check "$begin_name: the lines for gdb are printed" "$(cat "$work/$begin_name.txt")" \
        grep -q '^    continue$' "$work/$begin_name.txt"
}

test_stop() {
    begin stopped --gdb order
    {
        sed -n '/type:$/,$ s/^    //p' "$work/stopped.txt"
        # shellcheck disable=SC2016
        printf '%s\n' backtrace 'info line *$pc' continue
    } >"$work/lines"
    timeout 60 gdb -nx -batch -x "$work/lines" >"$work/gdb.txt" 2>&1 </dev/null
    check 'it stops at the function of the bench, in its file' "$(cat "$work/gdb.txt")" \
        grep -qE '^#0 .*run \(run=.*\) at bench/tasks/order.c:[0-9]+$' "$work/gdb.txt"
    check 'the caller is shown' "$(cat "$work/gdb.txt")" grep -q 'at kernel/run/runner.c:' "$work/gdb.txt"
    check 'at its first instruction' "$(cat "$work/gdb.txt")" \
        grep -q '^Line [0-9]* of "bench/tasks/order.c" starts at address 0x[0-9a-f]* <run> and' "$work/gdb.txt"
    wait "$process"
    check 'the run ends, and is valid' "$(cat "$work/stopped.txt")" test "$?" = 0
}

test_interrupt() {
    expect_status 'Ctrl-C ends it' 1 timeout --preserve-status -s INT -k 20 15 "$TARE" boot --mode exact \
        --gdb order --bench loop,order --log "$work/log" -o "$work/run.db" "$image"
    check 'with a message' "$(cat "$work/output")" grep -q 'stopped by a signal' "$work/output"
}

test_wrong() {
    expect_status 'an unknown bench' 2 "$TARE" boot --mode exact --gdb ordr "$image"
    expect_status 'no exact mode' 1 "$TARE" boot --mode real --gdb order --log "$work/log" -o "$work/run.db" "$image"
    check 'no exact mode: the message' "$(cat "$work/output")" \
        grep -q 'tare boot: --gdb stops in exact mode only; use --mode exact' "$work/output"
    expect_status 'several boots' 2 "$TARE" boot --mode exact --gdb order --repeat 2 "$image"
}

test_stop
test_interrupt
test_wrong
finish
