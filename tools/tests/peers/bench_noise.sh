#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tools/tests/peers/bench_noise.sh
#
# Noise and timer latency as rtla (osnoise, timerlat), cyclictest and oslat find them in a Linux RT guest, and as
# tare finds them: in QEMU by `tare boot`, and so with the same machine, firmware, processor and virtual
# clock. The guest is Debian's RT kernel, the only one with these tracers; its programs are Debian's. All packages
# are fetched, none is installed. Prints a table of figures and one of features; exit status 1 where tare is
# behind in one that has a bar, or a number is missing.
#
# A peer's feature counts where its own help names the option; tare's where this run did it, or its plan key or
# bench is there.
#
#     NOISE_SECONDS  length of each measurement in the guest and in the image (default 2)
#     NOISE_LIMIT    the longest that a guest may take, in seconds of the host (default 600)
#     NOISE_ONE      anything: without the guest of two processors
#
# In exact time the guest's second processor does not start (Linux waits for it longer than minutes), so both are
# compared on two in emulated time, where the host's noise is part of all figures.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh
. tools/tests/peers/linux_kernel.sh

seconds=${NOISE_SECONDS:-2}
limit=${NOISE_LIMIT:-600}
missed=0

# ---- the guest ----

# Unpacks package $1 into $work/programs, and prints which it is.
take_package() {
    if [ ! -e "$cache/$1.deb" ]; then
        mkdir -p "$cache" "$work/fetch.$1"
        (cd "$work/fetch.$1" && download "$1" && mv ./*.deb archive) ||
            give_up "cannot fetch $1: $(tail -n 1 "$work/apt")"
        mv "$work/fetch.$1/archive" "$cache/$1.deb"
    fi
    dpkg-deb -x "$cache/$1.deb" "$work/programs" || give_up "cannot unpack $1"
    echo "package $1 $(dpkg-deb --field "$cache/$1.deb" Version)," \
        "sha256 $(sha256sum <"$cache/$1.deb" | cut -d ' ' -f 1)" >&2
}

take_programs() {
    mkdir -p "$work/root/bin" "$work/root/lib" "$work/root/lib64" "$work/programs"
    for package in rtla libtracefs1 libtraceevent1 rt-tests libnuma1; do
        take_package $package
    done
    cp "$(command -v busybox)" "$work/root/bin/busybox"
    for program in rtla cyclictest oslat; do
        cp "$work/programs/usr/bin/$program" "$work/root/bin/$program"
        LD_LIBRARY_PATH=$(echo "$work"/programs/usr/lib/*-linux-gnu) ldd "$work/root/bin/$program"
    done >"$work/libraries"
    awk '$3 ~ /^\// { print $3 } $1 ~ /^\// { print $1 }' "$work/libraries" | sort -u |
        while IFS= read -r library; do
            case $library in
            */ld-linux*) cp -L "$library" "$work/root/lib64/" ;;
            *) cp -L "$library" "$work/root/lib/" ;;
            esac
        done
}

# make_initrd THREADS: of the guest, whose cyclictest has so many threads. Each program has a time limit of the
# guest's clock; what hangs with interrupts on ends there, and its part of the log has no result.
make_initrd() {
    cat >"$work/root/init" <<INIT
#!/bin/busybox sh
export PATH=/bin LD_LIBRARY_PATH=/lib
for folder in proc sys dev tmp; do busybox mkdir -p /\$folder; done
busybox mount -t proc proc /proc
busybox mount -t sysfs sys /sys
busybox mount -t devtmpfs dev /dev
busybox mkdir -p /dev/shm
busybox mount -t tmpfs shm /dev/shm
busybox mount -t tracefs tracefs /sys/kernel/tracing
peer() {
    echo "peer-begin \$1"
    name=\$1
    shift
    busybox timeout -s INT $((10 * seconds + 10)) "\$@" 2>&1
    echo "peer-end \$name"
}
# Firmware's last line has no end.
echo
peer osnoise rtla osnoise top -d ${seconds}s -q
peer osnoise-hist rtla osnoise hist -d ${seconds}s
peer timerlat rtla timerlat top -d ${seconds}s -q -n
peer timerlat-hist rtla timerlat hist -d ${seconds}s -n -b 100 -E 10000
peer cyclictest cyclictest -m -p90 $1 -i1000 -D$seconds -q -N
peer cyclictest-hist cyclictest -m -p90 $1 -i1000 -D$seconds -q -h 2000
peer timerlat-short rtla timerlat top -p 20 -d 1s -q -n
peer cyclictest-short cyclictest -m -p90 $1 -i20 -D1 -q
peer help-osnoise rtla osnoise top --help
peer help-timerlat rtla timerlat top --help
peer help-cyclictest cyclictest --help
peer help-oslat oslat --help
peer oslat oslat -D $seconds -z
peer oslat-load oslat -D $seconds -z -w memmove
echo peers-end
busybox poweroff -f
INIT
    chmod +x "$work/root/init"
    (cd "$work/root" && find . | LC_ALL=C sort | cpio -o -H newc --quiet) | gzip -9n >"$work/initrd"
}

# boot_linux NAME OPTION...: Linux prints nothing in our format, so tare ends with 1.
boot_linux() {
    linux_name=$1
    shift
    echo "booting Linux RT: $*" >&2
    timeout "$limit" "$TARE" boot "$@" --log "$work/$linux_name.log" -o "$work/$linux_name.db" \
        "$kernel" -- -initrd "$work/initrd" \
        -append 'console=ttyS0,115200 quiet panic=-1 rdinit=/init' >/dev/null 2>"$work/$linux_name.err"
    tr -d '\r' <"$work/$linux_name.log" >"$work/$linux_name.txt"
}

# part GUEST NAME: what that program printed.
part() {
    sed -n "/^peer-begin $2\$/,/^peer-end $2\$/p" "$work/$1.txt"
}

# ---- figures of the peers, in ns and events a second; nothing where there is none ----

# A row: processor, #periods, runtime, noise, share, longest noise of a period, longest gap.
osnoise_largest() {
    part "$1" osnoise | awk '$2 ~ /^#/ && $7 + 0 > most { most = $7 } END { if (most) print most * 1000 }'
}
osnoise_stolen() {
    part "$1" osnoise | awk '$2 ~ /^#/ { noise += $4; time += $3 }
        END { if (time) printf "%.1f", noise * 1000000 / time }'
}
osnoise_gaps() {
    part "$1" osnoise-hist | awk -v s="$seconds" '/^count:/ { for (i = 2; i <= NF; i++) n += $i; print n / s }'
}

# of_timerlat GUEST irq|thread: the longest, of both runs.
of_timerlat() {
    { part "$1" timerlat; part "$1" timerlat-hist; } | awk -v part="$2" '
        $2 ~ /^#/ { split($0, side, "|"); split(side[part == "irq" ? 2 : 3], field, " ")
            if (field[4] + 0 > most) most = field[4] + 0 }
        /^Index/ { for (i = 2; i <= NF; i++) mine[i] = $i ~ (part == "irq" ? "IRQ" : "Thr") }
        /^max:/ { for (i = 2; i <= NF; i++) if (mine[i] && $i + 0 > most) most = $i + 0 }
        END { if (most) print most }'
}

# quantile_timerlat GUEST irq|thread Q: the upper end of its bucket of 100 ns, of all processors.
quantile_timerlat() {
    part "$1" timerlat-hist | awk -v part="$2" -v q="$3" '/^Index/ { for (i = 2; i <= NF; i++) mine[i] = $i ~ (part == "irq" ? "IRQ" : "Thr") }
        /^[0-9]/ { for (i = 2; i <= NF; i++) if (mine[i]) { count[$1] += $i; total += $i }; at[++n] = $1 }
        END { for (i = 1; i <= n && total; i++) { sum += count[at[i]]; if (sum >= q * total) { print at[i] + 100; exit } } }'
}

# The run with the histogram knows whole us only.
cyclictest_largest() {
    part "$1" cyclictest | sed -n 's/^T:.*Max: *\([0-9]*\).*/\1/p' | sort -n | tail -n 1
}

# The upper end of its bucket of 1 us.
quantile_cyclictest() {
    part "$1" cyclictest-hist | awk -v q="$2" '/^[0-9]/ { for (i = 2; i <= NF; i++) { count[$1] += $i; total += $i }; at[++n] = $1 }
        END { for (i = 1; i <= n && total; i++) { sum += count[at[i]]; if (sum >= q * total) { print (at[i] + 1) * 1000; exit } } }'
}

# of_oslat GUEST NAME largest|stolen|gaps: its buckets are of 1 us; the last has all that is longer.
of_oslat() {
    part "$1" "$2" | awk -v want="$3" -v s="$seconds" '/^ *[0-9]+ \(us\):/ { us = $1 + 0
            for (i = 3; i <= NF; i++) if ($i ~ /^[0-9]+$/ && us > 1) { n += $i; stolen += $i * us } }
        /Maximum:/ { for (i = 2; i <= NF; i++) if ($i + 0 > most) most = $i + 0 }
        END { if (most) print want == "largest" ? most * 1000 : want == "stolen" ? stolen / s : n / s }'
}

# ---- figures of tare ----

# Is there such a bench, and does the plan take such a key?
has_bench() {
    "$TARE" boot --bench nosuch 2>&1 | grep -qw -- "$1"
}
has_key() {
    "$TARE" boot --set "${1%%.*}.nosuch=1" 2>&1 | grep -qwF -- "$1"
}

# boot_tare NAME STATUS OPTION...
boot_tare() {
    tare_name=$1
    shift
    tare_benches=gap,selfish,fwq,ftq
    for bench in timerlat cliwindow sensitivity; do
        has_bench $bench && tare_benches=$tare_benches,$bench
    done
    echo "booting tare: $tare_benches" >&2
    timeout "$limit" "$TARE" boot --bench "$tare_benches" --log "$work/$tare_name.log" -o "$work/$tare_name.db" \
        --set "gap.ms=$((seconds * 1000))" --set "timerlat.ms=$((seconds * 1000))" \
        --set "timerlat.keep=$((seconds * 1000))" "$@" >"$work/$tare_name.err" 2>&1 ||
        give_up "tare: $(tail -n 3 "$work/$tare_name.err")"
}

# The shortest period of its bench.
boot_short() {
    timeout "$limit" "$TARE" boot --mode exact --shift 1 --bench timerlat --set timerlat.period_us=20 \
        --set timerlat.ms=1000 --log "$work/short.log" -o "$work/short.db" >"$work/short.err" 2>&1
}

# ns_of NAME: ticks from standard input, by the rate of that run.
ns_of() {
    awk -v hz="$(value "$1" .run.verdict.hz)" '$1 != "" && hz > 0 { printf "%.0f\n", $1 * 1000000000 / hz }'
}

gap_largest() {
    value "$1" '[.benches[] | select(.name == "gap") | .processors[] | .longest_ticks // empty] | max // empty' |
        ns_of "$1" >"$work/longest"
    # Without a gap above the threshold: the longest reading.
    [ -s "$work/longest" ] || value "$1" '[.benches[] | select(.name == "gap") | .series[] |
        select(.name | startswith("histogram_bound")) | .max] | max // empty' | ns_of "$1" >"$work/longest"
    cat "$work/longest"
}
gap_stolen() {
    value "$1" '[.benches[] | select(.name == "gap") | .processors[].stolen_ticks] | add / length' |
        ns_of "$1" | awk -v s="$seconds" '{ printf "%.1f", $1 / 1000 / s }'
}
gap_count() {
    value "$1" "[.benches[] | select(.name == \"gap\") | .processors[].gaps] | add / $seconds"
}
gap_smallest() {
    value "$1" '[.benches[] | select(.name == "gap") | .processors[].smallest_ticks] | max' | ns_of "$1"
}

# of_timer RUN SPAN: the longest, of all processors.
of_timer() {
    value "$1" "[.benches[] | select(.name == \"timerlat\") | .facts | to_entries[] |
        select(.key | startswith(\"$2_max.\")) | .value] | max // empty" | ns_of "$1"
}
# quantile_timer RUN SPAN Q: nearest rank of the samples of processor 0.
quantile_timer() {
    "$TARE" show --samples "timerlat/$2.0" "$work/$1.db" 2>/dev/null | grep -o '^[0-9]*$' | sort -n |
        awk -v q="$3" '{ at[NR] = $1 } END { rank = int(NR * q); if (rank < NR * q) rank++; if (NR) print at[rank] }' |
        ns_of "$1"
}

# ---- the tables ----

# row WHAT TARE OSNOISE TIMERLAT CYCLICTEST OSLAT NOTE; empty: n/a, as it measures no such thing.
row() {
    printf '%-32s %8s %8s %8s %10s %8s  %s\n' "$1" "${2:-n/a}" "${3:-n/a}" "${4:-n/a}" "${5:-n/a}" "${6:-n/a}" "$7"
}

# bar WHAT PEERS TARE OSNOISE TIMERLAT CYCLICTEST OSLAT: tare is ahead of, or level with, each of the peers that
# are named by o, t, c and l and must have a number.
bar() {
    bar_note=$(awk -v peers="$2" -v mine="$3" -v o="$4" -v t="$5" -v c="$6" -v l="$7" 'BEGIN {
        of["o"] = o; of["t"] = t; of["c"] = c; of["l"] = l
        if (mine == "") { print "MISSED: tare has no number"; exit }
        for (i = 1; i <= length(peers); i++) {
            peer = of[substr(peers, i, 1)]
            if (peer == "") { print "MISSED: a peer has no number"; exit }
            if (mine + 0 > peer + 0) { print "MISSED: behind"; exit }
        }
        print "ahead" }')
    case $bar_note in
    MISSED*) missed=1 ;;
    esac
    row "$1" "$3" "$4" "$5" "$6" "$7" "$bar_note"
}

figures() {
    echo "noise and latency, one processor, $seconds s each, QEMU's exact time of 2 ns an instruction; ns"
    row figure tare osnoise timerlat cyclictest oslat ''
    bar 'largest gap' ol "$(gap_largest tare1)" "$(osnoise_largest rt1)" '' '' "$(of_oslat rt1 oslat largest)"
    bar 'stolen, us a second' ol "$(gap_stolen tare1)" "$(osnoise_stolen rt1)" '' '' "$(of_oslat rt1 oslat stolen)"
    bar 'gaps above 1 us (5 us), a second' ol "$(gap_count tare1)" "$(osnoise_gaps rt1)" '' '' "$(of_oslat rt1 oslat gaps)"
    bar 'step: the smallest reading' ol "$(gap_smallest tare1)" 1000 '' '' 1000
    bar 'deadline to handler, longest' t "$(of_timer tare1 handler)" '' "$(of_timerlat rt1 irq)" '' ''
    bar 'deadline to handler, p99.9' t "$(quantile_timer tare1 handler 0.999)" '' "$(quantile_timerlat rt1 irq 0.999)" '' ''
    bar 'deadline to thread, longest' tc "$(of_timer tare1 whole)" '' "$(of_timerlat rt1 thread)" "$(cyclictest_largest rt1)" ''
    bar 'deadline to thread, p99.9' tc "$(quantile_timer tare1 whole 0.999)" '' "$(quantile_timerlat rt1 thread 0.999)" "$(quantile_cyclictest rt1 0.999)" ''
    row 'oslat with its load: largest' '' '' '' '' "$(of_oslat rt1 oslat-load largest)" "its own thread moves memory"
}

# What a peer printed of its result in the guest of two processors; a dash: nothing in time.
figures_of_two() {
    echo
    echo "the same on two processors, $(value tare2 .run.kind) time: the worst of both. The host is part of it: no bar"
    row figure tare osnoise timerlat cyclictest oslat ''
    row 'largest gap' "$(gap_largest tare2)" "$(osnoise_largest rt2)" '' '' "$(of_oslat rt2 oslat largest)" "not judged: the host had other loads"
    row 'stolen, us a second' "$(gap_stolen tare2)" "$(osnoise_stolen rt2)" '' '' "$(of_oslat rt2 oslat stolen)" "not judged: the host had other loads"
    row 'deadline to handler, longest' "$(of_timer tare2 handler)" '' "$(of_timerlat rt2 irq)" '' '' "not judged: the host had other loads"
    row 'deadline to thread, longest' "$(of_timer tare2 whole)" '' "$(of_timerlat rt2 thread)" "$(cyclictest_largest rt2)" '' "not judged: the host had other loads"
    for peer in osnoise timerlat cyclictest oslat; do
        grep -q "^peer-end $peer\$" "$work/rt2.txt" ||
            echo "$peer wrote no result on two processors in $limit s"
    done
}

# offers PEER PATTERN
offers() {
    if part rt1 "help-$1" | grep -qE -- "$2"; then echo yes; else echo no; fi
}

# printed_by NAME PATTERN
printed_by() {
    if part rt1 "$1" | grep -qE -- "$2"; then echo yes; else echo no; fi
}

# feature_row WHAT TARE OSNOISE TIMERLAT CYCLICTEST OSLAT: TARE is 0 where it has it.
feature_row() {
    feature_mine=yes
    feature_note=
    if [ "$2" -ne 0 ]; then
        feature_mine=no
        feature_note='MISSED: this build lacks it'
        missed=1
    fi
    row "$1" $feature_mine "$3" "$4" "$5" "$6" "$feature_note"
}

# feature, the same with patterns of help texts.
feature() {
    feature_row "$1" "$2" "$(offers osnoise "$3")" "$(offers timerlat "$4")" "$(offers cyclictest "$5")" \
        "$(offers oslat "$6")"
}

# check_of COMMAND...: its status.
check_of() {
    "$@" >/dev/null 2>&1
    echo $?
}

none='no help names it'

# shellcheck disable=SC2317 # by check_of
shows_live() {
    "$TARE" boot --mode exact --shift 6 --bench gap --set gap.threshold_ns=10000 --set gap.ms=3000 \
        --set gap.round_ms=1000 --log "$work/live.log" -o "$work/live.db" &&
        "$TARE" watch --once "$work/live.log" | grep -q 'worst gap'
}

# shellcheck disable=SC2317 # by check_of
stops() {
    ! "$TARE" boot --mode exact --bench gap --set gap.ms=60 --set gap.threshold_ns=4000 \
        --set gap.inject_world=5 --set gap.inject_us=90 --set noise.stop_us=20 \
        --log "$work/stops.log" -o "$work/stops.db" &&
        json stops '.benches[0].stopped.length_ticks > 0'
}

features() {
    echo
    echo 'features: of peers what their own help offers; of tare what this run did, or the plan key or bench is there'
    row feature tare osnoise timerlat cyclictest oslat ''
    feature 'all processors at once' "$(check_of json exact2 '.benches[] | select(.name == "gap") | .processors | length == 2')" \
        '--cpus' '--cpus' '--smp' '--cpu-list'
    feature 'handler and thread apart' "$(check_of has_bench timerlat)" "$none" '--irq' "$none" "$none"
    feature_row 'a period of 20 us' "$(check_of json short '.benches[].status == "OK"')" '' \
        "$(printed_by timerlat-short '#[0-9]')" "$(printed_by cyclictest-short '^T:.*Max')" ''
    feature 'stops at a threshold' "$(check_of stops)" '--stop' '--thread us' '--breaktrace' '--trace-threshold'
    feature 'hours, bounded memory' "$(check_of has_key gap.round_ms)" 'time\[s\|m\|h\|d\]' 'time\[m\|h\|d\]' 'hours or days' 'H: hours'
    feature 'cause of each gap' "$(check_of json tare1 '[.benches[] | select(.name == "gap") |
        .facts | keys[] | select(startswith("cause."))] | length > 0')" \
        'sys\[:event\]' 'sys\[:event\]' '--smi' "$none"
    feature 'blind spot known' "$(check_of json tare1 '[.benches[] | select(.name == "sensitivity") | .series[] |
        select(.name | endswith(".found"))] | length > 0')" "$none" "$none" "$none" "$none"
    feature 'stops of the world apart' "$(check_of json exact2 '.benches[] | select(.name == "gap") |
        .world | has("refused") and .refused == null')" "$none" "$none" "$none" "$none"
    feature 'fixed quanta, spectrum' "$(check_of json tare1 '[.benches[] | select(.name == "ftq") | .series[] |
        select(.name | startswith("done"))] | length > 0')" "$none" "$none" "$none" "$none"
    feature 'masked windows swept' "$(check_of json tare1 '.benches[] | select(.name == "cliwindow") | .status == "OK"')" \
        "$none" "$none" "$none" "$none"
    feature 'load by other processors' "$(check_of has_key timerlat.load)" "$none" "$none" "$none" '--workload'
    feature 'live view' "$(check_of shows_live)" '--quiet' '--quiet' '--quiet' "$none"
    feature 'JSON' "$(check_of json tare1 '.run.valid')" '--json' '--json' '--json' '--json'
    feature 'raw samples' "$(check_of "$TARE" show --samples gap/histogram_count "$work/tare1.db")" '--trace' '--trace' '--verbose' "$none"
}

for program in busybox cpio; do
    command -v $program >/dev/null || give_up "needs $program: tools/build/setup.sh bench"
done
find_kernel linux-image-rt-amd64
take_programs
make_initrd -t1
boot_linux rt1 --mode exact --shift 1
grep -q '^peers-end' "$work/rt1.txt" ||
    give_up "the guest did not come to its end: $(tail -n 3 "$work/rt1.err" "$work/rt1.txt")"
boot_tare tare1 --mode exact --shift 1
boot_short
# For what needs two processors of exact time.
boot_tare exact2 --mode exact --shift 1 --smp 2
if [ -z "${NOISE_ONE:-}" ]; then
    make_initrd -S
    boot_linux rt2 --mode real --smp 2
    boot_tare tare2 --mode real --smp 2
fi
figures
[ -n "${NOISE_ONE:-}" ] || figures_of_two
features
cat <<'NOTE'
osnoise counts gaps from 5 us, oslat from 1 us in steps of 1 us; its last step has all from 32 us on, and counts as
32 us here: what it finds stolen is a lower bound. tare runs no system beside what it measures:
no tick, no scheduler, no other thread; its thread of `timerlat` is woken by its own kernel. The peers
measure what a system adds, tare what a machine takes.
NOTE
exit "$missed"
