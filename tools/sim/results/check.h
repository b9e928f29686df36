/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Theory beside simulation (analytic.h): means of each level, and the part of its quanta that wait
 * longer than each of 20 times, which are chosen by theory alone.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "tools/base/json.h"
#include "tools/sim/results/tables.h"

#define CHECK_POINTS 20 /* of each level; fewer where there are very many levels */
/* Chance that a simulation that agrees is reported to differ, in any of all rows. */
#define CHECK_FALSE_ALARM 0.001

/* Times at which waits are looked at, of all levels together, ascending. */
struct sim_check_points {
    double time[SIM_POINTS_MAX];
    size_t level[SIM_POINTS_MAX];
    size_t count;
};

struct sim_check_row {
    size_t level;
    const char *item;
    const char *unit;
    double time; /* of a wait beyond it; NAN: a mean */
    double theory;
    struct sim_estimate simulated;
    double z; /* (simulated - theory) / standard error; NAN: none */
};

struct sim_check {
    struct sim_check_row *row;
    size_t count, capacity;
    double worst; /* the greatest |z| */
    double bound; /* that |z| exceeds with the chance CHECK_FALSE_ALARM: Student's t, its
                     tails divided by the number of rows (Bonferroni) */
    bool agrees;
};

/* False: theory does not reach the model, and *why is the reason. */
bool sim_check_choose(const struct sim_model *model, struct sim_check_points *points,
                      const char **why);
/* Of a simulation with these points of waits, of a model that has theory. */
void sim_check_make(struct sim_check *check, const struct sim_result *result,
                    const struct sim_check_points *points);
void sim_check_free(struct sim_check *check);
void sim_check_print(FILE *out, const struct sim_check *check, const struct sim_model *model);
/* "check": every row, and whether they agree. */
void sim_check_json(struct json *json, const struct sim_check *check,
                    const struct sim_model *model);
