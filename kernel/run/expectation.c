/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The comparison of a bench's results with its estimates.
 *
 * Values are in thousandths of a tick, so that division does not lose costs of less than a tick.
 */
#include "kernel/run/expectation.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/run/names.h"
#include "kernel/run/worst.h"

#define SERIES_MAX    384
#define NAME_MAX      48
#define ABSENT_MAX    64
#define MULTIPLES_MAX 4
#define TRIALS_MAX    1024 /* largest number of trials of a point that are used */
#define MILLI         1000
#define NAMES_MAX     12 /* in a relation */

struct published {
    char name[NAME_MAX];
    bool in_ticks;
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
    bool incomplete; /* a series, something absent or a parameter of the plan is not known here */
    char absent[ABSENT_MAX][NAME_MAX];
    size_t absents;
    uint64_t multiples[MULTIPLES_MAX];
    size_t multiple_count;
    char wrong[2 * NAME_MAX]; /* what was wrong when it was published; "": nothing */
} board;

void expectation_begin(void)
{
    board.count = 0;
    board.repetitions = 1;
    board.matrix = false;
    board.incomplete = false;
    board.absents = 0;
    board.multiple_count = 0;
    board.wrong[0] = '\0';
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

void expectation_series(const char *name, const char *unit, const int64_t *samples, size_t count)
{
    if (board.count == SERIES_MAX || strlen(name) >= NAME_MAX) {
        board.incomplete = true;
        return;
    }
    if (find(name, "") != NULL) {
        snprintf(board.wrong, sizeof(board.wrong), "%s is published twice", name);
    }
    struct published *series = &board.series[board.count++];

    strcpy(series->name, name);
    series->in_ticks = strcmp(unit, UNIT_TICK) == 0;
    series->samples = samples;
    series->count = count;
}

void expectation_absent(const char *name)
{
    if (name == NULL || board.absents == ABSENT_MAX || strlen(name) >= NAME_MAX) {
        board.incomplete = true;
    } else {
        strcpy(board.absent[board.absents++], name);
    }
}

void expectation_multiple(uint64_t value)
{
    if (value > 0 && board.multiple_count < MULTIPLES_MAX) {
        board.multiples[board.multiple_count++] = value;
    }
}

void expectation_fact(const char *name, int64_t value)
{
    if (strcmp(name, FACT_REPETITIONS) == 0 && value > 0) {
        board.repetitions = value;
    }
    board.matrix = board.matrix || strcmp(name, FACT_TRIALS) == 0;
}

/* ---- one point ---- */

/* The samples of one point of a curve, or all samples of a cost. */
struct point {
    const int64_t *once;
    const int64_t *twice; /* samples with twice as many repetitions; NULL: there are none */
    size_t trials;
    int64_t repetitions;
};

/* Returns the number of points of a series: 1 if it is no curve. */
static size_t points_of(const struct published *series)
{
    const struct published *x = find(series->name, SUFFIX_X);

    return x != NULL && x->count > 0 ? x->count : 1;
}

/* Takes point `index` of a series. Returns false if the numbers of samples do not match. */
static bool take_point(const struct published *series, size_t index, struct point *point)
{
    const struct published *n = find(series->name, SUFFIX_N);
    const struct published *twice = find(series->name, SUFFIX_TWICE);
    const size_t points = points_of(series);
    const bool repeats = twice != NULL || board.matrix;

    if (series->count < points || index >= points || (n != NULL && n->count != points) ||
        (twice != NULL && twice->count != series->count)) {
        return false;
    }
    const size_t trials = series->count / points;

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
static int64_t tolerance_of(const struct bench *bench, const struct point *point, int64_t expected)
{
    const int64_t relative = expected * EXPECTATION_PERCENT / 100;
    const int64_t absolute = (int64_t)EXPECTATION_INSTRUCTIONS * MILLI;

    if (bench->counted) {
        return MILLI / 2 / (point->twice != NULL ? point->repetitions : 1);
    }
    return relative > absolute ? relative : absolute;
}

/* Returns whether a series, or a part of it, was reported as absent. */
static bool may_be_missing(const char *name)
{
    bool may = board.incomplete;

    for (size_t i = 0; i < board.absents; i++) {
        may = may || strstr(name, board.absent[i]) != NULL || strstr(board.absent[i], name) != NULL;
    }
    return may;
}

/* Returns whether an estimate is met. */
static bool instructions_met(const struct bench *bench, const struct bench_estimate *estimate,
                             uint32_t ticks, char *reason, size_t size)
{
    const struct published *series;
    struct point point;

    if (!find_point(estimate->series, &series, &point)) {
        if (!may_be_missing(estimate->series)) {
            snprintf(reason, size, "%s: expected to be published, or absent with a reason",
                     estimate->series);
            return false;
        }
        return true;
    }
    if (estimate->instructions == ESTIMATE_NONE) {
        return true;
    }
    const int64_t measured = (median_cost(&point) - cost_around(series, &point)) / ticks;
    const int64_t expected = estimate->instructions * MILLI;
    const int64_t tolerance = tolerance_of(bench, &point, expected);

    const bool bare = point.twice == NULL && point.repetitions > 1;
    const int64_t around = bare ? EXPECTATION_AROUND * MILLI / point.repetitions : 0;

    if (measured >= expected - tolerance && measured <= expected + tolerance + around) {
        return true;
    }
    snprintf(reason, size,
             "%s: expected %" PRId64 " instructions (tolerance %" PRId64 "), got %" PRId64,
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
    snprintf(
        reason, size,
        "%s: with twice %" PRId64 " repetitions a trial must take longer, at most 4 times as long; "
        "true in %zu of %zu trials, expected %s",
        series->name, point.repetitions, good, point.trials, ticks != 0 ? "all" : "at least 1");
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

/* ---- names, numbers of samples and relations ---- */

static bool count_met(const struct published *series, char *reason, size_t size)
{
    const size_t points = points_of(series);
    bool met = board.multiple_count == 0 || !series->in_ticks || points > 1 ||
               strcmp(series->name, SERIES_IDLE) == 0;

    for (size_t i = 0; i < board.multiple_count; i++) {
        met = met || series->count % board.multiples[i] == 0;
    }
    met = met && series->count % points == 0;
    if (!met) {
        snprintf(reason, size,
                 "%s: %zu samples: expected a multiple of %" PRIu64 ", as the plan says",
                 series->name, series->count, points > 1 ? (uint64_t)points : board.multiples[0]);
    }
    return met;
}

/* Judges a control, and in a steady bench each series: each sample takes time, and those of a point
 * are equal, to within the tolerances of an estimate together. */
static bool steady_met(const struct bench *bench, const struct published *series, uint32_t ticks,
                       char *reason, size_t size)
{
    const bool equal = (bench->steady || bench->counted) && series->in_ticks;
    const bool control = find(SERIES_EMPTY, "") == series || find(SERIES_LOOP, "") == series;
    const size_t trials = series->count / points_of(series);
    struct spread spread;

    for (size_t i = 0; i < series->count && trials > 0 && (control || equal); i += trials) {
        spread_of(series->samples + i, trials, &spread);
        if (spread.min <= 0 ||
            (equal && spread.max - spread.min > spread.min * EXPECTATION_PERCENT / 100 +
                                                    EXPECTATION_INSTRUCTIONS * (int64_t)ticks)) {
            snprintf(reason, size,
                     "%s: expected equal samples above 0, got %" PRId64 " to %" PRId64 " ticks",
                     series->name, spread.min, spread.max);
            return false;
        }
    }
    return true;
}

/* Finds those of a relation's names that were published with this suffix. Returns their number. */
static size_t find_all(const char *names, const char *suffix,
                       const struct published *found[NAMES_MAX])
{
    char name[NAME_MAX];
    size_t count = 0;

    for (size_t length = 1; length > 0 && count < NAMES_MAX;
         names += length + (names[length] > ' ')) {
        length = strcspn(names, "<=+ ");
        snprintf(name, sizeof(name), "%.*s", (int)length, names);
        found[count] = find(name, suffix);
        count += found[count] != NULL && found[count]->count > 0 ? 1 : 0;
    }
    return count;
}

static bool samples_rise(const struct published *series)
{
    size_t i = 1;

    while (i < series->count && series->samples[i] > series->samples[i - 1]) {
        i++;
    }
    return i == series->count;
}

/* Returns whether each sample of the first is the sum of those of the others. */
static bool samples_add_up(const struct published *const series[], size_t count)
{
    for (size_t i = 0; i < series[0]->count && count > 1; i++) {
        int64_t rest = series[0]->samples[i];

        for (size_t k = 1; k < count; k++) {
            rest -= i < series[k]->count ? series[k]->samples[i] : 0;
        }
        if (rest != 0) {
            return false;
        }
    }
    return true;
}

static bool medians_rise(const struct published *const series[], size_t count)
{
    struct spread spread;
    int64_t before = INT64_MIN;

    for (size_t i = 0; i < count; i++) {
        spread_of(series[i]->samples, series[i]->count, &spread);
        if (spread.median <= before) {
            return false;
        }
        before = spread.median;
    }
    return true;
}

/* Checks one relation of bench.h between all series that its names begin. */
static bool relation_met(const char *relation)
{
    const char *names = relation + (relation[0] == '^' ? 1 : 0);
    const size_t length = strcspn(names, "<= ");
    const struct published *found[NAMES_MAX];
    bool met = true;

    for (size_t i = 0; i < board.count && met; i++) {
        const struct published *series = &board.series[i];
        const char *suffix = series->name + length;

        if (strncmp(series->name, names, length) == 0 && (*suffix == '\0' || *suffix == '.') &&
            series->in_ticks && series->count > 0) {
            const size_t count = find_all(names, suffix, found);

            met = names != relation      ? samples_rise(series)
                  : names[length] == '=' ? samples_add_up(found, count)
                                         : medians_rise(found, count);
        }
    }
    return met;
}

static bool relations_met(const struct bench *bench, char *reason, size_t size)
{
    for (const char *at = bench->relations; at != NULL && *at != '\0'; at += strspn(at, " ")) {
        if (!relation_met(at)) {
            snprintf(reason, size, "its series break %.*s (^ rises, < medians rise, = sum)",
                     (int)strcspn(at, " "), at);
            return false;
        }
        at += strcspn(at, " ");
    }
    return true;
}

bool expectation_met(const struct bench *bench, uint32_t ticks, char *reason, size_t size)
{
    snprintf(reason, size, "%s", board.wrong);
    bool met = board.wrong[0] == '\0';

    for (size_t i = 0; i < board.count && met; i++) {
        met = pairs_met(&board.series[i], ticks, reason, size) &&
              count_met(&board.series[i], reason, size) &&
              (ticks == 0 || steady_met(bench, &board.series[i], ticks, reason, size));
    }
    for (const struct bench_estimate *e = bench->estimates;
         ticks != 0 && e != NULL && e->series != NULL && met; e++) {
        met = instructions_met(bench, e, ticks, reason, size);
    }
    return met && (ticks == 0 || relations_met(bench, reason, size));
}
