/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/clock/exact.h"

#include <stddef.h>
#include <stdio.h>

#include "kernel/cpu/known_loop.h"
#include "kernel/link/names.h"

#define TRIES              16
#define ITERATIONS         200
#define SHORT_INSTRUCTIONS 2 /* instructions in an iteration of each loop */
#define LONG_INSTRUCTIONS  10
#define CPUID_INSTRUCTIONS 4

/* The least duration of a loop. */
struct least {
    uint64_t ticks;
    unsigned tries; /* number of tries that took it */
};

static struct least least_of(exact_loop *loop, uint64_t iterations)
{
    struct least least = {.ticks = UINT64_MAX};

    for (unsigned i = 0; i < TRIES; i++) {
        const uint64_t ticks = loop(iterations);

        if (ticks < least.ticks) {
            least = (struct least){.ticks = ticks};
        }
        least.tries += ticks == least.ticks ? 1 : 0;
    }
    return least;
}

/* Measures the ticks of ITERATIONS more iterations, and sets *struck if a try took longer than
 * others. Returns 0 unless most tries are equal. */
static uint64_t cost_of(exact_loop *loop, bool *struck)
{
    const struct least once = least_of(loop, ITERATIONS);
    const struct least twice = least_of(loop, 2 * ITERATIONS);

    *struck = *struck || once.tries < TRIES || twice.tries < TRIES;
    return once.tries > TRIES / 2 && twice.tries > TRIES / 2 && twice.ticks > once.ticks
               ? twice.ticks - once.ticks
               : 0;
}

struct exact_time exact_time_of(exact_loop *brief, exact_loop *extended, exact_loop *cpuid)
{
    bool struck = false;
    const uint64_t cost = cost_of(brief, &struck);
    const uint64_t ticks = cost / (SHORT_INSTRUCTIONS * ITERATIONS);
    const bool power_of_two = ticks != 0 && (ticks & (ticks - 1)) == 0 && ticks <= UINT32_MAX;

    if (!power_of_two || cost != ticks * SHORT_INSTRUCTIONS * ITERATIONS ||
        cost_of(extended, &struck) != ticks * LONG_INSTRUCTIONS * ITERATIONS) {
        return (struct exact_time){0};
    }
    const uint64_t of_cpuid = least_of(cpuid, 2).ticks - least_of(cpuid, 1).ticks;

    return (struct exact_time){(uint32_t)ticks, struck || of_cpuid != CPUID_INSTRUCTIONS * ticks};
}

struct exact_time exact_time(void)
{
    return exact_time_of(known_loop_short, known_loop_long, known_loop_cpuid);
}

const char *exact_time_name(struct exact_time time)
{
    if (time.ticks == 0) {
        return NULL;
    }
    return time.shared ? TIME_EXACT_SHARED : TIME_EXACT;
}

static const char *name_of(struct exact_time time)
{
    const char *name = exact_time_name(time);

    return name != NULL ? name : "not exact";
}

bool exact_time_holds(struct exact_time was, struct exact_time is, char changed[EXACT_CHANGED_MAX])
{
    changed[0] = '\0';
    if (was.ticks == is.ticks && (was.shared || !is.shared)) {
        return true;
    }
    if (was.ticks != is.ticks && was.ticks != 0 && is.ticks != 0) {
        snprintf(changed, EXACT_CHANGED_MAX, "ticks per instruction: %u -> %u", was.ticks,
                 is.ticks);
    } else {
        snprintf(changed, EXACT_CHANGED_MAX, "time base: %s -> %s", name_of(was), name_of(is));
    }
    return false;
}
