/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/host/measure/measure.h"

#include <stddef.h>
#include <string.h>

static struct measure_choice chosen = {.measure = MEASURE_RESPONSE};

const char *measure_name(unsigned measure)
{
    static const char *const names[MEASURES] = {
        [MEASURE_IDLE] = "idle",
        [MEASURE_SERVICE] = "service",
        [MEASURE_RESPONSE] = "response",
    };

    return measure < MEASURES ? names[measure] : NULL;
}

bool measure_by_name(const char *name, enum measure *measure)
{
    for (unsigned i = 0; i < MEASURES; i++) {
        if (strcmp(name, measure_name(i)) == 0) {
            *measure = (enum measure)i;
            return true;
        }
    }
    return false;
}

const char *measure_label(enum measure measure)
{
    static const char *const labels[MEASURES] = {
        [MEASURE_IDLE] = "latency by the idle loop",
        [MEASURE_SERVICE] = "service time",
        [MEASURE_RESPONSE] = "response time",
    };

    return labels[measure];
}

void measure_choose(const struct measure_choice *choice)
{
    chosen = *choice;
}

const struct measure_choice *measure_choice(void)
{
    return &chosen;
}

enum measure measure_chosen(void)
{
    return chosen.measure;
}
