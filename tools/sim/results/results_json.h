/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdio.h>

#include "tools/base/json.h"
#include "tools/sim/results/tables.h"

/* One object: the model as it is in force, the plan, and of each result every statistic with unit,
 * definition, mean, interval of 95 %, deviation of one replication, and standard error. It stays
 * open, for more. */
void sim_json_start(struct json *json, FILE *out, const struct sim_replication_plan *plan,
                    const struct sim_result *results, size_t count);
/* "paper": each cell of its tables with model, standard error of one run, and z. */
void sim_json_paper(struct json *json, const struct sim_result *poisson,
                    const struct sim_result *uniform);
