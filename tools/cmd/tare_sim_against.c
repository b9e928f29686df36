/* SPDX-License-Identifier: BSD-2-Clause */
/* tare sim MODEL --against RUN.db: compares the prediction with a measured run. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/output_file.h"
#include "tools/base/partial_file.h"
#include "tools/base/progress.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/tare_sim.h"
#include "tools/sim/against/against_views.h"
#include "tools/store/runfile.h"

struct counting {
    struct progress progress;
    size_t done, total;
};

static void count_one(void *context)
{
    struct counting *counting = context;

    counting->done++;
    progress_amount(&counting->progress, "simulated", counting->done, counting->total, "runs");
}

static int write_page(const struct sim_options *options, const struct against *against,
                      const struct run *run, const struct against_names *names)
{
    char error[OUTPUT_FILE_ERROR_MAX];
    struct output_file file;

    if (!output_file_open(&file, options->html, error)) {
        return command_failure(&command_sim, "%s", error);
    }
    if (!against_page(file.stream, against, run, names)) {
        const int cause = errno;

        output_file_discard(&file);
        return command_failure(&command_sim, "cannot write %s: %s", options->html, strerror(cause));
    }
    return output_file_commit(&file, error) ? COMMAND_OK
                                            : command_failure(&command_sim, "%s", error);
}

static int show(const struct sim_options *options, const struct against *against,
                const struct run *run)
{
    const struct against_names names = {options->model, options->against, options->seed};
    char text[AGAINST_VERDICT_MAX];

    if (options->json) {
        against_json(stdout, against, run, &names);
    } else {
        against_print(stdout, against, run, &names);
    }
    if (options->html != NULL && write_page(options, against, run, &names) != COMMAND_OK) {
        return COMMAND_FAILED;
    }
    if (!against_agrees(&against->with)) {
        return command_failure(&command_sim, "%s differs from the prediction with overheads: %s",
                               options->against,
                               against_verdict_text(against, &against->with, text));
    }
    return COMMAND_OK;
}

/* Takes `measured` over. */
static int compare(const struct sim_options *options, const struct sim_model *model,
                   const struct run *run, struct against_measured *measured)
{
    struct counting counting = {0};
    const struct against_plan plan = {
        .replications = options->replications > 0 ? options->replications : AGAINST_REPLICATIONS,
        .seed = options->seed,
        .jobs = options->jobs,
        .progress = count_one,
        .context = &counting,
    };
    char error[AGAINST_ERROR_MAX];
    struct against against;

    counting.total = against_simulations(measured, &plan);
    progress_start(&counting.progress);
    const bool done = against_compare(&against, model, measured, &plan, error);

    progress_finish(&counting.progress);
    if (!done) {
        return command_failure(&command_sim, "%s: %s", options->model, error);
    }
    const int status = show(options, &against, run);

    against_free(&against);
    return status;
}

static int read_and_compare(const struct sim_options *options, const struct sim_model *model,
                            struct run *run)
{
    struct against_measured measured;
    struct run_texts reasons = {0};
    char error[RUNFILE_ERROR_MAX];
    char why[AGAINST_ERROR_MAX];

    partial_file_protect(options->against);
    if (!runfile_read(options->against, run, error)) {
        return command_failure(&command_sim, "%s", error);
    }
    const bool valid = run_valid(run, &reasons);
    const int status = valid ? COMMAND_OK
                             : command_failure(&command_sim, "%s is INVALID: %s", options->against,
                                               reasons.item[0]);

    run_texts_free(&reasons);
    if (!valid) {
        return status;
    }
    if (!against_read(&measured, run, model, why)) {
        return command_failure(&command_sim, "%s: %s", options->against, why);
    }
    return compare(options, model, run, &measured);
}

int sim_against_command(const struct sim_options *options)
{
    struct sim_model model;
    struct run run;

    if (options->replications > 0 && options->replications < AGAINST_REPLICATIONS_MIN) {
        return command_usage_error(&command_sim, "--against needs %d replications or more",
                                   AGAINST_REPLICATIONS_MIN);
    }
    if (!sim_options_load(options, &model)) {
        return COMMAND_FAILED;
    }
    run_init(&run);
    const int status = read_and_compare(options, &model, &run);

    run_free(&run);
    sim_model_free(&model);
    return status;
}
