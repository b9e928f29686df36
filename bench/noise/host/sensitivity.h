/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bench `sensitivity` of a run: which gaps of known length each detector found, and what follows:
 *
 *     the 99 % point   the shortest length that was injected from which on, at each length, 99 % or
 *                      more were found. Shorter gaps may be missed. Lengths that were not tried do
 *                      not count.
 *     its confidence   the chance of being found that the trials at that length prove with 95 %
 *                      confidence (Clopper and Pearson's lower bound): 0.05^(1/n) where all n were
 *                      found, so that 299 trials prove 99 %.
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

/* Of one detector and one injector. */
struct sensitivity_curve {
    const char *detector, *injector; /* of names.h */
    size_t n;
    struct sensitivity_length *lengths; /* ascending */
    int64_t reading, threshold;         /* as names.h has them, in ticks */
    int64_t readings, alarms;
};

void sensitivity_curve_free(struct sensitivity_curve *curve);

/* The curve behind `index` that the bench has, in the order of detectors and then of injectors;
 * begin with 0. False: there is no other. */
bool sensitivity_curve_next(const struct run_bench *bench, size_t *index,
                            struct sensitivity_curve *curve);

struct sensitivity_point {
    int64_t ticks;
    bool at_most;   /* nothing shorter was tried: the point may lie lower */
    int64_t missed; /* the longest length below, which was not found often enough; not at_most */
    double proven;  /* its confidence, 0 to 1 */
    int64_t tried;  /* at this length */
};

/* Pure. False: there is no such length: the longest is missed more often. */
bool sensitivity_point_of(const struct sensitivity_curve *curve, struct sensitivity_point *point);

/* The 99 % point of a detector in this run in a sentence, without a full stop, for the place where
 * no gap was found: "gaps of 113 instructions or more are found (99 %; 10 of 10 tried)", or that it
 * is not known, and why. It is that of the injector timer; where that curve is missing of spin, ipi
 * or smi. `detector` is a DETECTOR_ name of bench/noise/names.h. Of gap it is that of a threshold
 * of 1 us, the default of bench gap. */
#define SENSITIVITY_TEXT_MAX 200
const char *sensitivity_text(const struct view *view, const char *detector,
                             char text[SENSITIVITY_TEXT_MAX]);

/* The same for bench gap or selfish, by its name. Of gap with another threshold than that of the
 * curve it is not known. */
const char *sensitivity_text_of(const struct view *view, const struct run_bench *bench,
                                char text[SENSITIVITY_TEXT_MAX]);

/* False alarms in a million readings; NAN: nothing was read. And what they are below of with 95 %
 * confidence where there was none: 3 of as many as were read. */
double sensitivity_alarms(const struct sensitivity_curve *curve);
double sensitivity_alarms_bound(const struct sensitivity_curve *curve);
