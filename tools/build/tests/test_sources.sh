#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The rules of the house that no compiler checks.
set -u

. tools/tests/support/lib.sh

if ! git ls-files >"$work/files" 2>/dev/null || [ ! -s "$work/files" ]; then
    skip 'sources' 'not a git checkout'
    finish
    exit
fi

# Prints what stands where it must not; none is a pass.
none() {
    [ -z "$2" ] && pass "$1" || fail "$1" "$2"
}

# Pictures, logs and dumps have no place for it.
without_licence() {
    grep -vE '\.(png|log|bin)$|field/expected\.txt$' "$work/files" | while read -r file; do
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
    awk '/^[a-z]/ { module = $1; sub(/:$/, "", module) }
        $1 == "pure:" && module ~ /^kernel/ { for (i = 2; i <= NF; i++) print module "/" $i ".c" }' tools/build/modules |
        while read -r file; do [ ! -f "$file" ] || echo "$file"; done
}

none 'sources: a licence line in every file' "$(without_licence)"
none 'sources: nothing new at the top level' "$(outside)"
none 'sources: only boot/ knows UEFI' \
    "$(includes kernel 'efi\.h'; includes bench 'efi\.h'; includes tools 'efi\.h' | grep -v '^tools/tests/firmware/special.c:')"
none 'sources: kernel includes nothing from above' "$(includes kernel '(boot|bench|tools)/' | grep -v '/tests/')"
# A mechanism of the kernel that one group of benches alone uses lies with that group.
# Bench delivery tries the instructions themselves around which interrupts are held back.
mechanisms='^bench/(delivery/delivery\.c|noise/(cause|steal)|system/exit_operations|interactive/(window|program)/)'
none 'sources: benches touch no device register' "$(includes bench \
    'kernel/(dev|mem|link/link|irq/ioapic|irq/pic|cpu/(port|msr))' | grep -v '/tests/' | grep -vE "$mechanisms")"
none 'sources: pure code includes no hardware header' "$(pure | xargs grep -nE \
    '#include "kernel/(cpu/(cpu|port|msr)\.h|irq/(doze|injector|interrupt|ioapic|lapic|pci_interrupt|pic|smi|timed)|mem/|(dev/uart|screen/screen)|link/link\.h)')"
# What runs on Linux executes the instruction of a system call itself, as kernel/ does in the image.
none 'sources: an asm or a port only in kernel/ and fw_cfg' "$(grep -rnE '__asm__|port_(read|write)[0-9]' \
    bench tools boot --include='*.c' | grep -vE '/tests/unit_|^(boot/plan\.c|bench/(selftest/|smp/failures)|tools/(linux/host_tasks|tests/peers/linux_guest)\.c)' |
    grep -vE "$mechanisms")"
finish
