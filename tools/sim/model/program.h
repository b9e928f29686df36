/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A model as the program that the image plays (bench model, kernel/model/program.h): integers only,
 * in nanoseconds. What the image cannot play is refused with the reason.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/run/run.h"
#include "tools/sim/model/model.h"

/* The caller frees it; NULL: *error has the reason. At most 3500 characters, for a plan. */
char *sim_program_text(const struct sim_model *model, uint64_t seed, struct sim_model_error *error);

/* What the measured kernel's own work takes, from the costs that bench model sends, in the model's
 * units. False: *why names what is missing. */
bool sim_program_overhead(const struct run *run, const struct run_bench *bench,
                          const struct sim_model *model, struct sim_overhead *overhead,
                          const char **why);
