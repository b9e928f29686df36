#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tools/tests/peers/bench_linux.sh
#
# What an operating system adds: the same operations in the image and in a Linux guest, both in QEMU
# by `tare boot`, and so with the same machine, firmware, processor and virtual clock, one tick an
# instruction. The guest is Debian's current kernel with its defaults, a static busybox as its only
# program beside the one that measures (linux_guest.c). Prints a table; exit status 1 where a bar is
# missed or a number is not there.
#
#     GUEST_PROGRAM  linux_guest.c, linked statically (default build/host/bench/linux_guest)
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh
. tools/tests/peers/linux_kernel.sh

program=${GUEST_PROGRAM:-build/host/bench/linux_guest}
limit=900
missed=0

make_initrd() {
    mkdir -p "$work/root/bin"
    cp "$(command -v busybox)" "$work/root/bin/busybox"
    cp "$program" "$work/root/measure"
    cat >"$work/root/init" <<'INIT'
#!/bin/busybox sh
/measure
/bin/busybox poweroff -f
INIT
    chmod +x "$work/root/init"
    (cd "$work/root" && find . | LC_ALL=C sort | cpio -o -H newc --quiet) | gzip -9n >"$work/initrd"
}

# Linux prints nothing in our format, so tare ends with 1.
boot_linux() {
    echo 'booting Linux' >&2
    timeout $limit "$TARE" boot --mode exact --shift 0 --log "$work/linux.log" -o "$work/linux.db" \
        "$kernel" -- -initrd "$work/initrd" \
        -append 'console=ttyS0,115200 quiet panic=-1 rdinit=/init' >/dev/null 2>"$work/linux.err"
    tr -d '\r' <"$work/linux.log" | grep -a -o 'guest[ -].*' >"$work/linux.txt"
    grep -q '^guest-end' "$work/linux.txt" && return
    give_up "the guest did not come to its end: $(tail -n 3 "$work/linux.err" "$work/linux.txt")"
}

boot_tare() {
    echo 'booting tare' >&2
    boot tare 0 --shift 0 --bench syscall,pagefault,contextswitch,creation >&2
}

# of_linux NAME FIELD: of the guest's line.
of_linux() {
    sed -n "s/^guest $1 .*$2=\\([0-9]*\\).*/\\1/p" "$work/linux.txt"
}

# of_tare BENCH SERIES: median in instructions; nothing where there is none.
of_tare() {
    value tare "(.run.ticks_per_instruction | tonumber) as \$ticks |
        .benches[] | select(.name == \"$1\") | .series[] | select(.name == \"$2\") |
        .median / \$ticks"
}

row() {
    printf '%-38s %8s %12s %12s %8s  %s\n' "$@"
}

# compare WHAT LINUX BENCH SERIES [BAR]: medians less those of the empty ones.
compare() {
    compare_linux=$(of_linux "$2" median)
    compare_worst=$(of_linux "$2" max)
    compare_tare=$(of_tare "$3" "$4")
    compare_empty=$(of_tare "$3" empty)
    compare_verdict=
    if [ -z "$compare_linux" ] || [ -z "$compare_tare" ] || [ -z "$compare_empty" ]; then
        row "$1" "${compare_tare:-n/a}" "${compare_linux:-n/a}" - - "${5:+MISSED: no number}"
        missed=1
        return
    fi
    compare_tare=$((compare_tare - compare_empty))
    compare_linux=$((compare_linux - linux_empty))
    compare_worst=$((compare_worst - linux_empty))
    if [ $# -gt 4 ] && [ "$compare_tare" -le "$5" ]; then
        compare_verdict="at most $5: met"
    elif [ $# -gt 4 ]; then
        compare_verdict="at most $5: MISSED"
        missed=1
    fi
    row "$1" "$compare_tare" "$compare_linux" "$compare_worst" \
        "$(awk -v a="$compare_linux" -v b="$compare_tare" 'BEGIN { printf "%.1f", a / b }')" \
        "$compare_verdict"
}

[ -x "$program" ] || give_up "no $program: make it first (make bench ONLY=linux)"
find_kernel
make_initrd
boot_linux
boot_tare
linux_empty=$(of_linux empty median)

echo 'what the OS adds: instructions, the same QEMU flags, medians less two stamps with nothing between'
row operation tare 'Linux guest' 'its longest' ratio bar
compare 'system call and back' system_call syscall null 60
compare '4 KiB page, zeroed on first write' demand_zero pagefault demand_zero 2000
compare 'thread switch by yield' thread_yield contextswitch thread_yield
compare 'pipe, two processes, there and back' process_pipe_round contextswitch process_pipe_round 600
compare 'thread: create, run, exit, join' thread creation thread
compare 'process: create, run, exit, join' process creation process
row 'two stamps, nothing between' "$(of_tare syscall empty)" "$linux_empty" - - ''
cat <<'NOTE'
The image checks no rights, keeps no accounts, delivers no signals and shields no address space from
speculation; its processes are one image, not copies of their parent as fork()'s are.
NOTE
exit "$missed"
