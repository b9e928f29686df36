#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# make bench ONLY=host: the kernels of the memory benches on this Linux, beside those of likwid-bench,
# perf bench mem and mbw, for the same sizes, instruction sets, pages (4 KiB) and processor.
#
# Ours and theirs run in pairs, one right behind the other, ROUNDS times, some 20 ms each. What is
# neither of the two only slows down: another guest on the other thread of the core, which halves
# what is bound by the core's ports, a lowered clock, the colours of the pages that one gets. So the
# best round of each, out of equally many, is compared, and the median of the pairs' ratios stands
# beside. Where it is allowed both run under a real-time policy: on a busy machine the scheduler
# would be what is compared.
set -u

. tools/tests/support/lib.sh

rounds=${ROUNDS:-5}
cpu=0
first=
if command -v chrt >/dev/null && chrt -f 1 true 2>/dev/null; then
    first='chrt -f 1'
fi

for program in likwid-bench perf mbw; do
    if ! command -v "$program" >/dev/null; then
        echo "bench_host: no $program here: tools/build/setup.sh bench" >&2
        exit 1
    fi
done

row() {
    printf '%-42s %10s %10s %7s %7s  %s\n' "$@"
}

# pair KEY OURS THEIRS: keeps both, where both were measured.
pair() {
    [ -n "$2" ] && [ -n "$3" ] && echo "$2 $3" >>"$work/pairs.$1"
}

# best COLUMN HOW KEY: of ours, column 1, or theirs; HOW: -g least, -gr most.
best() {
    cut -d' ' -f"$1" "$work/pairs.$3" | sort "$2" | head -n 1
}

# compare LABEL KEY HOW BAR
compare() {
    [ -s "$work/pairs.$2" ] || return
    row "$1" "$(best 1 "$3" "$2" | xargs printf %.3f)" "$(best 2 "$3" "$2" | xargs printf %.3f)" \
        "$(echo "$(best 1 "$3" "$2") $(best 2 "$3" "$2")" | awk '{ printf "%.3f", $1 / $2 }')" \
        "$(awk '{ print $1 / $2 }' "$work/pairs.$2" | median_of | xargs printf %.3f)" "$4"
}

# ---- chase: likwid-bench has no such kernel, but takes one of ours, with a separate ring ----

# likwid_chase LOADS: adds kernel chaseLOADS, which takes so many hops for each line of its array.
likwid_chase() {
    mkdir -p "$work/.likwid/bench/x86-64"
    sed "/^#/d; s/@LOADS@/$1/" "$(dirname "$0")/bench_chase.ptt" \
        >"$work/.likwid/bench/x86-64/chase$1.ptt"
}

# likwid ARGUMENT...
likwid() {
    HOME=$work $first likwid-bench "$@" 2>"$work/likwid.err"
}

# their_chase LOADS ITERATIONS KB: nanoseconds a hop, from LOADS for each line less half as many: it
# times the making of its ring as well.
their_chase() {
    {
        likwid -t "chase$(($1 / 2))" -i "$2" -w "N:$3kB:1"
        likwid -t "chase$1" -i "$2" -w "N:$3kB:1"
    } | awk -v loads="$(($1 / 2))" '
        /^Time:/ { s = $2 - s } /^Iterations per/ { n = $4 } /^Inner/ { inner = $4 }
        END { if (s > 0) print s * 1e9 / (n * inner * loads) }'
}

# hz RUN: the TSC's.
hz() {
    "$TARE" show --json "$1" | jq -r .run.verdict.hz
}

samples() {
    "$TARE" show --samples "$1" "$2" >"$3"
}

# our_chase KIB HOPS TRIALS: nanoseconds a hop.
our_chase() {
    $first "$TARE" host --cpu $cpu --bench chase --set chase.orders=random --set chase.pages=4k \
        --set chase.types=wb --set "chase.max_kib=$1" --set "chase.hops=$2" \
        --set "chase.trials=$3" -o "$work/chase.db" 2>/dev/null || return
    samples chase/random.4k.wb.n "$work/chase.db" "$work/n"
    samples chase/random.4k.wb.twice "$work/chase.db" "$work/twice"
    tail -n "$3" "$work/twice" | sort -g | awk -v hz="$(hz "$work/chase.db")" \
        -v hops="$((2 * $(tail -n 1 "$work/n")))" 'NR == 1 { print $1 / hops / hz * 1e9 }'
}

# KIB:HOPS:TRIALS of ours, :LOADS:ITERATIONS:KB of theirs.
chases='16:200000:1:512:20:17 512:200000:1:512:2:525 65536:1000000:1:32:1:67200'
for loads in 16 32 256 512; do
    likwid_chase $loads
done
for round in $(seq "$rounds"); do
    echo "chase, round $round of $rounds" >&2
    for chase in $chases; do
        IFS=: read -r kib hops trials loads iterations kb <<LINE
$chase
LINE
        pair "chase.$kib" "$(our_chase "$kib" "$hops" "$trials")" \
            "$(their_chase "$loads" "$iterations" "$kb")"
    done
done

row 'latency, random order' 'ours, ns' 'likwid, ns' 'ratio' 'pairs' ''
for chase in $chases; do
    compare "chase, ${chase%%:*} KiB" "chase.${chase%%:*}" -g 'bar: 0.95 to 1.05'
done

# ---- bandwidth ----

# our_bandwidth KIB OPERATION SET: GB/s.
our_bandwidth() {
    $first "$TARE" host --cpu $cpu --bench bandwidth --set "bandwidth.min_kib=$1" \
        --set "bandwidth.max_kib=$1" --set "bandwidth.operations=$2" --set "bandwidth.sets=$3" \
        --set bandwidth.large_pages=0 --set bandwidth.trials=1 \
        --set bandwidth.piece_ticks=50000000 -o "$work/bandwidth.db" 2>/dev/null || return
    samples "bandwidth/$2.$3.n" "$work/bandwidth.db" "$work/n"
    samples "bandwidth/$2.$3" "$work/bandwidth.db" "$work/once"
    awk -v n="$(cat "$work/n")" -v ticks="$(cat "$work/once")" -v bytes="$(($1 * 1024))" \
        -v hz="$(hz "$work/bandwidth.db")" 'BEGIN { print bytes * n / ticks * hz / 1e9 }'
}

# their_kernel OPERATION SET: likwid's name of it.
their_kernel() {
    case $1 in
    read) their_name=load ;;
    write) their_name=store ;;
    write_nt) their_name=store_mem ;;
    copy) their_name=copy ;;
    copy_nt) their_name=copy_mem ;;
    esac
    case $2 in
    64) echo "$their_name" ;;
    avx2) echo "${their_name}_avx" ;;
    *) echo "${their_name}_$2" ;;
    esac
}

# their_bandwidth KIB OPERATION SET: GB/s; a copy's bytes count twice there.
their_bandwidth() {
    case $2 in
    copy*) arrays=2 ;;
    *) arrays=1 ;;
    esac
    case $1 in
    65536) iterations=4 ;;
    256) iterations=2000 ;;
    *) iterations=60000 ;;
    esac
    likwid -t "$(their_kernel "$2" "$3")" -i $iterations \
        -w "N:$(($1 * 1024 * arrays / 1000))kB:1" |
        awk -v arrays=$arrays '/^MByte\/s:/ { print $2 / 1000 / arrays }'
}

# perf_bandwidth KIB TEST FUNCTION
perf_bandwidth() {
    case $1 in
    65536) loops=4 ;;
    256) loops=2000 ;;
    *) loops=60000 ;;
    esac
    $first taskset -c $cpu perf bench --format=simple mem "$2" -s "$1KB" -l $loops -f "$3" \
        2>/dev/null | awk '$1 > 1 { print $1 / 1e9 }'
}

mbw_bandwidth() {
    $first taskset -c $cpu mbw -q -a -n 3 -t0 $(($1 / 1024)) |
        awk '/MEMCPY/ { print $(NF - 1) * 1048576 / 1e9 }' | median_of
}

# The widest set of ours, which is what a C library has to be held against.
sizes='8 256 65536'
sets='64 sse avx2'
widest=avx2
if grep -qw avx512f /proc/cpuinfo; then
    sets="$sets avx512"
    widest=avx512
fi
for round in $(seq "$rounds"); do
    for kib in $sizes; do
        echo "bandwidth, $kib KiB, round $round of $rounds" >&2
        for operation in read write copy write_nt copy_nt; do
            for set in $sets; do
                [ "$operation.$set" = copy_nt.64 ] ||
                    pair "$operation.$set.$kib" "$(our_bandwidth "$kib" $operation "$set")" \
                        "$(their_bandwidth "$kib" $operation "$set")"
            done
        done
        pair "write.rep.$kib" "$(our_bandwidth "$kib" write rep)" \
            "$(perf_bandwidth "$kib" memset x86-64-stosq)"
        pair "copy.rep.$kib" "$(our_bandwidth "$kib" copy rep)" \
            "$(perf_bandwidth "$kib" memcpy x86-64-movsq)"
        pair "perf.write.$kib" "$(our_bandwidth "$kib" write $widest)" \
            "$(perf_bandwidth "$kib" memset default)"
        pair "perf.copy.$kib" "$(our_bandwidth "$kib" copy $widest)" \
            "$(perf_bandwidth "$kib" memcpy default)"
    done
    pair mbw.copy.65536 "$(our_bandwidth 65536 copy avx2)" "$(mbw_bandwidth 65536)"
done

echo
row 'bandwidth (a byte copied counts once)' 'ours, GB/s' 'peer, GB/s' 'ratio' 'pairs' ''
for operation in read write copy write_nt copy_nt; do
    for kib in $sizes; do
        for set in rep $sets; do
            who=likwid-bench
            [ "$set" = rep ] && who='perf bench mem'
            compare "$operation, $set, $kib KiB" "$operation.$set.$kib" -gr "$who; bar: 0.95"
        done
    done
done
for operation in write copy; do
    for kib in $sizes; do
        compare "$operation, $widest, $kib KiB" "perf.$operation.$kib" -gr \
            'perf bench mem, C library; bar: 0.95'
    done
done
compare 'copy, avx2, 65536 KiB' mbw.copy.65536 -gr 'mbw, C library; bar: 0.95'

# ---- caches ----

echo
$first "$TARE" host --cpu $cpu --bench chase --set chase.orders=random --set chase.types=wb \
    -o "$work/caches.db" 2>/dev/null
"$TARE" show chase "$work/caches.db" | sed -n '/caches found/,$p'
