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

/* One letter a column: l aligned left, r right. The first row is taken for a head. */
void table_init(struct table *table, const char *alignment);
/* The same, with a first row. */
void table_head(struct table *table, const char *alignment, const char *const *heads);
void table_row(struct table *table);
/* Cells of the last row, one after the other. What is too long for a cell is cut; NULL shows as
 * "-", and control characters as '?'. */
void table_text(struct table *table, const char *text);
__attribute__((format(printf, 2, 3))) void table_format(struct table *table, const char *format,
                                                        ...);
void table_signed(struct table *table, int64_t value);
/* Colours the cell that was written last; on a terminal only (colour.h). */
void table_colour(struct table *table, enum colour colour);
/* Writes the rows, each behind `indent` blanks, and frees the table. Columns stand two blanks
 * apart, or one where the terminal is too narrow; a last column of text is cut at the terminal's
 * width, numbers never. A table that is still too wide is folded: columns that do not fit stand
 * below, behind the first column again, or the first two where that one is a short number. */
void table_print(struct table *table, FILE *out, int indent);

/* Instead of printing it. */
void table_free(struct table *table);

/* Writes text without its control characters, wrapped at the terminal's width; the first line is
 * taken to have `column` characters already, and further lines start with `indent` blanks. Words
 * that fit on no line break behind a comma. The text ends with a line end. */
void print_wrapped(FILE *out, const char *text, size_t column, size_t indent);

#define DURATION_MAX 32

/* Nanoseconds to four digits in a readable unit: "0", "64.00 ns", "1.000 ms". */
const char *duration_text(double ns, char text[DURATION_MAX]);

/* Does the terminal's character set have block elements? Without, charts are of '#'. */
void chart_use_blocks(bool blocks);

/* A bar of up to `width` columns for a fraction of 0 to 1; anything above 0 is visible. */
void chart_bar(FILE *out, double fraction, size_t width);

/* Columns of `rows` lines height for heights of 0 to 1, with an axis on the left: labels[row] is
 * that of row / rows, up to 9 characters, or NULL; of them there are `rows` and 1. Anything above 0
 * is visible. */
void chart_labelled(FILE *out, const double *heights, size_t count, const char *const *labels,
                    size_t rows);

/* The least 1, 2 or 5 times a power of ten that is not below `value`, which is above 0: where an
 * axis may end. */
double chart_top(double value);

/* chart_labelled() of fractions of 0 to 1 of `top`, in percent. */
void chart_columns(FILE *out, const double *fractions, size_t count, double top, size_t rows);
