/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A simulation as a run, of kind BENCH_MODEL, so that what shows, compares and keeps measured runs
 * does the same with it. 1 tick is 1 ns; a unit of the model is model->unit_ns.
 *
 *   bench `model`         one replication, in the series of the measured bench of the same name:
 *                         `response` of the first stimulus, a value a pass, `response.NAME` of each
 *                         other, `wait.LEVEL` of competing quanta from arrival to first service (in
 *                         the order in which they began), with several processors
 *                         `wait.LEVEL@PROCESSOR`; facts `unit` (ns), `passes`, `seed`
 *   bench `replications`  all of them: a series for each statistic (statistics.h), a value a
 *                         replication: times in ticks, counts as they are, all else in 1e-6
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bench/interactive/names.h"
#include "tools/run/run.h"
#include "tools/sim/results/replicate.h"

#define SIM_RUN_BENCH        BENCH_MODEL
#define SIM_RUN_REPLICATIONS "replications"
/* Values of a series of bench `model` that are kept: the first, and the largest of the others,
 * which are series and facts (PREFIX_WORST and others, bench/interactive/names.h). */
#define SIM_RUN_VALUES_MAX 1000000
#define SIM_RUN_LARGEST    1000

/* What the run is: kind, version, clock, that its machine is a model; and of this computer date
 * and system, which it asks. `source`: where the model is from; `settings`: lines in front of it in
 * the plan. The model may be freed. */
void sim_run_describe(struct run *run, const struct sim_model *model, const char *source,
                      const char *settings);

/* Simulates one replication and adds bench `model`; `traced`: with its events as a trace
 * (sim_trace.h). False: `error` has the reason. */
bool sim_run_simulate(struct run *run, const struct sim_model *model,
                      const struct sim_limits *limits, bool traced, char error[SIM_LAW_ERROR_MAX]);

/* Adds bench `replications`. */
void sim_run_replications(struct run *run, const struct sim_model *model,
                          const struct sim_outcome *outcome);
