#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Exact mode: the same bytes every time, a floor without noise, known work recovered, and time that is proved.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

same_logs() {
    cmp "$work/$1.log" "$work/$2.log"
}

# Two runs of all benches, the second with every processor of the host kept busy, by programs
# that take no time which another test could use.
test_determinism() {
    boot first 0 --profile all
    mkdir -p build/test && cp "$work/first.db" build/test/full.db # for test_report
    burners=
    for _ in $(seq "$(nproc)"); do
        nice -n 10 yes >/dev/null &
        burners="$burners $!"
    done
    boot loaded 0 --profile all
    # shellcheck disable=SC2086
    kill $burners
    check 'profile all: all benches are OK' 'not all are' all_ok first clock gap idle load
    check 'profile all: exact time is proved' 'it is not' json first '.run.kind == "exact"'
    check 'profile all: an undisturbed run has what could have been found, and no other finding' \
        "$(value first '.findings[].text')" json first '[.findings[].class] == ["clear"]'
    check 'profile all: trace and account without records agree to the tick, in each traced bench' \
        "$(value first '.benches[] | select(.account != null) |
            [.name, .account.sum - .account.elapsed, .account.differences] | join(" ")' | tr '\n' ',')" \
        json first '[.benches[] | select(.account != null)] | length >= 15 and
            all(.account.sum == .account.elapsed and .account.differences == 0 and
                .account.traced and (.account.whole or .name == "overload")) and
            ([.[] | .name] | contains(["switches", "nesting", "process", "paths", "keystroke"]))'
    check 'profile all: log of a loaded host equal to the byte' 'it differs' same_logs first loaded
    check "profile all: banner within 20 ms of firmware's end" 'it is later' json first \
        '(.run.machine.ticks_exit_to_banner | tonumber) < .run.verdict.hz / 50'
}

# same_series NAME OTHER: as many series in both runs, with the same samples.
same_series() {
    sqlite3 "$work/$1.db" "ATTACH '$work/$2.db' AS other;
        SELECT count(*) FROM main.series;
        SELECT count(*) FROM other.series;
        SELECT count(*) FROM main.series AS x JOIN other.series AS y USING (bench, pass, name)
            WHERE x.samples = y.samples;" >"$work/same"
    [ "$(sort -u "$work/same" | wc -l)" -eq 1 ] && [ "$(head -n 1 "$work/same")" -gt 0 ]
}

# boot_from NAME DISK OPTION...: from tare-disk.img; DISK none: without a disk. AHCI is the disk of `tare
# boot`; the others come before it. DISK
boot_from() {
    from_name=$1
    from_disk=$2
    shift 2
    from_drive=if=none,id=other,format=raw,snapshot=on,file=${image%.efi}-disk.img
    case $from_disk in
    none) boot "$from_name" 0 "$@" ;;
    ahci) boot "$from_name" 0 "$@" "${image%.efi}-disk.img" ;;
    nvme) boot "$from_name" 0 "$@" "${image%.efi}-disk.img" -- -drive "$from_drive" \
        -device nvme,drive=other,serial=1,bootindex=0 ;;
    usb) boot "$from_name" 0 "$@" "${image%.efi}-disk.img" -- -drive "$from_drive" \
        -device qemu-xhci -device usb-storage,drive=other,bootindex=0 ;;
    virtio) boot "$from_name" 0 "$@" "${image%.efi}-disk.img" -- -drive "$from_drive" \
        -device virtio-blk-pci,drive=other,bootindex=0 ;;
    esac
}

# Firmware's work with an NVMe disk ends when the host's does, and takes longer than without a disk.
test_disk() {
    boot_from brief none --shift 6 --bench echo,queuesync,switches,process
    boot_from disk nvme --shift 6 --bench echo,queuesync,switches,process
    boot_from again nvme --shift 6 --bench echo,queuesync,switches,process
    check 'disk: firmware started from it' 'it did not' printed disk 'starting Boot0002 "UEFI QEMU NVMe'
    check 'disk: the same log' 'it differs' same_logs disk again
    expect_status 'equal runs: tare diff ends with status 0' 0 "$TARE" diff "$work/disk.db" "$work/again.db"
    check 'equal runs: and prints nothing' "$(cat "$work/output")" [ ! -s "$work/output" ]
    check 'disk: the same samples as without' 'they differ' same_series brief disk
    check 'disk: no stamp of firmware is in it' 'there is one' json disk \
        '.run.machine | has("tsc_at_begin") and (has("tsc_at_entry") | not)'
    check 'disk: the date is that of the begin' "$(value disk .run.date)" json disk \
        '.run.date | startswith("2024-01-01T00:04:3")'
}

# By `make same-bytes`: all benches, three boots of each machine.
test_same_bytes() {
    for machine in none ahci nvme usb virtio; do
        for number in 1 2 3; do
            boot_from "$machine$number" "$machine" --profile all
        done
        (cd "$work" && sha256sum "$machine"1.log "$machine"2.log "$machine"3.log)
        check "$machine: the same log as in the first boot" 'it differs' same_logs "$machine"1 "$machine"2
        check "$machine: and in the third" 'it differs' same_logs "$machine"1 "$machine"3
    done
}

# Virtual seconds at 2 ns an instruction, interrupts masked: 2, and 10 by `make bench ONLY=floor`, which
# take a minute more.
test_floor() {
    seconds=${FLOOR_SECONDS:-2}
    boot floor 0 --shift 1 --bench idle,gap --set "idle.ms=${seconds}000" --set idle.tick_hz=0 \
        --set "gap.ms=${seconds}000"
    check 'floor: two ticks an instruction' 'not so' json floor \
        '.run.ticks_per_instruction == "2"'
    check "floor: $seconds s without a gap above 1 us" "$(value floor '.benches[] | select(.name == "gap")
        | .series[] | select(.name == "gap_length")')" json floor \
        '.benches[] | select(.name == "gap") |
         .facts.elapsed > 0.999e9 * '"$seconds"' and
         .facts.threshold <= 1000 and
         .facts.dead == 0 and
         .facts.unkept == 0 and
         (.series[] | select(.name == "gap_length") | .n) == 0'
    check "floor: ${seconds}000 idle samples of 1 ms spread at most 16 ticks" 'they spread more' json floor \
        '.benches[] | select(.name == "idle") | .series[] | select(.name == "floor") |
         .n == '"$seconds"'000 and .max - .min <= 16'
}

# COUNT random events, drawn here: AT_US:WORK_US,... at least two samples apart.
draw_list() {
    awk -v seed="$1" -v count="$2" 'BEGIN {
        srand(seed)
        for (i = 0; i < count; i++) {
            at += 2000 + int(rand() * 5000)
            work = 20 + int(rand() * rand() * 8000)
            printf "%s%d:%d", i ? "," : "", at, work
            at += work
        }
    }'
}

recovered() {
    json "$1" '.benches[] | select(.name == "load") | .recovery |
        .injected == '"$2"' and .recovered == .injected and .within_tolerance == .injected and
        .spurious == 0 and (.total_error_ppm | fabs) <= 1000'
}

test_load() {
    fresh=$(date +%s)
    for seed in 1 "$fresh"; do
        boot "load$seed" 0 --bench load --set "load.events=$(draw_list "$seed" 40)"
        check "load: list of seed $seed recovered, each event to the tick" \
            "$(value "load$seed" '.benches[0].recovery' | tr '\n' ' ')" recovered "load$seed" 40
    done
    boot loadimage 0 --bench load --set load.random=200:99:1:20000 --shift 5
    check 'load: 200 events drawn by the image recovered' \
        "$(value loadimage '.benches[0].recovery' | tr '\n' ' ')" json loadimage \
        '.benches[0].recovery | .recovered == 200 and .spurious == 0'
    printf 'max load.%s in exact\n' 'spurious 0 count' 'total_error 0 instructions' \
        'largest_error 0 instructions' 'error 0 instructions' >"$work/limits"
    check 'load: limits of 0 are kept' "$("$TARE" compare --limits "$work/limits" \
        "$work/loadimage.db" 2>&1 | tail -n 4)" \
        "$TARE" compare --limits "$work/limits" "$work/loadimage.db"
}

# wrapper NAME LINE...: a QEMU in the place of QEMU.
wrapper() {
    wrapper_path=$work/$1
    shift
    { echo '#!/bin/sh' && printf '%s\n' "$@"; } >"$wrapper_path"
    chmod +x "$wrapper_path"
}

# double_rate PROGRAM PID: from now on an instruction of this QEMU takes 16 ns. The place of the shift
# is in the code of icount_to_ns(), which begins by loading it. False where that is not so, or where
# the memory of the process may not be written.
double_rate() {
    rate_at=$(nm -D "$1" | awk '$3 ~ /^icount_to_ns(@|$)/ { print $1 }')
    rate_base=$(awk -F '[- ]' 'NR == 1 { print $1 }' "/proc/$2/maps")
    [ -n "$rate_at" ] && [ -n "$rate_base" ] || return 1
    rate_at=$((0x$rate_at + 0x$rate_base))
    # shellcheck disable=SC2046 # words
    set -- "$2" $(dd if="/proc/$2/mem" bs=1 skip=$rate_at count=7 2>/dev/null | od -An -v -tu1)
    [ "$2 $3 $4" = '15 183 13' ] || return 1 # movzwl offset(%rip), %ecx
    printf '\004\000' | dd of="/proc/$1/mem" bs=1 conv=notrunc 2>/dev/null \
        seek=$((rate_at + 7 + $5 + 256 * ($6 + 256 * ($7 + 256 * $8))))
}

# A wrapper that changes the rate while a bench runs: gap, or idle, on a host that is busy.
test_doubled_rate() {
    # shellcheck disable=SC2016 # of the wrapper
    wrapper doubling 'echo $$ >"'"$work"'/doubling.pid"' 'exec qemu-system-x86_64 "$@"'
    : >"$work/doubled.log"
    rm -f "$work/rate"
    {
        until grep -aq 'bench gap (' "$work"/doubled.log* "$work/doubled.err" 2>/dev/null; do
            sleep 0.05
        done
        double_rate "$(command -v qemu-system-x86_64)" "$(cat "$work/doubling.pid")" &&
            : >"$work/rate"
    } &
    doubling=$!
    boot doubled 1 --bench gap,idle --set gap.ms=4000 --set idle.ms=6000 --qemu "$work/doubling"
    kill $doubling 2>/dev/null
    wait $doubling
    if [ ! -e "$work/rate" ]; then
        skip 'time: a rate that changes in the middle' 'the rate of this QEMU cannot be set'
        return
    fi
    check 'time: a rate that changes in the middle makes a bench FAIL, and the run invalid' \
        "$(value doubled '.benches[] | .name, .status, .reason' | tr '\n' ' ')" json doubled \
        '(.run.valid | not) and ([.benches[] | select(.status == "FAIL") | .reason] | unique ==
            ["time changed: ticks per instruction: 8 -> 16"])'
}

# A rate that follows the host's clock, and a wrapper that drops -icount.
test_changed_time() {
    boot moody 1 --bench load,idle --set load.random=10:1:20:2000 --set idle.ms=50 -- \
        -icount shift=auto
    check 'time: a rate that changes is never valid exact time' "$(value moody .run.valid)" \
        json moody '.run.valid | not'
    check 'time: what changed is named' "$(tail -n 3 "$work/moody.err")" printed_any moody \
        'time changed' 'exact time'
    # shellcheck disable=SC2016
    wrapper dropping 'for word; do shift; [ "$word" = -icount ] && skip=1 && continue' \
        '[ -n "$skip" ] && skip= && continue; set -- "$@" "$word"; done' \
        'exec qemu-system-x86_64 "$@"'
    boot dropping 1 --bench syscall --qemu "$work/dropping"
    check 'time: -icount dropped is never valid exact time' "$(value dropping .run.valid)" \
        json dropping '(.run.valid | not) and .run.kind != "exact"'
    check 'time: -icount dropped is named' "$(tail -n 3 "$work/dropping.err")" printed dropping \
        'exact time was requested'
}

# printed_any NAME TEXT...: one of them.
printed_any() {
    printed_name=$1
    shift
    for printed_text in "$@"; do
        printed "$printed_name" "$printed_text" && return
    done
    return 1
}

# Shifts 3 and 7 are those of most tests; each of their boots ends with status 0. One clock alone is
# enough there, and nothing changes. The PM timer shows 60 ppm (kernel/run/README.md).
test_honest_time() {
    boot honest 0 --shift 0 --bench clock,syscall -- -machine q35,hpet=off,pit=off
    check 'time: shift 0, with the PM timer alone, is valid' "$(value honest .run.reasons)" \
        json honest '.run.valid and .run.verdict.by == "pm_timer"'
    check 'time: the proof stands behind each bench' "$(value honest '.benches[].facts')" \
        json honest '[.benches[].facts | .["proof.ticks_per_instruction"] == 1 and
            (.["proof.pm_timer"] - 1e9 | fabs) < 6e4] == [true, true]'
}

log_at_most() {
    [ "$(stat -c %s "$work/$1.log")" -le "$2" ]
}

# Bytes on the line beyond those of a run without samples, a sample.
sample_cost_at_most() {
    long=$(stat -c %s "$work/$1.log")
    short=$(stat -c %s "$work/$2.log")
    awk -v bytes=$((long - short)) -v samples="$3" -v most="$4" \
        'BEGIN { exit !(bytes / samples <= most) }'
}

test_line_cost() {
    boot minute 0 --shift 6 --bench idle --set idle.ms=60000 --set idle.tick_hz=0
    boot moment 0 --shift 6 --bench idle --set idle.ms=1 --set idle.tick_hz=0
    check 'line: 60 s of 1 ms samples in at most 110 KB' "$(stat -c %s "$work/minute.log") bytes" \
        log_at_most minute 110000
    check 'line: an idle sample costs at most 1.5 bytes' 'it costs more' sample_cost_at_most minute \
        moment 59999 1.5
    boot ticking 0 --shift 6 --bench idle --set idle.ms=20000
    check 'line: so do samples with 100 clock interrupts a second, all series counted' \
        'they cost more' sample_cost_at_most ticking moment 40000 1.5
}

case ${1:-all} in
floor) test_floor ;;
bytes) test_same_bytes ;;
*)
    test_determinism
    test_disk
    test_floor
    test_load
    test_changed_time
    test_doubled_rate
    test_honest_time
    test_line_cost
    ;;
esac
finish
