/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Outcomes of a simulation as text: tables for a terminal of 80 columns. Prints to `out`, and
 * touches no files else.
 */
#pragma once

#include <stdio.h>

#include "tools/base/table.h"
#include "tools/sim/model/model.h"
#include "tools/sim/results/replicate.h"

/* A model as it was simulated, with one kind of arrivals. */
struct sim_result {
    const char *arrivals; /* "poisson", "uniform"; NULL: as the model names them */
    struct sim_model model;
    struct sim_outcome outcome;
};

/* What was done: replications, their length, seed, what was left out of their start. */
void sim_print_plan(FILE *out, const struct sim_result *result,
                    const struct sim_replication_plan *plan);
/* Stimuli, levels, processors, and classes of transit times where there are any. */
void sim_print_result(FILE *out, const struct sim_result *result);
/* What each statistic is. */
void sim_print_definitions(FILE *out, const struct sim_statistics *statistics);

/* ---- cells ---- */

/* Of a measure of a thing; a count of 0 where there is none. */
struct sim_estimate sim_result_estimate(const struct sim_result *result, enum sim_measure measure,
                                        size_t of, size_t point);
/* With `decimals` digits behind the point; "-" where it is no number. */
void sim_cell(struct table *table, double value, int decimals);
/* The bounds of a class of transit times: "below 20", "20 to 30", "above 70". */
void sim_class_text(const double *points, size_t point_count, size_t class,
                    char text[TABLE_CELL_MAX]);
