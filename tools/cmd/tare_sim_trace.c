/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tare sim --trace and --ctf: one stimulus step by step, and a whole replication as a trace.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kernel/names.h"
#include "tools/base/interrupt.h"
#include "tools/base/json.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/tare_sim.h"
#include "tools/export/export_directory.h"
#include "tools/export/trace_export.h"
#include "tools/sim/trace/follow.h"
#include "tools/sim/trace/sim_trace.h"

#define NS_A_SECOND 1000000000

/* ---- --trace ---- */

/* Its index; SIM_NONE: standard error says why. */
static size_t find_stimulus(const struct sim_options *options, const struct sim_model *model)
{
    if (model->stimulus_count == 0) {
        command_failure(&command_sim, "%s: --trace follows a stimulus, and the model has none",
                        options->model);
        return SIM_NONE;
    }
    for (size_t i = 0; i < model->stimulus_count; i++) {
        if (options->stimulus == NULL || strcmp(model->stimuli[i].name, options->stimulus) == 0) {
            return i;
        }
    }
    command_failure(&command_sim, "%s: there is no stimulus %s; the first is %s", options->model,
                    options->stimulus, model->stimuli[0].name);
    return SIM_NONE;
}

static void print_json(const struct sim_options *options, const struct sim_follow *follow)
{
    struct json json;

    json_start(&json, stdout);
    json_object(&json, NULL);
    json_text(&json, "model", follow->model->name);
    json_unsigned(&json, "seed", options->seed);
    sim_follow_json(&json, follow);
    json_close(&json);
}

static int follow_stimulus(const struct sim_options *options, const struct sim_model *model)
{
    const struct sim_limits limits = {.seed = options->seed};
    const size_t stimulus = find_stimulus(options, model);
    char error[SIM_LAW_ERROR_MAX];
    struct sim_follow follow;

    if (stimulus == SIM_NONE) {
        return COMMAND_FAILED;
    }
    sim_follow_init(&follow, model, stimulus, options->trace_pass > 0 ? options->trace_pass : 1);
    int status = COMMAND_OK;

    if (!sim_follow_run(&follow, &limits, error)) {
        status = command_failure(&command_sim, "%s: %s", options->model, error);
    } else if (options->json) {
        print_json(options, &follow);
    } else {
        sim_follow_print(stdout, &follow);
    }
    sim_follow_free(&follow);
    return status;
}

/* ---- --ctf ---- */

static bool export_benches(const struct run *run, struct export_directory *directory,
                           char error[EXPORT_ERROR_MAX])
{
    for (size_t i = 0; i < run->bench_count; i++) {
        struct trace_export_counts counts;
        char path[EXPORT_PATH_MAX];

        if (!export_directory_add(directory, run->benches[i].name, path, error) ||
            !trace_export_ctf(run, &run->benches[i], path, &counts, error)) {
            return false;
        }
        fprintf(stderr, "tare sim: %s/%s: %" PRIu64 " events\n", directory->path,
                run->benches[i].name, counts.events);
    }
    return true;
}

static int export_run(const struct sim_options *options, const struct run *run)
{
    struct export_directory directory;
    char error[EXPORT_ERROR_MAX] = "";

    interrupt_catch();
    if (!export_directory_open(&directory, options->ctf, EXPORT_TRACES, false, error)) {
        return command_failure(&command_sim, "%s", error);
    }
    if (!export_benches(run, &directory, error)) {
        export_directory_discard(&directory);
        return command_failure(&command_sim, "%s",
                               error[0] != '\0' ? error : "interrupted; nothing is written");
    }
    return export_directory_commit(&directory, true, error)
               ? COMMAND_OK
               : command_failure(&command_sim, "%s", error);
}

/* A trace has what a replication does not count as well: its warm-up. */
static struct sim_limits limits_of(const struct sim_options *options, const struct sim_model *model)
{
    struct sim_replication_plan plan;

    sim_options_plan(options, model, &plan);
    plan.limits.warm_up = 0;
    return plan.limits;
}

static int export_trace(const struct sim_options *options, const struct sim_model *model)
{
    const struct sim_limits limits = limits_of(options, model);
    char error[SIM_LAW_ERROR_MAX];
    char seed[24];
    struct run run;

    run_init(&run);
    snprintf(seed, sizeof(seed), "%" PRIu64, options->seed);
    run_add_pair(&run, &run.info, INFO_KIND, TIME_MODEL);
    run_add_pair(&run, &run.info, "model", model->name);
    run_add_pair(&run, &run.info, "seed", run_text(&run, seed));
    run.verdict =
        (struct run_verdict){.present = true, .ok = true, .hz = NS_A_SECOND, .by = "model"};
    const int status = sim_trace_record(model, &limits, &run, error)
                           ? export_run(options, &run)
                           : command_failure(&command_sim, "%s: %s", options->model, error);

    run_free(&run);
    return status;
}

int sim_trace_command(const struct sim_options *options)
{
    struct sim_model model;

    if (!sim_options_load(options, &model)) {
        return COMMAND_FAILED;
    }
    const int status =
        options->trace ? follow_stimulus(options, &model) : export_trace(options, &model);

    sim_model_free(&model);
    return status;
}
