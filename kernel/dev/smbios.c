/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/dev/smbios.h"

#include <stdio.h>
#include <string.h>

#define ENTRY_3_SIZE   24
#define ENTRY_2_SIZE   31
#define HEADER_SIZE    4
#define MEMORY_DEVICE  17
#define END_OF_TABLE   127
#define STRUCTURES_MAX (1u << 20) /* bytes; a large server has some 100 KiB */

/* Two and four bytes whose value stands elsewhere, or is not known. */
#define SEE_EXTENDED_SIZE  0x7fffu
#define SEE_EXTENDED_SPEED 0xffffu
#define UNKNOWN            0xffffu
#define SIZE_IN_KIB        0x8000u
#define EXTENDED_MASK      0x7fffffffu

/* A field of a structure; 0 where an older structure ends before it. */
static uint32_t field(const uint8_t *structure, size_t offset, size_t size)
{
    uint32_t value = 0;

    if (offset + size > structure[1]) {
        return 0;
    }
    for (size_t i = 0; i < size; i++) {
        value |= (uint32_t)structure[offset + i] << (8 * i);
    }
    return value;
}

static bool sum_is_zero(const uint8_t *bytes, size_t length)
{
    uint8_t sum = 0;

    for (size_t i = 0; i < length; i++) {
        sum = (uint8_t)(sum + bytes[i]);
    }
    return sum == 0;
}

static uint64_t little_endian(const uint8_t *bytes, size_t size)
{
    uint64_t value = 0;

    for (size_t i = 0; i < size; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

bool smbios_entry(const uint8_t *entry, size_t size, uint64_t *address, size_t *length)
{
    if (size >= ENTRY_3_SIZE && memcmp(entry, "_SM3_", 5) == 0 && entry[6] >= ENTRY_3_SIZE &&
        entry[6] <= size && sum_is_zero(entry, entry[6])) {
        *length = (size_t)little_endian(entry + 0x0c, 4);
        *address = little_endian(entry + 0x10, 8);
    } else if (size >= ENTRY_2_SIZE && memcmp(entry, "_SM_", 4) == 0 &&
               memcmp(entry + 0x10, "_DMI_", 5) == 0 && sum_is_zero(entry + 0x10, 15)) {
        *length = (size_t)little_endian(entry + 0x16, 2);
        *address = little_endian(entry + 0x18, 4);
    } else {
        return false;
    }
    *length = *length < STRUCTURES_MAX ? *length : STRUCTURES_MAX;
    return *address != 0;
}

static uint64_t size_mib(const uint8_t *structure)
{
    const uint32_t size = field(structure, 0x0c, 2);

    if (size == SEE_EXTENDED_SIZE) {
        return field(structure, 0x1c, 4) & EXTENDED_MASK;
    }
    if (size == UNKNOWN) {
        return 0;
    }
    return (size & SIZE_IN_KIB) != 0 ? (size & ~SIZE_IN_KIB) / 1024 : size;
}

static uint32_t speed_of(const uint8_t *structure, size_t offset, size_t extended)
{
    const uint32_t speed = field(structure, offset, 2);

    return speed == SEE_EXTENDED_SPEED ? field(structure, extended, 4) & EXTENDED_MASK : speed;
}

static void read_device(const uint8_t *structure, struct smbios_memory *memory)
{
    const uint32_t configured = speed_of(structure, 0x20, 0x58);
    const uint32_t width = field(structure, 0x0a, 2);

    memory->places++;
    /* A size of 0 is an empty place. */
    if (field(structure, 0x0c, 2) == 0 || memory->count == SMBIOS_DEVICES_MAX) {
        return;
    }
    memory->device[memory->count++] = (struct smbios_device){
        .mib = size_mib(structure),
        .mt_s = configured != 0 ? configured : speed_of(structure, 0x15, 0x54),
        .width_bits = (uint16_t)(width != UNKNOWN ? width : 0),
        .type = (uint8_t)field(structure, 0x12, 1),
    };
}

/* Behind the strings that follow a structure: two NULs end them. `length` where there are none. */
static size_t next_structure(const uint8_t *structures, size_t length, size_t at)
{
    for (at += structures[at + 1]; at + 2 <= length; at++) {
        if (structures[at] == 0 && structures[at + 1] == 0) {
            return at + 2;
        }
    }
    return length;
}

void smbios_read(const uint8_t *structures, size_t length, struct smbios_memory *memory)
{
    size_t at = 0;

    memset(memory, 0, sizeof(*memory));
    while (at + HEADER_SIZE <= length && structures[at + 1] >= HEADER_SIZE &&
           at + structures[at + 1] <= length && structures[at] != END_OF_TABLE) {
        if (structures[at] == MEMORY_DEVICE) {
            read_device(structures + at, memory);
        }
        at = next_structure(structures, length, at);
    }
}

const char *smbios_speed(const struct smbios_memory *memory, struct smbios_device *least)
{
    if (memory->count == 0) {
        return "SMBIOS reports no memory module";
    }
    *least = memory->device[0];
    for (size_t i = 1; i < memory->count; i++) {
        const struct smbios_device *device = &memory->device[i];

        least->mt_s = device->mt_s < least->mt_s ? device->mt_s : least->mt_s;
        least->width_bits =
            device->width_bits < least->width_bits ? device->width_bits : least->width_bits;
    }
    if (least->mt_s == 0) {
        return "SMBIOS does not report how fast the memory modules are";
    }
    return least->width_bits == 0 ? "SMBIOS does not report how wide the memory modules are" : NULL;
}

static const char *type_name(uint8_t type)
{
    static const struct {
        uint8_t type;
        const char *name;
    } names[] = {{18, "DDR"},    {19, "DDR2"}, {24, "DDR3"}, {26, "DDR4"}, {29, "LPDDR3"},
                 {30, "LPDDR4"}, {32, "HBM"},  {33, "HBM2"}, {34, "DDR5"}, {35, "LPDDR5"}};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (names[i].type == type) {
            return names[i].name;
        }
    }
    return NULL;
}

const char *smbios_text(const struct smbios_device *device, char text[SMBIOS_TEXT_MAX])
{
    const char *type = type_name(device->type);
    int used = snprintf(text, SMBIOS_TEXT_MAX, "%lu MiB", device->mib);

    if (type != NULL) {
        used += snprintf(text + used, SMBIOS_TEXT_MAX - (size_t)used, ", %s", type);
    }
    if (device->mt_s != 0) {
        used += snprintf(text + used, SMBIOS_TEXT_MAX - (size_t)used, ", %u MT/s", device->mt_s);
    }
    if (device->width_bits != 0) {
        snprintf(text + used, SMBIOS_TEXT_MAX - (size_t)used, ", %u bits", device->width_bits);
    }
    return text;
}
