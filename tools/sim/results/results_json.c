/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/results/results_json.h"

#include <math.h>
#include <stdlib.h>

#include "kernel/plan/version.h"
#include "tools/sim/results/paper_tables.h"

#define DECIMALS 9

static void write_plan(struct json *json, const struct sim_replication_plan *plan)
{
    json_unsigned(json, "seed", plan->limits.seed);
    if (plan->limits.passes > 0) {
        json_unsigned(json, "passes", plan->limits.passes);
    }
    if (plan->limits.quanta > 0) {
        json_unsigned(json, "quanta", plan->limits.quanta);
    }
    if (plan->limits.time > 0) {
        json_number(json, "time", plan->limits.time, DECIMALS);
    }
    if (plan->precision > 0) {
        json_number(json, "precision", plan->precision, DECIMALS);
    }
}

static void write_statistic(struct json *json, const struct sim_statistic *statistic,
                            const struct sim_estimate *estimate)
{
    json_object(json, NULL);
    json_text(json, "name", statistic->name);
    json_text(json, "unit", statistic->unit);
    json_text(json, "definition", statistic->definition);
    json_unsigned(json, "n", estimate->count);
    json_number(json, "mean", estimate->mean, DECIMALS);
    json_number(json, "low", estimate->mean - estimate->half, DECIMALS);
    json_number(json, "high", estimate->mean + estimate->half, DECIMALS);
    json_number(json, "deviation", estimate->deviation, DECIMALS);
    json_number(json, "error", estimate->error, DECIMALS);
    json_close(json);
}

static void write_result(struct json *json, const struct sim_result *result,
                         const struct sim_replication_plan *plan)
{
    const struct sim_outcome *const outcome = &result->outcome;
    char *const text = sim_model_text(&result->model);

    json_object(json, NULL);
    json_text(json, "arrivals", result->arrivals);
    json_text(json, "model", text);
    json_unsigned(json, "replications", outcome->replications);
    json_number(json, "warm_up", outcome->warm_up, DECIMALS);
    json_bool(json, "warm_up_found", outcome->warm_up_found);
    if (outcome->warm_up_found) {
        json_bool(json, "warm_up_doubtful", outcome->warm_up_doubtful);
    }
    if (plan->precision > 0) {
        json_bool(json, "precise", outcome->precise);
        json_number(json, "reached", outcome->reached, DECIMALS);
    }
    json_unsigned(json, "events", outcome->total.events);
    json_array(json, "statistics");
    for (size_t i = 0; i < outcome->statistics.count; i++) {
        write_statistic(json, &outcome->statistics.item[i], &outcome->estimate[i]);
    }
    json_close(json);
    json_close(json);
    free(text);
}

void sim_json_start(struct json *json, FILE *out, const struct sim_replication_plan *plan,
                    const struct sim_result *results, size_t count)
{
    json_start(json, out);
    json_object(json, NULL);
    json_text(json, "schema", "tare sim");
    json_text(json, "version", TARE_VERSION);
    json_text(json, "name", results[0].model.name);
    write_plan(json, plan);
    json_array(json, "results");
    for (size_t i = 0; i < count; i++) {
        write_result(json, &results[i], plan);
    }
    json_close(json);
}

/* ---- the paper ---- */

static void write_cell(struct json *json, const char *item, const struct sim_result *result,
                       enum sim_measure measure, size_t of, size_t point, double paper)
{
    const struct sim_estimate estimate = sim_result_estimate(result, measure, of, point);
    const double z = paper_z(paper, &estimate);

    json_object(json, NULL);
    json_text(json, "item", item);
    json_text(json, "arrivals", result->arrivals);
    json_number(json, "paper", paper, DECIMALS);
    json_number(json, "model", estimate.mean, DECIMALS);
    json_number(json, "deviation", estimate.deviation, DECIMALS);
    json_number(json, "z", z, DECIMALS);
    json_bool(json, "conflict", fabs(z) > PAPER_CONFLICT);
    json_close(json);
}

void sim_json_paper(struct json *json, const struct sim_result *poisson,
                    const struct sim_result *uniform)
{
    const struct sim_distribution *const transit = &poisson->outcome.total.stimulus[0].transit;

    json_array(json, "paper");
    for (size_t i = 0; i < PAPER_ROWS; i++) {
        const struct paper_row *const row = &paper_rows[i];

        write_cell(json, row->item, poisson, row->measure, row->of, 0, row->poisson);
        write_cell(json, row->item, uniform, row->measure, row->of, 0, row->uniform);
    }
    for (size_t i = 0; i < PAPER_CLASSES; i++) {
        char item[TABLE_CELL_MAX];

        sim_class_text(transit->point, transit->point_count, i, item);
        write_cell(json, item, poisson, SIM_STIMULUS_CLASS, 0, i, paper_classes[i][0]);
        write_cell(json, item, uniform, SIM_STIMULUS_CLASS, 0, i, paper_classes[i][1]);
    }
    json_close(json);
}
