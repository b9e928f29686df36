/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of `tare sim`, and its modes that have files of their own. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"
#include "tools/sim/results/replicate.h"

#define SIM_SETTINGS_MAX 32

struct sim_options {
    const char *model;                                 /* path; "-": standard input */
    struct sim_setting settings[SIM_SETTINGS_MAX + 1]; /* --set NAME=VALUE, then --passes for a
                                                          model without a number of them */
    size_t setting_count;
    bool both;       /* --arrivals both: Poisson and uniform side by side (of the paper's input
                        the default) */
    bool has_column; /* --arrivals poisson or uniform */
    enum sim_column column;
    uint64_t seed;                  /* --seed, 1 */
    size_t replications;            /* --replications, 0: not given */
    uint64_t passes;                /* --passes, 0: the model's */
    uint64_t quanta;                /* --quanta, 0: not given */
    double time;                    /* --time, 0: not given */
    double warm_up;                 /* --warm-up T or auto; NAN: not given */
    double precision;               /* --precision PCT as a part; 0: none */
    const char *precision_of;       /* --of NAME; NULL */
    size_t jobs;                    /* --jobs, 0: all */
    double classes[SIM_POINTS_MAX]; /* --classes: bounds of transit times */
    size_t class_count;
    bool json;
    bool definitions;      /* --definitions: of each statistic */
    const char *output;    /* -o FILE.db; NULL */
    bool trace;            /* --trace: the run file has the events of the replication */
    const char *overheads; /* --overheads RUN.db; NULL */
    bool program;          /* --program: what the image would play */
};

/* Reads the arguments of `tare sim`. Returns COMMAND_OK, or COMMAND_USAGE with an error printed: an
 * argument is wrong, or two exclude each other. */
int sim_options_read(struct sim_options *options, int argc, char **argv);
/* Reads the model and applies the settings. False: it is refused, and an error has been printed. */
bool sim_options_load(const struct sim_options *options, struct sim_model *model);
/* The plan of replications that the options ask for; `progress` draws on standard error. */
void sim_options_plan(const struct sim_options *options, const struct sim_model *model,
                      struct sim_replication_plan *plan);

#define SIM_SETTINGS_TEXT_MAX 4096

/* The settings that the numbers depend on besides the model, as comment lines before its text
 * (tools/cmd/tare_sim_run.c). */
const char *sim_settings_text(const struct sim_options *options,
                              const struct sim_replication_plan *plan,
                              char text[SIM_SETTINGS_TEXT_MAX]);
/* Writes the run file; returns the exit status. */
int sim_run_store(struct run *run, const char *path);

/* Each returns the exit status. */
/* `tare sim convolve FILE`: tools/cmd/tare_sim_convolve.c */
int sim_convolve_command(int argc, char **argv);
/* Writes a run file of one replication or more: tools/sim/results/sim_run.h. */
int sim_run_command(const struct sim_options *options); /* tools/cmd/tare_sim_run.c: -o */
/* Prints what a plan needs so that the image plays the model: tools/cmd/tare_sim_program.c,
 * --program */
int sim_program_command(const struct sim_options *options);
