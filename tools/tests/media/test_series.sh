#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A series of boots from one stick: the name of the setting is typed at the keyboard, the machine restarts
# by itself, the logs are counted by their names, and their runs are grouped. Nothing runs without a
# writable drive.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh
# shellcheck disable=SC2034 # of no_serial
icount_shift=6
. tools/tests/support/screen.sh
export MTOOLS_SKIP_CHECK=1 MTOOLSRC=/dev/null

short='clock.reads=50 gap.ms=20'
: >"$work/none"
tools/build/mkimage.sh --small "$work/disk.img" "$image" "$work/none"

# start PLAN: the machine in the background; its line is $work/line, its keyboard $work/monitor.
start() {
    rm -f "$work/monitor" "$work/line"
    serial="file:$work/line" no_serial "$1" -monitor "unix:$work/monitor,server=on,wait=off" &
    machine=$!
}

type_keys() {
    for key in "$@"; do
        monitor "sendkey $key" >/dev/null
    done
}

asks() {
    grep -aq "$1" "$work/line" 2>/dev/null
}

names() {
    mdir -b -i "$work/disk.img@@1M" '::/tare-*' | sed 's|^::/||' | sort | tr '\n' ' '
}

start "profile=quick bench=clock,gap $short boots=3 setting=ask"
check 'series: the image asks for the name' 'it does not' wait_for 60 asks 'Type a name'
type_keys s m x backspace t minus o n ret
wait $machine
check 'series: three boots, then it is off' "$?, $(names)" \
    test "$(names)" = 'tare-setting tare-smt-on-0001.log tare-smt-on-0002.log tare-smt-on-0003.log '
mkdir "$work/runs"
mcopy -i "$work/disk.img@@1M" '::/tare-smt*' "$work/runs"
expect_status 'series: each log is a run' 0 "$TARE" decode "$work"/runs/*.log
"$TARE" show "$work/runs/tare-smt-on-0002.db" >"$work/show.txt"
check 'series: the run has the name' "$(cat "$work/show.txt")" grep -q 'smt-on' "$work/show.txt"
"$TARE" show --full "$work/runs/tare-smt-on-0002.db" >"$work/show.txt"
check 'series: the profile and the name are in the plan' "$(cat "$work/show.txt")" \
    grep -q 'bench=clock,contextswitch,echo' "$work/show.txt"

start "bench=clock $short boots=3 setting=ask"
check 'series: the next one asks again, with the last name' 'it does not' wait_for 60 asks 'without a key: smt-on'
check 'series: a minute without a key takes the last name' "$(tail -c 200 "$work/line")" wait_for 60 asks 'tare-smt-on-0004.log'
monitor quit >/dev/null
wait $machine

readonly=,readonly=on
serial="file:$work/line" no_serial "bench=clock $short boots=3" >"$work/output"
check 'series: a read-only drive is refused' "$(names)" grep -aq 'boots=3: needs a log file on the boot drive' "$work/line"
check 'series: nothing ran on it' "$(tail -n 3 "$work/line")" test "$(grep -ac 'bench clock: OK' "$work/line")" = 0
finish
