/* SPDX-License-Identifier: BSD-2-Clause */
/* bench model: responses and waits, what the kernel itself takes, and the order of services. */
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/host/model/view_model.h"
#include "bench/interactive/names.h"
#include "bench/tasks/host/view_tasks.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/present/reading.h"
#include "tools/present/view.h"
#include "tools/sim/model/program.h"
#include "tools/stats/summary.h"

static const char cost_prefix[] = "cost.";

static bool is_cost(const struct run_series *series)
{
    return strncmp(series->name, cost_prefix, strlen(cost_prefix)) == 0;
}

/* Lengths of the model's own: neither costs nor codes nor counts of events. */
static bool is_length(const struct run_series *series)
{
    return series->of == NULL && series->unit != NULL && strcmp(series->unit, UNIT_TICK) == 0 &&
           !is_cost(series);
}

static void summarize(const struct run_series *series, struct summary *summary)
{
    double *values = alloc_zeroed((series->received > 0 ? series->received : 1) * sizeof(*values));

    for (size_t i = 0; i < series->received; i++) {
        values[i] = (double)series->samples[i];
    }
    summary_of(values, series->received, summary);
    free(values);
}

static void add_span(struct table *table, const struct view *view, double ticks)
{
    char text[AMOUNT_MAX];

    table_text(table, span_text(view, ticks, text));
}

static void add_quantile(struct table *table, const struct view *view,
                         const struct summary_quantile *quantile)
{
    if (quantile->reported) {
        add_span(table, view, quantile->value);
    } else {
        table_text(table, NULL);
    }
}

static void add_lengths(struct table *table, const struct view *view,
                        const struct run_series *series)
{
    struct summary summary;
    char text[AMOUNT_MAX];

    table_row(table);
    table_text(table, series->name);
    table_format(table, "%zu", series->received);
    summarize(series, &summary);
    if (summary.n == 0) {
        return;
    }
    add_span(table, view, summary.min);
    add_quantile(table, view, &summary.median);
    add_quantile(table, view, &summary.p90);
    add_quantile(table, view, &summary.p99);
    add_span(table, view, summary.max);
    table_text(table, mean_text(view, summary.mean, text));
}

static void print_lengths(const struct view *view, const struct run_bench *bench)
{
    static const char *const heads[] = {"series", "n",   "min", "median",
                                        "p90",    "p99", "max", "mean"};
    struct table table;

    table_head(&table, "lrrrrrrr", heads);
    for (size_t i = 0; i < bench->series_count; i++) {
        if (is_length(&bench->series[i])) {
            add_lengths(&table, view, &bench->series[i]);
        }
    }
    fprintf(view->out, "\n  from the intended moment to the end, and to first service%s\n",
            span_note(view));
    table_print(&table, view->out, 2);
}

static void add_cost(struct table *table, const struct view *view, const struct run_series *series)
{
    struct summary summary;

    table_row(table);
    table_text(table, series->name + strlen(cost_prefix));
    table_format(table, "%zu", series->received);
    summarize(series, &summary);
    if (summary.n == 0) {
        return;
    }
    add_span(table, view, summary.min);
    add_quantile(table, view, &summary.median);
    add_span(table, view, summary.max);
}

static void print_costs(const struct view *view, const struct run_bench *bench)
{
    static const char *const heads[] = {"cost", "n", "min", "median", "max"};
    struct table table;
    size_t count = 0;

    table_head(&table, "lrrrr", heads);
    for (size_t i = 0; i < bench->series_count; i++) {
        if (is_cost(&bench->series[i])) {
            add_cost(&table, view, &bench->series[i]);
            count++;
        }
    }
    if (count == 0) {
        table_free(&table);
        return;
    }
    fprintf(view->out, "\n  what the kernel takes, raw%s\n", span_note(view));
    table_print(&table, view->out, 2);
}

/* As `tare sim --overheads` has it from the same costs, in the unit of the lengths above. */
static void print_overhead(const struct view *view, const struct run_bench *bench)
{
    /* One unit of this model is a tick of the run. */
    const struct sim_model tick = {.unit_ns = view->ns_per_tick};
    struct sim_overhead overhead;
    char why[SIM_OVERHEAD_ERROR_MAX];
    double below;

    if (view->ns_per_tick <= 0) {
        return;
    }
    if (!sim_program_overhead(view->run, bench, &tick, &overhead, &below, why)) {
        fputc('\n', view->out);
        print_field(view->out, 10, "of each", why);
        return;
    }
    fprintf(view->out, "\n  of these each; a send to a process of the same level%s\n",
            span_note(view));
    for (enum sim_overhead_part i = 0; i < SIM_OVERHEAD_PARTS; i++) {
        char text[AMOUNT_MAX];

        print_field(view->out, 10, sim_overhead_name(i),
                    mean_text(view, *sim_overhead_part(&overhead, i), text));
    }
}

void view_model(const struct view *view, const struct run_bench *bench)
{
    print_lengths(view, bench);
    print_costs(view, bench);
    print_overhead(view, bench);
    view_order(view, bench);
}

READING_REGISTER(model_view) = {
    .bench = BENCH_MODEL, .order = 200, .show = view_model, .place = READING_FOR_SERIES};
