#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The options of `tare show`: which tables they give, and what is said where they make no sense.
set -u

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# says NAME STATUS TEXT ARGUMENT...: `tare show` ends with that status and says the text.
says() {
    says_name=$1
    says_status=$2
    says_text=$3
    shift 3
    expect_status "$says_name" "$says_status" "$TARE" show "$@"
    check "$says_name: as it must" "$(cat "$work/output")" grep -qF -- "$says_text" "$work/output"
}

not_has() {
    ! grep -qF -- "$1" "$work/output"
}

make_runs() {
    "$TEST_BIN/fake_image" --stdout >"$work/run.log"
    expect_status 'a log with traces is decoded' 0 "$TARE" decode "$work/run.log" -o "$work/run.db"
}

test_tables() {
    says 'all of a run has the accounts' 0 'where every tick of' "$work/run.db"
    says '--threads' 0 'why threads did not run' --threads "$work/run.db"
    check '--threads: no other table' 'more' not_has 'machine'
    says '--irqs' 0 'no interrupt came' --irqs "$work/run.db"
    says '--avail' 0 'over 20 intervals of 10.00 ms' --avail 10 "$work/run.db"
    says '--avail: parts of a millisecond' 0 'intervals of 2.500 us' --avail 0.0025 "$work/run.db"
    says '--delays: by name' 0 'ping' --delays ping "$work/run.db"
    says '--delays: by number' 0 'ping' --delays 1 --slowest 1000 "$work/run.db"
    says 'several at once' 0 'why threads did not run' --threads --avail 1 --bench switches \
        "$work/run.db"
    says '--bench' 0 'gap: ' --bench gap "$work/run.db"
    check '--bench: no other' 'more' not_has 'idle: '
}

test_refused() {
    says '--avail: a number above 0' 2 '--avail 0: must be milliseconds' --avail 0 "$work/run.db"
    says '--avail: nothing behind it' 2 '--avail 1x: must be' --avail 1x "$work/run.db"
    says '--slowest: from 1' 2 '--slowest 0: must be a number from 1 to 1000' --delays ping \
        --slowest 0 "$work/run.db"
    says '--slowest: of --delays' 2 '--slowest needs --delays' --slowest 3 "$work/run.db"
    says '--json goes alone' 2 '--json goes with no other option' --json --irqs "$work/run.db"
    says '--samples goes alone' 2 '--samples goes with no other option' --samples idle/floor \
        --bench idle "$work/run.db"
    says 'no such thread' 1 'no thread "nobody" in the run; there are: ' --delays nobody \
        "$work/run.db"
    says 'no such bench' 1 'no bench "nowhere" in the run; there are: idle, gap, switches' \
        --bench nowhere "$work/run.db"
    says 'a bench without trace' 1 'bench gap of this run was not traced; traced are: switches' \
        --bench gap --threads "$work/run.db"
}

test_input_refused() {
    says '--events: none in the bench' 1 'no input events in bench gap' --events --bench gap \
        "$work/run.db"
    says '--fsm: none in the run' 1 'no input events in any bench of this run' --fsm "$work/run.db"
    says '--interarrival: a number' 2 '--interarrival "x": must be milliseconds' \
        --interarrival 100,x "$work/run.db"
    says '--threshold: a kind' 2 '--threshold "key=5": must be KIND=MS' --events \
        --threshold key=5 "$work/run.db"
    says '--threshold: of --events' 2 '--threshold needs --events' --fsm --threshold all=5 \
        "$work/run.db"
    says '--transitions: a number' 2 '--transitions 0: must be a number, or all' --fsm \
        --transitions 0 "$work/run.db"
    says '--transitions: of --fsm' 2 '--transitions needs --fsm' --events --transitions 3 \
        "$work/run.db"
    says '--json goes alone, without --fsm' 2 '--json goes with no other option' --json --fsm \
        "$work/run.db"
}

make_runs
test_tables
test_refused
test_input_refused
finish
