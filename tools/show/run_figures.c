/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/show/run_figures.h"

#include <inttypes.h>

#include "tools/present/figure_kit.h"
#include "tools/present/reading.h"
#include "tools/show/view_run.h"

static const char *text_or(const char *text, const char *other)
{
    return text != NULL ? text : other;
}

/* Adds a table with a row for each clock that was measured against another. */
static void add_agreement(struct figures *figures, const struct run *run)
{
    struct table table;

    if (run->estimate_count == 0) {
        return;
    }
    view_estimates_table(&table, run, "Hz");
    figure_how(figure_add_table(figures, "Clocks", "How clocks agree", &table, "clocks-agreement"),
               "Each clock counted while its reference passed windows of known length. Verdict: %s",
               run->verdict.present && run->verdict.ok ? "the TSC's rate is known"
                                                       : text_or(run->verdict.reason, "none"));
}

static void add_counters(struct figures *figures, const struct run *run)
{
    static const char *const heads[] = {"counter", "state", "bits", "why it is not used"};

    if (run->counter_count == 0) {
        return;
    }
    struct figure *figure =
        figure_add(figures, FIGURE_TABLE, "Counters", "Counter self-test", "counters-states");

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
    figure_how(figure, "Before it was used, each counter was written, read back, stopped and "
                       "started");
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
    const struct run_bench *bench =
        reading->bench_figures != NULL ? run_find_bench(run, reading->bench) : NULL;

    if (reading->figures != NULL) {
        reading->figures(figures, run);
    }
    if (bench != NULL && bench->series_count > 0) {
        reading->bench_figures(figures, run, bench);
    }
}

static bool has_figures(const struct bench_reading *reading)
{
    return reading->figures != NULL || reading->bench_figures != NULL;
}

void run_figures(struct figures *figures, const struct run *run, struct progress *progress)
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
        if (progress != NULL) {
            progress_amount(progress, "making figures", done, parts, "parts");
        }
    }
}
