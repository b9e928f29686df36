/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads what firmware reports about memory modules in SMBIOS (DMTF DSP0134, sections 5.2 entry
 * point, 6.1.2 structures, 7.18 memory device).
 *
 * Firmware provides SMBIOS for inventories, and it is often wrong. It can support a bound, but does
 * not replace a measurement.
 *
 * Accesses no hardware: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SMBIOS_DEVICES_MAX 128 /* a machine of 16 sockets has 96 */
#define SMBIOS_ENTRY_MAX   32  /* bytes read of an entry point, which has at least 24 */
#define SMBIOS_TEXT_MAX    64

/* An installed module of volatile memory: neither flash nor persistent memory. A field is 0 if
 * firmware does not report it, or if its value is impossible: a width that no module of the type
 * has, or a speed that no module of the type has; in that case the type is 2, unknown. Clock rates
 * reported as transfer rates are doubled, and widths do not count the bits for error correction. */
struct smbios_device {
    uint64_t mib;
    uint32_t mt_s;       /* million transfers a second, as configured, otherwise the maximum */
    uint16_t width_bits; /* of data, without the bits for error correction */
    uint8_t type;        /* 24 DDR3, 26 DDR4, 34 DDR5, ... (table 77) */
    bool unfit;          /* firmware reported an impossible value */
};

struct smbios_memory {
    size_t places; /* slots for modules, including empty ones; 0: nothing is reported */
    size_t count;
    size_t beyond; /* modules that did not fit into `device` */
    struct smbios_device device[SMBIOS_DEVICES_MAX];
};

/* Finds the structures by an entry point of SMBIOS 3 or 2, of which `size` bytes can be read.
 * Returns false if it is neither, or if its checksum is wrong. */
bool smbios_entry(const uint8_t *entry, size_t size, uint64_t *address, size_t *length);

/* Reads the structures up to the first damaged one. */
void smbios_read(const uint8_t *structures, size_t length, struct smbios_memory *memory);

/* Sets *least to the transfer rate of the slowest module and the width of the narrowest one, for a
 * bound on what the modules could move if each had its own channel. Returns NULL on success,
 * otherwise why the reports are not enough. */
const char *smbios_speed(const struct smbios_memory *memory, struct smbios_device *least);

/* Writes "16384 MiB, DDR4, 3200 MT/s, 64 bits", as far as it is known. Returns `text`. */
const char *smbios_text(const struct smbios_device *device, char text[SMBIOS_TEXT_MAX]);
