/* SPDX-License-Identifier: BSD-2-Clause */
/* Bench timerlat as JSON, as metrics (the greatest and the 99.9 % quantile of each span), and in a
 * line: the processor with the longest way. */
#include <stdio.h>

#include "bench/latency/host/ways.h"
#include "bench/latency/names.h"
#include "tools/base/alloc.h"
#include "tools/present/digest.h"
#include "tools/present/json_kit.h"
#include "tools/present/reading.h"

#define P50      500000
#define P99      990000
#define P999     999000
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

static void add_spans(struct metrics *metrics, const struct run_bench *bench)
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

/* The histograms are read above; the first samples alone are no more than those. */
static bool is_place(const char *series)
{
    (void)series;
    return true;
}

/* ---- a line ---- */

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
        digest->has_n = true;
        digest->n = worst->periods;
        if (way_has_quantile(worst, P50)) {
            digest_ticks(view, (double)way_quantile(worst, WAY_SPAN_WHOLE, P50), digest->p50);
        }
        if (way_has_quantile(worst, P99)) {
            digest_ticks(view, (double)way_quantile(worst, WAY_SPAN_WHOLE, P99), digest->p99);
        }
        digest_ticks(view, (double)worst->book[WAY_SPAN_WHOLE].max, digest->max);
    }
    ways_free(&ways);
    return worst != NULL;
}

READING_REGISTER(timerlat_json) = {.bench = BENCH_TIMERLAT,
                                   .order = 387,
                                   .json = timerlat_json,
                                   .digest = timerlat_digest,
                                   .metrics = {.places = is_place, .others = add_spans}};
