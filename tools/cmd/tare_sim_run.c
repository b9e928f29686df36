/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tare sim MODEL -o FILE.db: writes a run file of a simulation.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tools/base/interrupt.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/tare_sim.h"
#include "tools/sim/results/sim_run.h"
#include "tools/store/runfile.h"

__attribute__((format(printf, 3, 4))) static void add_line(char text[SIM_SETTINGS_TEXT_MAX],
                                                           size_t *used, const char *format, ...)
{
    va_list arguments;

    if (*used >= SIM_SETTINGS_TEXT_MAX) {
        return;
    }
    va_start(arguments, format);
    *used += (size_t)vsnprintf(text + *used, SIM_SETTINGS_TEXT_MAX - *used, format, arguments);
    va_end(arguments);
}

const char *sim_settings_text(const struct sim_options *options,
                              const struct sim_replication_plan *plan,
                              char text[SIM_SETTINGS_TEXT_MAX])
{
    size_t used = 0;

    add_line(text, &used,
             "# seed %" PRIu64 ", replications %zu, passes %" PRIu64 ", quanta %" PRIu64
             ", time %.9g\n",
             plan->limits.seed, plan->replications, plan->limits.passes, plan->limits.quanta,
             plan->limits.time);
    if (plan->limits.warm_up == SIM_WARM_UP_AUTOMATIC) {
        add_line(text, &used, "# warm-up chosen automatically\n");
    } else {
        add_line(text, &used, "# warm-up %.9g\n", plan->limits.warm_up);
    }
    if (plan->precision > 0) {
        add_line(text, &used, "# precision %.9g %%, replications at most %zu\n",
                 plan->precision * 100, plan->replications_most);
    }
    for (size_t i = 0; i < options->setting_count; i++) {
        if (!options->settings[i].if_missing) {
            add_line(text, &used, "# set %s=%.12g\n", options->settings[i].name,
                     options->settings[i].value);
        }
    }
    return text;
}

int sim_run_store(struct run *run, const char *path)
{
    char error[RUNFILE_ERROR_MAX];

    interrupt_catch();
    return runfile_write(path, run, error) ? COMMAND_OK
                                           : command_failure(&command_sim, "%s", error);
}

static bool simulate(const struct sim_options *options, const struct sim_model *model,
                     struct run *run, char error[SIM_LAW_ERROR_MAX])
{
    char settings[SIM_SETTINGS_TEXT_MAX];
    struct sim_replication_plan plan;
    struct sim_outcome outcome;

    sim_options_plan(options, model, &plan);
    sim_run_describe(run, model, options->model, sim_settings_text(options, &plan, settings));
    if (!sim_replicate(model, &plan, &outcome, error)) {
        return false;
    }
    struct sim_limits limits = plan.limits;

    limits.warm_up = outcome.warm_up;
    const bool ok = sim_run_simulate(run, model, &limits, options->trace, error);

    sim_run_replications(run, model, &outcome);
    sim_outcome_free(&outcome);
    return ok;
}

int sim_run_command(const struct sim_options *options)
{
    char error[SIM_LAW_ERROR_MAX];
    struct sim_model model;
    struct run run;

    if (options->both) {
        return command_usage_error(&command_sim,
                                   "-o %s: a run file has one kind of arrivals: --arrivals "
                                   "poisson or --arrivals uniform",
                                   options->output);
    }
    if (options->json) {
        return command_usage_error(&command_sim,
                                   "--json and -o exclude each other; tare show --json %s prints "
                                   "the run file",
                                   options->output);
    }
    if (!sim_options_load(options, &model)) {
        return COMMAND_FAILED;
    }
    run_init(&run);
    const int status = simulate(options, &model, &run, error)
                           ? sim_run_store(&run, options->output)
                           : command_failure(&command_sim, "%s", error);

    run_free(&run);
    sim_model_free(&model);
    return status;
}
