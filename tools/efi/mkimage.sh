#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tools/efi/mkimage.sh OUT.img TARE.EFI [PLAN]
#
# Makes a disk image that UEFI firmware boots: a GPT with one EFI system partition, in it
# \EFI\BOOT\BOOTX64.EFI and, if given, \tare.plan. Copied onto a USB stick as it is, it boots
# there too. Needs no privileges; the same input gives the same bytes, with the files dated
# SOURCE_DATE_EPOCH (1 January 2026 by default).
set -eu

[ $# -eq 2 ] || [ $# -eq 3 ] || {
    echo "usage: tools/efi/mkimage.sh OUT.img TARE.EFI [PLAN]" >&2
    exit 2
}
out=$1
efi=$2
plan=${3:-}
PATH=$PATH:/usr/sbin:/sbin

for file in "$efi" ${plan:+"$plan"}; do
    [ -r "$file" ] || {
        echo "mkimage: cannot read $file" >&2
        exit 1
    }
done

# In sectors of 512 bytes. 33 sectors at the end hold the second partition table. FAT32 needs
# 65525 clusters: with one sector each, a partition of 64 MiB has twice that.
disk_sectors=$((66 * 2048))
first=2048
sectors=$((64 * 2048))

work=$(mktemp -d)
trap 'rm -rf "$work" "$out.tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# mtools takes a file's date from the file copied and a folder's from the clock, which only
# faketime could stop; so the folders are copied too, from a dated tree.
mkdir -p "$work/tree/EFI/BOOT"
cp "$efi" "$work/tree/EFI/BOOT/BOOTX64.EFI"
[ -z "$plan" ] || cp "$plan" "$work/tree/tare.plan"
find "$work/tree" -depth -exec touch -d "@${SOURCE_DATE_EPOCH:-1767225600}" {} +

export TZ=UTC MTOOLS_SKIP_CHECK=1 MTOOLSRC=/dev/null
esp=$work/esp
truncate -s $((sectors * 512)) "$esp"
mkfs.fat --invariant -F 32 -s 1 -h "$first" -i 7a7e0001 -n TARE "$esp" >/dev/null
(cd "$work/tree" && mcopy -i "$esp" -s -m ./* ::)

truncate -s $((disk_sectors * 512)) "$out.tmp"
sfdisk -q "$out.tmp" <<TABLE
label: gpt
label-id: 7A7E0000-0000-4000-8000-000000000000
first-lba: $first
start=$first, size=$sectors, type=C12A7328-F81F-11D2-BA4B-00A0C93EC93B, \
uuid=7A7E0000-0000-4000-8000-000000000001, name=tare
TABLE
dd if="$esp" of="$out.tmp" bs=512 seek="$first" conv=notrunc,sparse status=none
mv "$out.tmp" "$out"
