/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/latency/host/ways.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/latency/names.h"
#include "bench/system/names.h"
#include "tools/base/alloc.h"

#define NAME_BYTES 64
#define TAIL_MIN   10 /* least number of samples above a quantile that is printed */

static const char *const names[WAY_SPAN_COUNT] = {SPAN_HANDLER, SPAN_DPC, SPAN_THREAD, SPAN_WHOLE};

const char *way_span_name(enum way_span span)
{
    return names[span];
}

/* Returns NAME SUFFIX.NUMBER. */
static const char *name_of(const char *name, const char *suffix, uint64_t number,
                           char text[NAME_BYTES])
{
    snprintf(text, NAME_BYTES, "%s%s.%" PRIu64, name, suffix, number);
    return text;
}

static bool take(const struct run_bench *bench, const char *name, const char *suffix,
                 uint64_t number, int64_t *value)
{
    char text[NAME_BYTES];
    const struct run_fact *fact = run_find_fact(bench, name_of(name, suffix, number, text));

    *value = fact != NULL ? fact->value : 0;
    return fact != NULL && fact->value >= 0;
}

/* Checks that bounds ascend and that counts are above 0 and add up to `periods`. */
static bool is_histogram(const struct way_book *book, uint64_t periods)
{
    uint64_t sum = 0;

    if (book->bound == NULL || book->count == NULL || book->bound->n != book->count->n ||
        book->bound->n == 0 || !run_series_whole(book->bound) || !run_series_whole(book->count)) {
        return false;
    }
    for (size_t i = 0; i < book->bound->n; i++) {
        const int64_t count = book->count->samples[i];

        if (book->bound->samples[i] < 0 || count <= 0 || (uint64_t)count > periods - sum ||
            (i > 0 && book->bound->samples[i] <= book->bound->samples[i - 1])) {
            return false;
        }
        sum += (uint64_t)count;
    }
    return sum == periods;
}

static bool read_book(const struct run_bench *bench, const char *name, struct way_lane *lane,
                      struct way_book *book)
{
    char text[NAME_BYTES];

    book->bound = run_find_series(bench, name_of(name, SUFFIX_BOUND, lane->number, text));
    book->count = run_find_series(bench, name_of(name, SUFFIX_COUNT, lane->number, text));
    return take(bench, name, SUFFIX_MIN, lane->number, &book->min) &&
           take(bench, name, SUFFIX_MAX, lane->number, &book->max) &&
           take(bench, name, SUFFIX_MAX_AT, lane->number, &book->max_at) &&
           take(bench, name, SUFFIX_SUM, lane->number, &book->sum) && book->min <= book->max &&
           is_histogram(book, lane->periods);
}

static void read_lane(const struct run_bench *bench, struct way_lane *lane)
{
    int64_t periods;
    int64_t overruns;

    lane->known = take(bench, FACT_PERIODS, "", lane->number, &periods) &&
                  take(bench, FACT_OVERRUNS, "", lane->number, &overruns) && periods > 0;
    if (!lane->known) {
        return;
    }
    lane->periods = (uint64_t)periods;
    lane->overruns = (uint64_t)overruns;
    for (enum way_span span = 0; span < WAY_SPAN_COUNT; span++) {
        lane->known = read_book(bench, names[span], lane, &lane->book[span]) && lane->known;
    }
}

bool ways_of(const struct run_bench *bench, struct ways *ways)
{
    const struct run_series *numbers = run_find_series(bench, SERIES_NUMBER);
    char text[NAME_BYTES];

    *ways = (struct ways){.period = run_fact_or(bench, FACT_PERIOD, 0)};
    if (numbers == NULL) {
        return false;
    }
    ways->lane = alloc_zeroed((numbers->n + 1) * sizeof(*ways->lane));
    for (uint32_t i = 0; i < numbers->n; i++) {
        int64_t number;

        /* processors that load have no periods */
        if (!run_series_sample(numbers, i, &number) || number < 0 ||
            run_find_fact(bench, name_of(FACT_PERIODS, "", (uint64_t)number, text)) == NULL) {
            continue;
        }
        ways->lane[ways->count].number = (uint64_t)number;
        read_lane(bench, &ways->lane[ways->count++]);
    }
    return ways->count > 0;
}

void ways_free(struct ways *ways)
{
    free(ways->lane);
    *ways = (struct ways){0};
}

bool way_has_quantile(const struct way_lane *lane, uint64_t part)
{
    return (double)lane->periods * (double)(WAY_MILLION - part) >= (double)TAIL_MIN * WAY_MILLION;
}

int64_t way_quantile(const struct way_lane *lane, enum way_span span, uint64_t part)
{
    const struct way_book *book = &lane->book[span];
    const double wanted = (double)lane->periods * (double)part / WAY_MILLION;
    double seen = 0;

    for (size_t i = 0; i < book->bound->n; i++) {
        const int64_t bound = book->bound->samples[i];

        seen += (double)book->count->samples[i];
        if (seen >= wanted) {
            return bound > book->min ? (bound < book->max ? bound : book->max) : book->min;
        }
    }
    return book->max;
}
