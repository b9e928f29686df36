/* SPDX-License-Identifier: BSD-2-Clause */
/* The two 8259 interrupt controllers, which every PC still has in some form: moved to vectors that
 * are ours and masked, so that a spurious IRQ 7 or 15 is counted and never taken for an exception.
 */
#pragma once

#define PIC_VECTOR_BASE 0x20

void pic_mask_all(void);
