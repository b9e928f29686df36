/* SPDX-License-Identifier: BSD-2-Clause */
/* A prediction beside the measured run, as JSON. */
#include "tools/base/json.h"
#include "tools/run/run_kind.h"
#include "tools/sim/against/against_views.h"

#define DECIMALS 6

static void write_overhead(struct json *json, const struct sim_overhead *overhead)
{
    struct sim_overhead parts = *overhead;

    json_object(json, "overhead");
    for (enum sim_overhead_part i = 0; i < SIM_OVERHEAD_PARTS; i++) {
        json_number(json, sim_overhead_name(i), *sim_overhead_part(&parts, i), DECIMALS);
    }
    json_close(json);
}

static void write_band(struct json *json, const char *key, const struct against_band *band,
                       double value, double resolution)
{
    if (!band->reported) {
        json_null(json, key);
        return;
    }
    json_object(json, key);
    json_number(json, "mean", band->mean, DECIMALS);
    json_number(json, "deviation", band->deviation, DECIMALS);
    json_number(json, "low", band->low, DECIMALS);
    json_number(json, "high", band->high, DECIMALS);
    json_bool(json, "inside", against_inside(band, value, resolution));
    json_number(json, "z", against_z(band, value), DECIMALS);
    json_close(json);
}

static void write_series(struct json *json, const struct against *against, size_t index)
{
    const struct against_series *series = &against->measured.series[index];

    json_object(json, NULL);
    json_text(json, "name", series->name);
    json_unsigned(json, "n", series->n);
    json_object(json, "statistics");
    for (enum against_statistic i = 0; i < AGAINST_STATISTICS; i++) {
        const double value = against_value(series, i);
        const size_t at = index * AGAINST_STATISTICS + i;

        json_object(json, against_statistic_name(i));
        json_number(json, "measured", value, DECIMALS);
        write_band(json, "with", &against->with.band[at], value, against->measured.resolution);
        write_band(json, "without", &against->without.band[at], value,
                   against->measured.resolution);
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

static void write_distance(struct json *json, const char *key,
                           const struct against_distance *distance)
{
    json_object(json, key);
    json_number(json, "distance", distance->distance, DECIMALS);
    json_number(json, "low", distance->low, DECIMALS);
    json_number(json, "high", distance->high, DECIMALS);
    json_number(json, "own_runs_95", distance->usual, DECIMALS);
    json_number(json, "own_runs_as_far", distance->chance, DECIMALS);
    json_close(json);
}

static void write_prediction(struct json *json, const char *key,
                             const struct against_prediction *prediction,
                             const struct against_distance *distance)
{
    json_object(json, key);
    write_overhead(json, &prediction->overhead);
    json_bool(json, "agrees", against_agrees(prediction));
    json_number(json, "greatest_z", prediction->worst, DECIMALS);
    json_number(json, "own_runs_greatest_z_95", prediction->worst_usual, DECIMALS);
    write_distance(json, "kolmogorov_smirnov", distance);
    json_close(json);
}

static void write_explanation(struct json *json, const struct against *against)
{
    json_object(json, "explanation");
    json_number(json, "difference", against->difference, DECIMALS);
    json_array(json, "parts");
    for (size_t i = 0; i < AGAINST_PARTS; i++) {
        const struct against_part *part = &against->part[i];

        json_object(json, NULL);
        json_text(json, "name", part->name);
        json_number(json, "each", part->cost, DECIMALS);
        json_number(json, "alone", part->alone, DECIMALS);
        json_number(json, "alone_error", part->alone_error, DECIMALS);
        json_number(json, "in_turn", part->added, DECIMALS);
        json_number(json, "in_turn_error", part->added_error, DECIMALS);
        json_close(json);
    }
    json_close(json);
    json_number(json, "remainder", against->remainder, DECIMALS);
    json_number(json, "remainder_error", against->remainder_error, DECIMALS);
    json_close(json);
}

void against_json(FILE *out, const struct against *against, const struct run *run,
                  const struct against_names *names)
{
    const struct against_measured *measured = &against->measured;
    char kind[RUN_KIND_MAX];
    struct json json;

    json_start(&json, out);
    json_object(&json, NULL);
    json_text(&json, "model", names->model);
    json_text(&json, "run", names->run);
    json_text(&json, "kind", measured->kind);
    json_text(&json, "kind_text", run_kind_text(run, kind));
    json_unsigned(&json, "passes", measured->passes);
    json_unsigned(&json, "measured_seed", measured->seed);
    json_unsigned(&json, "seed", names->seed);
    json_unsigned(&json, "replications", against->with.replications);
    json_number(&json, "unit_ns", measured->unit_ns, DECIMALS);
    json_bool(&json, "agrees", against_agrees(&against->with));
    json_number(&json, "visible_overhead_error", against_visible(against), DECIMALS);
    json_number(&json, "costs_below_0", measured->below, DECIMALS);
    json_array(&json, "series");
    for (size_t i = 0; i < measured->count; i++) {
        write_series(&json, against, i);
    }
    json_close(&json);
    write_prediction(&json, "with", &against->with, &against->distance_with);
    write_prediction(&json, "without", &against->without, &against->distance_without);
    json_number(&json, "costs_precision", measured->precision, DECIMALS);
    write_distance(&json, "kolmogorov_smirnov_to_precision", &against->rough_with);
    write_explanation(&json, against);
    json_close(&json);
}
