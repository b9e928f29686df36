/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Verdicts on simulated runs whose truth is known, and on some made by hand.
 *
 *     unit_compare [TRIALS]
 *
 * prints how often each verdict is given, and how often the middle differs beyond chance whatever
 * the threshold. The table in tools/judge/README.md is of 10,000 trials.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/judge/compare.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static size_t trials = 1000;

/* One run a side. */
static void compare_two(const struct metrics *a, const struct metrics *b,
                        const struct compare_settings *settings, struct compare *compare)
{
    compare_boots((struct boot_group){&a, 1}, (struct boot_group){&b, 1}, settings, compare);
}

/* ---- simulated runs ---- */

static double uniform(uint64_t *seed)
{
    return ((double)(unit_random(seed) >> 11) + 0.5) / 9007199254740992.0;
}

/* In exact time, where one boot a side is enough (of groups: unit_groups.c). A spread of 3 % with a
 * longer tail above, as of latencies: 1000 e^(0.03 z). */
static double latency(uint64_t *seed)
{
    const double radius = sqrt(-2 * log(uniform(seed))); /* Box and Muller */

    return 1000 * exp(0.03 * radius * cos(2 * M_PI * uniform(seed)));
}

struct scenario {
    const char *name;
    size_t a_count, b_count;
    double shift;       /* of b */
    double step;        /* values are multiples of it; 0: as they are */
    double tail;        /* share of b's values that are three times as large */
    double correlation; /* of each value with the one before it */
    size_t family;      /* metrics; all are drawn alike */
    double least; /* must be found worse, in per cent of trials: less than it is, by a margin */
};

static const struct scenario scenarios[] = {
    {"no change, 30 values", 30, 30, 0, 0, 0, 0, 1, 0},
    {"no change, 100", 100, 100, 0, 0, 0, 0, 1, 0},
    {"no change, 30 and 200", 30, 200, 0, 0, 0, 0, 1, 0},
    {"no change, ties: steps of 2 %", 60, 60, 0, 20, 0, 0, 1, 0},
    {"no change, correlated by 0.5", 200, 200, 0, 0, 0, 0.5, 1, 0},
    {"no change, any of 20 metrics", 30, 30, 0, 0, 0, 0, 20, 0},
    {"1 % slower, 100", 100, 100, 0.01, 0, 0, 0, 1, 0},
    {"2 % slower, 30", 30, 30, 0.02, 0, 0, 0, 1, 6},
    {"2 % slower, 100", 100, 100, 0.02, 0, 0, 0, 1, 35},
    {"2 % slower, 300", 300, 300, 0.02, 0, 0, 0, 1, 90},
    {"2 % slower, 100, ties", 100, 100, 0.02, 20, 0, 0, 1, 33},
    {"5 % slower, 10", 10, 10, 0.05, 0, 0, 0, 1, 12},
    {"5 % slower, 30", 30, 30, 0.05, 0, 0, 0, 1, 93},
    {"5 % slower, 30 and 200", 30, 200, 0.05, 0, 0, 0, 1, 97},
    {"tail only: 20 % thrice, 200", 200, 200, 0, 0, 0.2, 0, 1, 93},
    {"tail only: 3 % thrice, 1000", 1000, 1000, 0, 0, 0.03, 0, 1, 93},
};

static void draw(const struct scenario *scenario, uint64_t *seed, bool is_b, double *values,
                 size_t n)
{
    const double keep = scenario->correlation;
    double last = 0;

    for (size_t i = 0; i < n; i++) {
        double value = latency(seed);

        if (keep > 0) {
            last = keep * last + sqrt(1 - keep * keep) * (value - 1000);
            value = 1000 + last;
        }
        value *= is_b ? 1 + scenario->shift : 1;
        value *= is_b && uniform(seed) < scenario->tail ? 3 : 1;
        values[i] = scenario->step > 0 ? scenario->step * round(value / scenario->step) : value;
    }
}

static void make_metrics(const struct scenario *scenario, uint64_t *seed, bool is_b,
                         struct metrics *metrics)
{
    const size_t n = is_b ? scenario->b_count : scenario->a_count;

    *metrics =
        (struct metrics){.ns_per_tick = 1, .ticks_per_instruction = 1, .count = scenario->family};
    metrics->item = alloc_zeroed(scenario->family * sizeof(*metrics->item));
    for (size_t i = 0; i < scenario->family; i++) {
        struct metric *metric = &metrics->item[i];

        *metric = (struct metric){.unit = "tick", .bench = "x", .series = "x", .n = n, .x = NAN};
        metric->name = alloc_zeroed(32);
        snprintf(metric->name, 32, "x.%zu", i);
        metric->values = alloc_zeroed(n * sizeof(*metric->values));
        draw(scenario, seed, is_b, metric->values, n);
    }
}

/* What one pair of runs gave: of a family the first that there is of worse, better, ... */
struct outcome {
    enum compare_verdict verdict;
    bool significant; /* the middle, whatever the threshold: the test and the interval agree */
};

static struct outcome one_trial(const struct scenario *scenario, uint64_t *seed)
{
    const struct compare_settings settings = {.threshold = COMPARE_THRESHOLD,
                                              .alpha = COMPARE_ALPHA};
    struct metrics a;
    struct metrics b;
    struct compare compare;
    struct outcome outcome = {.verdict = COMPARE_VERDICTS};

    make_metrics(scenario, seed, false, &a);
    make_metrics(scenario, seed, true, &b);
    compare_two(&a, &b, &settings, &compare);
    for (size_t i = 0; i < compare.count; i++) {
        const struct compare_row *row = &compare.item[i];

        outcome.verdict = row->verdict < outcome.verdict ? row->verdict : outcome.verdict;
        outcome.significant =
            outcome.significant || (row->p <= COMPARE_ALPHA && (row->low > 0 || row->high < 0));
    }
    compare_free(&compare);
    metrics_free(&a);
    metrics_free(&b);
    return outcome;
}

/* In per cent of the trials. */
struct shares {
    double verdicts[COMPARE_VERDICTS];
    double significant;
};

/* Without a change all trials, for a share that must be small; else a fifth. */
static void simulate(const struct scenario *scenario, struct shares *shares)
{
    const bool changed = scenario->shift > 0 || scenario->tail > 0;
    const size_t rounds = changed || scenario->family > 1 ? trials / 5 : trials;
    const double share = 100 / (double)rounds;
    uint64_t seed = 20240101;

    *shares = (struct shares){0};
    for (size_t i = 0; i < rounds; i++) {
        const struct outcome outcome = one_trial(scenario, &seed);

        shares->verdicts[outcome.verdict] += share;
        shares->significant += outcome.significant ? share : 0;
    }
}

static void test_verdicts(void)
{
    printf("%-32s %7s %7s %7s %7s %12s\n", "verdicts in %, threshold 1 %", "worse", "better",
           "same", "unclear", "significant");
    for (size_t i = 0; i < COUNT(scenarios); i++) {
        const struct scenario *scenario = &scenarios[i];
        const bool changed = scenario->shift > 0 || scenario->tail > 0;
        struct shares shares;

        simulate(scenario, &shares);
        const double *in = shares.verdicts;

        printf("%-32s %7.1f %7.1f %7.1f %7.1f %12.1f\n", scenario->name, in[COMPARE_WORSE],
               in[COMPARE_BETTER], in[COMPARE_SAME], in[COMPARE_UNCLEAR], shares.significant);
        CHECK(in[COMPARE_BETTER] + (changed ? 0 : in[COMPARE_WORSE]) <= 5);
        CHECK(changed || shares.significant <= 6.5);
        CHECK(scenario->shift < 0.02 || in[COMPARE_SAME] <= 5);
        CHECK(in[COMPARE_WORSE] >= scenario->least);
    }
}

/* ---- verdicts by hand ---- */

static struct run *new_run(struct run *run, const char *kind)
{
    run_init(run);
    run_add_pair(run, &run->info, "kind", kind);
    if (strcmp(kind, "exact") == 0) {
        run_add_pair(run, &run->info, "ticks_per_instruction", "8");
    }
    run->verdict.present = true;
    run->verdict.ok = true;
    run->verdict.hz = 1000000000;
    return run;
}

static void add_gap(struct run *run, size_t n, int64_t length, int64_t highest)
{
    struct run_bench *bench = build_bench(run, "gap", 1);
    int64_t lengths[64];
    const int64_t bound[] = {272, highest};

    bench->group = "noise";
    for (size_t i = 0; i < n; i++) {
        lengths[i] = length;
    }
    build_fact(bench, "elapsed", 2000000000);
    build_fact(bench, "dead", 0);
    build_fact(bench, "threshold", 999);
    build_fact(bench, "unkept", 0);
    build_series(bench, "gap_length", NULL, NULL, lengths, n);
    build_series(bench, "histogram_bound", NULL, NULL, bound, 2);
}

static const struct compare_row *row_of(const struct compare *compare, const char *name)
{
    for (size_t i = 0; i < compare->count; i++) {
        if (strcmp(compare->item[i].name, name) == 0) {
            return &compare->item[i];
        }
    }
    return NULL;
}

static void add_paths(struct run *run, int64_t ticks, size_t n)
{
    struct run_bench *bench = build_bench(run, "paths", 1);
    int64_t samples[64];

    for (size_t i = 0; i < n; i++) {
        samples[i] = ticks;
    }
    build_series(bench, "switch", NULL, NULL, samples, n);
}

/* The verdict on paths.switch of constant values. */
static enum compare_verdict constant(const char *kind, int64_t a_ticks, int64_t b_ticks, size_t n)
{
    const struct compare_settings settings = {.threshold = COMPARE_THRESHOLD,
                                              .alpha = COMPARE_ALPHA};
    struct run a;
    struct run b;
    struct metrics left;
    struct metrics right;
    struct compare compare;

    add_paths(new_run(&a, kind), a_ticks, n);
    add_paths(new_run(&b, kind), b_ticks, n);
    metrics_of(&a, &left);
    metrics_of(&b, &right);
    compare_two(&left, &right, &settings, &compare);
    CHECK_EQUAL(compare.count, 1);
    const enum compare_verdict verdict = compare.item[0].verdict;

    compare_free(&compare);
    metrics_free(&left);
    metrics_free(&right);
    run_free(&a);
    run_free(&b);
    return verdict;
}

static void test_constant(void)
{
    CHECK_EQUAL(constant("exact", 832, 936, 10), COMPARE_WORSE);
    CHECK_EQUAL(constant("exact", 936, 832, 1), COMPARE_BETTER);
    CHECK_EQUAL(constant("exact", 832, 832, 10), COMPARE_SAME);
    CHECK_EQUAL(constant("exact", 8000, 8008, 10), COMPARE_SAME);
    CHECK_EQUAL(constant("exact", 0, 8, 10), COMPARE_WORSE);
    CHECK_EQUAL(constant("real", 832, 936, 10), COMPARE_DIFFERS);
    CHECK_EQUAL(constant("real", 832, 936, 3), COMPARE_UNCLEAR);
    CHECK_EQUAL(constant("real", 832, 832, 10), COMPARE_SAME);
    CHECK_EQUAL(constant("real", 832, 832, 1), COMPARE_UNCLEAR); /* one value is too few */
    CHECK_EQUAL(constant("exact", 832, 832, 1), COMPARE_SAME);
}

/* Rates and lengths of gaps in 2 s each. */
static enum compare_verdict gaps(const char *kind, size_t a_count, size_t b_count, int64_t b_length,
                                 const char *row)
{
    const struct compare_settings settings = {.threshold = COMPARE_THRESHOLD,
                                              .alpha = COMPARE_ALPHA};
    struct run a;
    struct run b;
    struct metrics left;
    struct metrics right;
    struct compare compare;

    add_gap(new_run(&a, kind), a_count, 5000, 4864);
    add_gap(new_run(&b, kind), b_count, b_length, 4864);
    metrics_of(&a, &left);
    metrics_of(&b, &right);
    compare_two(&left, &right, &settings, &compare);
    const struct compare_row *found = row_of(&compare, row);
    const enum compare_verdict verdict = found != NULL ? found->verdict : COMPARE_VERDICTS;

    compare_free(&compare);
    metrics_free(&left);
    metrics_free(&right);
    run_free(&a);
    run_free(&b);
    return verdict;
}

static void test_rates(void)
{
    static const char rate[] = "gap.gap_length rate";

    CHECK_EQUAL(gaps("real", 0, 0, 1, rate), COMPARE_UNCLEAR); /* two bounds */
    CHECK_EQUAL(gaps("exact", 0, 0, 1, rate), COMPARE_SAME);
    CHECK_EQUAL(gaps("real", 0, 3, 5000, rate), COMPARE_UNCLEAR);
    CHECK_EQUAL(gaps("real", 0, 12, 5000, rate), COMPARE_DIFFERS);
    CHECK_EQUAL(gaps("real", 40, 10, 5000, rate), COMPARE_DIFFERS);
    CHECK_EQUAL(gaps("exact", 0, 3, 5000, rate), COMPARE_WORSE);
    CHECK_EQUAL(gaps("exact", 3, 3, 5000, rate), COMPARE_SAME);
    CHECK_EQUAL(gaps("real", 20, 20, 9000, "gap.gap_length"), COMPARE_DIFFERS);
    CHECK_EQUAL(gaps("real", 0, 20, 9000, "gap.gap_length"), COMPARE_VERDICTS); /* no such row */
}

/* ---- shares of time ---- */

#define PARTS 50

/* What each part of a run lost: `each` ppm to a tick, with some jitter, and 5000 ppm to something
 * that comes into one of 25 parts. */
static void draw_parts(uint64_t *seed, double each, double values[PARTS])
{
    for (size_t i = 0; i < PARTS; i++) {
        values[i] = each * (1 + 0.02 * (uniform(seed) - 0.5));
        values[i] += uniform(seed) < 0.04 ? 5000 * uniform(seed) : 0;
    }
}

static void make_share(struct metrics *metrics, struct metric *metric, double values[PARTS],
                       double ticks_per_instruction)
{
    *metric = (struct metric){.name = "idle.stolen[ticking]",
                              .bench = "idle",
                              .series = "stolen",
                              .unit = UNIT_PPM,
                              .x = NAN,
                              .is_share = true,
                              .n = PARTS,
                              .values = values};
    for (size_t i = 0; i < PARTS; i++) {
        metric->share += values[i] / PARTS;
    }
    *metrics = (struct metrics){.ns_per_tick = 1,
                                .ticks_per_instruction = ticks_per_instruction,
                                .item = metric,
                                .count = 1};
}

/* The one row's verdict. */
static enum compare_verdict share_verdict(double a[PARTS], double b[PARTS], double exact,
                                          double stolen)
{
    const struct compare_settings settings = {
        .threshold = COMPARE_THRESHOLD, .alpha = COMPARE_ALPHA, .stolen = stolen};
    struct metric metric[2];
    struct metrics metrics[2];
    struct compare compare;

    make_share(&metrics[0], &metric[0], a, exact);
    make_share(&metrics[1], &metric[1], b, exact);
    compare_two(&metrics[0], &metrics[1], &settings, &compare);
    CHECK(compare.count == 1 && compare.item[0].is_share);
    const enum compare_verdict verdict = compare.item[0].verdict;

    compare_free(&compare);
    return verdict;
}

/* By the difference, whatever part of the whole sample that is. */
static void test_exact_shares(void)
{
    double a[PARTS];
    double b[PARTS];
    double c[PARTS];

    for (size_t i = 0; i < PARTS; i++) {
        a[i] = 62.4;
        b[i] = 6240;
        c[i] = 66;
    }
    CHECK_EQUAL(share_verdict(a, b, 8, 10), COMPARE_WORSE);
    CHECK_EQUAL(share_verdict(b, a, 8, 10), COMPARE_BETTER);
    CHECK_EQUAL(share_verdict(a, c, 8, 10), COMPARE_SAME);
    CHECK_EQUAL(share_verdict(a, c, 8, 3), COMPARE_WORSE);
    CHECK_EQUAL(share_verdict(a, b, 8, 7000), COMPARE_SAME);
    CHECK_EQUAL(share_verdict(a, a, 8, 0), COMPARE_SAME);
}

/* Of one boot a side equal truths differ in 5 % at most, a hundred times as much is found. */
static void test_drawn_shares(void)
{
    size_t wrong = 0;
    size_t found = 0;
    uint64_t seed = 77;

    for (size_t i = 0; i < trials; i++) {
        double a[PARTS];
        double b[PARTS];
        double c[PARTS];

        draw_parts(&seed, 62.4, a);
        draw_parts(&seed, 62.4, b);
        draw_parts(&seed, 6240, c);
        wrong += share_verdict(a, b, 0, 0) == COMPARE_DIFFERS;
        found += share_verdict(a, c, 0, COMPARE_STOLEN) == COMPARE_DIFFERS;
    }
    printf("shares of time: of equal ones %.1f %% differ at a threshold of 0\n",
           100 * (double)wrong / (double)trials);
    CHECK(wrong * 20 <= trials);
    CHECK_EQUAL(found, trials);
}

/* ---- a threshold in instructions ---- */

/* Returns the verdict on a cost in exact time that grows from `before` instructions to `after`. A
 * tenth of the samples has a tick of the hypervisor in it. */
static enum compare_verdict grown(double before, double after, double threshold)
{
    const struct compare_settings settings = {.threshold = COMPARE_THRESHOLD,
                                              .alpha = COMPARE_ALPHA,
                                              .by_instructions = true,
                                              .instructions = threshold};
    const double level[2] = {before, after};
    double values[2][40];
    struct metric metric[2];
    struct metrics metrics[2];
    struct compare compare;

    for (size_t side = 0; side < 2; side++) {
        for (size_t i = 0; i < 40; i++) {
            values[side][i] = 8 * (level[side] + (i % 10 == 3 ? 3200 : 0));
        }
        metric[side] = (struct metric){.name = "exits.cpuid",
                                       .unit = "tick",
                                       .bench = "exits",
                                       .series = "cpuid",
                                       .n = 40,
                                       .x = NAN,
                                       .values = values[side]};
        metrics[side] = (struct metrics){
            .ns_per_tick = 1, .ticks_per_instruction = 8, .item = &metric[side], .count = 1};
    }
    compare_two(&metrics[0], &metrics[1], &settings, &compare);
    const enum compare_verdict verdict = compare.item[0].verdict;

    compare_free(&compare);
    return verdict;
}

static void test_instruction_threshold(void)
{
    CHECK_EQUAL(grown(2846, 2877, 30), COMPARE_WORSE);
    CHECK_EQUAL(grown(2846, 2877, 31), COMPARE_SAME);
    CHECK_EQUAL(grown(2877, 2846, 30), COMPARE_BETTER);
    CHECK_EQUAL(grown(400000, 400031, 30), COMPARE_WORSE); /* 0.008 % */
    CHECK_EQUAL(grown(2846, 2846, 0), COMPARE_SAME);
    CHECK_EQUAL(grown(2846, 2847, 0), COMPARE_WORSE);
}

/* ---- groups by hand ---- */

#define GROUP 4

/* Up to four boots a side, in the order "abbaabba", `order` of each. */
struct eight {
    size_t boots; /* of each side; 0: GROUP */
    char order[2][GROUP][40];
    struct run runs[2][GROUP];
    struct metrics metrics[2][GROUP];
    const struct metrics *list[2][GROUP];
    struct compare compare;
};

static void compare_eight(struct eight *eight)
{
    const struct compare_settings settings = {.threshold = COMPARE_THRESHOLD,
                                              .alpha = COMPARE_ALPHA};

    static const unsigned places[2][GROUP] = {{1, 4, 5, 8}, {2, 3, 6, 7}};

    for (size_t i = 0; i < COUNT(eight->runs) * GROUP; i++) {
        struct run *run = &eight->runs[i / GROUP][i % GROUP];
        char *order = eight->order[i / GROUP][i % GROUP];

        snprintf(order, sizeof(eight->order[0][0]), "abbaabba, seed 7, boot %u",
                 places[i / GROUP][i % GROUP]);
        run_add_pair(run, &run->info, "boot.order", order);
        metrics_of(run, &eight->metrics[i / GROUP][i % GROUP]);
        eight->list[i / GROUP][i % GROUP] = &eight->metrics[i / GROUP][i % GROUP];
    }
    const size_t boots = eight->boots > 0 ? eight->boots : GROUP;

    compare_boots((struct boot_group){eight->list[0], boots},
                  (struct boot_group){eight->list[1], boots}, &settings, &eight->compare);
}

static void free_eight(struct eight *eight)
{
    compare_free(&eight->compare);
    for (size_t i = 0; i < COUNT(eight->runs) * GROUP; i++) {
        metrics_free(&eight->metrics[i / GROUP][i % GROUP]);
        run_free(&eight->runs[i / GROUP][i % GROUP]);
    }
}

/* The medians of paths.switch, boot by boot. Each boot has that value and two beside it. */
static struct compare_row medians_of(size_t boots, const char *kind, const int64_t *a,
                                     const int64_t *b)
{
    struct eight eight = {.boots = boots};

    for (size_t i = 0; i < COUNT(eight.runs) * GROUP; i++) {
        const int64_t middle = i < GROUP ? a[i] : b[i - GROUP];
        const int64_t samples[] = {middle, middle - 8, middle + 8};
        struct run *run = new_run(&eight.runs[i / GROUP][i % GROUP], kind);

        build_series(build_bench(run, "paths", 1), "switch", NULL, NULL, samples, COUNT(samples));
    }
    compare_eight(&eight);
    struct compare_row row = eight.compare.item[0];

    CHECK_EQUAL(eight.compare.count, 1);
    CHECK(!eight.compare.one_boot);
    free_eight(&eight);
    row.name = NULL; /* and all that it pointed to */
    return row;
}

static struct compare_row medians(const char *kind, const int64_t *a, const int64_t *b)
{
    return medians_of(GROUP, kind, a, b);
}

static void test_groups(void)
{
    static const int64_t low[] = {800, 808, 816, 808};
    static const int64_t high[] = {960, 976, 968, 968};
    static const int64_t narrow[] = {800, 802, 803, 801};
    static const int64_t wide[] = {800, 1040, 960, 880};
    static const int64_t equal[] = {800, 800, 800, 800};
    static const int64_t more[] = {880, 880, 880, 880};
    struct compare_row row = medians("real", low, high);

    CHECK_EQUAL(row.verdict, COMPARE_WORSE);
    CHECK(row.by_boots && row.a_boots == GROUP && row.b_boots == GROUP);
    CHECK(row.a_count == 12 && row.a_median == 808 && row.b_median == 968);
    CHECK(fabs(row.shift - 160.0 / 808) < 1e-12 && row.low == 144.0 / 808 &&
          row.high == 176.0 / 808);
    CHECK(fabs(row.test_p - 2.0 / 70) < 1e-12 && row.p == row.test_p);
    CHECK_EQUAL(medians("real", high, low).verdict, COMPARE_BETTER);
    CHECK_EQUAL(medians("real", low, wide).verdict, COMPARE_UNCLEAR); /* boots vary as much */
    CHECK_EQUAL(medians("real", narrow, narrow).verdict, COMPARE_SAME);
    /* Groups that never vary need no variance. */
    row = medians("real", equal, more);
    CHECK(row.verdict == COMPARE_WORSE && row.low == row.shift && !row.exact);
    /* Three boots a side cannot decide, however far apart they are. */
    row = medians_of(3, "real", low, high);
    CHECK(row.verdict == COMPARE_DIFFERS && fabs(row.p - 0.1) < 1e-12);
    CHECK_EQUAL(medians_of(3, "real", equal, more).verdict, COMPARE_DIFFERS);
    CHECK_EQUAL(medians_of(3, "real", low, wide).verdict, COMPARE_UNCLEAR);
    CHECK_EQUAL(medians_of(3, "real", narrow, narrow).verdict, COMPARE_SAME);
    row = medians("exact", equal, more); /* in instructions: 100 and 110 */
    CHECK(row.verdict == COMPARE_UNCLEAR && !row.by_boots && row.a_count == 3);
    row = medians("exact", equal, equal);
    CHECK(row.verdict == COMPARE_SAME && row.exact && row.a_boots == GROUP);
    CHECK(medians("exact", low, high).by_boots); /* these are not equal boots */
}

/* The order of the boots: drawn, by turns, or neither. */
static enum boot_order order_of(const char *const texts[2][3], const char *key)
{
    struct run runs[2][3];
    struct metrics metrics[2][3];
    const struct metrics *list[2][3];

    for (size_t i = 0; i < 6; i++) {
        struct run *run = new_run(&runs[i / 3][i % 3], "real");

        if (texts[i / 3][i % 3] != NULL) {
            run_add_pair(run, &run->info, key, texts[i / 3][i % 3]);
        }
        metrics[i / 3][i % 3] = (struct metrics){.run = run};
        list[i / 3][i % 3] = &metrics[i / 3][i % 3];
    }
    const enum boot_order order =
        boot_order_of((struct boot_group){list[0], 3}, (struct boot_group){list[1], 3});

    for (size_t i = 0; i < 6; i++) {
        run_free(&runs[i / 3][i % 3]);
    }
    return order;
}

static void test_order(void)
{
    static const char *const drawn[2][3] = {
        {"abbbaa, seed 7, boot 1", "abbbaa, seed 7, boot 5", "abbbaa, seed 7, boot 6"},
        {"abbbaa, seed 7, boot 2", "abbbaa, seed 7, boot 3", "abbbaa, seed 7, boot 4"}};
    static const char *const mixed[2][3] = {
        {"abbbaa, seed 7, boot 1", "abbbaa, seed 7, boot 2", "abbbaa, seed 7, boot 6"},
        {"abbbaa, seed 7, boot 5", "abbbaa, seed 7, boot 3", "abbbaa, seed 7, boot 4"}};
    static const char *const two_series[2][3] = {
        {"abbbaa, seed 7, boot 1", "abbbaa, seed 7, boot 5", "abbbaa, seed 7, boot 6"},
        {"abbbaa, seed 8, boot 2", "abbbaa, seed 8, boot 3", "abbbaa, seed 8, boot 4"}};
    static const char *const beyond[2][3] = {
        {"abbbaa, seed 7, boot 1", "abbbaa, seed 7, boot 5", "abbbaa, seed 7, boot 66"},
        {"abbbaa, seed 7, boot 2", "abbbaa, seed 7, boot 3", "abbbaa, seed 7, boot 4"}};
    static const char *const turns[2][3] = {
        {"2026-11-01T00:00:00Z", "2026-11-04T00:00:00Z", "2026-11-05T00:00:00Z"},
        {"2026-11-02T00:00:00Z", "2026-11-03T00:00:00Z", "2026-11-06T00:00:00Z"}};
    static const char *const apart[2][3] = {
        {"2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z", "2026-11-03T00:00:00Z"},
        {"2026-11-04T00:00:00Z", "2026-11-05T00:00:00Z", "2026-11-06T00:00:00Z"}};
    static const char *const unknown[2][3] = {
        {"2026-11-01T00:00:00Z", "2026-11-04T00:00:00Z", NULL},
        {"2026-11-02T00:00:00Z", "2026-11-03T00:00:00Z", "2026-11-06T00:00:00Z"}};
    static const char *const equal[2][3] = {
        {"2026-11-01T00:00:00Z", "2026-11-04T00:00:00Z", "2026-11-05T00:00:00Z"},
        {"2026-11-02T00:00:00Z", "2026-11-03T00:00:00Z", "2026-11-05T00:00:00Z"}};

    CHECK_EQUAL(order_of(drawn, "boot.order"), BOOT_ORDER_DRAWN);
    CHECK_EQUAL(order_of(mixed, "boot.order"), BOOT_ORDER_UNKNOWN);
    CHECK_EQUAL(order_of(two_series, "boot.order"), BOOT_ORDER_UNKNOWN);
    CHECK_EQUAL(order_of(beyond, "boot.order"), BOOT_ORDER_UNKNOWN);
    CHECK_EQUAL(order_of(turns, "date"), BOOT_ORDER_TURNS);
    CHECK_EQUAL(order_of(apart, "date"), BOOT_ORDER_UNKNOWN);
    CHECK_EQUAL(order_of(unknown, "date"), BOOT_ORDER_UNKNOWN);
    CHECK_EQUAL(order_of(equal, "date"), BOOT_ORDER_UNKNOWN);
}

/* Of four boots a side, in drawn order, each with one part in which all that was stolen lies. */
static enum compare_verdict share_groups(const double *a, const double *b)
{
    const struct compare_settings settings = {
        .threshold = COMPARE_THRESHOLD, .alpha = COMPARE_ALPHA, .stolen = COMPARE_STOLEN};
    static double values[2][GROUP][PARTS];
    struct metric metric[2][GROUP];
    struct metrics metrics[2][GROUP];
    const struct metrics *list[2][GROUP];
    struct run runs[2];
    struct compare compare;

    for (size_t side = 0; side < 2; side++) {
        struct run *run = new_run(&runs[side], "real");

        run_add_pair(run, &run->info, "boot.order",
                     side == 0 ? "abba, seed 7, boot 1" : "abba, seed 7, boot 2");
    }
    for (size_t i = 0; i < 2 * GROUP; i++) {
        const size_t side = i / GROUP;
        const size_t boot = i % GROUP;

        values[side][boot][7] = PARTS * (side == 0 ? a[boot] : b[boot]);
        make_share(&metrics[side][boot], &metric[side][boot], values[side][boot], 0);
        metrics[side][boot].run = &runs[side];
        list[side][boot] = &metrics[side][boot];
    }
    compare_boots((struct boot_group){list[0], GROUP}, (struct boot_group){list[1], GROUP},
                  &settings, &compare);
    const enum compare_verdict verdict = compare.item[0].verdict;

    compare_free(&compare);
    run_free(&runs[0]);
    run_free(&runs[1]);
    return verdict;
}

static void test_share_groups(void)
{
    static const double quiet[] = {10, 12, 11, 11};
    static const double noisy[] = {110, 108, 112, 109};
    static const double wild[] = {0, 300, 20, 5};
    static const double near[] = {11, 13, 12, 12};

    CHECK_EQUAL(share_groups(quiet, noisy), COMPARE_WORSE);
    CHECK_EQUAL(share_groups(noisy, quiet), COMPARE_BETTER);
    CHECK_EQUAL(share_groups(quiet, wild), COMPARE_UNCLEAR);
    CHECK_EQUAL(share_groups(quiet, near), COMPARE_SAME);
}

static enum compare_verdict gap_groups(const size_t *a, const size_t *b)
{
    struct eight eight = {0};

    for (size_t i = 0; i < COUNT(eight.runs) * GROUP; i++) {
        add_gap(new_run(&eight.runs[i / GROUP][i % GROUP], "real"), i < GROUP ? a[i] : b[i - GROUP],
                5000, 4864);
    }
    compare_eight(&eight);
    const enum compare_verdict verdict = row_of(&eight.compare, "gap.gap_length rate")->verdict;

    free_eight(&eight);
    return verdict;
}

static void test_rate_groups(void)
{
    static const size_t few[] = {3, 5, 4, 4};
    static const size_t many[] = {40, 44, 39, 41};
    static const size_t one[] = {0, 60, 0, 0};
    static const size_t none[] = {0, 0, 0, 0};
    static const size_t twice[] = {6, 8, 7, 6};

    CHECK_EQUAL(gap_groups(few, many), COMPARE_WORSE);
    CHECK_EQUAL(gap_groups(many, few), COMPARE_BETTER);
    CHECK_EQUAL(gap_groups(few, one), COMPARE_UNCLEAR);   /* one boot has them all */
    CHECK_EQUAL(gap_groups(few, twice), COMPARE_UNCLEAR); /* Poisson's distribution allows it */
    CHECK_EQUAL(gap_groups(none, none), COMPARE_UNCLEAR);
}

static void test_differences(void)
{
    struct run a;
    struct run b;
    struct compare_differences differences;

    new_run(&a, "exact");
    new_run(&b, "real");
    run_add_pair(&a, &a.machine, "cpu_brand", "left");
    run_add_pair(&b, &b.machine, "cpu_brand", "right");
    run_add_pair(&a, &a.machine, "tsc_at_entry", "1");
    run_add_pair(&b, &b.machine, "tsc_at_entry", "2");
    run_add_pair(&b, &b.machine, "pmu", "none");
    run_add_pair(&a, &a.machine, "serial", "io  3f8 ");
    run_add_pair(&b, &b.machine, "serial", "io\n3f8");
    compare_runs(&a, &b, &differences);
    CHECK_EQUAL(differences.count, 4);
    CHECK_TEXT(differences.item[0].what, "kind");
    CHECK_TEXT(differences.item[1].what, "ticks_per_instruction");
    CHECK_TEXT(differences.item[2].b, "right");
    CHECK(differences.item[3].a == NULL);
    compare_differences_free(&differences);
    run_free(&a);
    run_free(&b);
}

/* A bench found another disk: its plan need not differ. */
static void test_found(void)
{
    struct run a;
    struct run b;
    struct compare_differences differences;

    new_run(&a, "real");
    new_run(&b, "real");
    struct run_bench *left = build_bench(&a, "fileread", 1);
    struct run_bench *right = build_bench(&b, "fileread", 1);

    *run_add_param(left) = (struct run_param){"kib", "64", "default"};
    *run_add_param(right) = (struct run_param){"kib", "128", "plan"}; /* the plan names it */
    *run_add_param(left) = (struct run_param){"disk", "nvme0n1", "found"};
    *run_add_param(right) = (struct run_param){"disk", "ahci0p1", "found"};
    *run_add_param(left) = (struct run_param){"interrupt", "meight", "found"};
    *run_add_param(right) = (struct run_param){"interrupt", "meight", "found"};
    *run_add_param(right) = (struct run_param){"model", "ssd2014", "found"};
    *run_add_param(build_bench(&b, "diskload", 1)) = (struct run_param){"disk", "ahci0p1", "found"};
    compare_runs(&a, &b, &differences);
    CHECK_EQUAL(differences.count, 2);
    CHECK_TEXT(differences.item[0].what, "fileread disk");
    CHECK_TEXT(differences.item[0].a, "nvme0n1");
    CHECK_TEXT(differences.item[0].b, "ahci0p1");
    CHECK_TEXT(differences.item[1].what, "fileread model");
    CHECK_TEXT(differences.item[1].a, NULL);
    compare_differences_free(&differences);
    run_free(&a);
    run_free(&b);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strtoul(argv[1], NULL, 10) > 0) {
        trials = strtoul(argv[1], NULL, 10);
    }
    RUN(test_verdicts());
    RUN(test_constant());
    RUN(test_rates());
    RUN(test_instruction_threshold());
    RUN(test_exact_shares());
    RUN(test_drawn_shares());
    RUN(test_groups());
    RUN(test_order());
    RUN(test_share_groups());
    RUN(test_rate_groups());
    RUN(test_differences());
    RUN(test_found());
    return unit_finish("unit_compare");
}
