/* SPDX-License-Identifier: BSD-2-Clause */
/* Bench `sensitivity` as metrics and as JSON: points, false alarms and curves. */
#include <math.h>
#include <stdio.h>

#include "bench/noise/host/sensitivity.h"
#include "bench/noise/names.h"
#include "kernel/run/names.h"
#include "tools/present/json_kit.h"
#include "tools/present/reading.h"

#define DECIMALS 4

/* All of them: what they are of is in the metrics below. */
static bool places(const char *series)
{
    (void)series;
    return true;
}

static struct metric *add_value(struct metrics *metrics, const struct run_bench *bench,
                                const char *name, const struct sensitivity_curve *curve,
                                int64_t value)
{
    char x[METRIC_X_MAX];

    snprintf(x, sizeof(x), "%s.%s", curve->detector, curve->injector);
    struct metric *metric = metrics_add(metrics, bench, name, x);

    metric_set(metric, &value, 1);
    return metric;
}

static void others(struct metrics *metrics, const struct run_bench *bench)
{
    struct sensitivity_curve curve;
    struct sensitivity_point point;

    for (size_t i = 0; sensitivity_curve_next(bench, &i, &curve);) {
        if (sensitivity_point_of(&curve, &point)) {
            add_value(metrics, bench, "p99_found", &curve, point.ticks);
        }
        if (curve.readings > 0) {
            struct metric *metric = add_value(metrics, bench, "false_alarms", &curve, 0);

            metric->values[0] = sensitivity_alarms(&curve);
            metric->unit = UNIT_COUNT;
        }
        sensitivity_curve_free(&curve);
    }
}

static void put_lengths(struct json *json, const struct sensitivity_curve *curve)
{
    json_flat_array(json, "length_ticks");
    for (size_t i = 0; i < curve->n; i++) {
        json_signed(json, NULL, curve->lengths[i].ticks);
    }
    json_close(json);
    json_flat_array(json, "tried");
    for (size_t i = 0; i < curve->n; i++) {
        json_signed(json, NULL, curve->lengths[i].tried);
    }
    json_close(json);
    json_flat_array(json, "found");
    for (size_t i = 0; i < curve->n; i++) {
        json_signed(json, NULL, curve->lengths[i].found);
    }
    json_close(json);
}

static void put_curve(struct json *json, const struct sensitivity_curve *curve)
{
    struct sensitivity_point point = {0};
    const bool has_point = sensitivity_point_of(curve, &point);

    json_object(json, NULL);
    json_text(json, "detector", curve->detector);
    json_text(json, "injector", curve->injector);
    json_optional(json, "p99_ticks", has_point, point.ticks);
    json_bool(json, "p99_at_most", has_point && point.at_most);
    json_optional(json, "missed_ticks", has_point && !point.at_most, point.missed);
    json_number(json, "proven", has_point ? point.proven : NAN, DECIMALS);
    json_signed(json, "reading", curve->reading);
    json_signed(json, "threshold", curve->threshold);
    json_signed(json, "readings", curve->readings);
    json_signed(json, "alarms", curve->alarms);
    json_number(json, "alarms_per_million", sensitivity_alarms(curve), DECIMALS);
    put_lengths(json, curve);
    json_close(json);
}

/* Member "curves". */
static void put(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct sensitivity_curve curve;

    (void)run;
    json_array(json, "curves");
    for (size_t i = 0; sensitivity_curve_next(bench, &i, &curve);) {
        put_curve(json, &curve);
        sensitivity_curve_free(&curve);
    }
    json_close(json);
}

READING_REGISTER(sensitivity_values) = {.bench = BENCH_SENSITIVITY,
                                        .order = 12,
                                        .json = put,
                                        .metrics = {.places = places, .others = others}};
