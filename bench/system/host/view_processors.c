/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdlib.h>

#include "bench/system/host/kinds.h"
#include "bench/system/host/processors.h"
#include "bench/system/host/view_processors.h"
#include "bench/system/names.h"
#include "tools/base/alloc.h"
#include "tools/present/reading.h"
#include "tools/present/view.h"
#include "tools/run/curves.h"

#define MATRIX_COLUMNS 8
#define PAIRS_SHOWN    15
#define PERCENT        100

static void print_emulated(const struct view *view)
{
    const char *note = processors_note(view->run);

    if (note != NULL) {
        print_paragraph(view->out, "%s", note);
    }
}

/* ---- lines ---- */

static void print_matrix(const struct view *view, const struct line_matrix *matrix, size_t first)
{
    const size_t last =
        first + MATRIX_COLUMNS < matrix->count ? first + MATRIX_COLUMNS : matrix->count;
    struct table table;
    char label[PROCESSOR_LABEL_MAX];
    char text[AMOUNT_MAX];

    table_init(&table, "rrrrrrrrr");
    table_row(&table);
    table_text(&table, "from");
    for (size_t b = first; b < last; b++) {
        table_format(&table, "to %s", processor_label(view->run, matrix->number[b], label));
    }
    for (size_t a = 0; a < matrix->count; a++) {
        table_row(&table);
        table_text(&table, processor_label(view->run, matrix->number[a], label));
        for (size_t b = first; b < last; b++) {
            table_text(&table,
                       a == b ? NULL : mean_text(view, line_trip(matrix, a, b)->median, text));
        }
    }
    fputc('\n', view->out);
    table_print(&table, view->out, 2);
}

static void add_span(struct table *table, const struct view *view, double ticks)
{
    char text[AMOUNT_MAX];

    table_text(table, mean_text(view, ticks, text));
}

static void print_pairs(const struct view *view, const struct line_matrix *matrix)
{
    static const char *const heads[] = {"pair", "which are", "there", "min",
                                        "max",  "back",      "differ"};
    struct table table;

    table_head(&table, "llrrrrr", heads);
    for (size_t a = 0; a < matrix->count; a++) {
        for (size_t b = a + 1; b < matrix->count; b++) {
            const struct line_trip *there = line_trip(matrix, a, b);
            const struct line_trip *back = line_trip(matrix, b, a);

            table_row(&table);
            table_format(&table, "%" PRId64 ", %" PRId64, matrix->number[a], matrix->number[b]);
            table_text(&table, line_relation_name(line_relation(matrix, a, b)));
            add_span(&table, view, there->median);
            add_span(&table, view, there->min < back->min ? there->min : back->min);
            add_span(&table, view, there->max > back->max ? there->max : back->max);
            add_span(&table, view, back->median);
            table_format(&table, "%.1f %%", PERCENT * line_asymmetry(matrix, a, b));
        }
    }
    fputc('\n', view->out);
    table_print(&table, view->out, 2);
}

static void print_relations(const struct view *view, const struct line_matrix *matrix)
{
    static const char *const heads[] = {"processors", "pairs", "min",
                                        "median",     "max",   "differ at most"};
    struct table table;

    table_head(&table, "lrrrrr", heads);
    for (enum line_relation relation = 0; relation < LINE_RELATIONS; relation++) {
        struct line_summary summary;

        line_summary(matrix, relation, &summary);
        if (summary.pairs == 0) {
            continue;
        }
        table_row(&table);
        table_text(&table, line_relation_name(relation));
        table_format(&table, "%zu", summary.pairs);
        add_span(&table, view, summary.min);
        add_span(&table, view, summary.median);
        add_span(&table, view, summary.max);
        table_format(&table, "%.1f %%", PERCENT * summary.asymmetry);
    }
    fputc('\n', view->out);
    table_print(&table, view->out, 2);
}

static void print_method(const struct view *view, const struct run_bench *bench, const char *name,
                         const char *what)
{
    struct line_matrix matrix;

    if (!line_matrix_read(bench, name, &matrix)) {
        print_paragraph(view->out, "no whole matrix of %s", name);
        return;
    }
    line_matrix_sort(&matrix, view->run);
    print_paragraph(view->out, "a cache line's round trip by %s%s, median of %zu trials", what,
                    span_note(view), matrix.trials);
    for (size_t first = 0; first < matrix.count; first += MATRIX_COLUMNS) {
        print_matrix(view, &matrix, first);
    }
    if (matrix.count * (matrix.count - 1) / 2 <= PAIRS_SHOWN) {
        print_pairs(view, &matrix);
    }
    print_relations(view, &matrix);
    line_matrix_free(&matrix);
}

void view_lines(const struct view *view, const struct run_bench *bench)
{
    print_emulated(view);
    print_method(view, bench, SERIES_STORE, LINE_BY_STORE);
    print_method(view, bench, SERIES_CAS, LINE_BY_CAS);
    for (size_t i = 0; i < bench->series_count; i++) {
        char what[LINE_WHAT_MAX];

        if (line_at_node(bench->series[i].name, what)) {
            print_method(view, bench, bench->series[i].name, what);
        }
    }
}

/* ---- contention ---- */

static void add_range(struct table *table, const struct view *view, const struct curve *curve,
                      size_t point)
{
    char least[AMOUNT_MAX];
    char most[AMOUNT_MAX];

    if (point >= curve->points) {
        table_text(table, NULL);
        table_text(table, NULL);
        return;
    }
    add_span(table, view, curve_median(curve, point));
    table_format(table, "%s..%s", mean_text(view, curve_min(curve, point), least),
                 mean_text(view, curve_max(curve, point), most));
}

/* Who takes part, where that is not all the same. */
static void print_kinds(const struct view *view, const struct run_bench *bench)
{
    const struct run_series *numbers = run_find_series(bench, SERIES_NUMBER);
    char text[KINDS_TEXT_MAX] = "";

    if (numbers != NULL && run_series_whole(numbers)) {
        processors_kinds_text(view->run, numbers->samples, numbers->n, text);
    }
    if (text[0] != '\0') {
        print_paragraph(view->out, "processors join in this order: %s", text);
    }
}

void view_contention(const struct view *view, const struct run_bench *bench)
{
    struct curve curves[CONTENTION_PRIMITIVES] = {0};
    size_t longest = 0;
    struct table table;

    for (size_t i = 0; i < CONTENTION_PRIMITIVES; i++) {
        if (curve_read(bench, contention_primitives[i].name, &curves[i]) &&
            curves[i].points > curves[longest].points) {
            longest = i;
        }
    }
    print_emulated(view);
    print_paragraph(view->out,
                    "an acquisition, of whichever processor, and one barrier of all%s: median and "
                    "min..max",
                    span_note(view));
    print_kinds(view, bench);
    table_init(&table, "rrrrrrr");
    table_row(&table);
    table_text(&table, "processors");
    for (size_t i = 0; i < CONTENTION_PRIMITIVES; i++) {
        table_text(&table, contention_primitives[i].head);
        table_text(&table, "");
    }
    for (size_t point = 0; point < curves[longest].points; point++) {
        table_row(&table);
        table_signed(&table, curves[longest].x[point]);
        for (size_t i = 0; i < CONTENTION_PRIMITIVES; i++) {
            add_range(&table, view, &curves[i], point);
        }
    }
    fputc('\n', view->out);
    table_print(&table, view->out, 2);
    for (size_t i = 0; i < CONTENTION_PRIMITIVES; i++) {
        curve_free(&curves[i]);
    }
}

/* ---- ipi ---- */

static void add_median(struct table *table, const struct view *view, const struct run_bench *bench,
                       const char *name, int64_t number)
{
    double ticks;

    if (processor_median(bench, name, number, &ticks)) {
        add_span(table, view, ticks);
    } else {
        table_text(table, NULL);
    }
}

static void add_there(struct table *table, const struct view *view, const struct run_bench *bench,
                      int64_t number, const struct skew *skew)
{
    double ticks;

    if (one_way_read(bench, number, skew, &ticks)) {
        add_span(table, view, ticks);
    } else {
        table_text(table, NULL);
    }
}

static void add_processor(struct table *table, const struct view *view,
                          const struct run_bench *bench, int64_t number)
{
    struct skew skew = {0};
    const bool known = skew_read(bench, number, &skew);
    char label[PROCESSOR_LABEL_MAX];

    table_row(table);
    table_text(table, processor_label(view->run, number, label));
    add_median(table, view, bench, SERIES_ROUND, number);
    add_median(table, view, bench, SERIES_ROUND_HALTED, number);
    if (known) {
        add_there(table, view, bench, number, &skew);
        table_format(table, "%+.0f", skew.ticks);
        table_format(table, "%.0f", skew.bound);
    } else {
        table_text(table, NULL);
        table_text(table, NULL);
        table_text(table, NULL);
    }
}

void view_ipi(const struct view *view, const struct run_bench *bench)
{
    static const char *const heads[] = {"processor", "round", "from HLT", "there", "skew", "+-"};
    const struct run_series *numbers = run_find_series(bench, SERIES_NUMBER);
    struct table table;

    print_emulated(view);
    print_paragraph(
        view->out,
        "an interrupt there and back%s, medians; the other side spins, or halts; there: "
        "one way, by the other's TSC less its skew, if that is known well enough. Skew in ticks: "
        "that of the tightest "
        "reading, which errs by at most the figure after it",
        span_note(view));
    table_head(&table, "rrrrrr", heads);
    const size_t count = numbers != NULL && numbers->received > 0 ? numbers->received - 1 : 0;
    size_t *order = processors_by_kind(view->run, count > 0 ? numbers->samples + 1 : NULL, count);

    for (size_t i = 0; i < count; i++) {
        add_processor(&table, view, bench, numbers->samples[1 + order[i]]);
    }
    free(order);
    fputc('\n', view->out);
    table_print(&table, view->out, 2);
}

READING_REGISTER(lines_view) = {
    .bench = BENCH_LINES, .order = 200, .show = view_lines, .place = READING_FOR_SERIES};

READING_REGISTER(contention_view) = {
    .bench = BENCH_CONTENTION, .order = 200, .show = view_contention, .place = READING_FOR_SERIES};

READING_REGISTER(ipi_view) = {
    .bench = BENCH_IPI, .order = 200, .show = view_ipi, .place = READING_FOR_SERIES};
