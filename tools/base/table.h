/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables and small charts, fitted to the width of the terminal.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/base/colour.h"

#define TERMINAL_WIDTH     80 /* assumed if the output is not a terminal */
#define TERMINAL_WIDTH_MIN 60
#define TERMINAL_WIDTH_MAX 200
#define TABLE_COLUMNS_MAX  16
#define TABLE_CELL_MAX     160

/* Returns the columns of standard output: COLUMNS of the environment, or otherwise those of the
 * terminal, within the bounds above. The first call decides, so that starting a pager changes
 * nothing. */
size_t terminal_width(void);
/* Returns the current columns of another stream, without the lower bound and without asking
 * COLUMNS. */
size_t terminal_width_of(FILE *out);

struct table_cell {
    char text[TABLE_CELL_MAX];
    enum colour colour;
    bool spans;
};

struct table {
    size_t columns;
    bool right[TABLE_COLUMNS_MAX]; /* columns of numbers, which are aligned right */
    size_t rows, capacity;
    struct table_cell *cells; /* cells, row by row */
    size_t at;                /* next column of the last row */
};

static inline struct table_cell *table_cell(const struct table *table, size_t row, size_t column)
{
    return &table->cells[row * table->columns + column];
}

/* Begins a table. `alignment` has one letter for each column: l for left, r for right. The first
 * row is the heading. */
void table_init(struct table *table, const char *alignment);
void table_row(struct table *table);
/* Begins a row and writes its first cell. */
void table_named_row(struct table *table, const char *name);
/* These functions add cells to the last row, one after the other. Text too long for a cell is cut.
 * NULL is printed as "-", a control character as '?'. A tab in a format begins the next cell:
 * "%s\t%zu". Numbers are printed as number_copy() writes them, rounded in columns of numbers: a
 * caller gives counts whole and fractions with as many decimals as are known. */
void table_text(struct table *table, const char *text);
__attribute__((format(printf, 2, 3))) void table_format(struct table *table, const char *format,
                                                        ...);
/* Adds cells if the value is known, otherwise one "-". */
__attribute__((format(printf, 3, 4))) void table_if(struct table *table, bool known,
                                                    const char *format, ...);
void table_signed(struct table *table, int64_t value);
/* Adds the value, or "-" if it is not known. */
void table_known(struct table *table, bool known, int64_t value);
/* Add the value as number_text() or number_real() writes it, or the share, or "-" if it is not
 * finite. */
void table_number(struct table *table, double value);
void table_real(struct table *table, double value);
void table_share(struct table *table, double part);
/* Like table_format(), but in a new row. table_open() begins a table with its heading; table_line()
 * adds a row. Cells beyond the table's columns are left out. */
__attribute__((format(printf, 3, 4))) void table_open(struct table *table, const char *alignment,
                                                      const char *heads, ...);
__attribute__((format(printf, 2, 3))) void table_line(struct table *table, const char *cells, ...);
/* Adds a text that takes the place of all further cells of the row, cut at the terminal's width. */
void table_span(struct table *table, const char *text);
/* Colours the last cell, on a terminal only (colour.h). */
void table_colour(struct table *table, enum colour colour);
/* Prints the rows, each after `indent` blanks, and frees the table. Columns are two blanks apart,
 * or one if the terminal is too narrow. A last column of text is cut at the terminal's width;
 * numbers never are. A table that is still too wide is folded: columns that do not fit are printed
 * below, after the first column again, or after the first two if the first is a short number. */
void table_print(struct table *table, FILE *out, int indent);

/* Frees a table without printing it. */
void table_free(struct table *table);

/* Prints text without its control characters, the thousands of its numbers separated
 * (number_copy()), wrapped at the terminal's width, and a line end. The first line already has
 * `column` characters; further lines start with `indent` blanks. A word too long for a line breaks
 * after a comma. */
void print_wrapped(FILE *out, const char *text, size_t column, size_t indent);
/* Does the same at another width, which must exceed `indent`. */
void print_wrapped_at(FILE *out, const char *text, size_t column, size_t indent, size_t width);

#define DURATION_MAX 32

/* Writes nanoseconds with four digits in a readable unit: "0", "64.00 ns", "1.000 ms". Returns
 * `text`. */
const char *duration_text(double ns, char text[DURATION_MAX]);

/* Sets whether the terminal's character set has block elements. If not, charts use '#'. */
void chart_use_blocks(bool blocks);
bool chart_has_blocks(void);

/* Prints a bar of up to `width` columns for a fraction of 0 to 1. Any fraction above 0 is visible.
 */
void chart_bar(FILE *out, double fraction, size_t width);

/* Prints a column of one cell for a fraction of 0 to 1; "_" for 0. */
void chart_cell(FILE *out, double fraction);

/* Prints a column chart `rows` lines high, of heights from 0 to 1, with an axis on the left. There
 * are `rows` + 1 labels: labels[row] labels the height row / rows and has up to 9 characters, or is
 * NULL. Any height above 0 is visible. */
void chart_labelled(FILE *out, const double *heights, size_t count, const char *const *labels,
                    size_t rows);

/* Returns an end for an axis: the smallest 1, 2 or 5 times a power of ten that is at least `value`
 * > 0. */
double chart_top(double value);

/* Does the same for fractions of 0 to 1 on an axis that ends at `top`, labelled in percent. */
void chart_columns(FILE *out, const double *fractions, size_t count, double top, size_t rows);
