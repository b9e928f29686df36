/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/run/curves.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/stats/summary.h"

/* Returns a series that is complete and not empty, or NULL. */
static const struct run_series *whole(const struct run_bench *bench, const char *name,
                                      const char *suffix)
{
    const struct run_series *series = run_series_named(bench, "%s%s", name, suffix);

    return series != NULL && series->n > 0 && run_series_whole(series) ? series : NULL;
}

/* Finds the second series of a pair. It may be missing altogether; returns false if only part of it
 * is missing. */
static bool find_twice(const struct run_bench *bench, const char *name,
                       const struct run_series *once, const struct run_series **twice)
{
    *twice = run_series_named(bench, "%s" SUFFIX_TWICE, name);
    return *twice == NULL || ((*twice)->n == once->n && run_series_whole(*twice));
}

static double cost_of(const struct run_series *once, const struct run_series *twice, size_t index,
                      int64_t repetitions)
{
    const int64_t ticks = once->samples[index];
    const double spent =
        twice != NULL ? (double)twice->samples[index] - (double)ticks : (double)ticks;

    return spent / (double)repetitions;
}

bool curve_read(const struct run_bench *bench, const char *name, struct curve *curve)
{
    const struct run_series *x = whole(bench, name, SUFFIX_X);
    const struct run_series *n = whole(bench, name, SUFFIX_N);
    const struct run_series *once = whole(bench, name, "");
    const struct run_series *twice;

    if (x == NULL || n == NULL || once == NULL || n->n != x->n || once->n % x->n != 0 ||
        !find_twice(bench, name, once, &twice)) {
        return false;
    }
    for (size_t i = 0; i < n->n; i++) {
        if (n->samples[i] <= 0) {
            return false;
        }
    }
    *curve = (struct curve){.points = x->n, .trials = once->n / x->n, .x = x->samples};
    curve->cost = alloc_zeroed(once->n * sizeof(*curve->cost));
    for (size_t i = 0; i < once->n; i++) {
        curve->cost[i] = cost_of(once, twice, i, n->samples[i / curve->trials]);
    }
    return true;
}

void curve_free(struct curve *curve)
{
    free(curve->cost);
    curve->cost = NULL;
}

double curve_quantile(const struct curve *curve, size_t point, double q)
{
    return summary_quantile(curve->cost + point * curve->trials, curve->trials, q);
}

double curve_median(const struct curve *curve, size_t point)
{
    return curve_quantile(curve, point, 0.5);
}

double curve_min(const struct curve *curve, size_t point)
{
    return curve_quantile(curve, point, 0);
}

double curve_max(const struct curve *curve, size_t point)
{
    return curve_quantile(curve, point, 1);
}

double *costs_read(const struct run_bench *bench, const char *name, size_t *count)
{
    const struct run_series *once = whole(bench, name, "");
    const struct run_series *twice;
    const struct run_fact *repetitions = run_find_fact(bench, FACT_REPETITIONS);

    if (once == NULL || !find_twice(bench, name, once, &twice) ||
        (repetitions != NULL && repetitions->value <= 0)) {
        return NULL;
    }
    double *costs = alloc_zeroed(once->n * sizeof(*costs));

    for (size_t i = 0; i < once->n; i++) {
        costs[i] = cost_of(once, twice, i, repetitions != NULL ? repetitions->value : 1);
    }
    *count = once->n;
    return costs;
}

bool costs_are_pairs(const struct run_bench *bench, const char *name)
{
    return run_series_named(bench, "%s" SUFFIX_TWICE, name) != NULL;
}

const char *costs_around(const struct run_bench *bench, const char *name)
{
    const char *frame = costs_are_pairs(bench, name) ? SERIES_LOOP : SERIES_EMPTY;
    const struct run_series *series = run_find_series(bench, frame);

    return series != NULL && series->received > 0 && strcmp(name, frame) != 0 &&
                   costs_are_pairs(bench, frame) == costs_are_pairs(bench, name)
               ? frame
               : NULL;
}
