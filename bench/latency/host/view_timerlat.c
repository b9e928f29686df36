/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints bench `timerlat`: a line for each processor as cyclictest has it, and the spans. */
#include <inttypes.h>
#include <string.h>

#include "bench/latency/host/ways.h"
#include "bench/latency/names.h"
#include "bench/noise/host/team_rows.h"
#include "kernel/run/names.h"
#include "tools/present/reading.h"
#include "tools/present/view.h"

#define P50   500000
#define P99   990000
#define P999  999000
#define NS_US 1000.0

/* "T: 0 I:1000 C:    100 Min:    0.928 Act: ..": times in us, of virtual time where it is exact;
 * ticks where the rate is unknown. */
static void print_summary(const struct view *view, const struct ways *ways)
{
    const double us = view->ns_per_tick > 0 ? view->ns_per_tick / NS_US : 1;

    fprintf(view->out, "\n  deadline to thread, as cyclictest, in %s\n",
            view->ns_per_tick > 0 ? "us" : "ticks");
    for (size_t i = 0; i < ways->count; i++) {
        const struct way_lane *lane = &ways->lane[i];
        const struct way_book *whole = &lane->book[WAY_SPAN_WHOLE];

        if (!lane->known) {
            fprintf(view->out, "  T:%3" PRIu64 " no period came through\n", lane->number);
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

static void add_ticks(struct table *table, const struct view *view, bool known, int64_t ticks)
{
    char text[AMOUNT_MAX];

    table_text(table, known ? span_text(view, (double)ticks, text) : NULL);
}

static void add_span(struct table *table, const struct view *view, const struct way_lane *lane,
                     enum way_span span)
{
    static const uint64_t parts[] = {P50, P99, P999};
    const struct way_book *book = &lane->book[span];
    char text[AMOUNT_MAX];

    table_row(table);
    table_signed(table, (int64_t)lane->number);
    table_text(table, way_span_name(span));
    add_ticks(table, view, true, book->min);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        add_ticks(table, view, way_has_quantile(lane, parts[i]),
                  way_quantile(lane, span, parts[i]));
    }
    add_ticks(table, view, true, book->max);
    table_text(table, amount_text(view, book->max_at, UNIT_TICK, text));
}

static void view_timerlat(const struct view *view, const struct run_bench *bench)
{
    static const char *const heads[] = {"processor", "to",    "min", "p50",
                                        "p99",       "p99.9", "max", "at"};
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
                    "thread, and the whole%s; quantiles of the histogram, within 6 %% below; "
                    "other processors than the first have a station's levels in place of a DPC "
                    "and a thread",
                    span_note(view));
    table_head(&table, "rlrrrrrr", heads);
    for (size_t i = 0; i < ways.count; i++) {
        for (enum way_span span = 0; ways.lane[i].known && span < WAY_SPAN_COUNT; span++) {
            add_span(&table, view, &ways.lane[i], span);
        }
    }
    fputc('\n', view->out);
    table_print(&table, view->out, 2);
    ways_free(&ways);
}

#define FACTS_OF(span) span SUFFIX_SUM, span SUFFIX_MIN, span SUFFIX_MAX, span SUFFIX_MAX_AT

/* What the tables have. */
static bool shows_fact(const struct run_fact *fact)
{
    static const char *const names[] = {FACT_PERIODS,           FACT_OVERRUNS,
                                        FACTS_OF(SPAN_HANDLER), FACTS_OF(SPAN_DPC),
                                        FACTS_OF(SPAN_THREAD),  FACTS_OF(SPAN_WHOLE)};

    return team_fact_is_of(fact, names, sizeof(names) / sizeof(names[0]));
}

READING_REGISTER(timerlat_view) = {.bench = BENCH_TIMERLAT,
                                   .order = 385,
                                   .show = view_timerlat,
                                   .place = READING_FOR_SERIES,
                                   .shows_fact = shows_fact};
