/* SPDX-License-Identifier: BSD-2-Clause */
/* What follows from counts: ratios, the correlation with interrupts, known answers, SMIs. */
#include <math.h>
#include <stdbool.h>

#include "bench/counters/host/counts.h"
#include "bench/noise/host/gap_bench.h"
#include "bench/noise/host/idle_correlation.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define SERIES(bench, name, of, event, ...)                                \
    build_series((bench), (name), (of), (event), (int64_t[]){__VA_ARGS__}, \
                 sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static bool near(double left, double right)
{
    return fabs(left - right) < 1e-12;
}

static const struct count_ratio *find_ratio(const char *key)
{
    const struct count_ratio *ratio;

    for (size_t i = 0; (ratio = count_ratio_at(i)) != NULL; i++) {
        if (strcmp(ratio->key, key) == 0) {
            return ratio;
        }
    }
    return NULL;
}

static double ratio_of(const struct run_bench *bench, const char *of, const char *key)
{
    const struct count_ratio *ratio = find_ratio(key);

    CHECK(ratio != NULL);
    return ratio != NULL ? count_ratio_of(bench, of, ratio) : NAN;
}

static void test_walk(void)
{
    struct run run;
    int64_t value = 0;

    run_init(&run);
    struct run_bench *bench = build_bench(&run, "b", 1);
    struct run_series *series = SERIES(bench, "s", NULL, NULL, 10, 11, 12, 13, 14);

    build_hole(series, 2);
    struct run_walk walk = {.series = series};

    CHECK(run_walk_to(&walk, 0, &value) && value == 10);
    CHECK(run_walk_to(&walk, 0, &value) && value == 10);
    CHECK(run_walk_to(&walk, 1, &value) && value == 11);
    CHECK(!run_walk_to(&walk, 2, &value));
    CHECK(run_walk_to(&walk, 3, &value) && value == 13);
    CHECK(run_walk_to(&walk, 4, &value) && value == 14);
    CHECK(!run_walk_to(&walk, 5, &value));
    CHECK(!run_walk_to(&walk, UINT32_MAX, &value));
    run_free(&run);
}

static void test_ratios(void)
{
    struct run run;

    run_init(&run);
    struct run_bench *bench = build_bench(&run, "b", 1);

    SERIES(bench, "s", NULL, NULL, 100, 200, 300);
    SERIES(bench, "s.cycles", "s", "cycles", 150, 250, 400);
    SERIES(bench, "s.instructions", "s", "instructions", 300, 500, 800);
    SERIES(bench, "s.dtlb-misses", "s", "dtlb-misses", 1, 0, 3);
    SERIES(bench, "s.mispredicts", "s", "mispredicts", 2, 0, 0);
    SERIES(bench, "s.branches", "s", "branches", 10, 20, 10);
    SERIES(bench, "t.cycles", "t", "cycles", 1, 2, 3); /* of what is not there */
    CHECK(near(ratio_of(bench, "s", "ipc"), 2));
    CHECK(near(ratio_of(bench, "s", "cycles_per_tick"), 800.0 / 600));
    CHECK(near(ratio_of(bench, "s", "dtlb_misses_per_1000_instructions"), 2.5));
    CHECK(near(ratio_of(bench, "s", "mispredicts_per_1000_instructions"), 1.25));
    CHECK(near(ratio_of(bench, "s", "mispredicts_per_100_branches"), 5));
    CHECK(isnan(ratio_of(bench, "s", "llc_misses_per_1000_instructions")));
    CHECK(isnan(ratio_of(bench, "t", "ipc")));
    CHECK(isnan(ratio_of(bench, "t", "cycles_per_tick")));
    CHECK(isnan(ratio_of(bench, "u", "ipc")));
    CHECK_TEXT(counted_series_at(bench, 0), "s");
    CHECK_TEXT(counted_series_at(bench, 1), "t");
    CHECK_TEXT(counted_series_at(bench, 2), NULL);
    CHECK_TEXT(counted_event_at(bench, 0), "cycles");
    CHECK_TEXT(counted_event_at(bench, 4), "branches");
    CHECK_TEXT(counted_event_at(bench, 5), NULL);
    CHECK(bench_counts(bench, "branches") && !bench_counts(bench, "loads"));
    bench->series[0].unit = "us";
    CHECK(isnan(ratio_of(bench, "s", "cycles_per_tick")));
    run_free(&run);
}

/* Sums are of samples that both have; and no sum, however large, goes wrong. */
static void test_ratio_edges(void)
{
    struct run run;

    run_init(&run);
    struct run_bench *bench = build_bench(&run, "b", 1);

    build_hole(SERIES(bench, "a.instructions", "a", "instructions", 5, 10, 1000, 20, 7), 1);
    build_hole(SERIES(bench, "a.cycles", "a", "cycles", 1, 2, 3, 4, 5), 2);
    CHECK(near(ratio_of(bench, "a", "ipc"), (5 + 20 + 7) / (1.0 + 4 + 5)));
    SERIES(bench, "b.instructions", "b", "instructions", INT64_MAX, INT64_MAX, INT64_MAX);
    SERIES(bench, "b.cycles", "b", "cycles", INT64_MAX, INT64_MAX, 2);
    CHECK(near(ratio_of(bench, "b", "ipc"), 1.5));
    SERIES(bench, "c.instructions", "c", "instructions", 1, 2);
    SERIES(bench, "c.cycles", "c", "cycles", 0, 0);
    CHECK(isnan(ratio_of(bench, "c", "ipc")));
    SERIES(bench, "d.instructions", "d", "instructions", 1, -2);
    SERIES(bench, "d.cycles", "d", "cycles", 1, 1);
    CHECK(isnan(ratio_of(bench, "d", "ipc")));
    SERIES(bench, "e.instructions", "e", "instructions", 0, 0);
    SERIES(bench, "e.cycles", "e", "cycles", 4, 4);
    CHECK(near(ratio_of(bench, "e", "ipc"), 0));
    SERIES(bench, "f.instructions", "f", "instructions", 1);
    build_series(bench, "f.cycles", "f", "cycles", NULL, 0);
    CHECK(isnan(ratio_of(bench, "f", "ipc")));
    run_free(&run);
}

/* What is counted in another pass is named, and never divided by. */
static void test_passes(void)
{
    const struct count_ratio *ipc = find_ratio("ipc");
    const struct count_ratio *misses = find_ratio("dtlb_misses_per_1000_instructions");
    struct run run;

    run_init(&run);
    SERIES(build_bench(&run, "b", 1), "s.cycles", "s", "cycles", 1);
    SERIES(build_bench(&run, "b", 2), "s.instructions", "s", "instructions", 1);
    SERIES(run_find_pass(&run, "b", 2), "s.dtlb-misses", "s", "dtlb-misses", 1);
    SERIES(build_bench(&run, "b", 3), "s.dtlb-misses", "s", "dtlb-misses", 1);
    SERIES(build_bench(&run, "c", 4), "s.cycles", "s", "cycles", 1);
    SERIES(build_bench(&run, "d", 1), "s.instructions", "s", "instructions", 1);
    CHECK_EQUAL(count_ratio_elsewhere(&run, run_find_pass(&run, "b", 2), ipc), 1);
    CHECK_EQUAL(count_ratio_elsewhere(&run, run_find_pass(&run, "b", 1), ipc), 0);
    CHECK_EQUAL(count_ratio_elsewhere(&run, run_find_pass(&run, "b", 2), misses), 0);
    CHECK_EQUAL(count_ratio_elsewhere(&run, run_find_pass(&run, "b", 3), misses), 2);
    CHECK_EQUAL(count_ratio_elsewhere(&run, run_find_bench(&run, "d"), ipc), 0);
    CHECK_EQUAL(
        count_ratio_elsewhere(&run, run_find_bench(&run, "b"), find_ratio("cycles_per_tick")), 0);
    CHECK(isnan(count_ratio_of(run_find_pass(&run, "b", 2), "s", ipc)));
    run_free(&run);
}

static void test_effective_clock(void)
{
    struct run run;

    run_init(&run);
    struct run_bench *bench = build_bench(&run, "b", 1);

    CHECK(isnan(effective_clock(bench)));
    build_fact(bench, "aperf", 300);
    CHECK(isnan(effective_clock(bench)));
    build_fact(bench, "mperf", 200);
    CHECK(near(effective_clock(bench), 1.5));
    bench->facts[1].value = 0;
    CHECK(isnan(effective_clock(bench)));
    bench->facts[1].value = -1;
    CHECK(isnan(effective_clock(bench)));
    run_free(&run);
}

/* Six samples over a floor of 100: three quiet, two with one interrupt, one with two. */
static struct run_bench *idle_run(struct run *run)
{
    run_init(run);
    struct run_bench *bench = build_bench(run, "idle", 1);

    SERIES(bench, "floor", NULL, NULL, 100, 100, 101);
    SERIES(bench, "ticking", NULL, NULL, 100, 110, 100, 112, 120, 100);
    SERIES(bench, "ticking.cycles", "ticking", "cycles", 200, 300, 201, 310, 400, 202);
    SERIES(bench, "floor.cycles", "floor", "cycles", 1, 1, 1);
    return bench;
}

static void check_classes(const struct idle_correlation *correlation)
{
    const struct idle_class *classes = correlation->classes;

    CHECK_EQUAL(correlation->class_count, 3);
    CHECK_EQUAL(correlation->samples, 6);
    CHECK_EQUAL(correlation->floor, 100);
    CHECK(classes[0].interrupts == 0 && classes[0].samples == 3);
    CHECK(classes[0].length == 100 && classes[0].elongation == 0);
    CHECK(classes[1].interrupts == 1 && classes[1].samples == 2);
    CHECK(classes[1].length == 110 && classes[1].elongation == 10);
    CHECK(classes[2].interrupts == 2 && classes[2].samples == 1);
    CHECK(classes[2].length == 120 && classes[2].elongation == 20);
    CHECK_TEXT(correlation->events[0].counts->event, "cycles");
    CHECK_EQUAL(correlation->events[0].medians[0], 201);
    CHECK_EQUAL(correlation->events[0].medians[1], 300);
    CHECK_EQUAL(correlation->events[0].medians[2], 400);
    /* Of 0 1 0 1 2 0 and 0 10 0 12 20 0: 34 / sqrt(10/3 * 350). */
    CHECK(near(correlation->coefficient, 34 / sqrt(3500.0 / 3)));
}

static void test_correlation_by_event(void)
{
    struct idle_correlation correlation;
    const char *why = NULL;
    struct run run;
    struct run_bench *bench = idle_run(&run);

    SERIES(bench, "ticking.interrupts", "ticking", "interrupts", 0, 1, 0, 1, 2, 0);
    CHECK(idle_correlate(bench, &correlation, &why));
    CHECK(correlation.by_event);
    CHECK_EQUAL(correlation.event_count, 2);
    check_classes(&correlation);
    idle_correlation_free(&correlation);
    run_free(&run);
}

static void test_correlation_by_handler(void)
{
    struct idle_correlation correlation;
    const char *why = NULL;
    struct run run;
    struct run_bench *bench = idle_run(&run);

    SERIES(bench, "handler_start", NULL, NULL, 105, 320, 430, 440);
    SERIES(bench, "handler", NULL, NULL, 5, 5, 5, 5);
    CHECK(idle_correlate(bench, &correlation, &why));
    CHECK(!correlation.by_event);
    CHECK_EQUAL(correlation.event_count, 1);
    check_classes(&correlation);
    idle_correlation_free(&correlation);
    build_hole(run_find_series(bench, "ticking"), 2);
    CHECK(!idle_correlate(bench, &correlation, &why)); /* no time is known any more */
    CHECK(why != NULL && strstr(why, "missing") != NULL);
    idle_correlation_free(&correlation);
    run_free(&run);
}

/* With holes: only samples whose length and count are both there. */
static void test_correlation_holes(void)
{
    struct idle_correlation correlation;
    const char *why = NULL;
    struct run run;
    struct run_bench *bench = idle_run(&run);

    build_hole(SERIES(bench, "ticking.interrupts", "ticking", "interrupts", 0, 1, 0, 1, 2, 0), 3);
    build_hole(run_find_series(bench, "ticking"), 2);
    build_hole(run_find_series(bench, "ticking.cycles"), 4);
    CHECK(idle_correlate(bench, &correlation, &why));
    CHECK_EQUAL(correlation.samples, 4);
    CHECK_EQUAL(correlation.class_count, 3);
    CHECK_EQUAL(correlation.classes[0].samples, 2);
    CHECK_EQUAL(correlation.classes[1].samples, 1);
    CHECK_EQUAL(correlation.classes[1].length, 110);
    CHECK(correlation.events[0].has_median[0] && correlation.events[0].medians[0] == 200);
    CHECK(!correlation.events[0].has_median[2]); /* its only count is missing */
    idle_correlation_free(&correlation);
    run_free(&run);
}

static void check_uncorrelated(struct run *run, struct run_bench *bench, const char *part)
{
    struct idle_correlation correlation;
    const char *why = NULL;

    CHECK(!idle_correlate(bench, &correlation, &why));
    CHECK(why != NULL && strstr(why, part) != NULL);
    idle_correlation_free(&correlation);
    run_free(run);
}

static void test_correlation_refused(void)
{
    struct idle_correlation correlation;
    const char *why = NULL;
    struct run run;
    struct run_bench *bench = idle_run(&run);

    check_uncorrelated(&run, bench, "not in the log");
    run_init(&run);
    check_uncorrelated(&run, build_bench(&run, "idle", 1), "no floor");
    bench = idle_run(&run);
    build_series(bench, "ticking.interrupts", "ticking", "interrupts", NULL, 0);
    check_uncorrelated(&run, bench, "together");
    bench = idle_run(&run);
    SERIES(bench, "ticking.interrupts", "ticking", "interrupts", 0, 1, 0, 1, 2, 0);
    run_find_series(bench, "ticking")->samples[0] = -1;
    check_uncorrelated(&run, bench, "contradict");
    bench = idle_run(&run);
    SERIES(bench, "ticking.interrupts", "ticking", "interrupts", 3, 3, 3, 3, 3, 3);
    CHECK(idle_correlate(bench, &correlation, &why));
    CHECK(isnan(correlation.coefficient) && correlation.class_count == 1);
    idle_correlation_free(&correlation);
    run_free(&run);
}

static void test_kernels(void)
{
    struct kernel_count count;
    struct run run;

    run_init(&run);
    struct run_bench *bench = build_bench(&run, "counters", 1);

    SERIES(bench, "k.loads", "k", "loads", 990, 1010, 1005);
    SERIES(bench, "k.smi", "k", "smi", 0, 2, 2);
    SERIES(bench, "k.stores", "k", "stores", 5);
    build_series(bench, "k.cycles", "k", "cycles", NULL, 0);
    build_fact(bench, "k.loads.expected", 1000);
    build_fact(bench, "k.smi.expected", 0);
    build_fact(bench, "k.cycles.expected", INT64_MIN);
    build_fact(bench, "k.iterations", 250);
    kernel_count_of(bench, &bench->series[0], &count);
    CHECK(count.has_expected && count.expected == 1000 && count.measured.median == 1005);
    CHECK(near(count.error_percent, 0.5));
    kernel_count_of(bench, &bench->series[1], &count);
    CHECK(count.has_expected && count.expected == 0 && isnan(count.error_percent));
    kernel_count_of(bench, &bench->series[2], &count);
    CHECK(!count.has_expected && isnan(count.error_percent));
    kernel_count_of(bench, &bench->series[3], &count);
    CHECK(count.has_expected && count.measured.n == 0 && isnan(count.error_percent));
    CHECK(kernel_iterations(bench, "k")->value == 250 && kernel_iterations(bench, "l") == NULL);
    build_fact(bench, "iterations", 10);
    CHECK(kernel_iterations(bench, "k")->value == 250);
    CHECK(kernel_iterations(bench, "l")->value == 10);
    CHECK(is_kernel_expectation(&bench->facts[0]) && !is_kernel_expectation(&bench->facts[3]));
    run_free(&run);
}

static void test_smis(void)
{
    struct gap_smis smis;
    struct run run;

    run_init(&run);
    struct run_bench *bench = build_bench(&run, "gap", 1);

    SERIES(bench, "gap_length", NULL, NULL, 10, 90, 30, 40);
    gap_smis_of(bench, &smis);
    CHECK(smis.series == NULL && smis.gaps == 0);
    struct run_series *series = SERIES(bench, "gap_smi", NULL, NULL, 1, 0, 2, 1);

    gap_smis_of(bench, &smis);
    CHECK(smis.series == series && smis.whole && smis.gaps == 3 && smis.longest == 40);
    build_hole(series, 2);
    gap_smis_of(bench, &smis);
    CHECK(smis.series == series && !smis.whole && smis.gaps == 2 && smis.longest == 40);
    series->n = 5;
    gap_smis_of(bench, &smis);
    CHECK(smis.series == NULL && smis.gaps == 0);
    SERIES(bench, "worst_length", NULL, NULL, 70, 800);
    SERIES(bench, "worst_smi", NULL, NULL, 0, 1);
    gap_smis_of(bench, &smis);
    CHECK(!smis.whole && smis.gaps == 1 && smis.longest == 800);
    run_free(&run);
}

int main(void)
{
    RUN(test_walk());
    RUN(test_ratios());
    RUN(test_ratio_edges());
    RUN(test_passes());
    RUN(test_effective_clock());
    RUN(test_correlation_by_event());
    RUN(test_correlation_by_handler());
    RUN(test_correlation_holes());
    RUN(test_correlation_refused());
    RUN(test_kernels());
    RUN(test_smis());
    return unit_finish("unit_counts");
}
