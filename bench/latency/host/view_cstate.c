/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints bench `cstate`: latency out of each idle state, by residency and by processor. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/latency/host/idle_states.h"
#include "bench/latency/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/present/reading.h"
#include "tools/run/run_kind.h"
#include "tools/stats/summary.h"

#define COLUMNS_MAX 8
#define ROWS_MAX    24

/* Of the processors that were in this state like that, all trials of a point: their median. */
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

/* Is it the first of its state? */
static bool is_first(const struct idle_state *states, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (states[i].together == states[index].together &&
            strcmp(states[i].name, states[index].name) == 0) {
            return false;
        }
    }
    return true;
}

/* A table by states and residencies. */
static void print_residencies(const struct view *view, const struct idle_state *states,
                              size_t count, bool together)
{
    const struct curve *first = &states[0].curve;
    const size_t columns = first->points < COLUMNS_MAX ? first->points : COLUMNS_MAX;
    struct table table;
    char text[AMOUNT_MAX];
    char span[IDLE_SPAN_MAX];

    print_paragraph(view->out, "latency by how long the timer was set to, %s%s, medians:",
                    together ? "all processors at once" : "one processor at a time",
                    span_note(view));
    table_init(&table, "lrrrrrrrr");
    table_row(&table);
    table_text(&table, "state");
    for (size_t i = 0; i < columns; i++) {
        table_text(&table, idle_span_text(first->x[i], span));
    }
    for (size_t i = 0; i < count; i++) {
        if (states[i].together != together || !is_first(states, i)) {
            continue;
        }
        table_row(&table);
        table_text(&table, states[i].name);
        for (size_t k = 0; k < columns && k < states[i].curve.points; k++) {
            table_text(&table, mean_text(view, median_at(states, count, &states[i], k), text));
        }
    }
    fputc('\n', view->out);
    table_print(&table, view->out, 2);
}

static void add_processor(struct table *table, const struct view *view,
                          const struct idle_state *state)
{
    const size_t n = state->curve.points * state->curve.trials;
    double *costs = alloc_zeroed(n * sizeof(*costs));
    char text[AMOUNT_MAX];

    memcpy(costs, state->curve.cost, n * sizeof(*costs));
    sort_reals(costs, n);
    table_row(table);
    table_text(table, state->name);
    table_text(table, state->together ? "all" : "one");
    table_signed(table, state->processor);
    table_text(table, mean_text(view, costs[0], text));
    table_text(table, mean_text(view, summary_quantile_of(costs, n, 0.5), text));
    table_text(table, mean_text(view, costs[n - 1], text));
    if (state->has_early) {
        table_signed(table, state->early);
    } else {
        table_text(table, NULL);
    }
    free(costs);
}

static void print_processors(const struct view *view, const struct idle_state *states, size_t count)
{
    static const char *const heads[] = {"state",  "at once", "processor", "min",
                                        "median", "max",     "early ends"};
    struct table table;

    print_paragraph(view->out, "of all residencies, by processor%s:", span_note(view));
    table_head(&table, "llrrrrr", heads);
    for (size_t i = 0; i < count && i < ROWS_MAX; i++) {
        add_processor(&table, view, &states[i]);
    }
    fputc('\n', view->out);
    table_print(&table, view->out, 2);
    if (count > ROWS_MAX) {
        print_paragraph(view->out, "%zu more are in the run file", count - ROWS_MAX);
    }
}

static void view_cstate(const struct view *view, const struct run_bench *bench)
{
    size_t count;
    struct idle_state *states = idle_states_read(bench, &count);
    bool together = false;

    if (count == 0) {
        print_paragraph(view->out, "no latencies: samples are missing");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        together = together || states[i].together;
    }
    print_residencies(view, states, count, false);
    if (together) {
        print_residencies(view, states, count, true);
    }
    print_processors(view, states, count);
    if (run_time(view->run) == RUN_TIME_EMULATED || run_is_exact(view->run)) {
        print_paragraph(view->out, "emulated: no state here saves power, and what it takes to come "
                                   "out is the emulator's");
    }
    idle_states_free(states, count);
}

/* They are in the table of processors. */
static bool shows_fact(const struct run_fact *fact)
{
    return strncmp(fact->name, PREFIX_EARLY, strlen(PREFIX_EARLY)) == 0;
}

READING_REGISTER(cstate_view) = {.bench = BENCH_CSTATE,
                                 .order = 206,
                                 .show = view_cstate,
                                 .place = READING_FOR_SERIES,
                                 .shows_fact = shows_fact};
