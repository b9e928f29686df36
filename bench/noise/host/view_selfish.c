/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints bench `selfish`: netgauge's detours of each processor, and those above 1 us. */
#include <inttypes.h>

#include "bench/noise/host/gap_join.h"
#include "bench/noise/host/sensitivity.h"
#include "bench/noise/host/team_rows.h"
#include "bench/noise/host/view_noise.h"
#include "bench/noise/names.h"
#include "kernel/run/names.h"
#include "tools/present/reading.h"
#include "tools/present/view.h"

static void print_detours(const struct view *view, const struct run_bench *bench)
{
    static const char *const heads[] = {"processor", "smallest", "threshold", "detours",
                                        "in total",  "longest",  "above 1 us"};
    const struct gap_names names = gap_names_of(bench);
    struct team_rows rows;
    struct table table;
    char text[AMOUNT_MAX];
    char finds[SENSITIVITY_TEXT_MAX];
    bool none = true;

    team_rows_of(bench, &rows);
    table_head(&table, "rrrrrrr", heads);
    for (size_t i = 0; i < rows.count; i++) {
        const struct team_row *row = &rows.row[i];
        const struct run_fact *over = gap_fact_for(bench, &names, FACT_OVER_1US, row->number);

        table_row(&table);
        table_signed(&table, (int64_t)row->number);
        if (!row->known) {
            continue;
        }
        table_text(&table, amount_text(view, row->smallest, UNIT_TICK, text));
        table_text(&table, amount_text(view, row->threshold, UNIT_TICK, text));
        table_signed(&table, (int64_t)row->over);
        table_text(&table, amount_text(view, row->stolen, UNIT_TICK, text));
        table_text(&table, row->over > 0 ? amount_text(view, row->largest, UNIT_TICK, text) : NULL);
        if (over != NULL) {
            table_signed(&table, over->value);
        } else {
            table_text(&table, NULL);
        }
    }
    fputc('\n', view->out);
    table_print(&table, view->out, 2);
    for (size_t i = 0; i < rows.count; i++) {
        none = none && rows.row[i].known && rows.row[i].over == 0;
    }
    if (none) {
        print_paragraph(view->out, "no detour above the threshold; %s",
                        sensitivity_text_of(view, bench, finds));
    }
    team_rows_free(&rows);
}

static void view_selfish(const struct view *view, const struct run_bench *bench)
{
    print_detours(view, bench);
    view_team(view, bench);
    view_causes(view, bench);
    view_flight(view, bench);
}

READING_REGISTER(selfish_view) = {.bench = BENCH_SELFISH,
                                  .order = 205,
                                  .show = view_selfish,
                                  .place = READING_FOR_SERIES,
                                  .shows_fact = team_shows_fact};
