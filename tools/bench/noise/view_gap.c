/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints bench `gap`: duty cycle, rate, largest gaps, histogram. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/noise/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/bench/noise/gap_bench.h"
#include "tools/bench/noise/view_noise.h"
#include "tools/present/reading.h"
#include "tools/present/view.h"

#define LARGEST_GAPS 10
#define BAR_WIDTH    40

struct gap {
    int64_t time;
    int64_t length;
    bool has_smis;
    int64_t smis; /* since the gap before it was kept */
};

static int longest_first(const void *left, const void *right)
{
    const struct gap *a = left;
    const struct gap *b = right;

    if (a->length != b->length) {
        return a->length > b->length ? -1 : 1;
    }
    return a->time < b->time ? -1 : a->time > b->time;
}

static void print_fact(const struct view *view, const struct run_bench *bench, const char *name,
                       const char *label)
{
    const struct run_fact *fact = run_find_fact(bench, name);
    char text[AMOUNT_MAX];

    if (fact != NULL) {
        fprintf(view->out, "  %-13s %s\n", label, amount_text(view, fact->value, fact->unit, text));
    }
}

static void print_duty(const struct view *view, const struct run_bench *bench)
{
    const struct run_fact *elapsed = run_find_fact(bench, FACT_GAP_ELAPSED);
    const struct run_fact *dead = run_find_fact(bench, FACT_DEAD);
    char text[AMOUNT_MAX];

    fputc('\n', view->out);
    print_fact(view, bench, FACT_GAP_ELAPSED, "elapsed");
    if (elapsed != NULL && dead != NULL && elapsed->value > 0) {
        fprintf(view->out, "  %-13s %.4f %%, dead time %s\n", "duty cycle",
                100 * (1 - (double)dead->value / (double)elapsed->value),
                amount_text(view, dead->value, dead->unit, text));
    }
    print_fact(view, bench, FACT_READS, "reads");
    print_fact(view, bench, FACT_SMALLEST, "smallest gap");
    print_fact(view, bench, FACT_THRESHOLD, "threshold");
}

/* Seconds in which a gap would have been seen, or 0 where that is not known. */
static double watched_seconds(const struct view *view, const struct run_bench *bench)
{
    const struct run_fact *elapsed = run_find_fact(bench, FACT_GAP_ELAPSED);
    const struct run_fact *dead = run_find_fact(bench, FACT_DEAD);

    if (elapsed == NULL || dead == NULL) {
        return 0;
    }
    return ((double)elapsed->value - (double)dead->value) * view->ns_per_tick / 1e9;
}

static void print_rate(const struct view *view, const struct run_series *length, uint64_t unkept,
                       double seconds)
{
    const uint64_t all = length->n + unkept;
    char text[DURATION_MAX];
    double stolen = 0;

    if (seconds > 0 && all == 0) {
        /* The rule of three: no event in T bounds the rate below 3/T with 95 % confidence. */
        print_paragraph(view->out, "gaps above the threshold: 0 in %.4g s: < %.3g per s at 95 %%",
                        seconds, 3 / seconds);
    } else if (seconds > 0) {
        for (size_t i = 0; i < length->received; i++) {
            stolen += (double)length->samples[i] * view->ns_per_tick;
        }
        print_paragraph(view->out,
                        "gaps above the threshold: %" PRIu64
                        " in %.4g s: %.4g per s, %s%s long in each second",
                        all, seconds, (double)all / seconds, unkept > 0 ? "at least " : "",
                        duration_text(stolen / seconds, text));
    } else {
        print_paragraph(view->out, "gaps above the threshold: %" PRIu64, all);
    }
    if (unkept > 0) {
        print_paragraph(view->out,
                        "only the first %u were kept (gap.keep): what follows but the histogram is "
                        "of these",
                        length->n);
    }
}

static void print_largest(const struct view *view, const struct run_series *time,
                          const struct run_series *length, const struct run_series *smis)
{
    struct gap *gaps = alloc_zeroed(length->received * sizeof(*gaps));
    struct run_walk walk = {.series = smis};
    struct table table;
    char text[AMOUNT_MAX];

    for (uint32_t i = 0; i < length->n; i++) {
        gaps[i] = (struct gap){.time = time->samples[i], .length = length->samples[i]};
        gaps[i].has_smis = smis != NULL && run_walk_to(&walk, i, &gaps[i].smis);
    }
    qsort(gaps, length->n, sizeof(*gaps), longest_first);
    table_init(&table, smis != NULL ? "rrrr" : "rrr");
    table_row(&table);
    table_text(&table, "largest at");
    table_text(&table, "ticks");
    table_text(&table, "length");
    if (smis != NULL) {
        table_text(&table, "SMIs");
    }
    for (size_t i = 0; i < length->n && i < LARGEST_GAPS; i++) {
        table_row(&table);
        table_text(&table, amount_text(view, gaps[i].time, UNIT_TICK, text));
        table_signed(&table, gaps[i].length);
        table_text(&table, amount_text(view, gaps[i].length, UNIT_TICK, text));
        if (smis != NULL && gaps[i].has_smis) {
            table_signed(&table, gaps[i].smis);
        } else if (smis != NULL) {
            table_text(&table, NULL);
        }
    }
    free(gaps);
    fputc('\n', view->out);
    table_print(&table, view->out, 2);
}

/* "SMIs: 3 by MSR 34h, 3 provoked; 2 gaps hold one or more (longest 44.00 us)". */
static void print_smis(const struct view *view, const struct run_bench *bench,
                       const struct gap_smis *smis)
{
    const struct run_fact *counted = run_find_fact(bench, FACT_SMI);
    const struct run_fact *provoked = run_find_fact(bench, FACT_SMI_PROVOKED);
    char longest[AMOUNT_MAX];
    char number[64] = "how many is not in the log";
    char by_will[64] = "";
    char gaps[160] = "";

    if (counted == NULL && smis->series == NULL) {
        return;
    }
    if (counted != NULL) {
        snprintf(number, sizeof(number), "%" PRId64 " by MSR 34h", counted->value);
    }
    if (provoked != NULL) {
        snprintf(by_will, sizeof(by_will), ", %" PRId64 " provoked", provoked->value);
    }
    if (smis->gaps > 0) {
        snprintf(gaps, sizeof(gaps), "; %s%zu gap%s one or more (longest %s)",
                 smis->whole ? "" : "at least ", smis->gaps, smis->gaps == 1 ? " holds" : "s hold",
                 amount_text(view, smis->longest, UNIT_TICK, longest));
    } else if (smis->series != NULL) {
        snprintf(gaps, sizeof(gaps), "; no gap %sholds one",
                 smis->whole                ? ""
                 : gap_unkept_of(bench) > 0 ? "that was kept "
                                            : "that arrived ");
    }
    char text[sizeof(number) + sizeof(by_will) + sizeof(gaps)];

    snprintf(text, sizeof(text), "%s%s%s", number, by_will, gaps);
    fputs("\n  SMIs: ", view->out);
    print_wrapped(view->out, text, strlen("  SMIs: "), 4);
}

static void print_histogram(const struct view *view, const struct run_series *bound,
                            const struct run_series *count)
{
    int64_t largest = 1;

    for (size_t i = 0; i < count->n; i++) {
        largest = count->samples[i] > largest ? count->samples[i] : largest;
    }
    fputs("\n  histogram of all gaps (bars: logarithm of the count)\n\n"
          "     from ticks               count\n",
          view->out);
    for (size_t i = 0; i < count->n; i++) {
        char text[AMOUNT_MAX];

        fprintf(view->out, "  %13" PRId64 " %10s %10" PRId64 " ", bound->samples[i],
                view->ns_per_tick > 0 ? amount_text(view, bound->samples[i], UNIT_TICK, text) : "",
                count->samples[i]);
        if (count->samples[i] > 0) {
            chart_bar(view->out, log1p((double)count->samples[i]) / log1p((double)largest),
                      BAR_WIDTH);
        }
        fputc('\n', view->out);
    }
}

static bool are_pair(const struct run_series *left, const struct run_series *right)
{
    return left != NULL && right != NULL && left->n == right->n && run_series_whole(left) &&
           run_series_whole(right);
}

void view_gap(const struct view *view, const struct run_bench *bench)
{
    const struct run_series *time = run_find_series(bench, SERIES_GAP_TIME);
    const struct run_series *length = run_find_series(bench, SERIES_GAP_LENGTH);
    const struct run_series *bound = run_find_series(bench, SERIES_HISTOGRAM_BOUND);
    const struct run_series *count = run_find_series(bench, SERIES_HISTOGRAM_COUNT);
    struct gap_smis smis;

    gap_smis_of(bench, &smis);
    print_duty(view, bench);
    if (are_pair(time, length)) {
        print_rate(view, length, gap_unkept_of(bench), watched_seconds(view, bench));
        if (length->n > 0) {
            print_largest(view, time, length, smis.series);
        }
    } else {
        fputs("\n  no list of gaps: samples are missing\n", view->out);
    }
    view_periods(view, bench);
    print_smis(view, bench, &smis);
    if (are_pair(bound, count)) {
        print_histogram(view, bound, count);
    } else {
        fputs("\n  no histogram: samples are missing\n", view->out);
    }
}

READING_REGISTER(gap_view) = {.bench = BENCH_GAP, .order = 200, .show = view_gap};
