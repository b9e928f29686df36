#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The rules of the house that no compiler checks.
set -u

. "$(dirname "$0")/lib.sh"

if ! git ls-files >"$work/files" 2>/dev/null || [ ! -s "$work/files" ]; then
    skip 'sources' 'not a git checkout'
    finish
    exit
fi

# Prints what stands where it must not; none is a pass.
none() {
    [ -z "$2" ] && pass "$1" || fail "$1" "$2"
}

# A picture has no place for it.
without_licence() {
    grep -v '\.png$' "$work/files" | while read -r file; do
        [ ! -f "$file" ] || grep -q 'SPDX-License-Identifier: BSD-2-Clause' "$file" || echo "$file"
    done
}

outside() {
    cut -d/ -f1 "$work/files" | sort -u |
        grep -vxE 'boot|kernel|bench|tools|linker\.ld|Makefile|README\.md|LICENSE|\..*'
}

# includes FOLDER PATTERN: lines of that folder that include what matches.
includes() {
    grep -rnE "#include [<\"]($2)" "$1"
}

pure() {
    sed -n '/^PURE_SOURCES/,/)$/p' Makefile | grep -oE 'kernel/[a-z0-9_/]+\.c'
}

none 'sources: a licence line in every file' "$(without_licence)"
none 'sources: nothing new at the top level' "$(outside)"
none 'sources: only boot/ knows UEFI' \
    "$(includes kernel 'efi\.h'; includes bench 'efi\.h'; includes tools 'efi\.h')"
none 'sources: kernel includes nothing from above' "$(includes kernel '(boot|bench|tools)/')"
none 'sources: tools/lib knows no model, and neither knows a command' \
    "$(includes tools/lib 'tools/(sim|cmd)/'; includes tools/sim 'tools/cmd/')"
none 'sources: benches touch no device register' "$(includes bench \
    'kernel/(dev|mem|link/link|irq/ioapic|irq/pic|cpu/(port|msr))')"
none 'sources: pure code includes no hardware header' "$(pure | xargs grep -nE \
    '#include "kernel/(cpu/(cpu|port|msr)\.h|irq/|mem/|(dev/uart|screen/screen)|link/link\.h)')"
# What runs in the Linux guest stands for kernel/ there.
none 'sources: an asm or a port only in kernel/ and fw_cfg' "$(grep -rnE '__asm__|port_(read|write)[0-9]' \
    bench tools boot --include='*.c' | grep -vE '^(boot/plan\.c|bench/selftest/|tools/tests/linux_guest\.c)')"
finish
