#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A hostile network: random and damaged frames to a guest that serves, by each NIC. The guest answers
# from the first frame to the last, and its bench is OK.
#
#     FRAMES   how many (default 20000)
#     FOR_MS   how long the guest serves (default 5000)
#     STORMED  models of NICs, by QEMU's names (default e1000e)
#     SEED     of the first one (default 1)
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

frames=${FRAMES:-20000}
for_ms=${FOR_MS:-5000}
seed=${SEED:-1}
port=$((40000 + $$ % 10000 * 2))

# serve NIC: a guest that serves by this NIC; its output goes to $work/NIC.out.
serve() {
    timeout $((limit + for_ms / 1000)) "$TARE" boot --mode real --set net.use=eth0 --set role=server \
        --set "netserver.for_ms=$for_ms" --timeout $((60 + for_ms / 1000)) \
        --log "$work/$1.log" -o "$work/$1.db" -- \
        -netdev "dgram,id=n0,local.type=inet,local.host=127.0.0.1,local.port=$port,\
remote.type=inet,remote.host=127.0.0.1,remote.port=$((port + 1))" \
        -device "$1,netdev=n0,romfile=" >"$work/$1.out" 2>&1
}

# received NIC: frames that the guest counted.
received() {
    sqlite3 "$work/$1.db" "SELECT value FROM fact WHERE bench = 'netserver' AND name = 'frames_received'"
}

for nic in ${STORMED:-e1000e}; do
    serve "$nic" &
    server=$!
    expect_status "$nic: the guest answers until the storm is over" 0 build/host/tests/frame_storm \
        --frames "$frames" --seed "$seed" $((port + 1)) $port
    server_status=0
    wait $server || server_status=$?
    check "$nic: the guest ends with status 0" "$(cat "$work/$nic.out")" test $server_status -eq 0
    check "$nic: netserver is OK" "$(value "$nic" '.benches[] | "\(.name) \(.status) \(.reason)"')" \
        all_ok "$nic" netserver
    # Some are for other addresses, and shorter or longer than a frame may be.
    check "$nic: nine of ten frames come in" "$(received "$nic") of $frames" \
        test "$(received "$nic")" -ge $((frames * 9 / 10))
    seed=$((seed + 1))
    port=$((port + 2))
done
finish
