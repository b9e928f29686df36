/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the promises of bench `delivery` as a table, and writes their JSON. */
#include "bench/delivery/names.h"
#include "bench/delivery/promise.h"
#include "tools/base/table.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"

/* The samples of the three series by promise; NULL: incomplete. */
struct promises {
    const int64_t *tried, *broken, *first;
};

static const int64_t *samples_of(const struct run_bench *bench, const char *name)
{
    const struct run_series *series = run_find_whole(bench, name);

    return series != NULL && series->n == PROMISES ? series->samples : NULL;
}

static bool read_promises(const struct run_bench *bench, struct promises *promises)
{
    promises->tried = samples_of(bench, SERIES_TRIED);
    promises->broken = samples_of(bench, SERIES_BROKEN);
    promises->first = samples_of(bench, SERIES_FIRST);
    return promises->tried != NULL && promises->broken != NULL && promises->first != NULL;
}

static void view_delivery(const struct view *view, const struct run_bench *bench)
{
    struct promises promises;
    struct table table;

    if (!read_promises(bench, &promises)) {
        print_paragraph(view->out, "no promises: samples are missing");
        return;
    }
    table_open(&table, "llrrrr", "promise\tmade in\ttried\tkept\tviolations\tfirst offset");
    for (enum promise i = 0; i < PROMISES; i++) {
        const int64_t broken = promises.broken[i];
        const bool known = promises.tried[i] > 0;

        table_named_row(&table, promise_texts[i].name);
        table_text(&table, promise_texts[i].section);
        table_known(&table, known, promises.tried[i]);
        table_known(&table, known, promises.tried[i] - broken);
        table_known(&table, known, broken);
        table_colour(&table, broken > 0 ? COLOUR_BAD : COLOUR_PLAIN);
        table_known(&table, broken > 0, promises.first[i]);
    }
    view_table(view, &table);
}

/* Writes an object for each promise that was tried. */
static void json_delivery(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct promises promises;
    const bool known = read_promises(bench, &promises);

    (void)run;
    json_array(json, "promises");
    for (enum promise i = 0; known && i < PROMISES; i++) {
        if (promises.tried[i] > 0) {
            json_object(json, NULL);
            json_text(json, "name", promise_texts[i].name);
            json_text(json, "section", promise_texts[i].section);
            json_signed(json, "tried", promises.tried[i]);
            json_signed(json, "broken", promises.broken[i]);
            json_signed(json, "first_offset", promises.first[i]);
            json_close(json);
        }
    }
    json_close(json);
}

PLUGIN_OF(delivery, .order = 505, .show = view_delivery, .place = PLUGIN_FOR_SERIES,
          .json = json_delivery);
