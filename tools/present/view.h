/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the views of a run share: amounts as a person reads them, rows of statistics, labelled lines
 * and paragraphs. Each bench's own view registers itself (report_plugin.h).
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
    double ns_per_tick; /* 0: the rate of the TSC is unknown or not verified */
    /* Ticks per instruction of exact time; 0: the TSC counts time. In exact time a length is a
     * number of instructions, and a duration is in virtual time. */
    double ticks_per_instruction;
    const char *symbols; /* file with the image's symbols, for the lines of a crash; NULL: none */
};

void view_init(struct view *view, FILE *out, const struct run *run);

/* Writes an amount as a person reads it: ticks and nanoseconds as a duration ("1.000 ms"); ticks of
 * unknown length and all other units as they are ("17 reads"). */
const char *amount_text(const struct view *view, int64_t amount, const char *unit,
                        char text[AMOUNT_MAX]);

/* Writes a length in ticks as a number of instructions, if the TSC counts those, otherwise as a
 * time; empty if the length of a tick is unknown. */
const char *length_text(const struct view *view, int64_t ticks, char text[AMOUNT_MAX]);
/* Returns "instructions" or "time", for the heading of a column of lengths. */
const char *length_unit(const struct view *view);
/* As length_text(), for tables and charts that have only lengths: in ticks if their length is
 * unknown; NaN becomes n/a. */
const char *span_text(const struct view *view, double ticks, char text[AMOUNT_MAX]);
/* Returns " (instructions)" or " (ticks)" for a heading; "" for times, which have units. */
const char *span_note(const struct view *view);
/* Returns what replaces the spread of values that do not vary: "exact" in exact time, otherwise
 * "constant". */
const char *view_constant(const struct view *view);

/* Put cells into a table: span_text(), and amount_text() of ticks; "-" if unknown. */
void cell_span(struct table *table, const struct view *view, bool known, double ticks);
void cell_amount(struct table *table, const struct view *view, bool known, int64_t ticks);

/* Prints an empty line and the table, indented by 2, and frees the table. */
void view_table(const struct view *view, struct table *table);

/* Add rows to a table of series, "lrrrrrr": a row with name and summary, and below it the unit and,
 * for ticks, the same values as time or, in exact time, as instructions. */
void statistics_head(struct table *table, const char *first);
void statistics_rows(struct table *table, const struct view *view, const char *name,
                     const char *unit, const struct statistics *statistics);

/* Prints "  label      text", wrapped; labels are `width` wide. */
void print_field(FILE *out, int width, const char *label, const char *text);
/* Prints a field with the width of the lines at the top of a bench. */
void print_labelled(FILE *out, const char *label, const char *text);

/* Prints an empty line and the text, formatted and wrapped, all of its lines indented by 2. */
__attribute__((format(printf, 2, 3))) void print_paragraph(FILE *out, const char *format, ...);

/* a text about a name */
struct remark {
    const char *label;
    const char *name;
    const char *text;
};

/* Prints each remark as "  label      name: text"; names with the same text share a line. */
void print_remarks(FILE *out, const struct remark *remarks, size_t count);

/* Prints what the bench could not measure, each as n/a with the reason. */
void view_absents(const struct view *view, const struct run_bench *bench);
