#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Benches of the image on this Linux, and bandwidth and loaded latency in exact mode, to the
# instruction.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

# host STATUS OPTION...: runs into $work/host.db.
host() {
    host_status=$1
    shift
    expect_status "tare host $*" "$host_status" "$TARE" host "$@" -o "$work/host.db"
}

# ---- on this machine ----

# Under a hypervisor CPUID leaves the guest, and a busy host makes its cost vary: up to three runs.
set -- --bench loop,call,clockread,chase,bandwidth --set chase.pages=4k --set chase.max_kib=64 \
    --set chase.orders=random,sequential --set bandwidth.max_kib=64 --set call.trials=3
measured() {
    "$TARE" host "$@" -o "$work/host.db" >"$work/output" 2>&1
}
up_to 3 measured "$@"
measured_status=$?
check "tare host $*" "status $measured_status: $(tail -n 5 "$work/output")" test "$measured_status" -eq 0
check 'a valid run of five benches' "$(value host '.run')" \
    all_ok host loop call clockread chase bandwidth
check 'the run names its machine' "$(value host '.run.machine')" json host \
    '.run.kind == "real" and (.run.machine.environment | startswith("Linux")) and
        (.run.machine.processor | tonumber) >= 0 and (.run.verdict.hz | tonumber) > 1e8'
check 'what a program cannot have is absent, with the reason' "$(value host '.benches[].absent')" \
    json host '[.benches[] | select(.name == "chase" or .name == "clockread").absent | length > 0] |
        all'

# per_hop KIB FILE: prints the ticks of a hop along the random ring of that size: the shortest trial of
# two rounds less the shortest of one: other programs only add time, to a whole run of milliseconds too.
per_hop() {
    for part in .x .n '' .twice; do
        "$TARE" show --samples "chase/random.4k.wb$part" "$2" >"$work/hop$part"
    done
    paste "$work/hop" "$work/hop.twice" | awk -v bytes=$(($1 * 1024)) -v x="$work/hop.x" -v n="$work/hop.n" '
        BEGIN { while ((getline at[points] < x) > 0) points++; getline hops < n }
        { once[NR - 1] = $1; twice[NR - 1] = $2 }
        END {
            trials = NR / points
            for (i = 0; i < points && at[i] != bytes; )
                i++
            for (k = i * trials; k < (i + 1) * trials; k++) {
                least = !least || once[k] < least ? once[k] : least
                longer = !longer || twice[k] < longer ? twice[k] : longer
            }
            print (longer - least) / hops
        }'
}

tries=1
hop=$(per_hop 16 "$work/host.db")
until awk -v hop="$hop" 'BEGIN { exit !(hop >= 2 && hop <= 12) }' || [ "$tries" -eq 5 ]; do
    "$TARE" host --force --bench chase --set chase.pages=4k --set chase.max_kib=64 \
        -o "$work/again.db" >/dev/null 2>&1
    hop=$(per_hop 16 "$work/again.db")
    tries=$((tries + 1))
done
check 'a load from the first cache takes 2 to 12 ticks' "$hop" \
    awk -v hop="$hop" 'BEGIN { exit !(hop >= 2 && hop <= 12) }'
"$TARE" show bandwidth "$work/host.db" >"$work/shown"
check 'tare show reports GB/s' "$(tail -n 30 "$work/shown")" \
    grep -q 'GB/s by size of the array' "$work/shown"

# ---- what Linux itself costs ----

linux_benches=syscall,creation,fork,contextswitch,pagefault,filecache,rtt,netbandwidth,connection,remotefile
host 0 --bench $linux_benches
check 'benches of Linux are OK' "$(value host '.benches[] | .name, .reason')" json host \
    '(.benches | length) == 10 and ([.benches[].status == "OK"] | all)'

# least BENCH.NAME: the least value, in ps. Other programs only add to it.
least() {
    value host ".benches[] | select(.name == \"${1%%.*}\") | .facts[\"least.${1#*.}\"]"
}
# Each row is there, and each takes longer than the one that it contains.
cat >"$work/order" <<'ROWS'
syscall.null syscall.stat
syscall.null syscall.open
syscall.read contextswitch.ring
contextswitch.ring contextswitch.process_pipe_round
syscall.null contextswitch.ring
creation.thread creation.process
contextswitch.ring creation.thread
creation.thread fork.share
syscall.null filecache.hit
pagefault.minor pagefault.copy_on_write
pagefault.minor pagefault.demand_zero
syscall.null pagefault.soft
contextswitch.process_pipe_round rtt.rtt.loopback.tcp.64
contextswitch.ring rtt.rtt.loopback.udp.64
contextswitch.ring netbandwidth.block.loopback.65536.16384
filecache.hit remotefile.sequential.loopback.262144
rtt.rtt.loopback.tcp.64 connection.tcp.loopback
syscall.null connection.raw.loopback
ROWS
# in_order: runs the benches, and writes the rows that are not to $work/disorder.
in_order() {
    "$TARE" host --force --bench $linux_benches -o "$work/host.db" >/dev/null 2>&1
    while read -r short long; do
        echo "$short $(least "$short") $long $(least "$long")"
    done <"$work/order" | awk 'NF != 4 || !($2 > 0 && $2 + 0 < $4 + 0)' >"$work/disorder"
    test ! -s "$work/disorder"
}
# On a busy host the shortest of 100 trials may be disturbed, too.
up_to 3 in_order
check 'each row takes longer than the one that it contains' "$(cat "$work/disorder")" test ! -s "$work/disorder"
check 'what a program cannot have is absent, with the reason' "$(value host '.benches[].absent')" \
    json host '[.benches[].absent[]? | .name] |
        contains(["copy64", "copy", "file", "miss", "pair", "remote"])'
"$TARE" show "$work/host.db" >"$work/shown.linux"
check 'the processors that Linux allows are no count' "$("$TARE" show "$work/host.db")" \
    grep -q ', processors\{0,1\} [0-9][-,0-9]*, TSC' "$work/shown.linux"

# ---- a busy host ----

# Three programs that compute use the measured processor, too: a trial of milliseconds is interrupted.
cpu=$(value host '.run.machine.processor' | tr -d '"')
busy=
for _ in 1 2 3; do
    taskset -c "$cpu" sh -c 'while :; do :; done' &
    busy="$busy $!"
done
disturbed() {
    "$TARE" host --force --cpu "$cpu" --bench clockread,loop --set loop.repetitions=1000000 \
        --set loop.trials=9 -o "$work/busy.db" >/dev/null 2>&1
    "$TARE" show --json "$work/busy.db" | jq -e '[.benches[].found.disturbed // ""] | all(test("switches [1-9]"))' \
        >/dev/null
}
up_to 5 disturbed
check 'series whose trials were interrupted are marked' "$(value busy '.benches[] | .found')" \
    json busy '[.benches[].found.disturbed // ""] | all(test("switches [1-9]"))'
check 'the least value is shown' "$(value busy '.benches[].facts')" \
    json busy '[.benches[].facts | has("least.loop") or has("least.register")] | all'
# kept NAME: the median cost of the trials is near the cost of the shortest, or there are no trials.
kept() {
    "$TARE" show --samples "$1" "$work/busy.db" >"$work/once"
    "$TARE" show --samples "$1.twice" "$work/busy.db" >"$work/twice"
    paste "$work/once" "$work/twice" | awk '{ print $2 - $1 }' | sort -n >"$work/costs"
    [ ! -s "$work/costs" ] || awk -v once="$(sort -n "$work/once" | head -n 1)" \
        -v twice="$(sort -n "$work/twice" | head -n 1)" '
        { cost[NR] = $1 }
        END {
            median = cost[int((NR + 1) / 2)]
            exit !(median > (twice - once) / 3 && median < (twice - once) * 3)
        }' "$work/costs"
}
for name in loop/register loop/memory clockread/loop clockread/rdtsc clockread/cpuid_rdtsc; do
    check "$name is near its least value, or absent" "$(cat "$work/costs" 2>/dev/null)" kept "$name"
done
"$TARE" host --force --cpu "$cpu" --bench $linux_benches -o "$work/busy.db" \
    >/dev/null 2>&1
for name in syscall/null syscall/open creation/thread creation/process contextswitch/process_pipe_round \
    pagefault/demand_zero pagefault/soft filecache/hit rtt/rtt.loopback.udp.64 rtt/rtt.loopback.tcp.64 \
    netbandwidth/block.loopback.65536.16384 connection/tcp.loopback connection/raw.loopback \
    remotefile/sequential.loopback.262144; do
    check "$name is near its least value, or absent" "$(cat "$work/costs" 2>/dev/null)" kept "$name"
done
check 'no row is negative' "$("$TARE" show --estimates "$work/busy.db")" sh -c \
    '! "$1" show --estimates --json "$2" | jq -e "[.. | .median? | numbers | select(. <= 0)] | any"' \
    sh "$TARE" "$work/busy.db"
# shellcheck disable=SC2086 # a list
kill $busy

# ---- a file past the page cache ----

# refused_file NAME REASON: nothing is read of the file.
refused_file() {
    expect_status "a file that is refused: $2" 1 "$TARE" host --bench disklatency --file "$1" \
        -o "$work/no.db"
    check 'the reason and the cure are printed' "$(cat "$work/output")" grep -q "$2" "$work/output"
}

if "$TARE" disk --mib 1 -o "$work/disk.img" 2>/dev/null &&
    dd if="$work/disk.img" of=/dev/null bs=4096 count=1 iflag=direct 2>/dev/null; then
    before=$(sha256sum "$work/disk.img")
    host 0 --bench disklatency,fileread,diskload --file "$work/disk.img" \
        --set disklatency.sizes=4096 --set disklatency.reads=30 --set fileread.kib=64 \
        --set diskload.threads=1,32 --set diskload.reads=5 --set diskload.think_us=20
    check 'three benches of a disk, every sector checked' "$(value host '.benches[].facts')" \
        json host '[.benches[] | .status == "OK" and .found.verified == "yes" and .facts.wrong == 0] |
            all and length == 3'
    check 'each read is there' "$(value host '.benches[].series[] | .name, .n' | tr '\n' ' ')" \
        json host '[.benches[].series[] | select(.name == "read.32" or .name == "read.4096" or
            .name == "random.direct.65536" or .name == "backwards.cached.65536") | .n] | sort ==
            [16, 16, 30, 160]'
    check 'nothing was written to the file' "$(sha256sum "$work/disk.img")" \
        test "$before" = "$(sha256sum "$work/disk.img")"
    printf x | dd of="$work/disk.img" bs=1 seek=$((1024 * 1024 + 4096 + 700)) conv=notrunc 2>/dev/null
    host 1 --force --bench fileread --set fileread.kib=64 --file "$work/disk.img"
    check 'a sector that is wrong is FAIL' "$(value host '.benches[] | .status, .reason')" \
        json host '.benches[0] | .status == "FAIL" and (.reason | contains("6 of 768 sectors"))'
    host 1 --force --bench fileread --set fileread.kib=4096 --file "$work/disk.img"
    check 'more than the file has is named' "$(value host '.benches[].reason')" \
        json host '.benches[0].reason == "kib: the file has only 1024 KiB"'
else
    skip 'benches of disks' 'this file system does not read past its cache'
fi
refused_file "$work/none" 'no such file; make one with tare disk'
printf x >"$work/short"
refused_file "$work/short" 'tare disk makes 64 MiB'
host 0 --bench diskload
check 'without a file they are SKIP, with the cure' "$(value host '.benches[].reason')" \
    json host '.benches[0] | .status == "SKIP" and (.reason | contains("add --file PATH"))'
expect_status '--file without a bench that reads it' 2 "$TARE" host --file "$work/short" \
    -o "$work/no.db"

# ---- what is wrong is named ----

expect_status 'a bench that there is not' 2 "$TARE" host --bench bogus -o "$work/no.db"
check 'is named, with those that there are' "$(cat "$work/output")" \
    grep -q 'no bench "bogus"; valid names: all none .*bandwidth call chase' "$work/output"
expect_status 'a parameter that there is not' 2 "$TARE" host --set loop.bogus=1 -o "$work/no.db"
check 'is named, with those that there are' "$(cat "$work/output")" \
    grep -q 'unknown plan key "loop.bogus"; known: loop.repetitions loop.trials' "$work/output"
expect_status 'a parameter out of range' 2 "$TARE" host --set loop.trials=0 -o "$work/no.db"
expect_status 'a processor that there is not' 1 "$TARE" host --cpu 5000 -o "$work/no.db"
check 'is named, with those that there are' "$(cat "$work/output")" \
    grep -q 'this program may not run on processor 5000; allowed: [0-9]' "$work/output"
expect_status 'no run file' 2 "$TARE" host --bench loop
expect_status 'a folder that there is not' 1 "$TARE" host --bench loop -o "$work/none/no.db"
expect_status 'Ctrl-C' 124 timeout -s INT 0.6 "$TARE" host --bench chase -o "$work/no.db"
check 'none of these leaves a file' "$(ls "$work")" test ! -e "$work/no.db" -a ! -e "$work/no.db.tmp"

# ---- bandwidth shows how far it is, and ends in time with what it has ----

# kept REASON: some curves are there, and more are not, for that reason.
kept() {
    json host ".benches | length == 1 and (.[0] | .status == \"OK\" and (.curves | length > 0) and
        ([.absent[] | select(.reason == \"$1\")] | length > 3))"
}

set -- --bench bandwidth,loop --set bandwidth.max_kib=65536 --set bandwidth.trials=40 \
    --set bandwidth.sets=64,sse,avx2 --force -o "$work/host.db"
expect_status 'bandwidth, ended by SIGTERM' 1 script -qec \
    "timeout --foreground --preserve-status -s TERM 2 $TARE host $*" /dev/null
check 'shows how many curves it has' "$(cat "$work/output")" grep -q 'bench bandwidth: [1-9] of 14, ' "$work/output"
check 'keeps them in an invalid run, without the benches after it' "$(value host '.benches[].absent')" \
    kept 'a signal stopped the bench'
check 'says so' "$(cat "$work/output")" grep -q 'INVALID: bench bandwidth: a signal stopped it' "$work/output"
shift 2
expect_status 'bandwidth with a budget' 0 "$TARE" host --bench bandwidth --budget 1 "$@"
check 'keeps what it measured in time' "$(value host '.benches[].absent')" kept 'the time of --budget was over'

# ---- the same code ----

# code FILE FUNCTION: its bytes.
code() {
    objdump -d --disassemble="$2" "$1" | sed -n 's/^ *[0-9a-f]*:\t\([0-9a-f ]*\).*/\1/p'
}

same_code() {
    for same_kernel in memory_chase memory_read_rep memory_read_64 memory_write_sse \
        memory_copy_avx2 memory_copy_avx512_nt loop_memory; do
        code build/image/tare.elf "$same_kernel" >"$work/image.code"
        code "$TARE" "$same_kernel" >"$work/host.code"
        [ -s "$work/image.code" ] && cmp -s "$work/image.code" "$work/host.code" || return
    done
}
check 'the kernels are the image'"'"'s, byte for byte' 'they differ' same_code

# A limit that the program fits into, and its windows do not.
limited='setpriv --bounding-set=-ipc_lock prlimit --memlock=67108864'
if $limited true 2>/dev/null; then
    expect_status 'a limit of locked memory' 0 $limited "$TARE" host --bench chase \
        --set chase.max_kib=131072 --set chase.pages=4k --set chase.orders=random \
        --set chase.trials=1 --set chase.hops=100 -o "$work/limited.db"
    check 'larger windows are there, unlocked, as reported' "$(value limited '.benches[].absent')" \
        json limited '.run.machine.memory_locked == "no: ulimit -l allows 65536 KiB only" and
            (.benches[0].curves[0].x | max) == 134217728'
else
    skip 'a limit of locked memory' 'limits cannot be set here'
fi

# ---- in exact mode ----

boot exact 0 --shift 6 --smp 2 --bench bandwidth,loaded --set bandwidth.max_kib=32 \
    --set bandwidth.trials=2
check 'bandwidth and loaded are OK' "$(value exact '.run')" all_ok exact bandwidth loaded

# Instructions of two passes over 4 KiB and over 32 KiB, twice each.
while read -r curve small large; do
    found=$("$TARE" show --samples "bandwidth/$curve" "$work/exact.db" |
        awk '{ printf "%s%g", (NR > 1 ? " " : ""), $1 / 64 }')
    check "$curve: $small and $large instructions" "$found" \
        test "$found" = "$small $small $large $large"
done <<'GOLDEN'
read.rep 1047 8215
read.64 1087 8591
read.sse 575 4495
read.avx2 463 3599
write.rep 1047 8215
write.64 1092 8596
write.sse 574 4494
write.avx2 318 2446
copy.rep 1047 8215
copy.64 2129 16913
copy.sse 1105 8721
copy.avx2 593 4625
write_nt.64 1093 8597
write_nt.avx2 319 2447
copy_nt.sse 1106 8722
copy_nt.avx2 594 4626
GOLDEN
check 'sets that the processor lacks are absent' "$(value exact '.benches[].absent')" json exact \
    '[.benches[] | select(.name == "bandwidth").absent[].name] |
        index("read.avx512") != null and index("copy_nt.avx512") != null'
# A hop is three instructions, and a reader beside it changes nothing where nothing is shared.
check 'loaded: 256 hops more are 768 instructions, at every load' \
    "$(value exact '.benches[] | select(.name == "loaded").series')" json exact '
        .benches[] | select(.name == "loaded").series | map({(.name): .}) | add |
        (.["latency.twice"].median - .latency.median) == 768 * 64 and
        .latency.min == .latency.max and .["latency.twice"].min == .["latency.twice"].max and
        .["latency.x"].n == 2'

# Of many processors each up to 8, and all.
boot many 0 --shift 6 --smp 12 --bench loaded --set loaded.trials=1 --set loaded.kib=64
check 'loaded by 0 to 8 and by all 11 others' "$(value many '.benches[0].curves')" json many '
    .benches[0].status == "OK" and .run.valid and
    (.benches[0].series | map({(.name): .}) | add | .["latency.x"].n == 10 and .["latency.x"].max == 11)'
check 'loaded: what so many read, in the same places' "$("$TARE" show --full "$work/many.db")" \
    test "$("$TARE" show --samples loaded/latency.x "$work/many.db" | tr '\n' ' ')" = '0 1 2 3 4 5 6 7 8 11 '

finish
