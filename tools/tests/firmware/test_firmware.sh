#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The image under firmware that others wrote: OVMF of Debian 12 and 13, U-Boot of both. Each starts it
# from the stick, in own and in borrow; the run is whole and valid, and the machine powers off. The
# table has how each machine ended. FIRMWARE_MEDIA=all takes every medium (make firmware).
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

stick=build/image/tare.img
limit_s=60 # of a machine that does not power off

# Firmware, machine and media that it can start from.
ovmf_media='ide ahci virtio usb nvme'
uboot_media='ide ahci virtio'
newest=$(tools/tests/firmware/get_firmware.sh 2>"$work/get") || newest=
list() {
    echo "ovmf-12 ${FIRMWARE:-/usr/share/ovmf/OVMF.fd} $ovmf_media"
    echo "u-boot-12 /usr/lib/u-boot/qemu-x86_64/u-boot.rom $uboot_media"
    [ -z "$newest" ] || {
        echo "ovmf-13 $newest/ovmf/usr/share/ovmf/OVMF.fd $ovmf_media"
        echo "u-boot-13 $newest/u-boot-qemu/usr/lib/u-boot/qemu-x86_64/u-boot.rom $uboot_media"
    }
}

# medium NAME FILE: QEMU's options for it.
medium() {
    case $1 in
    ide) echo "-machine pc -drive file=$2,format=raw,if=ide" ;;
    ahci) echo "-machine q35 -drive file=$2,format=raw,if=none,id=d -device ide-hd,drive=d,bus=ide.0" ;;
    virtio) echo "-machine q35 -drive file=$2,format=raw,if=none,id=d -device virtio-blk-pci,drive=d" ;;
    usb) echo "-machine q35 -drive file=$2,format=raw,if=none,id=d -device qemu-xhci -device usb-storage,drive=d" ;;
    nvme) echo "-machine q35 -drive file=$2,format=raw,if=none,id=d -device nvme,drive=d,serial=1" ;;
    esac
}

# In exact time, in which a busy host cannot make clocks disagree. Firmware's wait for NVMe in virtual
# time would run ahead of the host's disk.
exact='-icount shift=6,sleep=off -rtc base=2024-01-01T00:00:00,clock=vm'

# machine NAME ROM MODE MEDIUM: boots until it powers off.
machine() {
    cp "$stick" "$work/$1.img"
    echo "bench=clock link.wait_ms=0 exit=poweroff machine=$3" >"$work/$1.plan"
    machine_status=0
    [ "$4" = nvme ] && timing='' || timing=$exact
    # shellcheck disable=SC2046,SC2086 # words
    timeout $limit_s qemu-system-x86_64 -accel tcg,thread=single $timing -cpu max,-rdrand,-rdseed,-monitor -m 256 -net none -display none -no-reboot \
        -bios "$2" $(medium "$4" "$work/$1.img") -fw_cfg "name=opt/tare/plan,file=$work/$1.plan" \
        -serial "file:$work/$1.log" -monitor none </dev/null >"$work/$1.qemu" 2>&1 || machine_status=$?
    echo $machine_status >"$work/$1.status"
}

# end NAME: how the machine ended, in words.
end() {
    if ! grep -aqs 'tare: done' "$work/$1.log"; then
        grep -aqs 'tare:' "$work/$1.log" && echo 'run not finished' || echo 'image not started'
    elif grep -aqs 'switch it off by hand' "$work/$1.log"; then
        echo 'stays on, and reports it' # U-Boot does not switch on the ports of q35 that its tables name
    elif [ "$(cat "$work/$1.status")" -ne 0 ]; then
        echo 'hangs behind the run'
    elif grep -aqs 'ACPI S5' "$work/$1.log"; then
        echo 'off by ACPI S5'
    else
        echo 'off by ResetSystem'
    fi
}

# all_of FIRMWARE ROM MEDIUM...: one after the other.
all_of() {
    all_firmware=$1
    all_rom=$2
    shift 2
    [ "${FIRMWARE_MEDIA:-first}" = all ] || set -- "$1"
    for all_medium in "$@"; do
        for all_mode in own borrow; do
            machine "$all_firmware-$all_mode-$all_medium" "$all_rom" $all_mode "$all_medium"
            echo "$all_firmware $all_mode $all_medium" >>"$work/done-$all_firmware"
        done
    done
}

# valid NAME: the log of the line is that of a whole, valid run.
valid() {
    "$TARE" decode -o "$work/$1.db" "$work/$1.log" >"$work/$1.out" 2>"$work/$1.err" && all_ok "$1" clock
}
# saved NAME: so is the log on the stick.
saved() {
    mcopy -n -o -i "$work/$1.img@@1M" ::tare-0001.log "$work/$1.saved" 2>"$work/$1.err" &&
        "$TARE" decode -o "$work/$1-saved.db" "$work/$1.saved" >"$work/$1.out" 2>"$work/$1.err" &&
        all_ok "$1-saved" clock
}

export MTOOLS_SKIP_CHECK=1 MTOOLSRC=/dev/null TZ=UTC
list >"$work/list"
# Two at a time: a machine waits for its firmware's devices much of the time.
running=
while read -r line; do
    # shellcheck disable=SC2086 # words
    all_of $line &
    running="$running $!"
done <"$work/list"
# shellcheck disable=SC2086 # words
wait $running

echo 'firmware   mode    medium  end'
while read -r firmware _ _; do
    while read -r _ mode from; do
        name=$firmware-$mode-$from
        printf '%-10s %-7s %-7s %s\n' "$firmware" "$mode" "$from" "$(end "$name")"
        case $(end "$name") in
        off* | stays*) pass "$name: no hang" ;;
        *) fail "$name: no hang" "$(end "$name"): $(tail -c 200 "$work/$name.log" | tr -cd ' -~')" ;;
        esac
        valid "$name"
        check "$name: run valid" "$(tail -n 2 "$work/$name.err" 2>/dev/null | tr '\n' ' ')" test $? -eq 0
        [ "$mode" = own ] || check "$name: log on the stick" "$(cat "$work/$name.err")" saved "$name"
    done <"$work/done-$firmware"
done <"$work/list"
[ -n "$newest" ] || skip 'firmware of Debian 13' "it could not be had: $(tail -n 1 "$work/get")"

finish
