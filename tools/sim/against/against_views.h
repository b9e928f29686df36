/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `tare sim MODEL --against RUN.db` shows of the comparison: for a terminal of 80 columns, as
 * JSON, as a page with pictures. They write to the stream that they are given, and nowhere else.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "tools/figure/figure.h"
#include "tools/run/run.h"
#include "tools/sim/against/against.h"

struct against_names {
    const char *model; /* as they were given */
    const char *run;
    uint64_t seed; /* of the simulation */
};

void against_print(FILE *out, const struct against *against, const struct run *run,
                   const struct against_names *names);
void against_json(FILE *out, const struct against *against, const struct run *run,
                  const struct against_names *names);
/* False: writing failed, and errno is set. */
bool against_page(FILE *out, const struct against *against, const struct run *run,
                  const struct against_names *names);
/* The pictures of the page. */
void against_figures(struct figures *figures, const struct against *against);

#define AGAINST_VERDICT_MAX 240
/* "mean, p50, p90 and p99 lie within the prediction with overheads", or which do not. */
const char *against_verdict_text(const struct against *against,
                                 const struct against_prediction *prediction,
                                 char text[AGAINST_VERDICT_MAX]);

#define AGAINST_AMOUNT_MAX 24
/* Four digits; "-" for NAN. */
const char *against_amount(double value, char text[AGAINST_AMOUNT_MAX]);
