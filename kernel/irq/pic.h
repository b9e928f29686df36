/* SPDX-License-Identifier: BSD-2-Clause */
/* The two 8259 interrupt controllers, which every PC still has in some form: moved to vectors that
 * are ours and masked, so that a spurious IRQ 7 or 15 is counted and never taken for an exception.
 */
#pragma once

#include <stdint.h>

#define PIC_VECTOR_BASE 0x20

void pic_mask_all(void);

struct pic_masks {
    uint8_t master;
    uint8_t slave;
};

/* Where firmware goes on: only masks, and what they were; the vectors cannot be read back, and so
 * stay firmware's. */
struct pic_masks pic_hold(void);
void pic_release(const struct pic_masks *masks);
