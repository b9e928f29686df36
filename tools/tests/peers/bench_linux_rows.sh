#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# make bench ONLY=linux_rows: what Linux's own operations cost by `tare host`, beside perf bench, fio,
# qperf and iperf3 for the same operation, on one processor.
#
# Ours and theirs run in pairs, one right behind the other, ROUNDS times, with the highest priority where it
# is allowed (not a real-time policy: qperf and iperf3 wait in loops, for each other). Other programs only
# add time, so the best round of each is compared; ours is the least value (once and twice), theirs the mean
# or, if it has one, the shortest. A peer's operation contains more than ours if its row says so. The bar is a
# ratio of 0.9 to 1.1, or an explanation.
set -u

. tools/tests/support/lib.sh

rounds=${ROUNDS:-5}
cpu=0
first=
if nice -n -20 true 2>/dev/null; then
    first='nice -n -20'
fi

for program in perf fio qperf iperf3 jq taskset; do
    if ! command -v "$program" >/dev/null; then
        echo "bench_linux_rows: no $program here: tools/build/setup.sh bench" >&2
        exit 1
    fi
done

# keep KEY OURS THEIRS: keeps both, where both were measured.
keep() {
    [ -n "$2" ] && [ -n "$3" ] && echo "$2 $3" >>"$work/pairs.$1"
}

# ours BENCH NAME: the least value in ns.
ours() {
    "$TARE" show --json "$work/host.db" |
        jq -r --arg bench "$1" --arg name "least.$2" \
            '.benches[] | select(.name == $bench) | .facts[$name] | select(. > 0) / 1000'
}

pinned() {
    timeout 60 $first taskset -c $cpu "$@"
}

# cpu_ns OPERATIONS COMMAND...: processor time of an operation, in ns: on a busy machine a process waits.
cpu_ns() {
    cpu_ns_operations=$1
    shift
    pinned bash -c 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>&1' bash "$@" 2>&1 |
        awk -v n="$cpu_ns_operations" '{ print ($1 + $2) * 1e9 / n }'
}

perf_syscall() {
    cpu_ns 3000000 perf bench syscall basic -l 3000000
}

perf_pipe() {
    cpu_ns 200000 perf bench sched pipe -l 200000
}

# fio_ns FIGURE OPTION...: of reads of 4 KiB.
fio_ns() {
    fio_figure=$1
    shift
    pinned fio --name=read --filename="$work/disk.img" --rw=randread --bs=4k --ioengine=psync \
        --size=16m --output-format=json "$@" 2>/dev/null | jq ".jobs[0].read.clat_ns.$fio_figure"
}

# qperf_ns TEST: mean of a message one way, twice.
qperf_ns() {
    pinned qperf -t 1 -v -uu 127.0.0.1 "$1" 2>/dev/null |
        awk '/latency/ { print 2 * $3 * ($4 == "us" ? 1e3 : $4 == "ms" ? 1e6 : 1) }'
}

# iperf_ns: 64 KiB of a transfer in messages of 16 KiB.
iperf_ns() {
    pinned iperf3 -c 127.0.0.1 -l 16K -t 1 -J 2>/dev/null |
        jq '65536 * 8e9 / .end.sum_received.bits_per_second'
}

"$TARE" disk -o "$work/disk.img" >/dev/null || exit 1
# shellcheck disable=SC2086 # a command, or nothing
timeout 600 $first taskset -c $cpu qperf &
servers=$!
# shellcheck disable=SC2086
timeout 600 $first taskset -c $cpu iperf3 -s >/dev/null &
servers="$servers $!"
sleep 1
for round in $(seq "$rounds"); do
    echo "round $round of $rounds" >&2
    $first "$TARE" host --force --cpu $cpu --file "$work/disk.img" --bench \
        syscall,contextswitch,filecache,rtt,netbandwidth,disklatency \
        --set disklatency.sizes=4096 --set disklatency.reads=1000 -o "$work/host.db" 2>/dev/null
    keep syscall "$(ours syscall null)" "$(perf_syscall)"
    keep pipe "$(ours contextswitch process_pipe_round)" "$(perf_pipe)"
    keep cached "$(ours filecache hit)" "$(fio_ns min --invalidate=0 --pre_read=1)"
    keep disk "$("$TARE" show --samples disklatency/read.4096 "$work/host.db" | sort -n |
        awk -v hz="$("$TARE" show --json "$work/host.db" | jq -r .run.verdict.hz)" \
            '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] / hz * 1e9 }')" \
        "$(fio_ns 'percentile["50.000000"]' --direct=1)"
    keep tcp "$(ours rtt rtt.loopback.tcp.64)" "$(qperf_ns tcp_lat)"
    keep udp "$(ours rtt rtt.loopback.udp.64)" "$(qperf_ns udp_lat)"
    keep bandwidth "$(ours netbandwidth block.loopback.65536.16384)" "$(iperf_ns)"
done
# shellcheck disable=SC2086 # a list
kill $servers

row() {
    printf '%-34s %10s %10s %6s  %s\n' "$@"
}

# compare LABEL KEY PEER
compare() {
    if [ ! -s "$work/pairs.$2" ]; then
        row "$1" - - - "$3: no number"
        return
    fi
    compare_ours=$(cut -d' ' -f1 "$work/pairs.$2" | sort -g | head -n 1)
    compare_theirs=$(cut -d' ' -f2 "$work/pairs.$2" | sort -g | head -n 1)
    row "$1" "$(printf %.0f "$compare_ours")" "$(printf %.0f "$compare_theirs")" \
        "$(echo "$compare_ours $compare_theirs" | awk '{ printf "%.2f", $1 / $2 }')" "$3"
}

row 'operation' 'ours, ns' 'peer, ns' 'ratio' 'peer'
compare 'system call' syscall 'perf bench syscall basic, with its loop and libc'
compare 'pipe, two processes, round' pipe 'perf bench sched pipe'
compare '4 KiB of a cached file' cached 'fio psync, shortest, with two of its clock reads'
compare '4 KiB from the disk' disk 'fio psync direct, median'
compare 'TCP round trip' tcp 'qperf tcp_lat, 1 byte, mean'
compare 'UDP round trip' udp 'qperf udp_lat, 1 byte, mean'
compare '64 KiB by TCP' bandwidth 'iperf3, with switches whenever a buffer is full'
