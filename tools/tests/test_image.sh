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

# Prints "NAME FLAGS" a section.
sections() {
    objdump -h "$image" | awk '$1 ~ /^[0-9]+$/ { name = $2; address = $4; next_is_flags = 1; next }
        next_is_flags { sub(/^ */, ""); print name, address, $0; next_is_flags = 0 }'
}

section_is() {
    sections | grep -q "^$1 .*$2"
}

all_page_aligned() {
    ! sections | awk '{ print $2 }' | grep -qv '000$'
}

no_write_and_execute() {
    ! sections | grep CODE | grep -qv READONLY
}

same_relocations() {
    pe=$(objdump -p "$image" | grep -c DIR64)
    wanted=$(readelf -rW "$elf" | grep -c R_X86_64_RELATIVE)
    [ "$pe" -gt 0 ] && [ "$pe" -eq "$wanted" ]
}

no_vector_registers() {
    ! find build/image/obj -name '*.o' -exec objdump -d {} + | grep -q '%[xyz]mm'
}

at_most() {
    [ "$(stat -c %s "$1")" -le "$2" ]
}

check 'image: NX compatible' 'the flag is not set' has_flag NX_COMPAT
check 'image: relocatable' 'the flag is not set' has_flag DYNAMIC_BASE
check 'image: .text executable, read only' 'it is not' section_is .text 'READONLY, CODE'
check 'image: .rodata read only' 'it is not' section_is .rodata 'READONLY, DATA'
check 'image: .data writable' 'it is not' section_is .data 'LOAD, DATA'
check 'image: sections on 4 KiB borders' 'one is not' all_page_aligned
check 'image: nothing writable and executable' 'a section is' no_write_and_execute
check 'image: a base relocation for each pointer' 'the numbers differ' same_relocations
check 'image: general registers only' 'a vector register is used' no_vector_registers
check 'image: at most 142 KiB, as memtest86+ has' "it has $(stat -c %s "$image") bytes" at_most "$image" 145408
finish
