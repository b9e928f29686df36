/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints benches `fwq` and `ftq`: a row of each processor, and what comes at equal distances. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/noise/host/noise_spectrum.h"
#include "bench/noise/host/quanta.h"
#include "bench/noise/host/sensitivity.h"
#include "bench/noise/host/team_rows.h"
#include "bench/noise/names.h"
#include "kernel/run/names.h"
#include "tools/present/reading.h"
#include "tools/present/view.h"

#define PPM     1e6
#define PERCENT 100

/* Lengths of pieces; of quanta the units done in them. */
static void add_value(struct table *table, const struct view *view, bool is_ftq, bool has,
                      int64_t value)
{
    char text[AMOUNT_MAX];

    if (!has) {
        table_text(table, NULL);
    } else if (is_ftq) {
        table_signed(table, value);
    } else {
        table_text(table, span_text(view, (double)value, text));
    }
}

static void add_row(struct table *table, const struct view *view, bool is_ftq,
                    const struct quanta_lane *lane)
{
    struct statistics statistics;

    table_row(table);
    table_signed(table, (int64_t)lane->number);
    if (lane->series == NULL) {
        return;
    }
    statistics_of(lane->series->samples, lane->series->n, &statistics);
    table_signed(table, (int64_t)lane->series->n);
    add_value(table, view, is_ftq, true, statistics.min);
    add_value(table, view, is_ftq, true, statistics.median);
    add_value(table, view, is_ftq, statistics.has_p99, statistics.p99);
    add_value(table, view, is_ftq, statistics.has_p999, statistics.p999);
    add_value(table, view, is_ftq, true, statistics.max);
    table_format(table, "%.4g", lane->elapsed > 0 ? PPM * lane->stolen / lane->elapsed : 0);
}

static void add_peak(struct table *table, const struct view *view, const struct quanta_lane *lane,
                     const struct spectrum_peak *peak)
{
    char text[AMOUNT_MAX];
    char rate[NOISE_RATE_MAX];

    table_row(table);
    table_signed(table, (int64_t)lane->number);
    table_text(table, amount_text(view, llround(peak->period), UNIT_TICK, text));
    table_text(table, view->ns_per_tick > 0
                          ? noise_rate_text(1e9 / (peak->period * view->ns_per_tick), rate)
                          : NULL);
    table_format(table, "%.1f %%", PERCENT * peak->share);
    table_text(table, mean_text(view, peak->stolen, text));
}

static void print_periods(const struct view *view, const struct quanta *quanta)
{
    static const char *const heads[] = {"processor", "comes every", "at", "share of it",
                                        "each time"};
    struct table table;
    size_t lines = 0;
    const char *why = NULL;

    table_head(&table, "rrrrr", heads);
    for (size_t i = 0; i < quanta->count; i++) {
        struct spectrum spectrum;
        const char *const without = quanta_spectrum(&quanta->lane[i], &spectrum);

        if (without != NULL) {
            why = without;
            continue;
        }
        for (size_t k = 0; k < spectrum.peak_count; k++, lines++) {
            add_peak(&table, view, &quanta->lane[i], &spectrum.peaks[k]);
        }
        spectrum_free(&spectrum);
    }
    if (lines > 0) {
        fputc('\n', view->out);
        table_print(&table, view->out, 2);
        return;
    }
    table_free(&table);
    if (why != NULL) {
        print_paragraph(view->out, "no spectrum: %s", why);
    } else {
        print_paragraph(view->out, "no part of the noise comes at equal distances");
    }
}

static bool nothing_stolen(const struct quanta *quanta)
{
    bool none = true;

    for (size_t i = 0; i < quanta->count; i++) {
        none = none && quanta->lane[i].series != NULL && quanta->lane[i].stolen <= 0;
    }
    return none;
}

static void view_quanta(const struct view *view, const struct run_bench *bench)
{
    struct quanta quanta;
    char finds[SENSITIVITY_TEXT_MAX];
    const char *const heads[] = {"processor", "pieces", "min", "median",
                                 "p99",       "p99.9",  "max", "stolen ppm"};
    struct table table;

    if (!quanta_of(bench, &quanta)) {
        print_paragraph(view->out, "no rows of processors: samples are missing");
        return;
    }
    print_paragraph(view->out, "%s%s",
                    quanta.is_ftq ? "units of work done in each quantum"
                                  : "what each piece of work took",
                    quanta.is_ftq ? "" : span_note(view));
    table_head(&table, "rrrrrrrr", heads);
    for (size_t i = 0; i < quanta.count; i++) {
        add_row(&table, view, quanta.is_ftq, &quanta.lane[i]);
    }
    fputc('\n', view->out);
    table_print(&table, view->out, 2);
    print_periods(view, &quanta);
    if (nothing_stolen(&quanta)) {
        print_paragraph(view->out, "nothing was stolen; %s",
                        sensitivity_text(view, quanta.is_ftq ? DETECTOR_FTQ : DETECTOR_FWQ, finds));
    }
    quanta_free(&quanta);
}

static bool is_of_processor(const struct run_fact *fact)
{
    static const char *const names[] = {FACT_ORIGIN, FACT_GAP_ELAPSED, FACT_UNIT_OF_FTQ,
                                        FACT_UNITS};

    return team_fact_is_of(fact, names, sizeof(names) / sizeof(names[0]));
}

READING_REGISTER(fwq_view) = {.bench = BENCH_FWQ,
                              .order = 206,
                              .show = view_quanta,
                              .place = READING_FOR_SERIES,
                              .shows_fact = is_of_processor};
READING_REGISTER(ftq_view) = {.bench = BENCH_FTQ,
                              .order = 207,
                              .show = view_quanta,
                              .place = READING_FOR_SERIES,
                              .shows_fact = is_of_processor};
