/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bench `cliwindow` as metrics and as JSON: what latencies have above the line, and the slope.
 * Latencies themselves follow the sweep, so that their spread is the plan's.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/latency/host/cli_window.h"
#include "bench/latency/names.h"
#include "tools/base/alloc.h"
#include "tools/present/json_kit.h"
#include "tools/present/reading.h"

#define DECIMALS 6

static bool places(const char *series)
{
    return strcmp(series, SERIES_CLI_WINDOW) == 0 || strcmp(series, SERIES_CLI_DEADLINE) == 0 ||
           strcmp(series, SERIES_CLI_LATENCY) == 0;
}

static void add_deviations(struct metrics *metrics, const struct run_bench *bench,
                           const struct cli_points *points, bool pending, const char *x)
{
    int64_t *values = alloc_zeroed(points->n * sizeof(*values));
    const size_t n = cli_deviations(points, pending, CLI_EACH_WINDOW, values);

    if (n > 0) {
        metric_set(metrics_add(metrics, bench, "above_line", x), values, n);
    }
    free(values);
}

static void others(struct metrics *metrics, const struct run_bench *bench)
{
    struct cli_points points;
    struct cli_summary summary;

    if (!cli_points_of(bench, &points)) {
        return;
    }
    add_deviations(metrics, bench, &points, true, "in_window");
    add_deviations(metrics, bench, &points, false, "behind_window");
    cli_summary(&points, &summary);
    if (!isnan(summary.slope)) {
        static const int64_t one = 1;
        struct metric *metric = metrics_add(metrics, bench, "slope", NULL);

        metric_set(metric, &one, 1);
        metric->values[0] = summary.slope;
        metric->unit = "1";
        metric->better = METRIC_NEITHER;
    }
}

static void put_kind(struct json *json, const char *key, const struct statistics *deviations)
{
    json_object(json, key);
    json_statistics(json, deviations);
    json_close(json);
}

/* Member "cli_window", in ticks; null where samples are missing. */
static void put(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct cli_points points;
    struct cli_summary summary;

    (void)run;
    if (!cli_points_of(bench, &points)) {
        json_null(json, "cli_window");
        return;
    }
    cli_summary(&points, &summary);
    json_object(json, "cli_window");
    json_unsigned(json, "points", points.n);
    json_number(json, "slope", summary.slope, DECIMALS);
    json_number(json, "offset", summary.offset, DECIMALS);
    put_kind(json, "above_line_in_window", &summary.pending);
    put_kind(json, "above_line_behind_window", &summary.running);
    json_close(json);
}

READING_REGISTER(cliwindow_values) = {
    .bench = BENCH_CLIWINDOW,
    .order = 60,
    .json = put,
    .metrics = {.main = "above_line", .places = places, .others = others}};
