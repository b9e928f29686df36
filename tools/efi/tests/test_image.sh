#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The image as a file: what strict firmware looks at before it runs anything.
set -u

. "$(dirname "$0")/lib.sh"

image=${IMAGE:-build/image/tare.efi}
elf=build/image/tare.elf

has_flag() {
    objdump -p "$image" | grep -q "$1"
}

# number OFFSET SIZE FORMAT: of the file, as od prints it.
number() {
    od -An "-j$1" "-N$2" "-t$3$2" "$image" | tr -d ' '
}

# Prints "NAME ADDRESS SIZE OFFSET FLAGS" for each of the PE file's sections: its RVA in hexadecimal,
# the size and the offset that it has in the file, and its characteristics (Microsoft, "PE Format").
sections() {
    pe=$(number 60 4 u)
    at=$((pe + 24 + $(number $((pe + 20)) 2 u)))
    end=$((at + 40 * $(number $((pe + 6)) 2 u)))
    while [ "$at" -lt "$end" ]; do
        echo "$(tail -c +$((at + 1)) "$image" | head -c 8 | tr -d '\000')" \
            "$(number $((at + 12)) 4 x) $(number $((at + 16)) 4 u) $(number $((at + 20)) 4 u)" \
            "$(number $((at + 36)) 4 x)"
        at=$((at + 40))
    done
}

# section_is NAME FLAGS
section_is() {
    sections | grep -q "^$1 .* $2\$"
}

all_page_aligned() {
    sections | awk '$2 !~ /000$/ { bad = 1 } END { exit bad || NR == 0 }'
}

# The highest digit holds the rights: write 8, read 4, execute 2.
no_write_and_execute() {
    sections | awk '$5 ~ /^[abef]/ { bad = 1 } END { exit bad || NR == 0 }'
}

no_bytes() {
    sections | awk -v name="$1" '$1 == name && $3 == 0 { found = 1 } END { exit !found }'
}

# Firmware relocates nothing; all that the linker asked for is packed, and comes out.
unpacks_as_linked() {
    firmware=$(objdump -p "$image" | grep -c DIR64)
    wanted=$(readelf -rW "$elf" | grep -c R_X86_64_RELATIVE)
    "$TEST_BIN/packed_image" "$image" "$elf" >"$work/unpacked" 2>&1 &&
        [ "$firmware" -eq 0 ] && [ "$wanted" -gt 0 ] && grep -q " $wanted addresses" "$work/unpacked"
}

same_again() {
    build/host/mkefi "$elf" "$work/again.efi" && cmp -s "$image" "$work/again.efi"
}

# Four bytes of the packed part are other ones: firmware's console says so, and gets control back.
test_damage() {
    packed=$(sections | awk '$1 == ".packed" { print $4 + $3 / 2 }')
    cp "$image" "$work/damaged.efi"
    printf tare | dd of="$work/damaged.efi" bs=1 "seek=$packed" conv=notrunc status=none
    : >"$work/damaged.log" >"$work/qemu"
    qemu-system-x86_64 -machine q35,smm=off -m 256 -bios /usr/share/ovmf/OVMF.fd \
        -kernel "$work/damaged.efi" -accel tcg,thread=single -icount shift=6,sleep=off -nodefaults \
        -display none -net none -no-reboot -serial "file:$work/damaged.log" >"$work/qemu" 2>&1 &
    qemu=$!
    check 'damaged image: says so' "$(cat "$work/qemu")" \
        wait_for 100 grep -aqF 'tare: the image is damaged' "$work/damaged.log"
    check 'damaged image: returns to firmware' 'it does not' \
        wait_for 100 grep -aqF 'UEFI Interactive Shell' "$work/damaged.log"
    kill $qemu
    wait $qemu
}

# Functions that use a vector register, but for the kernels that measure them and what empties them.
vector_functions() {
    objdump -d build/image/tare.elf | awk '
        /^[0-9a-f]+ <.*>:$/ { name = substr($2, 2, length($2) - 3) }
        /%[xyz]mm/ && name !~ /^(memory_(read|write|copy)_(sse|avx2|avx512)(_nt)?|simd_restore)$/ {
            print name
        }' | sort -u | tr '\n' ' '
}

no_vector_registers() {
    [ -z "$(vector_functions)" ]
}

# The check itself must see them where they are.
vectors_are_seen() {
    [ "$(objdump -d build/image/tare.elf | grep -c '%[xyz]mm')" -gt 100 ]
}

at_most() {
    [ "$(stat -c %s "$1")" -le "$2" ]
}

check 'image: NX compatible' 'the flag is not set' has_flag NX_COMPAT
check 'image: relocatable' 'the flag is not set' has_flag DYNAMIC_BASE
check 'image: .boot executable, read only' 'it is not' section_is .boot 60000020
check 'image: .packed read only' 'it is not' section_is .packed 40000040
check 'image: .kernel writable zeroes' 'it is not' section_is .kernel c0000080
check 'image: .bss writable zeroes' 'it is not' section_is .bss c0000080
check 'image: .kernel has no bytes in the file' 'it has' no_bytes .kernel
check 'image: .bss has no bytes in the file' 'it has' no_bytes .bss
check 'image: sections on 4 KiB borders' 'one is not' all_page_aligned
check 'image: nothing writable and executable' 'a section is' no_write_and_execute
check 'image: unpacks to what was linked, an address for each relocation' \
    'it does not; packed_image tells more' unpacks_as_linked
check 'image: the same ELF file gives the same bytes' 'it does not' same_again
check 'image: general registers only, but for the kernels that measure others' \
    "vector registers in: $(vector_functions)" no_vector_registers
check 'image: the kernels that measure vector registers are seen to use them' 'they are not' \
    vectors_are_seen
check 'image: no larger than memtest86+, 145408 bytes' "it has $(stat -c %s "$image") bytes" \
    at_most "$image" 145408
test_damage
finish
