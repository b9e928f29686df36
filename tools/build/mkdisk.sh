#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tools/build/mkdisk.sh KIND OUT IMAGE
#
# Converts the disk image IMAGE to a virtual disk with qemu-img. KIND is one of:
#
#     qcow2          compressed: QEMU, libvirt, Proxmox
#     vmdk           monolithicSparse: VMware Workstation, VirtualBox
#     vmdk-stream    streamOptimized: the format that ESXi and AWS import
#     vhd            fixed size: Azure, and Hyper-V
#     vhd-dynamic    grows: Hyper-V, VirtualBox
#
# qemu-img sets a random identifier (VMDK, VHD) and the time (VHD); both are overwritten here, so that the
# same input gives the same bytes. The time is SOURCE_DATE_EPOCH (1 January 2026 by default).
set -eu

usage() {
    echo "usage: tools/build/mkdisk.sh qcow2|vmdk|vmdk-stream|vhd|vhd-dynamic OUT IMAGE" >&2
    exit 2
}

[ $# -eq 3 ] || usage
kind=$1
out=$2
image=$3
command -v qemu-img >/dev/null || {
    echo "mkdisk: qemu-img is missing (Debian: apt install qemu-utils)" >&2
    exit 1
}
# Made under its final name, because the descriptor of a VMDK contains the name of its extent.
mkdir -p "$out.new"
new=$out.new/$(basename "$out")
trap 'rm -rf "$out.new"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# convert OPTION...
convert() {
    qemu-img convert -f raw "$@" "$image" "$new"
}

# convert_with_id OPTION...: sets our content identifier in the descriptor of a VMDK, which is text of
# fixed length. qemu-img chooses the identifier at random and omits leading zeros: one in sixteen is
# shorter, and is made again.
convert_with_id() {
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
        convert "$@"
        if LC_ALL=C grep -aqE '^CID=[0-9a-f]{8}$' "$new"; then
            LC_ALL=C sed 's/^CID=[0-9a-f]\{8\}$/CID=7a7e0001/' "$new" >"$new.text"
            mv "$new.text" "$new"
            return
        fi
    done
    echo "mkdisk: $kind: qemu-img wrote no content identifier of eight digits" >&2
    exit 1
}

# put OFFSET HEXADECIMAL
put() {
    # shellcheck disable=SC2059 # bytes, as "\172\176"
    printf "$(echo "$2" | sed 's/../& /g' | tr ' ' '\n' | while read -r byte; do
        [ -z "$byte" ] || printf '\\%03o' "0x$byte"
    done)" | dd of="$new" bs=1 "seek=$1" conv=notrunc status=none
}

# Sets the fields of the footer at OFFSET (Microsoft, "Virtual Hard Disk Image Format Specification" 1.0):
# the time at 24, in seconds since 2000; the checksum at 64, which is the complement of the sum of the
# other bytes; the identifier at 68.
set_footer() {
    put $(($1 + 24)) "$(printf %08x $((${SOURCE_DATE_EPOCH:-1767225600} - 946684800)))"
    put $(($1 + 68)) 7a7e000000004000800000000000000a
    put $(($1 + 64)) 00000000
    put $(($1 + 64)) "$(od -An -v -tu1 "-j$1" -N512 "$new" | awk '
        { for (i = 1; i <= NF; i++) sum += $i }
        END { printf "%08x", 4294967295 - sum }')"
}

last_sector() {
    echo $(($(stat -c %s "$new") - 512))
}

case $kind in
qcow2) convert -c -O qcow2 ;;
vmdk)
    convert_with_id -O vmdk -o subformat=monolithicSparse
    ;;
vmdk-stream)
    convert_with_id -O vmdk -o subformat=streamOptimized
    ;;
vhd)
    # Without force_size the size is rounded up to a geometry, and the backup GPT would not be at the end.
    convert -O vpc -o subformat=fixed,force_size=on
    set_footer "$(last_sector)"
    ;;
vhd-dynamic)
    convert -O vpc -o subformat=dynamic,force_size=on
    set_footer 0
    set_footer "$(last_sector)"
    ;;
*) usage ;;
esac
mv "$new" "$out"
