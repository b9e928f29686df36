/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupts against lost time: the idle samples of bench `idle` under the clock interrupt
 * (`ticking`), by how many interrupts fell into each (Endo et al., OSDI '96).
 *
 * How many that were is what the event `interrupts` counted during the sample, where it was counted
 * in this pass; else how many handlers were entered during it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/noise/names.h"
#include "tools/run/run.h"

/* The samples that hold the same number of interrupts. */
struct idle_class {
    int64_t interrupts;
    size_t samples;
    int64_t length;     /* median, in ticks */
    int64_t elongation; /* median, over the floor */
};

/* What an event counted in them. */
struct idle_counted {
    const struct run_series *counts;
    int64_t *medians; /* class by class */
    bool *has_median; /* false where no count of the class arrived */
};

struct idle_correlation {
    bool by_event; /* interrupts are counted by the event; else by entries of the handler */
    size_t samples;
    int64_t floor;
    double coefficient;         /* Pearson, of elongation with interrupts; NaN where not defined */
    struct idle_class *classes; /* by rising number of interrupts */
    size_t class_count;
    struct idle_counted *events;
    size_t event_count;
};

/* Of those samples whose length and number of interrupts arrived. False where something it takes is
 * missing or contradicts; *why then names it. idle_correlation_free() afterwards in any case. */
bool idle_correlate(const struct run_bench *bench, struct idle_correlation *correlation,
                    const char **why);

void idle_correlation_free(struct idle_correlation *correlation);

/*
 * Stolen time: the share of the time of benches `idle` and `gap` that something else took, in
 * millionths (ppm: microseconds in each second), of the whole and of each of its equal parts. What
 * is stolen from a sample of the idle loop is its length above the floor
 * (tools/trace/idle_bench.h); from bench gap, each gap above the threshold, whole.
 */

#define STOLEN_PARTS GAP_PARTS

struct stolen {
    double whole;
    size_t parts; /* STOLEN_PARTS; of the idle loop not more than samples; 0: of the whole alone */
    double part[STOLEN_PARTS];
};

/* Of series floor or ticking. A sample below the floor has lost nothing. Parts hold as many samples
 * each, to one. False: the series, or some of it, is missing. */
bool stolen_from_idle(const struct run_bench *bench, const char *series, struct stolen *stolen);

/* False: not known of all gaps, or gap_holds_loop(). A gap counts where it begins. */
bool stolen_from_gap(const struct run_bench *bench, struct stolen *stolen);
