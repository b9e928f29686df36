#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# `tare capture` against fake_image, over good lines and bad ones: the run file of a line that loses
# bytes must be the clean one's, to the byte. No machine is booted.
set -u

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

fake=$TEST_BIN/fake_image
proxy=$TEST_BIN/lossy_proxy
limit=60

# start_fake ARGUMENT...: in the background; its last words go to $work/fake.
start_fake() {
    rm -f "$work/image" "$work/tty"
    "$fake" --timeout $limit "$@" >"$work/fake" 2>&1 &
    fake_pid=$!
}

# After bye the image ends by itself. Otherwise it is ended here.
end_fake() {
    kill "$fake_pid" 2>/dev/null
    wait "$fake_pid" 2>/dev/null
}

wait_bye() {
    wait_for 5 grep -q bye= "$work/fake"
}

# capture DEVICE [OPTION]...: into $work/log and $work/db.
capture() {
    rm -f "$work/log" "$work/db"
    timeout $limit "$TARE" capture --timeout 50 --log "$work/log" -o "$work/db" "$@"
}

same_run() {
    cmp -s "$work/clean.db" "$work/db"
}

test_clean() {
    start_fake --socket "$work/image"
    wait_for 5 test -S "$work/image"
    expect_status 'clean: valid' 0 capture "$work/image"
    wait_bye
    check 'clean: one bye and nothing else is sent' "$(cat "$work/fake")" \
        grep -qx 'get=0 status=0 bye=1 damaged=0' "$work/fake"
    end_fake
    cp "$work/db" "$work/clean.db"
    "$fake" --stdout >"$work/plain"
    check 'clean: the log is what was sent' 'it is not' cmp -s "$work/plain" "$work/log"
}

test_one_way() {
    expect_status 'one way: valid' 0 capture - <"$work/plain"
    check 'one way: same run file' 'another' same_run
    head -c 60000 "$work/plain" >"$work/short"
    expect_status 'one way, cut short: invalid' 1 capture - <"$work/short"
    check 'one way, cut short: run file all the same' 'none' test -s "$work/db"
    start_fake --socket "$work/image"
    wait_for 5 test -S "$work/image"
    expect_status 'one way on a socket: valid' 0 capture --one-way "$work/image"
    check 'one way on a socket: same run file' 'another' same_run
    expect_status 'one way on a socket: nothing was sent, a second one is served' 0 \
        capture "$work/image"
    check 'second capture: same run file' 'another' same_run
    end_fake
}

test_end_lost() {
    start_fake --socket "$work/image" --no-end
    wait_for 5 test -S "$work/image"
    expect_status 'END lost: valid' 0 capture "$work/image"
    wait_bye
    check 'END lost: it was asked for once' "$(cat "$work/fake")" \
        grep -q 'get=0 status=1' "$work/fake"
    check 'END lost: same run file' 'another' same_run
    end_fake
}

test_late() {
    start_fake --socket "$work/image" --no-run
    wait_for 5 test -S "$work/image"
    expect_status 'late: valid' 0 capture "$work/image"
    check 'late: same run file' 'another' same_run
    end_fake
}

test_text() {
    start_fake --socket "$work/image" --format text
    wait_for 5 test -S "$work/image"
    expect_status 'text format: valid' 0 capture "$work/image"
    check 'text format: same run file' 'another' same_run
    end_fake
}

test_tty() {
    start_fake --pty "$work/tty"
    wait_for 5 test -e "$work/tty"
    expect_status 'tty: valid' 0 capture "$work/tty" --baud 115200
    check 'tty: same run file' 'another' same_run
    end_fake
    start_fake --pty "$work/tty" --silent
    wait_for 5 test -e "$work/tty"
    expect_status 'tty: no such speed' 1 capture "$work/tty" --baud 12345
    check 'tty: the speeds are named' "$(cat "$work/output")" grep -q 115200 "$work/output"
    end_fake
}

# lossy NAME SEED FORMAT PROXY-OPTION...
lossy() {
    lossy_name="$1, seed $2, $3"
    lossy_seed=$2
    start_fake --socket "$work/image" --format "$3"
    wait_for 5 test -S "$work/image"
    shift 3
    rm -f "$work/line"
    "$proxy" --timeout $limit --seed "$lossy_seed" "$@" "$work/image" "$work/line" &
    proxy_pid=$!
    wait_for 5 test -S "$work/line"
    expect_status "$lossy_name: valid" 0 capture "$work/line"
    check "$lossy_name: same run file" 'another' same_run
    mv "$work/log" "$work/kept"
    expect_status "$lossy_name: the log is valid" 0 capture - <"$work/kept"
    check "$lossy_name: the log gives the same run file" 'another' same_run
    kill "$proxy_pid" 2>/dev/null
    wait "$proxy_pid" 2>/dev/null
    end_fake
}

test_lossy() {
    for seed in 1 2 3; do
        lossy 'drops 1e-4' $seed binary --drop 1e-4
        lossy 'drops 1e-3' $seed binary --drop 1e-3
    done
    lossy 'all kinds 1e-3' 4 binary --drop 4e-4 --flip 3e-4 --double 3e-4
    lossy 'all kinds 1e-3' 5 text --drop 4e-4 --flip 3e-4 --double 3e-4
}

test_dead() {
    start_fake --socket "$work/image" --silent
    wait_for 5 test -S "$work/image"
    expect_status 'dead device: fails' 1 capture "$work/image" --timeout 1
    check 'dead device: says so' "$(cat "$work/output")" grep -q 'nothing came' "$work/output"
    check 'dead device: no run file' 'there is one' test ! -e "$work/db"
    end_fake
    expect_status 'no such device' 1 capture "$work/nothing"
    expect_status 'a file is no device' 1 capture "$work/plain"
    expect_status 'a dead socket is refused' 1 capture "$work/image"
}

test_usage() {
    expect_status 'unknown option' 2 "$TARE" capture --colour "$work/image"
    check 'unknown option: it is named' "$(cat "$work/output")" grep -q -- --colour "$work/output"
    expect_status 'no device' 2 "$TARE" capture
    expect_status 'time-out that is no number' 2 "$TARE" capture --timeout soon "$work/image"
    expect_status 'option without value' 2 "$TARE" capture "$work/image" --log
}

for program in "$TARE" "$fake" "$proxy"; do
    if [ ! -x "$program" ]; then
        fail "$program" 'is not built'
        finish
        exit
    fi
done
test_clean
test_one_way
test_end_lost
test_late
test_text
test_tty
test_lossy
test_dead
test_usage
finish
