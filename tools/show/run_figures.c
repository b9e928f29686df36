/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/show/run_figures.h"

#include "tools/present/reading.h"

/* The first pass with samples; NULL: the run has none. */
static const struct run_bench *bench_of(const struct bench_reading *reading, const struct run *run)
{
    for (size_t i = 0; i < run->bench_count; i++) {
        if (bench_reading_is_of(reading, &run->benches[i]) && run->benches[i].series_count > 0) {
            return &run->benches[i];
        }
    }
    return NULL;
}

static void add_figures(struct figures *figures, const struct bench_reading *reading,
                        const struct run *run)
{
    if (reading->figures != NULL) {
        reading->figures(figures, run);
    }
    if (reading->bench_figures != NULL) {
        const struct run_bench *bench = bench_of(reading, run);

        if (bench != NULL) {
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
    const struct bench_reading *reading;
    size_t parts = 0;
    size_t done = 0;

    for (size_t i = 0; (reading = bench_reading_at(i)) != NULL; i++) {
        parts += has_figures(reading);
    }
    for (size_t i = 0; (reading = bench_reading_at(i)) != NULL; i++) {
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
