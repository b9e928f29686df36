#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Numbers as a person reads them: 30 printed outputs have no exponent, no five digits without separators, no
# fraction of too many digits and no column out of line (numbers.awk), and the lint finds each of these. One boot
# in exact mode, one trace without an image, models.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

lint=tools/show/tests/numbers.awk
export COLUMNS=200
printed=0

# reads_well NAME ARGUMENT...: prints one output of tare and checks its numbers.
reads_well() {
    numbers_name=$1
    shift
    "$TARE" "$@" >"$work/output" 2>&1
    check "$numbers_name" "$(awk -f "$lint" "$work/output" | head -n 5; head -n 2 "$work/output")" \
        sh -c 'test "$(wc -l <"$1")" -ge 2 && ! grep -q "^See: tare help\|cannot read" "$1" && awk -f "$2" "$1" >"$3"' sh "$work/output" "$lint" "$work/found"
    printed=$((printed + 1))
}

# finds KIND LINE: the lint finds this in a table that has the line.
finds() {
    printf '\n  name      count   share\n  a          1234  10.0 %%\n%s\n' "$2" >"$work/bad"
    awk -f "$lint" "$work/bad" >"$work/found"
    check "the lint finds: $1" "$(cat "$work/found")" test "$(cut -d: -f2 "$work/found" | sort -u)" = " $1"
}

finds exponent '  b         1e+04  10.0 %'
finds 'no separators' '  b         12345  10.0 %'
finds 'no separators' 'it took 12345 ticks'
finds 'too many digits' '  b     123.45678  10.0 %'
finds unaligned '  b     12  10.0 %'
printf '\n  name      count   share\n  ms=20000   1234  10.0 %%\n  0012345678 at /a/12345 of 2026-11-30: 12,345\n' >"$work/good"
check 'the lint leaves settings, identifiers, paths and dates alone' "$(awk -f "$lint" "$work/good")" awk -f "$lint" "$work/good"

boot run 0 --shift 6 --bench clock,echo,exits,gap,idle,load,loop,pagefault,sensitivity,netbandwidth,rtt,disklatency,chase \
    --set gap.ms=100 --set idle.ms=100 --set sensitivity.trials=2 --set load.random=8:1:20:5000 --set chase.max_kib=64 \
    --set chase.trials=2
boot other 0 --shift 6 --bench clock,echo,gap,loop --set gap.ms=100 --set gap.inject_world=5 --set echo.work_us=2100
for bench in clock echo exits gap idle load loop pagefault sensitivity netbandwidth rtt disklatency chase; do
    reads_well "show $bench" show $bench "$work/run.db"
done
reads_well 'show' show "$work/run.db"
reads_well 'show --full' show --full "$work/run.db"
reads_well 'show gap with gaps' show gap "$work/other.db"
reads_well 'show --statistics' show --statistics echo gap idle "$work/run.db"
reads_well 'show --estimates' show --estimates "$work/run.db"
for table in --threads --irqs --events --fsm '--avail 0.1' '--delays application'; do
    # shellcheck disable=SC2086 # two words
    reads_well "show $table" show $table echo "$work/run.db"
done
reads_well 'diff' diff "$work/run.db" "$work/other.db"
reads_well 'compare' compare --all --force "$work/run.db" "$work/other.db"
"$TARE" db add "$work/fleet.db" "$work/run.db" "$work/other.db" >"$work/added" 2>&1
reads_well 'db list' db list "$work/fleet.db"
mkdir "$work/history"
cp "$work/run.db" "$work/other.db" "$work/history"
reads_well 'compare --history' compare --history "$work/history"
reads_well 'sim' sim --replications 3 tools/tests/models/single1.model
reads_well 'sim of a sum' sim tools/tests/models/terminal.model
"$TEST_BIN/processors_run" "$work/threads.db" 3 6000
reads_well 'show --threads of three processors' show --threads --irqs --avail 5 "$work/threads.db"
reads_well 'watch' watch --once "$work/other.log"
check 'at least 30 outputs' "$printed" test "$printed" -ge 30
check 'gap: the answer is below the state' 'it is not' sh -c '
    "$1" show gap "$2" | grep -A 1 "^  state" | grep -q "^  answer  "' sh "$TARE" "$work/run.db"
check 'compare: no infinite change' 'it is there' sh -c '
    ! "$1" compare --all --force "$2" "$3" | grep -qi "inf\b"' sh "$TARE" "$work/run.db" "$work/other.db"
finish test_numbers
