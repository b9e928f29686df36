#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Boot loaders that others wrote start the image: the plan that runs is the one beside the image, and not
# the ones in the folders above; without any of them, words behind the image's name.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

export MTOOLS_SKIP_CHECK=1 MTOOLSRC=/dev/null
common='link.wait_ms=0 exit=poweroff'
beside="bench=clock $common"
above="bench=loop $common"
words="bench=call $common"
# In exact time, which a busy host cannot make invalid.
exact='-icount shift=6,sleep=off -rtc base=2024-01-01T00:00:00,clock=vm'

# put FILE PATH: standard input goes to PATH of the stick.
put() {
    cat >"$work/file" && mcopy -o -i "$1@@1M" "$work/file" "::$2"
}

# put_plans STICK: beside the image and above it.
put_plans() {
    echo "$beside" | put "$1" EFI/tare/tare.plan && echo "$above" | put "$1" EFI/tare.plan &&
        echo "$above" | put "$1" tare.plan
}

# make_stick STICK LOADER WORDS: the loader is where firmware starts it; where there are no words, plans.
make_stick() {
    cp build/image/tare.img "$1" && mdel -i "$1@@1M" ::EFI/BOOT/tare-smp.efi && # room for GRUB
        mmd -i "$1@@1M" ::EFI/tare ::EFI/debian ::loader ::loader/entries &&
        mcopy -i "$1@@1M" build/image/tare.efi ::EFI/tare/tare.efi &&
        mcopy -o -i "$1@@1M" "$2" ::EFI/BOOT/BOOTX64.EFI && { [ -n "$3" ] || put_plans "$1"; }
}

# Each takes the stick and the words behind the image's name, if any.
grub() {
    make_stick "$1" /usr/lib/grub/x86_64-efi/monolithic/grubx64.efi "$2" &&
        printf 'chainloader /EFI/tare/tare.efi %s\nboot\n' "$2" | put "$1" EFI/debian/grub.cfg
}
systemd_boot() {
    make_stick "$1" /usr/lib/systemd/boot/efi/systemd-bootx64.efi "$2" &&
        echo 'timeout 0' | put "$1" loader/loader.conf &&
        printf 'title tare\nefi /EFI/tare/tare.efi\n%s\n' "${2:+options $2}" |
        put "$1" loader/entries/tare.conf
}
refind() {
    make_stick "$1" "$got/refind/usr/share/refind/refind/refind_x64.efi" "$2" &&
        printf 'timeout -1\nscanfor manual\ntextonly true\nmenuentry tare {\nloader /EFI/tare/tare.efi\n%s\n}\n' \
            "${2:+options \"$2\"}" | put "$1" EFI/BOOT/refind.conf
}

# start NAME: from the stick until the machine is off. fw_cfg, which has no plan here, is left alone.
start() {
    # shellcheck disable=SC2086 # words
    timeout 100 qemu-system-x86_64 -accel tcg,thread=single $exact -machine q35 -cpu max,-rdrand,-rdseed,-monitor \
        -m 256 -net none -display none -no-reboot -bios "${FIRMWARE:-/usr/share/ovmf/OVMF.fd}" \
        -drive "file=$work/$1.img,format=raw,if=none,id=d" -device virtio-blk-pci,drive=d \
        -serial "file:$work/$1.log" -monitor none </dev/null >"$work/$1.qemu" 2>&1
}

# ran NAME PLAN: a whole and valid run of this plan.
ran() {
    "$TARE" decode -o "$work/$1.db" "$work/$1.log" >"$work/$1.out" 2>"$work/$1.err"
    json "$1" '.run.valid' && [ "$(value "$1" .run.plan.text)" = "$2" ]
}

# load LOADER: with and without words, side by side.
load() {
    "$1" "$work/$1.img" '' && "$1" "$work/$1-words.img" "$words"
    check "$1: the sticks" 'they cannot be made' test $? -eq 0
    start "$1" &
    start "$1-words"
    wait $!
    check "$1: the plan beside the image runs" "$(value "$1" .run.plan; tail -n 3 "$work/$1.log" | tr -cd ' -~')" \
        ran "$1" "$beside"
    check "$1: words are the plan" "$(value "$1-words" .run.plan; tail -n 3 "$work/$1-words.log" | tr -cd ' -~')" \
        ran "$1-words" "$words"
    ran "$1" "$words"
    check "$1: damage is found: another plan" 'it is not' test $? -ne 0
}

load grub
load systemd_boot
if got=$(tools/tests/firmware/get_firmware.sh 2>"$work/get"); then
    load refind
else
    skip refind "the archive has its package no more: $(tail -n 1 "$work/get")"
fi
finish
