#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# slower_kernel.sh KERNEL.deb MODULE FUNCTION COUNT OUT.deb
#
# Makes a kernel package whose calls from MODULE (kvm-amd or kvm-intel) to FUNCTION of another module go through
# tare_sled, a function of COUNT NOPs and a jump: COUNT + 1 instructions more on each of these paths, and nothing else.
# A sled of no NOPs differs from a longer one only by their number. Needs binutils and dpkg-deb.
set -eu

package=$1
module=$2
function=$3
count=$4
out=$5
work=$(mktemp -d "${TMPDIR:-/tmp}/slower.XXXXXX")
trap 'rm -rf "$work"' EXIT

dpkg-deb -R "$package" "$work/tree"
found=$(find "$work/tree" -path "*/arch/x86/kvm/$module.ko*")
case $found in
'')
    echo "$package has no $module.ko" >&2
    exit 1
    ;;
*.xz) xz -dc "$found" >"$work/old.ko" ;;
*) cp "$found" "$work/old.ko" ;;
esac
rm "$found"
# The symbol changes its name in the module only; the table of versions still has the true one, which the sled uses.
objcopy --strip-debug --redefine-sym "$function=tare_sled" "$work/old.ko" "$work/redirected.ko"
cat >"$work/sled.s" <<SLED
    .text
    .globl tare_sled
    .type tare_sled, @function
tare_sled:
    .fill $count, 1, 0x90
    jmp $function
    .size tare_sled, . - tare_sled
    .section .note.GNU-stack, "", @progbits
SLED
as -o "$work/sled.o" "$work/sled.s"
ld -r -o "${found%.ko*}.ko" "$work/redirected.ko" "$work/sled.o"
if ! readelf -rW "${found%.ko*}.ko" | grep -q " tare_sled + 0"; then
    echo "$module.ko does not use $function" >&2
    exit 1
fi
dpkg-deb --root-owner-group -Znone -b "$work/tree" "$out" >/dev/null
