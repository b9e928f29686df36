/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/noise/host/sensitivity.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/noise/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/stats/distributions.h"

#define NAME_BYTES    64
#define BISECTIONS    60
#define TRIED_MAX     (1 << 30)
#define MILLION       1e6
#define RULE_OF_THREE 3

static const char *const detectors[] = {DETECTOR_GAP, DETECTOR_LOWEST, DETECTOR_SELFISH,
                                        DETECTOR_FWQ, DETECTOR_FTQ};
static const char *const injectors[] = {INJECTOR_TIMER, INJECTOR_SPIN, INJECTOR_IPI, INJECTOR_SMI};

#define DETECTORS (sizeof(detectors) / sizeof(detectors[0]))
#define INJECTORS (sizeof(injectors) / sizeof(injectors[0]))

/* ---- curves ---- */

static const char *name_of(const struct sensitivity_curve *curve, const char *suffix,
                           char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "%s.%s%s", curve->detector, curve->injector, suffix);
    return name;
}

static const struct run_series *series_of(const struct run_bench *bench,
                                          const struct sensitivity_curve *curve, const char *suffix)
{
    char name[NAME_BYTES];

    return run_find_whole(bench, name_of(curve, suffix, name));
}

static int64_t fact_of(const struct run_bench *bench, const struct sensitivity_curve *curve,
                       const char *suffix)
{
    char name[NAME_BYTES];

    return run_fact_or(bench, name_of(curve, suffix, name), 0);
}

/* Checks that no more gaps were found than tried, and that not more were tried than a bench may
 * try. */
static bool is_sound(const struct sensitivity_length *length)
{
    return length->ticks >= 0 && length->found >= 0 && length->found <= length->tried &&
           length->tried <= TRIED_MAX;
}

/* Copies a curve from the bench. Returns false if the bench has no such curve, only a part of it,
 * or one that contradicts itself; nothing must be freed then. */
static bool sensitivity_curve_of(const struct run_bench *bench, const char *detector,
                                 const char *injector, struct sensitivity_curve *curve)
{
    *curve = (struct sensitivity_curve){.detector = detector, .injector = injector};
    const struct run_series *length = series_of(bench, curve, SUFFIX_LENGTH);
    const struct run_series *tried = series_of(bench, curve, SUFFIX_TRIED);
    const struct run_series *found = series_of(bench, curve, SUFFIX_FOUND);
    bool sound = true;

    if (length == NULL || tried == NULL || found == NULL || length->n == 0 ||
        length->n != tried->n || length->n != found->n) {
        return false;
    }
    curve->n = length->n;
    curve->lengths = alloc_zeroed(curve->n * sizeof(*curve->lengths));
    for (size_t i = 0; i < curve->n; i++) {
        curve->lengths[i] =
            (struct sensitivity_length){length->samples[i], tried->samples[i], found->samples[i]};
        sound = sound && is_sound(&curve->lengths[i]);
    }
    if (!sound) {
        sensitivity_curve_free(curve);
        return false;
    }
    sort_by(curve->lengths, curve->n, sizeof(*curve->lengths),
            offsetof(struct sensitivity_length, ticks), false);
    curve->reading = fact_of(bench, curve, SUFFIX_READING);
    curve->threshold = fact_of(bench, curve, SUFFIX_THRESHOLD);
    curve->readings = fact_of(bench, curve, SUFFIX_READINGS);
    curve->alarms = fact_of(bench, curve, SUFFIX_ALARMS);
    return true;
}

void sensitivity_curve_free(struct sensitivity_curve *curve)
{
    free(curve->lengths);
    curve->lengths = NULL;
}

bool sensitivity_curve_next(const struct run_bench *bench, size_t *index,
                            struct sensitivity_curve *curve)
{
    while (*index < DETECTORS * INJECTORS) {
        const size_t at = (*index)++;

        if (sensitivity_curve_of(bench, detectors[at / INJECTORS], injectors[at % INJECTORS],
                                 curve)) {
            return true;
        }
    }
    return false;
}

/* ---- the 99 % point ---- */

/* Returns the probability of detection p with which this many gaps or more are found in 1 -
 * SENSITIVITY_CONFIDENCE of all cases. */
static double proven(int64_t tried, int64_t found)
{
    double low = 0;
    double high = 1;

    for (int i = 0; i < BISECTIONS; i++) {
        const double p = (low + high) / 2;
        const double at_least = 1 - distribution_binomial((double)tried, p, (double)found - 1);

        if (at_least < 1 - SENSITIVITY_CONFIDENCE) {
            low = p;
        } else {
            high = p;
        }
    }
    return low;
}

static bool is_enough(const struct sensitivity_length *length)
{
    return (double)length->found >= SENSITIVITY_PART * (double)length->tried;
}

bool sensitivity_point_of(const struct sensitivity_curve *curve, struct sensitivity_point *point)
{
    const struct sensitivity_length *at = NULL;

    *point = (struct sensitivity_point){.at_most = true};
    for (size_t i = curve->n; i > 0 && point->at_most; i--) {
        const struct sensitivity_length *length = &curve->lengths[i - 1];

        if (length->tried <= 0) {
            continue;
        }
        if (is_enough(length)) {
            at = length;
        } else {
            point->at_most = false;
            point->missed = length->ticks;
        }
    }
    if (at == NULL) {
        return false;
    }
    point->ticks = at->ticks;
    point->tried = at->tried;
    point->proven = proven(at->tried, at->found);
    return true;
}

/* Finds the curve by which a detector is judged. */
static bool best_curve(const struct run *run, const char *detector, struct sensitivity_curve *curve)
{
    const struct run_bench *bench = run_find_bench(run, BENCH_SENSITIVITY);

    for (size_t i = 0; bench != NULL && i < INJECTORS; i++) {
        if (sensitivity_curve_of(bench, detector, injectors[i], curve)) {
            return true;
        }
    }
    return false;
}

/* Returns the unit to print after a length; lengths in time include their own. */
static const char *unit_of(const struct view *view)
{
    return view->ticks_per_instruction > 0 ? " instructions"
           : view->ns_per_tick > 0         ? ""
                                           : " ticks";
}

const char *sensitivity_text(const struct view *view, const char *detector,
                             char text[SENSITIVITY_TEXT_MAX])
{
    struct sensitivity_curve curve;
    struct sensitivity_point point;
    char length[AMOUNT_MAX];

    if (!best_curve(view->run, detector, &curve)) {
        snprintf(text, SENSITIVITY_TEXT_MAX,
                 "it is unknown which gaps were missed: the run has no curve of %s from "
                 "bench " BENCH_SENSITIVITY,
                 detector);
        return text;
    }
    if (sensitivity_point_of(&curve, &point)) {
        snprintf(text, SENSITIVITY_TEXT_MAX,
                 "gaps of %s%s%s or more are found, at least 99 %% of them at each length "
                 "(bench " BENCH_SENSITIVITY ": %" PRId64
                 " trials of each length establish %.1f %%)",
                 span_text(view, (double)point.ticks, length), unit_of(view),
                 point.at_most ? ", the shortest tried," : "", point.tried, 100 * point.proven);
    } else {
        snprintf(text, SENSITIVITY_TEXT_MAX,
                 "even gaps of %s%s are missed more often than once in a hundred "
                 "(bench " BENCH_SENSITIVITY ")",
                 span_text(view, (double)curve.lengths[curve.n - 1].ticks, length), unit_of(view));
    }
    sensitivity_curve_free(&curve);
    return text;
}

const char *sensitivity_text_of(const struct view *view, const struct run_bench *bench,
                                char text[SENSITIVITY_TEXT_MAX])
{
    const bool is_gap = strcmp(bench->name, BENCH_GAP) == 0;
    struct sensitivity_curve curve;

    if (is_gap && best_curve(view->run, DETECTOR_GAP, &curve)) {
        const int64_t threshold = run_fact_or(bench, FACT_THRESHOLD, curve.threshold);

        sensitivity_curve_free(&curve);
        if (threshold != curve.threshold) {
            snprintf(text, SENSITIVITY_TEXT_MAX,
                     "it is unknown which gaps were missed: bench " BENCH_SENSITIVITY
                     " used another threshold");
            return text;
        }
    }
    return sensitivity_text(view, is_gap ? DETECTOR_GAP : DETECTOR_SELFISH, text);
}

double sensitivity_alarms(const struct sensitivity_curve *curve)
{
    return curve->readings > 0 ? MILLION * (double)curve->alarms / (double)curve->readings : NAN;
}

double sensitivity_alarms_bound(const struct sensitivity_curve *curve)
{
    return curve->readings > 0 ? MILLION * RULE_OF_THREE / (double)curve->readings : NAN;
}
