/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the codes of bench exec: what each costs in either form, from once and twice
 * (tools/run/curves.h), in ticks or in counts of an event. Costs are not clamped: noise may make a
 * difference negative.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tools/run/run.h"

enum exec_form { EXEC_UNROLLED, EXEC_LOOPED, EXEC_FORMS };

/* Returns the name of a form as in its series, "unrolled" or "looped". */
const char *exec_form_name(enum exec_form form);

/* Returns how many codes the plan had, or 0 if the bench ended before it reported that. */
size_t exec_codes(const struct run_bench *bench);

#define EXEC_SOURCE_MAX 128

/* Code and source from the run's plan; parameters as long as these are in no record of the bench.
 */
struct exec_sources {
    struct plan *plan;
    const char *text; /* NULL: none */
    const char *code;
};
void exec_sources_open(const struct run *run, struct exec_sources *sources);
void exec_sources_free(struct exec_sources *sources);

/* Writes the source text of code `number` (from 1) without surrounding blanks, or the code's bytes
 * if the plan has no source; cut if it is too long. */
const char *exec_source(const struct exec_sources *sources, size_t number,
                        char text[EXEC_SOURCE_MAX]);

/* cost of one repetition over all trials; median by nearest rank */
struct exec_cost {
    size_t n;
    double min, median, max;
};
/* Reads a cost in ticks, or of `event` if it is not NULL. Returns false if it was not measured, or
 * not completely. */
bool exec_cost_read(const struct run_bench *bench, enum exec_form form, size_t number,
                    const char *event, struct exec_cost *cost);

/* Returns why there is no cost, or NULL if no reason was given. */
const char *exec_missing(const struct run_bench *bench, size_t number);

/* A value that one execution of the code left: a register, "digest" of all words of memory that are
 * not 0, their number as "words", or one of the first such words, named by its address. */
struct exec_value {
    char name[24];
    uint64_t value;
};
#define EXEC_REGISTERS  17
#define EXEC_VALUES_MAX 32
/* Lists them, registers first, RFLAGS last of these. Returns their number; 0: unknown. */
size_t exec_left(const struct run_bench *bench, size_t number,
                 struct exec_value values[EXEC_VALUES_MAX]);

#define EXEC_EVENTS_MAX 24

/* Lists the events that were counted for any code in this pass, each once. Returns their number. */
size_t exec_events(const struct run_bench *bench, const char *events[EXEC_EVENTS_MAX]);
