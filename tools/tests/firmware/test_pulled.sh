#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A USB stick that is pulled while a bench runs: firmware's driver waits for it, so that it is asked once
# more at the end alone, and not behind each bench. The screen reports what the stick has, and why no more.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh
. tools/tests/support/screen.sh

export MTOOLS_SKIP_CHECK=1 MTOOLSRC=/dev/null
serial=file:$work/line.log
touch "$work/screen.txt" "$work/taken.err"
common='machine=borrow gap.ms=20000 exit=halt link.wait_ms=0'

# start BENCHES: from a stick on USB, into the background; `machine` is its process.
start() {
    cp build/image/tare.img "$work/stick.img"
    cp build/image/tare.img "$work/disk.img" # no_serial()'s own disk, which no firmware starts
    mdel -i "$work/disk.img@@1M" ::EFI/BOOT/BOOTX64.EFI
    rm -f "$work/line.log" "$work/monitor"
    no_serial "bench=$1 $common" -vga std -monitor "unix:$work/monitor,server=on,wait=off" \
        -device qemu-xhci -device usb-storage,drive=stick,id=stick,bootindex=0 \
        -drive "if=none,id=stick,format=raw,file=$work/stick.img" &
    machine=$!
}

line_has() {
    grep -aqs "$1" "$work/line.log"
}

pull() {
    monitor 'device_del stick' 'info usb' >"$work/monitor.out"
    grep -q 'info usb' "$work/monitor.out" && ! grep -q 'ID: stick' "$work/monitor.out"
}

# By the stick, as it was pulled.
take() {
    mcopy -n -o -i "$work/stick.img@@1M" ::tare-0001.log "$work/taken.log" 2>"$work/mcopy.err" &&
        "$TARE" decode -o "$work/taken.db" "$work/taken.log" >"$work/taken.out" 2>"$work/taken.err"
    json taken '[.benches[] | select(.status == "OK") | .name] == ["clock"]'
}

start clock,gap,loop,paths
check 'gap runs' 'it does not begin' wait_for 60 line_has 'bench gap ('
check 'the stick is pulled' 'QEMU still has it' pull
check 'the run comes to its end' "$(tail -c 300 "$work/line.log" | tr -cd ' -~')" wait_for 60 line_has 'tare: done'
check 'the screen reports what is on the stick' "$(cat "$work/screen.txt")" \
    wait_for 60 screen_settles 'is only partly on the boot drive: tare-0001.log has [0-9]* bytes, with 1 of 4 benches: EFI_'
# While gap watches, its partial results are saved, too: how many turns firmware had before the stick was
# pulled depends on the host. Each turn without the stick prints the line that is counted here.
check 'the stick did not answer, and firmware is not asked behind each bench' "$(cat "$work/screen.txt")" \
    test "$(grep -c 'the boot drive does not answer: it is tried again at the end' "$work/screen.txt")" -eq 1
monitor quit >/dev/null
wait $machine
check 'the stick has what was saved before' "$(cat "$work/taken.err")" take
finish
