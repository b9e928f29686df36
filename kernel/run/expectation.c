/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The comparison of a bench's results with its estimates.
 *
 * Values are in thousandths of a tick, so that division does not lose costs of less than a tick.
 */
#include "kernel/run/expectation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/run/names.h"
#include "kernel/run/worst.h"

#define SERIES_MAX 192
#define NAME_MAX   48
#define TRIALS_MAX 1024 /* largest number of trials of a point that are used */
#define MILLI      1000

struct published {
    char name[NAME_MAX];
    const int64_t *samples;
    size_t count;
};

static struct {
    struct published series[SERIES_MAX];
    size_t count;
    int64_t repetitions;
    /* true if a fact FACT_TRIALS was published: a series without a series NAME.twice then holds
     * trials for each pair of processors */
    bool matrix;
} board;

void expectation_begin(void)
{
    board.count = 0;
    board.repetitions = 1;
    board.matrix = false;
}

void expectation_series(const char *name, const int64_t *samples, size_t count)
{
    if (board.count == SERIES_MAX || strlen(name) >= NAME_MAX || count == 0) {
        return;
    }
    struct published *series = &board.series[board.count++];

    strcpy(series->name, name);
    series->samples = samples;
    series->count = count;
}

void expectation_fact(const char *name, int64_t value)
{
    if (strcmp(name, FACT_REPETITIONS) == 0 && value > 0) {
        board.repetitions = value;
    }
    board.matrix = board.matrix || strcmp(name, FACT_TRIALS) == 0;
}

/* Returns the series NAME with a suffix, or NULL if it was not published. */
static const struct published *find(const char *name, const char *suffix)
{
    char wanted[2 * NAME_MAX];

    snprintf(wanted, sizeof(wanted), "%s%s", name, suffix);
    for (size_t i = 0; i < board.count; i++) {
        if (strcmp(board.series[i].name, wanted) == 0) {
            return &board.series[i];
        }
    }
    return NULL;
}

/* ---- one point ---- */

/* The samples of one point of a curve, or all samples of a cost. */
struct point {
    const int64_t *once;
    const int64_t *twice; /* samples with twice as many repetitions; NULL: there are none */
    size_t trials;
    int64_t repetitions;
};

/* Takes point `index` of a series. Returns false if the numbers of samples do not match. */
static bool take_point(const struct published *series, size_t index, struct point *point)
{
    const struct published *x = find(series->name, SUFFIX_X);
    const struct published *n = find(series->name, SUFFIX_N);
    const struct published *twice = find(series->name, SUFFIX_TWICE);
    const size_t points = x != NULL ? x->count : 1;
    const size_t trials = series->count / points;
    const bool repeats = twice != NULL || board.matrix;

    if (trials == 0 || index >= points || (n != NULL && n->count != points) ||
        (twice != NULL && twice->count != series->count)) {
        return false;
    }
    *point = (struct point){
        .once = series->samples + index * trials,
        .twice = twice != NULL ? twice->samples + index * trials : NULL,
        .trials = trials,
        .repetitions = n != NULL ? n->samples[index]
                       : repeats ? board.repetitions
                                 : 1,
    };
    return point->repetitions > 0;
}

/* Returns the median cost of a repetition, in thousandths of a tick. In a matrix of processors the
 * diagonal is ignored: a processor is no partner of itself, so the sample is 0. */
static int64_t median_cost(const struct point *point)
{
    static int64_t costs[TRIALS_MAX];
    struct spread spread = {0};
    size_t count = 0;

    for (size_t i = 0; i < point->trials && count < TRIALS_MAX; i++) {
        const int64_t ticks =
            point->twice != NULL ? point->twice[i] - point->once[i] : point->once[i];

        if (ticks != 0 || !board.matrix) {
            costs[count++] = ticks * MILLI / point->repetitions;
        }
    }
    if (count > 0) {
        spread_of(costs, count, &spread);
    }
    return spread.median;
}

/* ---- instructions ---- */

/* Returns the cost that surrounds a measurement: `loop` for costs with a .twice, `empty` for other
 * series, 0 for curves or if it was not published. */
static int64_t cost_around(const struct published *series, const struct point *of)
{
    const char *name = of->twice != NULL ? SERIES_LOOP : SERIES_EMPTY;
    const struct published *around = find(name, "");
    struct point point;

    if (around == NULL || around == series || find(series->name, SUFFIX_X) != NULL ||
        !take_point(around, 0, &point)) {
        return 0;
    }
    return median_cost(&point);
}

/* Finds the point of an estimate: for NAME@X the point at that x, otherwise the one at the largest
 * x. Returns false if there is none. */
static bool find_point(const char *estimate, const struct published **series, struct point *point)
{
    char name[NAME_MAX];
    const size_t length = strcspn(estimate, "@");
    const bool at = estimate[length] == '@';
    size_t index = 0;

    if (length >= sizeof(name)) {
        return false;
    }
    memcpy(name, estimate, length);
    name[length] = '\0';
    *series = find(name, "");
    if (*series == NULL) {
        return false;
    }
    const struct published *x = find(name, SUFFIX_X);
    const int64_t wanted = at ? strtoll(estimate + length + 1, NULL, 10) : 0;
    bool found = x == NULL || !at;

    for (size_t i = 0; x != NULL && i < x->count; i++) {
        if (at ? x->samples[i] == wanted : x->samples[i] > x->samples[index]) {
            index = i;
            found = true;
        }
    }
    return found && take_point(*series, index, point);
}

/* Returns the tolerance in thousandths of an instruction. */
static int64_t tolerance_of(const struct bench *bench, int64_t expected)
{
    const int64_t relative = expected * EXPECTATION_PERCENT / 100;
    const int64_t absolute = (int64_t)EXPECTATION_INSTRUCTIONS * MILLI;

    if (bench->counted) {
        return MILLI / 2;
    }
    return relative > absolute ? relative : absolute;
}

/* Returns whether an estimate is met. If its series is missing, the bench itself reports why. */
static bool instructions_met(const struct bench *bench, const struct bench_estimate *estimate,
                             uint32_t ticks, char *reason, size_t size)
{
    const struct published *series;
    struct point point;

    if (estimate->instructions == ESTIMATE_NONE || !find_point(estimate->series, &series, &point)) {
        return true;
    }
    const int64_t measured = (median_cost(&point) - cost_around(series, &point)) / ticks;
    const int64_t expected = estimate->instructions * MILLI;
    const int64_t tolerance = tolerance_of(bench, expected);

    const bool bare = point.twice == NULL && point.repetitions > 1;
    const int64_t around = bare ? EXPECTATION_AROUND * MILLI / point.repetitions : 0;

    if (measured >= expected - tolerance && measured <= expected + tolerance + around) {
        return true;
    }
    snprintf(reason, size, "%s: expected %ld instructions (tolerance %ld), got %ld",
             estimate->series, estimate->instructions, tolerance / MILLI, measured / MILLI);
    return false;
}

/* ---- once and twice ---- */

/* Returns the number of trials in which the second half took longer than nothing and at most
 * EXPECTATION_RATIO times the first. */
static size_t good_trials(const struct point *point)
{
    size_t good = 0;

    for (size_t i = 0; i < point->trials; i++) {
        const int64_t more = point->twice[i] - point->once[i];

        good += more > 0 && more <= EXPECTATION_RATIO * point->once[i] ? 1 : 0;
    }
    return good;
}

static bool pair_met(const struct published *series, size_t index, uint32_t ticks, char *reason,
                     size_t size)
{
    struct point point;

    if (!take_point(series, index, &point) || point.twice == NULL) {
        snprintf(reason, size,
                 "%s: its series (.x, .n, .twice) have numbers of samples that do not match",
                 series->name);
        return false;
    }
    const size_t good = good_trials(&point);

    if (ticks != 0 ? good == point.trials : good > 0) {
        return true;
    }
    snprintf(reason, size,
             "%s: with twice %ld repetitions a trial must take longer, at most 4 times as long; "
             "true in %zu of %zu trials, expected %s",
             series->name, point.repetitions, good, point.trials,
             ticks != 0 ? "all" : "at least 1");
    return false;
}

static bool pairs_met(const struct published *series, uint32_t ticks, char *reason, size_t size)
{
    const struct published *x = find(series->name, SUFFIX_X);
    const size_t points = x != NULL ? x->count : 1;

    if (find(series->name, SUFFIX_TWICE) == NULL) {
        return true;
    }
    for (size_t i = 0; i < points; i++) {
        if (!pair_met(series, i, ticks, reason, size)) {
            return false;
        }
    }
    return true;
}

bool expectation_met(const struct bench *bench, uint32_t ticks, char *reason, size_t size)
{
    for (size_t i = 0; i < board.count; i++) {
        if (!pairs_met(&board.series[i], ticks, reason, size)) {
            return false;
        }
    }
    for (const struct bench_estimate *e = bench->estimates;
         ticks != 0 && e != NULL && e->series != NULL; e++) {
        if (!instructions_met(bench, e, ticks, reason, size)) {
            return false;
        }
    }
    return true;
}
