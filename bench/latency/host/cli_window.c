/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/latency/host/cli_window.h"

#include <math.h>
#include <stdlib.h>

#include "bench/latency/names.h"
#include "tools/base/alloc.h"

/* Upper bound of a value, so that sums of a few values do not overflow. */
#define TICKS_MAX (INT64_MAX / 8)

static const int64_t *samples_of(const struct run_bench *bench, const char *name, size_t *n)
{
    const struct run_series *series = run_find_whole(bench, name);

    if (series == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < series->n; i++) {
        if (series->samples[i] > TICKS_MAX || series->samples[i] < -TICKS_MAX) {
            return NULL;
        }
    }
    *n = series->n;
    return series->samples;
}

bool cli_points_of(const struct run_bench *bench, struct cli_points *points)
{
    const char *windows = run_find_param(bench, CLI_PARAM_WINDOWS);
    size_t n[3] = {0};

    points->window = samples_of(bench, SERIES_CLI_WINDOW, &n[0]);
    points->deadline = samples_of(bench, SERIES_CLI_DEADLINE, &n[1]);
    points->latency = samples_of(bench, SERIES_CLI_LATENCY, &n[2]);
    points->n = n[0];
    points->grid = (size_t)run_fact_or(bench, FACT_CLI_GRID, 0);
    points->windows = windows != NULL ? strtoul(windows, NULL, 10) : 0;
    return points->window != NULL && points->deadline != NULL && points->latency != NULL &&
           n[0] == n[1] && n[0] == n[2] && n[0] > 0 && points->windows > 0 &&
           points->grid >= points->windows && points->grid % points->windows == 0 &&
           points->n % points->grid == 0;
}

int64_t cli_remainder(const struct cli_points *points, size_t index)
{
    return points->window[index] - points->deadline[index];
}

int64_t cli_deviation(const struct cli_points *points, size_t index)
{
    const int64_t remainder = cli_remainder(points, index);

    return points->latency[index] - (remainder > 0 ? remainder : 0);
}

size_t cli_deviations(const struct cli_points *points, bool pending, size_t window, int64_t *values)
{
    const size_t deadlines = points->grid / points->windows;
    size_t count = 0;

    for (size_t i = 0; i < points->n; i++) {
        if ((cli_remainder(points, i) > 0) == pending &&
            (window == CLI_EACH_WINDOW || i % points->grid / deadlines == window)) {
            values[count++] = cli_deviation(points, i);
        }
    }
    return count;
}

static void fit(const struct cli_points *points, struct cli_summary *summary)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    double n = 0;

    for (size_t i = 0; i < points->n; i++) {
        const int64_t remainder = cli_remainder(points, i);

        if (remainder > 0) {
            x += (double)remainder;
            y += (double)points->latency[i];
            n++;
        }
    }
    const double mean_x = n > 0 ? x / n : 0;
    const double mean_y = n > 0 ? y / n : 0;

    for (size_t i = 0; i < points->n; i++) {
        const int64_t remainder = cli_remainder(points, i);

        if (remainder > 0) {
            xx += ((double)remainder - mean_x) * ((double)remainder - mean_x);
            xy += ((double)remainder - mean_x) * ((double)points->latency[i] - mean_y);
        }
    }
    summary->slope = xx > 0 ? xy / xx : NAN;
    summary->offset = mean_y - summary->slope * mean_x;
}

void cli_summary(const struct cli_points *points, struct cli_summary *summary)
{
    int64_t *values = alloc_zeroed(points->n * sizeof(*values));

    *summary = (struct cli_summary){.slope = NAN, .offset = NAN};
    statistics_of(values, cli_deviations(points, true, CLI_EACH_WINDOW, values), &summary->pending);
    statistics_of(values, cli_deviations(points, false, CLI_EACH_WINDOW, values),
                  &summary->running);
    free(values);
    fit(points, summary);
}
