/* SPDX-License-Identifier: BSD-2-Clause */
/* What processors do to each other: cache lines, locks, interrupts, clocks. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/system/host/kinds.h"
#include "bench/system/host/processors.h"
#include "bench/system/host/view_processors.h"
#include "bench/system/names.h"
#include "tools/present/figure_kit.h"
#include "tools/present/reading.h"
#include "tools/run/curves.h"
#include "tools/run/estimates.h"
#include "tools/run/run_kind.h"

#define NAME_MAX_BYTES 32
#define TITLE_MAX      96

static const char section[] = "Processors";

struct part {
    struct figures *figures;
    const struct run *run;
    const char *note; /* of emulated processors, behind how it was measured; "": none */
};

static const struct run_bench *find_bench(const struct part *part, const char *name,
                                          const char *title)
{
    return figures_find_bench(part->figures, part->run, section, title, name);
}

static void add_torn(const struct part *part, const char *name, const char *title)
{
    figure_add_torn(part->figures, section, title, name);
}

/* ---- lines ---- */

/* A round trip's half. */
static void fill_matrix(const struct part *part, struct figure *figure,
                        const struct line_matrix *matrix, const struct figure_scale *scale)
{
    char name[PROCESSOR_LABEL_MAX];

    for (size_t i = 0; i < matrix->count; i++) {
        processor_label(part->run, matrix->number[i], name);
        figure_add_row(figure, name);
        figure_add_column(figure, name);
    }
    for (size_t a = 0; a < matrix->count; a++) {
        for (size_t b = 0; b < matrix->count; b++) {
            figure_set_value(figure, a, b,
                             a == b ? NAN : line_trip(matrix, a, b)->median * scale->per_tick / 2);
        }
    }
}

static struct figure_scale scale_of_matrix(const struct part *part,
                                           const struct line_matrix *matrix)
{
    double least = INFINITY;

    for (size_t i = 0; i < matrix->count * matrix->count; i++) {
        if (i / matrix->count != i % matrix->count) {
            least = fmin(least, matrix->trips[i].median / 2);
        }
    }
    return figure_length_scale(part->run, least);
}

static void add_matrix(const struct part *part, const struct run_bench *bench, const char *name,
                       const char *what)
{
    struct line_matrix matrix;
    char title[TITLE_MAX];

    if (!line_matrix_read(bench, name, &matrix)) {
        figure_add_absent(part->figures, section, "Core to core", name,
                          "Bench lines has no whole matrix of %s.", name);
        return;
    }
    line_matrix_sort(&matrix, part->run);
    const struct figure_scale scale = scale_of_matrix(part, &matrix);

    snprintf(title, sizeof(title), "Core to core by %s, one way, in %s", what, scale.unit);
    struct figure *figure =
        figure_add(part->figures, FIGURE_HEAT, section, title, "lines-%s", name);

    figure_axes(figure, "to processor", NULL, "timed on processor", NULL);
    fill_matrix(part, figure, &matrix, &scale);
    figure_how(figure, "Half of a cache line's round trip, median of %zu trials, in %s.%s",
               matrix.trials, run_time_label(part->run), part->note);
    line_matrix_free(&matrix);
}

/* ---- contention ---- */

static void add_contention(const struct part *part)
{
    static const char title[] = "Locks and a barrier by processors";
    const struct run_bench *bench = find_bench(part, BENCH_CONTENTION, title);
    struct figure_scale scale = {0};
    struct figure *figure = NULL;
    struct curve curve;

    for (size_t i = 0; bench != NULL && i < CONTENTION_PRIMITIVES; i++) {
        if (!curve_read(bench, contention_primitives[i].name, &curve)) {
            continue;
        }
        if (figure == NULL) {
            scale = figure_length_scale(part->run, curve_median(&curve, curve.points - 1));
            figure = figure_add(part->figures, FIGURE_LINES, section, title, "contention");
            figure_axes(figure, "processors", NULL, "an acquisition; a barrier of all", scale.unit);
        }
        figure_add_curve(figure_add_series(figure, contention_primitives[i].head), &curve, &scale);
        curve_free(&curve);
    }
    if (figure == NULL && bench != NULL) {
        add_torn(part, BENCH_CONTENTION, title);
    } else if (figure != NULL) {
        figure_choose_scale(figure);
        figure_how(figure,
                   "An acquisition, of whichever processor, and one barrier of all: medians, "
                   "whiskers: the middle half of the trials; in %s.%s",
                   run_time_label(part->run), part->note);
    }
}

/* ---- interrupts ---- */

static const struct {
    const char *series;
    const char *head;
} ways[] = {{SERIES_ROUND, "there and back"},
            {SERIES_ROUND_HALTED, "the same, from HLT"},
            {NULL, "there, less the skew"}};

#define WAYS (sizeof(ways) / sizeof(ways[0]))

/* NAN where there is none, or where the skew is not known well enough. */
static double way_of(const struct run_bench *bench, size_t way, int64_t number)
{
    struct skew skew;
    double ticks;

    if (ways[way].series != NULL) {
        return processor_median(bench, ways[way].series, number, &ticks) ? ticks : NAN;
    }
    return skew_read(bench, number, &skew) && one_way_read(bench, number, &skew, &ticks) ? ticks
                                                                                         : NAN;
}

static void add_ways(const struct part *part, const struct run_bench *bench,
                     const struct run_series *numbers)
{
    const double typical = way_of(bench, 0, numbers->samples[1]);
    const struct figure_scale scale = figure_length_scale(part->run, isnan(typical) ? 1 : typical);
    struct figure *figure =
        figure_add(part->figures, FIGURE_BARS, section, "Interrupts to other processors", "ipi");
    char name[PROCESSOR_LABEL_MAX];

    figure_axes(figure, "processor", NULL, "latency", scale.unit);
    const size_t count = numbers->received - 1;
    size_t *order = processors_by_kind(part->run, numbers->samples + 1, count);

    for (size_t i = 0; i < count; i++) {
        figure_add_group(figure, processor_label(part->run, numbers->samples[1 + order[i]], name));
    }
    for (size_t way = 0; way < WAYS; way++) {
        struct figure_series *series = figure_add_series(figure, ways[way].head);

        for (size_t i = 0; i < count; i++) {
            figure_add_point(series, (double)i,
                             way_of(bench, way, numbers->samples[1 + order[i]]) * scale.per_tick);
        }
    }
    free(order);
    figure_how(figure,
               "Medians in %s, from processor %" PRId64 "; the other side spins, or halts. There: "
               "by the other's TSC less its skew, where that is known well enough.%s",
               run_time_label(part->run), numbers->samples[0], part->note);
}

static void add_skews(const struct part *part, const struct run_bench *bench,
                      const struct run_series *numbers)
{
    struct figure *figure =
        figure_add(part->figures, FIGURE_POINTS, section, "Skew of the clocks", "skew");
    struct figure_series *series = figure_add_series(figure, "skew");
    struct skew skew;

    figure_axes(figure, "processor", NULL, "skew of its TSC", "ticks");
    for (size_t i = 1; i < numbers->received; i++) {
        if (skew_read(bench, numbers->samples[i], &skew)) {
            figure_add_range(series, (double)numbers->samples[i], skew.ticks,
                             skew.ticks - skew.bound, skew.ticks + skew.bound);
        }
    }
    figure_how(figure,
               "TSC of a processor less that of processor %" PRId64 ", by the tightest of its "
               "readings, which cannot be off by more than the whiskers.%s",
               numbers->samples[0], part->note);
}

static void add_ipi(const struct part *part)
{
    const struct run_bench *bench = find_bench(part, BENCH_IPI, "Interrupts to other processors");
    const struct run_series *numbers = bench != NULL ? run_find_series(bench, SERIES_NUMBER) : NULL;

    if (numbers != NULL && numbers->received > 1) {
        add_ways(part, bench, numbers);
        add_skews(part, bench, numbers);
    } else if (bench != NULL) {
        add_torn(part, BENCH_IPI, "Interrupts to other processors");
    }
}

void figures_processors(struct figures *figures, const struct run *run)
{
    const char *note = processors_note(run);
    char text[256] = "";

    if (note != NULL) {
        snprintf(text, sizeof(text), " These are %s.", note);
    }
    const struct part part = {figures, run, text};
    const struct run_bench *lines = find_bench(&part, BENCH_LINES, "Core to core");

    if (lines != NULL) {
        add_matrix(&part, lines, SERIES_STORE, LINE_BY_STORE);
        add_matrix(&part, lines, SERIES_CAS, LINE_BY_CAS);
    }
    for (size_t i = 0; lines != NULL && i < lines->series_count; i++) {
        char what[LINE_WHAT_MAX];

        if (line_at_node(lines->series[i].name, what)) {
            add_matrix(&part, lines, lines->series[i].name, what);
        }
    }
    add_contention(&part);
    add_ipi(&part);
}

READING_REGISTER(figures_processors) = {.order = 390, .figures = figures_processors};
