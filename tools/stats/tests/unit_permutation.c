/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Permutation tests of groups of boots: by hand, against plain enumeration, and on simulated groups
 * whose truth is known.
 *
 *     unit_permutation [PAIRS]
 *
 * prints how often any metric of groups of one distribution is worse or better, and how often a
 * true shift of one metric is found. The tables in tools/judge/README.md are of 1,000 pairs, 250
 * with 10 boots and 100 or more metrics (make bench ONLY=permutation).
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tools/stats/compare_statistics.h"
#include "tools/stats/distributions.h"
#include "tools/stats/permutation.h"
#include "tools/tests/support/unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ALPHA        0.05
#define TYPICAL      1000.0
#define NOISE        10.0 /* deviation of boots: 1 % */
#define THRESHOLD    0.01

enum { BOOTS_MAX = 20, METRICS_MAX = 800 };

static const size_t boot_counts[] = {3, 4, 5, 10};
static const size_t metric_counts[] = {1, 100, 300, 800};

static size_t pairs = 10; /* of groups, in the cell that is being tried */
static size_t wanted_pairs;

/* Sets the number of pairs of a cell: a quarter in the largest cells, and none if that would be too
 * few. */
static bool begin_cell(size_t boots, size_t metrics)
{
    pairs = boots * metrics >= 1000 && boots == 10 ? wanted_pairs / 4 : wanted_pairs;
    return wanted_pairs >= 200 || boots * metrics <= 500;
}

/* ---- by hand ---- */

static bool near(double value, double known)
{
    return fabs(value - known) <= 1e-12;
}

static void test_least(void)
{
    CHECK(near(permutation_least(3, 3), 0.1));
    CHECK(near(permutation_least(4, 4), 2.0 / 70));
    CHECK(near(permutation_least(3, 4), 1.0 / 35) && near(permutation_least(4, 3), 1.0 / 35));
    CHECK(near(permutation_least(5, 5), 2.0 / 252));
    CHECK(near(permutation_least(1, 1), 1) && near(permutation_least(1, 19), 1.0 / 20));
    CHECK(near(permutation_least(8, 8), 2.0 / 12870));
    CHECK(near(permutation_least(10, 10), 1e-4) && near(permutation_least(500, 500), 1e-4));
}

static void test_one_metric(void)
{
    static const double apart[] = {1, 2, 3, 7, 8, 9};
    static const double mixed[] = {1, 2, 7, 3, 8, 9};
    static const double equal[] = {4, 4, 4, 4, 4, 4};
    static const double constant[] = {5, 5, 5, 5, 6, 6, 6, 6};
    static const double missing[] = {1, NAN, 2, 3, 9, 8, NAN, 7};
    static const double tenth[] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
    static const double close[] = {0.7 + 1e-8, 0.7 + 2e-8, 0.7 + 5e-8, 0.7 + 7e-8};
    struct permutation_chance chance;

    permutation_test(close, 1, 2, 2, &chance); /* their mean is rounded */
    CHECK(near(chance.p, permutation_least(2, 2)));
    permutation_test(apart, 1, 3, 3, &chance);
    CHECK(near(chance.p, 0.1) && near(chance.corrected, 0.1));
    permutation_test(mixed, 1, 3, 3, &chance); /* 6 of 20: sums 1 2 3, 1 2 7 and 1 3 7; mirrored */
    CHECK(near(chance.p, 0.2) && near(chance.corrected, 0.2));
    permutation_test(equal, 1, 3, 3, &chance);
    CHECK(near(chance.p, 1) && near(chance.corrected, 1));
    permutation_test(tenth, 1, 3, 3, &chance);
    CHECK(near(chance.p, 1));
    /* Neither group varies: no variance is needed. */
    permutation_test(constant, 1, 4, 4, &chance);
    CHECK(near(chance.p, 2.0 / 70));
    /* The two boots without a value count as its mean, 5: {1 2 3 5} against {5 7 8 9} has the
     * same sum for either 5. */
    permutation_test(missing, 1, 4, 4, &chance);
    CHECK(near(chance.p, 4.0 / 70));
    permutation_test(apart, 1, 2, 4, &chance); /* 1 2 | 3 7 8 9, and 8 9 | rest is as far */
    CHECK(near(chance.p, 3.0 / 15) || near(chance.p, 2.0 / 15) || near(chance.p, 4.0 / 15));
    permutation_test(NULL, 0, 4, 4, &chance);
}

/* Enumerates all splits by the bits of a number, with plain means, and corrects step by step. */
static void enumerate(const double *values, size_t metrics, size_t a_count, size_t b_count,
                      struct permutation_chance *chances)
{
    const size_t n = a_count + b_count;
    const unsigned actual_bits = ((1u << b_count) - 1) << a_count;
    double actual[8] = {0};
    size_t splits = 0;

    for (unsigned round = 0; round <= 1u << n; round++) {
        const unsigned bits = round == 0 ? actual_bits : round - 1;
        double statistics[8];

        if ((size_t)__builtin_popcount(bits) != b_count) {
            continue;
        }
        for (size_t k = 0; k < metrics; k++) {
            double all = 0;
            double squares = 0;
            double of_b = 0;

            for (size_t i = 0; i < n; i++) {
                all += values[i * metrics + k];
                of_b += (bits >> i & 1) != 0 ? values[i * metrics + k] : 0;
            }
            for (size_t i = 0; i < n; i++) {
                squares += pow(values[i * metrics + k] - all / (double)n, 2);
            }
            statistics[k] =
                pow(of_b / (double)b_count - (all - of_b) / (double)a_count, 2) / squares;
            actual[k] = round == 0 ? statistics[k] : actual[k];
        }
        splits += round > 0;
        for (size_t k = 0; k < metrics && round > 0; k++) {
            bool reached = false;

            for (size_t other = 0; other < metrics; other++) {
                reached = reached || (actual[other] <= actual[k] &&
                                      statistics[other] >= actual[k] * (1 - 1e-9));
            }
            chances[k].p += statistics[k] >= actual[k] * (1 - 1e-9);
            chances[k].corrected += reached;
        }
    }
    for (size_t k = 0; k < metrics; k++) {
        chances[k].p /= (double)splits;
        chances[k].corrected /= (double)splits;
    }
    for (size_t k = 0; k < metrics; k++) { /* never below that of a greater statistic */
        for (size_t other = 0; other < metrics; other++) {
            if (actual[other] > actual[k]) {
                chances[k].corrected = fmax(chances[k].corrected, chances[other].corrected);
            }
        }
    }
}

static void test_enumeration(void)
{
    static const size_t sizes[][2] = {{3, 3}, {4, 4}, {3, 4}, {4, 2}, {5, 5}, {1, 6}};
    uint64_t seed = 7;

    for (size_t i = 0; i < COUNT(sizes) * 20; i++) {
        enum { METRICS = 4 };
        const size_t *size = sizes[i % COUNT(sizes)];
        double values[10 * METRICS];
        struct permutation_chance chances[METRICS];
        struct permutation_chance known[METRICS] = {{0, 0}};

        for (size_t k = 0; k < COUNT(values); k++) {
            values[k] = (double)(unit_random(&seed) % 1000000) +
                        (k / METRICS >= size[0] && k % METRICS == 0 ? 600000 : 0);
        }
        permutation_test(values, METRICS, size[0], size[1], chances);
        enumerate(values, METRICS, size[0], size[1], known);
        for (size_t k = 0; k < METRICS; k++) {
            CHECK(near(chances[k].p, known[k].p));
            CHECK(near(chances[k].corrected, known[k].corrected));
        }
    }
}

/* Random splits: as likely each, and close to the enumeration of 24,310 splits. */
static void test_draw(void)
{
    enum { DRAWS = 60000 };
    size_t seen[16] = {0};
    double values[17];
    struct permutation_chance chance;
    bool is_b[4];
    uint64_t seed = 1;
    double chi_squared = 0;

    for (size_t i = 0; i < DRAWS; i++) {
        unsigned bits = 0;

        permutation_draw(&seed, is_b, 4, 2);
        for (size_t k = 0; k < 4; k++) {
            bits |= (unsigned)is_b[k] << k;
        }
        seen[bits]++;
    }
    for (unsigned bits = 0; bits < 16; bits++) {
        const double expected = __builtin_popcount(bits) == 2 ? DRAWS / 6.0 : 0;

        CHECK(expected > 0 || seen[bits] == 0);
        chi_squared += expected > 0 ? pow((double)seen[bits] - expected, 2) / expected : 0;
    }
    CHECK(chi_squared < 20.5); /* once in 1,000 with 5 degrees of freedom */
    for (size_t i = 0; i < COUNT(values); i++) {
        values[i] = (double)(i * i % 17) + (i >= 8 ? 4 : 0);
    }
    permutation_test(values, 1, 8, 9, &chance);
    const double sampled = chance.p;
    double known = 0;
    double all = 0;

    for (size_t i = 0; i < COUNT(values); i++) {
        all += values[i];
    }
    double actual = 0;

    for (size_t i = 8; i < COUNT(values); i++) {
        actual += values[i];
    }
    for (unsigned bits = 0; bits < 1u << 17; bits++) {
        double of_b = 0;

        for (size_t i = 0; i < COUNT(values); i++) {
            of_b += (bits >> i & 1) != 0 ? values[i] : 0;
        }
        known +=
            __builtin_popcount(bits) == 9 && fabs(of_b / 9 - (all - of_b) / 8) >=
                                                 fabs(actual / 9 - (all - actual) / 8) * (1 - 1e-9)
                ? 1
                : 0;
    }
    CHECK(fabs(sampled - known / 24310) < 0.02);
}

static void test_needed(void)
{
    CHECK(isinf(permutation_detectable(3, 1, ALPHA)) && isinf(permutation_detectable(1, 1, ALPHA)));
    CHECK(permutation_detectable(4, 1, ALPHA) > 2 && permutation_detectable(4, 1, ALPHA) < 3);
    CHECK_EQUAL(permutation_boots_needed(1, ALPHA), 4);
    CHECK_EQUAL(permutation_boots_needed(100, ALPHA), 5);
    CHECK_EQUAL(permutation_boots_needed(300, ALPHA), 5);
    CHECK_EQUAL(permutation_boots_needed(800, ALPHA), 6);
    CHECK_EQUAL(permutation_boots_needed(1, 1e-6), 0);
}

/* ---- simulated groups ---- */

enum law { NORMAL, HEAVY, SKEWED, FEW_HIGH, HALF_HIGH, DRIFT, LAWS };

static const char *const law_names[LAWS] = {
    "normal", "t2", "skewed", "two levels, 15 % of boots", "two levels, 50 % of boots", "drift",
};

static double uniform(uint64_t *seed)
{
    return ((double)(unit_random(seed) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *seed)
{
    return sqrt(-2 * log(uniform(seed))) * cos(2 * M_PI * uniform(seed)); /* Box and Muller */
}

/* Draws a value of a law, of deviation about 1 where it has one. */
static double draw_value(enum law law, uint64_t *seed)
{
    const double z = normal(seed);

    switch (law) {
    case HEAVY: /* Student's, 2 degrees of freedom */
        return z / sqrt(-log(uniform(seed)));
    case SKEWED:
        return (exp(z) - 1.65) / 2.16;
    default:
        return z;
    }
}

/* Which boots are at the high level of a layout. */
static void draw_levels(enum law law, uint64_t *seed, size_t boots, bool *high)
{
    for (size_t i = 0; i < boots; i++) {
        high[i] = uniform(seed) < (law == HALF_HIGH ? 0.5 : law == FEW_HIGH ? 0.15 : 0);
    }
}

/*
 * Draws all metrics of both groups. Half of the variation is common to all metrics of a boot. The
 * levels are 5, 15 or 50 % apart; every second metric follows the layout of the boot, the others
 * have their own. A drift goes up to 20 % up or down over all boots, with a random walk of 1 % a
 * boot; the order of the boots is drawn as by `tare boot --interleave`.
 */
static void draw_groups(enum law law, uint64_t *seed, size_t boots, size_t metrics, double *values)
{
    static const double distances[] = {50, 150, 500};
    const double part = sqrt(0.5);
    double common[BOOTS_MAX];
    bool layout[BOOTS_MAX];
    bool of_b[BOOTS_MAX];
    size_t place[BOOTS_MAX];
    size_t next[2] = {0, boots / 2};

    permutation_draw(seed, of_b, boots, boots / 2);
    for (size_t i = 0; i < boots; i++) {
        common[i] = draw_value(law, seed);
        place[i] = next[of_b[i]]++;
    }
    draw_levels(law, seed, boots, layout);
    for (size_t k = 0; k < metrics; k++) {
        const double distance = distances[unit_random(seed) % COUNT(distances)];
        const double slope = law == DRIFT ? 400 * (uniform(seed) - 0.5) / (double)boots : 0;
        bool own[BOOTS_MAX];
        double walk = 0;

        draw_levels(law, seed, boots, own);
        for (size_t i = 0; i < boots; i++) {
            const bool high = k % 2 == 0 ? layout[i] : own[i];

            walk += law == DRIFT ? slope + NOISE * normal(seed) : 0;
            values[place[i] * metrics + k] = TYPICAL + (high ? distance : 0) + walk +
                                             NOISE * part * (common[i] + draw_value(law, seed));
        }
    }
}

/* Do at most this share of the pairs, and what chance adds once in 10,000, exceed it? */
static bool is_within(size_t count, double share)
{
    return count <= pairs - distribution_binomial_low(pairs, 1 - share, 1e-4);
}

/* Is a metric worse or better by the rule of tools/judge/compare.h: beyond chance, and the interval
 * of its shift beyond 1 % of a's value? */
static bool is_judged(const double *values, size_t metric, size_t metrics, size_t boots,
                      const struct permutation_chance *chance)
{
    double column[BOOTS_MAX];
    struct two_groups two;

    if (chance->corrected > ALPHA) {
        return false;
    }
    for (size_t i = 0; i < 2 * boots; i++) {
        column[i] = values[i * metrics + metric];
    }
    compare_groups(column, boots, column + boots, boots, &two);
    return fmax(two.low, -two.high) > THRESHOLD * fabs(two.a);
}

/* Returns the number of pairs in which any metric is worse or better. */
static size_t false_pairs(enum law law, size_t boots, size_t metrics, double *values)
{
    struct permutation_chance *chances = malloc(metrics * sizeof(*chances));
    uint64_t seed = 20240104 + 1000 * (uint64_t)law + 10 * boots + metrics;
    size_t wrong = 0;

    for (size_t i = 0; i < pairs; i++) {
        bool judged = false;

        draw_groups(law, &seed, 2 * boots, metrics, values);
        permutation_test(values, metrics, boots, boots, chances);
        for (size_t k = 0; k < metrics; k++) {
            judged = judged || is_judged(values, k, metrics, boots, &chances[k]);
        }
        wrong += judged;
    }
    free(chances);
    return wrong;
}

static void print_head(const char *title)
{
    printf("%-28s", title);
    for (size_t i = 0; i < COUNT(metric_counts); i++) {
        printf(" %7zu", metric_counts[i]);
    }
    printf("\n");
}

static void test_false(void)
{
    double *values = malloc(BOOTS_MAX * METRICS_MAX * sizeof(*values));

    print_head("false, % of pairs; metrics:");
    for (enum law law = 0; law < LAWS; law++) {
        for (size_t i = 0; i < COUNT(boot_counts); i++) {
            printf("%-25s %2zu", law_names[law], boot_counts[i]);
            for (size_t k = 0; k < COUNT(metric_counts); k++) {
                if (!begin_cell(boot_counts[i], metric_counts[k])) {
                    continue;
                }
                const size_t wrong = false_pairs(law, boot_counts[i], metric_counts[k], values);

                printf(" %7.1f", 100 * (double)wrong / (double)pairs);
                CHECK(is_within(wrong, 0.05));
                CHECK(boot_counts[i] > 3 || wrong == 0);
            }
            printf("\n");
            fflush(stdout);
        }
    }
    free(values);
}

/* ---- power ---- */

/* Returns in how many pairs a shift of the last metric is found. */
static size_t found_pairs(double shift, double noise, size_t boots, size_t metrics, double *values)
{
    struct permutation_chance *chances = malloc(metrics * sizeof(*chances));
    uint64_t seed = 20240105 + 10 * boots + metrics;
    size_t found = 0;

    for (size_t i = 0; i < pairs; i++) {
        draw_groups(NORMAL, &seed, 2 * boots, metrics, values);
        for (size_t k = 0; k < 2 * boots * metrics; k++) {
            values[k] = TYPICAL + (values[k] - TYPICAL) * noise;
        }
        for (size_t boot = boots; boot < 2 * boots; boot++) {
            values[boot * metrics + metrics - 1] += shift * NOISE;
        }
        permutation_test(values, metrics, boots, boots, chances);
        found += is_judged(values, metrics - 1, metrics, boots, &chances[metrics - 1]);
    }
    free(chances);
    return found;
}

static void test_power(void)
{
    static const double noises[] = {1, 2};
    static const double shifts[] = {2, 5, 10, 20};
    double *values = malloc(BOOTS_MAX * METRICS_MAX * sizeof(*values));

    print_head("found, % of pairs; metrics:");
    for (size_t i = 0; i < COUNT(noises) * COUNT(shifts) * (COUNT(boot_counts) - 1); i++) {
        const size_t boots = boot_counts[1 + i % 3];
        const double shift = shifts[i / 3 % COUNT(shifts)];
        const double noise = noises[i / 3 / COUNT(shifts)];

        printf("shift %2.0f %%, noise %.0f %%      %2zu", shift, noise, boots);
        for (size_t k = 0; k < COUNT(metric_counts) && begin_cell(boots, metric_counts[k]); k++) {
            const size_t found = found_pairs(shift, noise, boots, metric_counts[k], values);

            printf(" %7.1f", 100 * (double)found / (double)pairs);
            /* As permutation_detectable() promises, of what lies well beyond the threshold. */
            CHECK((shift - 1) / noise < permutation_detectable(boots, metric_counts[k], ALPHA) ||
                  found >= pairs / 2);
        }
        printf("\n");
        fflush(stdout);
    }
    free(values);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strtoul(argv[1], NULL, 10) > 0) {
        pairs = strtoul(argv[1], NULL, 10);
    }
    wanted_pairs = pairs;
    RUN(test_least());
    RUN(test_one_metric());
    RUN(test_enumeration());
    RUN(test_draw());
    RUN(test_needed());
    RUN(test_false());
    RUN(test_power());
    return unit_finish("unit_permutation");
}
