/* SPDX-License-Identifier: BSD-2-Clause */
/* Gaps of a run as rows: when, how long, and whether all processors stood still. */
#include <stdlib.h>

#include "bench/noise/host/gap_bench.h"
#include "bench/noise/host/gap_join.h"
#include "bench/noise/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/finding/digest_tables.h"

struct row {
    uint64_t processor;
    struct gap_span span;
};

struct rows {
    struct row *item;
    size_t count, capacity;
    size_t processors; /* that watched */
    const char *why;   /* they could not be joined; NULL: they were */
};

static void add(struct rows *rows, uint64_t processor, const struct gap_span *span)
{
    rows->item = alloc_append(rows->item, &rows->count, &rows->capacity, sizeof(*rows->item));
    rows->item[rows->count - 1] = (struct row){processor, *span};
}

static void add_join(struct rows *rows, const struct gap_join *join)
{
    for (size_t i = 0; i < join->lane_count; i++) {
        const struct gap_lane *lane = &join->lanes[i];

        for (size_t k = 0; k < lane->count; k++) {
            add(rows, lane->number, &lane->gaps[k]);
        }
    }
}

static void add_list(struct rows *rows, uint64_t processor, const struct run_series *times,
                     const struct run_series *lengths)
{
    int64_t at, length, end;

    for (uint32_t i = 0; times != NULL && lengths != NULL && i < times->n; i++) {
        if (run_series_sample(times, i, &at) && run_series_sample(lengths, i, &length) &&
            length >= 0 && !__builtin_add_overflow(at, length, &end)) {
            add(rows, processor, &(struct gap_span){.begin = at, .end = end});
        }
    }
}

/* Of each processor by its own clock. */
static void add_alone(struct rows *rows, const struct run_bench *bench)
{
    const struct gap_names names = gap_names_of(bench);
    uint64_t number;

    rows->processors = gap_names_count(&names);
    for (size_t i = 0; i < rows->processors; i++) {
        if (gap_names_number(&names, i, &number)) {
            add_list(rows, number, gap_series_for(bench, &names, SERIES_GAP_TIME, number),
                     gap_series_for(bench, &names, SERIES_GAP_LENGTH, number));
            add_list(rows, number, gap_series_for(bench, &names, SERIES_WORST_TIME, number),
                     gap_series_for(bench, &names, SERIES_WORST_LENGTH, number));
        }
    }
}

static int by_time(const void *left, const void *right)
{
    const struct row *a = left;
    const struct row *b = right;

    if (a->span.begin != b->span.begin) {
        return a->span.begin < b->span.begin ? -1 : 1;
    }
    return (a->processor > b->processor) - (a->processor < b->processor);
}

static int by_length(const void *left, const void *right)
{
    const struct gap_span *a = &((const struct row *)left)->span;
    const struct gap_span *b = &((const struct row *)right)->span;

    if (a->end - a->begin != b->end - b->begin) {
        return a->end - a->begin > b->end - b->begin ? -1 : 1;
    }
    return by_time(left, right);
}

static bool put_rows(struct row_sink *sink, const struct run_bench *bench, struct rows *rows)
{
    bool ok = true;

    if (rows->count > DIGEST_GAPS_MAX) {
        sort_stable(rows->item, rows->count, sizeof(*rows->item), by_length);
        rows->count = DIGEST_GAPS_MAX;
    }
    if (rows->count > 0) {
        sort_stable(rows->item, rows->count, sizeof(*rows->item), by_time);
    }
    for (size_t i = 0; i < rows->count && ok; i++) {
        const struct gap_span *span = &rows->item[i].span;
        const int64_t stop = (int64_t)span->stop + 1;
        const char *reason = span->class != GAP_UNKNOWN ? NULL
                             : rows->why != NULL        ? rows->why
                                                        : gap_why_text(span->why);

        ok = row_put(sink, &digest_tables[DIGEST_GAP], "tuuiiuout", bench->name,
                     (uint64_t)bench->pass, rows->item[i].processor, span->begin,
                     span->end - span->begin, (uint64_t)span->class,
                     span->class == GAP_WORLD ? &stop : NULL, (uint64_t)rows->processors,
                     rows->processors > 1 ? reason : NULL);
    }
    return ok;
}

static bool put_gaps(struct row_sink *sink, const struct run_bench *bench)
{
    struct rows rows = {0};
    struct gap_join join = {0};

    if (gap_join_of(bench, &join, &rows.why)) {
        rows.processors = join.lane_count;
        add_join(&rows, &join);
    } else {
        add_alone(&rows, bench);
    }
    const bool ok = put_rows(sink, bench, &rows);

    gap_join_free(&join);
    free(rows.item);
    return ok;
}

bool digest_gaps(const struct run *run, struct row_sink *sink)
{
    bool ok = true;

    for (size_t i = 0; i < run->bench_count && ok; i++) {
        if (run_find_series(&run->benches[i], SERIES_GAP_LENGTH) != NULL &&
            run_find_series(&run->benches[i], SERIES_GAP_TIME) != NULL) {
            ok = put_gaps(sink, &run->benches[i]);
        }
    }
    return ok;
}
