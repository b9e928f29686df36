/* SPDX-License-Identifier: BSD-2-Clause */
/* tare sim --program: prints the plan with which the image plays the model. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/interactive/names.h"
#include "kernel/plan/names.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/tare_sim.h"
#include "tools/sim/model/program.h"

int sim_program_command(const struct sim_options *options)
{
    struct sim_model model;
    struct sim_model_error error;

    if (!sim_options_load(options, &model)) {
        return COMMAND_FAILED;
    }
    if (options->passes > 0) {
        model.passes = options->passes;
    }
    char *program = sim_program_text(&model, options->seed, &error);

    sim_model_free(&model);
    if (program == NULL) {
        return command_failure(&command_sim, "%s: %s", options->model, error.text);
    }
    printf(KEY_BENCH "=" BENCH_MODEL "\n" BENCH_MODEL "." PARAM_PROGRAM "={%s}\n", program);
    free(program);
    return COMMAND_OK;
}
