/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the benches of several processors report: round trips of cache lines from core to core
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
 * Processors by their kind, where a machine has unlike ones: machine facts processor_kind.NUMBER.
 * Tables and figures list those of one kind beside each other, and name it.
 */

/* Its kind's name; NULL where all are alike, or it is not known. */
const char *processor_kind(const struct run *run, int64_t number);

/* "3 P", or "3". */
#define PROCESSOR_LABEL_MAX 80
const char *processor_label(const struct run *run, int64_t number, char label[PROCESSOR_LABEL_MAX]);

/* Indices of numbers[0..count-1]: by kind, in the order in which the run lists kinds (facts
 * kind.NAME), those without one last; within a kind as they stand. To be freed. */
size_t *processors_by_kind(const struct run *run, const int64_t *numbers, size_t count);

/* "4 P, 8 E" of processors in the order in which they stand; empty where all are alike. */
#define KINDS_TEXT_MAX 256
void processors_kinds_text(const struct run *run, const int64_t *numbers, size_t count,
                           char text[KINDS_TEXT_MAX]);

/* Where two processors sit to each other. */
enum line_relation {
    LINE_SAME_CORE,
    LINE_SAME_PACKAGE,
    LINE_OTHER_PACKAGE,
    LINE_RELATIONS,
};

/* Of one round trip, in ticks. */
struct line_trip {
    double median, min, max;
};

/* Round trips of every ordered pair; trips[a * count + b] is timed on a. Of the run: it must
 * outlive the matrix. */
struct line_matrix {
    size_t count; /* processors */
    size_t trials;
    const int64_t *number; /* theirs */
    const int64_t *package, *core;
    int64_t *sorted; /* these three, where they are in another order than the run's */
    struct line_trip *trips;
};

/* Reads series `name` of bench lines. False where it or a list of its processors is missing,
 * incomplete, or of another shape. */
bool line_matrix_read(const struct run_bench *bench, const char *name, struct line_matrix *matrix);
/* By kind (kinds.h). */
void line_matrix_sort(struct line_matrix *matrix, const struct run *run);
/* The matrices of bench lines, by `index` from 0: by each method, then with the line in memory of
 * each node. The name of its series, or NULL after the last; `what` becomes the method and the
 * node. */
#define LINE_WHAT_MAX 80
const char *line_matrix_at(const struct run_bench *bench, size_t index, char what[LINE_WHAT_MAX]);
void line_matrix_free(struct line_matrix *matrix);

const struct line_trip *line_trip(const struct line_matrix *matrix, size_t a, size_t b);
enum line_relation line_relation(const struct line_matrix *matrix, size_t a, size_t b);
const char *line_relation_name(enum line_relation relation);

/* How far (a, b) and (b, a) are apart: the difference of their medians, of the smaller; 0 where
 * they are the same. */
double line_asymmetry(const struct line_matrix *matrix, size_t a, size_t b);

/* Of all pairs of one relation: medians of pairs, both ways. */
struct line_summary {
    size_t pairs; /* with 0 nothing else is set */
    double min, median, max;
    double asymmetry; /* the greatest */
};
void line_summary(const struct line_matrix *matrix, enum line_relation relation,
                  struct line_summary *summary);

/* Curves of bench contention: what processors want at once. */
#define CONTENTION_PRIMITIVES 3
struct contention_primitive {
    const char *name;
    const char *head;
};
extern const struct contention_primitive contention_primitives[CONTENTION_PRIMITIVES];

/* The median of series NAME.NUMBER in ticks; NAN: it is not there. */
double processor_median(const struct run_bench *bench, const char *name, int64_t number);

/* TSC of a processor less that of the one that asks, by the sample with the least bound. */
struct skew {
    double ticks;
    double bound;
};
bool skew_read(const struct run_bench *bench, int64_t number, struct skew *skew);

/* The way of an interrupt there in ticks, by the other's TSC less its skew. NAN where the skew is
 * unknown, or known less well than what it is to correct. */
double one_way(const struct run_bench *bench, int64_t number);

/* What to know of processors that are emulated: their numbers are not those of a
 * machine. NULL where they are not. */
const char *processors_note(const struct run *run);

/*
 * Benches of several processors in figures.
 */

void figures_processors(struct figures *figures, const struct run *run);
