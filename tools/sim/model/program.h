/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A model as the program that the image plays (bench model, kernel/plan/program.h): integers only,
 * in nanoseconds. What the image cannot play is refused with the reason.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/run/run.h"
#include "tools/sim/model/model.h"

/* The caller frees it; NULL: *error has the reason. At most 3500 characters, for a plan. */
char *sim_program_text(const struct sim_model *model, uint64_t seed, struct sim_model_error *error);

#define SIM_OVERHEAD_ERROR_MAX 400

/*
 * The kernel's own costs as the run measured them, in the model's units. The series are described
 * in bench/interactive/model_costs.h; each of the six is chosen so that what is simulated adds up
 * to what was measured:
 *
 *   interrupt                  what work is longer by that an interrupt hits, with the handler's
 *                              mean length in the play in place of that of the cost's own
 *   interrupt + switch + receive
 *                              from an arrival to the begin of the portion that it brings to an
 *                              idle processor
 *   portion                    what a portion takes beyond its work
 *   end + switch + receive     from the end of a quantum to the begin of the next of its level
 *   interrupt + 2 switch + receive + portion + end
 *                              what work is longer by that a portion without work preempts
 *   send + ...                 from the end of a portion to the begin of the next: send + switch +
 *                              receive up; with an end before the switch, within a level or down
 *
 * False: `error` has the cost that is missing, or that came out below 0 by more than the measured
 * ones spread. One that is below 0 within that is 0; *below has the greatest of these.
 */
bool sim_program_overhead(const struct run *run, const struct run_bench *bench,
                          const struct sim_model *model, struct sim_overhead *overhead,
                          double *below, char error[SIM_OVERHEAD_ERROR_MAX]);
