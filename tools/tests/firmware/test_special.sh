#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Memory with EFI_MEMORY_SP, which special.efi has firmware report above 4 GiB: nothing takes it, and with
# memory.special=1 benches of memory have it, and nothing else has.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

export MTOOLS_SKIP_CHECK=1 MTOOLSRC=/dev/null
four_gib=4294967296

# The stick's own image moves to where special.efi starts it.
make_stick() {
    cp build/image/tare.img "$work/stick.img" &&
        mmd -i "$work/stick.img@@1M" ::EFI/tare &&
        mcopy -i "$work/stick.img@@1M" build/image/tare.efi ::EFI/tare/tare.efi &&
        mcopy -o -i "$work/stick.img@@1M" build/image/special.efi ::EFI/BOOT/BOOTX64.EFI
}

# in_special NAME: windows are of memory above 4 GiB, where the map has no other.
in_special() {
    json "$1" '.run.machine | .memory_special_bytes == "1073741824" and .window_special == "yes"' &&
        [ $(($(value "$1" '.run.machine.window_end'))) -gt $four_gib ]
}

# in_ordinary NAME
in_ordinary() {
    json "$1" '.run.machine | .memory_special_bytes == "1073741824" and .window_special == null and
        (.memory_free_bytes | tonumber) < 2147483648'
}

check 'the stick' "$(ls -l "$work")" make_stick
boot without 0 --shift 6 --bench clock "$work/stick.img" -- -m 3G
boot with 0 --shift 6 --bench chase --set chase.max_kib=64 --set memory.special=1 "$work/stick.img" -- -m 3G
check 'without: special memory is no free memory' "$(value without '.run.machine')" in_ordinary without
check 'with: the window is of special memory' "$(value with '.run.machine')" in_special with
check 'with: all else has the same memory as without' "$(value with '.run.machine.memory_free_bytes')" \
    [ "$(value with '.run.machine.memory_free_bytes')" = "$(value without '.run.machine.memory_free_bytes')" ]
for damage in 'in_special without' 'in_ordinary with'; do
    # shellcheck disable=SC2086 # words
    check "damage is found: $damage" 'it is not' eval ! $damage
done
check 'with: the bench of memory is OK' 'it is not' all_ok with chase
boot none 1 --bench clock --set memory.special=1
check 'none: the key and the cure' "$(cat "$work/none.err")" \
    grep -q 'memory.special=1: firmware reports no memory with EFI_MEMORY_SP; leave it out' "$work/none.err"
boot borrow 1 --bench clock --set memory.special=1 --set machine=borrow "$work/stick.img" -- -m 3G
check 'borrow: the key and the cure' "$(cat "$work/borrow.err")" \
    grep -q 'memory.special=1: needs machine=own, since firmware may use that memory' "$work/borrow.err"
finish
