#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Benches of the network between machines, in emulated time (`make bench ONLY=network`): a guest and `tare
# peer`, then two guests on one cable, of which one serves. Times are the host's and vary; what is checked
# does not: every byte, and how many.
#
#     NETWORK_MS   how long the guest that serves does so (default 30000)
#     STORM_MS     how long one serves in a hostile network (default 300000)
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

serve_ms=${NETWORK_MS:-30000}
benches=rtt,netbandwidth,connection,netload,remotefile
low_port=$((20000 + $$ % 10000 * 2))

# cable OWN OTHER: a NIC on a cable of two ports of this host, with the arguments of QEMU.
cable() {
    printf '%s\n' -netdev "dgram,id=net0,local.type=inet,local.host=127.0.0.1,local.port=$1,\
remote.type=inet,remote.host=127.0.0.1,remote.port=$2" \
        -device "e1000e,netdev=net0,romfile=,mac=52:54:00:00:00:0$(($1 % 2 + 1))"
}

# guest NAME OWN OTHER OPTION...: status of `tare boot`; its output goes to $work/NAME.out.
guest() {
    guest_name=$1
    guest_own=$2
    guest_other=$3
    shift 3
    # shellcheck disable=SC2046 # one argument a line, none with a blank
    timeout $limit "$TARE" boot --mode real --set net.use=eth0 "$@" --log "$work/$guest_name.log" \
        -o "$work/$guest_name.db" -- $(cable "$guest_own" "$guest_other") >"$work/$guest_name.out" 2>&1
}

# fact NAME BENCH LIKE: the sum of facts of such names.
fact() {
    sqlite3 "$work/$1.db" "SELECT sum(value) FROM fact WHERE bench = '$2' AND name LIKE '$3'"
}

# written NAME: bytes that the guest wrote to the discard service.
written() {
    echo $(($(fact "$1" netbandwidth 'bytes.remote.%') + $(fact "$1" netload bytes.remote)))
}

# path_measured NAME COUNT: so many benches have series of path remote.
path_measured() {
    [ "$(sqlite3 "$work/$1.db" "SELECT count(DISTINCT bench) FROM series
        WHERE name LIKE '%.remote.%' OR name LIKE '%.remote'")" -eq "$2" ]
}

# figures NAME: of path remote.
figures() {
    printf '\n%-12s %-28s %12s %12s %12s\n' bench series min median max
    sqlite3 "$work/$1.db" "SELECT printf('%-12s %-28s %12.1f %12.1f %12.1f us', bench, name,
            min * 1e6 / hz, median * 1e6 / hz, max * 1e6 / hz) FROM series, verdict
        WHERE name LIKE '%.remote%' AND (bench IN ('netload', 'connection', 'remotefile') OR
            name LIKE 'rtt.%')"
    sqlite3 "$work/$1.db" "SELECT printf('%-12s %-28s %12.1f MB/s', 'netbandwidth',
            substr(total.name, 7), bytes.value * hz / 1e6 / total.value) FROM fact AS total,
            fact AS bytes, verdict
        WHERE total.bench = 'netbandwidth' AND bytes.bench = 'netbandwidth' AND
            total.name LIKE 'total.remote%' AND bytes.name = 'bytes' || substr(total.name, 6)"
}

# peer_counted TEXT: what the peer printed behind it.
peer_counted() {
    sed -n "s/^$1 *//p" "$work/peer.out"
}

test_peer() {
    "$TARE" peer --local "127.0.0.1:$((low_port + 1))" --remote "127.0.0.1:$low_port" \
        >"$work/peer.out" 2>&1 &
    peer=$!
    expect_status 'tare peer: a guest measures' 0 guest beside "$low_port" $((low_port + 1)) \
        --set net.peer=10.9.0.2 --bench "$benches"
    kill -INT $peer
    wait $peer
    check 'tare peer: all benches are OK' 'one is not' all_ok beside rtt netbandwidth connection \
        netload remotefile
    check 'tare peer: path remote is measured by each' 'it is absent of one' path_measured beside 5
    check 'tare peer: as many bytes are compared as were written' 'they are not' \
        test "$(peer_counted 'bytes discarded')" = "$(written beside)"
    check 'tare peer: no byte is wrong' 'one is' test "$(peer_counted 'wrong bytes received')" = 0
    figures beside
}

serves() {
    grep -q 'serves at' "$work/server.out" 2>/dev/null
}

test_two_guests() {
    guest server "$low_port" $((low_port + 1)) --set role=server --set net.address=10.9.0.2 \
        --set "netserver.for_ms=$serve_ms" &
    server=$!
    check 'two guests: one serves' 'it does not within 60 s' wait_for 60 serves
    expect_status 'two guests: the other measures' 0 guest client $((low_port + 1)) "$low_port" \
        --set net.peer=10.9.0.2 --bench "$benches"
    server_status=0
    wait $server || server_status=$?
    check 'two guests: the one that serves ends with status 0' "it ended with $server_status" \
        test $server_status -eq 0
    check 'two guests: all benches are OK' 'one is not' all_ok client rtt netbandwidth \
        connection netload remotefile
    check 'two guests: path remote is measured by each' 'it is absent of one' path_measured client 5
    check 'two guests: as many bytes are compared as were written' 'they are not' \
        test "$(fact server netserver bytes_checked)" = "$(written client)"
    check 'two guests: no byte is wrong' 'one is' test "$(fact server netserver bytes_wrong)" = 0
    figures client
}

# A million frames by each of two NICs, after which the guest still answers.
test_hostile() {
    FRAMES=1000000 FOR_MS=${STORM_MS:-300000} STORMED='e1000e virtio-net-pci' SEED=$$ \
        sh tools/tests/network/test_hostile_network.sh >"$work/hostile" 2>&1
    cat "$work/hostile"
    check 'a million frames of a hostile network, by each NIC' 'see above' \
        grep -q ' 0 failed' "$work/hostile"
}

test_peer
test_two_guests
test_hostile
finish
"$(dirname "$0")/linux_network.sh"
