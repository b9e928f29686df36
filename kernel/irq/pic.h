/* SPDX-License-Identifier: BSD-2-Clause */
/* The two 8259 interrupt controllers, which every PC still has in some form. They are moved to our
 * own vectors and masked, so that a spurious IRQ 7 or 15 is counted and not mistaken for an
 * exception. */
#pragma once

#include <stdint.h>

#define PIC_VECTOR_BASE 0x20

void pic_mask_all(void);

struct pic_masks {
    uint8_t master;
    uint8_t slave;
};

/* For when firmware continues: masks all inputs and returns the previous masks, which pic_release()
 * restores. The vectors cannot be read back, and so stay firmware's. */
struct pic_masks pic_hold(void);
void pic_release(const struct pic_masks *masks);
