/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupts compared with lost time: groups the samples of bench `idle` under the clock interrupt
 * (`ticking`) by the number of interrupts in each (Endo et al., OSDI '96).
 *
 * That number is the count of event `interrupts` during the sample, if this pass counted it,
 * otherwise the number of handlers entered during the sample.
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
    int64_t length;     /* median length in ticks */
    int64_t elongation; /* median excess over the floor, in ticks */
};

/* Median count of one event in the samples of each class. */
struct idle_counted {
    const struct run_series *counts;
    int64_t *medians; /* one value for each class */
    bool *has_median; /* false if no sample of the class has a count */
};

struct idle_correlation {
    bool by_event; /* interrupts are counted by the event; otherwise by entries of the handler */
    size_t samples;
    int64_t floor;
    /* Pearson's correlation of excess and interrupts; NaN if undefined */
    double coefficient;
    struct idle_class *classes; /* in ascending order of interrupts */
    size_t class_count;
    struct idle_counted *events;
    size_t event_count;
};

/* Correlates the samples whose length and number of interrupts arrived. Returns false and sets *why
 * if data is missing or contradicts itself. Call idle_correlation_free() afterwards in any case. */
bool idle_correlate(const struct run_bench *bench, struct idle_correlation *correlation,
                    const char **why);

void idle_correlation_free(struct idle_correlation *correlation);

/*
 * Lost time: the share of the time of benches `idle` and `gap` that something else took, in
 * millionths (ppm: microseconds in each second), for the whole and for each of its equal parts. A
 * sample of the idle loop lost its length above the floor (tools/trace/idle_bench.h); bench gap
 * lost each gap above the threshold.
 */

#define STOLEN_PARTS GAP_PARTS

struct stolen {
    double whole;
    /* STOLEN_PARTS, but not more than samples of the idle loop; 0: only the whole is known */
    size_t parts;
    double part[STOLEN_PARTS];
};

/* Finds the lost time of series floor or ticking. A sample below the floor has lost nothing. The
 * parts hold the same number of samples, give or take one. Returns false if the series is missing
 * or incomplete. */
bool stolen_from_idle(const struct run_bench *bench, const char *series, struct stolen *stolen);

/* Returns false if the totals of all gaps are unknown or gap_holds_loop(). A gap counts in the part
 * in which it begins. */
bool stolen_from_gap(const struct run_bench *bench, struct stolen *stolen);
