/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/lib/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/alloc.h"

#define TEXT_WIDTH_MIN 8 /* what a last column of text keeps at least before gaps shrink */

void table_init(struct table *table, const char *alignment)
{
    memset(table, 0, sizeof(*table));
    for (; alignment[table->columns] != '\0'; table->columns++) {
        table->right[table->columns] = alignment[table->columns] == 'r';
    }
}

void table_row(struct table *table)
{
    table->cells =
        alloc_append(table->cells, &table->rows, &table->capacity, sizeof(*table->cells));
    table->at = 0;
}

void table_text(struct table *table, const char *text)
{
    char *cell = table->cells[table->rows - 1][table->at++];

    snprintf(cell, TABLE_CELL_MAX, "%s", text != NULL ? text : "-");
    for (char *c = cell; *c != '\0'; c++) {
        *c = (unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c;
    }
}

void table_head(struct table *table, const char *alignment, const char *const *heads)
{
    table_init(table, alignment);
    table_row(table);
    for (size_t i = 0; i < table->columns; i++) {
        table_text(table, heads[i]);
    }
}

void table_format(struct table *table, const char *format, ...)
{
    char text[TABLE_CELL_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    table_text(table, text);
}

void table_signed(struct table *table, int64_t value)
{
    table_format(table, "%" PRId64, value);
}

/* Characters of UTF-8 text: all bytes but those that continue one. */
static size_t text_width(const char *text)
{
    size_t width = 0;

    for (; *text != '\0'; text++) {
        width += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return width;
}

/* Ends the text behind its first `width` characters. */
static void cut(char *text, size_t width)
{
    size_t seen = 0;

    for (; *text != '\0'; text++) {
        seen += ((unsigned char)*text & 0xc0) != 0x80;
        if (seen > width) {
            *text = '\0';
            return;
        }
    }
}

static void print_row(struct table *table, size_t row, const size_t *widths, FILE *out,
                      size_t indent, size_t gap)
{
    size_t column = indent;
    size_t pending = indent; /* blanks are written only before something */

    for (size_t i = 0; i < table->columns; i++) {
        char *cell = table->cells[row][i];

        if (i + 1 == table->columns && !table->right[i] && column < TERMINAL_WIDTH) {
            cut(cell, TERMINAL_WIDTH - column);
        }
        const size_t width = text_width(cell);
        const size_t padding = widths[i] - (width < widths[i] ? width : widths[i]);

        pending += table->right[i] ? padding : 0;
        if (width > 0) {
            fprintf(out, "%*s%s", (int)pending, "", cell);
            pending = 0;
        }
        pending += gap + (table->right[i] ? 0 : padding);
        column += widths[i] + gap;
    }
    fputc('\n', out);
}

void table_print(struct table *table, FILE *out, int indent)
{
    size_t widths[TABLE_COLUMNS_MAX] = {0};
    size_t total = (size_t)indent;

    for (size_t row = 0; row < table->rows; row++) {
        for (size_t i = 0; i < table->columns; i++) {
            const size_t width = text_width(table->cells[row][i]);

            widths[i] = width > widths[i] ? width : widths[i];
        }
    }
    for (size_t i = 0; i < table->columns; i++) {
        const bool may_be_cut = i + 1 == table->columns && !table->right[i];
        const size_t width = may_be_cut && widths[i] > TEXT_WIDTH_MIN ? TEXT_WIDTH_MIN : widths[i];

        total += width + (i > 0 ? 2 : 0);
    }
    for (size_t row = 0; row < table->rows; row++) {
        print_row(table, row, widths, out, (size_t)indent, total > TERMINAL_WIDTH ? 1 : 2);
    }
    free(table->cells);
    memset(table, 0, sizeof(*table));
}

void print_wrapped(FILE *out, const char *text, size_t column, size_t indent)
{
    bool first = true;

    while (*text != '\0') {
        const size_t word = strcspn(text, " \n");
        const size_t gap = first ? 0 : 1;

        if (!first && column + gap + word > TERMINAL_WIDTH) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            fputc(' ', out);
            column++;
        }
        for (size_t i = 0; i < word; i++) {
            fputc((unsigned char)text[i] < ' ' || text[i] == 0x7f ? '?' : text[i], out);
        }
        column += word;
        text += word;
        text += strspn(text, " \n");
        first = false;
    }
    fputc('\n', out);
}

const char *duration_text(double ns, char text[DURATION_MAX])
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    size_t unit = 0;

    if (ns == 0) {
        return strcpy(text, "0");
    }
    while (unit < 3 && fabs(ns) >= 999.95) {
        ns /= 1000;
        unit++;
    }
    const double size = fabs(ns);
    const int decimals = size < 9.9995 ? 3 : size < 99.995 ? 2 : 1;

    snprintf(text, DURATION_MAX, "%.*f %s", decimals, ns, units[unit]);
    return text;
}

static bool blocks_allowed;

void chart_use_blocks(bool blocks)
{
    blocks_allowed = blocks;
}

static const char *const bar_eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
static const char *const column_eighths[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

/* Eighths of a cell for a value in cells; more than nothing is at least one. */
static size_t eighths(double cells)
{
    if (!(cells > 0)) {
        return 0;
    }
    const size_t rounded = (size_t)lround(cells * 8);

    return rounded > 0 ? rounded : 1;
}

void chart_bar(FILE *out, double fraction, size_t width)
{
    size_t left = eighths((fraction < 1 ? fraction : 1) * (double)width);

    for (; left >= 8; left -= 8) {
        fputs(blocks_allowed ? bar_eighths[8] : "#", out);
    }
    if (left > 0) {
        fputs(blocks_allowed ? bar_eighths[left] : "-", out);
    }
}

static const char *column_cell(size_t filled)
{
    static const char *const ascii[] = {" ", ".", ":", "#"};

    if (blocks_allowed) {
        return column_eighths[filled];
    }
    return ascii[filled == 0 ? 0 : filled < 4 ? 1 : filled < 8 ? 2 : 3];
}

/* One line of columns that are `rows` lines high; none of its blanks are at its end. */
static void print_line(FILE *out, const double *heights, size_t count, size_t row, size_t rows)
{
    size_t blanks = 0;

    for (size_t i = 0; i < count; i++) {
        const size_t height = eighths(heights[i] * (double)rows);
        const size_t filled = height <= row * 8 ? 0 : height - row * 8;

        if (filled == 0) {
            blanks++;
            continue;
        }
        fprintf(out, "%*s%s", (int)blanks, "", column_cell(filled < 8 ? filled : 8));
        blanks = 0;
    }
    fputc('\n', out);
}

double chart_top(double value)
{
    const double power = pow(10, floor(log10(value)));
    const double steps[] = {1, 2, 5};

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        if (value <= steps[i] * power * (1 + 1e-9)) {
            return steps[i] * power;
        }
    }
    return 10 * power;
}

void chart_labelled(FILE *out, const double *heights, size_t count, const char *const *labels,
                    size_t rows)
{
    for (size_t row = rows; row-- > 0;) {
        fprintf(out, "  %9s |", labels[row + 1] != NULL ? labels[row + 1] : "");
        print_line(out, heights, count, row, rows);
    }
    fprintf(out, "  %9s +", labels[0] != NULL ? labels[0] : "");
    for (size_t i = 0; i < count; i++) {
        fputc('-', out);
    }
    fputc('\n', out);
}

void chart_columns(FILE *out, const double *fractions, size_t count, double top, size_t rows)
{
    double *heights = alloc_zeroed(count * sizeof(*heights));
    const char **labels = alloc_zeroed((rows + 1) * sizeof(*labels));
    char most[16];
    char half[16];

    snprintf(most, sizeof(most), "%.4g %%", 100 * top);
    snprintf(half, sizeof(half), "%.4g %%", 50 * top);
    for (size_t i = 0; i < count; i++) {
        heights[i] = fractions[i] / top;
    }
    if (rows % 2 == 0) {
        labels[rows / 2] = half;
    }
    labels[rows] = most;
    labels[0] = "0 %";
    chart_labelled(out, heights, count, labels, rows);
    free(labels);
    free(heights);
}
