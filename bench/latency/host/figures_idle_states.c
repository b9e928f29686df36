/* SPDX-License-Identifier: BSD-2-Clause */
/* Latency out of idle states by residency; speed behind a wake-up by time. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/latency/host/idle_states.h"
#include "bench/latency/host/ramp_speed.h"
#include "bench/latency/names.h"
#include "tools/present/figure_kit.h"
#include "tools/present/reading.h"
#include "tools/run/run_kind.h"

#define LABEL_MAX 48
#define LINES_MAX 12

static const char section[] = "Latency";
static const char cstate_title[] = "Out of an idle state, by residency";
static const char ramp_title[] = "Speed after a wake-up";

/* ---- cstate ---- */

/* Those of the first processor, by itself and with all others. */
static void add_states(struct figure *figure, const struct idle_state *states, size_t count,
                       const struct figure_scale *scale)
{
    size_t lines = 0;

    for (size_t i = 0; i < count && lines < LINES_MAX; i++) {
        char label[LABEL_MAX];

        if (states[i].processor != states[0].processor) {
            continue;
        }
        snprintf(label, sizeof(label), "%s%s", states[i].name,
                 states[i].together ? ", all at once" : "");
        figure_add_curve(figure_add_series(figure, label), &states[i].curve, scale);
        lines++;
    }
}

static void add_cstate(struct figures *figures, const struct run *run,
                       const struct idle_state *states, size_t count)
{
    const struct curve *curve = &states[0].curve;
    const struct figure_scale scale =
        figure_length_scale(run, curve_median(curve, curve->points - 1));
    struct figure *figure = figure_add(figures, FIGURE_LINES, section, cstate_title, "cstate");

    figure_axes(figure, "timer set to", "us", "latency", scale.unit);
    figure->x.logarithmic = true;
    add_states(figure, states, count, &scale);
    figure_choose_scale(figure);
    figure_how(figure,
               "From the LAPIC timer's deadline to the handler's first stamp on processor %" PRId64
               ", medians, whiskers: the middle half of the trials; in %s. The way to the timer's "
               "register is included",
               states[0].processor, run_time_label(run));
}

/* ---- ramp ---- */

static void add_speeds(struct figure *figure, const struct ramp *ramps, size_t count,
                       const struct figure_scale *scale)
{
    for (size_t i = 0; i < count && i < LINES_MAX; i++) {
        struct figure_series *series = figure_add_series(figure, ramps[i].state);

        for (size_t k = 0; k < ramps[i].pieces; k++) {
            figure_add_point(series, ramps[i].end[k] * scale->per_tick, ramps[i].speed[k]);
        }
    }
}

static void add_ramp(struct figures *figures, const struct run *run, const struct ramp *ramps,
                     size_t count)
{
    const struct figure_scale scale = figure_time_scale(run, ramps[0].end[ramps[0].pieces - 1]);
    struct figure *figure = figure_add(figures, FIGURE_LINES, section, ramp_title, "ramp");

    figure_axes(figure, "after the wake-up", scale.unit, "speed",
                ramps[0].by_aperf ? "cycles a tick" : "of the fastest");
    add_speeds(figure, ramps, count, &scale);
    figure_how(figure, "%s, of each piece of work, the median of the trials; in %s",
               ramps[0].by_aperf ? "APERF by the TSC"
                                 : "Without APERF: the fastest piece's ticks by those of the piece",
               run_time_label(run));
}

static void figures_idle_states(struct figures *figures, const struct run *run)
{
    const struct run_bench *bench =
        figures_find_bench(figures, run, section, cstate_title, BENCH_CSTATE);
    struct ramp ramps[RAMP_STATES_MAX];
    size_t count = 0;

    if (bench != NULL) {
        struct idle_state *states = idle_states_read(bench, &count);

        if (count > 0) {
            add_cstate(figures, run, states, count);
        } else {
            figure_add_torn(figures, section, cstate_title, BENCH_CSTATE);
        }
        idle_states_free(states, count);
    }
    bench = figures_find_bench(figures, run, section, ramp_title, BENCH_RAMP);
    if (bench == NULL) {
        return;
    }
    count = ramps_read(bench, ramps);
    if (count > 0) {
        add_ramp(figures, run, ramps, count);
    } else {
        figure_add_torn(figures, section, ramp_title, BENCH_RAMP);
    }
    for (size_t i = 0; i < count; i++) {
        ramp_free(&ramps[i]);
    }
}

READING_REGISTER(idle_states_figures) = {.order = 381, .figures = figures_idle_states};
