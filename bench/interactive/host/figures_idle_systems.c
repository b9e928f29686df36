/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Figure 3 of Endo et al. 1996: what each system does while its user does nothing. Of each phase of
 * bench profile the utilisation of each sample of the idle loop, over a stretch short enough to see
 * one clock tick from the next, each from the same moment of its phase.
 */
#include <math.h>
#include <stdio.h>

#include "bench/interactive/host/figures_input.h"
#include "bench/interactive/host/measure/interactive.h"
#include "bench/interactive/host/measure/latency.h"
#include "tools/base/alloc.h"
#include "tools/present/reading.h"
#include "tools/trace/reconcile.h"

#define PERCENT    100.0
#define TITLE_MAX  160
#define STRETCH_MS 250
#define PART       4 /* of a phase, before the stretch begins */

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

/* Samples that touch the stretch; the loop's first begins at `at`. */
static void add_samples(struct figure_series *series, const struct reconcile *reconcile,
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

    snprintf(title, sizeof(title), "%s: an idle system, %s", bench->name, phase->name);
    snprintf(id, sizeof(id), "%s-idle-%s", bench->name, phase->name);
    stretch.from = phase->from + (phase->to - phase->from) / PART;
    stretch.to = stretch.from + (uint64_t)latency_threshold(STRETCH_MS, run_ns_per_tick(run));
    if (!phase->known || stretch.to > phase->to) {
        figure_add_absent(figures, INPUT_SECTION, title, id, "the phase is shorter than %d ms",
                          STRETCH_MS * PART);
        return;
    }
    stretch.time = figure_time_scale(run, (double)(stretch.to - stretch.from));
    struct figure *figure = figure_add(figures, FIGURE_STEPS, INPUT_SECTION, title, "%s", id);

    figure_axes(figure, figure_time_label(run), stretch.time.unit, "utilisation", "%");
    figure_how(
        figure,
        "figure 3 of the paper: by the idle loop, of each sample the part beyond %lld ticks; "
        "from a quarter of the phase on. Between clock ticks all samples are idle",
        (long long)reconcile->shortest);
    add_samples(figure_add_series(figure, phase->name), reconcile, &stretch);
}

static void figures_idle_systems(struct figures *figures, const struct run *run,
                                 const struct run_bench *bench)
{
    struct interactive interactive;
    struct reconcile reconcile;

    reconcile_init(&reconcile, bench);
    if (!reconcile.present || run_ns_per_tick(run) <= 0) {
        return; /* the figure of the whole bench has the reason */
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

READING_OF(profile, .order = 331, .bench_figures = figures_idle_systems);
