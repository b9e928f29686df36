/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What follows from a model's numbers: delays and cycles of stimuli, and the intervals of competing
 * quanta (section 4.2 of the paper). For the files that make models; others read the results in
 * the model itself.
 */
#pragma once

#include <stdbool.h>

#include "tools/sim/model/model.h"

/* Lines of the text that loads and stimuli are from, to name them in errors. */
struct sim_lines {
    size_t *loads; /* goes with the model's loads: what takes one out of these takes it out there */
    const size_t *stimuli;
    size_t last;
};

/* Why a processor cannot bear what comes: its name, and percent. */
#define SIM_TOO_MUCH                                                                             \
    "what arrives for processor \"%s\" takes %.6g %% of its time: it must be less than 100 %%, " \
    "or "                                                                                        \
    "queues grow without end"

/* What a length, an interval or a rate may be, if it is not 0. */
#define SIM_NUMBER_LEAST 1e-15
#define SIM_NUMBER_MOST  1e15
/* So much of a processor's time is all of it: nearer to 1 than any machine's numbers are known. */
#define SIM_OCCUPANCY_FULL (1 - 1e-9)

/*
 * Derives what the text leaves open: the work of stimuli; delays of those that cycle without one of
 * their own; intervals of loads that have an occupancy in their place, whose mean is NAN till then.
 * Loads of occupancy 0 are taken out: they have no arrivals. False: *error has the reason.
 *
 * For the estimate of a delay on several processors, each processor's part of the work is taken
 * with that processor's occupancy; its occupancy is the sum of what its loads state, and of stimuli
 * that arrive by themselves where no load's total has them in it.
 */
bool sim_model_settle(struct sim_model *model, const struct sim_lines *lines,
                      struct sim_model_error *error);

/* Is it a model that can be run? Routes, processors that can bear them, passes. */
bool sim_model_check(const struct sim_model *model, const struct sim_lines *lines,
                     struct sim_model_error *error);

/* Sets *error, and is false, for a caller to return. `line`: 0 for the whole. */
__attribute__((format(printf, 3, 4))) bool sim_refuse(struct sim_model_error *error, size_t line,
                                                      const char *format, ...);
