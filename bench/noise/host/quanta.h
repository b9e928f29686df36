/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Benches fwq and ftq: what was stolen from each piece of work or quantum of time, on each
 * processor, and what of it is periodic.
 *
 * From a piece of fwq: what it is longer than the shortest of its processor. From a quantum of ftq:
 * the time in which no unit was worked on, each unit as long as the shortest, with what was under
 * way at begin and end; less the least such time. So noise that is in all pieces is not seen.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"
#include "tools/stats/spectrum.h"

struct quanta_lane {
    uint64_t number;                  /* of the processor */
    const struct run_series *series;  /* lengths of pieces, or units done; NULL: not whole */
    struct spectrum_stretch *stretch; /* [series->n]; behind the lane's first one's begin */
    double elapsed, stolen;           /* ticks */
};

struct quanta {
    bool is_ftq;
    struct quanta_lane *lane; /* the kernel's own processor first */
    size_t count;
};

/* False: it is neither of these benches, or has no processors. */
bool quanta_of(const struct run_bench *bench, struct quanta *quanta);
void quanta_free(struct quanta *quanta);

/* NULL, or why there is none. */
const char *quanta_spectrum(const struct quanta_lane *lane, struct spectrum *spectrum);
