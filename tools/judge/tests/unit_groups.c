/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Groups of boots whose truth is known: how often equal ones are found worse or better, how often a
 * shift of 5 % is found, and how often the interval of a boot's median misses.
 *
 *     unit_groups [TRIALS]
 *
 * prints a row for each deviation between boots, correlation and number of values. The table in
 * tools/judge/README.md is of 1,000 trials (make bench ONLY=groups).
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/judge/boot_spread.h"
#include "tools/judge/compare.h"
#include "tools/stats/compare_statistics.h"
#include "tools/stats/distributions.h"
#include "tools/stats/summary.h"
#include "tools/tests/support/unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { BOOTS = 5, SIDES = 2, VALUES_MAX = 200 };

#define TYPICAL 1000.0
#define WITHIN  30.0 /* deviation of values within a boot: 3 % */
#define SHIFT   0.05

static size_t trials = 100;

/* ---- boots ---- */

static double uniform(uint64_t *seed)
{
    return ((double)(unit_random(seed) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *seed)
{
    return sqrt(-2 * log(uniform(seed))) * cos(2 * M_PI * uniform(seed)); /* Box and Muller */
}

struct cell {
    double between;     /* deviation of boots, in those within a boot */
    double correlation; /* of each value with the one before it */
    size_t n;
    bool skewed; /* values and boots have a long tail above */
};

/* Of deviation 1 and median 0. */
static double bend(const struct cell *cell, double value)
{
    return cell->skewed ? (exp(0.8 * value) - 1) / 1.2 : value;
}

/* Returns the median of the boot's process. */
static double draw(const struct cell *cell, uint64_t *seed, double shift, double *values)
{
    const double keep = cell->correlation;
    const double level = TYPICAL * (1 + shift) + WITHIN * cell->between * bend(cell, normal(seed));
    double last = normal(seed);

    for (size_t i = 0; i < cell->n; i++) {
        values[i] = level + WITHIN * bend(cell, last);
        last = keep * last + sqrt(1 - keep * keep) * normal(seed);
    }
    return level;
}

/* Two groups with one metric. */
struct groups {
    double values[SIDES][BOOTS][VALUES_MAX];
    double medians[SIDES][BOOTS];
    struct metric metric[SIDES][BOOTS];
    struct metrics metrics[SIDES][BOOTS];
    const struct metrics *list[SIDES][BOOTS];
};

/* A run of each side, all boots of which are of one drawn order. */
static struct run side_run[SIDES];

static void init_sides(void)
{
    for (size_t side = 0; side < SIDES; side++) {
        run_init(&side_run[side]);
        run_add_pair(&side_run[side], &side_run[side].info, "kind", "real");
        run_add_pair(&side_run[side], &side_run[side].info, "boot.order",
                     side == 0 ? "ab, seed 7, boot 1" : "ab, seed 7, boot 2");
    }
}

static char metric_name[] = "x.x";

static void draw_groups(const struct cell *cell, uint64_t *seed, double shift,
                        struct groups *groups)
{
    for (size_t side = 0; side < SIDES; side++) {
        for (size_t i = 0; i < BOOTS; i++) {
            double *values = groups->values[side][i];

            groups->medians[side][i] = draw(cell, seed, side == 1 ? shift : 0, values);
            groups->metric[side][i] = (struct metric){.name = metric_name,
                                                      .bench = "x",
                                                      .series = "x",
                                                      .unit = "tick",
                                                      .x = NAN,

                                                      .n = cell->n,
                                                      .values = values};
            groups->metrics[side][i] = (struct metrics){.run = &side_run[side],
                                                        .ns_per_tick = 1,
                                                        .item = &groups->metric[side][i],
                                                        .count = 1};
            groups->list[side][i] = &groups->metrics[side][i];
        }
    }
}

static enum compare_verdict verdict_of(const struct groups *groups, size_t boots)
{
    const struct compare_settings settings = {.threshold = COMPARE_THRESHOLD,
                                              .alpha = COMPARE_ALPHA};
    struct compare compare;

    compare_boots((struct boot_group){groups->list[0], boots},
                  (struct boot_group){groups->list[1], boots}, &settings, &compare);
    const enum compare_verdict verdict = compare.item[0].verdict;

    compare_free(&compare);
    return verdict;
}

static bool is_false(enum compare_verdict verdict)
{
    return verdict == COMPARE_WORSE || verdict == COMPARE_BETTER;
}

/* ---- shares ---- */

/* In numbers of trials. */
struct shares {
    size_t wrong;    /* equal groups that are worse or better */
    size_t one_boot; /* the same, of the first boot of each side */
    size_t found;    /* groups with the shift that are worse */
    size_t printed;  /* intervals of a boot's median */
    size_t missed;   /* of these, without the median of the boot's process */
};

static void try_interval(const struct groups *groups, size_t n, struct shares *shares)
{
    const double median = groups->medians[0][0];
    struct summary summary;

    summary_of(groups->values[0][0], n, &summary);
    shares->printed += summary.median.has_interval;
    shares->missed += summary.median.has_interval &&
                      (summary.median.low > median || summary.median.high < median);
}

static void try_cell(const struct cell *cell, uint64_t *seed, struct groups *groups,
                     struct shares *shares)
{
    *shares = (struct shares){0};
    for (size_t i = 0; i < trials; i++) {
        draw_groups(cell, seed, 0, groups);
        shares->wrong += is_false(verdict_of(groups, BOOTS));
        shares->one_boot += is_false(verdict_of(groups, 1));
        try_interval(groups, cell->n, shares);
        draw_groups(cell, seed, SHIFT, groups);
        shares->found += verdict_of(groups, BOOTS) == COMPARE_WORSE;
    }
}

/* So many of the trials stay within the share: of 1,000 and more as they are, of fewer with what
 * chance adds once in 1,000. */
static bool is_within(size_t count, double share)
{
    const size_t chance = trials < 1000
                              ? trials - distribution_binomial_low(trials, 1 - share, 1e-3)
                              : (size_t)(share * (double)trials);

    return count <= chance;
}

static double percent(size_t count)
{
    return 100 * (double)count / (double)trials;
}

static void check_cell(const struct cell *cell, const struct shares *shares)
{
    printf("%-6s %7.1f %11.1f %6zu %9.1f %9.1f %9.1f %10.1f\n", cell->skewed ? "skewed" : "normal",
           cell->between, cell->correlation, cell->n, percent(shares->wrong),
           percent(shares->found), 100 - percent(shares->missed), percent(shares->printed));
    CHECK(is_within(shares->wrong, 0.05));
    CHECK_EQUAL(shares->one_boot, 0);
    CHECK(is_within(shares->missed, 0.07));
}

static void test_groups(void)
{
    static const double between[] = {0.3, 1, 3};
    static const double correlation[] = {0, 0.5, 0.9};
    static const size_t n[] = {10, 30, 200};
    struct groups *groups = malloc(sizeof(*groups));
    uint64_t seed = 20240102;

    printf("%-6s %7s %11s %6s %9s %9s %9s %10s\n", "values", "between", "correlation", "n",
           "false %", "found %", "covered %", "interval %");
    for (size_t i = 0; i < COUNT(between) * COUNT(correlation) * COUNT(n) + COUNT(n); i++) {
        struct shares shares;
        struct cell cell = {between[i / 9 % 3], correlation[i / 3 % 3], n[i % 3], false};

        if (i >= COUNT(between) * COUNT(correlation) * COUNT(n)) {
            cell = (struct cell){1, 0.5, n[i % 3], true};
        }
        try_cell(&cell, &seed, groups, &shares);
        check_cell(&cell, &shares);
        CHECK(cell.between > 0.3 || shares.found >= trials * 13 / 20 || cell.correlation > 0.5);
    }
    free(groups);
}

/* Where one boot a side is enough, its correlated values decide. */
static void test_one_boot(void)
{
    static const double correlation[] = {0, 0.5, 0.9};
    static const size_t n[] = {10, 30, 200};
    struct groups *groups = malloc(sizeof(*groups));
    uint64_t seed = 20240103;

    printf("exact time, one boot a side\n%11s %6s %9s\n", "correlation", "n", "false %");
    for (size_t i = 0; i < COUNT(correlation) * COUNT(n); i++) {
        const struct cell cell = {0, correlation[i / 3], n[i % 3], false};
        size_t wrong = 0;

        for (size_t k = 0; k < trials; k++) {
            draw_groups(&cell, &seed, 0, groups);
            groups->metrics[0][0].ticks_per_instruction = 1;
            groups->metrics[1][0].ticks_per_instruction = 1;
            wrong += is_false(verdict_of(groups, 1));
        }
        printf("%11.1f %6zu %9.1f\n", cell.correlation, cell.n, percent(wrong));
        CHECK(is_within(wrong, 0.05));
    }
    free(groups);
}

/* ---- layouts ---- */

enum { LAYOUT_METRICS = 300, LAYOUT_VALUES = 10 };

/* Boots of one distribution: by its layout, each metric of a boot is at one of two levels that are
 * 5 % apart, at the higher one with probability `share`. Returns the verdict on any metric. */
static enum compare_verdict layout_verdict(uint64_t *seed, double share, size_t boots,
                                           size_t metrics)
{
    const struct compare_settings settings = {.threshold = COMPARE_THRESHOLD,
                                              .alpha = COMPARE_ALPHA};
    static struct metric metric[SIDES][BOOTS][LAYOUT_METRICS];
    static double values[SIDES][BOOTS][LAYOUT_METRICS][LAYOUT_VALUES];
    static char names[LAYOUT_METRICS][24];
    struct metrics of_boot[SIDES][BOOTS];
    const struct metrics *list[SIDES][BOOTS];
    struct compare compare;
    enum compare_verdict worst = COMPARE_SAME;

    for (size_t i = 0; i < SIDES * boots; i++) {
        const size_t side = i % SIDES;
        const size_t boot = i / SIDES;

        for (size_t k = 0; k < metrics; k++) {
            const double level = TYPICAL * (uniform(seed) < share ? 1.05 : 1);

            snprintf(names[k], sizeof(names[k]), "x.%zu", k);
            for (size_t v = 0; v < LAYOUT_VALUES; v++) {
                values[side][boot][k][v] = level + normal(seed);
            }
            metric[side][boot][k] = (struct metric){.name = names[k],
                                                    .bench = "x",
                                                    .series = names[k],
                                                    .unit = "tick",
                                                    .x = NAN,
                                                    .n = LAYOUT_VALUES,
                                                    .values = values[side][boot][k]};
        }
        of_boot[side][boot] = (struct metrics){
            .run = &side_run[side], .ns_per_tick = 1, .item = metric[side][boot], .count = metrics};
        list[side][boot] = &of_boot[side][boot];
    }
    compare_boots((struct boot_group){list[0], boots}, (struct boot_group){list[1], boots},
                  &settings, &compare);
    for (size_t i = 0; i < compare.count; i++) {
        worst = compare.item[i].verdict < worst ? compare.item[i].verdict : worst;
    }
    CHECK(boots > 3 || compare.least_p == 0.1);
    CHECK(compare.needed == (metrics == 1 ? 4 : 5));
    compare_free(&compare);
    return worst;
}

/* Groups of one distribution are worse or better in 5 % of pairs at most. */
static void test_layouts(void)
{
    static const struct {
        double share;
        size_t boots, metrics;
    } cells[] = {{0.5, 3, 100}, {0.15, 3, 100}, {0.5, 3, 1}, {0.5, 4, 300}, {0.15, 5, 100}};
    uint64_t seed = 20240106;

    for (size_t i = 0; i < COUNT(cells); i++) {
        size_t wrong = 0;

        for (size_t k = 0; k < trials; k++) {
            wrong +=
                is_false(layout_verdict(&seed, cells[i].share, cells[i].boots, cells[i].metrics));
        }
        printf(
            "two levels, %.0f %% of boots at the higher: %zu boots, %zu metrics: %.1f %% false\n",
            100 * cells[i].share, cells[i].boots, cells[i].metrics, percent(wrong));
        CHECK(is_within(wrong, 0.05));
    }
}

int main(int argc, char **argv)
{
    init_sides();
    if (argc > 1 && strtoul(argv[1], NULL, 10) > 0) {
        trials = strtoul(argv[1], NULL, 10);
    }
    RUN(test_groups());
    RUN(test_one_boot());
    RUN(test_layouts());
    run_free(&side_run[0]);
    run_free(&side_run[1]);
    return unit_finish("unit_groups");
}
