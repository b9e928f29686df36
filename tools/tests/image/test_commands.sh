#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What drivers of disks can ask of a disk: the tables of commands in their objects (BLOCK_COMMANDS of
# kernel/block/block.h) hold nothing but commands that identify, set up and read. A driver with one
# that writes is found. What a table holds, and nothing else, reaches the device: test_disks.sh and the
# tests on modelled controllers see each command.
set -u

. tools/tests/support/lib.sh

objects=build/image/obj/kernel/block

# table OBJECT KIND: its bytes.
table() {
    objcopy -O binary -j ".rodata.block_commands.$2" "$1" "$work/table" 2>/dev/null &&
        od -An -v -tx1 "$work/table" | tr -d '\n' | sed 's/^ //'
}

# As numbers of commands: AHCI (ACS-3) read DMA ext, read log ext, read FPDMA queued, identify; NVMe
# create queues, identify, set features (its queues' number), and read; virtio read and name; NBD read and disconnect.
allowed() {
    case $1 in
    ata) echo '25 2f 60 ec' ;;
    nvme_administration) echo '01 05 06 09' ;;
    nvme_blocks) echo '02' ;;
    virtio) echo '00 08' ;;
    nbd) echo '00 02' ;;
    *) echo none ;;
    esac
}

kinds_of() {
    objdump -h "$1" | sed -n 's/.* \.rodata\.block_commands\.\([a-z_]*\) .*/\1/p'
}

# only_allowed OBJECT
only_allowed() {
    only_kinds=$(kinds_of "$1")
    [ -n "$only_kinds" ] || return 1
    for only_kind in $only_kinds; do
        [ -n "$(table "$1" "$only_kind")" ] || return 1
        for only_command in $(table "$1" "$only_kind"); do
            case " $(allowed "$only_kind") " in
            *" $only_command "*) ;;
            *) return 1 ;;
            esac
        done
    done
}

# Where the commands of each driver in use.c are.
drivers=$(sed -n '/^static const struct block_driver \*const drivers/,/;/p' kernel/block/use.c |
    grep -oE '&[a-z]+_driver' | sed 's/&//; s/_driver//')
object_of() {
    case $1 in
    nvme) echo $objects/nvme_command.c.o ;;
    virtio) echo $objects/virtio_disk.c.o ;;
    *) echo "$objects/$1.c.o" ;;
    esac
}
check 'commands: three drivers and more' "$drivers" test "$(echo "$drivers" | wc -w)" -ge 3
for driver in $drivers; do
    object=$(object_of "$driver")
    check "commands: $driver: reads alone" "$(for kind in $(kinds_of "$object"); do
        echo "$kind: $(table "$object" "$kind");"
    done)" only_allowed "$object"
done

remote=build/image/obj/kernel/net/nbd.c.o
check 'commands: nbd: reads alone' "$(table "$remote" nbd)" only_allowed "$remote"

# damaged FILE TEXT REPLACEMENT: the driver with a command that writes, compiled, must be found.
damaged() {
    sed "s/$2/$3/" "kernel/$1" >"$work/damaged.c"
    check "commands: $1 with $3: damaged" 'it is as before' eval "! cmp -s 'kernel/$1' '$work/damaged.c'"
    check "commands: $1 with $3: compiled" "$(cat "$work/compiler")" eval \
        "gcc -std=gnu17 -O2 -I. -ffreestanding -mgeneral-regs-only -w -c -o '$work/damaged.o' '$work/damaged.c' \
            2>'$work/compiler'"
    check "commands: $1 with $3: found" 'it is not' eval '! only_allowed "$work/damaged.o"'
}
: >"$work/compiler"
damaged block/ahci.c '\[READ_QUEUED\] = 0x60' '[READ_QUEUED] = 0x61'
damaged block/nvme_command.c '\[READ\] = 0x02' '[READ] = 0x01'
damaged block/virtio_disk.c '\[REQUEST_READ\] = 0' '[REQUEST_READ] = 1'
damaged stack/nbd.c '\[COMMAND_READ\] = 0' '[COMMAND_READ] = 1'
finish
