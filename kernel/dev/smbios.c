/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/dev/smbios.h"
#include "kernel/plan/bytes.h"

#include <stdio.h>
#include <string.h>

#define ENTRY_3_SIZE   24
#define ENTRY_2_SIZE   31
#define HEADER_SIZE    4
#define MEMORY_DEVICE  17
#define END_OF_TABLE   127
#define TYPE_UNKNOWN   2
#define CLOCK_ROUNDING 2          /* MT/s: 667 is half of 1333, 1067 of 2133 */
#define STRUCTURES_MAX (1u << 20) /* bytes; a large server has some 100 KiB */

#define DDR3           0x18
#define DDR3_RATED     1066 /* the slowest that is believed of a module */
#define CONFIGURED_END 0x22 /* of structures that have a configured speed */

/* Two and four bytes whose value stands elsewhere, or is not known. */
#define SEE_EXTENDED_SIZE  0x7fffu
#define SEE_EXTENDED_SPEED 0xffffu
#define UNKNOWN            0xffffu
#define SIZE_IN_KIB        0x8000u
#define EXTENDED_MASK      0x7fffffffu

/* A field of a structure; 0 where an older structure ends before it. */
static uint32_t field(const uint8_t *structure, size_t offset, size_t size)
{
    return offset + size > structure[1] ? 0 : (uint32_t)bytes_get(structure + offset, size);
}

static bool sum_is_zero(const uint8_t *bytes, size_t length)
{
    uint8_t sum = 0;

    for (size_t i = 0; i < length; i++) {
        sum = (uint8_t)(sum + bytes[i]);
    }
    return sum == 0;
}

bool smbios_entry(const uint8_t *entry, size_t size, uint64_t *address, size_t *length)
{
    if (size >= ENTRY_3_SIZE && memcmp(entry, "_SM3_", 5) == 0 && entry[6] >= ENTRY_3_SIZE &&
        entry[6] <= size && sum_is_zero(entry, entry[6])) {
        *length = (size_t)bytes_get(entry + 0x0c, 4);
        *address = bytes_get(entry + 0x10, 8);
    } else if (size >= ENTRY_2_SIZE && memcmp(entry, "_SM_", 4) == 0 &&
               memcmp(entry + 0x10, "_DMI_", 5) == 0 && sum_is_zero(entry + 0x10, 15)) {
        *length = (size_t)bytes_get(entry + 0x16, 2);
        *address = bytes_get(entry + 0x18, 4);
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

/* ROM, flash and its kin, and logical devices of non-volatile memory, by table 77; NVDIMMs and
 * persistent memory by their technology (table 79), which came with SMBIOS 3.2. */
static bool is_volatile(const uint8_t *structure)
{
    const uint32_t type = field(structure, 0x12, 1);
    const uint32_t technology = field(structure, 0x28, 1);
    const bool rom = type >= 0x08 && type <= 0x0c;

    return !rom && type != 0x1f && (technology < 0x04 || technology > 0x07);
}

/* What modules of a type can be: the rates from the slowest of the standard to the fastest that is
 * sold, and the widths, one bit each: bit n is 2^n bits. */
struct fit {
    uint8_t type;
    uint32_t slowest;
    uint32_t fastest;
    uint32_t widths;
};

#define WIDTH_16   (1u << 4)
#define WIDTH_32   (1u << 5)
#define WIDTH_64   (1u << 6)
#define WIDTH_128  (1u << 7)
#define WIDTH_1024 (1u << 10)
#define WIDTHS_LP  (WIDTH_16 | WIDTH_32 | WIDTH_64 | WIDTH_128)
#define WIDTHS_HBM (WIDTH_64 | WIDTH_128 | WIDTH_1024)

/* A module of DDR5 is two channels of 32 bits, either of which firmware may report. LPDDR comes in
 * packages of one to eight channels of 16 bits. */
static const struct fit *fit_of(uint8_t type)
{
    static const struct fit any = {0, 66, 12000, WIDTHS_LP | WIDTH_1024};
    static const struct fit fits[] = {
        {0x12, 200, 600, WIDTH_64},    {0x13, 400, 1300, WIDTH_64},
        {0x14, 400, 1300, WIDTH_64},   {0x18, 800, 3300, WIDTH_64},
        {0x1a, 1333, 5600, WIDTH_64},  {0x1b, 200, 533, WIDTHS_LP},
        {0x1c, 200, 1100, WIDTHS_LP},  {0x1d, 400, 2400, WIDTHS_LP},
        {0x1e, 400, 4400, WIDTHS_LP},  {0x20, 200, 1100, WIDTHS_HBM},
        {0x21, 500, 3700, WIDTHS_HBM}, {0x22, 2000, 12000, WIDTH_64 | WIDTH_32},
        {0x23, 400, 11000, WIDTHS_LP}, {0x24, 500, 12000, WIDTHS_HBM},
    };

    for (size_t i = 0; i < sizeof(fits) / sizeof(fits[0]); i++) {
        if (fits[i].type == type) {
            return &fits[i];
        }
    }
    return &any;
}

/* The clock of a bus that moves data on both edges stands in many tables in place of the rate.
 * Below the slowest rate of the type only a clock can be meant. 0: it can be neither. */
static uint32_t as_rate(const struct fit *fit, uint32_t slowest, uint32_t speed)
{
    const uint64_t rate = speed < slowest && fit->type != 0 ? 2ull * speed : speed;

    return rate >= fit->slowest && rate <= fit->fastest ? (uint32_t)rate : 0;
}

static bool is_half(uint32_t half, uint32_t whole)
{
    const uint64_t twice = 2ull * half;

    return twice + CLOCK_ROUNDING >= whole && twice <= (uint64_t)whole + CLOCK_ROUNDING;
}

/* The rate as configured, else as the module could. A configured one of half the other is a clock:
 * the error of taking it for a rate would halve a bound, that of doubling a true half only leaves
 * the bound loose. So it is where the rated one is a clock, unless it is nearer to the rate.
 * DDR3-800 was hardly sold: of 1,216 modules that firmware rates at 800 beside a configured speed,
 * and whose part number has a grade, 1,198 are of 1600 and more. */
static uint32_t rate_of(const uint8_t *structure, const struct fit *fit)
{
    const uint32_t configured = speed_of(structure, 0x20, 0x58);
    const uint32_t rated = speed_of(structure, 0x15, 0x54);
    const bool newer_ddr3 = fit->type == DDR3 && structure[1] >= CONFIGURED_END;
    const uint32_t rated_rate = as_rate(fit, newer_ddr3 ? DDR3_RATED : fit->slowest, rated);
    const bool in_clocks = rated_rate > rated && 2ull * configured < 3ull * rated;

    if (configured == 0 || (rated != 0 && is_half(configured, rated))) {
        return rated_rate;
    }
    const uint32_t rate = as_rate(fit, in_clocks ? UINT32_MAX : fit->slowest, configured);

    return rate != 0 ? rate : rated_rate;
}

static bool is_width_of(const struct fit *fit, uint32_t width)
{
    return (width & (width - 1)) == 0 && (width & fit->widths) != 0;
}

/* Without the bits for error correction that some firmware counts as data: 8 of 72 or 16 of 80, and
 * half of that in a channel of DDR5. */
static uint32_t data_bits(const struct fit *fit, uint32_t width)
{
    const uint32_t data = width == 72 || width == 80 ? 64 : width == 36 || width == 40 ? 32 : width;

    return is_width_of(fit, data) ? data : 0;
}

/* Where the width of data cannot be that of a module, which has the width of a chip, or the bits
 * for error correction: the total width. */
static uint32_t width_of(const uint8_t *structure, const struct fit *fit)
{
    const uint32_t data = data_bits(fit, field(structure, 0x0a, 2));

    return data != 0 ? data : data_bits(fit, field(structure, 0x08, 2));
}

/* Which of two that contradict each other is right is not known: neither is believed then. The
 * width falls alone, as type and rate agree with each other. */
static void believe(const uint8_t *structure, struct smbios_device *device)
{
    const uint32_t width = field(structure, 0x0a, 2);
    const struct fit *fit = fit_of(device->type);

    if (width != 0 && width != UNKNOWN) {
        device->width_bits = (uint16_t)width_of(structure, fit);
        device->unfit = device->width_bits == 0;
    }
    device->mt_s = rate_of(structure, fit);
    if (device->mt_s == 0 &&
        (speed_of(structure, 0x15, 0x54) != 0 || speed_of(structure, 0x20, 0x58) != 0)) {
        device->type = TYPE_UNKNOWN;
        device->unfit = true;
    }
}

static void read_device(const uint8_t *structure, struct smbios_memory *memory)
{
    if (!is_volatile(structure)) {
        return;
    }
    memory->places++;
    /* A size of 0, in MiB or in KiB, is an empty place. */
    if ((field(structure, 0x0c, 2) & ~SIZE_IN_KIB) == 0) {
        return;
    }
    if (memory->count == SMBIOS_DEVICES_MAX) {
        memory->beyond++;
        return;
    }
    struct smbios_device *device = &memory->device[memory->count++];

    *device = (struct smbios_device){
        .mib = size_mib(structure),
        .type = (uint8_t)field(structure, 0x12, 1),
    };
    believe(structure, device);
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
    if (memory->beyond > 0) {
        return "SMBIOS reports more memory modules than there is room for";
    }
    *least = memory->device[0];
    for (size_t i = 1; i < memory->count; i++) {
        const struct smbios_device *device = &memory->device[i];

        least->mt_s = device->mt_s < least->mt_s ? device->mt_s : least->mt_s;
        least->width_bits =
            device->width_bits < least->width_bits ? device->width_bits : least->width_bits;
    }
    for (size_t i = 0; i < memory->count; i++) {
        if (memory->device[i].unfit) {
            return "SMBIOS reports memory modules whose type, width and speed do not fit each "
                   "other";
        }
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
