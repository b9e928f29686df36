/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Change points: the split against all splits by the definition, series in which Apache Otava finds
 * change points, and how often they are found and falsely found in simulated series.
 *
 *     unit_change_points N [ROW]   simulates N series of each kind, and prints the table from row
 * ROW on; status 1 if they miss what tools/judge/README.md states
 */
#include "tools/stats/change_points.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/stats/distributions.h"
#include "tools/stats/tests/change_values.h"
#include "tools/tests/support/unit.h"

#define SETS       (sizeof(sets) / sizeof(sets[0]))
#define VALUES_MAX 512
#define NEAR       5     /* runs from the true step */
#define UNCHANGED  10000 /* series without a change: false ones are few */

/* ---- by the definition ---- */

static double distances(const double *a, size_t a_count, const double *b, size_t b_count)
{
    double sum = 0;

    for (size_t i = 0; i < a_count; i++) {
        for (size_t k = 0; k < b_count; k++) {
            sum += fabs(a[i] - b[k]);
        }
    }
    return sum;
}

/* Matteson and James, equations (5) and (6). */
static double divergence_at(const double *values, size_t n, size_t at)
{
    const double m = (double)at;
    const double k = (double)(n - at);
    const double across = 2 / (m * k) * distances(values, at, values + at, n - at);
    const double left = distances(values, at, values, at) / 2 / (m * (m - 1) / 2);
    const double right =
        distances(values + at, n - at, values + at, n - at) / 2 / (k * (k - 1) / 2);

    return m * k / (m + k) * (across - left - right);
}

static uint64_t state = 1;

/* Above 0, below 1. */
static double uniform(void)
{
    unit_random(&state);
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return distribution_normal_quantile(uniform());
}

/* Of all splits by the definition. */
static double best_of(const double *values, size_t n, bool to_end, size_t *at)
{
    double best = 0;

    *at = 0;
    for (size_t end = to_end ? n : 0; end <= n; end++) {
        for (size_t i = CHANGE_POINTS_SIDE; i + CHANGE_POINTS_SIDE <= end; i++) {
            const double divergence = divergence_at(values, end, i);

            if (divergence > best) {
                best = divergence;
                *at = i;
            }
        }
    }
    return best;
}

static void test_split(void)
{
    double values[40];

    for (size_t trial = 0; trial < 200; trial++) {
        const size_t n = 2 + trial % 38;
        const bool to_end = trial % 2 == 0;
        size_t best_at;
        size_t at;

        for (size_t i = 0; i < n; i++) {
            /* Also ties, and large values. */
            values[i] = trial % 3 == 0 ? floor(4 * uniform()) : 1e6 + normal() + (i > n / 2);
        }
        const double best = best_of(values, n, to_end, &best_at);
        const double found = change_points_split(values, n, to_end, &at);

        CHECK(fabs(found - best) <= 1e-6 * (1 + best));
        CHECK(at == best_at || trial % 3 == 0);
    }
}

/* ---- known series ---- */

static bool otava_finds(size_t set, size_t at)
{
    for (size_t i = 0; i < sets[set].count; i++) {
        if (labs((long)at - (long)sets[set].at[i]) <= 1) {
            return true;
        }
    }
    return false;
}

/* Only the steps, in order. */
static size_t steps_of(const double *values, size_t n, double alpha, struct change_point *points)
{
    size_t count = change_points_find(values, n, alpha, points);

    while (count > 0 && points[count - 1].kind != CHANGE_STEP) {
        count--;
    }
    return count;
}

/* All changes are found, where Otava finds them, and no others. Otava's test does not regard that a
 * split was chosen, so that it finds some more. */
static void test_otava(void)
{
    struct change_point points[VALUES_MAX];

    for (size_t i = 0; i < SETS; i++) {
        const size_t count = steps_of(sets[i].values, sets[i].n, 0.001, points);

        CHECK_EQUAL(count, sets[i].true_count);
        for (size_t k = 0; k < count && count == sets[i].true_count; k++) {
            CHECK(labs((long)points[k].at - (long)sets[i].true_at[k]) <= 1);
            CHECK(otava_finds(i, points[k].at));
        }
    }
}

static void test_levels(void)
{
    struct change_point points[VALUES_MAX];
    double values[60];

    for (size_t i = 0; i < 60; i++) {
        values[i] = (i < 20 ? 10 : i < 40 ? 20 : 15) + (double)(i % 2);
    }
    CHECK_EQUAL(change_points_find(values, 60, 0.001, points), 2);
    CHECK_EQUAL(points[0].at, 20);
    CHECK_EQUAL(points[1].at, 40);
    CHECK(points[0].before == 10 && points[0].after == 20 && points[1].after == 15);
    CHECK(points[0].p <= 0.001 && points[0].p > 0);
    CHECK_EQUAL(change_points_find(values, 20, 0.001, points), 0); /* two values in turn */
    for (size_t i = 0; i < 60; i++) {
        values[i] = 7;
    }
    CHECK_EQUAL(change_points_find(values, 60, 0.001, points), 0);
    CHECK_EQUAL(change_points_find(values, 0, 0.001, points), 0);
    CHECK_EQUAL(change_points_find(values, 1, 0.001, points), 0);
}

static double last_trend[2];

/* Returns how many changes of a kind are found, and keeps the levels of a trend. */
static size_t count_kind(const double *values, size_t n, enum change_kind kind)
{
    struct change_point points[VALUES_MAX];
    const size_t all = change_points_find(values, n, 0.001, points);
    size_t count = 0;

    for (size_t i = 0; i < all; i++) {
        count += points[i].kind == kind;
        if (points[i].kind == CHANGE_TREND) {
            last_trend[0] = points[i].before;
            last_trend[1] = points[i].after;
        }
    }
    return count;
}

/* A ramp and stairs, whose distances from levels look correlated; a slow wave, which is correlated:
 * its steps are dropped. */
static void test_trends(void)
{
    double values[64];
    double last = 0;

    for (size_t i = 0; i < 40; i++) {
        values[i] = 1000 + 10 * (double)i + (double)(7 * i % 11);
    }
    CHECK_EQUAL(count_kind(values, 40, CHANGE_TREND), 1);
    CHECK(count_kind(values, 40, CHANGE_STEP) >= 2);
    CHECK(fabs(last_trend[0] - 1025) < 10 && fabs(last_trend[1] - 1375) < 10);
    for (size_t i = 0; i < 40; i++) {
        const size_t stair = i / 8;

        values[i] = 1000 + 20 * (double)stair + (double)(7 * i % 11);
    }
    CHECK_EQUAL(count_kind(values, 40, CHANGE_TREND), 1);
    CHECK(count_kind(values, 40, CHANGE_STEP) >= 2);
    CHECK(fabs(last_trend[1] - last_trend[0] - 80) < 10);
    for (size_t i = 0; i < 40; i++) {
        values[i] = 1000 + (i < 20 ? 0 : 30) + (double)(7 * i % 11);
    }
    CHECK_EQUAL(count_kind(values, 40, CHANGE_TREND), 0); /* one step */
    CHECK_EQUAL(count_kind(values, 40, CHANGE_STEP), 1);
    state = 7;
    for (size_t i = 0; i < 64; i++) {
        values[i] = last = 0.8 * last + normal();
    }
    CHECK(count_kind(values, 64, CHANGE_DROPPED) > 0);
    CHECK_EQUAL(count_kind(values, 64, CHANGE_STEP), 0);
}

/* However large a step is: fewer values have too few orders. */
static void test_least(void)
{
    struct change_point points[VALUES_MAX];
    double values[64];

    for (double alpha = 0.05; alpha > 0.0005; alpha /= 2) {
        const size_t n = change_points_least(alpha);

        for (size_t i = 0; i < n; i++) {
            values[i] = (double)(7 * i % 11) + (i < n / 2 ? 0 : 1e6);
        }
        CHECK_EQUAL(change_points_find(values, n, alpha, points), 1);
        for (size_t i = 0; i + 4 < n; i++) {
            values[i] = (double)(7 * i % 11) + (i < n / 2 - 2 ? 0 : 1e6);
        }
        CHECK_EQUAL(change_points_find(values, n - 4, alpha, points), 0);
    }
}

/* ---- simulated series ---- */

enum noise {
    NOISE_NORMAL,
    NOISE_TAIL,  /* lognormal */
    NOISE_STEPS, /* normal, rounded to whole deviations */
    NOISE_HALF,  /* normal, each correlated with the one before by 0.5 */
};

#define RAMP 1000 /* steps of a ramp */

struct kind {
    const char *text;
    enum noise noise;
    size_t before, after; /* `after` is 0: no step, or stairs over `before` runs */
    double step;          /* in deviations; of stairs: in all */
    double alpha;
    double found_least, false_most; /* per cent; of a few series, at ten times alpha */
    size_t stairs;
};

static const struct kind kinds[] = {
    {"no change, 60 runs", NOISE_NORMAL, 60, 0, 0, 0.001, 0, 4, 0},
    {"no change, 60 runs, lognormal", NOISE_TAIL, 60, 0, 0, 0.001, 0, 4, 0},
    {"no change, 60 runs, ties", NOISE_STEPS, 60, 0, 0, 0.001, 0, 4, 0},
    {"no change, 300 runs", NOISE_NORMAL, 300, 0, 0, 0.001, 0, 100, 0},
    {"no change, 60 runs, correlated by 0.5", NOISE_HALF, 60, 0, 0, 0.001, 0, 100, 0},
    {"2 deviations, 30 runs before and after", NOISE_NORMAL, 30, 30, 2, 0.001, 90, 100, 0},
    {"2 deviations, 60 and 20", NOISE_NORMAL, 60, 20, 2, 0.001, 80, 100, 0},
    {"2 deviations, 60 and 15", NOISE_NORMAL, 60, 15, 2, 0.001, 0, 100, 0},
    {"2 deviations, 60 and 10", NOISE_NORMAL, 60, 10, 2, 0.001, 0, 100, 0},
    {"2 deviations, 60 and 5", NOISE_NORMAL, 60, 5, 2, 0.001, 0, 100, 0},
    {"2 deviations, 60 and 5, alpha 0.05", NOISE_NORMAL, 60, 5, 2, 0.05, 0, 100, 0},
    {"no change, 65 runs, alpha 0.05", NOISE_NORMAL, 65, 0, 0, 0.05, 0, 100, 0},
    {"3 deviations, 60 and 5", NOISE_NORMAL, 60, 5, 3, 0.001, 0, 100, 0},
    {"4 deviations, 60 and 5", NOISE_NORMAL, 60, 5, 4, 0.001, 80, 100, 0},
    {"ramp of 10 % over 40 runs, noise 2 %", NOISE_NORMAL, 40, 0, 5, 0.001, 90, 100, RAMP},
    {"ramp of 10 % over 40 runs, noise 0.5 %", NOISE_NORMAL, 40, 0, 20, 0.001, 90, 100, RAMP},
    {"ramp of 10 % over 40 runs, noise 0.1 %", NOISE_NORMAL, 40, 0, 100, 0.001, 90, 100, RAMP},
    {"2 stairs of 5 %, noise 2 %", NOISE_NORMAL, 40, 0, 5, 0.001, 90, 100, 2},
    {"2 stairs of 5 %, noise 0.5 %", NOISE_NORMAL, 40, 0, 20, 0.001, 0, 100, 2},
    {"2 stairs of 5 %, noise 0.1 %", NOISE_NORMAL, 40, 0, 100, 0.001, 0, 100, 2},
    {"4 stairs of 2.5 %, noise 2 %", NOISE_NORMAL, 40, 0, 5, 0.001, 90, 100, 4},
    {"4 stairs of 2.5 %, noise 0.5 %", NOISE_NORMAL, 40, 0, 20, 0.001, 0, 100, 4},
    {"4 stairs of 2.5 %, noise 0.1 %", NOISE_NORMAL, 40, 0, 100, 0.001, 0, 100, 4},
    {"9 stairs of 1.1 %, noise 2 %", NOISE_NORMAL, 40, 0, 5, 0.001, 90, 100, 9},
    {"9 stairs of 1.1 %, noise 0.5 %", NOISE_NORMAL, 40, 0, 20, 0.001, 0, 100, 9},
    {"9 stairs of 1.1 %, noise 0.1 %", NOISE_NORMAL, 40, 0, 100, 0.001, 90, 100, 9},
};

/* The true level at a run, in deviations. */
static double level_at(const struct kind *kind, size_t i)
{
    if (kind->stairs == RAMP) {
        return kind->step * (double)i / (double)(kind->before - 1);
    }
    if (kind->stairs > 0) {
        const size_t stair = i * (kind->stairs + 1) / kind->before;

        return kind->step * (double)stair / (double)kind->stairs;
    }
    return i < kind->before ? 0 : kind->step;
}

static double noise_of(enum noise noise, double last)
{
    switch (noise) {
    case NOISE_TAIL:
        return exp(normal());
    case NOISE_STEPS:
        return round(normal());
    case NOISE_HALF:
        return 0.5 * last + sqrt(0.75) * normal();
    default:
        return normal();
    }
}

/* How many of `trials` series have a change point within NEAR of the step, and any other one. Of
 * stairs each change upwards is right. */
static void simulate(const struct kind *kind, size_t trials, size_t *found, size_t *wrong)
{
    const size_t n = kind->before + kind->after;
    struct change_point points[VALUES_MAX];
    double values[VALUES_MAX];

    *found = *wrong = 0;
    for (size_t trial = 0; trial < trials; trial++) {
        double last = 0;
        bool is_found = false;
        bool is_wrong = false;

        for (size_t i = 0; i < n; i++) {
            last = noise_of(kind->noise, last);
            values[i] = last + level_at(kind, i);
        }
        const size_t count = change_points_find(values, n, kind->alpha, points);

        for (size_t i = 0; i < count; i++) {
            const bool is_near = kind->after > 0 && points[i].kind == CHANGE_STEP &&
                                 points[i].at + NEAR >= kind->before &&
                                 points[i].at <= kind->before + NEAR;
            const bool is_right = kind->stairs > 0 ? points[i].after > points[i].before : is_near;

            if (points[i].kind != CHANGE_DROPPED) {
                is_found = is_found || is_right;
                is_wrong = is_wrong || !is_right;
            }
        }
        *found += is_found;
        *wrong += is_wrong;
    }
}

static double per_cent(size_t part, size_t all)
{
    return 100 * (double)part / (double)all;
}

static void test_simulated(void)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        const struct kind *kind = &kinds[i];
        const size_t trials = kind->found_least > 0 ? 20 : kind->false_most < 100 ? 100 : 0;
        struct kind quick = *kind; /* ten times fewer permutations */
        size_t found;
        size_t wrong;

        state = i + 1;
        quick.alpha = 10 * kind->alpha;
        simulate(&quick, trials, &found, &wrong);
        CHECK(trials == 0 || per_cent(found, trials) >= kind->found_least);
        CHECK(trials == 0 || per_cent(wrong, trials) <= kind->false_most);
    }
}

/* No more than alpha, with a margin that chance exceeds once in 1,000. */
static bool is_few(size_t wrong, size_t trials, double alpha)
{
    const double expected = alpha * (double)trials;

    return (double)wrong <= expected + 3.3 * sqrt(expected) + 1;
}

/* The bars: changes of two deviations, with as many runs on both sides, and series without any,
 * whose values do not depend on each other. */
static bool meets_bars(const struct kind *kind, size_t found, size_t wrong, size_t trials)
{
    if (kind->stairs > 0) {
        return per_cent(found, trials) >= 95 && is_few(wrong, trials, kind->alpha);
    }
    if (kind->after == 0) {
        return kind->noise == NOISE_HALF || is_few(wrong, trials, kind->alpha);
    }
    return kind->before != kind->after || per_cent(found, trials) >= 95;
}

/* Of long series a tenth, unless many are asked for: they take most of the time. */
static size_t unchanged_of(const struct kind *kind, size_t trials)
{
    const bool is_slow = kind->before > 100;

    return is_slow && trials < 1000 ? UNCHANGED / 10 : UNCHANGED;
}

static int print_table(size_t trials, size_t first)
{
    bool good = true;

    printf(
        "| truth | series | found within %d runs, %% | another one, %% |\n|---|---:|---:|---:|\n",
        NEAR);
    for (size_t i = first; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        const bool is_changed = kinds[i].after > 0 || kinds[i].stairs > 0;
        const size_t n = is_changed ? trials : unchanged_of(&kinds[i], trials);
        char share[32] = "";
        size_t found;
        size_t wrong;

        state = i + 1;
        simulate(&kinds[i], n, &found, &wrong);
        if (is_changed) {
            snprintf(share, sizeof(share), " %.1f", per_cent(found, n));
        }
        printf("| %s | %zu |%s | %.2f |\n", kinds[i].text, n, share, per_cent(wrong, n));
        fflush(stdout);
        good = good && meets_bars(&kinds[i], found, wrong, n);
    }
    printf("%s\n", good ? "as good as the README states" : "worse than the README states");
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        return print_table(strtoul(argv[1], NULL, 10), argc > 2 ? strtoul(argv[2], NULL, 10) : 0);
    }
    RUN(test_split());
    RUN(test_otava());
    RUN(test_levels());
    RUN(test_trends());
    RUN(test_least());
    RUN(test_simulated());
    return unit_finish("unit_change_points");
}
