/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/show/run_figures.h"

#include <inttypes.h>

#include "tools/present/report_plugin.h"
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
    figure_how(
        figure_add_table(figures, "Clocks", "Agreement of the clocks", &table, "clocks-agreement"),
        "Each clock counted while its reference passed windows of known length. Verdict: %s",
        run->verdict.present && run->verdict.ok ? "the TSC's rate is known"
                                                : text_or(run->verdict.reason, "none"));
}

static void add_counters(struct figures *figures, const struct run *run)
{
    static const char *const heads[] = {"counter", "state", "bits", "why the counter is not used"};

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

PLUGIN_REGISTER(figures_clocks) = {.order = 345, .figures = figures_clocks};

static void add_figures(struct figures *figures, const struct report_plugin *plugin,
                        const struct run *run)
{
    const struct run_bench *bench =
        plugin->bench_figures != NULL ? run_find_bench(run, plugin->bench) : NULL;

    if (plugin->figures != NULL) {
        plugin->figures(figures, run);
    }
    if (bench != NULL && bench->series_count > 0) {
        plugin->bench_figures(figures, run, bench);
    }
}

static bool has_figures(const struct report_plugin *plugin)
{
    return plugin->figures != NULL || plugin->bench_figures != NULL;
}

void run_figures(struct figures *figures, const struct run *run, struct progress *progress)
{
    const struct report_plugin *plugin = NULL;
    size_t parts = 0;
    size_t done = 0;

    while ((plugin = report_plugin_next(plugin, NULL)) != NULL) {
        parts += has_figures(plugin);
    }
    while ((plugin = report_plugin_next(plugin, NULL)) != NULL) {
        if (!has_figures(plugin)) {
            continue;
        }
        add_figures(figures, plugin, run);
        done++;
        if (progress != NULL) {
            progress_amount(progress, "making figures", done, parts, "parts");
        }
    }
}
