/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Results of bench `sensitivity` of a run: which gaps of known length each detector found, and what
 * follows from that:
 *
 *     the 99 % point   the shortest injected length from which on 99 % or more of the gaps of each
 *                      length were found. Shorter gaps may be missed. Lengths that were not tried
 *                      do not count.
 *     its confidence   the probability of detection that the trials at that length establish with
 *                      95 % confidence (Clopper and Pearson's lower bound): 0.05^(1/n) if all n
 *                      were found, so that 299 trials establish 99 %.
 *     false alarms     readings that were reported although nothing was injected.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/present/view.h"
#include "tools/run/run.h"

#define SENSITIVITY_PART       0.99
#define SENSITIVITY_CONFIDENCE 0.95

struct sensitivity_length {
    int64_t ticks;
    int64_t tried, found;
};

/* The results of one detector and one injector. */
struct sensitivity_curve {
    const char *detector, *injector; /* detector and injector as named in names.h */
    size_t n;
    struct sensitivity_length *lengths; /* ascending */
    int64_t reading, threshold;         /* facts of the curve as explained in names.h, in ticks */
    int64_t readings, alarms;
};

void sensitivity_curve_free(struct sensitivity_curve *curve);

/* Reads the next curve of the bench after `*index`, in the order of detectors and then of
 * injectors. Start with *index = 0. Returns false if there is no other curve. */
bool sensitivity_curve_next(const struct run_bench *bench, size_t *index,
                            struct sensitivity_curve *curve);

struct sensitivity_point {
    int64_t ticks;
    bool at_most; /* nothing shorter was tried: the point may be lower */
    /* longest length below the point, which was not found often enough; only if not at_most */
    int64_t missed;
    double proven; /* confidence of the point, 0 to 1 */
    int64_t tried; /* number of trials at `ticks` */
};

/* Finds the 99 % point. Pure. Returns false if there is none because the longest length was missed
 * too often. */
bool sensitivity_point_of(const struct sensitivity_curve *curve, struct sensitivity_point *point);

/* Writes a phrase without a full stop, for outputs that report that no gap was found: the gap
 * length from which on this detector finds 99 % of the gaps (the 99 % point), or why that length is
 * unknown. Uses the curve of injector timer; if that is missing, the curve of spin, ipi or smi.
 * `detector` is a DETECTOR_ name of bench/noise/names.h. For detector gap the text applies to a
 * threshold of 1 us, the default of bench gap. */
#define SENSITIVITY_TEXT_MAX 200
const char *sensitivity_text(const struct view *view, const char *detector,
                             char text[SENSITIVITY_TEXT_MAX]);

/* Does the same for bench gap or selfish. If bench gap ran with another threshold than the curve,
 * the 99 % point is unknown. */
const char *sensitivity_text_of(const struct view *view, const struct run_bench *bench,
                                char text[SENSITIVITY_TEXT_MAX]);

/* sensitivity_alarms() returns the false alarms in a million readings, or NAN if nothing was read.
 * sensitivity_alarms_bound() returns the upper bound with 95 % confidence if there was no alarm: 3
 * divided by the number of readings, in a million. */
double sensitivity_alarms(const struct sensitivity_curve *curve);
double sensitivity_alarms_bound(const struct sensitivity_curve *curve);
