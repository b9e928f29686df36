#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What `tare boot` knows of a boot and the log does not: the plan that was sent, and that QEMU was
# stopped. Another program in QEMU's place plays back the log of a boot.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

sql() {
    sqlite3 -separator '|' "$work/$1.db" "$2"
}

# A boot that a limit stops has the progress of its bench as partial result.
test_partial() {
    boot stopped 1 --bench gap --set gap.ms=1h --timeout 10
    check 'a stopped boot: the progress is a partial result' "$(tail -n 3 "$work/stopped.err")" \
        grep -q 'gap: ERROR, cut short: partial result, .* of 1 h watched: Nothing took the CPU for longer than 1.00 us in [0-9]' \
        "$work/stopped.err"
    check 'a stopped boot: facts of the partial result' "$(value stopped '.benches[0].facts')" json stopped \
        '.benches[0].facts | ."partial.watched" > 1000000000 and ."partial.gaps" == 0'
}

not() {
    ! "$@"
}

# The progress on a pipe and on a terminal of 80 columns, without colour, and for machines.
test_watch() {
    expect_status 'watch of a cut log' 0 env LC_ALL=C NO_COLOR=1 TERM=dumb COLUMNS=80 "$TARE" watch --once \
        "$work/stopped.log"
    check 'watch: progress, in ASCII' "$(cat "$work/output")" \
        grep -qE '^gap: [0-9]+ (s|min)( [0-9]+ s)? of 1 h watched, [0-9]+ min( [0-9]+ s)? left' "$work/output"
    check 'watch: a sentence' "$(cat "$work/output")" \
        grep -qE '^Nothing took the CPU for longer than 1.00 us in [0-9]+ (s|min)' "$work/output"
    check 'watch: a row with quiet cells' "$(cat "$work/output")" \
        grep -qE '^  0  +none +0  +\.\.\.+ *$' "$work/output"
    check 'watch: neither exponents nor other than ASCII' "$(cat "$work/output")" \
        not env LC_ALL=C grep -qE '[0-9]e[+-]|[^ -~]' "$work/output"
    check 'watch: at most 80 columns' "$(cat "$work/output")" not grep -q '.\{81\}' "$work/output"
    expect_status 'watch --json' 0 "$TARE" watch --once --json "$work/stopped.log"
    check 'watch --json: sentence and cells' "$(cat "$work/output")" jq -e \
        '(.sentence | startswith("Nothing took")) and (.processors[0] | .gaps == 0 and
        (has("smi") | not) and .cells[0] == 1)' "$work/output"
    # dash would start the watch in the background, where a program that sets the terminal's modes is stopped.
    timeout 60 script -qefc "stty rows 24 columns 80; NO_COLOR=1 LC_ALL=C.UTF-8 \
        timeout --foreground -s INT 5 '$TARE' watch '$work/stopped.log'" "$work/screen" >"$work/output" 2>&1 </dev/null
    tr -d '\r' <"$work/screen" | sed 's/\x1b\[[?0-9;]*[hlHKJ]//g' >"$work/rows"
    check 'watch on a terminal: the sentence' "$(cat "$work/rows")" grep -q '^Nothing took' "$work/rows"
    check 'watch on a terminal with NO_COLOR' "$(cat "$work/rows")" not grep -q "$(printf '\033')" "$work/rows"
    check 'watch on a terminal: 79 columns, so that no row wraps' "$(cat "$work/rows")" \
        not env LC_ALL=C.UTF-8 grep -qE '^ *(CPU|[0-9]+ |longest).{77}' "$work/rows"
}

# play NAME STATUS OPTION...: the log of boot `first`, whatever plan is sent.
play() {
    play_name=$1
    play_status=$2
    shift 2
    expect_status "boot $play_name" "$play_status" "$TARE" boot --mode exact --shift 6 --force \
        --qemu "$work/player" --log "$work/$play_name.log" -o "$work/$play_name.db" "$@"
}

test_plan() {
    boot first 0 --shift 6 --bench clock
    cat >"$work/player" <<END
#!/bin/sh
for argument; do
    case \$argument in
    pipe,id=line,path=*) cat "$work/first.log" >"\${argument#pipe,id=line,path=}.out" ;;
    --version) echo "player 1" ;;
    esac
done
END
    chmod +x "$work/player"
    play same 0 --bench clock
    check 'the plan that was sent: no row of it' "$(sql same "SELECT * FROM run")" \
        test "$(sql same "SELECT count(*) FROM run WHERE key LIKE 'plan.sent%'")" = 0
    play other 1 --bench gap
    wanted='tare boot: INVALID: the plan that ran is not the one that was sent: ran "bench=clock link.serve=1" from fw_cfg, sent "bench=gap link.serve=1" by fw_cfg'
    check 'another plan: INVALID, with both' "$(cat "$work/output")" grep -qxF "$wanted" "$work/output"
    check 'the plan that was sent is in the run file' "$(sql other "SELECT * FROM run")" \
        test "$(sql other "SELECT key, value FROM run WHERE key LIKE 'plan.sent%'" | tr '\n' '|')" = \
        'plan.sent_source|fw_cfg|plan.sent|bench=gap|link.serve=1||'
    expect_status 'another plan: INVALID wherever the run is read' 1 "$TARE" show "$work/other.db"
    check 'another plan: the reason is shown' "$(cat "$work/output")" \
        grep -qF 'the plan that ran is not the one that was sent' "$work/output"
    play hour 1 --bench gap --set gap.ms=1h
    check 'an hour of gap: the limit follows the plan' "$(cat "$work/output")" grep -qF \
        'the plan asks for 3600 s of measurement: the boot may take 29700 s (--timeout)' "$work/output"
    play given 1 --bench gap --set gap.ms=1h --timeout 60
    check 'an hour of gap with --timeout: no limit of the plan' "$(cat "$work/output")" \
        sh -c "! grep -q 'the boot may take' '$work/output'"
    # Without its hypervisor bit as well.
    boot unseen 0 --shift 6 --cpu max,-hypervisor --bench clock
    check 'without the hypervisor bit: the plan that was sent' "$(sql unseen "SELECT * FROM run")" \
        test "$(sql unseen "SELECT value FROM run WHERE key = 'plan.source'")" = fw_cfg
}

# qmp COMMAND: through a monitor that tare does not know.
qmp() {
    printf '{"execute":"qmp_capabilities"}\n{"execute":"%s"}\n' "$1" |
        socat -t 2 - "UNIX-CONNECT:$work/qmp" >/dev/null 2>&1
}

holds() {
    grep -qaF "$2" "$1" 2>/dev/null
}

# stop_in NAME MODE BENCH OPTION...: stops the machine for a moment in this bench. Returns whether the run tells of it.
stop_in() {
    stop_name=$1
    stop_mode=$2
    stop_bench=$3
    shift 3
    rm -f "$work/qmp"
    "$TARE" boot --mode "$stop_mode" --log "$work/$stop_name.log" -o "$work/$stop_name.db" "$@" -- \
        -qmp "unix:$work/qmp,server=on,wait=off" >"$work/$stop_name.txt" 2>&1 &
    stop_boot=$!
    # The line on the bench before it leaves with its first records, which are coded.
    wait_for 60 holds "$work/$stop_name.log" "bench clock: OK" ||
        fail "$stop_name" "bench $stop_bench did not begin"
    sleep 0.5
    qmp stop
    sleep 0.3
    qmp cont
    stop_status=0
    wait "$stop_boot" || stop_status=$?
    sql "$stop_name" "SELECT value FROM run WHERE key = 'emulator.stopped'" | grep .
}

test_stop() {
    up_to 3 stop_in stopped real idle --bench clock,idle --set idle.ms=1500
    check 'a stop in real time: exit status 1' "$(cat "$work/stopped.txt")" test "$stop_status" = 1
    wanted='tare boot: INVALID: idle: QMP event STOP: the machine was stopped; boot again without stopping it'
    check 'a stop in real time: INVALID for the bench in which it came' "$(cat "$work/stopped.txt")" \
        grep -qxF "$wanted" "$work/stopped.txt"
    check 'a stop in real time: in the run file' "$(sql stopped "SELECT * FROM run")" \
        test "$(sql stopped "SELECT value FROM run WHERE key = 'emulator.stopped'")" = 'idle: QMP event STOP'
    stop_in exact exact idle --shift 3 --bench clock,idle --set idle.ms=1000
    check 'a stop in exact time: valid, virtual time stands as well' "$(cat "$work/exact.txt")" \
        test "$stop_status" = 0
    boot quiet 0 --shift 3 --bench clock,idle --set idle.ms=1000
    check 'a stop in exact time: the same bytes as without' 'the logs differ' \
        cmp -s "$work/exact.log" "$work/quiet.log"
}

# endless LOG COMMAND: the program in QEMU's place plays LOG and runs COMMAND for --version, then stays for ever,
# with a child that holds its output open. Neither heeds SIGTERM.
endless() {
    cat >"$work/player" <<END
#!/bin/sh
trap '' TERM
for argument; do
    case \$argument in
    pipe,id=line,path=*) cat "$1" >"\${argument#pipe,id=line,path=}.out" ;;
    --version) echo "player 1"; $2 ;;
    esac
done
echo \$\$ >"$work/endless.pid"
sleep 1000 &
wait
END
}

is_gone() {
    ! grep -qs '^State:.[^Z]' "/proc/$1/status"
}

# bounded NAME STATUS SECONDS: boots the player; it ends in that time, and nothing of it is left.
bounded() {
    bounded_start=$(date +%s)
    play "$1" "$2" --full-boot --bench clock
    bounded_took=$(($(date +%s) - bounded_start))
    check "$1: ends within $3 s" "it took $bounded_took s" test "$bounded_took" -le "$3"
    check "$1: QEMU is gone" 'it lives' wait_for 5 is_gone "$(cat "$work/endless.pid")"
}

test_endless() {
    # Also: a child that --version leaves holds its output.
    endless "$work/first.log" 'sleep 1000 & exit'
    bounded 'QEMU stays after the run' 0 30
    check 'QEMU stays after the run: stated' "$(cat "$work/output")" \
        grep -q 'QEMU (process [0-9]*) did not end within 10 s after the run: killed$' "$work/output"
    # Up to the line break after the last line.
    head -c "$(($(grep -abo 'tare: done' "$work/first.log" | cut -d : -f 1) + 12))" "$work/first.log" >"$work/cut.log"
    endless "$work/cut.log" 'sleep 1000'
    bounded 'no end of the log, none of --version' 1 90
    check 'no end of the log: stated' "$(cat "$work/output")" grep -q \
        'the image printed its last line, but the end of its log did not follow$' "$work/output"
    check 'no end of --version: stated' "$(cat "$work/output")" \
        grep -q 'player --version states no version: the run file has none$' "$work/output"
}

test_plan
test_endless
test_stop
test_partial
test_watch
finish
