/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tare sim --trace: follows one stimulus step by step.
 */
#include <stdio.h>
#include <string.h>

#include "tools/base/json.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/tare_sim.h"
#include "tools/sim/trace/follow.h"

/* The index of the stimulus; SIM_NONE: there is none, and an error has been printed. */
static size_t find_stimulus(const struct sim_options *options, const struct sim_model *model)
{
    if (model->stimulus_count == 0) {
        command_failure(&command_sim, "%s: --trace needs a stimulus, and the model has none",
                        options->model);
        return SIM_NONE;
    }
    for (size_t i = 0; i < model->stimulus_count; i++) {
        if (options->stimulus == NULL || strcmp(model->stimuli[i].name, options->stimulus) == 0) {
            return i;
        }
    }
    command_failure(&command_sim, "%s has no stimulus %s; the first is %s", options->model,
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

int sim_trace_command(const struct sim_options *options)
{
    struct sim_model model;

    if (!sim_options_load(options, &model)) {
        return COMMAND_FAILED;
    }
    const int status = follow_stimulus(options, &model);

    sim_model_free(&model);
    return status;
}
