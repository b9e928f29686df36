/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables of Shub's section 5, in the order and words of the paper, and the paper's own numbers
 * beside those of the model. The paper does not state its inputs: those with which its table comes
 * out best (tools/tests/models/paper.model) are a reconstruction, and some cells no input meets.
 * These are shown as what they are.
 */
#pragma once

#include <stdio.h>

#include "tools/sim/results/tables.h"

#define PAPER_ROWS    13
#define PAPER_CLASSES 7 /* of transit times: bounds 20 to 70 */

struct paper_row {
    const char *item;
    enum sim_measure measure;
    size_t of; /* level, 0 is low */
    int decimals;
    double poisson, uniform; /* the paper's */
};

extern const struct paper_row paper_rows[PAPER_ROWS];
/* Percent of the passes. */
extern const double paper_classes[PAPER_CLASSES][2];

#define PAPER_CONFLICT 3 /* |z| above it */

/* (paper - model) / standard deviation of one run. */
double paper_z(double paper, const struct sim_estimate *estimate);

/* Has the model two levels, one processor, a stimulus, and the five-part form? */
bool paper_has_form(const struct sim_model *model);
/* Are its numbers those of the reconstruction? */
bool paper_is_reconstruction(const struct sim_model *model);

/* Poisson and uniform arrivals side by side, with the standard error of one run, and the difference
 * in percent of the first; then the classes of transit times. */
void paper_print(FILE *out, const struct sim_result *poisson, const struct sim_result *uniform);
/* Paper, model, standard error and z of each cell. */
void paper_print_comparison(FILE *out, const struct sim_result *poisson,
                            const struct sim_result *uniform);
/* What the rows are. */
void paper_print_definitions(FILE *out);
