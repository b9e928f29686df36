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

/* ---- figure: gaps of all processors over time by cause, a row for each processor ---- */

#define LANES_KEY 8 /* more processors are too high for the first screen */

struct lanes {
    struct figure *figure;
    struct gap_names names;
    const struct gap_join *join; /* its lanes have the gaps in the order of the lists; NULL: none */
    struct figure_scale x;
    double ns_per_tick;
    size_t gaps; /* number of spans that were added */
};

/* Returns the state of a gap that no counted cause took: where it was. */
static const char *place_of(const struct lanes *lanes, size_t lane, size_t gap)
{
    static const char *const places[GAP_WORLD + 1] = {
        [GAP_WORLD] = "cause not known, on all CPUs",
        [GAP_LOCAL] = "cause not known, on this CPU",
        [GAP_UNKNOWN] = "cause and place not known",
    };

    return lanes->join == NULL ? "cause not known"
                               : places[lanes->join->lanes[lane].gaps[gap].class];
}

/* Adds a list of gaps of the selected processor; `before` of its gaps were added before. Returns
 * the number of gaps added. A list that is not whole is left out. */
static size_t add_list(struct lanes *lanes, uint32_t lane, enum gap_list list, size_t before)
{
    const bool first = list == GAP_FIRST;
    const struct run_series *times =
        gap_series_for(&lanes->names, first ? SERIES_GAP_TIME : SERIES_WORST_TIME);
    const struct run_series *lengths =
        gap_series_for(&lanes->names, first ? SERIES_GAP_LENGTH : SERIES_WORST_LENGTH);
    const struct run_fact *origin = gap_fact_for(&lanes->names, FACT_ORIGIN);

    if (times == NULL || lengths == NULL || times->n != lengths->n || !run_series_whole(times) ||
        !run_series_whole(lengths)) {
        return 0;
    }
    for (uint32_t i = 0; i < times->n; i++) {
        const double begin =
            (double)times->samples[i] + (origin != NULL ? (double)origin->value : 0);
        const int64_t length = lengths->samples[i];
        const char *cause = gap_cause_label(&lanes->names, list, i, length, lanes->ns_per_tick);

        figure_add_span(lanes->figure, lane,
                        figure_add_state(lanes->figure,
                                         cause != NULL ? cause : place_of(lanes, lane, before + i)),
                        begin * lanes->x.per_tick, (begin + (double)length) * lanes->x.per_tick);
    }
    return times->n;
}

static void add_lanes(struct lanes *lanes)
{
    for (size_t i = 0; i < gap_names_count(&lanes->names); i++) {
        char name[AMOUNT_MAX];

        if (gap_names_take(&lanes->names, i)) {
            const uint32_t lane =
                figure_add_lane(lanes->figure, processor_text(lanes->names.number, name));
            const size_t first = add_list(lanes, lane, GAP_FIRST, 0);

            lanes->gaps += first + add_list(lanes, lane, GAP_WORST, first);
        }
    }
}

static bool has_gaps(const struct run_bench *bench)
{
    return SEARCH_ANY(i, bench->series_count,
                      bench->series[i].n > 0 && strncmp(bench->series[i].name, SERIES_GAP_TIME,
                                                        strlen(SERIES_GAP_TIME)) == 0);
}

static void team_figures(struct figures *figures, const struct run *run,
                         const struct run_bench *bench)
{
    const struct run_fact *elapsed = run_find_fact(bench, FACT_GAP_ELAPSED);
    struct lanes lanes = {.names = gap_names_of(bench)};
    struct gap_join join;
    struct view view;
    const char *why = NULL;

    if (!has_gaps(bench)) {
        return;
    }
    const size_t processors = gap_names_count(&lanes.names);
    const bool is_key = strcmp(bench->name, BENCH_GAP) == 0 && processors <= LANES_KEY;
    const bool joined = gap_join_of(bench, &join, &why);

    view_init(&view, NULL, run);
    lanes.join = joined ? &join : NULL;
    lanes.ns_per_tick = view.ns_per_tick;
    lanes.x = figure_time_scale(run, elapsed != NULL ? (double)elapsed->value : 1);
    lanes.figure = figure_add(figures, FIGURE_TIMELINE, is_key ? FIGURE_SECTION_KEY : "Noise",
                              "Gaps by cause", "%s-causes", bench->name);
    figure_axes(lanes.figure, figure_time_label(run), lanes.x.unit, NULL, NULL);
    add_lanes(&lanes);
    figure_how(lanes.figure,
               "Bench %s: the %zu gaps that were kept, %s; causes are counted around each gap",
               bench->name, lanes.gaps,
               joined            ? "on one time axis"
               : processors == 1 ? "of one CPU"
                                 : why);
    if (joined) {
        gap_join_free(&join);
    }
}

PLUGIN_OF(gap, .order = 240, .bench_figures = team_figures);
PLUGIN_OF(selfish, .order = 240, .bench_figures = team_figures);
