/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/bench/interactive/measure.h"

#include <stddef.h>
#include <string.h>

static enum measure chosen = MEASURE_RESPONSE;

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

void measure_choose(enum measure measure)
{
    chosen = measure;
}

enum measure measure_chosen(void)
{
    return chosen;
}
