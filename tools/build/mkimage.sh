#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tools/build/mkimage.sh [--small | --esp | --mib N] [--boot-code FILE] OUT.img TARE.EFI [PLAN]
#
# Makes a disk image that UEFI firmware boots: a GPT with an EFI system partition that contains
# \EFI\BOOT\BOOTX64.EFI, next to it tare-smp.efi if that file is in the folder of TARE.EFI, and, if given,
# \tare.plan; and the partition that disk benches read, with BENCH.DAT of N MiB (default 64; 0: no such
# partition). The image also boots from a USB stick to which it is copied unchanged. --small: 8 MiB in
# total, with FAT16, without the partition for benches. --esp: only the file system of the small image.
# --boot-code: code that a legacy BIOS starts. Needs no privileges, and needs build/tare; the same input
# gives the same bytes, with files dated SOURCE_DATE_EPOCH (1 January 2026 by default).
set -eu

usage() {
    echo "usage: tools/build/mkimage.sh [--small | --esp | --mib N] [--boot-code FILE] OUT.img TARE.EFI [PLAN]" >&2
    exit 2
}

mib=64
small=false
esp_only=false
code=
while :; do
    case "${1:-}" in
    --small) small=true ;;
    --esp) small=true esp_only=true ;;
    --mib | --boot-code)
        [ $# -ge 2 ] || usage
        [ "$1" = --mib ] && mib=$2 || code=$2
        shift
        ;;
    -*) usage ;;
    *) break ;;
    esac
    shift
done
[ $# -eq 2 ] || [ $# -eq 3 ] || usage
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

# Clusters have one sector. FAT32 needs 65525 clusters: a partition of 64 MiB has twice that. FAT16 needs
# 4085: 6 MiB have three times that, and with 1 MiB before and after they make 8 MiB.
first=2048
bits=32
sectors=$((64 * 2048))
if $small; then
    mib=0
    bits=16
    sectors=$((6 * 2048))
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# mtools takes a file's date from the source file, but a folder's date from the clock, which only
# faketime could set; so the folders are copied too, from a tree with set dates.
mkdir -p "$work/tree/EFI/BOOT"
cp "$efi" "$work/tree/EFI/BOOT/BOOTX64.EFI"
smp=$(dirname "$efi")/tare-smp.efi
[ ! -f "$smp" ] || cp "$smp" "$work/tree/tare-smp.efi"
[ -z "$plan" ] || cp "$plan" "$work/tree/tare.plan"
find "$work/tree" -depth -exec touch -d "@${SOURCE_DATE_EPOCH:-1767225600}" {} +

export TZ=UTC MTOOLS_SKIP_CHECK=1 MTOOLSRC=/dev/null
esp=$work/esp
truncate -s $((sectors * 512)) "$esp"
mkfs.fat --invariant -F $bits -s 1 -h "$first" -i 7a7e0001 -n TARE "$esp" >/dev/null
# One file after the other: mcopy -s takes those of a folder in any order.
(cd "$work/tree" && mcopy -i "$esp" -s -m EFI :: &&
    { [ ! -f tare-smp.efi ] || mcopy -i "$esp" -m tare-smp.efi ::EFI/BOOT; } &&
    { [ ! -f tare.plan ] || mcopy -i "$esp" -m tare.plan ::; })

if $esp_only; then
    cp "$esp" "$out"
else
    "${TARE:-build/tare}" disk --mib "$mib" --esp "$esp" ${code:+--boot-code "$code"} -o "$out"
fi
