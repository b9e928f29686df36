/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Relocates the image. The table has the packed form of ELF (gABI, SHT_RELR): a tenth of the size
 * of the one that gnu-efi's start-up object applies.
 */
#include "boot/boot.h"

#define WORD_BITS 64

extern const uint64_t image_start[], image_relr_start[], image_relr_end[]; /* linker.ld */

void image_relocate(void)
{
    const uint64_t base = (uint64_t)image_start;
    uint64_t *at = (uint64_t *)base; /* the first entry is an address */

    for (const uint64_t *entry = image_relr_start; entry < image_relr_end; entry++) {
        if ((*entry & 1) == 0) { /* an address */
            at = (uint64_t *)(base + *entry);
            *at++ += base;
            continue;
        }
        for (unsigned bit = 1; bit < WORD_BITS; bit++) { /* which of the next 63 words */
            at[bit - 1] += (*entry >> bit & 1) != 0 ? base : 0;
        }
        at += WORD_BITS - 1;
    }
}
