/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/host/measure/stairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/trace/reconcile.h"

/* divisors of the shortest distance that are tried as period */
#define DIVISORS_MAX      STAIR_PERIODS_MAX
#define THRESHOLD_DIVISOR 100 /* threshold as a part of a sample: 1 % */
#define SAME_DISTANCE     1.25
#define UNCERTAIN_SAMPLES 2 /* uncertainty of a start, in samples */

/* ---- bursts ---- */

static void find_bursts(const int64_t *samples, size_t n, struct stairs *stairs)
{
    struct stair_burst *burst = NULL; /* the burst that is not over yet */
    size_t capacity = 0;
    int64_t begin = 0;

    for (size_t i = 0; i < n; i++) {
        const int64_t longer = samples[i] - stairs->shortest;

        if (longer <= stairs->threshold) {
            burst = NULL;
        } else {
            if (burst == NULL) {
                burst =
                    alloc_next(&stairs->bursts, &stairs->burst_count, &capacity, sizeof(*burst));
                burst->sample = i;
                burst->begin = begin;
            }
            burst->samples++;
            burst->ticks += longer;
        }
        begin += samples[i];
    }
}

/* ---- alignment ---- */

/* A straight line through bursts: burst number i starts at tick numbers[i] of a clock. */
struct line {
    double period, phase;
    double worst; /* largest distance of a burst from the line, in ticks */
};

/* Fits the line by least squares. Needs at least two bursts. */
static void fit(const struct stair_burst *bursts, const double *numbers, size_t n, double half,
                struct line *line)
{
    double mean_x = 0;
    double mean_y = 0;
    double xx = 0;
    double xy = 0;

    for (size_t i = 0; i < n; i++) {
        mean_x += numbers[i] / (double)n;
        mean_y += (double)(bursts[i].begin - bursts[0].begin) / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        const double x = numbers[i] - mean_x;

        xx += x * x;
        xy += x * ((double)(bursts[i].begin - bursts[0].begin) - mean_y);
    }
    line->period = xy / xx;
    line->phase = (double)bursts[0].begin + half + mean_y - line->period * mean_x;
    line->worst = 0;
    for (size_t i = 0; i < n; i++) {
        const double at = line->phase + line->period * numbers[i];

        line->worst = fmax(line->worst, fabs((double)bursts[i].begin + half - at));
    }
}

/* Returns the mean of the shortest distance and of all distances that are nearly as short. If any
 * bursts are one period apart, the result is the period. */
static double common_distance(const struct stair_burst *bursts, size_t n)
{
    double shortest = INFINITY;
    double sum = 0;
    double count = 0;

    for (size_t i = 1; i < n; i++) {
        shortest = fmin(shortest, (double)(bursts[i].begin - bursts[i - 1].begin));
    }
    for (size_t i = 1; i < n; i++) {
        const double distance = (double)(bursts[i].begin - bursts[i - 1].begin);

        sum += distance < SAME_DISTANCE * shortest ? distance : 0;
        count += distance < SAME_DISTANCE * shortest;
    }
    return sum / count;
}

/* Numbers each burst by a clock of this period. Returns false if the bursts cannot be paced by it.
 */
static bool number_bursts(const struct stair_burst *bursts, size_t n, double period,
                          double *numbers)
{
    numbers[0] = 0;
    for (size_t i = 1; i < n; i++) {
        const double distance = (double)(bursts[i].begin - bursts[i - 1].begin);
        const double periods = round(distance / period);

        if (periods < 1 || periods > STAIR_PERIODS_MAX) {
            return false;
        }
        numbers[i] = numbers[i - 1] + periods;
    }
    return true;
}

/* Returns whether chance is an unlikely cause of the alignment. Two bursts fix the line; each of
 * the others, if nothing paces it, lies within a sample on either side with probability 2 samples /
 * period. */
static bool is_no_chance(const struct line *line, size_t n, int64_t sample)
{
    return pow(line->period / (UNCERTAIN_SAMPLES * (double)sample), (double)n - 2) >= STAIRS_ODDS;
}

static bool align(const struct stairs *stairs, const struct stair_burst *bursts, size_t n,
                  struct line *line)
{
    const double distance = common_distance(bursts, n);
    double *numbers = alloc_zeroed(n * sizeof(*numbers));
    bool aligned = false;

    for (unsigned divisor = 1; divisor <= DIVISORS_MAX && !aligned; divisor++) {
        if (number_bursts(bursts, n, distance / divisor, numbers)) {
            fit(bursts, numbers, n, (double)stairs->shortest / 2, line);
            aligned = line->period >= PERIOD_SAMPLES_MIN * (double)stairs->shortest &&
                      line->worst <= (double)stairs->shortest &&
                      is_no_chance(line, n, stairs->shortest);
        }
    }
    free(numbers);
    return aligned;
}

/* ---- the three phases ---- */

static void take_stairs(struct stairs *stairs, size_t first, size_t last, const struct line *line)
{
    stairs->first = first;
    stairs->last = last;
    stairs->period = line->period;
    stairs->phase = line->phase;
    stairs->alignment = line->worst / (double)stairs->shortest;
    stairs->longer = 0;
    for (size_t i = first + 2; i < last; i++) {
        stairs->longer += stairs->bursts[i].ticks > stairs->bursts[i - 1].ticks;
    }
}

/* Returns whether a busy period is long enough compared with the stairs. */
static bool stands_out(int64_t ticks, int64_t longest)
{
    return ticks / STAIRS_CONTRAST >= longest;
}

/* Tries every last busy period that is long enough for this first one. */
static void try_first(struct stairs *stairs, size_t first)
{
    const struct stair_burst *bursts = stairs->bursts;
    int64_t longest = 0; /* the longest burst between the first and the last busy period */

    for (size_t last = first + 1; last < stairs->burst_count && last - first <= STAIRS_MAX &&
                                  stands_out(bursts[first].ticks, longest);
         last++) {
        const size_t between = last - first - 1;
        struct line line = {0};

        if (stands_out(bursts[last].ticks, longest) && between >= STAIRS_MIN &&
            between > stairs_count(stairs) && align(stairs, &bursts[first + 1], between, &line)) {
            take_stairs(stairs, first, last, &line);
        }
        longest = bursts[last].ticks > longest ? bursts[last].ticks : longest;
    }
}

void stairs_find(const int64_t *samples, size_t n, int64_t shortest, int64_t threshold,
                 struct stairs *stairs)
{
    memset(stairs, 0, sizeof(*stairs));
    stairs->shortest = shortest;
    stairs->threshold = threshold;
    if (shortest <= 0) {
        stairs->why = "the shortest sample of the idle loop is 0 ticks long";
        return;
    }
    find_bursts(samples, n, stairs);
    for (size_t i = 0; i < stairs->burst_count; i++) {
        try_first(stairs, i);
    }
    stairs->why = stairs_count(stairs) > 0
                      ? NULL
                      : "found no short bursts at ticks of a clock between two longer busy periods";
}

void stairs_of(const struct run_bench *bench, struct stairs *stairs)
{
    struct reconcile reconcile;

    memset(stairs, 0, sizeof(*stairs));
    reconcile_init(&reconcile, bench);
    if (!reconcile.present) {
        stairs->why = reconcile.why != NULL ? reconcile.why : "no samples of the idle loop";
        return;
    }
    const int64_t *samples = reconcile.series->samples;
    const size_t n = reconcile.series->ranges[0].count;
    int64_t threshold = reconcile.shortest / THRESHOLD_DIVISOR + 1;
    int64_t longest = 0; /* largest excess over the shortest sample */

    for (size_t i = 0; i < n; i++) {
        longest =
            samples[i] - reconcile.shortest > longest ? samples[i] - reconcile.shortest : longest;
    }

    stairs_find(samples, n, reconcile.shortest, threshold, stairs);
    for (; threshold < longest / STAIRS_CONTRAST; threshold *= 2) {
        struct stairs other;

        stairs_find(samples, n, reconcile.shortest, threshold, &other);
        if (stairs_count(&other) > stairs_count(stairs)) {
            const struct stairs fewer = *stairs;

            *stairs = other;
            other = fewer;
        }
        stairs_free(&other);
    }
}

void stairs_free(struct stairs *stairs)
{
    free(stairs->bursts);
}

size_t stairs_count(const struct stairs *stairs)
{
    return stairs->last > 0 ? stairs->last - stairs->first - 1 : 0;
}

bool stairs_grow(const struct stairs *stairs)
{
    return stairs_count(stairs) > 0 && stairs->longer == stairs_count(stairs) - 1;
}

bool stairs_compare(const struct stairs *stairs, const struct run_bench *bench,
                    struct stairs_truth *truth)
{
    const struct run_fact *period = run_find_fact(bench, FACT_CLOCK_PERIOD);
    const struct run_fact *origin = run_find_fact(bench, FACT_CLOCK_ORIGIN);
    const struct run_fact *idle = run_find_fact(bench, FACT_IDLE_ORIGIN);

    if (stairs_count(stairs) == 0 || period == NULL || period->value <= 0 || origin == NULL ||
        idle == NULL) {
        return false;
    }
    const double since = (double)idle->value + stairs->phase - (double)origin->value;

    truth->clock_period = period->value;
    truth->period_error = stairs->period - (double)period->value;
    truth->phase_error = since - round(since / (double)period->value) * (double)period->value;
    return true;
}
