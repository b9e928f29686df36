/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/clock/exact.h"

#include <stdbool.h>

#include "kernel/cpu/known_loop.h"

#define ITERATIONS         1000
#define REPEATS            8
#define SHORT_INSTRUCTIONS 2
#define LONG_INSTRUCTIONS  10

/* Ticks that ITERATIONS more iterations cost; false where two tries differ. */
static bool repeatable_cost(uint64_t (*loop)(uint64_t), uint64_t *cost)
{
    for (int i = 0; i < REPEATS; i++) {
        const uint64_t once = loop(ITERATIONS);
        const uint64_t this_cost = loop(2 * ITERATIONS) - once;

        if (i > 0 && this_cost != *cost) {
            return false;
        }
        *cost = this_cost;
    }
    return true;
}

uint32_t exact_ticks_per_instruction(void)
{
    uint64_t brief = 0;
    uint64_t extended = 0;

    if (!repeatable_cost(known_loop_short, &brief) ||
        !repeatable_cost(known_loop_long, &extended)) {
        return 0;
    }
    const uint64_t ticks = brief / (SHORT_INSTRUCTIONS * ITERATIONS);
    const bool power_of_two = ticks != 0 && (ticks & (ticks - 1)) == 0;

    if (!power_of_two || brief != ticks * SHORT_INSTRUCTIONS * ITERATIONS ||
        extended != ticks * LONG_INSTRUCTIONS * ITERATIONS) {
        return 0;
    }
    return (uint32_t)ticks;
}
