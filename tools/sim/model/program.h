/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A model as a program for the image, which runs it (bench model, kernel/plan/program.h). It has
 * only integers, in nanoseconds. A model that the image cannot run is rejected with the reason.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/run/run.h"
#include "tools/sim/model/model.h"

/* Returns the program text, at most 3500 characters so that it fits a plan, or NULL with the reason
 * in *error. The caller frees it. */
char *sim_program_text(const struct sim_model *model, uint64_t seed, struct sim_model_error *error);

#define SIM_OVERHEAD_ERROR_MAX 400

/*
 * Computes the kernel's costs as the run measured them, in the model's units. The series are
 * described in bench/interactive/model_costs.h. Each of the costs is chosen so that the
 * simulated times add up to the measured ones:
 *
 *     interrupt                  how much longer work takes if an interrupt hits it, with the mean
 *                                length of the handler in the model run in place of that of the
 *                                handler in the cost measurement
 *     interrupt + switch + receive
 *                                from an arrival to the start of the portion that it brings to an
 *                                idle processor
 *     portion                    what a portion takes beyond its work
 *     end + switch + receive     from the end of a quantum to the start of the next of its level
 *     interrupt + 2 switch + receive + portion + end
 *                                how much longer work takes if a portion without work preempts it
 *     send + ...                 from the end of a portion to the start of the next portion. If the
 *                                next level is higher: send + switch + receive; if it is the same
 *                                or lower: send + end + switch + receive
 *     send + remote + switch + receive
 *                                the same to a process of an idle processor other than the
 *                                sender's; 0 if the run did not measure it
 *
 * Returns false with `error` naming the cost that is missing, or that is below 0 by more than the
 * spread of the measured ones. A cost below 0 within that spread is set to 0; *below is the largest
 * such deviation.
 */
bool sim_program_overhead(const struct run *run, const struct run_bench *bench,
                          const struct sim_model *model, struct sim_overhead *overhead,
                          double *below, char error[SIM_OVERHEAD_ERROR_MAX]);
