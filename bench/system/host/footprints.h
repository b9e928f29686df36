/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Switches between tasks that read a footprint of memory in each turn, as bench contextswitch
 * reports them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tools/run/curves.h"
#include "tools/run/run.h"

enum footprint {
    FOOTPRINT_ALONE, /* the reading, without a switch */
    FOOTPRINT_THREAD,
    FOOTPRINT_PROCESS,
    FOOTPRINT_TAGGED, /* processes with PCID */
    FOOTPRINTS,
};

/* A turn by bytes read. Those that are there have the same points. */
struct footprints {
    bool there[FOOTPRINTS];
    struct curve curve[FOOTPRINTS];
};

/* False: not even the reading alone. To be freed all the same. */
bool footprints_read(const struct run_bench *bench, struct footprints *footprints);
void footprints_free(struct footprints *footprints);

/* What a turn takes beyond the reading and beyond the switch, each as it is by itself, in ticks:
 * filling caches and TLB again. */
double footprints_refill(const struct footprints *footprints, enum footprint of, size_t point);
