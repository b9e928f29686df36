/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the benches of several processors: tables, figures, JSON and metrics. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/system/host/processors.h"
#include "bench/system/names.h"
#include "kernel/run/names.h"
#include "tools/present/figure_kit.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"
#include "tools/run/curves.h"
#include "tools/run/estimates.h"
#include "tools/run/run_kind.h"

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
    table_named_row(&table, "from CPU");
    for (size_t b = first; b < last; b++) {
        table_format(&table, "to CPU %s", processor_label(view->run, matrix->number[b], label));
    }
    for (size_t a = 0; a < matrix->count; a++) {
        table_named_row(&table, processor_label(view->run, matrix->number[a], label));
        for (size_t b = first; b < last; b++) {
            table_text(&table,
                       a == b ? NULL : span_text(view, line_trip(matrix, a, b)->median, text));
        }
    }
    view_table(view, &table);
}

static void add_span(struct table *table, const struct view *view, double ticks)
{
    char text[AMOUNT_MAX];

    table_text(table, span_text(view, ticks, text));
}

static void print_pairs(const struct view *view, const struct line_matrix *matrix)
{
    struct table table;

    table_open(&table, "llrrrrr", "pair\tprocessors\tthere\tmin\tmax\tback\tdifference");
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
    view_table(view, &table);
}

static void print_relations(const struct view *view, const struct line_matrix *matrix)
{
    struct table table;

    table_open(&table, "lrrrrr", "processors\tpairs\tmin\tmedian\tmax\tlargest difference");
    for (enum line_relation relation = 0; relation < LINE_RELATIONS; relation++) {
        struct line_summary summary;

        line_summary(matrix, relation, &summary);
        if (summary.pairs == 0) {
            continue;
        }
        table_named_row(&table, line_relation_name(relation));
        table_format(&table, "%zu", summary.pairs);
        add_span(&table, view, summary.min);
        add_span(&table, view, summary.median);
        add_span(&table, view, summary.max);
        table_format(&table, "%.1f %%", PERCENT * summary.asymmetry);
    }
    view_table(view, &table);
}

static void print_method(const struct view *view, const struct run_bench *bench, const char *name,
                         const char *what)
{
    struct line_matrix matrix;

    if (!line_matrix_read(bench, name, &matrix)) {
        print_paragraph(view->out, "the samples of series %s are incomplete", name);
        return;
    }
    line_matrix_sort(&matrix, view->run);
    print_paragraph(view->out, "round trip of a cache line by %s%s, median of %zu trials", what,
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

static void view_lines(const struct view *view, const struct run_bench *bench)
{
    char what[LINE_WHAT_MAX];
    const char *name;

    print_emulated(view);
    for (size_t i = 0; (name = line_matrix_at(bench, i, what)) != NULL; i++) {
        print_method(view, bench, name, what);
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
    table_format(table, "%s..%s", span_text(view, curve_min(curve, point), least),
                 span_text(view, curve_max(curve, point), most));
}

/* Prints the kinds of the participants if they differ. */
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

static void view_contention(const struct view *view, const struct run_bench *bench)
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
                    "cost of one acquisition of the lock, by any processor, and of one barrier "
                    "across all processors%s: median and min..max",
                    span_note(view));
    print_kinds(view, bench);
    table_init(&table, "rrrrrrr");
    table_named_row(&table, "processors");
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
    view_table(view, &table);
    for (size_t i = 0; i < CONTENTION_PRIMITIVES; i++) {
        curve_free(&curves[i]);
    }
}

/* ---- ipi ---- */

static void add_known(struct table *table, const struct view *view, double ticks)
{
    if (isnan(ticks)) {
        table_text(table, NULL);
    } else {
        add_span(table, view, ticks);
    }
}

static void add_processor(struct table *table, const struct view *view,
                          const struct run_bench *bench, int64_t number)
{
    struct skew skew;
    char label[PROCESSOR_LABEL_MAX];

    table_named_row(table, processor_label(view->run, number, label));
    add_known(table, view, processor_median(bench, SERIES_ROUND, number));
    add_known(table, view, processor_median(bench, SERIES_ROUND_HALTED, number));
    add_known(table, view, one_way(bench, number));
    if (skew_read(bench, number, &skew)) {
        table_format(table, "%+.0f", skew.ticks);
        table_format(table, "%.0f", skew.bound);
    } else {
        table_text(table, NULL);
        table_text(table, NULL);
    }
}

static void view_ipi(const struct view *view, const struct run_bench *bench)
{
    const struct run_series *numbers = run_find_series(bench, SERIES_NUMBER);
    struct table table;

    print_emulated(view);
    print_paragraph(
        view->out,
        "round trip of an interrupt to another processor%s, medians. The other processor spins, or "
        "halts (from HLT). There: time of one way, by the other processor's TSC, corrected for "
        "skew if the skew is known well enough. Skew: in ticks, by the most precise reading; "
        "column +- is the largest possible error of the skew",
        span_note(view));
    table_open(&table, "rrrrrr", "CPU\tround\tfrom HLT\tthere\tskew\t+-");
    const size_t count = numbers != NULL && numbers->received > 0 ? numbers->received - 1 : 0;
    size_t *order = processors_by_kind(view->run, count > 0 ? numbers->samples + 1 : NULL, count);

    for (size_t i = 0; i < count; i++) {
        add_processor(&table, view, bench, numbers->samples[1 + order[i]]);
    }
    free(order);
    view_table(view, &table);
}

/*
 * Writes what the benches of several processors measured (processors.h) as JSON, in ticks: members
 * "matrices" of lines and "skews" of ipi. Writes nothing for other benches.
 */

#define DECIMALS 3

static void put_relation(struct json *json, const struct line_matrix *matrix,
                         enum line_relation relation)
{
    struct line_summary summary;

    line_summary(matrix, relation, &summary);
    if (summary.pairs == 0) {
        return;
    }
    json_object(json, NULL);
    json_text(json, "processors", line_relation_name(relation));
    json_unsigned(json, "pairs", summary.pairs);
    JSON_NUMBERS(json, DECIMALS, {"min", summary.min}, {"median", summary.median},
                 {"max", summary.max}, {"asymmetry", summary.asymmetry});
    json_close(json);
}

static void put_medians(struct json *json, const struct line_matrix *matrix, size_t a)
{
    json_array(json, NULL);
    for (size_t b = 0; b < matrix->count; b++) {
        if (a == b) {
            json_null(json, NULL);
        } else {
            json_number(json, NULL, line_trip(matrix, a, b)->median, DECIMALS);
        }
    }
    json_close(json);
}

static void put_matrix(struct json *json, const struct run_bench *bench, const char *name)
{
    struct line_matrix matrix;

    if (!line_matrix_read(bench, name, &matrix)) {
        return;
    }
    json_object(json, NULL);
    json_text(json, "name", name);
    json_array(json, "number");
    for (size_t i = 0; i < matrix.count; i++) {
        json_signed(json, NULL, matrix.number[i]);
    }
    json_close(json);
    json_array(json, "median");
    for (size_t a = 0; a < matrix.count; a++) {
        put_medians(json, &matrix, a);
    }
    json_close(json);
    json_array(json, "relations");
    for (enum line_relation relation = 0; relation < LINE_RELATIONS; relation++) {
        put_relation(json, &matrix, relation);
    }
    json_close(json);
    json_close(json);
    line_matrix_free(&matrix);
}

static void put_skews(struct json *json, const struct run_bench *bench)
{
    const struct run_series *numbers = run_find_series(bench, SERIES_NUMBER);

    json_array(json, "skews");
    for (size_t i = 1; numbers != NULL && i < numbers->received; i++) {
        struct skew skew;

        if (skew_read(bench, numbers->samples[i], &skew)) {
            json_object(json, NULL);
            json_signed(json, "number", numbers->samples[i]);
            json_number(json, "ticks", skew.ticks, DECIMALS);
            json_number(json, "bound", skew.bound, DECIMALS);
            json_close(json);
        }
    }
    json_close(json);
}

static void processors_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    char what[LINE_WHAT_MAX];
    const char *name;

    (void)run;
    if (strcmp(bench->name, BENCH_LINES) == 0) {
        json_array(json, "matrices");
        for (size_t i = 0; (name = line_matrix_at(bench, i, what)) != NULL; i++) {
            put_matrix(json, bench, name);
        }
        json_close(json);
    } else if (strcmp(bench->name, BENCH_IPI) == 0) {
        put_skews(json, bench);
    }
}

PLUGIN_REGISTER(processors_json) = {.order = 60, .json = processors_json};

/*
 * Metrics of bench lines: the time of a cache line between each ordered pair, such as
 * "lines.cas[0-1]". The skews of bench ipi are bounds and give no metrics.
 */

static void add_pair(struct metrics *metrics, const struct run_bench *bench,
                     const struct run_series *series, const struct line_matrix *matrix, size_t a,
                     size_t b)
{
    const size_t first = (a * matrix->count + b) * matrix->trials;
    const double repetitions = (double)run_fact_or(bench, FACT_REPETITIONS, 1);
    char text[METRIC_X_MAX];

    snprintf(text, sizeof(text), "%" PRId64 "-%" PRId64, matrix->number[a], matrix->number[b]);
    struct metric *metric = metrics_add(metrics, bench, series->name, text);

    metric_set(metric, series->samples + first, matrix->trials);
    for (size_t i = 0; i < metric->n; i++) {
        metric->values[i] /= repetitions;
    }
}

static bool add_matrix(struct metrics *metrics, const struct run_bench *bench,
                       const struct run_series *series)
{
    struct line_matrix matrix;

    if (!line_matrix_read(bench, series->name, &matrix)) {
        return true;
    }
    for (size_t a = 0; a < matrix.count; a++) {
        for (size_t b = 0; b < matrix.count; b++) {
            if (a != b) {
                add_pair(metrics, bench, series, &matrix, a, b);
            }
        }
    }
    line_matrix_free(&matrix);
    return true;
}

/* Returns true for the skew series of bench ipi, one per processor. */
static bool is_skew(const char *series)
{
    return strncmp(series, SERIES_SKEW ".", sizeof(SERIES_SKEW)) == 0 ||
           strncmp(series, SERIES_SKEW_BOUND ".", sizeof(SERIES_SKEW_BOUND)) == 0;
}

/* ---- figures: cache lines, locks, interrupts and clocks of several processors ---- */

#define TITLE_MAX 128

static const char section[] = "Processors";

struct part {
    struct figures *figures;
    const struct run *run;
    const char *note; /* note on emulated processors to append to each description, or "" */
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

/* Fills in half of each round trip. */
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

static void figure_of_matrix(const struct part *part, const struct run_bench *bench,
                             const char *name, const char *what)
{
    struct line_matrix matrix;
    char title[TITLE_MAX];

    if (!line_matrix_read(bench, name, &matrix)) {
        figure_add_absent(part->figures, section, "Core to core", name,
                          "The samples of series %s of bench lines are incomplete.", name);
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
    static const char title[] = "Cost of locks and of a barrier, by number of processors";
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
            figure_axes(figure, "processors", NULL, "time of one acquisition or barrier",
                        scale.unit);
        }
        figure_add_curve(figure_add_series(figure, contention_primitives[i].head), &curve, &scale);
        curve_free(&curve);
    }
    if (figure == NULL && bench != NULL) {
        add_torn(part, BENCH_CONTENTION, title);
    } else if (figure != NULL) {
        figure_choose_scale(figure);
        figure_how(figure,
                   "One acquisition of the lock by any processor, and one barrier across all "
                   "processors: medians; whiskers: the middle half of the trials; in %s.%s",
                   run_time_label(part->run), part->note);
    }
}

/* ---- interrupts ---- */

static const struct {
    const char *series;
    const char *head;
} ways[] = {{SERIES_ROUND, "round trip"},
            {SERIES_ROUND_HALTED, "round trip, from HLT"},
            {NULL, "one way, corrected for skew"}};

#define WAYS (sizeof(ways) / sizeof(ways[0]))

/* Returns NAN if there is no such latency, or the skew is not known well enough. */
static double way_of(const struct run_bench *bench, size_t way, int64_t number)
{
    return ways[way].series != NULL ? processor_median(bench, ways[way].series, number)
                                    : one_way(bench, number);
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
               "Medians in %s, from processor %" PRId64
               "; the other processor spins, or halts (from HLT). One way: by the other "
               "processor's TSC, corrected for skew, if the skew is known well enough.%s",
               run_time_label(part->run), numbers->samples[0], part->note);
}

static void add_skews(const struct part *part, const struct run_bench *bench,
                      const struct run_series *numbers)
{
    struct figure *figure =
        figure_add(part->figures, FIGURE_POINTS, section, "Skew of the processors' clocks", "skew");
    struct figure_series *series = figure_add_series(figure, "skew");
    struct skew skew;

    figure_axes(figure, "processor", NULL, "skew of the processor's TSC", "ticks");
    for (size_t i = 1; i < numbers->received; i++) {
        if (skew_read(bench, numbers->samples[i], &skew)) {
            figure_add_range(series, (double)numbers->samples[i], skew.ticks,
                             skew.ticks - skew.bound, skew.ticks + skew.bound);
        }
    }
    figure_how(figure,
               "TSC of a processor less that of processor %" PRId64
               ", by the most precise of its readings; whiskers: its largest possible error.%s",
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

    char what[LINE_WHAT_MAX];
    const char *name;

    for (size_t i = 0; lines != NULL && (name = line_matrix_at(lines, i, what)) != NULL; i++) {
        figure_of_matrix(&part, lines, name, what);
    }
    add_contention(&part);
    add_ipi(&part);
}

PLUGIN_OF(lines, .order = 200, .show = view_lines, .place = PLUGIN_FOR_SERIES,
          .metrics = {.series = add_matrix});
PLUGIN_OF(contention, .order = 200, .show = view_contention, .place = PLUGIN_FOR_SERIES);
PLUGIN_OF(ipi, .order = 200, .show = view_ipi, .place = PLUGIN_FOR_SERIES,
          .metrics = {.places = is_skew});
PLUGIN_REGISTER(figures_processors) = {.order = 390, .figures = figures_processors};
