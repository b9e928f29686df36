#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tools/build/mkiso.sh OUT.iso TARE.EFI BOOT-CODE [PLAN]
#
# Makes an ISO image that UEFI firmware boots as a CD (El Torito) and as a USB disk (a GPT with the EFI
# system partition, to which a run writes its log). A legacy BIOS starts BOOT-CODE from both. The
# files are also in the ISO file system, so that they can be copied. The same input gives the same
# bytes, dated SOURCE_DATE_EPOCH (1 January 2026 by default).
set -eu

[ $# -eq 3 ] || [ $# -eq 4 ] || {
    echo "usage: tools/build/mkiso.sh OUT.iso TARE.EFI BOOT-CODE [PLAN]" >&2
    exit 2
}
out=$1
efi=$2
code=$3
plan=${4:-}
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-1767225600}
export SOURCE_DATE_EPOCH TZ=UTC
command -v xorriso >/dev/null || {
    echo "mkiso: xorriso is missing (Debian: apt install xorriso)" >&2
    exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

tools/build/mkimage.sh --esp "$work/esp" "$efi" ${plan:+"$plan"}
mkdir -p "$work/tree/EFI/BOOT"
cp "$efi" "$work/tree/EFI/BOOT/BOOTX64.EFI"
smp=$(dirname "$efi")/tare-smp.efi
[ ! -f "$smp" ] || cp "$smp" "$work/tree/EFI/BOOT/tare-smp.efi"
[ -z "$plan" ] || cp "$plan" "$work/tree/tare.plan"
# A BIOS loads four sectors of 512 bytes from a CD.
cp "$code" "$work/tree/legacy.bin"
truncate -s 2048 "$work/tree/legacy.bin"
# Sets owner and modes, whatever umask and owner the tree has.
find "$work/tree" -type d -exec chmod 755 {} +
find "$work/tree" -type f -exec chmod 644 {} +
find "$work/tree" -depth -exec touch -d "@$SOURCE_DATE_EPOCH" {} +

esp_type=C12A7328-F81F-11D2-BA4B-00A0C93EC93B
xorriso -as mkisofs -quiet -o "$out.new" -V TARE -r -J -G "$code" \
    -append_partition 2 $esp_type "$work/esp" -appended_part_as_gpt -partition_offset 16 \
    -b legacy.bin -no-emul-boot -boot-load-size 4 \
    -eltorito-alt-boot -e --interval:appended_partition_2:all:: -no-emul-boot \
    "$work/tree" >"$work/output" 2>&1 || {
    cat "$work/output" >&2
    rm -f "$out.new"
    exit 1
}
mv "$out.new" "$out"
