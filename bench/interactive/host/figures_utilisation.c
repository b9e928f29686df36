/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws the utilisation of the processor by the idle loop's samples (Endo et al. 1996, section
 * 2.5). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/interactive/host/figures_input.h"
#include "bench/interactive/host/measure/interactive.h"
#include "bench/interactive/host/measure/latency.h"
#include "bench/interactive/host/view_input.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"
#include "tools/trace/reconcile.h"

#define PERCENT         100.0
#define NS_PER_MS       1e6
#define SERIES_NAME_MAX 96
#define MORE_MAX        160
#define WINDOWS_MIN     3   /* fewer windows make no curve */
#define SHORTEST_DECADE 1   /* 10 ms */
#define LONGER          10  /* the second curve averages over this many windows of the first */
#define WINDOWS_READ    100 /* more windows make a block instead of a curve */
#define STEPS_READ      400

/* Successive samples of the idle loop. */
struct loop {
    const struct run *run;
    const int64_t *samples;
    size_t n;
    int64_t nominal; /* length of an undisturbed sample */
    int64_t origin;  /* ticks from x = 0 to the start of the first sample */
    struct figure_scale time;
};

/* Adds a value that holds from x on. No point is needed if the value stays the same. */
static void add_step(struct figure_series *series, double x, double y)
{
    if (series->n == 0 || series->y[series->n - 1] < y || series->y[series->n - 1] > y) {
        figure_add_point(series, x, y);
    }
}

static void end_steps(struct figure_series *series, double x)
{
    if (series->n > 0) {
        figure_add_point(series, x, series->y[series->n - 1]);
    }
}

static double place_of(const struct loop *loop, int64_t ticks)
{
    return (double)(loop->origin + ticks) * loop->time.per_tick;
}

/* Returns how often the utilisation changes from one sample to the next. */
static size_t count_steps(const struct loop *loop)
{
    double before = -1;
    size_t steps = 0;

    for (size_t i = 0; i < loop->n; i++) {
        const double now = latency_utilisation(loop->samples[i], loop->nominal);

        steps += now < before || now > before;
        before = now;
    }
    return steps;
}

/* Adds the samples that touch [from, to), in ticks since the start of the first sample. */
static void add_samples(struct figure *figure, const struct loop *loop, int64_t from, int64_t to)
{
    struct view view;
    char amount[AMOUNT_MAX];
    char name[SERIES_NAME_MAX];
    int64_t at = 0;
    int64_t end = 0;

    view_init(&view, NULL, loop->run);
    snprintf(name, sizeof(name), "each sample (%s if idle)",
             amount_text(&view, loop->nominal, UNIT_TICK, amount));
    struct figure_series *series = figure_add_series(figure, name);

    for (size_t i = 0; i < loop->n && at < to; i++) {
        end = at + loop->samples[i];
        if (end > from) {
            add_step(series, place_of(loop, at > from ? at : from),
                     PERCENT * latency_utilisation(loop->samples[i], loop->nominal));
        }
        at = end;
    }
    end_steps(series, place_of(loop, end < to ? end : to));
}

static int64_t length_of(const struct loop *loop)
{
    int64_t length = 0;

    for (size_t i = 0; i < loop->n; i++) {
        length += loop->samples[i];
    }
    return length;
}

/* Adds the windows that touch [from, to). */
static void add_windows(struct figure *figure, const struct loop *loop, double ms, int64_t from,
                        int64_t to)
{
    const double ns_per_tick = run_ns_per_tick(loop->run);
    const int64_t length = length_of(loop);

    if (ns_per_tick <= 0) {
        return;
    }
    const int64_t window = latency_threshold(ms, ns_per_tick);

    if (window <= loop->nominal || length / window < WINDOWS_MIN) {
        return;
    }
    const size_t capacity = (size_t)(length / window) + 1;
    double *windows = alloc_zeroed(capacity * sizeof(*windows));
    const size_t count =
        latency_windows(loop->samples, loop->n, loop->nominal, window, windows, capacity);
    char name[SERIES_NAME_MAX];

    if (ms < 1000) {
        snprintf(name, sizeof(name), "over %g ms", ms);
    } else {
        snprintf(name, sizeof(name), "over %g s", ms / 1000);
    }
    struct figure_series *series = figure_add_series(figure, name);

    for (size_t i = 0; i < count; i++) {
        const int64_t at = (int64_t)i * window;

        if (at + window > from && at < to) {
            add_step(series, place_of(loop, at > from ? at : from), PERCENT * windows[i]);
        }
    }
    end_steps(series, place_of(loop, to < length ? to : length));
    free(windows);
}

/* Returns the first of 10, 20, 50, 100, ... ms that makes few enough windows to be read. */
static double readable_window(const struct loop *loop)
{
    const double ms = (double)length_of(loop) * run_ns_per_tick(loop->run) / NS_PER_MS;
    unsigned index = 0;

    while (ms / latency_round(SHORTEST_DECADE, index) > WINDOWS_READ) {
        index++;
    }
    return latency_round(SHORTEST_DECADE, index);
}

static void add_whole(struct figures *figures, const struct run_bench *bench, const char *section,
                      const struct loop *loop, const char *more)
{
    struct figure *figure =
        figure_add_of(figures, FIGURE_STEPS, section, bench, "utilisation", "utilisation");

    figure->averaged = true;
    figure_axes(figure, figure_time_label(loop->run), loop->time.unit, "utilisation", "%");
    figure_how(
        figure,
        "by the idle loop%s alone: the part of each sample's length beyond %lld ticks, the length "
        "of an undisturbed sample; includes interrupts and whatever else takes the processor "
        "(firmware, a host)%s",
        run_processors(bench) > 1 ? " of processor 0" : "", (long long)loop->nominal, more);
    const double window = readable_window(loop);
    const bool dense = count_steps(loop) > STEPS_READ && run_ns_per_tick(loop->run) > 0;

    if (!dense) {
        add_samples(figure, loop, 0, INT64_MAX);
    }
    add_windows(figure, loop, window, 0, INT64_MAX);
    add_windows(figure, loop, window * LONGER, 0, INT64_MAX);
    if (dense) {
        add_samples(figure, loop, 0, INT64_MAX);
        figure->series[figure->series_count - 1].aside = figure->series_count > 1;
    }
}

void figure_utilisation_of(struct figures *figures, const struct run *run,
                           const struct run_bench *bench, const char *section,
                           const struct idle_bench *idle)
{
    struct loop loop = {.run = run,
                        .samples = idle->samples->samples,
                        .n = idle->samples->n,
                        .nominal = idle->floor};

    loop.time = figure_time_scale(run, (double)length_of(&loop));
    add_whole(figures, bench, section, &loop, "");
}

/* ---- a bench with a trace ---- */

/* Returns the samples with x = 0 at `zero` (TSC). Only those up to the first missing sample have a
 * known place. */
static struct loop loop_of(const struct run *run, const struct reconcile *reconcile, uint64_t zero)
{
    return (struct loop){
        .run = run,
        .samples = reconcile->series->samples,
        .n = reconcile->series->ranges[0].count,
        .nominal = reconcile->shortest,
        .origin = (int64_t)(reconcile->from - zero),
    };
}

/* Writes what else is in the samples, and what is in none of them. Returns `more`. */
static const char *more_of(const struct run *run, const struct reconcile *reconcile,
                           char more[MORE_MAX])
{
    const bool whole = run_series_whole(reconcile->series);
    struct view view;
    char amount[AMOUNT_MAX];

    snprintf(more, MORE_MAX, ", and the tracer%s",
             whole ? "" : "; what came after a gap in the log is left out");
    if (reconcile_lacks_end(reconcile)) {
        view_init(&view, NULL, run);
        snprintf(more, MORE_MAX, ", and the tracer; the last %s of the trace are in no sample",
                 amount_text(&view, (int64_t)reconcile->behind, UNIT_TICK, amount));
    }
    return more;
}

void figure_utilisation(struct figures *figures, const struct run *run,
                        const struct run_bench *bench, const char *section)
{
    struct reconcile reconcile;

    reconcile_init(&reconcile, bench);
    if (!reconcile.present && reconcile.why != NULL) {
        figure_absent(
            figure_add_of(figures, FIGURE_ABSENT, section, bench, "utilisation", "utilisation"),
            "%s", reconcile.why);
    }
    if (!reconcile.present) {
        return;
    }
    struct loop loop = loop_of(run, &reconcile, bench->traces[0].begin);

    char more[MORE_MAX];

    loop.time = figure_time_scale(run, (double)(loop.origin + length_of(&loop)));
    add_whole(figures, bench, section, &loop, more_of(run, &reconcile, more));
}

/* ---- a part of a bench ---- */

void figure_add_utilisation(struct figure *figure, const struct run *run,
                            const struct run_bench *bench, uint64_t from, uint64_t length,
                            double ms)
{
    struct reconcile reconcile;

    reconcile_init(&reconcile, bench);
    struct loop loop = loop_of(run, &reconcile, from);
    const int64_t end = (int64_t)length - loop.origin;

    loop.time = (struct figure_scale){run_ns_per_tick(run) / NS_PER_MS, "ms"};
    figure_axes(figure, figure_time_label(run), loop.time.unit, "utilisation", "%");
    figure_axis_holds(&figure->x, 0, (double)length * loop.time.per_tick);
    figure_axis_holds(&figure->y, 0, PERCENT);
    if (ms > 0) {
        add_windows(figure, &loop, ms, -loop.origin, end);
    } else {
        add_samples(figure, &loop, -loop.origin, end);
    }
}
