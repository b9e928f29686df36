/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sweep: one setting of a model (struct sim_setting) at FROM, FROM + STEP, ... up to TO, the
 * replications of each point by themselves. All points have the same seed, so that what differs
 * between two of them is the setting and not chance.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tools/bench/model/sweep_rows.h"
#include "tools/sim/results/replicate.h"

#define SIM_SWEEP_POINTS_MAX 10000
#define SIM_SWEEP_VALUE_MAX  1e9 /* of a setting, either side of 0 */

struct sim_sweep {
    char name[SWEEP_NAME_MAX];
    double from, to, step;
    size_t points;
};

/* "occupancy.low=0.1:0.8:0.05". TO is a point where rounding alone keeps the steps from it. False:
 * `error` has the reason. */
bool sim_sweep_read(struct sim_sweep *sweep, const char *text, char error[SIM_LAW_ERROR_MAX]);
/* Of a point, from 1: the decimal number that is meant, not what adding steps comes to. */
double sim_sweep_setting(const struct sim_sweep *sweep, size_t point);

/* Sets the subjects of rows: the first stimulus's transit, or without stimuli each level's wait. */
void sim_sweep_subjects(const struct sim_model *model, struct sweep_rows *rows);
/* Fills in what the replications of a point gave. Rows have their subjects. */
void sim_sweep_row(const struct sim_model *model, const struct sim_outcome *outcome,
                   const struct sweep_rows *rows, struct sweep_row *row);
