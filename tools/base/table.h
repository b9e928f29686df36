/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables and small charts, as wide as the terminal.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/base/colour.h"

#define TERMINAL_WIDTH     80 /* of what is no terminal */
#define TERMINAL_WIDTH_MIN 60
#define TERMINAL_WIDTH_MAX 200
#define TABLE_COLUMNS_MAX  16
#define TABLE_CELL_MAX     160

/* Columns of standard output: COLUMNS of the environment, else the terminal's, within the bounds
 * above. The first call decides, so that a pager in place of the terminal changes nothing. */
size_t terminal_width(void);
/* The same of another stream, at present and without the lower bound; COLUMNS is not asked. */
size_t terminal_width_of(FILE *out);

struct table_cell {
    char text[TABLE_CELL_MAX];
    enum colour colour;
    bool spans;
};

struct table {
    size_t columns;
    bool right[TABLE_COLUMNS_MAX]; /* numbers: aligned right */
    size_t rows, capacity;
    struct table_cell *cells; /* row by row */
    size_t at;                /* next column of the last row */
};

static inline struct table_cell *table_cell(const struct table *table, size_t row, size_t column)
{
    return &table->cells[row * table->columns + column];
}

/* One letter a column: l aligned left, r right. The first row is the head. */
void table_init(struct table *table, const char *alignment);
void table_row(struct table *table);
/* The same, and its first cell. */
void table_named_row(struct table *table, const char *name);
/* Add cells to the last row, one after the other. Text too long for a cell is cut; NULL is printed
 * as "-", and control characters as '?'. A tab in a format begins the next cell: "%s\t%zu". */
void table_text(struct table *table, const char *text);
__attribute__((format(printf, 2, 3))) void table_format(struct table *table, const char *format,
                                                        ...);
void table_signed(struct table *table, int64_t value);
/* The same, or "-" where it is not known. */
void table_known(struct table *table, bool known, int64_t value);
/* "-" of what is not finite. */
void table_real(struct table *table, double value, int decimals);
/* table_format() in a new row: in the first one of a table that it begins, and in a further one.
 * Cells beyond the table's columns are left out. */
__attribute__((format(printf, 3, 4))) void table_open(struct table *table, const char *alignment,
                                                      const char *heads, ...);
__attribute__((format(printf, 2, 3))) void table_line(struct table *table, const char *cells, ...);
/* A text in place of all further cells of the row, cut at the terminal's width. */
void table_span(struct table *table, const char *text);
/* Colours the last cell; on a terminal only (colour.h). */
void table_colour(struct table *table, enum colour colour);
/* Prints the rows, each after `indent` blanks, and frees the table. Columns are two blanks apart,
 * or one if the terminal is too narrow; a last column of text is cut at the terminal's width,
 * numbers never. A table that is still too wide is folded: columns that do not fit are printed
 * below, after the first column again, or the first two if the first is a short number. */
void table_print(struct table *table, FILE *out, int indent);

/* Frees a table without printing it. */
void table_free(struct table *table);

/* Prints text without its control characters, wrapped at the terminal's width, and a line end. The
 * first line has `column` characters already; further lines start with `indent` blanks. Words too
 * long for a line break after a comma. */
void print_wrapped(FILE *out, const char *text, size_t column, size_t indent);
/* The same at another width, above `indent`. */
void print_wrapped_at(FILE *out, const char *text, size_t column, size_t indent, size_t width);

#define DURATION_MAX 32

/* Nanoseconds to four digits in a readable unit: "0", "64.00 ns", "1.000 ms". */
const char *duration_text(double ns, char text[DURATION_MAX]);

/* Has the terminal's character set block elements? If not, charts use '#'. */
void chart_use_blocks(bool blocks);

/* A bar of up to `width` columns for a fraction of 0 to 1; anything above 0 is visible. */
void chart_bar(FILE *out, double fraction, size_t width);

/* Columns of `rows` lines height for heights of 0 to 1, with an axis on the left: labels[row]
 * labels row / rows and has up to 9 characters, or is NULL; there are `rows` + 1 labels. Anything
 * above 0 is visible. */
void chart_labelled(FILE *out, const double *heights, size_t count, const char *const *labels,
                    size_t rows);

/* An end for an axis: the smallest 1, 2 or 5 times a power of ten that is not below `value` > 0. */
double chart_top(double value);

/* chart_labelled() of fractions of 0 to 1 of `top`, in percent. */
void chart_columns(FILE *out, const double *fractions, size_t count, double top, size_t rows);
