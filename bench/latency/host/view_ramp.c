/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints bench `ramp`: speed behind a wake-up, when it has settled, and what that costs. */
#include <string.h>

#include "bench/latency/host/ramp_speed.h"
#include "bench/latency/names.h"
#include "tools/present/reading.h"

#define MHZ 1e3 /* cycles a tick, by ns of a tick */

/* By APERF MHz where the TSC's rate is known, else cycles a tick; without APERF per cent of the
 * fastest. */
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

    table_row(table);
    table_text(table, ramp->state);
    add_speed(table, view, ramp, ramp->speed[0]);
    add_speed(table, view, ramp, ramp->final);
    table_text(table, ramp->has_settled ? mean_text(view, ramp->settled, text) : "not settled");
    table_text(table, ramp->has_settled ? mean_text(view, ramp->lost, text) : NULL);
    table_text(table, mean_text(view, ramp->end[ramp->pieces - 1], text));
}

static void view_ramp(const struct view *view, const struct run_bench *bench)
{
    static const char *const heads[] = {"idled by", "at first", "at last",
                                        "settled",  "lost",     "worked for"};
    struct ramp ramps[RAMP_STATES_MAX];
    const size_t count = ramps_read(bench, ramps);
    struct table table;

    if (count == 0) {
        print_paragraph(view->out, "no speeds: samples are missing");
        return;
    }
    print_paragraph(view->out,
                    "speed of pieces of work after a wake-up, by %s. Settled: all later pieces "
                    "are within 1 %% of the last quarter's median; lost until then, as work at "
                    "that speed%s:",
                    ramps[0].by_aperf ? "APERF and the TSC" : "their time alone", span_note(view));
    table_head(&table, "lrrrrr", heads);
    for (size_t i = 0; i < count; i++) {
        add_row(&table, view, &ramps[i]);
        ramp_free(&ramps[i]);
    }
    fputc('\n', view->out);
    table_print(&table, view->out, 2);
}

READING_REGISTER(ramp_view) = {
    .bench = BENCH_RAMP, .order = 207, .show = view_ramp, .place = READING_FOR_SERIES};
