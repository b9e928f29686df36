/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/cpu/stamped.h"

#include <stdbool.h>
#include <stddef.h>

#include "kernel/cpu/descriptors.h"

void stamped_entry(void) __attribute__((visibility("hidden")));
void stamped_entry_code(void) __attribute__((visibility("hidden")));

/* stamped.S contains these offsets as numbers. */
_Static_assert(offsetof(struct stamped, exit) == 8 && offsetof(struct stamped, count) == 16,
               "stamped.S knows them");

volatile struct stamped stamped;
static bool started;
static uint8_t stamped_vector;

/* The same vectors as in irq/interrupt.S (SDM volume 3 table 6-1; APM volume 2 section 8.2). */
static bool has_error_code(uint8_t vector)
{
    return vector == 8 || (vector >= 10 && vector <= 14) || vector == 17 || vector == 21 ||
           vector == 29 || vector == 30;
}

void stamped_start(uint8_t vector)
{
    stamped.count = 0;
    stamped_vector = vector;
    started = true;
    descriptors_set_entry(vector, has_error_code(vector) ? stamped_entry_code : stamped_entry);
}

void stamped_stop(void)
{
    if (started) {
        descriptors_reset_entry(stamped_vector);
        started = false;
    }
}
