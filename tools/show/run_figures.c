/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/show/run_figures.h"

#include "tools/present/reading.h"

static void add_figures(struct figures *figures, const struct bench_reading *reading,
                        const struct run *run)
{
    if (reading->figures != NULL) {
        reading->figures(figures, run);
    }
    if (reading->bench_figures != NULL) {
        const struct run_bench *bench = run_find_bench(run, reading->bench);

        if (bench != NULL && bench->series_count > 0) {
            reading->bench_figures(figures, run, bench);
        }
    }
}

static bool has_figures(const struct bench_reading *reading)
{
    return reading->figures != NULL || reading->bench_figures != NULL;
}

void run_figures(struct figures *figures, const struct run *run,
                 const struct figures_progress *progress)
{
    const struct bench_reading *reading = NULL;
    size_t parts = 0;
    size_t done = 0;

    while ((reading = bench_reading_next(reading, NULL)) != NULL) {
        parts += has_figures(reading);
    }
    while ((reading = bench_reading_next(reading, NULL)) != NULL) {
        if (!has_figures(reading)) {
            continue;
        }
        add_figures(figures, reading, run);
        done++;
        if (progress->report != NULL) {
            progress->report(progress->context, done, parts);
        }
    }
}
