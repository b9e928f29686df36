/* SPDX-License-Identifier: BSD-2-Clause */
/* What the idle loop sees: utilisation, clock interrupts, and injected work that it recovers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/interactive/host/figures_utilisation.h"
#include "bench/interactive/host/view_input.h"
#include "bench/noise/host/view_noise.h"
#include "bench/noise/names.h"
#include "kernel/run/names.h"
#include "tools/present/figure_kit.h"
#include "tools/present/reading.h"
#include "tools/present/view.h"

#define SECTION     "Idle loop"
#define LINE_POINTS 40 /* of a line among points */
#define TEXT_MAX    160

struct plane {
    struct figure_scale x, y;
};

/* An event's x and y, in ticks. */
typedef void place_function(const struct idle_event *event, const struct idle_tolerance *tolerance,
                            double *x, double *y);

static void interrupt_place(const struct idle_event *event, const struct idle_tolerance *tolerance,
                            double *x, double *y)
{
    (void)tolerance;
    *x = (double)event->handler;
    *y = (double)event->elongation;
}

static void error_place(const struct idle_event *event, const struct idle_tolerance *tolerance,
                        double *x, double *y)
{
    *x = (double)event->handler;
    *y = (double)idle_event_error(event, tolerance);
}

struct extent {
    double least, greatest;
};

/* Of what handlers took, and, where `both`, of what was found. */
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

/* A point equal to the one before is left out. */
static void add_events(struct figure *figure, const char *name, const struct idle_bench *idle,
                       const struct plane *plane, place_function *place,
                       const struct idle_tolerance *tolerance)
{
    struct figure_series *series = figure_add_series(figure, name);
    double last_x = NAN;
    double last_y = NAN;

    for (size_t i = 0; i < idle->event_count; i++) {
        double x;
        double y;

        place(&idle->events[i], tolerance, &x, &y);
        const bool again = fabs(x - last_x) <= 0 && fabs(y - last_y) <= 0;

        if (idle->events[i].found && !again) {
            figure_add_point(series, x * plane->x.per_tick, y * plane->y.per_tick);
            last_x = x;
            last_y = y;
        }
    }
}

/* Points at equal distances, of a logarithmic axis too, from `extent` on: y is `slope` x + `at`. */
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
    char title[TEXT_MAX];
    char id[TEXT_MAX];

    snprintf(title, sizeof(title), "%s: utilisation", bench->name);
    snprintf(id, sizeof(id), "%s-utilisation", bench->name);
    figure_add_absent(figures, SECTION, title, id, "%s", failed ? bench->reason : why);
}

/* ---- clock interrupts ---- */

static void add_interrupts(struct figures *figures, const struct run *run,
                           const struct run_bench *bench, const struct idle_bench *idle)
{
    struct statistics statistics;

    idle_bench_statistics(idle, IDLE_ELONGATION, &statistics);
    if (statistics.n == 0) {
        figure_add_absent(figures, SECTION, "idle: clock interrupts", "idle-interrupts",
                          "no clock interrupt came while the loop ran");
        return;
    }
    const struct figure_scale scale = figure_length_scale(run, (double)statistics.median);
    const struct plane plane = {scale, scale};
    struct figure *figure = figure_add(figures, FIGURE_POINTS, SECTION, "idle: clock interrupts",
                                       "%s-interrupts", bench->name);

    figure_axes(figure, "handler", scale.unit, "elongation", scale.unit);
    figure_how(figure,
               "%zu interrupts of a periodic timer: the handler as it brackets itself, against how "
               "much longer the idle sample is that holds it; above the line: entry and exit of "
               "the interrupt, which no handler sees",
               statistics.n);
    add_identity(figure, idle, &plane);
    add_events(figure, "interrupt", idle, &plane, interrupt_place, NULL);
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
    figure_how(
        figure,
        "work of known length in interrupts, against how much longer the idle sample that "
        "holds it is; %zu of %zu groups were recovered, %zu within their tolerances, and %zu "
        "samples are longer without an event",
        recovery->groups_recovered, recovery->groups, recovery->groups_within, recovery->spurious);
    add_identity(figure, idle, &plane);
    add_events(figure, "event", idle, &plane, interrupt_place, NULL);
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
    figure_how(figure, "what is recovered less what was injected; tolerance %s",
               idle_tolerance_text(&recovery->tolerance, text));
    add_line(figure, "tolerance", &extent, 0, tolerance, &plane);
    if (recovery->max_error < 0) {
        add_line(figure, "tolerance, below", &extent, 0, -tolerance, &plane);
    }
    add_events(figure, "event", idle, &plane, error_place, &recovery->tolerance);
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

READING_REGISTER(figures_idle) = {.order = 320, .figures = figures_idle};
