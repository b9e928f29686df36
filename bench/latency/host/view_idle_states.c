/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints and draws benches `cstate` and `ramp`: latency of leaving each idle state by residency and
 * by processor; speed after a wake-up. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/latency/host/idle_states.h"
#include "bench/latency/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/present/figure_kit.h"
#include "tools/present/json_kit.h"
#include "tools/present/report_plugin.h"
#include "tools/run/run_kind.h"
#include "tools/stats/summary.h"

#define COLUMNS_MAX 8
#define ROWS_MAX    24

/* Returns the median of all trials of a point, over all processors in the same state as `like`. */
static double median_at(const struct idle_state *states, size_t count,
                        const struct idle_state *like, size_t point)
{
    double *costs = alloc_zeroed(count * like->curve.trials * sizeof(*costs));
    size_t n = 0;

    for (size_t i = 0; i < count; i++) {
        const struct curve *curve = &states[i].curve;

        if (states[i].together == like->together && strcmp(states[i].name, like->name) == 0 &&
            curve->points == like->curve.points && curve->trials == like->curve.trials) {
            memcpy(costs + n, curve->cost + point * curve->trials, curve->trials * sizeof(*costs));
            n += curve->trials;
        }
    }
    const double median = summary_quantile(costs, n, 0.5);

    free(costs);
    return median;
}

/* Returns whether this is the first entry of its state. */
static bool is_first(const struct idle_state *states, size_t index)
{
    return !SEARCH_ANY(i, index,
                       states[i].together == states[index].together &&
                           strcmp(states[i].name, states[index].name) == 0);
}

/* Prints a table of states and residencies. */
static void print_residencies(const struct view *view, const struct idle_state *states,
                              size_t count, bool together)
{
    const struct curve *first = &states[0].curve;
    const size_t columns = first->points < COLUMNS_MAX ? first->points : COLUMNS_MAX;
    struct table table;
    char span[IDLE_SPAN_MAX];

    print_paragraph(view->out, "median latency by the time that the timer was set to, %s%s:",
                    together ? "all processors at once" : "one processor at a time",
                    span_note(view));
    table_open(&table, "lrrrrrrrr", "state");
    for (size_t i = 0; i < columns; i++) {
        table_text(&table, idle_span_text(first->x[i], span));
    }
    for (size_t i = 0; i < count; i++) {
        if (states[i].together != together || !is_first(states, i)) {
            continue;
        }
        table_line(&table, "%s", states[i].name);
        for (size_t k = 0; k < columns && k < states[i].curve.points; k++) {
            cell_span(&table, view, true, median_at(states, count, &states[i], k));
        }
    }
    view_table(view, &table);
}

static void add_processor(struct table *table, const struct view *view,
                          const struct idle_state *state)
{
    const size_t n = state->curve.points * state->curve.trials;
    double *costs = alloc_zeroed(n * sizeof(*costs));

    memcpy(costs, state->curve.cost, n * sizeof(*costs));
    sort_reals(costs, n);
    table_line(table, "%s\t%s\t%" PRId64, state->name, state->together ? "all" : "one",
               state->processor);
    cell_span(table, view, true, costs[0]);
    cell_span(table, view, true, summary_quantile_of(costs, n, 0.5));
    cell_span(table, view, true, costs[n - 1]);
    table_known(table, state->has_early, state->early);
    free(costs);
}

static void print_processors(const struct view *view, const struct idle_state *states, size_t count)
{
    struct table table;

    print_paragraph(view->out, "latency over all residencies, by processor%s:", span_note(view));
    table_open(&table, "llrrrrr", "state\tat once\tCPU\tmin\tmedian\tmax\tearly ends");
    for (size_t i = 0; i < count && i < ROWS_MAX; i++) {
        add_processor(&table, view, &states[i]);
    }
    view_table(view, &table);
    if (count > ROWS_MAX) {
        print_paragraph(view->out, "%zu more are in the run file", count - ROWS_MAX);
    }
}

static void view_cstate(const struct view *view, const struct run_bench *bench)
{
    size_t count;
    struct idle_state *states = idle_states_read(bench, &count);

    if (count == 0) {
        print_paragraph(view->out, "no latencies: samples are missing");
        return;
    }
    print_residencies(view, states, count, false);
    if (SEARCH_ANY(i, count, states[i].together)) {
        print_residencies(view, states, count, true);
    }
    print_processors(view, states, count);
    if (run_time(view->run) == RUN_TIME_EMULATED || run_counts_instructions(view->run)) {
        print_paragraph(
            view->out,
            "emulated: no state saves power here, and the latency is that of the emulator");
    }
    idle_states_free(states, count);
}

/* These facts are in the table of processors. */
static bool shows_fact(const struct run_fact *fact)
{
    return strncmp(fact->name, PREFIX_EARLY, strlen(PREFIX_EARLY)) == 0;
}

/* ---- bench `ramp`: speed after a wake-up, when it settled, and what that cost ---- */

#define MHZ 1e3 /* cycles a tick divided by the ns of a tick, in MHz */

/* Adds the speed in MHz if there is APERF and the TSC's rate is known, in cycles a tick if the rate
 * is unknown, or in percent of the fastest piece if there is no APERF. */
static void add_speed(struct table *table, const struct view *view, const struct ramp *ramp,
                      double speed)
{
    if (!ramp->by_aperf) {
        table_format(table, "%.1f %%", 100 * speed);
    } else if (view->ns_per_tick > 0) {
        table_format(table, "%.0f MHz", speed * MHZ / view->ns_per_tick);
    } else {
        table_format(table, "%.3f", speed);
    }
}

static void add_row(struct table *table, const struct view *view, const struct ramp *ramp)
{
    char text[AMOUNT_MAX];

    table_line(table, "%s", ramp->state);
    add_speed(table, view, ramp, ramp->speed[0]);
    add_speed(table, view, ramp, ramp->final);
    table_text(table, ramp->has_settled ? span_text(view, ramp->settled, text) : "not settled");
    cell_span(table, view, ramp->has_settled, ramp->lost);
    cell_span(table, view, true, ramp->end[ramp->pieces - 1]);
}

static void view_ramp(const struct view *view, const struct run_bench *bench)
{
    struct ramp ramps[RAMP_STATES_MAX];
    const size_t count = ramps_read(bench, ramps);
    struct table table;

    if (count == 0) {
        print_paragraph(view->out, "no speeds: samples are missing");
        return;
    }
    print_paragraph(
        view->out,
        "speed of pieces of work after a wake-up, by %s. Settled: all later pieces are within 1 %% "
        "of the last quarter's median. Lost: how much less work was done until then than at that "
        "speed%s:",
        ramps[0].by_aperf ? "APERF and the TSC" : "the time of the pieces alone", span_note(view));
    table_open(&table, "lrrrrr",
               "idle state\tspeed at first\tspeed at last\tsettled after\tlost\tworked for");
    for (size_t i = 0; i < count; i++) {
        add_row(&table, view, &ramps[i]);
        ramp_free(&ramps[i]);
    }
    view_table(view, &table);
}

/* Figures: latency of leaving idle states by residency; speed after a wake-up over time. */

#define LABEL_MAX 48
#define LINES_MAX 12

static const char section[] = "Latency";
static const char cstate_title[] = "Latency of leaving an idle state, by residency";
static const char ramp_title[] = "Speed after a wake-up";

/* ---- cstate ---- */

/* Draws the states of the first processor, measured alone and with all others. */
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
                 states[i].together ? ", all processors at once" : "");
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

    figure_axes(figure, "time until the timer's deadline", "us", "latency", scale.unit);
    figure->x.logarithmic = true;
    add_states(figure, states, count, &scale);
    figure_choose_scale(figure);
    figure_how(figure,
               "From the LAPIC timer's deadline to the handler's first stamp on processor %" PRId64
               ", medians, whiskers: the middle half of the trials; in %s. The time to access the "
               "timer's register is included",
               states[0].processor, run_time_label(run));
}

/* ---- ramp ---- */

static void add_ramp(struct figures *figures, const struct run *run, const struct ramp *ramps,
                     size_t count)
{
    const struct figure_scale scale = figure_time_scale(run, ramps[0].end[ramps[0].pieces - 1]);
    struct figure *figure = figure_add(figures, FIGURE_LINES, section, ramp_title, "ramp");

    figure_axes(figure, "time after the wake-up", scale.unit, "speed",
                ramps[0].by_aperf ? "APERF cycles per TSC tick"
                                  : "speed as a share of the fastest piece");
    for (size_t i = 0; i < count && i < LINES_MAX; i++) {
        struct figure_series *series = figure_add_series(figure, ramps[i].state);

        for (size_t k = 0; k < ramps[i].pieces; k++) {
            figure_add_point(series, ramps[i].end[k] * scale.per_tick, ramps[i].speed[k]);
        }
    }
    figure_how(figure, "%s; for each piece of work, the median of the trials; in %s",
               ramps[0].by_aperf
                   ? "APERF cycles per TSC tick"
                   : "Without APERF: ticks of the fastest piece divided by those of the piece",
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

PLUGIN_REGISTER(idle_states_figures) = {.order = 381, .figures = figures_idle_states};

/*
 * JSON of benches cstate and ramp in ticks (members "idle_states" and "ramps"), and metrics.
 */

#define DECIMALS 6

/* ---- cstate ---- */

static void put_points(struct json *json, const struct curve *curve)
{
    json_array(json, "points");
    for (size_t i = 0; i < curve->points; i++) {
        json_object(json, NULL);
        json_signed(json, "us", curve->x[i]);
        JSON_NUMBERS(json, DECIMALS, {"min", curve_min(curve, i)},
                     {"median", curve_median(curve, i)}, {"max", curve_max(curve, i)});
        json_close(json);
    }
    json_close(json);
}

static void cstate_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    size_t count;
    struct idle_state *states = idle_states_read(bench, &count);

    (void)run;
    json_array(json, "idle_states");
    for (size_t i = 0; i < count; i++) {
        json_object(json, NULL);
        json_text(json, "state", states[i].name);
        json_bool(json, "together", states[i].together);
        json_signed(json, "processor", states[i].processor);
        json_optional(json, "early_ends", states[i].has_early, states[i].early);
        put_points(json, &states[i].curve);
        json_close(json);
    }
    json_close(json);
    idle_states_free(states, count);
}

/* ---- ramp ---- */

static void ramp_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct ramp ramps[RAMP_STATES_MAX];
    const size_t count = ramps_read(bench, ramps);

    (void)run;
    json_array(json, "ramps");
    for (size_t i = 0; i < count; i++) {
        const struct ramp *ramp = &ramps[i];

        json_object(json, NULL);
        json_text(json, "state", ramp->state);
        json_bool(json, "by_aperf", ramp->by_aperf);
        json_number(json, "first", ramp->speed[0], DECIMALS);
        json_number(json, "final", ramp->final, DECIMALS);
        json_real(json, "settled_ticks", ramp->has_settled ? ramp->settled : NAN);
        json_real(json, "lost_ticks", ramp->has_settled ? ramp->lost : NAN);
        json_close(json);
        ramp_free(&ramps[i]);
    }
    json_close(json);
}

static bool ramp_places(const char *series)
{
    static const char *const prefixes[] = {PREFIX_RAMP_AT, PREFIX_RAMP_APERF, PREFIX_RAMP_MPERF,
                                           PREFIX_RAMP_IDLE};

    return SEARCH_ANY(i, sizeof(prefixes) / sizeof(prefixes[0]),
                      strncmp(series, prefixes[i], strlen(prefixes[i])) == 0);
}

/* Adds metrics such as "ramp.settled[hlt]", one value in ticks. */
static void ramp_others(struct metrics *metrics, const struct run_bench *bench)
{
    struct ramp ramps[RAMP_STATES_MAX];
    const size_t count = ramps_read(bench, ramps);

    for (size_t i = 0; i < count; i++) {
        if (ramps[i].has_settled) {
            const int64_t settled = (int64_t)ramps[i].settled;

            metric_set(metrics_add(metrics, bench, "settled", ramps[i].state), &settled, 1);
        }
        ramp_free(&ramps[i]);
    }
}

PLUGIN_OF(cstate, .order = 61, .show = view_cstate, .place = PLUGIN_FOR_SERIES,
          .shows_fact = shows_fact, .json = cstate_json);
PLUGIN_OF(ramp, .order = 62, .show = view_ramp, .place = PLUGIN_FOR_SERIES, .json = ramp_json,
          .metrics = {.places = ramp_places, .others = ramp_others});
