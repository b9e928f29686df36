/* SPDX-License-Identifier: BSD-2-Clause */
/* Latencies by windows of masked interrupts against the line they are expected on. */
#include "bench/latency/host/cli_window.h"

#include <math.h>

#include "bench/latency/names.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Two windows of three deadlines, two trials. In the window: 10 above the line; behind it: 20, and
 * once 50. */
static const int64_t windows[] = {0, 0, 0, 600, 600, 600, 0, 0, 0, 600, 600, 600};
static const int64_t deadlines[] = {100, 300, 500, 100, 300, 500, 100, 300, 500, 100, 300, 500};
static const int64_t latencies[] = {20, 20, 50, 510, 310, 110, 20, 20, 20, 510, 310, 110};

static struct run_bench *build(struct run *run, size_t n)
{
    run_init(run);
    struct run_bench *bench = build_bench(run, BENCH_CLIWINDOW, 1);

    *run_add_param(bench) = (struct run_param){CLI_PARAM_WINDOWS, "2", "default"};
    build_fact(bench, FACT_CLI_GRID, 6);
    build_series(bench, SERIES_CLI_WINDOW, NULL, NULL, windows, n);
    build_series(bench, SERIES_CLI_DEADLINE, NULL, NULL, deadlines, n);
    build_series(bench, SERIES_CLI_LATENCY, NULL, NULL, latencies, n);
    return bench;
}

static void test_line(void)
{
    struct run run;
    struct cli_points points;
    struct cli_summary summary;
    int64_t values[COUNT(windows)];

    CHECK(cli_points_of(build(&run, COUNT(windows)), &points));
    CHECK_EQUAL(points.n, 12);
    CHECK_EQUAL(cli_remainder(&points, 0), -100);
    CHECK_EQUAL(cli_deviation(&points, 0), 20);
    CHECK_EQUAL(cli_remainder(&points, 3), 500);
    CHECK_EQUAL(cli_deviation(&points, 3), 10);
    cli_summary(&points, &summary);
    CHECK_EQUAL(summary.pending.n, 6);
    CHECK_EQUAL(summary.pending.min, 10);
    CHECK_EQUAL(summary.pending.max, 10);
    CHECK_EQUAL(summary.running.n, 6);
    CHECK_EQUAL(summary.running.median, 20);
    CHECK_EQUAL(summary.running.max, 50);
    CHECK(fabs(summary.slope - 1) < 1e-12);
    CHECK(fabs(summary.offset - 10) < 1e-9);
    CHECK_EQUAL(cli_deviations(&points, false, 0, values), 6);
    CHECK_EQUAL(cli_deviations(&points, true, 0, values), 0);
    CHECK_EQUAL(cli_deviations(&points, true, 1, values), 6);
    run_free(&run);
}

/* A timer that takes twice as long has another slope, which no floor hides. */
static void test_slope(void)
{
    struct run run;
    struct run_bench *bench = build(&run, COUNT(windows));
    struct run_series *latency = run_find_series(bench, SERIES_CLI_LATENCY);
    struct cli_points points;
    struct cli_summary summary;

    for (size_t i = 0; i < COUNT(windows); i++) {
        latency->samples[i] *= 2;
    }
    CHECK(cli_points_of(bench, &points));
    cli_summary(&points, &summary);
    CHECK(fabs(summary.slope - 2) < 1e-12);
    CHECK_EQUAL(summary.pending.max, 520);
    run_free(&run);
}

/* Half a trial, a hole, and points of which none waited. */
static void test_missing(void)
{
    struct run run;
    struct cli_points points;
    struct cli_summary summary;
    struct run_bench *bench = build(&run, 9);

    CHECK(!cli_points_of(bench, &points));
    run_free(&run);
    bench = build(&run, COUNT(windows));
    run_find_series(bench, SERIES_CLI_DEADLINE)->samples[1] = INT64_MIN;
    CHECK(!cli_points_of(bench, &points));
    run_free(&run);
    bench = build(&run, COUNT(windows));
    build_hole(run_find_series(bench, SERIES_CLI_LATENCY), 2);
    CHECK(!cli_points_of(bench, &points));
    run_free(&run);
    bench = build(&run, COUNT(windows));
    for (size_t i = 0; i < COUNT(windows); i++) {
        run_find_series(bench, SERIES_CLI_WINDOW)->samples[i] = 0;
    }
    CHECK(cli_points_of(bench, &points));
    cli_summary(&points, &summary);
    CHECK_EQUAL(summary.pending.n, 0);
    CHECK(isnan(summary.slope));
    run_free(&run);
}

int main(void)
{
    RUN(test_line());
    RUN(test_slope());
    RUN(test_missing());
    return unit_finish("unit_cli_window");
}
