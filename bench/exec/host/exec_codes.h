/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Codes of bench exec: what each costs in either form, from once and twice (tools/run/curves.h), in
 * ticks or in counts of an event. Not clamped: noise may make a difference negative.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tools/run/run.h"

enum exec_form { EXEC_UNROLLED, EXEC_LOOPED, EXEC_FORMS };

/* The series of a form, as "unrolled". */
const char *exec_form_name(enum exec_form form);

/* How many codes the plan had; 0: the bench did not come so far. */
size_t exec_codes(const struct run_bench *bench);

#define EXEC_SOURCE_MAX 128

/* What the plan of the run had: a parameter as long as this is in no record of the bench. */
struct exec_sources {
    struct plan *plan;
    const char *text; /* NULL: none */
    const char *code;
};
void exec_sources_open(const struct run *run, struct exec_sources *sources);
void exec_sources_free(struct exec_sources *sources);

/* The source text of code `number`, from 1, blanks around it cut off; where the plan has none, its
 * bytes. Cut if too long. */
const char *exec_source(const struct exec_sources *sources, size_t number,
                        char text[EXEC_SOURCE_MAX]);

/* Of one repetition, by trials; median by nearest rank. */
struct exec_cost {
    size_t n;
    double min, median, max;
};
/* `event` NULL: ticks. False: it was not measured, or not whole. */
bool exec_cost_read(const struct run_bench *bench, enum exec_form form, size_t number,
                    const char *event, struct exec_cost *cost);

/* Why there is no cost; NULL: no reason was given. */
const char *exec_missing(const struct run_bench *bench, size_t number);

#define EXEC_EVENTS_MAX 24

/* The events that were counted of any code in this pass, each once; how many. */
size_t exec_events(const struct run_bench *bench, const char *events[EXEC_EVENTS_MAX]);
