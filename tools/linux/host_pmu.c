/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel/pmu/pmu.h on Linux, as far as benches ask it: there is no counter to be had, as Linux
 * keeps their registers to itself.
 */
#include "kernel/pmu/pmu.h"

const struct pmu *pmu_state(void)
{
    static const struct pmu none = {.reason = "Linux does not expose the counters"};

    return &none;
}

bool pmu_counter_takes(unsigned counter, const struct event_code *code)
{
    (void)counter;
    (void)code;
    return false;
}

bool pmu_assign(unsigned counter, const struct event_code *code, uint8_t *vector)
{
    (void)counter;
    (void)code;
    *vector = 0;
    return false;
}

void pmu_start(void)
{
}

void pmu_stop(void)
{
}
