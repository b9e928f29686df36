/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/show/view_statistics.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernel/run/names.h"
#include "tools/base/number.h"
#include "tools/figure/figure.h"
#include "tools/present/figure_kit.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"
#include "tools/run/run_kind.h"
#include "tools/stats/summary.h"

/* The unit in which a metric's values are printed. */
struct scale {
    double factor;
    const char *unit;
};

static struct scale scale_of(const struct metrics *metrics, const struct metric *metric,
                             double typical)
{
    if (strcmp(metric->unit, UNIT_TICK) != 0) {
        return (struct scale){1, metric->unit};
    }
    const struct figure_scale scale = figure_length_scale(metrics->run, typical);

    return (struct scale){scale.per_tick, scale.unit};
}

static const char *scaled_text(double value, struct scale scale, char text[NUMBER_MAX])
{
    if (isnan(value)) {
        return "";
    }
    return number_text(value * scale.factor, text);
}

static void put_quantile(struct table *table, const struct summary_quantile *quantile,
                         struct scale scale)
{
    char text[NUMBER_MAX];

    table_text(table, quantile->reported ? scaled_text(quantile->value, scale, text) : "");
}

static void put_interval(struct table *table, const struct summary_quantile *quantile,
                         struct scale scale)
{
    char low[NUMBER_MAX];
    char high[NUMBER_MAX];

    if (quantile->has_interval) {
        table_format(table, "%s..%s", scaled_text(quantile->low, scale, low),
                     scaled_text(quantile->high, scale, high));
    } else {
        table_text(table, "");
    }
}

/* Puts the place of a sample in time. Samples of the idle loop follow each other without a gap, so
 * that their lengths add up to it; others get only their number. */
static void put_place(struct table *table, const struct metrics *metrics,
                      const struct metric *metric, size_t index)
{
    double before = 0;

    if (metric->work == 0) {
        table_format(table, "#%zu", index);
        return;
    }
    for (size_t i = 0; i < index; i++) {
        before += metric->values[i];
    }
    const struct figure_scale scale = figure_time_scale(metrics->run, before);

    table_format(table, "%.4g %s", before * scale.per_tick, scale.unit);
}

/* Returns the note for values that never vary: "exact" only in exact time. */
static const char *constant_note(const struct metrics *metrics, size_t n)
{
    if (run_is_exact(metrics->run)) {
        return "exact";
    }
    return n == 1 ? "one value" : "constant";
}

static void put_notes(struct table *table, const struct metrics *metrics,
                      const struct metric *metric, const struct summary *summary,
                      struct scale scale)
{
    char drift[NUMBER_MAX] = "";
    const char *unknown = summary->n >= INFLATION_MIN ? summary_interval_unknown(summary) : NULL;

    if (metric->unkept > 0) {
        table_format(table, "the first %zu of %" PRIu64, metric->n, metric->n + metric->unkept);
        return;
    }
    if (summary->exact) {
        table_text(table, constant_note(metrics, summary->n));
        return;
    }
    if (summary->drifts) {
        snprintf(drift, sizeof(drift), "drifts by %+.3g", summary->drift * scale.factor);
    }
    table_format(table, "%s%s%s%s%s%s", drift, summary->drifts && summary->correlated ? ", " : "",
                 summary->correlated ? "correlated" : "",
                 unknown != NULL && (summary->drifts || summary->correlated) ? ", " : "",
                 unknown != NULL ? "interval unknown: " : "", unknown != NULL ? unknown : "");
}

/* Puts a row for the `n` values: the warm ones, or with `cold` those that ran first, into cold
 * caches. */
static void put_values(struct table *table, const struct metrics *metrics,
                       const struct metric *metric, const double *values, size_t n, bool cold)
{
    struct summary summary;
    char text[NUMBER_MAX];
    const bool all = metric->unkept == 0;

    summary_of(values, n, &summary);
    const struct scale scale = scale_of(metrics, metric, summary.median.value);
    const struct summary_quantile *const quantiles[] = {&summary.p90, &summary.p99, &summary.p999,
                                                        &summary.p9999};

    table_row(table);
    table_format(table, "%s%s", metric->name, cold ? " cold" : "");
    table_text(table, scale.unit);
    table_format(table, "%zu", n);
    table_text(table, all ? scaled_text(summary.min, scale, text) : "");
    put_quantile(table, &summary.median, scale);
    put_interval(table, &summary.median, scale);
    for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++) {
        put_quantile(table, quantiles[i], scale);
    }
    table_text(table, all ? scaled_text(summary.max, scale, text) : "");
    if (summary.exact || cold || !all) {
        table_text(table, "");
    } else {
        put_place(table, metrics, metric, summary.max_at);
    }
    table_text(table, scaled_text(summary.mean, scale, text));
    table_text(table, scaled_text(summary.deviation, scale, text));
    table_text(table, scaled_text(summary.mad, scale, text));
    put_notes(table, metrics, metric, &summary, scale);
}

/* Puts a row for events without values, which are rare; that there were none is a result too. */
static void put_events(struct table *table, const struct metrics *metrics,
                       const struct metric *metric)
{
    const struct figure_scale time = figure_time_scale(metrics->run, metric->observed);
    struct summary_rate rate;

    summary_rate_of(metric->unkept, metric->observed * time.per_tick, &rate);
    table_named_row(table, metric->name);
    table_text(table, "");
    table_format(table, "%" PRIu64, metric->unkept);
    while (table->at + 1 < table->columns) {
        table_text(table, "");
    }
    if (rate.events > 0) {
        table_format(table, "%.4g per %s, %.3g..%.3g at 95 %%", rate.rate, time.unit, rate.low,
                     rate.high);
        return;
    }
    table_format(table, "none in %.4g %s: < %.3g per %s at 95 %%", rate.time, time.unit, rate.high,
                 time.unit);
}

static bool is_listed(const char *const *benches, size_t count, const char *bench)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(benches[i], bench) == 0) {
            return true;
        }
    }
    return count == 0;
}

bool statistics_table(struct table *table, const struct metrics *metrics,
                      const char *const *benches, size_t count)
{
    table_open(table, "llrrrrrrrrrrrrrl",
               "metric\tunit\tn\tmin\tmedian\t95 %%\tp90\tp99\tp99.9\tp99.99\tmax\tat\t"
               "mean\tdeviation\tMAD\tnotes");
    for (size_t i = 0; i < metrics->count; i++) {
        const struct metric *metric = &metrics->item[i];

        if (!is_listed(benches, count, metric->bench)) {
            continue;
        }
        if (metric->n > 0) {
            put_values(table, metrics, metric, metric->values, metric->n, false);
        } else if (metric->observed > 0 && (metric->unkept == 0 || metric->counted_only)) {
            put_events(table, metrics, metric);
        }
        if (metric->cold_count > 0) {
            put_values(table, metrics, metric, metric->cold, metric->cold_count, true);
        }
    }
    return table->rows > 1;
}

bool view_statistics(const struct view *view, const char *const *benches, size_t count)
{
    struct metrics metrics;
    struct table table;

    metrics_of(view->run, &metrics);
    const bool any = statistics_table(&table, &metrics, benches, count);

    if (any) {
        fprintf(view->out, "\nstatistics\n");
        print_paragraph(view->out, "%s", STATISTICS_HOW);
        table_print(&table, view->out, 2);
    } else {
        table_free(&table);
    }
    metrics_free(&metrics);
    return any;
}

void figures_statistics(struct figures *figures, const struct run *run)
{
    struct metrics metrics;
    struct table table;

    metrics_of(run, &metrics);
    if (statistics_table(&table, &metrics, NULL, 0)) {
        struct figure *figure = figure_add_table(figures, "Statistics", "Statistics of all metrics",
                                                 &table, "statistics");

        figure_how(figure, "%s", STATISTICS_HOW);
    } else {
        table_free(&table);
    }
    metrics_free(&metrics);
}

PLUGIN_REGISTER(figures_statistics) = {.order = 430, .figures = figures_statistics};
