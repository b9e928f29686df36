#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# `tare capture` against fake_image, over good lines and bad ones: the run file of a line that loses
# bytes must be the clean one's, to the byte. No machine is booted.
set -u

# shellcheck source-path=SCRIPTDIR source=lib.sh
. tools/tests/support/lib.sh

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

# content RUN.db: all rows but those that depend on how many frames the run has, which the format decides.
content() {
    sqlite3 "$1" .dump | grep -v "^INSERT INTO run VALUES('\(seal\|file.content\)',"
}

# same_content RUN.db RUN.db
same_content() {
    cmp -s "$1" "$2" || { content "$1" >"$work/content" && content "$2" | cmp -s "$work/content" -; }
}

same_run() {
    same_content "$work/clean.db" "$work/db"
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

# Asked whether it is there, it answers once, without delay; a one-way capture does not.
test_hello() {
    start_fake --socket "$work/image" --hello
    wait_for 5 test -S "$work/image"
    expect_status 'hello: valid' 0 capture "$work/image"
    wait_bye
    check 'hello: one, and bye' "$(cat "$work/fake")" grep -q 'hello=1 ' "$work/fake"
    check 'hello: nothing else is sent' "$(cat "$work/fake")" \
        grep -qx 'get=0 status=0 bye=1 damaged=0' "$work/fake"
    check 'hello: same run file' 'another' same_run
    end_fake
    start_fake --socket "$work/image" --hello
    wait_for 5 test -S "$work/image"
    expect_status 'hello, one way: no answer, no run' 1 \
        capture --one-way --timeout 1 "$work/image"
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
    cp "$work/output" "$work/printed"
    check "$lossy_name: same run file" 'another' same_run
    mv "$work/log" "$work/kept"
    expect_status "$lossy_name: the log is valid" 0 capture - <"$work/kept"
    check "$lossy_name: the log gives the same run file" 'another' same_run
    kill "$proxy_pid" 2>/dev/null
    wait "$proxy_pid" 2>/dev/null
    end_fake
}

test_lossy() {
    lossy 'drops 1e-4' 1 binary --drop 1e-4
    for seed in 1 2 3; do
        lossy 'drops 1e-3' $seed binary --drop 1e-3
    done
    # A frame of 1 KiB comes whole in one of 23 tries, and three requests in ten are lost.
    lossy 'drops 3e-3' 2 binary --drop 3e-3
    lossy 'all kinds 1e-3' 4 binary --drop 4e-4 --flip 3e-4 --double 3e-4
    lossy 'all kinds 1e-3' 5 text --drop 4e-4 --flip 3e-4 --double 3e-4
}

# What lines do that lead through other machines.
test_hostile() {
    lossy 'bursts of 200 bytes' 1 binary --burst 1e-4:200
    lossy 'XON and XOFF eaten' 1 binary --eat 11,13
    check 'XON and XOFF eaten: frames were asked for as text' "$(cat "$work/fake")" \
        grep -q '\[#' "$work/kept"
    lossy 'wrong speed for a while' 1 binary --garbage 50000:30000
    lossy 'a person types' 1 binary --typist 5000
    lossy 'line ends translated' 1 binary --crlf
    lossy 'line ends translated, and 1e-4 drops' 1 text --crlf --drop 1e-4
    lossy 'cut off and back again and again' 1 binary --cut 60000
    check 'cut off: it prints once that it waits' "$(grep -c gone "$work/printed")" \
        test "$(grep -c gone "$work/printed")" = 1
    check 'requests never fill the 4 KiB that the image has for them' "$(cat "$work/fake")" \
        test "$(sed -n 's/.*waiting=\([0-9]*\).*/\1/p' "$work/fake")" -lt 4096
}

# tested NAME STATUS TEXT PROXY-OPTION...: what --test-line prints of a line.
tested() {
    tested_name=$1 tested_status=$2 tested_text=$3
    shift 3
    start_fake --socket "$work/image" --no-run
    wait_for 5 test -S "$work/image"
    rm -f "$work/line"
    "$proxy" --timeout $limit "$@" "$work/image" "$work/line" &
    proxy_pid=$!
    wait_for 5 test -S "$work/line"
    expect_status "test of a line, $tested_name" "$tested_status" \
        "$TARE" capture --test-line --timeout 5 "$work/line"
    check "test of a line, $tested_name: what it prints" "$(cat "$work/output")" \
        test "$(cat "$work/output")" = "$work/line: $tested_text"
    kill "$proxy_pid" 2>/dev/null
    wait "$proxy_pid" 2>/dev/null
    expect_status "test of a line, $tested_name: the machine keeps its run" 0 capture "$work/image"
    end_fake
}

test_line() {
    text='; or boot with link.format=text, which is not damaged by it'
    tested 'nothing changed' 0 'all 256 byte values arrive as they were sent'
    tested 'XON and XOFF eaten' 1 "11h missing, 13h missing; switch software flow \
control off at each device on the way (stty -ixon -ixoff)$text" --eat 11,13
    tested 'line ends translated' 1 "0Ah changed (0Ah to 0Dh 0Ah)$text" --crlf
    start_fake --socket "$work/image" --silent
    wait_for 5 test -S "$work/image"
    expect_status 'test of a line: a dead machine' 1 \
        "$TARE" capture --test-line --timeout 1 "$work/image"
    check 'test of a line: a dead machine is named' "$(cat "$work/output")" \
        grep -q 'no answer from .* in 1 s; a machine answers while it keeps its finished run' \
        "$work/output"
    end_fake
    LC_ALL=C tr -d '\021\023' <"$work/plain" >"$work/eaten"
    expect_status 'a one-way capture without XON and XOFF: invalid' 1 capture - <"$work/eaten"
    check 'a one-way capture without XON and XOFF: the cause' "$(cat "$work/output")" \
        grep -q '11h and 13h: software flow control took them; switch it off' "$work/output"
}

# A capture that stops reading for a while loses nothing of a socket, and what a line loses it asks
# for again.
test_stopped() {
    start_fake --socket "$work/image" --pace 600000
    wait_for 5 test -S "$work/image"
    rm -f "$work/log"
    "$TARE" capture --timeout 50 --log "$work/log" -o "$work/db" "$work/image" \
        >"$work/output" 2>&1 &
    stopped=$!
    sleep 0.2
    kill -STOP $stopped
    sleep 0.7
    kill -CONT $stopped
    stopped_status=0
    wait $stopped || stopped_status=$?
    check 'stopped for a while: valid' "$(cat "$work/output")" test $stopped_status = 0
    check 'stopped for a while: same run file' 'another' same_run
    end_fake
}

# holds FILE BYTES: or more.
holds() {
    [ -e "$1" ] && [ "$(wc -c <"$1")" -ge "$2" ]
}

# resume NAME BYTES...: captures that are killed when what they have written, of the log or beside
# it, is so long; then one that is not.
resume() {
    resume_name=$1
    shift
    wait_for 5 test -S "$work/image"
    rm -f "$work"/log* "$work/db"
    written=$work/log
    for bytes in "$@"; do
        "$TARE" capture --log "$work/log" -o "$work/db" "$work/image" >"$work/output" 2>&1 &
        killed=$!
        wait_for 10 holds "$written" "$bytes"
        kill -9 $killed
        wait $killed 2>/dev/null
        written=$work/log.new
    done
    held=$("$TARE" decode -o "$work/part.db" "$work/log" 2>&1 |
        sed -n 's/.* bytes: \([0-9]*\) frames.*/\1/p')
    expect_status "$resume_name: valid" 0 timeout $limit "$TARE" capture --timeout 50 \
        --log "$work/log" -o "$work/db" "$work/image"
    check "$resume_name: it goes on" "$(cat "$work/output")" grep -q 'resuming' "$work/output"
    check "$resume_name: same run file" 'another' same_run
    wait_bye
    again=$(sed -n 's/^again=\([0-9]*\) of.*/\1/p' "$work/fake")
    of=$(sed -n 's/.* of=\([0-9]*\).*/\1/p' "$work/fake")
    check "$resume_name: there was something to go on with" "$held of $of" \
        test "$held" -gt 10 -a "$held" -lt "$of"
    check "$resume_name: less than 5 % more is asked for than is missing" \
        "$again, and $held of $of were there" \
        test $((again * 100)) -le $(((of - held) * 105))
    expect_status "$resume_name: the log is valid" 0 "$TARE" decode -o "$work/again.db" "$work/log"
    check "$resume_name: the log gives the same run file" 'another' cmp -s "$work/again.db" "$work/db"
    check "$resume_name: one log is left" "$(ls "$work"/log*)" test ! -e "$work/log.new"
    end_fake
}

test_resume() {
    start_fake --socket "$work/image" --hold 100000
    resume 'killed while the image sends' 100000
    start_fake --socket "$work/image" --hold 80000 --hold 60000
    resume 'killed twice while the image sends' 80000 60000
    start_fake --socket "$work/image" --hold 240000
    resume 'killed when the image had sent all but a little' 240000
    start_fake --socket "$work/image" --no-run --hold 80000
    resume 'killed while it asked' 80000
}

# A log that is incomplete is never overwritten, a complete one is.
test_other_run() {
    rm -f "$work"/log*
    cp "$work/short" "$work/log"
    start_fake --socket "$work/image" --run 00000000000000bb
    wait_for 5 test -S "$work/image"
    expect_status 'log of another run: valid' 0 timeout $limit "$TARE" capture --timeout 50 \
        --log "$work/log" -o "$work/db" "$work/image"
    check 'log of another run: it is kept' "$(ls "$work")" cmp -s "$work/short" "$work/log.1"
    check 'log of another run: the message' "$(cat "$work/output")" grep -q 'kept as' "$work/output"
    "$TARE" decode -o "$work/again.db" "$work/log" 2>"$work/output"
    check 'log of another run: the log is of this one' 'it is not' \
        cmp -s "$work/again.db" "$work/db"
    end_fake
    expect_status 'log of a complete run: overwritten' 0 \
        "$TARE" capture --log "$work/log" -o "$work/db" - <"$work/plain"
    check 'log of a complete run: nothing is kept' "$(ls "$work")" test ! -e "$work/log.2"
    check 'log of a complete run: it is the new one' 'it is not' cmp -s "$work/plain" "$work/log"
    rm "$work/db"
    expect_status 'log of a complete run without a run file: valid' 0 \
        "$TARE" capture --log "$work/log" -o "$work/db" - <"$work/plain"
    check 'log of a complete run without a run file: it is kept' "$(cat "$work/output")" \
        cmp -s "$work/plain" "$work/log.2"
}

# A capture of one machine is killed, and another with the same run number and plan completes the log:
# as two machines that only differ in their processor did in exact time, before the number had a
# fingerprint. In text format, a frame is a line.
test_chimera() {
    "$fake" --stdout --format text | head -n 40 >"$work/first"
    "$fake" --stdout --format text --machine 'a processor that is some' | tail -n +41 >"$work/rest"
    rm -f "$work"/log* "$work/db"
    cp "$work/first" "$work/log"
    expect_status 'chimera: invalid' 1 "$TARE" capture --log "$work/log" -o "$work/db" - <"$work/rest"
    check 'chimera: its seal is wrong' "$(cat "$work/output")" grep -q 'INVALID: seal: expected ' "$work/output"
    expect_status 'chimera of two logs: invalid' 1 "$TARE" decode "$work/first" "$work/rest" -o "$work/db"
    check 'chimera of two logs: its seal is wrong' "$(cat "$work/output")" \
        grep -q 'INVALID: seal: expected ' "$work/output"
}

# What lies beside a log, of which it is not known of which run it is, goes into no other.
test_stale_beside() {
    rm -f "$work"/log* "$work/db"
    cp "$work/short" "$work/log.new"
    expect_status 'stale .new, no log: valid' 0 \
        "$TARE" capture --log "$work/log" -o "$work/db" - <"$work/plain"
    check 'stale .new, no log: it is kept' "$(ls "$work")" cmp -s "$work/short" "$work/log.1"
    check 'stale .new, no log: the message' "$(cat "$work/output")" grep -q 'kept as' "$work/output"
    check 'stale .new, no log: and gone' "$(ls "$work")" test ! -e "$work/log.new"
    check 'stale .new, no log: the log is what came' 'it is not' cmp -s "$work/plain" "$work/log"
    rm "$work/db"
    cp "$work/short" "$work/log.new"
    expect_status 'stale .new, a log that is replaced: valid' 0 \
        "$TARE" capture --log "$work/log" -o "$work/db" - <"$work/plain"
    check 'stale .new, a log that is replaced: both are kept' "$(ls "$work")" \
        test -s "$work/log.2" -a -s "$work/log.3" -a ! -e "$work/log.new"
    check 'stale .new, a log that is replaced: the log is what came' 'it is not' \
        cmp -s "$work/plain" "$work/log"
    check 'stale .new, a log that is replaced: same run file' 'another' same_run
}

# The machine begins anew before its run is over, or another one sends: the new run is captured, and
# the bytes of both are kept.
test_restarted() {
    rm -f "$work"/log* "$work/db"
    "$fake" --stdout --run 00000000000000bb >"$work/other"
    head -c 60000 "$work/plain" | cat - "$work/other" >"$work/both"
    expect_status 'restarted: the second run is valid' 0 \
        "$TARE" capture --log "$work/log" -o "$work/db" - <"$work/both"
    check 'restarted: the message' "$(cat "$work/output")" \
        grep -q 'the bytes of both are kept as' "$work/output"
    check 'restarted: all bytes are kept' "$(ls "$work")" cmp -s "$work/both" "$work/log.1"
    expect_status 'restarted: the log of both: invalid' 1 "$TARE" decode "$work/log.1" -o "$work/cut.db"
    first=$(sed -n 's/.*two runs.*after byte \([0-9]*\)$/\1/p' "$work/output" | head -n 1)
    tail -c "+$((first + 1))" "$work/log.1" >"$work/cut"
    expect_status 'restarted: the log cut there: valid' 0 \
        "$TARE" decode "$work/cut" -o "$work/cut.db"
    "$TARE" decode "$work/other" -o "$work/other.db" 2>"$work/output"
    check 'restarted: the log cut there: the run file of the other' "byte $first" \
        cmp -s "$work/cut.db" "$work/other.db"
    check 'restarted: which is captured' 'another' cmp -s "$work/db" "$work/other.db"
    # As above, but the capture of the first was killed, and only its beginning is in the log.
    rm -f "$work"/log* "$work/db"
    cp "$work/short" "$work/log"
    "$TARE" capture --log "$work/log" -o "$work/db" - <"$work/both" >"$work/output" 2>&1
    check 'killed, then restarted: the second run is captured' "$(cat "$work/output")" \
        cmp -s "$work/db" "$work/other.db"
    check 'killed, then restarted: the first log is kept' "$(ls "$work")" cmp -s "$work/short" "$work/log.1"
}

# rate NAME SPEED FAKE-OPTION...: a late capture that may go up to 921600 baud ends at SPEED.
rate() {
    rate_name=$1
    rate_speed=$2
    shift 2
    start_fake --pty "$work/tty" --no-run "$@"
    wait_for 5 test -e "$work/tty"
    expect_status "$rate_name: valid" 0 capture "$work/tty" --baud 115200 --baud-max 921600
    check "$rate_name: same run file" 'another' same_run
    wait_bye
    check "$rate_name: ends at $rate_speed" "$(cat "$work/fake")" \
        grep -q "rate=$rate_speed\$" "$work/fake"
    end_fake
}

test_rate() {
    rate 'speed by agreement' 921600
    rate 'speed that the image refuses' 460800 --rate-limit 500000
    rate 'speed that the line does not carry' 460800 --rate-deaf 500000
    expect_status 'no such highest speed' 1 capture "$work/image" --baud-max 12345
    start_fake --pty "$work/tty" --silent
    wait_for 5 test -e "$work/tty"
    "$TARE" capture --timeout 10 --log "$work/held" "$work/tty" >"$work/first.out" 2>&1 &
    first=$!
    wait_for 5 test -e "$work/held"
    expect_status 'a device in use' 1 capture "$work/tty"
    check 'a device in use: the reason' "$(cat "$work/output")" grep -q 'in use by another program' "$work/output"
    kill $first
    wait $first
    expect_status 'flow control by RTS and CTS, or a device that has none' 1 \
        capture "$work/tty" --flow hardware --timeout 1
    end_fake
}

# lost FILE SEED: a capture that cannot ask, of a line that loses one frame in a hundred.
lost() {
    start_fake --socket "$work/image"
    wait_for 5 test -S "$work/image"
    rm -f "$work/line"
    "$proxy" --timeout $limit --seed "$2" --drop 1e-5 --one-way "$work/image" "$work/line" &
    proxy_pid=$!
    wait_for 5 test -S "$work/line"
    rm -f "$1"
    timeout $limit "$TARE" capture --one-way --timeout 50 --log "$1" -o "$1.db" "$work/line" \
        >"$1.out" 2>&1
    kill "$proxy_pid" 2>/dev/null
    wait "$proxy_pid" 2>/dev/null
    end_fake
}

test_merge() {
    lost "$work/a" 11
    lost "$work/b" 12
    check 'merge: the first lacks frames' "$(cat "$work/a.out")" grep -q lost "$work/a.out"
    check 'merge: so does the second' "$(cat "$work/b.out")" grep -q lost "$work/b.out"
    expect_status 'merge: valid' 0 "$TARE" decode "$work/a" "$work/b" -o "$work/db"
    check 'merge: counts of each log and of all' "$(cat "$work/output")" \
        test "$(grep -c ' frames, ' "$work/output")" = 3
    check 'merge: same run file' 'another' same_run
    "$fake" --stdout --run 00000000000000bb >"$work/other"
    rm -f "$work/none.db"
    expect_status 'merge of two runs: refused' 1 \
        "$TARE" decode "$work/plain" "$work/other" -o "$work/none.db"
    check 'merge of two runs: both are named' "$(cat "$work/output")" \
        grep -q '00000000000000aa.*00000000000000bb' "$work/output"
    check 'merge of two runs: no run file' 'there is one' test ! -e "$work/none.db"
    cat "$work/plain" "$work/other" >"$work/both"
    expect_status 'two runs in one log: the first is valid' 0 "$TARE" decode "$work/both" -o "$work/both.db"
    check 'two runs in one log: both are named' "$(cat "$work/output")" \
        grep -q '00000000000000aa and 00000000000000bb' "$work/output"
}

# Two captures that cannot ask, each of which lost its own frames and some that the other one lost as
# well: those are missing, and named, whatever the order of the files.
test_merge_lossy() {
    common=1856
    for own in 1 6; do
        "$fake" --stdout --lose $own --lose $common 2>"$work/lost.$own" >"$work/way.$own"
        sort -o "$work/lost.$own" "$work/lost.$own"
        check "merge of lossy captures: seed $own loses 1 in 100 and more" \
            "$(wc -l <"$work/lost.$own")" test "$(wc -l <"$work/lost.$own")" -ge 7
    done
    comm -12 "$work/lost.1" "$work/lost.6" >"$work/lost.both"
    check 'merge of lossy captures: a record, samples and packets are lost in both' \
        "$(cat "$work/lost.both")" test "$(cut -d ' ' -f 1 "$work/lost.both" | tr '\n' ' ')" = '0 1 1 5 '
    "$fake" --stdout --lose $common 2>"$work/lost.common" >"$work/way.common"
    check 'merge of lossy captures: of one seed only that is lost' "$(cat "$work/lost.common")" \
        test "$(sort "$work/lost.common")" = "$(cat "$work/lost.both")"
    expect_status 'one capture that lost those: invalid' 1 \
        "$TARE" decode "$work/way.common" -o "$work/common.db"
    for order in '1 6' '6 1'; do
        expect_status "merge of lossy captures $order: invalid" 1 \
            "$TARE" decode --force "$work/way.${order% *}" "$work/way.${order#* }" -o "$work/db"
        check "merge of lossy captures $order: as one that lost what both lost" 'another' \
            cmp -s "$work/common.db" "$work/db"
        sqlite3 "$work/db" 'SELECT text FROM loss' >"$work/losses"
        # The record of stream 5 is lost: the stream is named as a whole.
        while read -r stream seq; do
            check "merge of lossy captures $order: frame $seq of stream $stream is named" \
                "$(cat "$work/losses")" grep -qE \
                "^META frame $seq lost|: frame $seq of batch $stream lost|^stream $stream: no trace record" \
                "$work/losses"
        done <"$work/lost.both"
        check "merge of lossy captures $order: no other is" "$(cat "$work/losses")" \
            test "$(wc -l <"$work/losses")" -eq "$(wc -l <"$work/lost.both")"
    done
}

# Text format through what keeps consoles.
test_loggers() {
    "$fake" --stdout --format text >"$work/text"
    "$TARE" decode "$work/text" -o "$work/clean_text.db" 2>"$work/output"
    sed 's/^/[2024-01-01 12:34:56] /' "$work/text" >"$work/stamped"
    tr -d '\r' <"$work/text" >"$work/unix"
    tr -d '\n' <"$work/text" >"$work/carriage"
    tr -cd '[:print:]\n' <"$work/text" >"$work/printable"
    sed 's/\r$/\r\r/; s/^/'"$(printf '\033')"'[0m/' "$work/text" >"$work/escapes"
    for log in stamped unix carriage printable escapes; do
        expect_status "text format, $log: valid" 0 "$TARE" decode "$work/$log" -o "$work/db"
        check "text format, $log: same run file" 'another' cmp -s "$work/clean_text.db" "$work/db"
    done
}

test_dead() {
    start_fake --socket "$work/image" --silent
    wait_for 5 test -S "$work/image"
    expect_status 'dead device: fails' 1 capture "$work/image" --timeout 1
    check 'dead device: the reason' "$(cat "$work/output")" grep -q 'received nothing' "$work/output"
    check 'dead device: no run file' 'there is one' test ! -e "$work/db"
    end_fake
    expect_status 'no such device' 1 capture "$work/nothing"
    expect_status 'a file is no device' 1 capture "$work/plain"
    expect_status 'a dead socket is refused' 1 capture "$work/image"
}

# A line that comes back only to go again, without a byte: five times a second, and reported once.
test_in_vain() {
    socat -d -d "unix-listen:$work/vain,fork" exec:/bin/true 2>"$work/vain.log" &
    vain=$!
    wait_for 5 test -S "$work/vain"
    expect_status 'closed at once, always: fails' 1 capture "$work/vain" --timeout 2
    kill "$vain"
    times=$(grep -c 'accepting connection' "$work/vain.log")
    check 'closed at once: it is tried again, and not in haste' "$times times" \
        test "$times" -gt 1 -a "$times" -le 14
    check 'closed at once: printed once' "$(cat "$work/output")" \
        test "$(grep -c 'is back' "$work/output")" -le 1
}

# hopeless NAME TEXT OPTION...: a line that eats a byte which frames have in both formats, and requests
# have not.
hopeless() {
    hopeless_name=$1
    hopeless_text=$2
    shift 2
    start_fake --socket "$work/image"
    wait_for 5 test -S "$work/image"
    rm -f "$work/line" "$work/log"
    "$proxy" --timeout $limit --eat 2f "$work/image" "$work/line" &
    proxy_pid=$!
    wait_for 5 test -S "$work/line"
    expect_status "hopeless, $hopeless_name: fails" 1 timeout $limit "$TARE" capture "$@" \
        --log "$work/log" -o "$work/db" "$work/line"
    check "hopeless, $hopeless_name: the reason" "$(cat "$work/output")" grep -qxF \
        "tare capture: $hopeless_text; the machine still has the run: capture again" "$work/output"
    kill "$proxy_pid" 2>/dev/null
    wait "$proxy_pid" 2>/dev/null
    end_fake
}

test_hopeless() {
    hopeless 'without a time-out' 'frames are missing and could not be received again'
    hopeless 'with one, which it uses up' 'the time limit was reached before the run was complete' --timeout 4
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
test_hello
test_text
test_tty
test_lossy
test_hostile
test_line
test_stopped
test_resume
test_other_run
test_chimera
test_stale_beside
test_restarted
test_rate
test_merge
test_merge_lossy
test_loggers
test_dead
test_hopeless
test_in_vain
test_usage
finish
