/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/memory/host/cache_curve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/names.h"
#include "tools/base/alloc.h"
#include "tools/stats/summary.h"

#define CLEAR_FACTOR 2
#define CLEAR_POINTS 4

/* a level that holds more than this many times the claimed size is no cache */
#define MEMORY_FACTOR 2

/* ---- changes ---- */

/* The points that are used and the best way to cut them: [begin[i], i) is the last interval of the
 * best cut of the first i points. */
struct cut {
    const int64_t *size;
    double *cost;
    size_t count;
    double *sum;     /* sum of the logarithms of the first i costs */
    double *squares; /* sum of the squares of these logarithms */
    size_t *begin;
};

/* Returns the sum of squared distances of points [begin, end) from their mean. */
static double misfit(const struct cut *cut, size_t begin, size_t end)
{
    const double sum = cut->sum[end] - cut->sum[begin];

    return cut->squares[end] - cut->squares[begin] - sum * sum / (double)(end - begin);
}

static void find_changes(struct cut *cut)
{
    double *best = alloc_zeroed((cut->count + 1) * sizeof(*best));

    for (size_t end = 1; end <= cut->count; end++) {
        best[end] = INFINITY;
        for (size_t begin = 0; begin < end; begin++) {
            const double price = best[begin] + misfit(cut, begin, end) + LEVEL_CHANGE_PRICE;

            if (price < best[end]) {
                best[end] = price;
                cut->begin[end] = begin;
            }
        }
    }
    free(best);
}

/* ---- levels ---- */

struct stretch {
    size_t begin, end;
    double cost;
    size_t points; /* fewer than end - begin if it was merged from several */
};

/* Appends an interval, or merges it into the last one if their costs are close. */
static size_t add_stretch(struct stretch *stretches, size_t count, const struct stretch *stretch)
{
    struct stretch *last = count > 0 ? &stretches[count - 1] : NULL;
    const double ratio = last != NULL ? stretch->cost / last->cost : 0;

    if (last != NULL && ratio < LEVEL_FACTOR_MIN && ratio > 1 / LEVEL_FACTOR_MIN) {
        last->end = stretch->end;
        last->points += stretch->points;
        return count;
    }
    if (count == LEVELS_MAX) {
        return count;
    }
    stretches[count] = *stretch;
    return count + 1;
}

/* Collects the intervals that are long enough, in order. */
static size_t collect(const struct cut *cut, struct stretch stretches[LEVELS_MAX])
{
    struct stretch *all = alloc_zeroed((cut->count + 1) * sizeof(*all));
    size_t all_count = 0;
    size_t count = 0;

    for (size_t end = cut->count; end > 0; end = cut->begin[end]) {
        const size_t begin = cut->begin[end];

        if (end - begin >= LEVEL_POINTS_MIN) {
            all[all_count++] = (struct stretch){
                .begin = begin,
                .end = end,
                .cost = summary_quantile(cut->cost + begin, end - begin, 0.5),
                .points = end - begin,
            };
        }
    }
    while (all_count > 0) {
        count = add_stretch(stretches, count, &all[--all_count]);
    }
    free(all);
    return count;
}

/* Finds the cost that the curve reaches after the last level, from its last two points. Returns
 * false if it does not climb. */
static bool find_rest(const struct cut *cut, const struct stretch *last, struct stretch *rest)
{
    if (cut->count - last->end < 2) {
        return false;
    }
    *rest = (struct stretch){
        .begin = cut->count - 1,
        .end = cut->count,
        .cost = fmin(cut->cost[cut->count - 2], cut->cost[cut->count - 1]),
    };
    return rest->cost > last->cost * LEVEL_FACTOR_MIN;
}

static struct cache_level level_of(const struct cut *cut, const struct stretch *stretch,
                                   const struct stretch *next)
{
    struct cache_level level = {
        .cost = summary_quantile(cut->cost + stretch->begin, stretch->end - stretch->begin, 0.5),
        .points = stretch->points,
        .low = cut->size[stretch->end - 1],
    };

    if (next == NULL) {
        return level;
    }
    const double middle = sqrt(stretch->cost * next->cost);
    size_t at = stretch->end;

    while (at < next->begin && cut->cost[at] < middle) {
        at++;
    }
    level.low = cut->size[at - 1];
    level.high = cut->size[at];
    level.factor = next->cost / stretch->cost;
    return level;
}

static size_t levels_of(struct cut *cut, struct cache_level levels[LEVELS_MAX])
{
    struct stretch stretches[LEVELS_MAX];

    find_changes(cut);
    const size_t count = collect(cut, stretches);
    struct stretch rest;

    for (size_t i = 0; i + 1 < count; i++) {
        levels[i] = level_of(cut, &stretches[i], &stretches[i + 1]);
    }
    if (count > 0) {
        const struct stretch *last = &stretches[count - 1];

        levels[count - 1] = level_of(cut, last, find_rest(cut, last, &rest) ? &rest : NULL);
    }
    return count;
}

size_t cache_levels_find(const int64_t *size, const double *cost, size_t count,
                         struct cache_level levels[LEVELS_MAX])
{
    int64_t *sizes = alloc_zeroed((count + 1) * sizeof(*sizes));
    struct cut cut = {
        .size = sizes,
        .cost = alloc_zeroed((count + 1) * sizeof(*cut.cost)),
        .sum = alloc_zeroed((count + 1) * sizeof(*cut.sum)),
        .squares = alloc_zeroed((count + 1) * sizeof(*cut.squares)),
        .begin = alloc_zeroed((count + 1) * sizeof(*cut.begin)),
    };

    for (size_t i = 0; i < count; i++) {
        if (cost[i] > 0 && isfinite(cost[i])) {
            const double logarithm = log(cost[i]);

            sizes[cut.count] = size[i];
            cut.cost[cut.count] = cost[i];
            cut.sum[cut.count + 1] = cut.sum[cut.count] + logarithm;
            cut.squares[cut.count + 1] = cut.squares[cut.count] + logarithm * logarithm;
            cut.count++;
        }
    }
    const size_t found = levels_of(&cut, levels);

    free(sizes);
    free(cut.cost);
    free(cut.sum);
    free(cut.squares);
    free(cut.begin);
    return found;
}

bool cache_level_is_clear(const struct cache_level *level)
{
    return level->factor >= CLEAR_FACTOR && level->points >= CLEAR_POINTS;
}

/* ---- claims ---- */

size_t cache_claims_read(const struct run *run, struct cache_claim claims[LEVELS_MAX])
{
    size_t count = 0;

    for (unsigned level = 1; level <= LEVELS_MAX && count < LEVELS_MAX; level++) {
        char name[32];

        snprintf(name, sizeof(name), FACT_CACHE ".%ud", level);
        const char *text = run_pair_value(&run->machine, name);

        if (text == NULL) {
            snprintf(name, sizeof(name), FACT_CACHE ".%u", level);
            text = run_pair_value(&run->machine, name);
        }
        const long long bytes = text != NULL ? strtoll(text, NULL, 10) : 0;

        if (bytes > 0) {
            claims[count++] = (struct cache_claim){level, bytes, text};
        }
    }
    return count;
}

bool cache_claim_agrees(const struct cache_claim *claim, const struct cache_level *level)
{
    return claim->bytes >= level->low && level->high != 0 && claim->bytes <= level->high;
}

const struct cache_claim *cache_claim_of(const struct cache_claim *claims, size_t claim_count,
                                         const struct cache_level *levels, size_t index)
{
    for (size_t i = 0; i < claim_count; i++) {
        if (cache_claim_agrees(&claims[i], &levels[index])) {
            return &claims[i];
        }
    }
    const bool memory =
        index < claim_count && levels[index].low / MEMORY_FACTOR > claims[index].bytes;

    return index < claim_count && !memory ? &claims[index] : NULL;
}
