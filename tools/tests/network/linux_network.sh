#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tools/tests/network/linux_network.sh
#
# The network benches against a stack that is not ours: two guests of QEMU, tare and Linux (Debian's
# kernel), joined by datagrams, both with an 82574L, in emulated time. First tare measures, and Linux
# serves (linux_services.c). Then tare serves (bench netserver), and Linux's ping and iperf measure the
# same link: their figures must lie within the spread of ours.
#
#     GUEST_SERVICES  linux_services.c, linked statically (default build/host/bench/linux_services)
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh
. tools/tests/peers/linux_kernel.sh

services=${GUEST_SERVICES:-build/host/bench/linux_services}
pings=200
window=65536
limit=600

# copy PROGRAM: with the libraries that it needs.
copy() {
    cp "$1" "$work/root/bin/"
    ldd "$1" 2>/dev/null | grep -o '/[^ ]*' | while read -r library; do
        mkdir -p "$work/root${library%/*}"
        cp -L "$library" "$work/root$library"
    done
}

make_initrd() {
    mkdir -p "$work/root/bin" "$work/root/proc" "$work/root/sys" "$work/root/dev"
    cp "$(command -v busybox)" "$work/root/bin/busybox"
    cp "$services" "$work/root/bin/services"
    copy "$(command -v iperf)"
    tar -xOf "$kernel.modules" --wildcards '*/e1000e.ko' >"$work/root/e1000e.ko"
    cat >"$work/root/init" <<INIT
#!/bin/busybox sh
busybox=/bin/busybox
\$busybox mount -t proc none /proc
\$busybox mount -t devtmpfs none /dev
\$busybox insmod /e1000e.ko
\$busybox ip link set lo up
\$busybox ip addr add 10.9.0.2/24 dev eth0
\$busybox ip link set eth0 up
/bin/services &
echo guest-ready
until \$busybox nc -w 1 10.9.0.1 9 </dev/null; do \$busybox sleep 1; done
\$busybox sleep 1
\$busybox ping -c $pings -i 0.02 10.9.0.1 | \$busybox sed 's/^/guest-ping /'
/bin/iperf -f B -t 5 -c 10.9.0.1 | \$busybox sed 's/^/guest-iperf /'
echo guest-end
\$busybox sleep 600
INIT
    chmod +x "$work/root/init"
    (cd "$work/root" && find . | LC_ALL=C sort | cpio -o -H newc --quiet) | gzip -1n >"$work/initrd"
}

# joined OWN-PORT OTHER-PORT MAC: QEMU's options for an end of the link.
joined() {
    echo "-netdev dgram,id=n0,local.type=inet,local.host=127.0.0.1,local.port=$1,\
remote.type=inet,remote.host=127.0.0.1,remote.port=$2 -device e1000e,netdev=n0,romfile=,mac=$3"
}

start_linux() {
    # shellcheck disable=SC2046
    timeout $limit qemu-system-x86_64 -machine q35 -m 256 -nodefaults -display none -no-reboot \
        -serial "file:$work/linux.log" -kernel "$kernel" -initrd "$work/initrd" \
        -append 'console=ttyS0,115200 quiet panic=-1 rdinit=/init' \
        $(joined 7302 7301 52:54:00:00:00:02) >"$work/linux.err" 2>&1 &
    linux=$!
    for _ in $(seq 120); do
        grep -qa '^guest-ready' "$work/linux.log" 2>/dev/null && return
        kill -0 "$linux" 2>/dev/null || break
        sleep 1
    done
    give_up "Linux did not start: $(tail -n 3 "$work/linux.err" "$work/linux.log")"
}

# median BENCH SERIES: in us.
median() {
    hz=$(sqlite3 "$work/tare.db" 'SELECT hz FROM verdict LIMIT 1')
    value tare "(${hz:-0}) as \$hz | .benches[] | select(.name == \"$1\") |
        .series[] | select(.name == \"$2\") | [.min, .median, .max] | map(. * 1000000 / \$hz) | @tsv"
}

compare_ping() {
    # PING: "round-trip min/avg/max = 0.1/0.2/0.3 ms"
    ping_min=$(sed -n 's|^guest-ping round-trip.*= \([0-9.]*\)/.*|\1|p' "$work/linux.txt")
    ping_mean=$(sed -n 's|^guest-ping round-trip.*= [0-9.]*/\([0-9.]*\)/.*|\1|p' "$work/linux.txt")
    ours=$(median rtt rtt.remote.icmp.64)
    echo "ICMP 64 B: ours, min median max us: $ours; Linux's ping, min mean ms: $ping_min $ping_mean"
    check "ping's shortest lies within the spread of our round trips" "$ours; $ping_min ms" \
        awk -v least="${ping_min:--1}" -v ours="$ours" 'BEGIN {
            split(ours, us, "\t"); exit !(least * 1000 >= us[1] && least * 1000 <= us[3]) }'
    check 'no ping is lost' "$(grep 'packet loss' "$work/linux.txt")" \
        grep -q ' 0% packet loss' "$work/linux.txt"
}

# iperf sends to tare what netbandwidth sends to Linux: the other way of the same link.
compare_iperf() {
    iperf_rate=$(sed -n 's|^guest-iperf .* \([0-9]*\) Bytes/sec|\1|p' "$work/linux.txt" | tail -n 1)
    # B/s of blocks of 64 KiB at the largest window: of the slowest and of the fastest.
    spread=$(sqlite3 "$work/tare.db" "SELECT CAST(65536.0 * (SELECT hz FROM verdict) / max AS INT)
            || ' ' || CAST(65536.0 * (SELECT hz FROM verdict) / min AS INT) FROM series
        WHERE bench = 'netbandwidth' AND name = 'block.remote.$window.16384'")
    echo "TCP, B/s: ours, slowest and fastest block of 64 KiB: $spread; Linux's iperf: $iperf_rate"
    check "iperf's rate lies within the spread of our blocks" "$spread; $iperf_rate" \
        awk -v rate="${iperf_rate:--1}" -v ours="$spread" 'BEGIN {
            split(ours, each, " "); exit !(rate >= each[1] && rate <= each[2]) }'
}

[ -x "$services" ] || give_up "no $services: make it first (make bench ONLY=network)"
find_kernel
make_initrd
start_linux
# shellcheck disable=SC2046
timeout $limit "$TARE" boot --mode real --log "$work/tare.log" -o "$work/tare.db" \
    --bench rtt,connection,netbandwidth,netserver --set net.use=eth0 --set net.peer=10.9.0.2 \
    --set rtt.paths=remote --set connection.paths=remote --set netbandwidth.paths=remote --set rtt.trips=200 \
    --set netbandwidth.windows=$window --set netbandwidth.bytes=4194304 \
    --set netserver.for_ms=25000 -- $(joined 7301 7302 52:54:00:00:00:01) \
    >"$work/tare.out" 2>"$work/tare.err"
check 'Linux as the remote end: all benches are OK' \
    "$(value tare '.benches[] | "\(.name) \(.status) \(.reason)"' | tr '\n' ';')" \
    all_ok tare rtt connection netbandwidth netserver
kill "$linux"
wait "$linux" 2>/dev/null
tr -d '\r' <"$work/linux.log" | grep -a -o 'guest-.*' >"$work/linux.txt"
compare_ping
compare_iperf
finish
