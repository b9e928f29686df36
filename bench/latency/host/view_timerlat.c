/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints and draws bench `timerlat`: a line for each processor in cyclictest's format, and the
 * spans. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/latency/host/ways.h"
#include "bench/latency/names.h"
#include "bench/noise/host/gap_bench.h"
#include "bench/noise/host/team_rows.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/present/digest.h"
#include "tools/present/figure_kit.h"
#include "tools/present/json_kit.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"

#define P50   500000
#define P99   990000
#define P999  999000
#define NS_US 1000.0

/* Prints lines such as "T: 0 I:1000 C:    100 Min:    0.928 Avg: ..". Times are in us (virtual time
 * in exact mode), or in ticks if the rate is unknown. */
static void print_summary(const struct view *view, const struct ways *ways)
{
    const double us = view->ns_per_tick > 0 ? view->ns_per_tick / NS_US : 1;

    fprintf(view->out, "\n  deadline to thread in cyclictest's format, in %s\n",
            view->ns_per_tick > 0 ? "us" : "ticks");
    for (size_t i = 0; i < ways->count; i++) {
        const struct way_lane *lane = &ways->lane[i];
        const struct way_book *whole = &lane->book[WAY_SPAN_WHOLE];

        if (!lane->known) {
            fprintf(view->out, "  T:%3" PRIu64 " no period was measured\n", lane->number);
            continue;
        }
        fprintf(view->out,
                "  T:%3" PRIu64 " I:%.0f C:%7" PRIu64
                " Min:%9.3f Avg:%9.3f Max:%9.3f Overruns:%" PRIu64 "\n",
                lane->number, (double)ways->period * us, lane->periods, (double)whole->min * us,
                (double)whole->sum / (double)lane->periods * us, (double)whole->max * us,
                lane->overruns);
    }
}

static void add_span(struct table *table, const struct view *view, const struct way_lane *lane,
                     enum way_span span)
{
    static const uint64_t parts[] = {P50, P99, P999};
    const struct way_book *book = &lane->book[span];

    table_line(table, "%" PRIu64 "\t%s", lane->number, way_span_name(span));
    cell_span(table, view, true, (double)book->min);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        cell_span(table, view, way_has_quantile(lane, parts[i]),
                  (double)way_quantile(lane, span, parts[i]));
    }
    cell_span(table, view, true, (double)book->max);
    cell_amount(table, view, true, book->max_at);
}

static void view_timerlat(const struct view *view, const struct run_bench *bench)
{
    struct ways ways;
    struct table table;

    if (!ways_of(bench, &ways)) {
        print_paragraph(view->out, "no latencies: samples are missing");
        ways_free(&ways);
        return;
    }
    print_summary(view, &ways);
    print_paragraph(view->out,
                    "from the deadline to the handler, on to the deferred call (dpc), on to the "
                    "thread, and the whole time%s; quantiles come from the histogram and may be up "
                    "to 6 %% too low; processors "
                    "other than the first have an event-server loop instead of a DPC and a thread",
                    span_note(view));
    table_open(&table, "rlrrrrrr", "CPU\tspan\tmin\tp50\tp99\tp99.9\tmax\tat");
    for (size_t i = 0; i < ways.count; i++) {
        for (enum way_span span = 0; ways.lane[i].known && span < WAY_SPAN_COUNT; span++) {
            add_span(&table, view, &ways.lane[i], span);
        }
    }
    view_table(view, &table);
    ways_free(&ways);
}

#define FACTS_OF(span) span SUFFIX_SUM, span SUFFIX_MIN, span SUFFIX_MAX, span SUFFIX_MAX_AT

/* These facts are in the tables. */
static bool shows_fact(const struct run_fact *fact)
{
    static const char *const names[] = {FACT_PERIODS,           FACT_OVERRUNS,
                                        FACTS_OF(SPAN_HANDLER), FACTS_OF(SPAN_DPC),
                                        FACTS_OF(SPAN_THREAD),  FACTS_OF(SPAN_WHOLE)};

    return team_fact_is_of(fact, names, sizeof(names) / sizeof(names[0]));
}

/* ---- figures: histogram of deadline to thread, and the mean of each span ---- */

#define SECTION "Latency"

static void add_histogram(struct figures *figures, const struct ways *ways,
                          const struct figure_scale *scale)
{
    struct figure *figure = figure_add(figures, FIGURE_HISTOGRAM, SECTION,
                                       "timerlat: deadline to thread", "timerlat-histogram");

    figure_axes(figure, "from the deadline to the thread", scale->unit, "periods", NULL);
    figure->x.logarithmic = true;
    figure->y.logarithmic = true;
    figure_how(figure, "All periods of each processor, in the bins of the image's histogram, 16 "
                       "for each doubling; processors other "
                       "than the first have an event-server loop instead of a thread");
    for (size_t i = 0; i < ways->count; i++) {
        const struct way_book *book = &ways->lane[i].book[WAY_SPAN_WHOLE];
        char name[AMOUNT_MAX];

        if (!ways->lane[i].known) {
            continue;
        }
        struct figure_series *series =
            figure_add_series(figure, processor_text(ways->lane[i].number, name));

        for (size_t k = 0; k < book->bound->n; k++) {
            const double low = (double)book->bound->samples[k];
            const double high = gap_bin_end(book->bound->samples[k]);

            figure_add_range(series, (low + high) / 2 * scale->per_tick,
                             (double)book->count->samples[k], low * scale->per_tick,
                             high * scale->per_tick);
        }
    }
}

/* Draws the mean period of each processor as the sum of its spans. */
static void add_spans(struct figures *figures, const struct ways *ways,
                      const struct figure_scale *scale)
{
    struct figure *figure =
        figure_add(figures, FIGURE_BARS, SECTION, "timerlat: mean of each span", "timerlat-spans");

    figure_axes(figure, NULL, NULL, "mean", scale->unit);
    figure_how(figure, "From the deadline to the timer's handler, on to the deferred call, on to "
                       "the thread; whiskers: min and max");
    for (size_t i = 0; i < ways->count; i++) {
        char name[AMOUNT_MAX];

        if (ways->lane[i].known) {
            figure_add_group(figure, processor_text(ways->lane[i].number, name));
        }
    }
    for (enum way_span span = 0; span < WAY_SPAN_COUNT; span++) {
        struct figure_series *series = figure_add_series(figure, way_span_name(span));
        double group = 0;

        for (size_t i = 0; i < ways->count; i++) {
            const struct way_lane *lane = &ways->lane[i];
            const struct way_book *book = &lane->book[span];

            if (lane->known) {
                figure_add_range(
                    series, group++, (double)book->sum / (double)lane->periods * scale->per_tick,
                    (double)book->min * scale->per_tick, (double)book->max * scale->per_tick);
            }
        }
    }
}

/* ---- the key figure ---- */

#define LANES_SHOWN 6
/* ratio of max to median above which a linear axis would hide the median */
#define LOGARITHMIC_FROM 20

static int by_longest(const void *left, const void *right)
{
    const struct way_lane *a = *(const struct way_lane *const *)left;
    const struct way_lane *b = *(const struct way_lane *const *)right;
    const int64_t longest_a = a->book[WAY_SPAN_WHOLE].max;
    const int64_t longest_b = b->book[WAY_SPAN_WHOLE].max;

    if (longest_a != longest_b) {
        return longest_a > longest_b ? -1 : 1;
    }
    return a->number < b->number ? -1 : a->number > b->number;
}

static void add_key(struct figures *figures, const struct ways *ways,
                    const struct figure_scale *scale)
{
    const struct way_lane **lanes =
        alloc_zeroed((ways->count + 1) * sizeof(const struct way_lane *));
    struct figure *figure =
        figure_add(figures, FIGURE_BARS, FIGURE_SECTION_KEY, "Timer latency", "key-timer");
    struct figure_series *series = figure_add_series(figure, "median");
    size_t count = 0;

    for (size_t i = 0; i < ways->count; i++) {
        if (ways->lane[i].known) {
            lanes[count++] = &ways->lane[i];
        }
    }
    sort_stable(lanes, count, sizeof(const struct way_lane *), by_longest);
    figure_axes(figure, NULL, NULL, "deadline to thread", scale->unit);
    for (size_t i = 0; i < count && i < LANES_SHOWN; i++) {
        const struct way_book *book = &lanes[i]->book[WAY_SPAN_WHOLE];
        char name[AMOUNT_MAX];

        figure_add_group(figure, processor_text(lanes[i]->number, name));
        figure_add_range(series, (double)i,
                         (double)way_quantile(lanes[i], WAY_SPAN_WHOLE, WAY_MILLION / 2) *
                             scale->per_tick,
                         (double)book->min * scale->per_tick, (double)book->max * scale->per_tick);
    }
    for (size_t i = 0; i < series->n; i++) {
        figure->y.logarithmic |=
            series->low[i] > 0 && series->high[i] > LOGARITHMIC_FROM * series->y[i];
    }
    if (count > LANES_SHOWN) {
        figure_how(figure, "Median, and from min to max: the worst %d of %zu processors",
                   LANES_SHOWN, count);
    } else {
        figure_how(figure, "Median, and from min to max");
    }
    free(lanes);
}

static void timerlat_figures(struct figures *figures, const struct run *run,
                             const struct run_bench *bench)
{
    struct ways ways;
    size_t first = 0; /* first processor with known periods */

    ways_of(bench, &ways);
    while (first < ways.count && !ways.lane[first].known) {
        first++;
    }
    if (first < ways.count) {
        const struct figure_scale scale =
            figure_length_scale(run, (double)ways.lane[first].book[WAY_SPAN_WHOLE].max);

        add_key(figures, &ways, &scale);
        add_histogram(figures, &ways, &scale);
        add_spans(figures, &ways, &scale);
    }
    ways_free(&ways);
}

/* JSON, metrics (maximum and 99.9 % quantile of each span), and the line of the overview: the
 * processor with the longest period. */

#define X_LENGTH 32

static void put_span(struct json *json, const struct way_lane *lane, enum way_span span)
{
    const struct way_book *book = &lane->book[span];

    json_object(json, way_span_name(span));
    json_signed(json, "min", book->min);
    json_optional(json, "median", way_has_quantile(lane, P50), way_quantile(lane, span, P50));
    json_optional(json, "p99", way_has_quantile(lane, P99), way_quantile(lane, span, P99));
    json_optional(json, "p999", way_has_quantile(lane, P999), way_quantile(lane, span, P999));
    json_signed(json, "max", book->max);
    json_signed(json, "max_at", book->max_at);
    json_signed(json, "sum", book->sum);
    json_close(json);
}

static void put_lane(struct json *json, const struct way_lane *lane)
{
    json_object(json, NULL);
    json_unsigned(json, "number", lane->number);
    json_optional(json, "periods", lane->known, (int64_t)lane->periods);
    json_optional(json, "overruns", lane->known, (int64_t)lane->overruns);
    for (enum way_span span = 0; span < WAY_SPAN_COUNT; span++) {
        if (lane->known) {
            put_span(json, lane, span);
        } else {
            json_null(json, way_span_name(span));
        }
    }
    json_close(json);
}

static void timerlat_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct ways ways;

    (void)run;
    ways_of(bench, &ways);
    json_array(json, "processors");
    for (size_t i = 0; i < ways.count; i++) {
        put_lane(json, &ways.lane[i]);
    }
    json_close(json);
    ways_free(&ways);
}

/* ---- metrics ---- */

static void add_value(struct metrics *metrics, const struct run_bench *bench, const char *series,
                      const char *x, int64_t value)
{
    struct metric *metric = metrics_add(metrics, bench, series, x);

    metric->n = 1;
    metric->values = alloc_zeroed(sizeof(*metric->values));
    metric->values[0] = (double)value;
}

static const struct {
    const char *max, *p999;
} metric_names[WAY_SPAN_COUNT] = {
    {SPAN_HANDLER SUFFIX_MAX, SPAN_HANDLER "_p999"},
    {SPAN_DPC SUFFIX_MAX, SPAN_DPC "_p999"},
    {SPAN_THREAD SUFFIX_MAX, SPAN_THREAD "_p999"},
    {SPAN_WHOLE SUFFIX_MAX, SPAN_WHOLE "_p999"},
};

static void timerlat_metrics(struct metrics *metrics, const struct run_bench *bench)
{
    struct ways ways;

    ways_of(bench, &ways);
    for (size_t i = 0; i < ways.count; i++) {
        const struct way_lane *lane = &ways.lane[i];
        char x[X_LENGTH];

        snprintf(x, sizeof(x), "%lu", (unsigned long)lane->number);
        for (enum way_span span = 0; lane->known && span < WAY_SPAN_COUNT; span++) {
            add_value(metrics, bench, metric_names[span].max, x, lane->book[span].max);
            if (way_has_quantile(lane, P999)) {
                add_value(metrics, bench, metric_names[span].p999, x,
                          way_quantile(lane, span, P999));
            }
        }
    }
    ways_free(&ways);
}

/* Leaves out every series: the histograms are read above, and series of the first samples would
 * show nothing new. */
static bool is_place(const char *series)
{
    (void)series;
    return true;
}

/* ---- the line of the overview ---- */

static bool timerlat_digest(const struct view *view, const struct run_bench *bench,
                            struct digest *digest)
{
    const struct way_lane *worst = NULL;
    struct ways ways;

    ways_of(bench, &ways);
    for (size_t i = 0; i < ways.count; i++) {
        const struct way_lane *lane = &ways.lane[i];

        if (lane->known &&
            (worst == NULL || lane->book[WAY_SPAN_WHOLE].max > worst->book[WAY_SPAN_WHOLE].max)) {
            worst = lane;
        }
    }
    if (worst != NULL) {
        snprintf(digest->what, sizeof(digest->what), "timer to thread");
        digest->n = worst->periods;
        if (way_has_quantile(worst, P50)) {
            span_text(view, (double)way_quantile(worst, WAY_SPAN_WHOLE, P50), digest->p50);
        }
        if (way_has_quantile(worst, P99)) {
            span_text(view, (double)way_quantile(worst, WAY_SPAN_WHOLE, P99), digest->p99);
        }
        span_text(view, (double)worst->book[WAY_SPAN_WHOLE].max, digest->max);
    }
    ways_free(&ways);
    return worst != NULL;
}

PLUGIN_OF(timerlat, .order = 386, .show = view_timerlat, .place = PLUGIN_FOR_SERIES,
          .shows_fact = shows_fact, .bench_figures = timerlat_figures, .json = timerlat_json,
          .digest = timerlat_digest, .metrics = {.places = is_place, .others = timerlat_metrics});
