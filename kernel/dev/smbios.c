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
#define CLOCK_ROUNDING 2          /* in MT/s: 667 is half of 1333, 1067 half of 2133 */
#define STRUCTURES_MAX (1u << 20) /* bytes; a large server has about 100 KiB */

#define DDR3           0x18
#define DDR3_RATED     1066 /* slowest rated speed accepted for newer DDR3 modules */
#define CONFIGURED_END 0x22 /* end of the structures that have a configured speed */

/* Values of fields of two bytes that refer to a longer field, or mean unknown. */
#define SEE_EXTENDED_SIZE  0x7fffu
#define SEE_EXTENDED_SPEED 0xffffu
#define UNKNOWN            0xffffu
#define SIZE_IN_KIB        0x8000u
#define EXTENDED_MASK      0x7fffffffu

/* Returns a field of a structure, or 0 if the structure is older and ends before the field. */
static uint32_t field(const uint8_t *structure, size_t offset, size_t size)
{
    return offset + size > structure[1] ? 0 : (uint32_t)bytes_get(structure + offset, size);
}

bool smbios_entry(const uint8_t *entry, size_t size, uint64_t *address, size_t *length)
{
    if (size >= ENTRY_3_SIZE && memcmp(entry, "_SM3_", 5) == 0 && entry[6] >= ENTRY_3_SIZE &&
        entry[6] <= size && bytes_sum_is_zero(entry, entry[6])) {
        *length = (size_t)bytes_get(entry + 0x0c, 4);
        *address = bytes_get(entry + 0x10, 8);
    } else if (size >= ENTRY_2_SIZE && memcmp(entry, "_SM_", 4) == 0 &&
               memcmp(entry + 0x10, "_DMI_", 5) == 0 && bytes_sum_is_zero(entry + 0x10, 15)) {
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

/* Returns true for volatile memory. Excluded by type (table 77) are ROM, flash and similar types,
 * and logical devices of non-volatile memory; by technology (table 79, since SMBIOS 3.2) NVDIMMs
 * and persistent memory. */
static bool is_volatile(const uint8_t *structure)
{
    const uint32_t type = field(structure, 0x12, 1);
    const uint32_t technology = field(structure, 0x28, 1);
    const bool rom = type >= 0x08 && type <= 0x0c;

    return !rom && type != 0x1f && (technology < 0x04 || technology > 0x07);
}

/* What modules of a type can be. The rates are those from the slowest of the standard to the
 * fastest on sale. Bit n of `widths` allows a width of 2^n bits. */
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

/* Returns the limits of a type. A DDR5 module has two channels of 32 bits, and firmware may report
 * one or both. LPDDR comes in packages of one to eight channels of 16 bits. */
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

/* Returns the transfer rate of a reported speed, or 0 if it cannot be valid. Memory transfers data
 * on both clock edges, and many tables give the clock instead of the rate. A value below `slowest`
 * can only be a clock, so it is doubled. */
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

/* Returns the configured transfer rate, otherwise the rated one. A configured speed of half the
 * rated speed is taken for a clock: taking a clock for a rate would halve a bound, while doubling a
 * true half only leaves the bound loose. If the rated speed is a clock, the configured one is too,
 * unless it is nearer to the rate. DDR3-800 was hardly sold: of 1,216 modules that firmware rates
 * at 800 with a configured speed, and whose part number has a speed grade, 1,198 are DDR3-1600 or
 * faster. */
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

/* Returns the width without the bits for error correction, which some firmware counts as data: 8 of
 * 72 or 16 of 80, and half of that in a channel of DDR5. Returns 0 if no module of the type has
 * that width. */
static uint32_t data_bits(const struct fit *fit, uint32_t width)
{
    const uint32_t data = width == 72 || width == 80 ? 64 : width == 36 || width == 40 ? 32 : width;

    return is_width_of(fit, data) ? data : 0;
}

/* Returns the data width. If no module of the type has that width, returns the total width, because
 * some firmware reports as data width the width of one chip or of the bits for error correction. */
static uint32_t width_of(const uint8_t *structure, const struct fit *fit)
{
    const uint32_t data = data_bits(fit, field(structure, 0x0a, 2));

    return data != 0 ? data : data_bits(fit, field(structure, 0x08, 2));
}

/* Sets width, rate and type. If type and rate contradict each other neither is used, because it is
 * unknown which one is wrong. A bad width is dropped alone, because type and rate agree with each
 * other. */
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
    /* A size of 0, in MiB or in KiB, means an empty slot. */
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

/* Returns the offset of the next structure, after the strings that follow this one and end with two
 * NULs. Returns `length` if there is none. */
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
        return "SMBIOS reports more than 128 memory modules";
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
