#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# convert.sh IMAGE.elf IMAGE.efi: converts the linked image to the PE file that firmware loads. The
# same input gives the same bytes. The PE file must not go through objcopy again, which would write
# the time into it.
set -eu

# Fails if a relocation is not packed: boot/relocate.c applies no other kind.
refuse_relocations() {
    if others=$(readelf -rW "$1" | grep -m 5 R_X86_64_); then
        echo "$1: only packed relocations can be applied, but there is:
$others" >&2
        return 1
    fi
}

# number OFFSET BYTES: prints a number of the file.
number() {
    od -An "-j$1" "-N$2" "-tu$2" "$file" | tr -d ' '
}

# put OFFSET BYTES VALUE
put() {
    # shellcheck disable=SC2059 # bytes, as "\140\001"
    printf "$(awk -v count="$2" -v value="$3" 'BEGIN {
        for (; count-- > 0; value = int(value / 256)) {
            printf "\\%03o", value % 256
        }
    }')" | dd of="$file" bs=1 "seek=$1" conv=notrunc status=none
}

# The checksum: the 16-bit words of the file added with end-around carry, plus the file's size.
checksum() {
    od -An -v -w2 -tu2 "$file" |
        awk '{ sum += $1 } END {
            while (sum > 65535) {
                sum = sum % 65536 + int(sum / 65536)
            }
            print sum + 2 * NR
        }'
}

file=$2.tmp
refuse_relocations "$1"
objcopy -S -j .text -j .rodata -j .data -j .bss -j .relr -j .reloc -j .symbols -j .sbat \
    --target=efi-app-x86_64 --section-alignment=4096 --file-alignment=512 "$1" "$file"
optional=$(($(number 60 4) + 24))
put $((optional + 70)) 2 352 # 160h: NX compatible, dynamic base, high-entropy addresses
put $((optional + 64)) 4 0
put $((optional + 64)) 4 "$(checksum)"
mv "$file" "$2"
