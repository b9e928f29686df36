/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/stats/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/base/sort.h"

/* Returns the nearest rank, counted from 0. */
static size_t rank_of(size_t n, uint32_t numerator, uint32_t denominator)
{
    return (n * numerator + denominator - 1) / denominator - 1;
}

int64_t statistics_quantile(const int64_t *sorted, size_t n, uint32_t numerator,
                            uint32_t denominator)
{
    return sorted[rank_of(n, numerator, denominator)];
}

/* Samples that are read in order, section by section. */
struct look {
    const int64_t *samples;
    size_t n;
    void (*done)(void *context, size_t first, size_t count);
    void *context;
};

/* Reports that the section from `first` on has been read. Returns where the next begins. */
static size_t end_stretch(const struct look *look, size_t first, size_t count)
{
    if (look->done != NULL) {
        look->done(look->context, first, count);
    }
    return first + count;
}

static size_t stretch_at(const struct look *look, size_t first)
{
    return look->n - first < STATISTICS_STRETCH ? look->n - first : STATISTICS_STRETCH;
}

/* A sum of STATISTICS_STRETCH samples of at most this size fits 64 bits. */
#define SMALL_MAX (INT64_MAX / STATISTICS_STRETCH)

/* Finds the minimum and maximum of a section and returns its sum. */
static __int128 look_at_stretch(const int64_t *samples, size_t count, int64_t *min, int64_t *max)
{
    int64_t low = INT64_MAX;
    int64_t high = INT64_MIN;
    int64_t small = 0;
    __int128 total = 0;

    for (size_t i = 0; i < count; i++) {
        low = samples[i] < low ? samples[i] : low;
        high = samples[i] > high ? samples[i] : high;
    }
    *min = low < *min ? low : *min;
    *max = high > *max ? high : *max;
    if (low >= -SMALL_MAX && high <= SMALL_MAX) {
        for (size_t i = 0; i < count; i++) {
            small += samples[i];
        }
        return small;
    }
    for (size_t i = 0; i < count; i++) {
        total += samples[i];
    }
    return total;
}

static void look_for_ends(const struct look *look, struct statistics *statistics)
{
    __int128 total = 0;

    statistics->min = INT64_MAX;
    statistics->max = INT64_MIN;
    for (size_t first = 0, count; first < look->n; first = end_stretch(look, first, count)) {
        count = stretch_at(look, first);
        total += look_at_stretch(look->samples + first, count, &statistics->min, &statistics->max);
    }
    statistics->has_total = total >= INT64_MIN && total <= INT64_MAX;
    statistics->total = statistics->has_total ? (int64_t)total : 0;
}

/* Number of counters in a bin, used in turn. Successive samples are often equal; with separate
 * counters, no increment has to wait for the previous one. */
#define LANES 2

/* In the first pass, each of the smallest distances from the minimum has a separate bin below the
 * other bins, where most ranks are found at once. With many samples there are more bins of both
 * types, which saves passes. */
#define BITS_FEW  12
#define BITS_MANY 14
#define FINE_FEW  (1 << BITS_FEW)
#define FINE_MANY (1 << 16)
#define MANY      (1 << 18) /* number of samples from which the larger tables are used */

/* A search for one sample: the one of rank `rank` (from 0) among those whose distance from the
 * minimum is low + [0, 1 << bits << shift). */
struct target {
    size_t rank;
    uint64_t low;
    unsigned bits;  /* bits of a bin's number */
    unsigned shift; /* log2 of the width of a bin */
    bool found;
    bool later;                /* the search is past its first pass */
    const struct target *same; /* target that has the same bins and counts them; NULL: none */
    size_t fine;               /* number of fine bins in the first pass, below the others */
    size_t (*bins)[LANES];
};

static void count_first(const int64_t *samples, size_t count, int64_t min, struct target *target)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t distance = (uint64_t)samples[i] - (uint64_t)min;

        if (distance < target->fine) {
            target->bins[distance][i % LANES]++;
        } else {
            target->bins[target->fine + (distance >> target->shift)][i % LANES]++;
        }
    }
}

static void count_later(const int64_t *samples, size_t count, int64_t min, struct target *target)
{
    const uint64_t origin = (uint64_t)min + target->low;
    const uint64_t bins = UINT64_C(1) << target->bits;

    for (size_t i = 0; i < count; i++) {
        const uint64_t bin = ((uint64_t)samples[i] - origin) >> target->shift;

        if (bin < bins) {
            target->bins[bin][i % LANES]++;
        }
    }
}

/* Returns the bin that holds the rank, and makes `rank` relative to the bin. */
static uint64_t find_bin(struct target *target)
{
    const struct target *counted = target->same != NULL ? target->same : target;
    uint64_t bin = 0;

    for (;; bin++) {
        const size_t count = counted->bins[bin][0] + counted->bins[bin][1];

        if (target->rank < count) {
            return bin;
        }
        target->rank -= count;
    }
}

/* Continues the search in the bin that holds the rank, until a bin holds only one value. */
static void narrow(struct target *target)
{
    uint64_t bin = find_bin(target);

    if (!target->later && bin < target->fine) {
        target->low = bin;
        target->found = true;
        return;
    }
    bin -= target->later ? 0 : target->fine;
    target->low += bin << target->shift;
    /* The first of the other bins may begin below `fine`; those values are in the fine bins. */
    target->low = !target->later && target->low < target->fine ? target->fine : target->low;
    target->later = true;
    target->found = target->shift == 0;
    target->shift = target->shift > target->bits ? target->shift - target->bits : 0;
}

/* Returns an earlier target that has the same bins, or NULL. */
static const struct target *find_same(const struct target *targets, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (!targets[i].found && targets[i].low == targets[index].low &&
            targets[i].shift == targets[index].shift && targets[i].later == targets[index].later) {
            return targets[i].same != NULL ? targets[i].same : &targets[i];
        }
    }
    return NULL;
}

/* Prepares a pass. Returns false if all targets are found. */
static bool begin_pass(struct target *targets, size_t count)
{
    bool more = false;

    for (size_t i = 0; i < count; i++) {
        if (!targets[i].found) {
            targets[i].same = find_same(targets, i);
            if (targets[i].later) {
                memset(targets[i].bins, 0, sizeof(targets[i].bins[0]) << targets[i].bits);
            }
            more = true;
        }
    }
    return more;
}

/* Returns the smallest shift with which 1 << bits bins cover distances up to `width`. */
static unsigned shift_for(uint64_t width, unsigned bits)
{
    unsigned shift = 0;

    while (width >> shift >> bits > 0) {
        shift++;
    }
    return shift;
}

static void count_pass(const struct look *look, int64_t min, struct target *targets, size_t count)
{
    for (size_t first = 0, part; first < look->n; first = end_stretch(look, first, part)) {
        part = stretch_at(look, first);
        for (size_t i = 0; i < count; i++) {
            if (!targets[i].found && targets[i].same == NULL) {
                (targets[i].later ? count_later : count_first)(look->samples + first, part, min,
                                                               &targets[i]);
            }
        }
    }
}

/* Finds the samples of these ranks (from 0), in passes over the samples that serve all ranks at
 * once, without a copy. `statistics` must have min and max. */
static void select_ranks(const struct look *look, const struct statistics *statistics,
                         const size_t *ranks, int64_t *found, size_t count)
{
    struct target *targets = alloc_zeroed(count * sizeof(*targets));
    const uint64_t width = (uint64_t)statistics->max - (uint64_t)statistics->min;

    for (size_t i = 0; i < count; i++) {
        targets[i].rank = ranks[i];
        targets[i].fine = look->n > MANY ? FINE_MANY : FINE_FEW;
        targets[i].bits = look->n > MANY ? BITS_MANY : BITS_FEW;
        targets[i].shift = shift_for(width, targets[i].bits);
        targets[i].bins = alloc_zeroed((targets[i].fine + (UINT64_C(1) << targets[i].bits)) *
                                       sizeof(targets[i].bins[0]));
    }
    while (begin_pass(targets, count)) {
        count_pass(look, statistics->min, targets, count);
        /* A target may read the bins of an earlier one, so they are narrowed from the last to the
         * first. The bins of a target that is found do not change. */
        for (size_t i = count; i-- > 0;) {
            if (!targets[i].found) {
                narrow(&targets[i]);
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        found[i] = (int64_t)((uint64_t)statistics->min + targets[i].low);
        free(targets[i].bins);
    }
    free(targets);
}

/* up to this many samples, sorting is faster */
#define SORTED_MAX 256

/* Finds the samples of these ranks, from 0. `statistics` must have min and max. */
static void quantiles_of(const struct look *look, const struct statistics *statistics,
                         const size_t *ranks, int64_t *found, size_t count)
{
    if (look->n > SORTED_MAX) {
        select_ranks(look, statistics, ranks, found, count);
        return;
    }
    int64_t *sorted = alloc_zeroed(look->n * sizeof(*sorted));

    memcpy(sorted, look->samples, look->n * sizeof(*sorted));
    sort_integers(sorted, look->n);
    for (size_t i = 0; i < count; i++) {
        found[i] = sorted[ranks[i]];
    }
    free(sorted);
}

int64_t statistics_median(const int64_t *samples, size_t n)
{
    const struct look look = {.samples = samples, .n = n};
    const size_t rank = rank_of(n, 1, 2);
    struct statistics ends = {0};
    int64_t median;

    if (n == 0) {
        return 0;
    }
    look_for_ends(&look, &ends);
    quantiles_of(&look, &ends, &rank, &median, 1);
    return median;
}

struct statistics_mode statistics_mode_of(const int64_t *samples, size_t n)
{
    double *values = alloc_zeroed(n * sizeof(*values));

    for (size_t i = 0; i < n; i++) {
        values[i] = (double)samples[i];
    }
    const struct statistics_mode mode = statistics_mode_of_reals(values, n);

    free(values);
    return mode;
}

struct statistics_mode statistics_mode_of_reals(double *values, size_t n)
{
    struct statistics_mode mode = {0};

    sort_reals(values, n);
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && values[end] == values[begin];) {
            end++;
        }
        const double share = (double)(end - begin) / (double)n;

        if (share > mode.share) {
            mode = (struct statistics_mode){values[begin], mode.value, share, mode.share};
        } else if (share > mode.next_share) {
            mode.next = values[begin];
            mode.next_share = share;
        }
    }
    return mode;
}

void statistics_of_stretches(const int64_t *samples, size_t n,
                             void (*done)(void *context, size_t first, size_t count), void *context,
                             struct statistics *statistics)
{
    const struct look look = {samples, n, done, context};
    size_t ranks[3];
    int64_t found[3] = {0};
    size_t count = 0;

    memset(statistics, 0, sizeof(*statistics));
    statistics->n = n;
    if (n == 0) {
        return;
    }
    look_for_ends(&look, statistics);
    statistics->has_p99 = n >= (size_t)STATISTICS_ABOVE_MIN * 100;
    statistics->has_p999 = n >= (size_t)STATISTICS_ABOVE_MIN * 1000;
    ranks[count++] = rank_of(n, 1, 2);
    if (statistics->has_p99) {
        ranks[count++] = rank_of(n, 99, 100);
    }
    if (statistics->has_p999) {
        ranks[count++] = rank_of(n, 999, 1000);
    }
    quantiles_of(&look, statistics, ranks, found, count);
    statistics->median = found[0];
    statistics->p99 = found[1];
    statistics->p999 = found[2];
}

void statistics_of(const int64_t *samples, size_t n, struct statistics *statistics)
{
    statistics_of_stretches(samples, n, NULL, NULL, statistics);
}

/* Returns the difference of two integers, computed in 128 bits because it may need 65. */
static long double difference(int64_t left, int64_t right)
{
    return (long double)((__int128)left - right);
}

double statistics_correlation(const int64_t *x, const int64_t *y, size_t n)
{
    long double mean_x = 0;
    long double mean_y = 0;
    long double xx = 0;
    long double yy = 0;
    long double xy = 0;

    /* Everything is taken relative to the first pair, so that constant values give exact zeros. */
    for (size_t i = 0; i < n; i++) {
        mean_x += difference(x[i], x[0]) / (long double)n;
        mean_y += difference(y[i], y[0]) / (long double)n;
    }
    for (size_t i = 0; i < n; i++) {
        const long double dx = difference(x[i], x[0]) - mean_x;
        const long double dy = difference(y[i], y[0]) - mean_y;

        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    if (n < 2 || xx <= 0 || yy <= 0) {
        return NAN;
    }
    const long double r = xy / (sqrtl(xx) * sqrtl(yy));

    return (double)(r > 1 ? 1 : r < -1 ? -1 : r);
}

double statistics_mean(const double *values, size_t n)
{
    double sum = 0;
    double lost = 0; /* compensation of Kahan summation */

    for (size_t i = 0; i < n; i++) {
        const double next = values[i] - lost;
        const double total = sum + next;

        lost = (total - sum) - next;
        sum = total;
    }
    return sum / (double)n;
}

double statistics_covariation(const double *values, size_t n, double mean, size_t lag)
{
    double sum = 0;

    for (size_t i = 0; i + lag < n; i++) {
        sum += (values[i] - mean) * (values[i + lag] - mean);
    }
    return sum;
}
