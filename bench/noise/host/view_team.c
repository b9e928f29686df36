/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints and draws the gaps of several processors: a row for each, and which gaps stopped all of
 * them at once. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/noise/host/gap_join.h"
#include "bench/noise/host/team_rows.h"
#include "bench/noise/host/view_noise.h"
#include "bench/noise/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/number.h"
#include "tools/base/sort.h"
#include "tools/present/figure_kit.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"

#define LONGEST_STOPS 10
#define RULE_OF_THREE 3

static void add_row(struct table *table, const struct view *view, const struct team_row *row,
                    const struct gap_lane *lane)
{
    table_line(table, "%" PRIu64, row->number);
    if (!row->known) {
        return;
    }
    cell_amount(table, view, true, row->smallest);
    table_signed(table, (int64_t)row->over);
    table_known(table, lane != NULL, lane != NULL ? (int64_t)lane->of[GAP_WORLD] : 0);
    table_known(table, lane != NULL, lane != NULL ? (int64_t)lane->of[GAP_LOCAL] : 0);
    table_known(table, lane != NULL, lane != NULL ? (int64_t)lane->of[GAP_UNKNOWN] : 0);
    table_real(table, row->stolen_ppm);
    cell_amount(table, view, row->over > 0, row->largest);
    cell_amount(table, view, row->over > 0, row->largest_at);
}

static void print_stops(const struct view *view, const struct gap_join *join)
{
    struct gap_stop *stops = alloc_zeroed((join->stop_count + 1) * sizeof(*stops));
    struct table table;

    memcpy(stops, join->stops, join->stop_count * sizeof(*stops));
    sort_by(stops, join->stop_count, sizeof(*stops), offsetof(struct gap_stop, common), true);
    table_open(&table, "rrrr", "all stopped at\tfor\tfirst start to last end\tgaps");
    for (size_t i = 0; i < join->stop_count && i < LONGEST_STOPS; i++) {
        table_row(&table);
        cell_amount(&table, view, true, stops[i].begin);
        cell_amount(&table, view, stops[i].common > 0, stops[i].common);
        cell_amount(&table, view, true, stops[i].end - stops[i].begin);
        table_signed(&table, (int64_t)stops[i].gaps);
    }
    free(stops);
    view_table(view, &table);
}

static void print_unknown(const struct view *view, const struct gap_join *join)
{
    char text[AMOUNT_MAX];
    int64_t uncertainty = 0;

    for (size_t i = 0; i < join->lane_count; i++) {
        uncertainty =
            join->lanes[i].uncertainty > uncertainty ? join->lanes[i].uncertainty : uncertainty;
    }
    for (enum gap_why why = GAP_WHY_NONE + 1; why < GAP_WHYS; why++) {
        if (join->why[why] > 0) {
            print_paragraph(view->out, "place not known: %zu gap%s: %s%s%s", join->why[why],
                            join->why[why] == 1 ? "" : "s", gap_why_text(why),
                            why == GAP_WHY_SKEW ? ": up to " : "",
                            why == GAP_WHY_SKEW ? amount_text(view, uncertainty, UNIT_TICK, text)
                                                : "");
        }
    }
}

/* Returns whether no gap is longer than the uncertainty of the clocks. */
static bool is_refused(const struct gap_join *join)
{
    size_t gaps = 0;

    for (size_t i = 0; i < join->lane_count; i++) {
        gaps += join->lanes[i].count;
    }
    return gaps > 0 && join->why[GAP_WHY_SKEW] == gaps;
}

static void print_join(const struct view *view, const struct gap_join *join)
{
    if (is_refused(join)) {
        print_paragraph(view->out, "gaps are not compared across processors: none is longer than "
                                   "the uncertainty of the clocks");
        print_unknown(view, join);
        return;
    }
    print_paragraph(
        view->out,
        "stops of all %zu processors at once: %zu. A gap is on all if each other processor has "
        "gaps for half of its time or more, and on one if another processor ran",
        join->lane_count, join->stop_count);
    if (join->stop_count > 0) {
        print_stops(view, join);
    }
    print_unknown(view, join);
}

static bool no_gaps(const struct team_rows *rows)
{
    return !SEARCH_ANY(i, rows->count, !rows->row[i].known || rows->row[i].over > 0);
}

/* Prints the bound on the rate if no processor had a gap, by the shortest watch. */
static void print_none(const struct view *view, const struct team_rows *rows)
{
    double watched = INFINITY;

    for (size_t i = 0; i < rows->count; i++) {
        watched = fmin(watched, rows->row[i].watched);
    }
    const double seconds = watched * view->ns_per_tick / 1e9;

    char most[NUMBER_MAX];

    if (seconds > 0) {
        print_paragraph(view->out,
                        "no gap above the threshold on any processor: on each, fewer than %s per "
                        "s (95 %% confidence)",
                        number_text(RULE_OF_THREE / seconds, most));
    }
}

void view_team(const struct view *view, const struct run_bench *bench)
{
    struct team_rows rows;
    struct gap_join join;
    struct table table;
    const char *why = NULL;

    team_rows_of(bench, &rows);
    if (rows.count > 1) {
        const bool joined = gap_join_of(bench, &join, &why);

        table_open(&table, "rrrrrrrrr",
                   "CPU\treading\tgaps\ton all\ton one\tnot known\tlost ppm\tlongest\tat");
        for (size_t i = 0; i < rows.count; i++) {
            add_row(&table, view, &rows.row[i], joined ? &join.lanes[i] : NULL);
        }
        view_table(view, &table);
        if (no_gaps(&rows)) {
            print_none(view, &rows);
        } else if (joined) {
            print_join(view, &join);
        } else {
            print_paragraph(view->out, "gaps are not compared across processors: %s", why);
        }
        gap_join_free(&join);
    }
    team_rows_free(&rows);
}

/* ---- figure: gaps of several processors over time, a row for each ---- */

#define SECTION "Noise"

/* Returns the ticks from the origin to the end of the last watch. */
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
    char name[AMOUNT_MAX];
    const uint32_t number = figure_add_lane(figure, processor_text(lane->number, name));

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
        [GAP_WORLD] = figure_add_state(figure, "on all processors"),
        [GAP_LOCAL] = figure_add_state(figure, "on this one"),
        [GAP_UNKNOWN] = figure_add_state(figure, "place not known"),
    };

    figure_axes(figure, figure_time_label(run), x.unit, NULL, NULL);
    figure_how(figure,
               "Bench %s: the gaps that were kept, on one common time axis; a gap is on all "
               "processors if the "
               "others had gaps for half of its time or more: %zu stops",
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

PLUGIN_OF(gap, .order = 240, .bench_figures = team_figures);
PLUGIN_OF(selfish, .order = 240, .bench_figures = team_figures);
