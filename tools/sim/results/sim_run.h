/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A simulation as a run of the kind BENCH_MODEL, so that everything that shows, compares and stores
 * measured runs works with it too. 1 tick is 1 ns; a unit of the model is model->unit_ns.
 *
 *     bench `model`         one replication, in the series of the measured bench of the same name:
 *                           `response` of the first stimulus, one value for each pass;
 *                           `response.NAME` of each other stimulus; `wait.LEVEL` of competing
 *                           quanta from arrival to first service (in the order in which service
 *                           began), with several processors `wait.LEVEL@PROCESSOR`; facts `unit`
 *                           (ns), `passes`, `seed`
 *     bench `replications`  all replications: a series for each statistic (statistics.h), one
 *                           value for each replication: times in ticks, counts unscaled, anything
 *                           else in 1e-6
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bench/interactive/names.h"
#include "tools/run/run.h"
#include "tools/sim/results/replicate.h"

#define SIM_RUN_BENCH        BENCH_MODEL
#define SIM_RUN_REPLICATIONS "replications"
/* How many values of a series of bench `model` are kept: the first ones, and the largest of the
 * later ones. The largest are in series PREFIX_WORST and PREFIX_WORST_AT; facts such as
 * PREFIX_UNKEPT count all later values (bench/interactive/names.h). */
#define SIM_RUN_VALUES_MAX 1000000
#define SIM_RUN_LARGEST    1000

/* Describes the run: kind, version and clock, that its machine is a model, and date and system of
 * this computer. `source` says where the model comes from; `settings` are lines in front of it in
 * the plan. The model may be freed afterwards. */
void sim_run_describe(struct run *run, const struct sim_model *model, const char *source,
                      const char *settings);

/* Simulates one replication and adds bench `model`; if `traced`, with its events as a trace
 * (sim_trace.h). Returns false with the reason in `error`. */
bool sim_run_simulate(struct run *run, const struct sim_model *model,
                      const struct sim_limits *limits, bool traced, char error[SIM_LAW_ERROR_MAX]);

/* Adds bench `model` with only these responses, in ticks. Takes ownership of the values. */
void sim_run_responses(struct run *run, const struct sim_model *model, int64_t *values,
                       size_t count);

/* Adds bench `replications`. */
void sim_run_replications(struct run *run, const struct sim_model *model,
                          const struct sim_outcome *outcome);
