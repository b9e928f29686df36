/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing the PE32+ file (Microsoft, "PE Format") that UEFI firmware loads: page-aligned sections,
 * none of them writable and executable.
 */
#pragma once

#include <stdint.h>

#include "tools/efi/mkefi.h"

enum region {
    REGION_BSS,    /* zeroes */
    REGION_BOOT,   /* what runs before the kernel is unpacked */
    REGION_KERNEL, /* where it is unpacked to: nothing in the file */
    REGION_PACKED, /* what it is unpacked from */
    REGION_RELOC,
    REGIONS,
};

/* One PE section. Bytes [start, start + raw) come from the file, up to end follow zeroes. */
struct section {
    uint32_t start, end; /* RVAs */
    uint32_t raw;
    const uint8_t *bytes;
};

const char *pe_name(enum region region);

/* The file, its sections in order of address, with the entry point at this RVA. */
struct buffer pe_build(const struct section sections[REGIONS], uint32_t entry);

/* Base relocations that relocate nothing: boot/ needs none, but some loaders take an absence as
 * "cannot be moved". */
struct buffer pe_no_relocations(void);
