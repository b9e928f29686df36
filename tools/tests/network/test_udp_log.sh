#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The log by UDP (link.udp), through a relay that drops 15 % of the datagrams each way, beside the serial
# log of the same boot: both run files are equal, and something was dropped. A stranger sends
# first, and is not taken for the machine. A plan that cannot have it is refused.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

# Ports that no other test of this machine uses.
relay_port=$((20000 + $$ % 10000 * 2))
host_port=$((relay_port + 1))

# same NAME OTHER: every sample, count and text of two run files, other than when they came.
same() {
    sqlite3 "$work/$1.db" "ATTACH '$work/$2.db' AS other;
        SELECT count(*) FROM (SELECT bench, pass, name, event, n, samples FROM main.series
            EXCEPT SELECT bench, pass, name, event, n, samples FROM other.series);
        SELECT count(*) FROM (SELECT bench, pass, name, event, n, samples FROM other.series
            EXCEPT SELECT bench, pass, name, event, n, samples FROM main.series);
        SELECT count(*) FROM (SELECT name, state, reason FROM main.bench
            EXCEPT SELECT name, state, reason FROM other.bench)" | sort -u
}

test_loss() {
    tools/tests/network/udp_relay.py $relay_port $host_port 150 7 >"$work/relay.out" 2>&1 &
    relay=$!
    timeout $limit "$TARE" capture "udp:127.0.0.1:$host_port" --log "$work/udp.log" -o "$work/udp.db" \
        --timeout 120 >"$work/udp.out" 2>&1 &
    capture=$!
    timeout $limit "$TARE" boot --mode real --net user --bench clockread,call,rtt,chase \
        --set rtt.paths=pair --set chase.max_kib=64 --set clockread.pairs=60000 \
        --set "link.udp=10.0.2.2:$relay_port" --log "$work/serial.log" -o "$work/serial.db" \
        >"$work/serial.out" 2>"$work/serial.err"
    wait $capture
    status=$?
    kill $relay
    wait $relay 2>/dev/null
    check 'by UDP: tare capture has a valid run' "$(tail -n 3 "$work/udp.out")" test $status -eq 0
    dropped=$(sed -n 's/.* dropped //p' "$work/relay.out")
    check 'by UDP: some datagrams were lost' "$(cat "$work/relay.out")" test "${dropped:-0}" -gt 0
    check 'by UDP: the run file has what the serial one has' "$(same serial udp)" \
        test "$(same serial udp)" = 0
    printf 'log by UDP: %s datagrams\n' "$(cat "$work/relay.out")"
}

# refused NAME SETTING TEXT
refused() {
    timeout $limit "$TARE" boot --mode exact --bench loop --set "$2" --log "$work/refused.log" \
        -o "$work/refused.db" >"$work/refused.out" 2>&1
    check "$1" "$(tail -n 2 "$work/refused.out")" grep -q "$3" "$work/refused.out"
}

test_loss
refused 'link.udp without a NIC is refused' link.udp=10.0.2.2:9 'link.udp: needs net.use=NIC, but net.use is not set'
refused 'link.udp without a port is refused' link.udp=10.0.2.2 'link.udp: expected ADDRESS:PORT'
finish
