#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The image as a file: what strict firmware looks at before it runs anything.
set -u

. tools/tests/support/lib.sh

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

# Firmware relocates nothing, and gnu-efi's _relocate neither; boot/relocate.c finds all in .relr.
relocates_itself() {
    firmware=$(objdump -p "$image" | grep -c DIR64)
    wanted=$(readelf -rW "$elf" | sed -n 's/^ *\([0-9]*\) offsets$/\1/p')
    others=$(readelf -rW "$elf" | grep -c R_X86_64_)
    [ "$firmware" -eq 0 ] && [ "$others" -eq 0 ] && [ "${wanted:-0}" -gt 0 ]
}

# same_contents SECTION: what was linked is what firmware loads.
same_contents() {
    objcopy -O binary -j "$1" "$elf" "$work/linked"
    offset=$(sections | awk -v name="$1" '$1 == name { print $4 }')
    tail -c +$((offset + 1)) "$image" | head -c "$(stat -c %s "$work/linked")" |
        cmp -s - "$work/linked" && [ -s "$work/linked" ]
}

same_again() {
    tools/build/convert.sh "$elf" "$work/again.efi" && cmp -s "$image" "$work/again.efi"
}

# The 16-bit words added with end-around carry, without the sum itself, plus the size.
checksum_is_right() {
    pe=$(number 60 4 u)
    sum=$(od -An -v -w2 -tu2 "$image" | awk -v at=$(((pe + 88) / 2)) '
        NR - 1 != at && NR - 2 != at { sum += $1 }
        END {
            while (sum > 65535) {
                sum = sum % 65536 + int(sum / 65536)
            }
            print sum + 2 * NR
        }')
    [ "$sum" -eq "$(number $((pe + 88)) 4 u)" ]
}

# QEMU's -kernel reads this byte as the size of a Linux set-up block.
no_setup_block() {
    [ "$(number 497 1 u)" -eq 0 ]
}

# Each function of the image once, in order of address, with the name that the linker knows.
names_every_function() {
    tools/build/symbols.sh "$elf" >"$work/symbols.s" && cmp -s build/image/symbols.s "$work/symbols.s"
}

# A relocation of another kind is refused, and nothing is written.
refuses_other_relocations() {
    printf '.globl _start\n_start: ret\n.data\n.quad outside\n' | gcc -c -x assembler -o "$work/other.o" - &&
        ld -shared -o "$work/other.elf" "$work/other.o" &&
        ! tools/build/convert.sh "$work/other.elf" "$work/other.efi" 2>"$work/refused" &&
        grep -q R_X86_64_64 "$work/refused" && [ ! -e "$work/other.efi" ]
}

# Functions that use a vector register, except the kernels that measure them and what empties them.
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
check 'image: .text executable, read only' 'it is not' section_is .text 60000020
check 'image: .rodata read only' 'it is not' section_is .rodata 40000040
check 'image: .data writable' 'it is not' section_is .data c0000040
check 'image: .bss writable zeroes' 'it is not' section_is .bss c0000080
check 'image: .relr read only' 'it is not' section_is .relr 40000040
check 'image: .symbols read only' 'it is not' section_is .symbols 40000040
check 'image: .sbat read only' 'it is not' section_is .sbat 40000040
check 'image: .bss has no bytes in the file' 'it has' no_bytes .bss
check 'image: sections on 4 KiB borders' 'one is not' all_page_aligned
check 'image: nothing writable and executable' 'a section is' no_write_and_execute
check 'image: each relocation is packed, firmware has none' 'not so' relocates_itself
for section in .text .rodata .data .relr .symbols .sbat; do
    check "image: $section is what was linked" 'it is not' same_contents $section
done
check 'image: the checksum is right' 'it is not' checksum_is_right
check 'image: -kernel finds no set-up block' 'it does' no_setup_block
check 'image: the same ELF file gives the same bytes' 'it does not' same_again
check 'image: names every function' 'it does not' names_every_function
check 'image: a relocation that nothing applies is refused' 'it is not' refuses_other_relocations
check 'image: general registers only, except the kernels that measure others' \
    "vector registers in: $(vector_functions)" no_vector_registers
check 'image: the kernels that measure vector registers are seen to use them' 'they are not' \
    vectors_are_seen
check 'image: at most 1 MiB' "it has $(stat -c %s "$image") bytes" at_most "$image" 1048576
finish
