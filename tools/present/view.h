/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the views of a run share: amounts as a person reads them, rows of statistics, labelled lines
 * and paragraphs. Each bench's own view registers itself (reading.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/base/table.h"
#include "tools/run/run.h"
#include "tools/stats/statistics.h"

#define AMOUNT_MAX 48

struct view {
    FILE *out;
    const struct run *run;
    double ns_per_tick; /* 0 where the rate of the TSC is not known or not believed */
    /* Of exact time; 0 where the TSC counts time. A length is then a number of instructions, and a
     * duration is of virtual time. */
    double ticks_per_instruction;
    const char *symbols; /* file of the image's, for the lines of a crash; NULL: none */
};

void view_init(struct view *view, FILE *out, const struct run *run);

/* An amount in a unit as a person reads it: ticks and nanoseconds as a duration ("1.000 ms"), ticks
 * of unknown length and all else as they are ("17 reads"). */
const char *amount_text(const struct view *view, int64_t amount, const char *unit,
                        char text[AMOUNT_MAX]);

/* A length in ticks: the number of instructions where those are what the TSC counts, else the time;
 * empty where neither is known. */
const char *length_text(const struct view *view, int64_t ticks, char text[AMOUNT_MAX]);
/* "instructions" or "time", for the head of a column of these. */
const char *length_unit(const struct view *view);
/* The same for tables and charts that have nothing but lengths: ticks, where neither is known. */
const char *span_text(const struct view *view, double ticks, char text[AMOUNT_MAX]);
/* " (instructions)" or " (ticks)", for a heading; nothing for times, which have units. */
const char *span_note(const struct view *view);
/* What stands for the spread of values that do not vary: "exact" in exact time, else "constant". */
const char *view_constant(const struct view *view);
/* Of a mean or a deviation: rounded; NaN is n/a. */
const char *mean_text(const struct view *view, double ticks, char text[AMOUNT_MAX]);

/* Cells of a table: span_text(), amount_text() of ticks, and mean_text(); "-" where it is not
 * known.
 */
void cell_span(struct table *table, const struct view *view, bool known, double ticks);
void cell_amount(struct table *table, const struct view *view, bool known, int64_t ticks);
void cell_mean(struct table *table, const struct view *view, bool known, double ticks);

/* Prints an empty line, then the table, indented by 2, and frees it. */
void view_table(const struct view *view, struct table *table);

/* Rows for a table of series, "lrrrrrr": name and summary, and below it the unit and, for ticks,
 * the same in time or, in exact time, in instructions. */
void statistics_head(struct table *table, const char *first);
void statistics_rows(struct table *table, const struct view *view, const char *name,
                     const char *unit, const struct statistics *statistics);

/* "  label      text", wrapped; labels are `width` wide. */
void print_field(FILE *out, int width, const char *label, const char *text);
/* The same, as the lines at the head of a bench are. */
void print_labelled(FILE *out, const char *label, const char *text);

/* An empty line, then the text, formatted and wrapped, all of its lines indented by 2. */
__attribute__((format(printf, 2, 3))) void print_paragraph(FILE *out, const char *format, ...);

/* A text about a name. */
struct remark {
    const char *label;
    const char *name;
    const char *text;
};

/* Prints each remark as "  label      name: text"; names with the same text share a line. */
void print_remarks(FILE *out, const struct remark *remarks, size_t count);

/* What the bench could not measure, each n/a with the reason. */
void view_absents(const struct view *view, const struct run_bench *bench);
