/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables and small charts for a terminal of 80 columns.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/base/colour.h"

#define TERMINAL_WIDTH    80
#define TABLE_COLUMNS_MAX 16
#define TABLE_CELL_MAX    80

struct table_cell {
    char text[TABLE_CELL_MAX];
    enum colour colour;
};

struct table {
    size_t columns;
    bool right[TABLE_COLUMNS_MAX]; /* numbers: aligned right */
    size_t rows, capacity;
    struct table_cell (*cells)[TABLE_COLUMNS_MAX];
    size_t at; /* next column of the last row */
};

/* One letter a column: l aligned left, r right. The first row is the head. */
void table_init(struct table *table, const char *alignment);
/* The same, with a first row. */
void table_head(struct table *table, const char *alignment, const char *const *heads);
void table_row(struct table *table);
/* Add cells to the last row, one after the other. Text too long for a cell is cut; NULL is printed
 * as "-", and control characters as '?'. */
void table_text(struct table *table, const char *text);
__attribute__((format(printf, 2, 3))) void table_format(struct table *table, const char *format,
                                                        ...);
void table_signed(struct table *table, int64_t value);
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
