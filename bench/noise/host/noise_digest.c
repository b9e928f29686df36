/* SPDX-License-Identifier: BSD-2-Clause */
/* Benches gap and selfish in a line: all gaps of all processors, kept or not. */
#include <stdio.h>

#include "bench/noise/host/team_rows.h"
#include "bench/noise/names.h"
#include "kernel/run/names.h"
#include "tools/present/digest.h"
#include "tools/present/reading.h"
#include "tools/stats/statistics.h"

/* Where one processor watched, and the list of its gaps is whole, it has quantiles. */
static void put_quantiles(const struct view *view, const struct run_bench *bench,
                          const struct team_rows *rows, struct digest *digest)
{
    const struct run_series *lengths = run_find_series(bench, SERIES_GAP_LENGTH);
    struct statistics statistics;

    if (rows->count != 1 || lengths == NULL || lengths->received != rows->row[0].over) {
        return;
    }
    statistics_of(lengths->samples, lengths->received, &statistics);
    digest_ticks(view, (double)statistics.median, digest->p50);
    if (statistics.has_p99) {
        digest_ticks(view, (double)statistics.p99, digest->p99);
    }
}

/* "none above 1.000 us in 2.000 s" */
static void put_none(const struct view *view, const struct team_rows *rows, struct digest *digest)
{
    char threshold[AMOUNT_MAX];
    char watched[AMOUNT_MAX];
    int64_t highest = 0;
    double shortest = rows->row[0].watched;

    for (size_t i = 0; i < rows->count; i++) {
        const struct team_row *row = &rows->row[i];

        highest = row->threshold > highest ? row->threshold : highest;
        shortest = row->watched < shortest ? row->watched : shortest;
    }
    amount_text(view, highest, UNIT_TICK, threshold);
    amount_text(view, (int64_t)shortest, UNIT_TICK, watched);
    snprintf(digest->text, sizeof(digest->text), "none above %s in %s, %zu processor%s", threshold,
             watched, rows->count, rows->count == 1 ? "" : "s");
}

static bool gap_digest(const struct view *view, const struct run_bench *bench,
                       struct digest *digest)
{
    struct team_rows rows;
    int64_t longest = 0;
    uint64_t over = 0;
    bool known;

    team_rows_of(bench, &rows);
    known = rows.count > 0;
    for (size_t i = 0; i < rows.count; i++) {
        known = known && rows.row[i].known;
        over += rows.row[i].over;
        longest =
            rows.row[i].over > 0 && rows.row[i].largest > longest ? rows.row[i].largest : longest;
    }
    if (known && over == 0) {
        put_none(view, &rows, digest);
    } else if (known) {
        snprintf(digest->what, sizeof(digest->what), "gap, %zu processor%s", rows.count,
                 rows.count == 1 ? "" : "s");
        digest->has_n = true;
        digest->n = over;
        put_quantiles(view, bench, &rows, digest);
        digest_ticks(view, (double)longest, digest->max);
    }
    team_rows_free(&rows);
    return known;
}

READING_REGISTER(gap_digest) = {.bench = BENCH_GAP, .order = 520, .digest = gap_digest};
READING_REGISTER(selfish_digest) = {.bench = BENCH_SELFISH, .order = 520, .digest = gap_digest};
