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
#include "tools/trace/busy.h"
#include "tools/trace/reconcile.h"

#define PERCENT         100.0
#define SERIES_NAME_MAX 96
#define TITLE_MAX       160
#define MORE_MAX        160
#define WINDOWS_MIN     3 /* fewer windows make no curve */
#define MARGIN          4 /* margin before and after an event, as 1/MARGIN of its length */
#define MARGIN_LEAST    5 /* least margin, in samples */
#define LONG_EVENT_MS   50

#define CLOSE_UP_MS     10
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
            add_step(series, place_of(loop, at),
                     PERCENT * latency_utilisation(loop->samples[i], loop->nominal));
        }
        at = end;
    }
    end_steps(series, place_of(loop, end));
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
            add_step(series, place_of(loop, at), PERCENT * windows[i]);
        }
    }
    end_steps(series, place_of(loop, to < length ? to : length));
    free(windows);
}

/* Returns the first of 10, 20, 50, 100, ... ms that makes few enough windows to be read. */
static double readable_window(const struct loop *loop)
{
    const double ms = (double)length_of(loop) * run_ns_per_tick(loop->run) / 1e6;
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

/* ---- one event ---- */

/* Limits a time to [from, to], in ticks from x = 0. */
static double within(double ticks, double from, double to)
{
    return fmin(fmax(ticks, from), to);
}

/* Adds the busy time by the trace for the same interval. Adds nothing if the trace cannot be read.
 */
static void add_trace(struct figure *figure, const struct run_bench *bench, const struct loop *loop,
                      uint64_t zero, double from, double to)
{
    struct busy_time busy = {0};
    struct accounting accounting;
    const struct account_observer observer = busy_observer(&busy);

    if (accounting_read(&accounting, bench, &observer, 1)) {
        struct figure_series *series = figure_add_series(figure, "by the trace: busy or not");

        figure_add_point(series, from * loop->time.per_tick, 0);
        for (size_t i = 0; i < busy.count; i++) {
            const struct busy_stretch *stretch = &busy.stretches[i];
            const double begin = (double)(int64_t)(stretch->from - zero);
            const double end = (double)(int64_t)(stretch->to - zero);

            if (end > from && begin < to) {
                figure_add_point(series, within(begin, from, to) * loop->time.per_tick,
                                 stretch->unknown ? NAN : PERCENT);
                figure_add_point(series, within(end, from, to) * loop->time.per_tick, 0);
            }
        }
        figure_add_point(series, to * loop->time.per_tick, 0);
    }
    accounting_free(&accounting);
    busy_free(&busy);
}

void figure_close_up(struct figures *figures, const struct run *run, const struct run_bench *bench,
                     const char *section, uint64_t begin, int64_t length)
{
    const double ns_per_tick = run_ns_per_tick(run);
    struct reconcile reconcile;
    char title[TITLE_MAX];

    reconcile_init(&reconcile, bench);
    if (!reconcile.present || length < reconcile.shortest || run_processors(bench) > 1) {
        /* the figure of the whole bench says why; an action shorter than a sample cannot be seen,
         * nor can one on another processor */
        return;
    }
    struct loop loop = loop_of(run, &reconcile, begin);
    const int64_t least = MARGIN_LEAST * loop.nominal;
    const int64_t margin = length / MARGIN > least ? length / MARGIN : least;
    const int64_t from = -margin - loop.origin;
    const int64_t to = length + margin - loop.origin;

    if (to <= 0 || from >= length_of(&loop) || to - from > length_of(&loop) / 2) {
        return; /* the figure of the whole bench shows as much */
    }
    struct figure *figure = figure_add_of(figures, FIGURE_STEPS, section, bench,
                                          "the longest action in detail", "close-up");

    loop.time = figure_time_scale(run, (double)(length + margin));
    snprintf(title, sizeof(title), "%s since it was due", figure_time_label(run));
    figure_axes(figure, title, loop.time.unit, "utilisation", "%");
    add_samples(figure, &loop, from, to);
    if (ns_per_tick > 0 && length >= latency_threshold(LONG_EVENT_MS, ns_per_tick)) {
        add_windows(figure, &loop, CLOSE_UP_MS, from, to);
        figure_how(figure, "by the idle loop alone; includes interrupts and the tracer");
        return;
    }
    add_trace(figure, bench, &loop, begin, -(double)margin, (double)(length + margin));
    figure_how(
        figure,
        "by the idle loop, whose samples show how much of their time was busy but not when, and "
        "by the trace of the same time, which shows when; both include interrupts and the tracer");
}

/*
 * Figure 3 of Endo et al. 1996: what each system does while its user does nothing. For each phase
 * of bench profile, it shows the utilisation of each sample of the idle loop. The interval is short
 * enough to tell clock ticks apart, and starts at the same point of each phase.
 */

#define STRETCH_MS 250
#define PART       4 /* part of the phase before the interval starts */

struct stretch {
    uint64_t from, to; /* TSC */
    struct figure_scale time;
};

static void add_sample(struct figure_series *series, const struct stretch *stretch, uint64_t begin,
                       double utilisation)
{
    const double x = (double)(int64_t)(begin - stretch->from) * stretch->time.per_tick;

    figure_add_point(series, fmax(x, 0), PERCENT * utilisation);
}

/* Adds the samples that touch the interval. */
static void add_phase_samples(struct figure_series *series, const struct reconcile *reconcile,
                              const struct stretch *stretch)
{
    const int64_t *samples = reconcile->series->samples;
    const size_t count = reconcile->series->ranges[0].count;
    uint64_t at = reconcile->from;
    double last = 0;

    for (size_t i = 0; i < count && at < stretch->to; i++) {
        const uint64_t end = at + (uint64_t)samples[i];

        if (end > stretch->from) {
            last = latency_utilisation(samples[i], reconcile->shortest);
            add_sample(series, stretch, at, last);
        }
        at = end;
    }
    if (series->n > 0) {
        add_sample(series, stretch, at < stretch->to ? at : stretch->to, last);
    }
}

static void add_phase(struct figures *figures, const struct run *run, const struct run_bench *bench,
                      const struct reconcile *reconcile, const struct interactive_phase *phase)
{
    struct stretch stretch;
    char title[TITLE_MAX];
    char id[TITLE_MAX];

    snprintf(title, sizeof(title), "an idle system, %s", phase->name);
    snprintf(id, sizeof(id), "idle-%s", phase->name);
    stretch.from = phase->from + (phase->to - phase->from) / PART;
    stretch.to = stretch.from + (uint64_t)latency_threshold(STRETCH_MS, run_ns_per_tick(run));
    if (!phase->known || stretch.to > phase->to) {
        figure_absent(figure_add_of(figures, FIGURE_ABSENT, INPUT_SECTION, bench, title, id),
                      "the phase is shorter than %d ms", STRETCH_MS * PART);
        return;
    }
    stretch.time = figure_time_scale(run, (double)(stretch.to - stretch.from));
    struct figure *figure = figure_add_of(figures, FIGURE_STEPS, INPUT_SECTION, bench, title, id);

    figure_axes(figure, figure_time_label(run), stretch.time.unit, "utilisation", "%");
    figure_how(
        figure,
        "figure 3 of the paper, by the idle loop: the part of each sample beyond %lld ticks, from "
        "a quarter of the phase on. Between clock ticks all samples are idle",
        (long long)reconcile->shortest);
    add_phase_samples(figure_add_series(figure, phase->name), reconcile, &stretch);
}

static void figures_idle_systems(struct figures *figures, const struct run *run,
                                 const struct run_bench *bench)
{
    struct interactive interactive;
    struct reconcile reconcile;

    reconcile_init(&reconcile, bench);
    if (!reconcile.present || run_ns_per_tick(run) <= 0) {
        return; /* the figure of the whole bench says why */
    }
    if (interactive_read(&interactive, bench)) {
        for (size_t i = 0; i < interactive.phase_count; i++) {
            if (interactive.phases[i].name != NULL) {
                add_phase(figures, run, bench, &reconcile, &interactive.phases[i]);
            }
        }
    }
    interactive_free(&interactive);
}

PLUGIN_OF(profile, .order = 331, .bench_figures = figures_idle_systems);
