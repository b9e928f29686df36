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
changed 'CPUID: a processor of VIA with a smaller cache' cpuid-via.txt 's/02008140/01008140/'
changed 'CPUID: a family that keeps the bit' cpuid-switched-off.txt 's/00660F51/00730F01/'
changed 'CPUID: subleaves without a mark' cpuid-instlat-old.txt 's/^CPUID 8000001D.*-000003FF-.*/CPUID 8000001E  0-0-0-0/'
changed 'CPUID: leaves of one processor' cpuid-instlat-old.txt 's/^CPUID 00000000 /CPUID 00000002 /'
changed 'CPUID: a thread that is a core' cpuid-instlat-old.txt '/^CPUID 8000001E/s/-00000100-/-00000000-/'
changed 'ACPI: S5 of the second SSDT' acpi-s5-in-ssdt.txt 's/5F 53 35 5F/5F 53 33 5F/'
changed 'iasl: a byte of the HPET' acpi-iasl.txt 's/0020: 01 00 00 00 01/0020: 01 00 00 00 02/'
changed 'dmidecode: a chip that is flash' dmidecode-modules.txt 's/Type: LPDDR5/Type: Flash/'
changed 'dmidecode: a rate that is no clock' dmidecode-modules.txt 's/: 1200 MT/: 2400 MT/; s/: 933 MT/: 2133 MT/'
changed 'dmidecode: a width of all bits' dmidecode-modules.txt 's/: 64 bits/: 8 bits/'
changed 'dmidecode: a module in an empty place' dmidecode-modules.txt 's/Size: 0 kB/Size: 4 GB/'
changed 'map: memory for a specific purpose that is ordinary' efi-map-linux.txt 's/|SP|/|  |/'

# Collections have folders of folders; a name is then the path below the one that was asked for.
mkdir -p "$work/collection/maker/model" && cp $set/cpuid-via.txt "$work/collection/maker/model/7"
$field "$work/collection" >"$work/nested" 2>&1
check 'a folder of folders' "$(cat "$work/nested")" grep -q '^maker/model/7: cpuid: 1 ' "$work/nested"

# Oracles: ACPICA's acpixtract lists the same tables, dmidecode the same modules.
acpixtract -l $set/acpi-27-ssdts.txt >"$work/acpixtract" 2>&1
check 'acpixtract: the same number of SSDTs' "$(cat "$work/acpixtract")" test "$(grep -c SSDT "$work/acpixtract")" -eq 27
PATH=$PATH:/usr/sbin dmidecode --from-dump $set/smbios-modules.bin >"$work/dmidecode" 2>&1
check 'dmidecode: the same rated speed' "$(cat "$work/dmidecode")" grep -q 'Speed: 1333 MT/s' "$work/dmidecode"
check 'dmidecode: a flash chip among the modules' 'there is none' grep -q 'Type: Flash' "$work/dmidecode"
finish
