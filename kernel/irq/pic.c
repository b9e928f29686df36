/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/irq/pic.h"

#include "kernel/cpu/port.h"

#define MASTER_COMMAND 0x20
#define MASTER_DATA    0x21
#define SLAVE_COMMAND  0xa0
#define SLAVE_DATA     0xa1

struct pic_masks pic_hold(void)
{
    const struct pic_masks before = {port_read8(MASTER_DATA), port_read8(SLAVE_DATA)};

    port_write8(MASTER_DATA, 0xff);
    port_write8(SLAVE_DATA, 0xff);
    return before;
}

void pic_release(const struct pic_masks *masks)
{
    port_write8(MASTER_DATA, masks->master);
    port_write8(SLAVE_DATA, masks->slave);
}

void pic_mask_all(void)
{
    port_write8(MASTER_DATA, 0xff);
    port_write8(SLAVE_DATA, 0xff);
    port_write8(MASTER_COMMAND, 0x11); /* ICW1: edge-triggered, cascaded, ICW4 follows */
    port_write8(SLAVE_COMMAND, 0x11);
    port_write8(MASTER_DATA, PIC_VECTOR_BASE);
    port_write8(SLAVE_DATA, PIC_VECTOR_BASE + 8);
    port_write8(MASTER_DATA, 4); /* the slave is on input 2 */
    port_write8(SLAVE_DATA, 2);
    port_write8(MASTER_DATA, 1); /* selects 8086 mode */
    port_write8(SLAVE_DATA, 1);
    port_write8(MASTER_DATA, 0xff);
    port_write8(SLAVE_DATA, 0xff);
}
