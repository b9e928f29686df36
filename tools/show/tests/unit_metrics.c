/* SPDX-License-Identifier: BSD-2-Clause */
/* Which figures of a run are metrics, what they are called, and their values. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/present/metrics.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/tests/support/unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct run_bench *add_bench(struct run *run, const char *name, const char *group,
                                   uint32_t pass)
{
    struct run_bench *bench = build_bench(run, name, pass);

    bench->group = group;
    return bench;
}

/* Three values of 100, 110, 120. */
static struct run_series *add_series(struct run_bench *bench, const char *name)
{
    static const int64_t samples[] = {100, 110, 120};

    return build_series(bench, name, NULL, NULL, samples, COUNT(samples));
}

static void check_names(const struct metrics *metrics, const char *const *names, size_t count)
{
    CHECK_EQUAL(metrics->count, count);
    for (size_t i = 0; i < count && i < metrics->count; i++) {
        CHECK_TEXT(metrics->item[i].name, names[i]);
    }
}

static void test_names(void)
{
    static const char *const names[] = {
        "paths.switch",       "idle.floor",   "idle.handler",
        "idle.stolen[floor]", "idle:2.floor", "idle:2.stolen[floor]",
        "clock.estimate.pit", "ipi.round.1",  "process.empty"};
    static const int64_t none[] = {0};
    struct run run;
    struct metrics metrics;

    run_init(&run);
    add_series(add_bench(&run, "paths", "tasks", 1), "switch");
    struct run_bench *bench = add_bench(&run, "idle", "idle", 1);

    build_fact(bench, "inner_iterations", 500);
    add_series(bench, "floor");
    build_series(bench, "floor.instructions", "floor", "instructions", none, 1);
    add_series(bench, "handler");
    add_series(bench, "handler_start");
    add_series(add_bench(&run, "idle", "idle", 2), "floor");
    bench = add_bench(&run, "clock", "clock", 1);
    add_series(bench, "estimate.pit")->unit = "hz";
    bench = add_bench(&run, "ipi", "system", 1);
    add_series(bench, "round.1");
    add_series(bench, "skew.1");
    add_series(bench, "skew_bound.1");
    bench = add_bench(&run, "load", "idle", 1);
    add_series(bench, "work");
    add_series(bench, "intended");
    build_hole(add_series(bench, "elongation"), 1);
    bench = add_bench(&run, "process", "tasks", 1);
    add_series(bench, "empty");
    build_series(bench, "nothing", NULL, NULL, none, 0);
    metrics_of(&run, &metrics);
    check_names(&metrics, names, COUNT(names));
    CHECK(metrics.item[1].work == 500 && metrics.item[2].work == 0 && metrics.item[4].work == 0);
    CHECK(metrics.item[6].better == METRIC_NEITHER && metrics.item[0].better == METRIC_LESS);
    CHECK_TEXT(metrics.item[6].unit, "hz");
    /* The floor is the median, 110: 10 of 330 ticks, a part a sample. */
    CHECK(metrics.item[3].n == 3 && fabs(metrics.item[3].share - 1e7 / 330) < 1e-9 &&
          metrics.item[3].values[0] == 0 && fabs(metrics.item[3].values[2] - 1e7 / 120) < 1e-9);
    CHECK_TEXT(metrics.item[3].unit, "ppm");
    CHECK(metrics.item[3].is_share && !metrics.item[1].is_share);
    CHECK(metrics.item[0].n == 3 && metrics.item[0].values[2] == 120 && isnan(metrics.item[0].x));
    CHECK(metrics_find(&metrics, "idle:2.floor") == &metrics.item[4]);
    CHECK(metrics_find(&metrics, "tasks.paths") == &metrics.item[0]);
    CHECK(metrics_find(&metrics, "idle.idle") == &metrics.item[1]);
    CHECK(metrics_find(&metrics, "tasks.switch") == NULL);
    CHECK(metrics_find(&metrics, "") == NULL);
    metrics_free(&metrics);
    run_free(&run);
}

/* Of 10 repetitions: (twice - once) / 10, less the loop's 2; and plain ones less `empty`. */
static void test_costs(void)
{
    static const char *const names[] = {"call.register0", "call.half", "syscall.null"};
    static const int64_t loop[] = {30, 30, 30};
    static const int64_t loop_twice[] = {50, 50, 50};
    static const int64_t twice[] = {300, 330, 320};
    struct run run;
    struct metrics metrics;

    run_init(&run);
    struct run_bench *bench = add_bench(&run, "call", "system", 1);

    build_fact(bench, "repetitions", 10);
    build_series(bench, "loop", NULL, NULL, loop, 3);
    build_series(bench, "loop.twice", NULL, NULL, loop_twice, 3);
    add_series(bench, "register0");
    build_series(bench, "register0.twice", NULL, NULL, twice, 3);
    add_series(bench, "half"); /* no pair: not a cost, and nothing is around it */
    bench = add_bench(&run, "syscall", "system", 1);
    build_series(bench, "empty", NULL, NULL, loop, 3);
    add_series(bench, "null");
    metrics_of(&run, &metrics);
    check_names(&metrics, names, COUNT(names));
    CHECK(metrics.item[0].values[0] == 18 && metrics.item[0].values[1] == 20 &&
          metrics.item[0].values[2] == 18);
    CHECK(metrics.item[1].values[0] == 100);
    CHECK(metrics.item[2].values[0] == 70 && metrics.item[2].values[2] == 90);
    metrics_free(&metrics);
    run_free(&run);
}

/* What is no pair of its frame is no metric, and leaves nothing. */
static void test_costs_that_do_not_fit(void)
{
    static const int64_t ticks[] = {30, 30, 30};
    struct run run;
    struct metrics metrics;

    run_init(&run);
    struct run_bench *bench = add_bench(&run, "call", "system", 1);

    build_series(bench, "loop", NULL, NULL, ticks, 3);
    build_series(bench, "loop.twice", NULL, NULL, ticks, 3);
    add_series(bench, "register0");
    build_series(bench, "register0.twice", NULL, NULL, ticks, 2);
    metrics_of(&run, &metrics);
    check_names(&metrics, NULL, 0);
    metrics_free(&metrics);
    run_free(&run);
}

static void add_curve(struct run_bench *bench, const char *x_unit, const int64_t *x)
{
    static const int64_t repetitions[] = {10, 20};
    static const int64_t ticks[] = {100, 200, 400, 600};

    build_series(bench, "read.x", NULL, NULL, x, 2)->unit = x_unit;
    build_series(bench, "read.n", NULL, NULL, repetitions, 2)->unit = "count";
    build_series(bench, "read", NULL, NULL, ticks, 4);
}

static void test_curves(void)
{
    static const char *const names[] = {"chase.read[1536B]",     "chase.read[3MiB]",
                                        "tlb.read[0]",           "tlb.read[12]",
                                        "bandwidth.read[1536B]", "bandwidth.read[3MiB]"};
    static const int64_t bytes[] = {1536, 3145728};
    static const int64_t pages[] = {0, 12};
    struct run run;
    struct metrics metrics;

    run_init(&run);
    run.verdict = (struct run_verdict){.present = true, .ok = true, .hz = 500000000};
    add_curve(add_bench(&run, "chase", "memory", 1), "byte", bytes);
    add_curve(add_bench(&run, "tlb", "memory", 1), "page", pages);
    add_curve(add_bench(&run, "bandwidth", "memory", 1), "byte", bytes);
    metrics_of(&run, &metrics);
    check_names(&metrics, names, COUNT(names));
    CHECK(metrics.item[0].n == 2 && metrics.item[0].values[0] == 10 &&
          metrics.item[0].values[1] == 20 && metrics.item[1].values[1] == 30);
    CHECK(metrics.item[1].x == 3145728 && metrics.item[3].x == 12);
    CHECK_TEXT(metrics.item[3].x_unit, "page");
    /* 1536 bytes in 10 ticks of 2 ns: 76.8 bytes a ns. */
    CHECK(fabs(metrics.item[4].values[0] - 76800) < 1e-6 && metrics.item[4].better == METRIC_MORE);
    CHECK_TEXT(metrics.item[4].unit, "MB/s");
    metrics_free(&metrics);
    run_add_pair(&run, &run.info, "kind", "exact");
    run_add_pair(&run, &run.info, "ticks_per_instruction", "8");
    metrics_of(&run, &metrics);
    CHECK(metrics.ticks_per_instruction == 8 && metrics.ns_per_tick == 2);
    CHECK_TEXT(metrics.item[4].unit, "B/instruction");
    CHECK(fabs(metrics.item[4].values[0] - 1228.8) < 1e-9);
    metrics_free(&metrics);
    run_free(&run);
}

static void test_matrix(void)
{
    static const char *const names[] = {"lines.cas[0-4]", "lines.cas[4-0]"};
    static const int64_t number[] = {0, 4};
    static const int64_t samples[] = {0, 0, 100, 120, 140, 160, 0, 0};
    struct run run;
    struct metrics metrics;

    run_init(&run);
    struct run_bench *bench = add_bench(&run, "lines", "system", 1);

    build_fact(bench, "repetitions", 20);
    build_fact(bench, "trials", 2);
    build_series(bench, "number", NULL, NULL, number, 2)->unit = "id";
    build_series(bench, "package", NULL, NULL, number, 2)->unit = "id";
    build_series(bench, "core", NULL, NULL, number, 2)->unit = "id";
    build_series(bench, "cas", NULL, NULL, samples, COUNT(samples));
    metrics_of(&run, &metrics);
    check_names(&metrics, names, COUNT(names));
    CHECK(metrics.item[0].values[1] == 6 && metrics.item[1].values[0] == 7);
    metrics_free(&metrics);
    run_free(&run);
}

/* Gaps: none, some, and some that there was no room for. */
static void check_gaps(size_t n, int64_t unkept, double low, double high)
{
    static const int64_t lengths[] = {2000, 9000, 4000};
    static const int64_t bounds[] = {272, 8704};
    static const int64_t short_bounds[] = {272, 304};
    struct run run;
    struct metrics metrics;

    run_init(&run);
    struct run_bench *bench = add_bench(&run, "gap", "noise", 1);

    build_fact(bench, "elapsed", 1000000);
    build_fact(bench, "dead", 400);
    build_fact(bench, "threshold", 999);
    build_fact(bench, "unkept", unkept);
    build_series(bench, "gap_time", NULL, NULL, lengths, n);
    build_series(bench, "gap_length", NULL, NULL, lengths, n);
    build_series(bench, "histogram_bound", NULL, NULL, n > 0 ? bounds : short_bounds, 2);
    metrics_of(&run, &metrics);
    const struct metric *metric = metrics_find(&metrics, "noise.gap");

    const struct metric *longest = metrics_find(&metrics, "gap.longest");

    CHECK(metric == &metrics.item[0]);
    /* Of all, or not at all; without a gap above the threshold, what none exceeds. */
    CHECK(unkept > 0 ? longest == NULL
                     : longest != NULL && longest->n == 1 && longest->values[0] == high);
    CHECK(metric->n == n && metric->observed == 999600 && metric->unkept == (uint64_t)unkept);
    CHECK(metric->greatest_low == low && metric->greatest_high == high);
    metrics_free(&metrics);
    run_free(&run);
}

static void test_gaps(void)
{
    check_gaps(0, 0, 304, 319); /* 16 bins an octave: [304, 320) */
    check_gaps(3, 0, 9000, 9000);
    check_gaps(3, 5, 8704, 9215);
}

/* What the image reports of all gaps counts, not what it kept. */
static void test_gaps_of_all(void)
{
    static const int64_t lengths[] = {2000, 9000, 4000};
    int64_t stolen[50] = {[0] = 15000, [40] = 60000};
    struct run run;
    struct metrics metrics;

    run_init(&run);
    struct run_bench *bench = add_bench(&run, "gap", "noise", 1);

    build_fact(bench, "elapsed", 50000400);
    build_fact(bench, "dead", 400);
    build_fact(bench, "threshold", 999);
    build_fact(bench, "smallest", 30);
    build_fact(bench, "unkept", 7);
    build_fact(bench, "over", 10);
    build_fact(bench, "stolen", 75000);
    build_fact(bench, "largest", 50000);
    build_fact(bench, "largest_at", 40000123);
    build_fact(bench, "dead_largest", 100);
    build_fact(bench, "dead_smallest", 40);
    build_fact(bench, "rest", 6);
    build_fact(bench, "rest_sum", 10000);
    build_fact(bench, "smi", 2);
    build_series(bench, "gap_time", NULL, NULL, lengths, 3);
    build_series(bench, "gap_length", NULL, NULL, lengths, 3);
    build_series(bench, "gap_stolen", NULL, NULL, stolen, COUNT(stolen));
    metrics_of(&run, &metrics);
    static const char *const names[] = {"gap.gap_length", "gap.longest", "gap.stolen", "gap.smi"};

    check_names(&metrics, names, COUNT(names));
    CHECK(metrics.item[0].greatest_low == 50000 && metrics.item[0].greatest_high == 50000);
    CHECK(metrics.item[0].n == 3 && metrics.item[0].unkept == 7);
    CHECK(metrics.item[1].n == 1 && metrics.item[1].values[0] == 50000);
    CHECK(metrics.item[2].n == 50 && metrics.item[2].share == 1500 &&
          metrics.item[2].values[0] == 15000 && metrics.item[2].values[40] == 60000);
    CHECK(metrics.item[3].counted_only && metrics.item[3].n == 0 && metrics.item[3].unkept == 2 &&
          metrics.item[3].observed == 50000400);
    metrics_free(&metrics);
    for (size_t i = 0; i < bench->fact_count; i++) {
        if (strcmp(bench->facts[i].name, "smallest") == 0) {
            bench->facts[i].value = 800; /* the threshold is below two passes: gaps are the loop */
        }
    }
    metrics_of(&run, &metrics);
    CHECK(metrics_find(&metrics, "gap.stolen") == NULL);
    metrics_free(&metrics);
    run_free(&run);
}

/* A bench with a trace that is too long to be read has a metric that says so. */
static void test_left_out(void)
{
    struct trace_builder trace;
    struct metrics metrics;
    struct run run;

    run_init(&run);
    struct run_bench *bench = add_bench(&run, "echo", "interactive", 1);

    trace_builder_init(&trace, 1000, 16384);
    TRACE_ADD(&trace, 1000, mark, 1, 0);
    trace_builder_finish(&trace, 2000, bench);
    metrics_within(&run, &(struct metrics_bounds){10, 10, 0}, &metrics);
    check_names(&metrics, (const char *[]){"echo.left_out"}, 1);
    CHECK(metrics.item[0].values == NULL && metrics.item[0].n == 0);
    metrics_free(&metrics);
    run_free(&run);
}

int main(void)
{
    RUN(test_names());
    RUN(test_costs());
    RUN(test_costs_that_do_not_fit());
    RUN(test_curves());
    RUN(test_matrix());
    RUN(test_gaps());
    RUN(test_gaps_of_all());
    RUN(test_left_out());
    return unit_finish("unit_metrics");
}
