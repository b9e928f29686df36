/* SPDX-License-Identifier: BSD-2-Clause */
/* Gaps of several processors in time, a lane of each: of all processors, of one, or unknown. */
#include <stdio.h>

#include "bench/noise/host/gap_join.h"
#include "bench/noise/names.h"
#include "tools/present/figure_kit.h"
#include "tools/present/reading.h"

#define SECTION       "Noise"
#define LANE_NAME_MAX 32

/* Ticks from the first watch's begin to the last one's end. */
static int64_t watched(const struct gap_join *join)
{
    int64_t end = 1;

    for (size_t i = 0; i < join->lane_count; i++) {
        end = join->lanes[i].end > end ? join->lanes[i].end : end;
    }
    return end;
}

static void add_lane(struct figure *figure, const struct gap_lane *lane,
                     const uint32_t states[GAP_WORLD + 1], const struct figure_scale *x)
{
    char name[LANE_NAME_MAX];

    snprintf(name, sizeof(name), "processor %lu", (unsigned long)lane->number);
    const uint32_t number = figure_add_lane(figure, name);

    for (size_t i = 0; i < lane->count; i++) {
        figure_add_span(figure, number, states[lane->gaps[i].class],
                        (double)lane->gaps[i].begin * x->per_tick,
                        (double)lane->gaps[i].end * x->per_tick);
    }
}

static void add_lanes(struct figures *figures, const struct run *run, const struct run_bench *bench,
                      const struct gap_join *join)
{
    const struct figure_scale x = figure_time_scale(run, (double)watched(join));
    struct figure *figure = figure_add(figures, FIGURE_TIMELINE, SECTION, "gaps on all processors",
                                       "%s-lanes", bench->name);
    const uint32_t states[GAP_WORLD + 1] = {
        [GAP_WORLD] = figure_add_state(figure, "of all processors"),
        [GAP_LOCAL] = figure_add_state(figure, "of this one"),
        [GAP_UNKNOWN] = figure_add_state(figure, "unknown"),
    };

    figure_axes(figure, figure_time_label(run), x.unit, NULL, NULL);
    figure_how(figure,
               "Bench %s: gaps that were kept, on one time base; of all processors are those in "
               "which the others had gaps for half of the time or more: %zu stops",
               bench->name, join->stop_count);
    for (size_t i = 0; i < join->lane_count; i++) {
        add_lane(figure, &join->lanes[i], states, &x);
    }
}

static void team_figures(struct figures *figures, const struct run *run,
                         const struct run_bench *bench)
{
    struct gap_join join;
    const char *why = NULL;
    size_t gaps = 0;

    if (!gap_join_of(bench, &join, &why)) {
        return;
    }
    for (size_t i = 0; i < join.lane_count; i++) {
        gaps += join.lanes[i].count;
    }
    if (gaps > 0) {
        add_lanes(figures, run, bench, &join);
    }
    gap_join_free(&join);
}

READING_REGISTER(gap_team_figures) = {
    .bench = BENCH_GAP, .order = 240, .bench_figures = team_figures};
READING_REGISTER(selfish_team_figures) = {
    .bench = BENCH_SELFISH, .order = 240, .bench_figures = team_figures};
