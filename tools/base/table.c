/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "tools/base/alloc.h"
#include "tools/base/clean_text.h"
#include "tools/base/number.h"
#include "tools/base/texts.h"

#define TEXT_WIDTH_MIN   8 /* narrowest last column of text; gaps shrink first */
#define CUT_MARK         "..."
#define TABLE_NUMBER_MAX 24
#define NUMBER_WIDTH_MAX 4 /* widest first column that counts as numbering the rows */

size_t terminal_width_of(FILE *out)
{
    struct winsize size = {0};

    if (fileno(out) < 0 || ioctl(fileno(out), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
        return TERMINAL_WIDTH;
    }
    return size.ws_col < TERMINAL_WIDTH_MAX ? size.ws_col : TERMINAL_WIDTH_MAX;
}

size_t terminal_width(void)
{
    static size_t width;

    if (width == 0) {
        const char *columns = getenv("COLUMNS");
        const size_t wished = columns != NULL ? strtoul(columns, NULL, 10) : 0;

        width = wished > 0 ? wished : terminal_width_of(stdout);
        width = width < TERMINAL_WIDTH_MIN ? TERMINAL_WIDTH_MIN : width;
        width = width < TERMINAL_WIDTH_MAX ? width : TERMINAL_WIDTH_MAX;
    }
    return width;
}

void table_init(struct table *table, const char *alignment)
{
    memset(table, 0, sizeof(*table));
    for (; alignment[table->columns] != '\0'; table->columns++) {
        table->right[table->columns] = alignment[table->columns] == 'r';
    }
}

void table_row(struct table *table)
{
    table->cells = alloc_append(table->cells, &table->rows, &table->capacity,
                                table->columns * sizeof(*table->cells));
    table->at = 0;
}

void table_text(struct table *table, const char *text)
{
    struct table_cell *cell = table_cell(table, table->rows - 1, table->at++);

    cell->colour = table->rows == 1 ? COLOUR_HEAD : COLOUR_PLAIN;
    number_copy(cell->text, sizeof(cell->text), text != NULL ? text : "-",
                table->right[table->at - 1]);
    clean_text(cell->text, false);
}

void table_named_row(struct table *table, const char *name)
{
    table_row(table);
    table_text(table, name);
}

void table_colour(struct table *table, enum colour colour)
{
    table_cell(table, table->rows - 1, table->at - 1)->colour = colour;
}

static void add_cells(struct table *table, const char *format, va_list values)
{
    size_t count;
    char *cells = cells_text(format, values, &count);

    for (const char *cell = cells; count-- > 0 && table->at < table->columns;
         cell += strlen(cell) + 1) {
        table_text(table, cell);
    }
    free(cells);
}

void table_format(struct table *table, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    add_cells(table, format, values);
    va_end(values);
}

void table_if(struct table *table, bool known, const char *format, ...)
{
    va_list values;

    if (!known) {
        table_text(table, NULL);
        return;
    }
    va_start(values, format);
    add_cells(table, format, values);
    va_end(values);
}

void table_span(struct table *table, const char *text)
{
    table_text(table, text);
    table_cell(table, table->rows - 1, table->at - 1)->spans = true;
}

void table_signed(struct table *table, int64_t value)
{
    char text[TABLE_NUMBER_MAX];

    snprintf(text, sizeof(text), "%" PRId64, value);
    table_text(table, text);
}

void table_known(struct table *table, bool known, int64_t value)
{
    table_if(table, known, "%" PRId64, value);
}

void table_open(struct table *table, const char *alignment, const char *heads, ...)
{
    va_list values;

    table_init(table, alignment);
    table_row(table);
    va_start(values, heads);
    add_cells(table, heads, values);
    va_end(values);
}

void table_line(struct table *table, const char *cells, ...)
{
    va_list values;

    table_row(table);
    va_start(values, cells);
    add_cells(table, cells, values);
    va_end(values);
}

void table_number(struct table *table, double value)
{
    char text[NUMBER_MAX];

    table_text(table, isfinite(value) ? number_text(value, text) : NULL);
}

void table_real(struct table *table, double value)
{
    char text[NUMBER_MAX];

    table_text(table, isfinite(value) ? number_real(value, text) : NULL);
}

void table_share(struct table *table, double part)
{
    char text[NUMBER_MAX];

    table_text(table, isfinite(part) ? share_text(part, text) : NULL);
}

/* Returns the number of characters of a UTF-8 text: all bytes except continuation bytes. */
static size_t text_width(const char *text)
{
    size_t width = 0;

    for (; *text != '\0'; text++) {
        width += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return width;
}

/* Cuts the text at `width` characters and marks the cut with "...". */
static void cut(char *text, size_t width)
{
    size_t seen = 0;
    char *end = text;

    if (text_width(text) <= width || width < TEXT_WIDTH_MIN) {
        return;
    }
    for (; *end != '\0' && seen <= width - strlen(CUT_MARK); end++) {
        seen += ((unsigned char)*end & 0xc0) != 0x80;
    }
    for (end--; end > text && end[-1] == ' '; end--) {
    }
    strcpy(end, CUT_MARK);
}

/* Layout of a table. A table that is too wide is folded: it is printed in pieces, one below the
 * other, each with the first `keys` columns, which name the row, and some of the others. */
struct layout {
    size_t widths[TABLE_COLUMNS_MAX];
    size_t indent, gap, keys;
};

static bool may_be_cut(const struct table *table, size_t column)
{
    return column + 1 == table->columns && !table->right[column];
}

/* Returns the smallest width to which the column may be cut. */
static size_t least_width(const struct table *table, const struct layout *layout, size_t column)
{
    const size_t width = layout->widths[column];

    return may_be_cut(table, column) && width > TEXT_WIDTH_MIN ? TEXT_WIDTH_MIN : width;
}

static size_t total_width(const struct table *table, const struct layout *layout, size_t gap)
{
    size_t total = layout->indent;

    for (size_t i = 0; i < table->columns; i++) {
        total += least_width(table, layout, i) + (i > 0 ? gap : 0);
    }
    return total;
}

static void lay_out(const struct table *table, size_t indent, struct layout *layout)
{
    *layout = (struct layout){.indent = indent};
    for (size_t row = 0; row < table->rows; row++) {
        for (size_t i = 0; i < table->columns; i++) {
            const struct table_cell *cell = table_cell(table, row, i);
            const size_t width = cell->spans ? 0 : text_width(cell->text);

            layout->widths[i] = width > layout->widths[i] ? width : layout->widths[i];
        }
    }
    const bool is_numbered =
        table->columns > 1 && !table->right[1] && layout->widths[0] <= NUMBER_WIDTH_MAX;

    layout->gap = total_width(table, layout, 2) > terminal_width() ? 1 : 2;
    layout->keys = is_numbered ? 2 : 1;
}

/* Returns one past the last column that fits in a piece that begins with column `from`. A column
 * without a heading belongs to the one before. */
static size_t piece_end(const struct table *table, const struct layout *layout, size_t from)
{
    size_t width = layout->indent;
    size_t at = from;

    for (size_t i = 0; i < layout->keys && from > 0; i++) {
        width += layout->widths[i] + layout->gap;
    }
    for (; at < table->columns; at++) {
        width += least_width(table, layout, at);
        if (width > terminal_width() && at > from && at >= layout->keys) {
            break;
        }
        width += layout->gap;
    }
    while (at < table->columns && at > from + 1 && table_cell(table, 0, at)->text[0] == '\0') {
        at--;
    }
    return at;
}

/* Are columns [from, end) of the row empty? */
static bool is_empty(const struct table *table, size_t row, size_t from, size_t end)
{
    for (size_t i = from; i < end; i++) {
        if (table_cell(table, row, i)->text[0] != '\0') {
            return false;
        }
    }
    return true;
}

static void print_row(struct table *table, size_t row, const struct layout *layout, size_t from,
                      size_t end, FILE *out)
{
    const size_t indent = layout->indent;
    size_t column = indent;
    size_t pending = indent; /* blanks not written yet: they are written only before text */

    for (size_t i = 0; i < end; i++) {
        struct table_cell *cell = table_cell(table, row, i);

        if (i >= layout->keys && i < from) {
            continue;
        }
        if ((may_be_cut(table, i) || cell->spans) && column < terminal_width()) {
            cut(cell->text, terminal_width() - column);
        }
        const size_t width = text_width(cell->text);
        const size_t padding =
            layout->widths[i] - (width < layout->widths[i] ? width : layout->widths[i]);

        pending += table->right[i] && !cell->spans ? padding : 0;
        if (width > 0) {
            fprintf(out, "%*s", (int)pending, "");
            colour_text(out, cell->colour, cell->text);
            pending = 0;
        }
        pending += layout->gap + (table->right[i] ? 0 : padding);
        column += layout->widths[i] + layout->gap;
    }
    fputc('\n', out);
}

void table_free(struct table *table)
{
    free(table->cells);
    memset(table, 0, sizeof(*table));
}

void table_print(struct table *table, FILE *out, int indent)
{
    struct layout layout;
    size_t from = 0;

    lay_out(table, (size_t)indent, &layout);
    while (from < table->columns && table->rows > 0) {
        const size_t end = piece_end(table, &layout, from);

        fputs(from > 0 ? "\n" : "", out);
        for (size_t row = 0; row < table->rows; row++) {
            /* A row whose cells in this piece are empty was printed completely above. A row with
             * only a name is a heading for others. */
            const bool is_over = from > 0 && is_empty(table, row, from, end) &&
                                 !is_empty(table, row, layout.keys, from);

            if (!is_over) {
                print_row(table, row, &layout, from, end, out);
            }
        }
        from = end;
    }
    table_free(table);
}

/* Returns the length of the next word, or of the part of it that fits. A word too long for any line
 * breaks after a comma, or otherwise at the end of the line. */
static size_t part_length(const char *text, size_t room)
{
    const size_t word = strcspn(text, " \n");

    if (word <= room) {
        return word;
    }
    for (size_t length = room; length > 0; length--) {
        if (text[length - 1] == ',') {
            return length;
        }
    }
    return room;
}

static void print_words(FILE *out, const char *text, size_t column, size_t indent, size_t width)
{
    bool first = true;
    bool spaced = true; /* whether a blank came before the next part */

    while (*text != '\0') {
        const size_t part = part_length(text, width - indent);

        if (!first && column + spaced + part > width) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first && spaced) {
            fputc(' ', out);
            column++;
        }
        for (size_t i = 0; i < part; i++) {
            fputc((unsigned char)text[i] < ' ' || text[i] == 0x7f ? '?' : text[i], out);
        }
        column += part;
        text += part;
        const size_t blanks = strspn(text, " \n");

        spaced = blanks > 0;
        text += blanks;
        first = false;
    }
    fputc('\n', out);
}

void print_wrapped_at(FILE *out, const char *text, size_t column, size_t indent, size_t width)
{
    const size_t size = 2 * strlen(text) + 1;
    char *words = alloc_zeroed(size);

    number_copy(words, size, text, false);
    print_words(out, words, column, indent, width);
    free(words);
}

void print_wrapped(FILE *out, const char *text, size_t column, size_t indent)
{
    print_wrapped_at(out, text, column, indent, terminal_width());
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
    const int decimals = size < 9.9995 ? 3 : size < 99.995 ? 2 : size < 999.95 ? 1 : 0;
    char number[DURATION_MAX];

    snprintf(number, sizeof(number), "%.*f %s", decimals, ns, units[unit]);
    number_copy(text, DURATION_MAX, number, false);
    return text;
}

static bool blocks_allowed;

void chart_use_blocks(bool blocks)
{
    blocks_allowed = blocks;
}

bool chart_has_blocks(void)
{
    return blocks_allowed;
}

static const char *const bar_eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
static const char *const column_eighths[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

/* Returns a height in eighths of a cell; a value above 0 gets at least one. */
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

/* Prints one line of columns that are `rows` lines high, without blanks at its end. */
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

void chart_cell(FILE *out, double fraction)
{
    const size_t filled = eighths(fraction);

    fputs(filled > 0 ? column_cell(filled < 8 ? filled : 8) : "_", out);
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
    char most[NUMBER_MAX];
    char half[NUMBER_MAX];
    char number[NUMBER_MAX];

    snprintf(most, sizeof(most), "%.24s %%", number_text(100 * top, number));
    snprintf(half, sizeof(half), "%.24s %%", number_text(50 * top, number));
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
