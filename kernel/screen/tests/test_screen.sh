#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The page of the screen, read back from screen dumps of three sizes, own and borrowed: while a bench
# runs, at the end, with a bench that failed, and where an exception ended the run. Every cell must be
# a glyph of the font, so nothing that benches drew is left, and nothing may lie outside the cells.
set -u

# shellcheck source-path=SCRIPTDIR source=lib.sh
. tools/tests/support/lib.sh
# shellcheck source-path=SCRIPTDIR source=boot.sh
. tools/tests/image/boot.sh
# shellcheck source-path=SCRIPTDIR source=screen.sh
. tools/tests/support/screen.sh

export MTOOLS_SKIP_CHECK=1 MTOOLSRC=/dev/null

# show SIZE PLAN: boots with a screen of that size, until quit.
show() {
    no_serial "exit=halt $2" -device "VGA,edid=on,xres=${1%x*},yres=${1#*x}" \
        -monitor "unix:$work/monitor,server=on,wait=off" &
    machine=$!
}

quit() {
    printf 'quit\n' | socat - "unix-connect:$work/monitor" >"$work/monitor.out" 2>&1
    wait $machine
}

is_clean() {
    [ "$(head -n 2 "$work/screen.ppm" | sed -n 2p)" = "${1%x*} ${1#*x}" ] &&
        ! grep -q "$(printf '\177')" "$work/screen.txt" &&
        "$TEST_BIN/screen_text" --outside "$work/screen.ppm" >"$work/outside"
}

# has WHAT PATTERN...: are all on the screen? A check each.
has() {
    what=$1
    shift
    for pattern in "$@"; do
        check "$what: \"$pattern\"" 'is not on the screen' grep -q "$pattern" "$work/screen.txt"
    done
}

# has_benches NAMES: has each a line?
has_benches() {
    number=0
    for name in $1; do
        number=$((number + 1))
        grep -qE "(^| )$name( |…)" "$work/screen.txt" || return 1
    done
    [ "$number" -gt 0 ]
}

# All benches of a run on the smallest of the three, where they take most of the room: three columns.
# Interactive benches draw on the screen before.
test_all() {
    show 800x600 'machine=own'
    check '800x600: the end of a run of all benches' "$(cat "$work/screen.txt")" \
        wait_for 100 screen_settles 'What this machine did'
    check '800x600: every cell is a glyph, and nothing is outside' "$(cat "$work/outside")" \
        is_clean 800x600
    has 800x600 '^tare [0-9.]*: the empty machine, weighed .*2024-01-01T' 'QEMU TCG CPU' \
        'own: firmware has left · exact time' '^\([0-9]*\) of \1 benches: [0-9]* OK  [0-9]* SKIP' \
        '^the log  could not be saved'
    check '800x600: no bench is left out' 'one is' \
        has_benches 'aliasing burst click disklatency echo gap idle keystroke maximize timerlat tlb'
    has '800x600: the reason of a bench without a figure' 'together  *SKIP  *only one'
    check '800x600: no bench is counted as left out' 'one is' sh -c \
        "! grep -q 'more benches' '$work/screen.txt'"
    quit
}

# Borrowed, with a bench that failed; and a bench that runs meanwhile.
test_running() {
    show 1280x800 'bench=clock,gap,idle,loop gap.ms=20 idle.ms=60000 noise.stop_us=1'
    check '1280x800: while a bench runs' "$(cat "$work/screen.txt")" \
        wait_for 60 screen_shows '^Bench 3 of 4: idle: .* about [0-9]* [a-z]* of virtual time left$'
    check '1280x800: every cell is a glyph, and nothing is outside' "$(cat "$work/outside")" \
        is_clean 1280x800
    has '1280x800: while a bench runs' '^====' '^The worst so far' 'idle  *runs' \
        '^3 of 4 benches: 1 OK  1 FAIL: gap'
    check '1280x800: the end of the run' "$(cat "$work/screen.txt")" \
        wait_for 60 screen_settles 'What this machine did'
    has '1280x800: borrowed, at the end' 'borrowed: firmware stays' \
        '^4 of 4 benches: 3 OK  1 FAIL: gap' '^gap.* FAIL' \
        '^[a-zA-Z]*   *[a-z ]*gap[a-zA-Z ]*: noise.stop_us=1: processor 0 was away for [0-9]* ns, ' \
        '^the log  is on the boot drive: tare-0001.log'
    quit
    check '1280x800: the log is there' 'it is not' \
        mcopy -n -o -i "$work/disk.img@@1M" ::tare-0001.log "$work/run.log"
    "$TARE" decode -o "$work/run.db" "$work/run.log" >"$work/run.out" 2>"$work/run.err"
    # Whether a run is valid only the host knows.
    sqlite3 "$work/run.db" "SELECT text FROM finding WHERE rule <> 'invalid' LIMIT 1" |
        cut -c 1-100 | sed 's/[].[*^$]/./g' >"$work/finding"
    has '1280x800: the worst finding of the log' "$(grep . "$work/finding" || echo none)"
}

test_crash() {
    show 800x1280 'machine=own bench=clock,fault,loop fault.kind=df'
    check '800x1280: the end of a run that crashed' "$(cat "$work/screen.txt")" \
        wait_for 60 screen_settles 'What this machine did'
    check '800x1280: every cell is a glyph, and nothing is outside' "$(cat "$work/outside")" \
        is_clean 800x1280
    has '800x1280: crashed' '^2 of 3 benches: 1 OK  1 CRASH: fault' \
        '^CRASH    fault: an exception ended the run: its report is below' \
        'fault  *CRASH an exception ended the run' '^tare: CRASH #DF double fault' \
        '^tare:   rip  *0000' '^tare: the run ends here' '^the log  could not be saved'
    quit
}

machine_or_finish 'the screen'
: >"$work/outside"
: >"$work/screen.txt"
tools/build/mkimage.sh --mib 0 "$work/disk.img" "$image"
test_all
test_running
test_crash
finish
