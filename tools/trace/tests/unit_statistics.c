/* SPDX-License-Identifier: BSD-2-Clause */
/* Quantiles, and what idle-loop samples show about stolen time. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tools/stats/statistics.h"
#include "tools/tests/support/unit.h"
#include "tools/trace/idle_bench.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void test_small(void)
{
    static const int64_t five[] = {5, 1, 4, 2, 3};
    static const int64_t four[] = {40, -10, 20, 30};
    static const int64_t ends[] = {INT64_MAX, INT64_MIN};
    struct statistics s;

    statistics_of(five, 0, &s);
    CHECK_EQUAL(s.n, 0);
    CHECK(!s.has_p99 && !s.has_p999);
    statistics_of(five, 5, &s);
    CHECK(s.n == 5 && s.min == 1 && s.median == 3 && s.max == 5 && !s.has_p99);
    CHECK_EQUAL(five[0], 5);
    statistics_of(four, 4, &s);
    CHECK(s.min == -10 && s.median == 20 && s.max == 40);
    statistics_of(ends, 2, &s);
    CHECK(s.min == INT64_MIN && s.median == INT64_MIN && s.max == INT64_MAX);
    CHECK_EQUAL(statistics_median(five, 5), 3);
    CHECK_EQUAL(statistics_median(ends, 1), INT64_MAX);
}

/* 1..n in a shuffled order: the quantile q is ceil(q n). */
static void test_ranks(void)
{
    static int64_t samples[20000];
    uint64_t seed = 21;

    for (size_t n = 1; n <= COUNT(samples); n = n < 2000 ? n + 37 : n + 2999) {
        struct statistics s;

        for (size_t i = 0; i < n; i++) {
            const size_t k = unit_random(&seed) % (i + 1);

            samples[i] = samples[k];
            samples[k] = (int64_t)i + 1;
        }
        statistics_of(samples, n, &s);
        CHECK_EQUAL(s.min, 1);
        CHECK_EQUAL(s.max, n);
        CHECK_EQUAL(s.median, (n + 1) / 2);
        CHECK_EQUAL(s.has_p99, n >= 1000);
        CHECK_EQUAL(s.has_p999, n >= 10000);
        CHECK(!s.has_p99 || s.p99 == (int64_t)((n * 99 + 99) / 100));
        CHECK(!s.has_p999 || s.p999 == (int64_t)((n * 999 + 999) / 1000));
    }
}

static int compare_samples(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left;
    const int64_t b = *(const int64_t *)right;

    return a < b ? -1 : a > b;
}

/* Of kind 0 any 64 bits, 1 few values far apart, 2 close together with a few exceptions, 3 all the
 * same, 4 many in one bin of any width. */
static int64_t draw_of_kind(unsigned kind, uint64_t *seed)
{
    static const int64_t few[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX};
    const uint64_t draw = unit_random(seed);

    switch (kind) {
    case 0:
        return (int64_t)draw;
    case 1:
        return few[draw % 7];
    case 2:
        return draw % 500 == 0 ? (int64_t)(draw >> (draw % 63)) : 1000000 + (int64_t)(draw % 48);
    case 3:
        return INT64_MIN + 5;
    default:
        return (int64_t)(draw % 4 == 0 ? draw >> 20 : draw >> 56);
    }
}

static size_t stretches_seen;

static void note_stretch(void *context, size_t first, size_t count)
{
    size_t *next = context;

    CHECK(count > 0 && count <= STATISTICS_STRETCH && (first == *next || first == 0));
    *next = first + count;
    stretches_seen++;
}

/* What is selected in passes is what sorting finds. */
static void test_selection(void)
{
    enum { MOST = 2 * STATISTICS_STRETCH + 1000 };
    static int64_t samples[MOST];
    uint64_t seed = 8;

    for (unsigned round = 0; round < 30; round++) {
        const size_t n = round < 5 ? MOST : 250 + unit_random(&seed) % 20000;
        struct statistics s;
        size_t next = 0;

        for (size_t i = 0; i < n; i++) {
            samples[i] = draw_of_kind(round % 5, &seed);
        }
        stretches_seen = 0;
        statistics_of_stretches(samples, n, note_stretch, &next, &s);
        CHECK(next == n && stretches_seen >= 1);
        CHECK_EQUAL(statistics_median(samples, n), s.median);
        qsort(samples, n, sizeof(samples[0]), compare_samples);
        CHECK(s.min == samples[0] && s.max == samples[n - 1]);
        CHECK_EQUAL(s.median, samples[(n + 1) / 2 - 1]);
        CHECK(!s.has_p99 || s.p99 == samples[(n * 99 + 99) / 100 - 1]);
        CHECK(!s.has_p999 || s.p999 == samples[(n * 999 + 999) / 1000 - 1]);
        CHECK(s.has_p99 == (n >= 1000) && s.has_p999 == (n >= 10000));
    }
}

static void test_total(void)
{
    static const int64_t small[] = {5, -7, 3};
    static const int64_t edge[] = {INT64_MAX, INT64_MIN, INT64_MAX, 1};
    static const int64_t low[] = {INT64_MIN, -1};
    struct statistics s;

    statistics_of(small, 3, &s);
    CHECK(s.has_total && s.total == 1);
    statistics_of(edge, 3, &s); /* a part of it does not fit, all of it does */
    CHECK(s.has_total && s.total == INT64_MAX - 1);
    statistics_of(edge, 4, &s);
    CHECK(s.has_total && s.total == INT64_MAX);
    statistics_of(low, 1, &s);
    CHECK(s.has_total && s.total == INT64_MIN);
    statistics_of(low, 2, &s);
    CHECK(!s.has_total);
    statistics_of(low, 0, &s);
    CHECK(!s.has_total);
}

static bool near(double left, double right)
{
    return fabs(left - right) < 1e-12;
}

static void test_correlation(void)
{
    static const int64_t x[] = {1, 2, 3, 4, 5};
    static const int64_t line[] = {-3, -1, 1, 3, 5};
    static const int64_t falling[] = {9, 7, 5, 3, 1};
    static const int64_t even[] = {4, 1, 0, 1, 4}; /* (x - 3)^2 */
    static const int64_t some[] = {2, 1, 4, 3, 5};
    static const int64_t constant[] = {7, 7, 7, 7, 7};
    static const int64_t wide[] = {INT64_MIN, INT64_MAX, INT64_MIN, INT64_MAX};
    static const int64_t steps[] = {0, 1, 0, 1};
    static const int64_t large[] = {INT64_MAX - 3, INT64_MAX - 2, INT64_MAX - 1, INT64_MAX};
    /* A 2 x 2 table of n11 = 2, n10 = 1, n00 = 2: phi is 2 * 2 / sqrt(3 * 2 * 2 * 3). */
    static const int64_t a[] = {1, 1, 1, 0, 0};
    static const int64_t b[] = {1, 1, 0, 0, 0};

    CHECK(near(statistics_correlation(x, line, 5), 1));
    CHECK(near(statistics_correlation(x, falling, 5), -1));
    CHECK(near(statistics_correlation(x, even, 5), 0));
    CHECK(near(statistics_correlation(x, some, 5), 0.8));
    CHECK(near(statistics_correlation(some, x, 5), 0.8));
    CHECK(near(statistics_correlation(a, b, 5), 2.0 / 3));
    CHECK(near(statistics_correlation(wide, steps, 4), 1));
    CHECK(near(statistics_correlation(large, x, 4), 1));
    CHECK(isnan(statistics_correlation(x, constant, 5)));
    CHECK(isnan(statistics_correlation(constant, x, 5)));
    CHECK(isnan(statistics_correlation(x, line, 1)));
    CHECK(isnan(statistics_correlation(x, line, 0)));
    CHECK(near(statistics_correlation(x, line, 2), 1));
}

static void test_group(void)
{
    static const int64_t keys[] = {2, 0, INT64_MIN, 0, 2, 0};
    size_t order[6];
    size_t starts[6];

    CHECK_EQUAL(idle_group(keys, 6, order, starts), 3);
    CHECK(starts[0] == 0 && starts[1] == 1 && starts[2] == 4);
    CHECK(order[0] == 2 && order[1] == 1 && order[2] == 3 && order[3] == 5);
    CHECK(order[4] == 0 && order[5] == 4);
    CHECK_EQUAL(idle_group(keys, 1, order, starts), 1);
    CHECK_EQUAL(idle_group(keys, 0, order, starts), 0);
}

static void test_sample_at(void)
{
    static const int64_t samples[] = {100, 100, 150, 100};
    int64_t ends[4];

    idle_ends(samples, 4, ends);
    CHECK(ends[0] == 100 && ends[1] == 200 && ends[2] == 350 && ends[3] == 450);
    CHECK_EQUAL(idle_sample_at(ends, 4, 0), 0);
    CHECK_EQUAL(idle_sample_at(ends, 4, 99), 0);
    CHECK_EQUAL(idle_sample_at(ends, 4, 100), 1);
    CHECK_EQUAL(idle_sample_at(ends, 4, 349), 2);
    CHECK_EQUAL(idle_sample_at(ends, 4, 449), 3);
    CHECK_EQUAL(idle_sample_at(ends, 4, 450), 4);
    CHECK_EQUAL(idle_sample_at(ends, 4, -1), 4);
    CHECK_EQUAL(idle_sample_at(ends, 0, 0), 0);
}

static void test_profile(void)
{
    /* Floor 100: 50 stolen in the third sample, [200, 350), and 200 in the fifth, [450, 750). */
    static const int64_t samples[] = {100, 100, 150, 100, 300, 90};
    double f[6];

    idle_profile(samples, COUNT(samples), 100, f, 1);
    CHECK(near(f[0], 250.0 / 840));
    idle_profile(samples, COUNT(samples), 100, f, 6); /* columns of 140 */
    CHECK(near(f[0], 0));
    CHECK(near(f[1], 80.0 / 150 * 50 / 140));
    CHECK(near(f[2], 70.0 / 150 * 50 / 140));
    CHECK(near(f[3], 110.0 / 300 * 200 / 140));
    CHECK(near(f[4], 140.0 / 300 * 200 / 140));
    CHECK(near(f[5], 50.0 / 300 * 200 / 140));
    idle_profile(samples, 0, 100, f, 2);
    CHECK(f[0] == 0 && f[1] == 0);
}

static void test_match(void)
{
    static const int64_t samples[] = {100, 100, 150, 100, 300};
    /* One interrupt in the third sample, two in the fifth, one after the end. */
    static const int64_t entries[] = {220, 460, 500, 750};
    static const int64_t handlers[] = {42, 90, 95, 7};
    struct idle_event events[4];

    CHECK_EQUAL(idle_match(samples, 5, 100, entries, handlers, 4, events), 3);
    CHECK(events[0].found && events[0].sample == 2 && events[0].count == 1);
    CHECK(events[0].handler == 42 && events[0].elongation == 50 && events[0].entry == 220);
    CHECK(events[1].found && events[1].sample == 4 && events[1].count == 2);
    CHECK(events[1].handler == 185 && events[1].elongation == 200 && events[1].index == 1);
    CHECK(!events[2].found && events[2].index == 3 && events[2].handler == 7);
    CHECK_EQUAL(idle_match(samples, 5, 100, entries, handlers, 0, events), 0);
    CHECK_EQUAL(idle_floor_between(samples, 5, entries, 4, 7), 100);
    CHECK_EQUAL(idle_floor_between(samples + 2, 1, (const int64_t[]){20}, 1, 7), 7);
}

static void test_recovery(void)
{
    /* Floor 1000. Work of 500 recovered as 560; 300 as 290; two of 200 as 520; 400 not at all; 9000
     * without any. Entry and exit of an interrupt take 60. */
    static const int64_t samples[] = {1000, 1560, 1000, 1290, 1000, 1520, 1002, 10000, 1000};
    static const int64_t entries[] = {1100, 3600, 5900, 6500, 7400};
    static const int64_t work[] = {500, 300, 200, 200, 400};
    const struct idle_tolerance stated = {.outside = 60, .sample = 4, .each = 35};
    struct idle_event events[5];
    struct idle_recovery r;
    const size_t count = idle_match(samples, 9, 1000, entries, work, 5, events);

    CHECK_EQUAL(count, 4);
    CHECK_EQUAL(events[3].sample, 6);
    CHECK_EQUAL(idle_tolerance_ticks(&stated, 2), 74);
    idle_recover(samples, 9, 1000, &stated, events, count, &r);
    CHECK(r.injected == 5 && r.recovered == 4 && r.within_tolerance == 3 && r.spurious == 1);
    CHECK(r.groups == 4 && r.groups_recovered == 3 && r.groups_within == 2);
    CHECK(r.has_error && r.max_error == -458);
    CHECK(r.injected_total == 1600 && r.recovered_total == 500 + 230 + 400 - 58);
    CHECK_EQUAL(idle_floor_between(samples, 9, entries, 5, 0), 1000);
    idle_recover(samples, 9, 1000, &(struct idle_tolerance){.sample = 10000}, events, 0, &r);
    CHECK(r.injected == 0 && r.groups == 0 && !r.has_error && r.spurious == 0);
}

static void test_check(void)
{
    static const int64_t good[] = {0, 1, INT64_C(1) << 61};
    static const int64_t negative[] = {1, -1};
    static const int64_t large[] = {INT64_C(1) << 61, INT64_C(1) << 61, 1};

    CHECK(idle_check(good, 3));
    CHECK(idle_check(NULL, 0));
    CHECK(!idle_check(negative, 2));
    CHECK(!idle_check(large, 3));
}

/* The smaller of equally frequent values is the mode, and the other the next. */
static void test_modes(void)
{
    const struct statistics_mode tie = statistics_mode_of((int64_t[]){7, -3, 7, 9, -3}, 5);
    const struct statistics_mode one = statistics_mode_of((int64_t[]){5, 5}, 2);
    const struct statistics_mode last = statistics_mode_of((int64_t[]){1, 2, 2, 3, 3, 3}, 6);

    CHECK(tie.value == -3 && tie.next == 7 && tie.share == 0.4 && tie.next_share == 0.4);
    CHECK(one.value == 5 && one.share == 1 && one.next_share == 0);
    CHECK(last.value == 3 && last.next == 2 && last.share == 0.5);
}

int main(void)
{
    RUN(test_modes());
    RUN(test_small());
    RUN(test_ranks());
    RUN(test_selection());
    RUN(test_total());
    RUN(test_correlation());
    RUN(test_group());
    RUN(test_sample_at());
    RUN(test_profile());
    RUN(test_match());
    RUN(test_recovery());
    RUN(test_check());
    return unit_finish("unit_statistics");
}
