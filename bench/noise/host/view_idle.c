/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints and draws benches `idle` and `load`: lost time, the utilisation profile, and the excess of
 * idle samples compared with their interrupt handlers. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/interactive/host/view_input.h"
#include "bench/noise/host/idle_correlation.h"
#include "bench/noise/host/view_noise.h"
#include "bench/noise/names.h"
#include "kernel/pmu/names.h"
#include "kernel/run/names.h"
#include "tools/base/number.h"
#include "tools/base/sort.h"
#include "tools/present/figure_kit.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"
#include "tools/trace/idle_bench.h"

#define PROFILE_COLUMNS 60
#define PROFILE_ROWS    6
#define PROFILE_LEFT    13 /* columns that chart_columns() writes before the first value */
#define FIRST_TICKS     5
#define CLASSES_MAX     5 /* columns of the table */

static void print_profile(const struct view *view, const struct idle_bench *idle)
{
    double fractions[PROFILE_COLUMNS];
    const size_t columns = idle->samples->n < PROFILE_COLUMNS ? idle->samples->n : PROFILE_COLUMNS;
    int64_t total = 0;
    double stolen = 0;
    double largest = 0;
    char text[AMOUNT_MAX];
    char middle[AMOUNT_MAX];
    char share[NUMBER_MAX];

    for (size_t i = 0; i < idle->samples->n; i++) {
        total += idle->samples->samples[i];
    }
    idle_profile(idle->samples->samples, idle->samples->n, idle->floor, fractions, columns);
    for (size_t i = 0; i < columns; i++) {
        stolen += fractions[i] / (double)columns;
        largest = fractions[i] > largest ? fractions[i] : largest;
    }
    print_paragraph(view->out, "utilisation: %s of %s, above the floor of %" PRId64 " ticks",
                    share_text(stolen, share), amount_text(view, total, UNIT_TICK, text),
                    idle->floor);
    if (largest <= 0) {
        fputs("  no sample is longer than the floor\n", view->out);
        return;
    }
    fputc('\n', view->out);
    chart_columns(view->out, fractions, columns, chart_top(largest), PROFILE_ROWS);
    const int half = (int)columns / 2;

    if (half < 12) {
        return; /* too narrow for the labels */
    }
    amount_text(view, total / 2, UNIT_TICK, middle);
    fprintf(view->out, "%*s0%*s%*s\n", PROFILE_LEFT, "", half - 1 + (int)strlen(middle) / 2, middle,
            (int)columns - half - (int)strlen(middle) / 2,
            amount_text(view, total, UNIT_TICK, text));
}

static void print_stolen(const struct view *view, const struct run_bench *bench)
{
    static const char *const names[] = {SERIES_FLOOR, SERIES_TICKING};
    struct stolen stolen;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (stolen_from_idle(bench, names[i], &stolen)) {
            char share[NUMBER_MAX];

            fprintf(view->out, "%s  lost in %s: %s of the time\n", i == 0 ? "\n" : "", names[i],
                    share_text(stolen.whole / 1e6, share));
        }
    }
}

static void print_first_ticks(const struct view *view, const struct idle_bench *idle)
{
    struct table table;

    table_open(&table, "rrrrr", "interrupt\tentered at\thandler\texcess\toverhead");
    for (size_t i = 0; i < idle->event_count && i < FIRST_TICKS; i++) {
        const struct idle_event *event = &idle->events[i];

        table_line(&table, "%zu", event->index);
        cell_amount(&table, view, true, event->entry);
        table_signed(&table, event->handler);
        table_known(&table, event->found, event->elongation);
        table_known(&table, event->found, idle_event_value(event, IDLE_OVERHEAD));
    }
    view_table(view, &table);
    if (idle->event_count > FIRST_TICKS) {
        fprintf(view->out, "  ... and %zu more\n", idle->event_count - FIRST_TICKS);
    }
}

static void print_ticks(const struct view *view, const struct idle_bench *idle)
{
    static const struct {
        const char *name;
        enum idle_column column;
    } rows[] = {
        {"handler", IDLE_HANDLER}, {"excess", IDLE_ELONGATION}, {"overhead", IDLE_OVERHEAD}};
    struct statistics statistics = {0};
    struct table table;

    statistics_head(&table, "per interrupt");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        idle_bench_statistics(idle, rows[i].column, &statistics);
        statistics_rows(&table, view, rows[i].name, UNIT_TICK, &statistics);
    }
    fprintf(view->out,
            "\n  clock interrupts: %u. Handler: time inside the handler. Excess: of the idle\n  "
            "sample that holds it. Overhead: the difference, interrupt entry and exit.\n\n",
            idle->entries->n);
    table_print(&table, view->out, 2);
    if (statistics.n < idle->event_count) {
        fprintf(view->out, "  %zu more came outside all samples\n",
                idle->event_count - statistics.n);
    }
    print_first_ticks(view, idle);
}

/* Prints a column for each class. */
static void print_classes(const struct view *view, const struct idle_correlation *correlation)
{
    static const char *const labels[] = {"interrupts in a sample", "samples", "median length",
                                         "median excess"};
    const size_t shown =
        correlation->class_count < CLASSES_MAX ? correlation->class_count : CLASSES_MAX;
    struct table table;

    table_init(&table, "lrrrrr");
    for (size_t row = 0; row < sizeof(labels) / sizeof(labels[0]); row++) {
        table_line(&table, "%s", labels[row]);
        for (size_t c = 0; c < shown; c++) {
            const struct idle_class *class = &correlation->classes[c];
            const int64_t values[] = {class->interrupts, (int64_t) class->samples, class->length,
                                      class->elongation};

            table_signed(&table, values[row]);
        }
    }
    for (size_t e = 0; e < correlation->event_count; e++) {
        const struct idle_counted *event = &correlation->events[e];

        if (!correlation->by_event || strcmp(event->counts->event, COUNT_INTERRUPTS) != 0) {
            table_line(&table, "median %s", event->counts->event);
            for (size_t c = 0; c < shown; c++) {
                table_known(&table, event->has_median[c], event->medians[c]);
            }
        }
    }
    table_print(&table, view->out, 2);
    if (shown < correlation->class_count) {
        fprintf(view->out, "  ... and %zu more\n", correlation->class_count - shown);
    }
}

static void print_correlation(const struct view *view, const struct run_bench *bench)
{
    struct idle_correlation correlation;
    const char *why = NULL;

    if (!idle_correlate(bench, &correlation, &why)) {
        fprintf(view->out, "\n  no correlation with interrupts: %s\n", why);
        idle_correlation_free(&correlation);
        return;
    }
    fprintf(view->out, "\n  %s\n\n",
            correlation.by_event ? "samples by the count of event interrupts; lengths in ticks"
                                 : "samples by entries of the handler, because event interrupts is "
                                   "not counted\n  in this run; lengths in ticks");
    print_classes(view, &correlation);
    if (isnan(correlation.coefficient)) {
        fputs("\n  correlation of excess with interrupts: undefined, because one of them never\n  "
              "varies\n",
              view->out);
    } else {
        fprintf(view->out,
                "\n  correlation of excess with interrupts: %.4f (Pearson, %zu samples)\n",
                correlation.coefficient, correlation.samples);
    }
    idle_correlation_free(&correlation);
}

/* Returns whether events were counted during the samples under the clock interrupt. */
static bool is_counted(const struct run_bench *bench)
{
    return SEARCH_ANY(i, bench->series_count,
                      bench->series[i].of != NULL &&
                          strcmp(bench->series[i].of, SERIES_TICKING) == 0);
}

static void print_times(const struct view *view, const struct run_bench *bench)
{
    struct idle_bench idle;
    const char *why = NULL;

    if (!idle_bench_ticks(bench, &idle, &why)) {
        fprintf(view->out, "\n  no utilisation profile: %s\n", why);
        return;
    }
    print_profile(view, &idle);
    if (idle.event_count > 0) {
        print_ticks(view, &idle);
    } else {
        fputs("\n  no clock interrupt came\n", view->out);
    }
    idle_bench_free(&idle);
}

void view_idle(const struct view *view, const struct run_bench *bench)
{
    print_stolen(view, bench);
    print_times(view, bench);
    view_periods(view, bench);
    if (is_counted(bench)) {
        print_correlation(view, bench);
    }
}

PLUGIN_OF(idle, .order = 200, .show = view_idle);

/* ---- figures: utilisation, clock interrupts, and injected work that the idle loop recovers ----
 */

#define SECTION     "Idle loop"
#define LINE_POINTS 40 /* points of a reference line */

struct plane {
    struct figure_scale x, y;
};

struct extent {
    double least, greatest;
};

/* Returns the range of the handlers' times, and, if `both`, also of the excess of their samples. */
static struct extent extent_of(const struct idle_bench *idle, bool both)
{
    struct extent extent = {INFINITY, 0};

    for (size_t i = 0; i < idle->event_count; i++) {
        const struct idle_event *event = &idle->events[i];
        const double handler = (double)event->handler;
        const double other = both ? (double)event->elongation : handler;

        if (event->found) {
            extent.least = fmin(extent.least, fmin(handler, other));
            extent.greatest = fmax(extent.greatest, fmax(handler, other));
        }
    }
    return extent;
}

static bool wants_logarithm(const struct extent *extent)
{
    return extent->least > 0 && extent->greatest >= 10 * extent->least;
}

/* Adds the excess of each sample by the time of its handlers, or, with `tolerance`, its error.
 * Leaves out a point that equals the previous one. */
static void add_events(struct figure *figure, const char *name, const struct idle_bench *idle,
                       const struct plane *plane, const struct idle_tolerance *tolerance)
{
    struct figure_series *series = figure_add_series(figure, name);
    double last_x = NAN;
    double last_y = NAN;

    for (size_t i = 0; i < idle->event_count; i++) {
        const struct idle_event *event = &idle->events[i];
        const double x = (double)event->handler;
        const double y =
            (double)(tolerance != NULL ? idle_event_error(event, tolerance) : event->elongation);
        const bool again = fabs(x - last_x) <= 0 && fabs(y - last_y) <= 0;

        if (event->found && !again) {
            figure_add_point(series, x * plane->x.per_tick, y * plane->y.per_tick);
            last_x = x;
            last_y = y;
        }
    }
}

/* Adds the line y = `slope` x + `at` over `extent`, as points at equal distances, also on a
 * logarithmic axis. */
static void add_line(struct figure *figure, const char *name, const struct extent *extent,
                     double slope, double at, const struct plane *plane)
{
    struct figure_series *series = figure_add_reference(figure, name);
    const bool logarithmic = figure->x.logarithmic;
    const double from = logarithmic ? log(extent->least) : extent->least;
    const double to = logarithmic ? log(extent->greatest) : extent->greatest;

    for (size_t i = 0; i <= LINE_POINTS; i++) {
        const double part = from + (to - from) * (double)i / LINE_POINTS;
        const double x = logarithmic ? exp(part) : part;

        figure_add_point(series, x * plane->x.per_tick, (slope * x + at) * plane->y.per_tick);
    }
}

static void add_identity(struct figure *figure, const struct idle_bench *idle,
                         const struct plane *plane)
{
    const struct extent handlers = extent_of(idle, false);
    const struct extent all = extent_of(idle, true);

    figure->x.logarithmic = wants_logarithm(&handlers) && all.least > 0;
    figure->y.logarithmic = figure->x.logarithmic;
    add_line(figure, "equal", &handlers, 1, 0, plane);
}

static void add_absent(struct figures *figures, const struct run_bench *bench, const char *why)
{
    const bool failed = strcmp(bench->state, STATE_OK) != 0 && bench->reason != NULL;

    figure_absent(
        figure_add_of(figures, FIGURE_ABSENT, SECTION, bench, "utilisation", "utilisation"), "%s",
        failed ? bench->reason : why);
}

/* ---- clock interrupts ---- */

static void add_interrupts(struct figures *figures, const struct run *run,
                           const struct run_bench *bench, const struct idle_bench *idle)
{
    struct statistics statistics;

    idle_bench_statistics(idle, IDLE_ELONGATION, &statistics);
    if (statistics.n == 0) {
        figure_add_absent(figures, SECTION, "idle: clock interrupts", "idle-interrupts",
                          "no clock interrupt arrived while the loop ran");
        return;
    }
    const struct figure_scale scale = figure_length_scale(run, (double)statistics.median);
    const struct plane plane = {scale, scale};
    struct figure *figure = figure_add(figures, FIGURE_POINTS, SECTION, "idle: clock interrupts",
                                       "%s-interrupts", bench->name);

    figure_axes(figure, "handler", scale.unit, "excess", scale.unit);
    figure_how(figure,
               "%zu interrupts of a periodic timer: time inside the handler, against the excess of "
               "the idle sample that holds it; the distance above the line is the time of entry "
               "and exit of the interrupt, which the handler cannot measure",
               statistics.n);
    add_identity(figure, idle, &plane);
    add_events(figure, "interrupt", idle, &plane, NULL);
}

static void figures_of_idle(struct figures *figures, const struct run *run,
                            const struct run_bench *bench)
{
    struct idle_bench idle;
    const char *why = NULL;

    if (!idle_bench_ticks(bench, &idle, &why)) {
        add_absent(figures, bench, why);
        return;
    }
    figure_utilisation_of(figures, run, bench, SECTION, &idle);
    add_interrupts(figures, run, bench, &idle);
    idle_bench_free(&idle);
}

/* ---- injected work ---- */

static void add_recovered(struct figures *figures, const struct idle_bench *idle,
                          const struct idle_recovery *recovery, const struct figure_scale *scale)
{
    const struct plane plane = {*scale, *scale};
    struct figure *figure = figure_add(figures, FIGURE_POINTS, SECTION,
                                       "load: injected and recovered work", "load-recovered");

    figure_axes(figure, "work injected", scale->unit, "recovered", scale->unit);
    figure_how(figure,
               "work of known length in interrupts, against the excess of the idle sample that "
               "holds it; %zu of %zu groups were recovered, %zu within their tolerances; %zu "
               "samples without an event are too long",
               recovery->groups_recovered, recovery->groups, recovery->groups_within,
               recovery->spurious);
    add_identity(figure, idle, &plane);
    add_events(figure, "event", idle, &plane, NULL);
}

static void add_errors(struct figures *figures, const struct run *run,
                       const struct idle_bench *idle, const struct idle_recovery *recovery,
                       const struct figure_scale *scale)
{
    const double largest = fabs((double)recovery->max_error);
    const double tolerance = (double)idle_tolerance_ticks(&recovery->tolerance, 1);
    const struct plane plane = {*scale, figure_length_scale(run, fmax(largest, tolerance))};
    const struct extent extent = extent_of(idle, false);
    struct figure *figure = figure_add(figures, FIGURE_POINTS, SECTION,
                                       "load: error of the recovered work", "load-errors");

    char text[IDLE_TOLERANCE_TEXT_MAX];

    figure->x.logarithmic = wants_logarithm(&extent);
    figure_axes(figure, "work injected", scale->unit, "error", plane.y.unit);
    figure_how(figure, "recovered minus injected work; tolerance %s",
               idle_tolerance_text(&recovery->tolerance, text));
    add_line(figure, "tolerance", &extent, 0, tolerance, &plane);
    if (recovery->max_error < 0) {
        add_line(figure, "tolerance, below", &extent, 0, -tolerance, &plane);
    }
    add_events(figure, "event", idle, &plane, &recovery->tolerance);
}

static void figures_of_load(struct figures *figures, const struct run *run,
                            const struct run_bench *bench)
{
    struct idle_bench idle;
    struct idle_recovery recovery;
    const char *why = NULL;

    if (!idle_bench_load(bench, &idle, &recovery, &why)) {
        add_absent(figures, bench, why);
        return;
    }
    figure_utilisation_of(figures, run, bench, SECTION, &idle);
    if (recovery.has_error) {
        const struct figure_scale scale = figure_length_scale(run, extent_of(&idle, true).greatest);

        add_recovered(figures, &idle, &recovery, &scale);
        add_errors(figures, run, &idle, &recovery, &scale);
    } else {
        figure_add_absent(figures, SECTION, "load: injected and recovered work", "load-recovered",
                          "no sample of the idle loop holds injected work");
    }
    idle_bench_free(&idle);
}

void figures_idle(struct figures *figures, const struct run *run)
{
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];

        if (run_find_bench(run, bench->name) != bench) {
            continue;
        }
        if (strcmp(bench->name, BENCH_IDLE) == 0) {
            figures_of_idle(figures, run, bench);
        } else if (strcmp(bench->name, BENCH_LOAD) == 0) {
            figures_of_load(figures, run, bench);
        } else if (!view_has_input(bench)) {
            figure_utilisation(figures, run, bench, SECTION);
        }
    }
}

PLUGIN_REGISTER(figures_idle) = {.order = 320, .figures = figures_idle};
