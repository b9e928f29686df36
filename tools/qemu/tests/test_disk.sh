#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Images of disks (tare disk): the partition table by sfdisk, the sectors by a program that shares
# nothing with tare, and what the command refuses.
set -u

. tools/tests/support/lib.sh

# By the text of kernel/block/layout.h: prints how many sectors of BENCH.DAT are right, for a
# partition that begins at byte $2 of image $1.
right_sectors() {
    python3 - "$1" "$2" <<'PYTHON'
import struct, sys

table = []
for value in range(256):
    for _ in range(8):
        value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    table.append(value)

def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ table[(crc ^ byte) & 255]
    return crc ^ 0xFFFFFFFF

body = b"".join(struct.pack("<I", k * 0x9E3779B9 & 0xFFFFFFFF) for k in range(123))
with open(sys.argv[1], "rb") as image:
    image.seek(int(sys.argv[2]) + 8 * 512)
    right = 0
    while True:
        sector = image.read(512)
        number, file = struct.unpack("<QQ", sector[:16])
        if (number, file) != (right, 1) or sector[16:508] != body:
            break
        if crc32c(sector[:508]) != struct.unpack("<I", sector[508:])[0]:
            break
        right += 1
print(right)
PYTHON
}

# partition_is IMAGE NUMBER TYPE START SIZE: in sectors of 512 bytes, as sfdisk reads it.
partition_is() {
    PATH=$PATH:/usr/sbin:/sbin sfdisk --json "$1" 2>/dev/null | jq -e --arg type "$3" \
        ".partitiontable.partitions[$2] | .type == \$type and .start == $4 and .size == $5" >/dev/null
}

verified() {
    PATH=$PATH:/usr/sbin:/sbin sfdisk --verify "$1" 2>&1 | grep -q 'No errors detected'
}

# refuses NAME STATUS TEXT OPTION...: an error with that text, and no file.
refuses() {
    refused=$1
    status=$2
    text=$3
    shift 3
    expect_status "disk: $refused: status $status" "$status" "$TARE" disk -o "$work/refused.img" "$@"
    check "disk: $refused: named" "$(cat "$work/output")" grep -q -- "$text" "$work/output"
    check "disk: $refused: no file" 'there is one' test ! -e "$work/refused.img"
}

check 'disk: an image' 'it is not made' "$TARE" disk --mib 1 -o "$work/a.img"
check 'disk: the same again' 'it is not made' "$TARE" disk --mib 1 -o "$work/b.img"
check 'disk: the same input gives the same bytes' 'it does not' cmp -s "$work/a.img" "$work/b.img"
check 'disk: sfdisk finds no error' 'it does' verified "$work/a.img"
check 'disk: every sector of BENCH.DAT is right' 'not so' test "$(right_sectors "$work/a.img" 1048576)" = 2048
# A system partition of 3 MiB and a bit is followed by ours at 5 MiB.
head -c 3145729 /dev/urandom >"$work/esp"
check 'disk: with a system partition' 'it is not made' \
    "$TARE" disk --mib 1 --no-documents --esp "$work/esp" -o "$work/esp.img"
check 'disk: sfdisk finds no error in both' 'it does' verified "$work/esp.img"
check 'disk: the system partition' 'it is elsewhere' partition_is "$work/esp.img" 0 \
    C12A7328-F81F-11D2-BA4B-00A0C93EC93B 2048 8192
check 'disk: the partition of files' 'it is elsewhere' partition_is "$work/esp.img" 1 \
    7A7E0001-7461-7265-8000-6469736B7265 10240 2056
check 'disk: the system partition is what was given' 'it is not' \
    cmp -s -n 3145729 -i 1048576:0 "$work/esp.img" "$work/esp"
check 'disk: its files are right' 'not so' test "$(right_sectors "$work/esp.img" 5242880)" = 2048
# Code that a legacy BIOS starts stands in front of the old table, which stays what it is.
head -c 440 /dev/urandom >"$work/code"
check 'disk: with boot code' 'it is not made' \
    "$TARE" disk --mib 1 --no-documents --esp "$work/esp" --boot-code "$work/code" -o "$work/code.img"
check 'disk: the code is in its place' 'it is not' cmp -s -n 440 "$work/code.img" "$work/code"
check 'disk: and nothing else has changed' 'something has' \
    cmp -s -i 440 "$work/code.img" "$work/esp.img"
head -c 441 /dev/urandom >"$work/long"
: >"$work/empty"
refuses 'boot code of 441 bytes' 1 'must have 1 to 440 bytes' --boot-code "$work/long"
refuses 'boot code of no byte' 1 'must have 1 to 440 bytes' --boot-code "$work/empty"
refuses 'no such boot code' 1 'No such file' --boot-code "$work/none"
refuses 'boot code that is a folder' 1 'Is a directory' --boot-code "$work"
refuses 'blocks of 1024' 2 'must be 512 or 4096' --block 1024
refuses 'more than 4 GiB' 2 'must be a number from 0 to 4096' --mib 4097
refuses 'nothing in it' 2 'the image would have no partition' --mib 0
refuses 'no such system partition' 1 'No such file' --esp "$work/none"
finish
