/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tare sim MODEL --sweep NAME=FROM:TO:STEP: prints a row for each value of a setting.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/base/json.h"
#include "tools/base/progress.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/tare_sim.h"
#include "tools/sim/results/sim_run.h"
#include "tools/sim/results/sweep.h"

#define REPLICATIONS 30 /* of a point, by default: the paper's 300 are for single runs */

struct sweeping {
    const struct sim_options *options;
    struct sim_sweep sweep;
    struct sweep_rows rows;
    struct run run;
    struct progress progress;
    size_t done; /* points */
};

/* Reads the model at a point; false if it is refused there. */
static bool load_point(const struct sweeping *sweeping, size_t point, struct sim_model *model,
                       struct sim_model_error *error)
{
    const struct sim_options *options = sweeping->options;
    struct sim_setting settings[SIM_SETTINGS_MAX + 2];

    memcpy(settings, options->settings, options->setting_count * sizeof(settings[0]));
    settings[options->setting_count] = (struct sim_setting){
        .name = sweeping->sweep.name, .value = sim_sweep_setting(&sweeping->sweep, point)};
    if (!sim_model_load(model, options->model, settings, options->setting_count + 1, error)) {
        return false;
    }
    if (options->has_column) {
        sim_model_arrive(model, options->column);
    }
    return true;
}

static void make_plan(const struct sweeping *sweeping, const struct sim_model *model,
                      struct sim_replication_plan *plan)
{
    struct sim_options options = *sweeping->options;

    if (options.replications == 0) {
        options.replications = REPLICATIONS;
    }
    sim_options_plan(&options, model, plan);
    /* Rows have no classes, and the pointers may be into the local copy. */
    plan->transit_points = NULL;
    plan->transit_count = 0;
}

/* Describes the run by the first point that is a valid model. */
static bool describe(struct sweeping *sweeping, struct sim_model_error *error)
{
    struct sim_replication_plan plan;
    char settings[SIM_SETTINGS_TEXT_MAX];
    struct sim_model model;
    size_t point = 1;

    while (!load_point(sweeping, point, &model, error)) {
        if (point++ == sweeping->sweep.points) {
            return false;
        }
    }
    make_plan(sweeping, &model, &plan);
    sim_run_describe(&sweeping->run, &model, sweeping->options->model,
                     sim_settings_text(sweeping->options, &plan, settings));
    sim_sweep_subjects(&model, &sweeping->rows);
    sweeping->rows.seed = plan.limits.seed;
    sim_model_free(&model);
    return true;
}

static void refuse(struct sweeping *sweeping, struct sweep_row *row,
                   const struct sim_model_error *error)
{
    char text[sizeof(error->text) + 32];

    snprintf(text, sizeof(text), error->line > 0 ? "line %zu: %s" : "%.0zu%s", error->line,
             error->text);
    row->why = run_text(&sweeping->run, text);
}

static void show_progress(void *context, size_t done, size_t of)
{
    struct sweeping *sweeping = context;

    progress_live(&sweeping->progress, "point %zu of %zu, replication %zu of %zu",
                  sweeping->done + 1, sweeping->sweep.points, done, of);
}

static void simulate_point(struct sweeping *sweeping, const struct sim_model *model,
                           struct sweep_row *row)
{
    struct sim_model_error error = {0};
    struct sim_replication_plan plan;
    struct sim_outcome outcome;

    make_plan(sweeping, model, &plan);
    plan.waits = model->stimulus_count == 0;
    plan.progress = show_progress;
    plan.context = sweeping;
    if (!sim_replicate(model, &plan, &outcome, error.text)) {
        refuse(sweeping, row, &error);
        return;
    }
    sim_sweep_row(model, &outcome, &sweeping->rows, row);
    sim_outcome_free(&outcome);
}

static void add_point(struct sweeping *sweeping, size_t point)
{
    struct sweep_row *row = sweep_rows_add(&sweeping->rows);
    struct sim_model_error error;
    struct sim_model model;

    row->point = point;
    row->setting = sim_sweep_setting(&sweeping->sweep, point);
    if (!load_point(sweeping, point, &model, &error)) {
        refuse(sweeping, row, &error);
        return;
    }
    simulate_point(sweeping, &model, row);
    sim_model_free(&model);
}

static void run_points(struct sweeping *sweeping)
{
    progress_start(&sweeping->progress);
    for (size_t point = 1; point <= sweeping->sweep.points; point++) {
        add_point(sweeping, point);
        sweeping->done++;
    }
    progress_finish(&sweeping->progress);
}

/* Prints the rows as read back from the run, the same as later from its file. */
static int print(const struct sweeping *sweeping)
{
    struct sweep_rows rows;
    struct json json;

    if (!sweep_rows_read(run_find_bench(&sweeping->run, SWEEP_BENCH), &rows)) {
        return command_failure(&command_sim, "cannot read back the rows of this sweep");
    }
    if (sweeping->options->json) {
        json_start(&json, stdout);
        json_object(&json, NULL);
        sweep_rows_json(&rows, &json);
        json_close(&json);
    } else {
        sweep_rows_print(&rows, stdout);
    }
    sweep_rows_free(&rows);
    return COMMAND_OK;
}

static int finish(struct sweeping *sweeping)
{
    sweep_rows_publish(&sweeping->rows, &sweeping->run);
    const int status = sweeping->options->output != NULL
                           ? sim_run_store(&sweeping->run, sweeping->options->output)
                           : COMMAND_OK;

    return status == COMMAND_OK ? print(sweeping) : status;
}

static int sweep(struct sweeping *sweeping)
{
    const struct sim_options *options = sweeping->options;
    struct sim_model_error error;

    sweeping->rows.spec = options->sweep;
    sweeping->rows.points = sweeping->sweep.points;
    if (!describe(sweeping, &error)) {
        return command_failure(
            &command_sim, "%s is refused at every point of the sweep; at the last, line %zu: %s",
            options->model, error.line, error.text);
    }
    run_points(sweeping);
    return finish(sweeping);
}

int sim_sweep_command(const struct sim_options *options)
{
    struct sweeping sweeping = {.options = options};
    char error[SIM_LAW_ERROR_MAX];

    if (!sim_sweep_read(&sweeping.sweep, options->sweep, error)) {
        return command_usage_error(&command_sim, "--sweep %s", error);
    }
    if (strcmp(options->model, "-") == 0) {
        return command_usage_error(&command_sim, "--sweep reads the model at every point: name a "
                                                 "file instead of -");
    }
    run_init(&sweeping.run);
    const int status = sweep(&sweeping);

    sweep_rows_free(&sweeping.rows);
    run_free(&sweeping.run);
    return status;
}
