#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The options of `tare show`: which tables they give, and what is printed where they make no sense.
set -u

# shellcheck source-path=SCRIPTDIR source=lib.sh
. tools/tests/support/lib.sh

# prints NAME STATUS TEXT ARGUMENT...: `tare show` ends with that status and prints the text.
prints() {
    prints_name=$1
    prints_status=$2
    prints_text=$3
    shift 3
    expect_status "$prints_name" "$prints_status" "$TARE" show "$@"
    check "$prints_name: as it must" "$(cat "$work/output")" grep -qF -- "$prints_text" "$work/output"
}

not_has() {
    ! grep -qF -- "$1" "$work/output"
}

make_runs() {
    "$TEST_BIN/fake_image" --stdout >"$work/run.log"
    expect_status 'a log with traces is decoded' 0 "$TARE" decode "$work/run.log" -o "$work/run.db"
}

test_tables() {
    prints 'all of a run has the accounts' 0 'where every tick of' --full "$work/run.db"
    prints '--threads' 0 'why threads did not run' --threads "$work/run.db"
    check '--threads: no other table' 'more' not_has 'machine'
    prints '--irqs' 0 'no interrupt occurred' --irqs "$work/run.db"
    prints '--avail' 0 'over 10 intervals of 10.00 ms' --avail 10 "$work/run.db"
    prints '--avail: parts of a millisecond' 0 'intervals of 2.500 us' --avail 0.0025 "$work/run.db"
    prints '--delays: by name' 0 'ping' --delays ping "$work/run.db"
    check '--delays: no bench that has no such thread' "$(cat "$work/output")" \
        test "$(grep -c '^[a-z]' "$work/output")" = 1
    prints '--delays: by number' 0 'ping' --delays 1 --slowest 1000 "$work/run.db"
    prints 'several at once' 0 'why threads did not run' --threads --avail 1 switches "$work/run.db"
    prints 'a bench by its name' 0 'gap: ' gap "$work/run.db"
    check 'a bench by its name: no other' 'more' not_has 'idle: '
    prints 'two benches' 0 'idle: ' idle gap "$work/run.db"
    check 'two benches: both, and no other' "$(cat "$work/output")" \
        test "$(grep -cE '^(idle|gap|switches): ' "$work/output")" = 2
}

# The run in brief: findings, verdict, a line a bench, what shows more.
test_digest() {
    prints 'in brief: the verdict' 0 'VALID  ' "$work/run.db"
    check 'in brief: a line a bench' "$(cat "$work/output")" \
        test "$(grep -cE '^  (idle|gap|switches) +OK ' "$work/output")" = 3
    check 'in brief: the line has n and p50 of the main figure' "$(grep '^  idle' "$work/output")" \
        grep -qE '^  idle +OK +[a-z]+ +[0-9,]+ +[0-9]' "$work/output"
    check 'in brief: how to see more' "$(tail -n 3 "$work/output")" \
        grep -qF "show --full $work/run.db" "$work/output"
    check 'in brief: no table of a bench' 'one is there' not_has 'expected'
    COLUMNS=60 "$TARE" show "$work/run.db" >"$work/output"
    check 'in brief: 60 columns' "$(widest)" test "$(grep -v 'tare' "$work/output" | wc -L)" -le 60
    COLUMNS=10 "$TARE" show "$work/run.db" >"$work/narrow"
    check 'no less than 60 columns' 'it differs' cmp -s "$work/narrow" "$work/output"
    COLUMNS=160 "$TARE" show "$work/run.db" >"$work/output"
    check 'in brief: 160 columns have what a bench is' "$(cat "$work/output")" \
        grep -q 'p99.*what it is' "$work/output"
}

test_refused() {
    prints '--avail: a number above 0' 2 '--avail 0: must be milliseconds' --avail 0 "$work/run.db"
    prints '--avail: nothing after it' 2 '--avail 1x: must be' --avail 1x "$work/run.db"
    prints '--slowest: from 1' 2 '--slowest 0: must be a number from 1 to 1000' --delays ping \
        --slowest 0 "$work/run.db"
    prints '--slowest: of --delays' 2 '--slowest needs --delays' --slowest 3 "$work/run.db"
    prints '--full is of all benches' 2 'cannot be combined with benches' --full gap "$work/run.db"
    prints '--full is of all tables' 2 '--full and --irqs exclude each other' --full --irqs "$work/run.db"
    prints '--json goes without BENCH' 2 'cannot be combined with benches' --json gap "$work/run.db"
    prints '--why is of --estimates' 2 '--why needs --estimates' --why "$work/run.db"
    prints '--statistics goes with benches only' 2 '--statistics and --fsm exclude each other' \
        --statistics --fsm "$work/run.db"
    prints 'a run file in place of a bench' 2 'more than one run file given' "$work/no.db" "$work/run.db"
    prints '--json goes alone' 2 '--json and --irqs exclude each other' --json --irqs "$work/run.db"
    prints '--samples goes alone' 2 'cannot be combined with benches' --samples idle/floor \
        idle "$work/run.db"
    prints 'no such thread' 1 'this run has no thread "absent"; it has: ' --delays absent \
        "$work/run.db"
    check 'no such thread: each is named once' "$(cat "$work/output")" \
        test "$(tr -s ':,' '\n' <"$work/output" | grep -cx ' ping')" = 1
    prints 'no such series' 1 \
        'this run has no series "idle/flor"; did you mean idle/floor? Bench idle has: idle/floor' \
        --samples idle/flor "$work/run.db"
    check 'no such series: those of the bench' "$(cat "$work/output")" not_has 'gap/'
    prints 'no such series, nor bench' 1 'and no bench "idel"; its benches: idle, gap, switches' \
        --samples idel/floor "$work/run.db"
    prints 'no such bench' 1 'this run has no bench "nowhere"; it has: idle, gap, switches' \
        nowhere "$work/run.db"
    prints 'a bench without trace' 1 'bench gap has no trace; benches with a trace: switches' \
        --threads gap "$work/run.db"
}

test_input_refused() {
    prints '--events: none in the bench' 1 'bench gap has no input events' --events gap \
        "$work/run.db"
    prints '--fsm: none in the run' 1 'this run has no input events; run an interactive bench' --fsm "$work/run.db"
    prints '--interarrival: a number' 2 '--interarrival "x": must be milliseconds' \
        --interarrival 100,x "$work/run.db"
    prints '--threshold: of a class' 2 '--threshold "key_down": must be CLASS=MS' --events \
        --threshold key_down "$work/run.db"
    prints '--measure: one of three' 2 '--measure busy: must be idle, service, response, call or weighted' --events \
        --measure busy "$work/run.db"
    prints '--by: one of three' 2 '--by key: must be phase, class or action' --events --by key "$work/run.db"
    prints '--above: a time' 2 '--above "x": must be milliseconds' --events --above x "$work/run.db"
    prints '--above: of --events' 2 '--measure, --by and --above need --events' --fsm --above 50ms \
        "$work/run.db"
    prints '--threshold: of --events' 2 '--threshold needs --events' --fsm --threshold all=5 \
        "$work/run.db"
    prints '--json goes alone, without --fsm' 2 '--json and --fsm exclude each other' --json --fsm \
        "$work/run.db"
}

# widest: the most characters of a line of $work/output.
widest() {
    LC_ALL=C.UTF-8 wc -L <"$work/output"
}

# Each of the tables, on a run of all kinds of series, in both character sets.
test_width() {
    for locale in C C.UTF-8; do
        for options in '' --full --threads --irqs --disks '--avail 0.01' '--delays ping' --estimates '--estimates --why'; do
            # shellcheck disable=SC2086 # words
            LC_ALL=$locale "$TARE" show $options "$work/run.db" >"$work/output" 2>&1
            check "show ${options:-all}, $locale: 80 columns" "$(widest)" test "$(widest)" -le 80
        done
    done
    for command in $(tare_commands) ''; do
        # shellcheck disable=SC2086 # none is a word less
        "$TARE" help $command >"$work/output"
        check "help ${command:-of all}: 80 columns" "$(widest)" test "$(widest)" -le 80
    done
}

has_escape() {
    grep -q "$(printf '\033')" "$work/output"
}

no_escape() {
    ! has_escape
}

# Without colours it is the same to the byte.
test_colours() {
    env -u NO_COLOR -u CLICOLOR_FORCE "$TARE" show --full "$work/run.db" >"$work/output"
    check 'colours: none into a pipe or file' 'some' no_escape
    cp "$work/output" "$work/plain"
    "$TARE" --color always show --full "$work/run.db" >"$work/output"
    check 'colours: --color always, before the command' 'none' has_escape
    sed "s/$(printf '\033')\[[0-9]*m//g" "$work/output" >"$work/stripped"
    check 'colours: tables stay in line' "$(diff "$work/plain" "$work/stripped" | head -n 4)" \
        cmp -s "$work/plain" "$work/stripped"
    "$TARE" show --full --color=never "$work/run.db" >"$work/output"
    check 'colours: --color=never, after it' 'some' no_escape
    # On a terminal: script makes one.
    on_terminal "$TARE --no-pager show $work/run.db"
    check 'colours: on a terminal' 'none' has_escape
    on_terminal "NO_COLOR=1 $TARE --no-pager show $work/run.db"
    check 'colours: not with NO_COLOR' 'some' no_escape
    on_terminal "PAGER='sed s/^/paged:/' $TARE show $work/run.db"
    check 'pager: on a terminal' "$(head -n 2 "$work/output")" grep -q '^paged:.*VALID' \
        "$work/output"
    PAGER='sed s/^/paged:/' "$TARE" show --full "$work/run.db" >"$work/output"
    check 'pager: nowhere else' 'paged' not_has paged:
    prints '--color: a word it does not know' 2 '--color sometimes: must be auto, always or never' \
        --color sometimes "$work/run.db"
}

on_terminal() {
    env -u NO_COLOR -u CLICOLOR_FORCE TERM=xterm script -qec "$1" /dev/null </dev/null \
        >"$work/output" 2>&1
}

test_commands() {
    expect_status 'an unknown command' 2 "$TARE" shwo
    check 'the nearest is named' "$(cat "$work/output")" grep -q 'did you mean show?' "$work/output"
    expect_status 'one like none' 2 "$TARE" weigh-it
    check 'none is named' "$(cat "$work/output")" not_has "did you mean"
}

make_runs
test_tables
test_digest
test_width
test_colours
test_commands
test_refused
test_input_refused
finish
