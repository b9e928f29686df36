/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/match.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"

#define FILTER_WORDS 64

/* The rows of an address. */
struct place {
    uint64_t address;
    struct row *rows;
    size_t count, capacity;
    bool too_many;
};

struct places {
    struct place *item;
    size_t count, capacity;
};

/* The interval between two rows. */
struct stretch {
    const struct row *from, *to;
    uint64_t instructions;
};

struct chain {
    struct stretch *item;
    size_t count, capacity;
    uint64_t filter[FILTER_WORDS]; /* bits of a hash of all lengths, to rule out others */
};

static struct place *place_of(struct places *places, uint64_t address)
{
    for (size_t i = 0; i < places->count; i++) {
        if (places->item[i].address == address) {
            return &places->item[i];
        }
    }
    places->item =
        alloc_append(places->item, &places->count, &places->capacity, sizeof(*places->item));
    places->item[places->count - 1].address = address;
    return &places->item[places->count - 1];
}

static void step(struct row *row, const struct row_record *record, uint64_t times)
{
    row->address = record->address;
    row->number += times;
    for (size_t column = 0; column < ROW_COLUMNS; column++) {
        row->total[column] += times * record->counted[column];
    }
}

/* Adds `times` rows of a record. *row is the row before the first of them, and becomes the last. */
static void add_rows(struct places *places, const struct row_record *record, uint64_t times,
                     struct row *row)
{
    struct place *place = place_of(places, record->address);

    place->too_many = place->too_many || times > MATCH_ROWS_MAX - place->count;
    if (place->too_many) {
        step(row, record, times);
        return;
    }
    place->rows = alloc_grow(place->rows, &place->capacity, place->count + times, sizeof(*row));
    for (uint64_t k = 0; k < times; k++) {
        step(row, record, 1);
        place->rows[place->count++] = *row;
    }
}

static void collect(const struct rows *rows, uint64_t first, uint64_t last, struct places *places)
{
    struct row row;

    rows_at(rows, first, &row);
    for (size_t i = rows_record_of(rows, first); i < rows->count && row.number < last; i++) {
        const struct row_record *record = &rows->records[i];
        const uint64_t end = rows->first_row[i] + record->rows - 1; /* its last row */
        const uint64_t to = end < last ? end : last;

        if (to > row.number) {
            add_rows(places, record, to - row.number, &row);
        }
    }
}

static unsigned filter_bit(uint64_t instructions)
{
    return (unsigned)(instructions * 0x9e3779b97f4a7c15ull >> 52);
}

static void add_stretch(struct chain *chain, const struct row *from, const struct row *to)
{
    const uint64_t instructions = to->total[ROW_INSTRUCTIONS] - from->total[ROW_INSTRUCTIONS];
    const unsigned bit = filter_bit(instructions);

    chain->item = alloc_grow(chain->item, &chain->capacity, chain->count + 1, sizeof(*chain->item));
    chain->item[chain->count++] = (struct stretch){from, to, instructions};
    chain->filter[bit / 64] |= 1ull << bit % 64;
}

/* Collects, for each reading at `from` that is followed by one at `to` before the next at `from`,
 * the interval between them. */
static void link_places(const struct place *from, const struct place *to, struct chain *chain)
{
    size_t k = 0;

    chain->count = 0;
    memset(chain->filter, 0, sizeof(chain->filter));
    for (size_t i = 0; i < from->count; i++) {
        const uint64_t number = from->rows[i].number;

        while (k < to->count && to->rows[k].number <= number) {
            k++;
        }
        if (k == to->count) {
            return;
        }
        if (i + 1 == from->count || to->rows[k].number <= from->rows[i + 1].number) {
            add_stretch(chain, &from->rows[i], &to->rows[k]);
        }
    }
}

static bool may_hold(const struct chain *chain, const struct match_series *series)
{
    const size_t tried[] = {0, series->count / 3, series->count / 2, series->count - 1};

    for (size_t i = 0; i < sizeof(tried) / sizeof(tried[0]); i++) {
        const unsigned bit = filter_bit(series->instructions[tried[i]]);

        if ((chain->filter[bit / 64] >> bit % 64 & 1) == 0) {
            return false;
        }
    }
    return true;
}

static int64_t count_between(const struct stretch *stretch, size_t column)
{
    return (int64_t)(stretch->to->total[column] - stretch->from->total[column]);
}

/* Prepares the counts before the first place that fits. */
static void begin_counts(struct match_series *series)
{
    for (size_t column = 0; column < ROW_COLUMNS && series->places == 0; column++) {
        series->counts[column] = alloc_zeroed((series->count + 1) * sizeof(int64_t));
        series->known[column] = true;
    }
}

static void know_instructions_alone(struct match_series *series)
{
    for (size_t column = 0; column < ROW_COLUMNS; column++) {
        series->known[column] = column == ROW_INSTRUCTIONS;
    }
}

/* Takes a place: the series fits at intervals `first`, `first` + `step`, and so on. */
static void take_place(struct match_series *series, const struct chain *chain, size_t first,
                       size_t step)
{
    begin_counts(series);
    for (size_t column = 0; column < ROW_COLUMNS; column++) {
        for (size_t i = 0; i < series->count && series->known[column]; i++) {
            const int64_t value = count_between(&chain->item[first + i * step], column);

            if (series->places == 0) {
                series->counts[column][i] = value;
            }
            series->known[column] = series->counts[column][i] == value;
        }
    }
    if (++series->places == MATCH_PLACES_MAX) {
        know_instructions_alone(series);
    }
}

/* ---- samples only in order ---- */

/* Finds the first intervals at which the samples can lie in their order. Returns false if they
 * cannot. */
static bool find_first(const struct match_series *series, const struct chain *chain, size_t *at)
{
    size_t k = 0;

    for (size_t i = 0; i < series->count; i++, k++) {
        while (k < chain->count && chain->item[k].instructions != series->instructions[i]) {
            k++;
        }
        if (k == chain->count) {
            return false;
        }
        at[i] = k;
    }
    return true;
}

/* Finds the last such intervals. They exist if find_first() succeeded. */
static void find_last(const struct match_series *series, const struct chain *chain, size_t *at)
{
    size_t k = chain->count;

    for (size_t i = series->count; i-- > 0;) {
        do {
            k--;
        } while (chain->item[k].instructions != series->instructions[i]);
        at[i] = k;
    }
}

/* Takes the counts of sample `index` at all intervals of its length from `first` to `last`. */
static void take_range(struct match_series *series, const struct chain *chain, size_t index,
                       size_t first, size_t last)
{
    bool is_first = series->places == 0;

    for (size_t k = first; k <= last; k++) {
        if (chain->item[k].instructions != series->instructions[index]) {
            continue;
        }
        for (size_t column = 0; column < ROW_COLUMNS; column++) {
            const int64_t value = count_between(&chain->item[k], column);

            if (is_first) {
                series->counts[column][index] = value;
            }
            series->known[column] = series->known[column] && series->counts[column][index] == value;
        }
        is_first = false;
    }
}

/* Tries samples as intervals in order, with others between them. Each sample then has a first and a
 * last possible place. Counts that are the same at all places of its length between these are
 * known. */
static void try_order(struct match_series *series, const struct chain *chain)
{
    if (series->count < MATCH_ORDER_MIN || chain->count < series->count ||
        !may_hold(chain, series)) {
        return;
    }
    size_t *first = alloc_zeroed(series->count * sizeof(*first));
    size_t *last = alloc_zeroed(series->count * sizeof(*last));
    size_t work = 0;

    if (find_first(series, chain, first)) {
        find_last(series, chain, last);
        begin_counts(series);
        for (size_t i = 0; i < series->count; i++) {
            work += last[i] - first[i] + 1;
            take_range(series, chain, i, first[i], work < MATCH_WORK_MAX ? last[i] : first[i]);
        }
        series->places++;
        if (work >= MATCH_WORK_MAX) {
            know_instructions_alone(series);
        }
    }
    free(first);
    free(last);
}

/* ---- samples at equal steps ---- */

/* Makes the table of Knuth, Morris and Pratt: how much of the series may still match after its
 * first i samples matched and the next did not. The caller frees it. */
static size_t *failure_table(const struct match_series *series)
{
    size_t *table = alloc_zeroed((series->count + 1) * sizeof(*table));
    size_t length = 0;

    for (size_t i = 1; i < series->count; i++) {
        while (length > 0 && series->instructions[i] != series->instructions[length]) {
            length = table[length];
        }
        length += series->instructions[i] == series->instructions[length];
        table[i + 1] = length;
    }
    return table;
}

static void search(struct match_series *series, const size_t *table, const struct chain *chain,
                   size_t first, size_t step)
{
    size_t length = 0;

    for (size_t i = first; i < chain->count && series->places < MATCH_PLACES_MAX; i += step) {
        const uint64_t instructions = chain->item[i].instructions;

        while (length > 0 && instructions != series->instructions[length]) {
            length = table[length];
        }
        length += instructions == series->instructions[length];
        if (length == series->count) {
            take_place(series, chain, i - (length - 1) * step, step);
            length = table[length];
        }
    }
}

static void try_chain(struct match_series *series, const struct chain *chain)
{
    if (series->count == 0 || chain->count < series->count || !may_hold(chain, series)) {
        return;
    }
    size_t *table = failure_table(series);

    for (size_t step = 1; step <= MATCH_STEPS && (step == 1 || series->count > 1); step++) {
        if ((series->count - 1) * step >= chain->count) {
            break;
        }
        for (size_t first = 0; first < step; first++) {
            search(series, table, chain, first, step);
        }
    }
    free(table);
}

typedef void try_pair(struct match_series *series, const struct chain *chain);

/* Tries each pair of places for each series that `wanted` marks. */
static void try_pairs(const struct places *places, struct match_series *series, size_t series_count,
                      const bool *wanted, try_pair *try)
{
    struct chain chain = {0};

    for (size_t a = 0; a < places->count; a++) {
        for (size_t b = 0; b < places->count; b++) {
            if (places->item[a].too_many || places->item[b].too_many) {
                continue;
            }
            link_places(&places->item[a], &places->item[b], &chain);
            for (size_t i = 0; i < series_count; i++) {
                if (wanted[i]) {
                    try(&series[i], &chain);
                }
            }
        }
    }
    free(chain.item);
}

void match_all(const struct rows *rows, uint64_t first, uint64_t last, struct match_series *series,
               size_t series_count)
{
    bool *wanted = alloc_zeroed((series_count + 1) * sizeof(*wanted));
    struct places places = {0};
    size_t left = 0;

    collect(rows, first, last, &places);
    memset(wanted, true, series_count * sizeof(*wanted));
    try_pairs(&places, series, series_count, wanted, try_chain);
    for (size_t i = 0; i < series_count; i++) {
        wanted[i] = series[i].places == 0 && series[i].count > 0;
        left += wanted[i];
    }
    if (left > 0) {
        try_pairs(&places, series, series_count, wanted, try_order);
    }
    for (size_t i = 0; i < places.count; i++) {
        free(places.item[i].rows);
    }
    free(places.item);
    free(wanted);
}

void match_free(struct match_series *series)
{
    free(series->instructions);
    for (size_t column = 0; column < ROW_COLUMNS; column++) {
        free(series->counts[column]);
        series->counts[column] = NULL;
    }
}
