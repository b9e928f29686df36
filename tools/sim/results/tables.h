/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints outcomes of a simulation as text: tables for a terminal of 80 columns.
 */
#pragma once

#include <stdio.h>

#include "tools/base/json.h"
#include "tools/base/table.h"
#include "tools/sim/model/model.h"
#include "tools/sim/results/replicate.h"

/* A model as simulated, with one kind of arrivals. */
struct sim_result {
    const char *arrivals; /* "poisson", "uniform"; NULL: as stated in the model */
    struct sim_model model;
    struct sim_outcome outcome;
};

/* Prints what was simulated: number of replications, their length, seed, and the part left out at
 * their start. */
void sim_print_plan(FILE *out, const struct sim_result *result,
                    const struct sim_replication_plan *plan);
/* Prints stimuli, levels and processors, and classes of transit times if there are any. */
void sim_print_result(FILE *out, const struct sim_result *result);
/* Prints what each statistic is. */
void sim_print_definitions(FILE *out, const struct sim_statistics *statistics);

/* Writes the bounds of a class of transit times: "below 20", "20 to 30", "above 70". */
void sim_class_text(const double *points, size_t point_count, size_t class,
                    char text[TABLE_CELL_MAX]);

/*
 * The tables of Shub's section 5, in the order and words of the paper, with the paper's numbers
 * next to those of the model. The paper does not state its inputs; those that reproduce its table
 * best (tools/tests/models/paper.model) are a reconstruction. No inputs reproduce some of the
 * cells, which are marked.
 */

#define PAPER_ROWS    13
#define PAPER_CLASSES 7 /* classes of transit times, with bounds from 20 to 70 */

struct paper_row {
    const char *item;
    enum sim_measure measure;
    size_t of; /* level; 0 is low */
    int decimals;
    double poisson, uniform; /* the paper's numbers */
};

extern const struct paper_row paper_rows[PAPER_ROWS];
/* Percent of the passes. */
extern const double paper_classes[PAPER_CLASSES][2];

#define PAPER_CONFLICT 3 /* |z| above which a cell is in conflict */

/* Returns (paper - model) / standard deviation of one run. */
double paper_z(double paper, const struct sim_estimate *estimate);

/* Returns whether the model has two levels, one processor, a stimulus, and the five-part form. */
bool paper_has_form(const struct sim_model *model);
/* Returns whether the model's numbers are those of the reconstruction. */
bool paper_is_reconstruction(const struct sim_model *model);

/* Prints Poisson and uniform arrivals side by side, with the standard error of one run, and the
 * difference in percent of the first; then the classes of transit times. */
void paper_print(FILE *out, const struct sim_result *poisson, const struct sim_result *uniform);
/* Prints paper, model, standard error and z for each cell. */
void paper_print_comparison(FILE *out, const struct sim_result *poisson,
                            const struct sim_result *uniform);
/* Prints what the rows are. */
void paper_print_definitions(FILE *out);

/* Begins one JSON object: the model as simulated, the plan, and for each result every statistic
 * with unit, definition, mean, 95 % interval, standard deviation of one replication, and standard
 * error. The object stays open for more members. */
void sim_json_start(struct json *json, FILE *out, const struct sim_replication_plan *plan,
                    const struct sim_result *results, size_t count);
/* Writes "paper": each cell of its tables with model, standard error of one run, and z. */
void sim_json_paper(struct json *json, const struct sim_result *poisson,
                    const struct sim_result *uniform);
