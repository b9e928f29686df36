/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/show/run_figures.h"

#include <inttypes.h>

#include "tools/present/figure_kit.h"
#include "tools/present/reading.h"

/* ---- figures of no bench ---- */

static const char section[] = "Clocks";

static const char *text_or(const char *text, const char *other)
{
    return text != NULL ? text : other;
}

/* A row for each clock that was held against another. */
static void add_agreement(struct figures *figures, const struct run *run)
{
    static const char *const heads[] = {"clock",        "measured by", "Hz",
                                        "from verdict", "error",       "windows"};
    const struct run_verdict *verdict = &run->verdict;

    if (run->estimate_count == 0) {
        return;
    }
    struct figure *figure =
        figure_add(figures, FIGURE_TABLE, section, "How clocks agree", "clocks-agreement");

    figure_table(figure, "llrrrr", heads);
    for (size_t i = 0; i < run->estimate_count; i++) {
        const struct run_estimate *estimate = &run->estimates[i];

        figure_cell(figure, "%s", text_or(estimate->clock, "-"));
        figure_cell(figure, "%s", text_or(estimate->reference, "-"));
        figure_cell(figure, "%" PRIu64, estimate->hz);
        if (verdict->present && verdict->hz > 0) {
            figure_cell(figure, "%+.3f ppm",
                        ((double)estimate->hz / (double)verdict->hz - 1) * 1e6);
        } else {
            figure_cell(figure, "-");
        }
        if (estimate->has_error_ppb) {
            figure_cell(figure, "%.3f ppm", (double)estimate->error_ppb / 1000);
        } else {
            figure_cell(figure, "-");
        }
        figure_cell(figure, "%" PRIu64, estimate->windows);
    }
    figure_how(figure,
               "Each clock counted while its reference passed windows of known length. Verdict: %s",
               verdict->present && verdict->ok ? "the TSC's rate is known"
                                               : text_or(verdict->reason, "none"));
}

static void add_counters(struct figures *figures, const struct run *run)
{
    static const char *const heads[] = {"counter", "state", "bits", "why it is not used"};

    if (run->counter_count == 0) {
        return;
    }
    struct figure *figure = figure_add(figures, FIGURE_TABLE, "Counters",
                                       "What counters proved to be", "counters-states");

    figure_table(figure, "llrl", heads);
    for (size_t i = 0; i < run->counter_count; i++) {
        const struct run_counter *counter = &run->counters[i];

        figure_cell(figure, "%s", text_or(counter->name, "-"));
        figure_cell(figure, "%s", text_or(counter->state, "-"));
        if (counter->width > 0) {
            figure_cell(figure, "%" PRIu64, counter->width);
        } else {
            figure_cell(figure, "-");
        }
        figure_cell(figure, "%s", text_or(counter->reason, ""));
    }
    figure_how(figure, "Each counter was written, read back, stopped and started before it was "
                       "used");
}

static void figures_clocks(struct figures *figures, const struct run *run)
{
    add_agreement(figures, run);
    add_counters(figures, run);
}

READING_REGISTER(figures_clocks) = {.order = 345, .figures = figures_clocks};

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
