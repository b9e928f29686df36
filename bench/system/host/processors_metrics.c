/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Metrics of bench lines: a cache line from each processor to each other, "lines.cas[0-1]"; and of
 * bench ipi, whose skews are bounds, no metrics.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/system/host/processors.h"
#include "bench/system/names.h"
#include "kernel/run/names.h"
#include "tools/present/reading.h"

static void add_pair(struct metrics *metrics, const struct run_bench *bench,
                     const struct run_series *series, const struct line_matrix *matrix, size_t a,
                     size_t b)
{
    const size_t first = (a * matrix->count + b) * matrix->trials;
    const double repetitions = (double)run_fact_or(bench, FACT_REPETITIONS, 1);
    char text[METRIC_X_MAX];

    snprintf(text, sizeof(text), "%" PRId64 "-%" PRId64, matrix->number[a], matrix->number[b]);
    struct metric *metric = metrics_add(metrics, bench, series->name, text);

    metric_set(metric, series->samples + first, matrix->trials);
    for (size_t i = 0; i < metric->n; i++) {
        metric->values[i] /= repetitions;
    }
}

static bool add_matrix(struct metrics *metrics, const struct run_bench *bench,
                       const struct run_series *series)
{
    struct line_matrix matrix;

    if (!line_matrix_read(bench, series->name, &matrix)) {
        return true;
    }
    for (size_t a = 0; a < matrix.count; a++) {
        for (size_t b = 0; b < matrix.count; b++) {
            if (a != b) {
                add_pair(metrics, bench, series, &matrix, a, b);
            }
        }
    }
    line_matrix_free(&matrix);
    return true;
}

/* Of bench ipi: a series a processor. */
static bool is_skew(const char *series)
{
    return strncmp(series, SERIES_SKEW ".", sizeof(SERIES_SKEW)) == 0 ||
           strncmp(series, SERIES_SKEW_BOUND ".", sizeof(SERIES_SKEW_BOUND)) == 0;
}

READING_REGISTER(lines_metrics) = {
    .bench = BENCH_LINES, .order = 500, .metrics = {.series = add_matrix}};
READING_REGISTER(ipi_metrics) = {.bench = BENCH_IPI, .order = 500, .metrics = {.places = is_skew}};
