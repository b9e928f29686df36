#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Remote files against QEMU's programs, over its user network: the image reads what qemu-nbd serves,
# and qemu-img reads what the image serves. Both are what tare disk has written, bit by bit.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh
limit=60

served=$work/served.img
socket=$work/nbd.sock
port=$((20000 + $$ % 10000))
"$TARE" disk --mib 1 -o "$served" 2>"$work/disk.txt" ||
    fail 'tare disk writes what is served' "$(cat "$work/disk.txt")"

qemu-nbd --read-only --format=raw --export-name=BENCH.DAT --socket="$socket" "$served" &
server=$!

# volume FILE: the partition of tare's in a disk image; its number of sectors is in its directory.
volume() {
    volume_first=$(sfdisk --json "$1" | jq '.partitiontable.partitions[-1].start')
    volume_count=$(sfdisk --json "$1" | jq '.partitiontable.partitions[-1].size')
    dd if="$1" bs=512 skip="$volume_first" count="$volume_count" status=none
}

# read_by_qemu: what the image serves, as soon as it does.
read_by_qemu() {
    for _ in $(seq 600); do
        grep -aqF 'serves at' "$work/both.log" && break
        sleep 0.05
    done 2>/dev/null
    qemu-img convert -f raw -O raw "nbd://127.0.0.1:$port/BENCH.DAT" "$work/read.img" \
        >"$work/convert.txt" 2>&1
}

read_by_qemu &
reader=$!
boot both 0 --mode real --bench remotefile,netserver --set remotefile.paths=remote \
    --set remotefile.kib=1024 --set netserver.for_ms=1500 --set disk.mib=1 --set net.use=eth0 \
    --set net.address=10.0.2.15/24 --set net.peer=10.0.2.100 "$image" -- \
    -netdev "user,id=n0,restrict=on,hostfwd=tcp:127.0.0.1:$port-:10809,guestfwd=tcp:10.0.2.100:10809-cmd:socat - UNIX-CONNECT:$socket" \
    -device e1000e,netdev=n0,romfile=
wait "$reader"
kill "$server" 2>/dev/null

check 'qemu-nbd: each sector of both orders is that of the file' "$(tail -n 3 "$work/both.err")" \
    all_ok both remotefile netserver
checked=$(sqlite3 "$work/both.db" "SELECT value FROM fact WHERE name = 'bytes_checked.remote'")
check 'qemu-nbd: all of the file was read twice and checked' "$checked bytes" test "$checked" = 2097152
volume "$served" >"$work/volume.img"
check 'qemu-img reads from the image what tare disk writes' "$(cat "$work/convert.txt")" \
    cmp -s "$work/volume.img" "$work/read.img"
finish
