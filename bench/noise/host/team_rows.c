/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/noise/host/team_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/noise/host/gap_join.h"
#include "bench/noise/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"

#define PPM 1e6

/* Returns false if the fact is missing or negative. */
static bool take(const struct gap_names *names, const char *name, int64_t *value)
{
    const struct run_fact *fact = gap_fact_for(names, name);

    if (fact == NULL || fact->value < 0) {
        return false;
    }
    *value = fact->value;
    return true;
}

static bool read_row(const struct gap_names *names, struct team_row *row)
{
    int64_t elapsed;
    int64_t dead;
    int64_t over;

    if (!take(names, FACT_GAP_ELAPSED, &elapsed) || !take(names, FACT_DEAD, &dead) ||
        !take(names, FACT_OVER, &over) || !take(names, FACT_STOLEN, &row->stolen) ||
        !take(names, FACT_SMALLEST, &row->smallest) ||
        !take(names, FACT_THRESHOLD, &row->threshold) || elapsed <= dead) {
        return false;
    }
    row->over = (uint64_t)over;
    row->watched = (double)elapsed - (double)dead;
    row->stolen_ppm = over > 0 && row->threshold / 2 < row->smallest
                          ? NAN
                          : PPM * (double)row->stolen / row->watched;
    return over == 0 || (take(names, FACT_LARGEST, &row->largest) &&
                         take(names, FACT_LARGEST_AT, &row->largest_at));
}

void team_rows_of(const struct run_bench *bench, struct team_rows *rows)
{
    struct gap_names names = gap_names_of(bench);

    rows->count = gap_names_count(&names);
    rows->row = alloc_zeroed(rows->count * sizeof(*rows->row));
    for (size_t i = 0; i < rows->count; i++) {
        struct team_row *row = &rows->row[i];

        row->known = gap_names_take(&names, i) && read_row(&names, row);
        row->number = names.number;
    }
}

void team_rows_free(struct team_rows *rows)
{
    free(rows->row);
    *rows = (struct team_rows){0};
}

const struct team_row *team_rows_longest(const struct team_rows *rows)
{
    const struct team_row *longest = NULL;

    for (size_t i = 0; i < rows->count; i++) {
        const struct team_row *row = &rows->row[i];

        if (!row->known) {
            return NULL;
        }
        if (row->over > 0 && (longest == NULL || row->largest > longest->largest)) {
            longest = row;
        }
    }
    return longest;
}

bool team_fact_is_of(const struct run_fact *fact, const char *const *names, size_t count)
{
    const char *const dot = strchr(fact->name, '.');

    if (dot == NULL || dot[1] == '\0' || dot[1 + strspn(dot + 1, "0123456789")] != '\0') {
        return false;
    }
    const size_t length = (size_t)(dot - fact->name);

    return SEARCH_ANY(i, count,
                      strlen(names[i]) == length && strncmp(names[i], fact->name, length) == 0);
}

bool team_shows_fact(const struct run_fact *fact)
{
    static const char *const names[] = {
        FACT_ORIGIN,       FACT_READS,         FACT_GAP_ELAPSED, FACT_DEAD,     FACT_OVER,
        FACT_DEAD_LARGEST, FACT_DEAD_SMALLEST, FACT_THRESHOLD,   FACT_STOLEN,   FACT_LARGEST,
        FACT_LARGEST_AT,   FACT_REST,          FACT_UNKEPT,      FACT_REST_SUM, FACT_WATCH_BYTES,
        FACT_FLIGHT_END,   FACT_ROUNDS,        FACT_AWAY,        FACT_SMALLEST, FACT_SMI,
        FACT_SMI_TICKS};

    return team_fact_is_of(fact, names, sizeof(names) / sizeof(names[0]));
}
