#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A machine that is reset in the middle of each run, as by a watchdog: the stick is run twice, and the
# third time the machine reports why it does not run. A run that ends leaves no mark behind.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

export MTOOLS_SKIP_CHECK=1 MTOOLSRC=/dev/null TZ=UTC
stick=$work/stick.img
cp build/image/tare.img "$stick"

# start NAME PLAN: a machine on the stick, in exact time.
start() {
    echo "$2" >"$work/$1.plan"
    timeout 100 qemu-system-x86_64 -machine q35,smm=off -m 256 -bios "${FIRMWARE:-/usr/share/ovmf/OVMF.fd}" -nodefaults \
        -display none -no-reboot -accel tcg,thread=single -icount shift=6,sleep=off -rtc base=2024-01-01T00:00:00,clock=vm \
        -cpu max,-rdrand,-rdseed,-monitor -serial "file:$work/$1.log" -fw_cfg "name=opt/tare/plan,file=$work/$1.plan" \
        -drive "if=none,id=d,format=raw,file=$stick" -device virtio-blk-pci,drive=d,bootindex=1 2>"$work/$1.qemu" &
    machine=$!
}
: >"$work/output"
# line NAME: the end of what came by the line.
line() {
    tail -c 300 "$work/$1.log" 2>/dev/null | tr -cd ' -~'
}
holds() {
    grep -aq "$2" "$work/$1.log" 2>/dev/null
}
marks() {
    mdir -b -i "$stick@@1M" ::tare-began >"$work/output" 2>&1
}

long='machine=borrow link.wait_ms=0 bench=clock,gap gap.ms=900000'
for name in first second; do
    start $name "$long"
    check "$name: runs" "$(line $name)" wait_for 60 holds $name 'bench clock: OK'
    kill $machine
    wait $machine
    check "$name: a mark on the stick" "$(cat "$work/output")" marks
done
start third "$long exit=poweroff"
check 'third: does not run' "$(line third)" \
    wait_for 60 holds third 'cannot run: two runs in a row were cut off by a reset'
check 'third: the cure' 'it is not there' holds third 'delete the file tare-began'
check 'third: no bench' 'there is one' test "$(grep -ac 'bench clock: OK' "$work/third.log")" -eq 0
kill $machine
wait $machine

mdel -i "$stick@@1M" ::tare-began
start whole 'machine=borrow link.wait_ms=0 bench=clock exit=poweroff'
wait $machine
check 'without the mark: the run comes to its end' "$(line whole)" holds whole 'tare: done'
check 'behind a whole run: no mark' 'there is one' test "$(marks && echo there)" = ''
finish
