#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A matrix of machines: each runs a short plan in exact mode. The machine that the run reports must
# match QEMU's options. By itself, so few machines that each two properties meet at least once
# (pairs.awk). The table is part of the output: a line a machine, OK, SKIP or FAIL, and why.
#
#     MATRIX=pairs|full|N  full: every combination, which takes hours; N: the first N of the pairs
#     MATRIX_JOBS=N        so many machines at a time (default 1)
#
# matrix.sh row ROWS NUMBER CONFIGURATION: one of them; its line goes to ROWS/NUMBER.
#
# A machine without a serial port boots from a disk, where it leaves its log.
set -u

. tools/tests/support/lib.sh

image=${IMAGE:-build/image/tare.efi}
tests=tools/tests/image
firmware=${FIRMWARE:-/usr/share/ovmf/OVMF.fd}
smm_code=${SMM_CODE:-/usr/share/OVMF/OVMF_CODE_4M.secboot.fd}
smm_variables=${SMM_VARIABLES:-/usr/share/OVMF/OVMF_VARS_4M.fd}
# Seconds in which a machine must have ended by itself. It needs 3.
limit=60
# 128 ns an instruction: firmware waits in the machine's time, and at 256 ns sometimes for ever.
shift=7

# tare's CPUID brand begins so.
models='qemu64|QEMU Virtual CPU
max|QEMU TCG CPU
Nehalem|Intel Core i7 9xx (Nehalem
Haswell|Intel Core Processor (Haswell
Skylake-Server|Intel Xeon Processor (Skylake
EPYC|AMD EPYC Processor'

factors='machine q35 pc
cpu qemu64 max Nehalem Haswell Skylake-Server EPYC
processors 1 2 4
firmware plain smm
screen none vga
hpet on off
i8042 on off
serial on off
memory 128 1024 8192'
# OVMF's SMM is for q35. QEMU before 8.1 hangs in it with several processors that take turns.
forbid='firmware=smm machine=pc'
hangs=
case $(qemu-system-x86_64 --version 2>/dev/null | sed -n 's/^QEMU emulator version \([0-9.]*\).*/\1/p') in
[0-7].* | 8.0*)
    hangs=yes
    forbid="$forbid;firmware=smm processors=2;firmware=smm processors=4"
    ;;
esac

benches=clock,gap,idle,load,syscall,input,keystroke,ipi,lines,contention
plan='gap.ms=10 idle.ms=20 load.random=4:1:10:500 clock.reads=50 syscall.calls=50'

# configuration: sets one variable a factor.
# shellcheck disable=SC2034 # all factors
read_configuration() {
    read -r machine cpu processors firmware_kind screen hpet i8042 serial memory <<CONFIGURATION
$1
CONFIGURATION
}

# With a serial port: as a user does it.
boot_with_line() {
    set -- --mode exact --shift $shift --bench "$benches" --timeout $limit \
        --machine "$machine" --cpu "$cpu" --smp "$processors" --memory "$memory" \
        --log "$work/log" -o "$work/run.db"
    for setting in $plan; do
        set -- "$@" --set "$setting"
    done
    [ "$firmware_kind" = plain ] || set -- "$@" --smm
    set -- "$@" "$image" -- -machine "hpet=$hpet,i8042=$i8042"
    [ "$screen" = none ] || set -- "$@" -vga std
    timeout $((limit + 10)) "$TARE" boot "$@" >"$work/out" 2>"$work/err"
}

# Without: from a disk, the same machine as `tare boot` makes.
boot_with_disk() {
    # shellcheck disable=SC2086 # a setting a line
    printf '%s\n' "bench=$benches" $plan >"$work/tare.plan"
    tools/build/mkimage.sh --mib 0 "$work/disk.img" "$image" "$work/tare.plan" || return 1
    set -- -machine "$machine,hpet=$hpet,i8042=$i8042" -smp "$processors" -m "$memory"
    if [ "$firmware_kind" = plain ]; then
        set -- "$@" -machine smm=off -bios "$firmware"
    else
        cp "$smm_variables" "$work/variables" || return 1
        set -- "$@" -machine smm=on -global driver=cfi.pflash01,property=secure,value=on \
            -drive "if=pflash,unit=0,format=raw,readonly=on,file=$smm_code" \
            -drive "if=pflash,unit=1,format=raw,file=$work/variables"
    fi
    [ "$screen" = none ] || set -- "$@" -vga std
    timeout $limit qemu-system-x86_64 -accel tcg,thread=single \
        -cpu "$cpu,-rdrand,-rdseed,-monitor" -icount shift=$shift,sleep=off \
        -rtc base=2024-01-01T00:00:00,clock=vm -nodefaults -no-reboot -display none -net none \
        -serial none -drive "if=none,id=disk,format=raw,file=$work/disk.img" \
        -device ich9-ahci,id=ahci -device ide-hd,drive=disk,bus=ahci.0,bootindex=1 "$@" \
        >"$work/out" 2>"$work/err" || return
    mcopy -n -i "$work/disk.img@@1M" ::tare-0001.log "$work/log" >>"$work/err" 2>&1 || return 1
    "$TARE" decode "$work/log" -o "$work/run.db" >>"$work/out" 2>>"$work/err"
}

# Compares the run's report with QEMU's options: one complaint a line, none if all agrees.
# shellcheck disable=SC2016 # jq's variables
complaints='
def want($name; $is; $wanted): select($is != $wanted) |
    "\($name) is \(if $is == null then "absent" else $is end), not \($wanted)";
def state($name): [.benches[] | select(.name == $name) | .status][0];
. as $run | .run.machine as $machine |
(select(.run.valid | not) | "invalid: " + (.run.invalid_reasons | join("; "))),
want("kind"; .run.kind; "exact"),
want("processors"; $machine.processors; $processors),
want("working processors"; [$machine | to_entries[] | select(.key | test("^processor[.][0-9]+$")) |
    select(.value | endswith(": works"))] | length | tostring; $processors),
want("model"; ($machine.cpu_brand | startswith($model)); true),
want("screen"; ($machine.framebuffer // "none") != "none"; $screen == "vga"),
want("input from a timer"; [.benches[] | select(.name == "input" or .name == "keystroke") |
    (.found.input // "" | startswith("from a timer: no i8042 on this machine"))] | unique;
    [$i8042 == "off"]),
want("HPET"; [.run.sources[] | select(.name == "hpet") | .from | startswith("absent") | not];
    [$hpet == "on"]),
want("references"; .run.verdict.by; if $hpet == "on" then "hpet,pm_timer" else "pm_timer,pit" end),
want("free memory in range"; ($machine.memory_free_bytes | tonumber / 1048576) as $free |
    ($free <= ($memory | tonumber)) and ($free * 100 >= ($memory | tonumber) * $least); true),
want("serial port"; ($machine.serial // "none") | startswith("legacy port 0x3f8"); $serial == "on"),
want("log on the disk"; $machine.log_file != null; $serial == "off"),
($benches | split(",")[] | . as $name |
    (if ($name == "ipi" or $name == "lines" or $name == "contention") and $processors == "1"
     then "SKIP" else "OK" end) as $wanted | $run | want("bench " + $name; state($name); $wanted)),
(.benches[] | select(.status == "SKIP" and ((.reason // "") | length) < 5) |
    "bench \(.name): SKIP without a reason")'

# judge: prints complaints; nothing if the run is as it must be.
judge() {
    "$TARE" show --json "$work/run.db" >"$work/json" 2>>"$work/err"
    [ -s "$work/json" ] || { echo 'no run file'; return; }
    # Firmware itself takes some 40 MiB; of a small machine that is borrowed it keeps nearly all.
    least=50
    [ "$serial" = on ] || least=0
    jq -r --arg processors "$processors" --arg screen "$screen" --arg hpet "$hpet" \
        --arg i8042 "$i8042" --arg serial "$serial" --arg memory "$memory" \
        --arg benches "$benches" --argjson least $least \
        --arg model "$(echo "$models" | sed -n "s/^$cpu|//p")" "$complaints" "$work/json" 2>&1
}

# Of a run as it must be: what was skipped, and why.
# shellcheck disable=SC2016 # jq's variables
skipped_benches='[.benches[] | select(.status == "SKIP")] | group_by(.reason) |
    map("no \(map(.name) | join(", ")): \(.[0].reason)") | join("; ")'

# This QEMU or its firmware cannot make such a machine.
cannot() {
    grep -ahoE "Property '[^']*' not found|unable to find CPU model '[^']*'" "$work/err" | head -n 1
}

# how_it_went: boots, and sets state and why.
how_it_went() {
    state=SKIP
    for file in "$firmware" "$smm_code" "$smm_variables"; do
        why="$file is not there"
        [ -r "$file" ] || return
    done
    status=0
    if [ "$serial" = on ]; then boot_with_line; else boot_with_disk; fi || status=$?
    why=$(cannot)
    [ -z "$why" ] || return
    state=FAIL
    why="it did not end within $limit s"
    [ $status -ne 124 ] && ! grep -aqsF 'tare boot: stopped after' "$work/err" || return
    why=$(judge | head -n 4 | tr '\n' ';')
    [ -z "$why" ] || return
    why="status $status: $(tail -n 1 "$work/err")"
    [ $status -eq 0 ] || return
    state=OK
    why=$(jq -r "$skipped_benches" "$work/json")
}

# row ROWS NUMBER CONFIGURATION
row() {
    read_configuration "$3"
    began=$(date +%s)
    how_it_went
    # shellcheck disable=SC2086 # words
    printf '%4d  %-4s %-14s %10s  %-8s  %-6s  %-4s  %-5s  %-6s  %6s  %-5s  %3d  %s\n' "$2" $3 \
        "$state" $(($(date +%s) - began)) "$why" >"$1/$(printf %05d "$2")"
}

if [ "${1:-}" = row ]; then
    row "$2" "$3" "$4"
    exit 0
fi

if ! command -v qemu-system-x86_64 >"$work/which"; then
    skip matrix 'no QEMU'
    finish
    exit
fi
echo "$factors" >"$work/factors"
case ${MATRIX:-pairs} in
full) awk -v mode=all -v "forbid=$forbid" -f "$tests/pairs.awk" "$work/factors" ;;
*) awk -v "forbid=$forbid" -f "$tests/pairs.awk" "$work/factors" ;;
esac >"$work/configurations"
check 'each two properties meet on some machine' 'some do not' awk -v mode=check \
    -v "forbid=$forbid" -f "$tests/pairs.awk" "$work/factors" - <"$work/configurations"
case ${MATRIX:-pairs} in
pairs | full) ;;
*) sed -i "$((MATRIX + 1)),\$d" "$work/configurations" ;;
esac
mkdir "$work/rows"
awk '{ printf "%d%c%s%c", NR, 0, $0, 0 }' "$work/configurations" |
    xargs -0 -r -n 2 -P "${MATRIX_JOBS:-1}" sh "$0" row "$work/rows"

echo 'matrix of machines'
printf '%4s  %-4s %-14s %10s  %-8s  %-6s  %-4s  %-5s  %-6s  %6s  %-5s  %3s  %s\n' '' kind processor \
    processors firmware screen HPET i8042 serial MiB state s why
cat "$work/rows"/*
[ -z "$hangs" ] || echo "         with SMM and 2 or 4 processors  SKIP  QEMU before 8.1 hangs in firmware there"
echo
for file in "$work/rows"/*; do
    name="machine $(sed -E 's/^ +//; s/  (OK|SKIP|FAIL) .*//; s/ +/ /g' "$file")"
    case $(cat "$file") in
    *'  OK  '*) pass "$name" ;;
    *'  SKIP  '*) skip "$name" "$(sed 's/.*  SKIP *[0-9]* *//' "$file")" ;;
    *) fail "$name" "$(sed 's/.*  FAIL *[0-9]* *//' "$file")" ;;
    esac
done
check 'each machine has its line' 'some are missing' test \
    "$(cat "$work/rows"/* | wc -l)" -eq "$(wc -l <"$work/configurations")"
finish
