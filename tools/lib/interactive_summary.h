/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The input events of a bench in few numbers: each kind apart, and of it those that came while
 * caches were cold apart from the others (Endo et al. 1996, section 4 and figure 6).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/lib/interactive.h"
#include "tools/lib/statistics.h"

enum interactive_measure_kind {
    MEASURE_ELONGATION, /* of the idle loop, of those that share their samples with no other */
    MEASURE_BUSY,
    MEASURE_SERVICE,
    MEASURE_RESPONSE,
    MEASURE_TRADITIONAL,
    MEASURES,
};
/* "elongation", "busy", "service", "response", "traditional". */
const char *interactive_measure_name(enum interactive_measure_kind measure);

struct interactive_spread {
    struct statistics statistics; /* of those of which it is known */
    double mean;                  /* NaN where there is none */
    double deviation;             /* standard deviation, by n - 1; NaN below two */
    bool constant;                /* two or more, all the same: the deviation is 0, exactly */
};

struct interactive_summary {
    uint8_t kind; /* enum input_kind */
    bool cold;
    size_t events; /* that came */
    struct interactive_spread measures[MEASURES];
};

/* Of one kind, warm or cold. False where none came. */
bool interactive_summarise(const struct interactive *interactive, uint8_t kind, bool cold,
                           struct interactive_summary *summary);
