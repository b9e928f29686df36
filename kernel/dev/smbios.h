/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SMBIOS: what firmware reports of the memory modules (DMTF DSP0134, sections 5.2 entry
 * point, 6.1.2 structures, 7.18 memory device).
 *
 * Firmware writes it for inventories, and often wrongly: it is a hint for a bound, no measurement.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SMBIOS_DEVICES_MAX 128 /* a machine of 16 sockets has 96 */
#define SMBIOS_ENTRY_MAX   32  /* bytes of an entry point; each has at least 24 */
#define SMBIOS_TEXT_MAX    64

/* A module that is there: of memory that forgets, neither flash nor persistent memory. What
 * firmware does not report is 0, and so is what cannot be: a width that no module of the type has;
 * type (2, unknown) and speed where no module of that type is so fast or slow. Clocks that stand in
 * place of rates are doubled, and widths lose the bits for error correction. */
struct smbios_device {
    uint64_t mib;
    uint32_t mt_s;       /* million transfers a second, as configured, else as the module could */
    uint16_t width_bits; /* of data, without those for error correction */
    uint8_t type;        /* 24 DDR3, 26 DDR4, 34 DDR5, ... (table 77) */
    bool unfit;          /* something was reported that cannot be */
};

struct smbios_memory {
    size_t places; /* for modules, the empty ones included; 0: nothing is reported */
    size_t count;
    size_t beyond; /* modules for which there is no room */
    struct smbios_device device[SMBIOS_DEVICES_MAX];
};

/* Where the structures are, by an entry point of SMBIOS 3 or 2 of which `size` bytes can be read.
 * False: it is neither, or its checksum is wrong. */
bool smbios_entry(const uint8_t *entry, size_t size, uint64_t *address, size_t *length);

/* Goes through structures as far as they are sound. */
void smbios_read(const uint8_t *structures, size_t length, struct smbios_memory *memory);

/* What the modules could move, if each had its own channel: transfers of the slowest, bits of
 * the narrowest, how many. NULL, or why firmware does not report. */
const char *smbios_speed(const struct smbios_memory *memory, struct smbios_device *least);

/* "16384 MiB, DDR4, 3200 MT/s, 64 bits", as far as it is reported. */
const char *smbios_text(const struct smbios_device *device, char text[SMBIOS_TEXT_MAX]);
