#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What the image's parsers conclude from dumps that are made by hand, one of each shape seen in
# collections of real machines; and that a damage changes the conclusion.
set -u

. tools/tests/support/lib.sh

field=build/host/tests/field
set=tools/tests/field/set
$field $set >"$work/got" 2>"$work/err"
check 'set: conclusions as expected' "$(diff tools/tests/field/expected.txt "$work/got" | head -n 6)" \
    cmp -s tools/tests/field/expected.txt "$work/got"
check 'set: nothing on the error output' "$(cat "$work/err")" test ! -s "$work/err"

# changed NAME FILE SED: with that edit the conclusion is another one, or a refusal.
changed() {
    sed "$3" "$set/$2" >"$work/$2"
    $field "$work/$2" >"$work/mutant" 2>&1
    check "$1" "$(cat "$work/mutant")" test "$(grep -cxFf "$work/mutant" "$work/got")" -eq 0
}
changed 'ACPI: a byte of the HPET' acpi-27-ssdts.txt '/^HPET/,/^$/s/0020: 01/0020: 02/'
changed 'ACPI: an enabled processor that is disabled' acpi-27-ssdts.txt '/^APIC/,/^$/s/0040: 01/0040: 00/'
changed 'CPUID: another class of core' cpuid-unlike.txt 's/0x0000001a 0x00: eax=0x20/0x0000001a 0x00: eax=0x40/'
changed 'CPUID: a smaller cache' cpuid-amd-old.txt 's/0030B140/0020B140/'
changed 'map: memory for a specific purpose that is ordinary' efi-map-linux.txt 's/|SP|/|  |/'
changed 'map: the same of a dump' efi-map-dump.txt 's/Soft Reserved/System RAM/'

# Oracles: ACPICA's acpixtract lists the same tables, dmidecode the same modules.
acpixtract -l $set/acpi-27-ssdts.txt >"$work/acpixtract" 2>&1
check 'acpixtract: the same number of SSDTs' "$(cat "$work/acpixtract")" test "$(grep -c SSDT "$work/acpixtract")" -eq 27
PATH=$PATH:/usr/sbin dmidecode --from-dump $set/smbios-modules.bin >"$work/dmidecode" 2>&1
check 'dmidecode: the same rated speed' "$(cat "$work/dmidecode")" grep -q 'Speed: 1333 MT/s' "$work/dmidecode"
check 'dmidecode: a flash chip among the modules' 'there is none' grep -q 'Type: Flash' "$work/dmidecode"
finish
