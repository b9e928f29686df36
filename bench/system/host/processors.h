/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads what the benches of several processors report: round trips of cache lines from core to core
 * (bench lines), and skews of TSCs (bench ipi).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/figure/figure.h"
#include "tools/present/view.h"
#include "tools/run/run.h"

/*
 * Processors by kind, for machines whose processors differ: machine facts processor_kind.NUMBER.
 * Tables and figures list processors of one kind next to each other and name the kind.
 */

/* Returns the name of the processor's kind, or NULL if all are alike or it is unknown. */
const char *processor_kind(const struct run *run, int64_t number);

/* Writes "3 P", or "3" if there is no kind. */
#define PROCESSOR_LABEL_MAX 80
const char *processor_label(const struct run *run, int64_t number, char label[PROCESSOR_LABEL_MAX]);

/* Returns the indices of numbers[0..count-1] sorted by kind, in the order in which the run lists
 * kinds (facts kind.NAME); processors without a kind come last, and those of one kind keep their
 * order. The caller frees the array. */
size_t *processors_by_kind(const struct run *run, const int64_t *numbers, size_t count);

/* Writes "4 P, 8 E" for processors in the given order, or an empty text if all are alike. */
#define KINDS_TEXT_MAX 256
void processors_kinds_text(const struct run *run, const int64_t *numbers, size_t count,
                           char text[KINDS_TEXT_MAX]);

/* where two processors are, relative to each other */
enum line_relation {
    LINE_SAME_CORE,
    LINE_SAME_PACKAGE,
    LINE_OTHER_PACKAGE,
    LINE_RELATIONS,
};

/* one round trip, in ticks */
struct line_trip {
    double median, min, max;
};

/* Round trips of every ordered pair; trips[a * count + b] is timed on processor a. Points into the
 * run, which must outlive the matrix. */
struct line_matrix {
    size_t count; /* number of processors */
    size_t trials;
    const int64_t *number; /* number of each processor */
    const int64_t *package, *core;
    int64_t *sorted; /* memory of the three arrays if they were reordered, otherwise NULL */
    struct line_trip *trips;
};

/* Reads series `name` of bench lines. Returns false if it, or a list of its processors, is missing,
 * incomplete or of another size. */
bool line_matrix_read(const struct run_bench *bench, const char *name, struct line_matrix *matrix);
/* Sorts the processors by kind (processors_by_kind()). */
void line_matrix_sort(struct line_matrix *matrix, const struct run *run);
/* Iterates over the matrices of bench lines, `index` from 0: one for each method, then those with
 * the line in the memory of each node. Returns the name of the series, or NULL after the last; sets
 * `what` to the method and the node. */
#define LINE_WHAT_MAX 80
const char *line_matrix_at(const struct run_bench *bench, size_t index, char what[LINE_WHAT_MAX]);
void line_matrix_free(struct line_matrix *matrix);

const struct line_trip *line_trip(const struct line_matrix *matrix, size_t a, size_t b);
enum line_relation line_relation(const struct line_matrix *matrix, size_t a, size_t b);
const char *line_relation_name(enum line_relation relation);

/* Returns how much the medians of (a, b) and (b, a) differ, relative to the smaller one; 0 if they
 * are the same. */
double line_asymmetry(const struct line_matrix *matrix, size_t a, size_t b);

/* all pairs of one relation: medians of pairs, both ways */
struct line_summary {
    size_t pairs; /* if 0, nothing else is set */
    double min, median, max;
    double asymmetry; /* the greatest asymmetry of a pair */
};
void line_summary(const struct line_matrix *matrix, enum line_relation relation,
                  struct line_summary *summary);

/* number of curves of bench contention: one for each primitive for which the processors contend */
#define CONTENTION_PRIMITIVES 3
struct contention_primitive {
    const char *name;
    const char *head;
};
extern const struct contention_primitive contention_primitives[CONTENTION_PRIMITIVES];

/* Returns the median of series NAME.NUMBER in ticks, or NAN if there is no such series. */
double processor_median(const struct run_bench *bench, const char *name, int64_t number);

/* TSC of a processor less that of the processor that asks, from the sample with the smallest bound
 */
struct skew {
    double ticks;
    double bound;
};
bool skew_read(const struct run_bench *bench, int64_t number, struct skew *skew);

/* Returns the time of an interrupt to the other processor in ticks, by the other's TSC less its
 * skew. Returns NAN if the skew is unknown, or not known more precisely than the time that it has
 * to correct. */
double one_way(const struct run_bench *bench, int64_t number);

/* Returns a note that emulated processors give numbers unlike those of a machine, or NULL if the
 * processors are not emulated. */
const char *processors_note(const struct run *run);

/*
 * Draws the benches of several processors as figures.
 */

void figures_processors(struct figures *figures, const struct run *run);
