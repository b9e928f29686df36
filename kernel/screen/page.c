/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/screen/page.h"

#include <stdio.h>
#include <string.h>

#define LABEL  9 /* smallest number of cells of a label, including its blank */
#define GAP    2 /* cells between two texts of a row */
#define STATE  5
#define COUNT  6
#define INDENT 4

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* ---- lines ---- */

/* Writes a line and returns the rows that it takes. If `grid` is NULL, only counts them. */
static int put_line(struct grid *grid, int row, int width, int rows, const struct page_line *line)
{
    if (line->label == NULL) {
        return grid_wrap(grid, (struct grid_place){row, 0, width}, rows, INDENT, line->ink,
                         line->text);
    }
    const int length = glyph_length(line->label) + 1;
    const int label = length > LABEL ? length : LABEL;

    if (grid != NULL) {
        grid_text(grid, (struct grid_place){row, 0, label - 1}, line->ink, line->label);
    }
    return grid_wrap(grid, (struct grid_place){row, label, width - label}, rows, 0, INK_PLAIN,
                     line->text);
}

static int rows_of(const struct page_line *lines, size_t count, int width)
{
    int rows = 0;

    for (size_t i = 0; i < count; i++) {
        rows += put_line(NULL, 0, width, GRID_ROWS_MAX, &lines[i]);
    }
    return rows;
}

/* Writes as many whole lines as have room. If some have none, the last row counts them and the
 * `more` lines that were not passed. Returns the next free row. */
static int put_lines(struct grid *grid, int row, int end, const struct page_line *lines,
                     size_t count, size_t more)
{
    const bool whole = more == 0 && rows_of(lines, count, grid->columns) <= end - row;
    size_t i = 0;

    for (; i < count; i++) {
        const int rows = rows_of(&lines[i], 1, grid->columns);

        if (rows > end - row - (whole ? 0 : 1)) {
            break;
        }
        row += put_line(grid, row, grid->columns, rows, &lines[i]);
    }
    if (i < count + more && row < end) {
        char text[48];

        snprintf(text, sizeof(text), "%zu more: in the log", count - i + more);
        grid_text(grid, (struct grid_place){row++, 0, grid->columns}, INK_DIM, text);
    }
    return row;
}

/* ---- benches ---- */

/* What the line of a bench shows, depending on its width. */
struct form {
    int name;
    int figure;     /* cells of each figure; 0: shows only the state */
    bool has_count; /* shows count, minimum, and at least part of the series' name */
    bool has_max;
    int unit;
    int gap; /* cells between columns */
};

static const struct form forms[] = {
    {24, 10, true, true, 6, 2},
    {15, 9, false, true, 5, 2},
    {12, 13, false, false, 0, 1},
    {12, 0, false, false, 0, 1},
};
#define FORMS    (sizeof(forms) / sizeof(forms[0]))
#define NAME_MAX 32 /* longest name if there is more room */

static int form_width(const struct form *form)
{
    return form->name + 1 + STATE + (form->has_count ? 1 + COUNT + 1 + form->figure : 0) +
           (form->figure > 0 ? 1 + form->figure : 0) + (form->has_max ? 1 + form->figure : 0) +
           (form->unit > 0 ? 1 + form->unit : 0);
}

/* Writes a cell, and moves the column past it and a blank. */
static void put_cell(struct grid *grid, struct grid_place *at, int width, bool right,
                     enum grid_ink ink, const char *text)
{
    const struct grid_place place = {at->row, at->column, smaller(width, at->width)};

    if (right) {
        grid_text_right(grid, place, ink, text);
    } else {
        grid_text(grid, place, ink, text);
    }
    at->column += width + 1;
    at->width -= width + 1;
}

static void put_name(struct grid *grid, struct grid_place *at, const struct form *form,
                     const struct page_bench *bench, enum grid_ink ink)
{
    char name[128];

    snprintf(name, sizeof(name), "%s %s", bench->name, bench->series);
    const bool fits = form->has_count || glyph_length(name) <= form->name;

    put_cell(grid, at, form->name, false, ink, fits ? name : bench->name);
}

/* Writes the line of a bench. The place may be wider than the form needs: a reason uses all of
 * it. */
static void put_bench(struct grid *grid, struct grid_place at, const struct form *form,
                      const struct page_bench *bench, enum grid_ink ink)
{
    put_name(grid, &at, form, bench, ink);
    put_cell(grid, &at, STATE, false, bench->ink, bench->state);
    if (form->figure == 0) {
        return;
    }
    if (bench->reason[0] != '\0') {
        put_cell(grid, &at, at.width, false, INK_DIM, bench->reason);
        return;
    }
    if (form->has_count) {
        put_cell(grid, &at, COUNT, true, ink, bench->count);
        put_cell(grid, &at, form->figure, true, ink, bench->min);
    }
    if (form->unit == 0) {
        char figure[2 * PAGE_FIGURE_MAX];

        snprintf(figure, sizeof(figure), "%s%s%s", bench->median, bench->unit[0] != '\0' ? " " : "",
                 bench->unit);
        put_cell(grid, &at, form->figure, true, ink, figure);
        return;
    }
    put_cell(grid, &at, form->figure, true, ink, bench->median);
    put_cell(grid, &at, form->figure, true, ink, bench->max);
    put_cell(grid, &at, form->unit, false, ink, bench->unit);
}

/* Layout of the benches: columns of `rows` rows below a heading. */
struct table {
    struct form form;
    int columns, rows;
};

static size_t capacity(const struct table *table)
{
    return (size_t)table->columns * (size_t)table->rows;
}

static struct table table_of(const struct form *form, int width, int rows)
{
    return (struct table){*form, (width + form->gap) / (form_width(form) + form->gap),
                          rows > 0 ? rows : 0};
}

/* Returns the fullest form in which all benches have room; otherwise the form with room for the
 * most. */
static struct table choose(size_t count, int width, int rows)
{
    struct table best = table_of(&forms[FORMS - 1], width, rows);

    for (size_t i = 0; i < FORMS; i++) {
        const struct table table = table_of(&forms[i], width, rows);

        if (capacity(&table) >= count) {
            return table;
        }
        best = capacity(&table) > capacity(&best) ? table : best;
    }
    return best;
}

/* Reduces the table to the columns that are needed, of equal height, and widens names if there is
 * room. */
static void even_out(struct table *table, size_t count, int width)
{
    const int shown = (int)(count < capacity(table) ? count : capacity(table));

    table->columns = (shown + table->rows - 1) / table->rows;
    table->rows = (shown + table->columns - 1) / table->columns;
    const int all = table->columns * (form_width(&table->form) + table->form.gap) - table->form.gap;

    table->form.name = smaller(table->form.name + (width - all) / table->columns, NAME_MAX);
}

static void put_heading(struct grid *grid, struct grid_place at, const struct form *form)
{
    const struct page_bench heading = {
        .name = "bench",
        .series = "",
        .state = "",
        .ink = INK_DIM,
        .count = "n",
        .min = "min",
        .median = "median",
        .max = "max",
        .unit = "",
        .reason = "",
    };

    put_bench(grid, at, form, &heading, INK_DIM);
}

static size_t count_must(const struct page *page)
{
    struct page_bench bench;
    size_t count = 0;

    for (size_t i = 0; i < page->bench_count; i++) {
        page->bench(i, &bench);
        count += bench.must_show ? 1 : 0;
    }
    return count;
}

/* Writes the benches that have room: first those that must be shown, and of the others the last
 * ones. */
static size_t put_table(struct grid *grid, int row, const struct page *page,
                        const struct table *table)
{
    const size_t room = capacity(table);
    const size_t must = count_must(page);
    /* number of other benches that have room */
    const size_t others = room > must ? room - must : 0;
    /* number of other benches not passed yet */
    size_t ahead = page->bench_count - must;
    size_t shown = 0;

    for (size_t i = 0; i < page->bench_count && shown < room; i++) {
        const int width = form_width(&table->form);
        const int column = (int)shown / table->rows * (width + table->form.gap);
        const bool last = (int)shown / table->rows + 1 == table->columns;
        const int room_beside = last ? grid->columns - column : width;
        const int below = (int)shown % table->rows;
        struct page_bench bench;

        page->bench(i, &bench);
        if (!bench.must_show && ahead-- > others) {
            continue;
        }
        if (below == 0) {
            put_heading(grid, (struct grid_place){row, column, width}, &table->form);
        }
        put_bench(grid, (struct grid_place){row + 1 + below, column, room_beside}, &table->form,
                  &bench, INK_PLAIN);
        shown++;
    }
    return shown;
}

/* Writes the benches and returns the next free row. */
static int put_benches(struct grid *grid, int row, int end, const struct page *page)
{
    struct table table = choose(page->bench_count, grid->columns, end - row - 1);
    const bool whole = capacity(&table) >= page->bench_count;

    table.rows -= whole ? 0 : 1; /* the last row counts the benches that have no room */
    size_t shown = 0;

    if (table.columns > 0 && table.rows > 0) {
        even_out(&table, page->bench_count, grid->columns);
        shown = put_table(grid, row, page, &table);
        row += 1 + table.rows;
    }
    if (shown < page->bench_count && row < end) {
        char text[64];

        snprintf(text, sizeof(text), "%zu more benches: in the log", page->bench_count - shown);
        grid_text(grid, (struct grid_place){row++, 0, grid->columns}, INK_DIM, text);
    }
    return row;
}

/* ---- the page ---- */

static int put_head(struct grid *grid, const struct page *page)
{
    const int when = glyph_length(page->when);
    const int title =
        grid_text(grid, (struct grid_place){0, 0, grid->columns}, INK_STRONG, page->title);

    if (title + GAP + when <= grid->columns) {
        grid_text_right(grid, (struct grid_place){0, 0, grid->columns}, INK_DIM, page->when);
    }
    const int row = put_lines(grid, 1, grid->rows, page->head, page->head_count, 0);

    grid_rule(grid, row);
    return row + 1;
}

static int put_progress(struct grid *grid, int row, const struct page *page)
{
    const int left = glyph_length(page->left);

    grid_text(grid, (struct grid_place){row, 0, grid->columns - left - GAP}, INK_PLAIN,
              page->progress);
    grid_text_right(grid, (struct grid_place){row, 0, grid->columns}, INK_PLAIN, page->left);
    grid_bar(grid, (struct grid_place){row + 1, 0, grid->columns}, page->done, page->total);
    return row + 3;
}

/* Writes lines whose columns are aligned. Returns the next free row. */
static int put_view(struct grid *grid, int row, const struct page *page)
{
    for (size_t i = 0; i < page->view_count; i++) {
        grid_text(grid, (struct grid_place){row + (int)i, 0, grid->columns}, page->view[i].ink,
                  page->view[i].text);
    }
    return row + (int)page->view_count + 1;
}

static int put_findings(struct grid *grid, int row, int end, const struct page *page)
{
    grid_text(grid, (struct grid_place){row, 0, grid->columns}, INK_STRONG, page->findings_title);
    return put_lines(grid, row + 1, end, page->findings, page->finding_count, page->more_findings);
}

int page_lay_out(const struct page *page, struct grid *grid)
{
    const size_t worst = page->finding_count > 0 ? 1 : 0;
    const int foot = rows_of(page->foot, page->foot_count, grid->columns);

    grid_clear(grid, 0, grid->rows);
    int row = put_head(grid, page);

    row = page->total > 0 ? put_progress(grid, row, page) : row;
    row = page->view_count > 0 ? put_view(grid, row, page) : row;
    /* Findings get at most half of the remaining rows, so that the benches get the other half. But
     * the worst finding is always shown, even if it takes rows of the text. */
    const int end = grid->rows - page->words - (foot > 0 ? foot + 1 : 0);
    const int least = row + 1 + rows_of(page->findings, worst, grid->columns) +
                      (page->finding_count + page->more_findings > worst ? 1 : 0);
    const int half = row + (end - row) / 2;

    if (page->finding_count > 0) {
        row = put_findings(grid, row, half > least ? half : least, page) + 1;
    }
    if (page->bench_count > 0) {
        row = put_benches(grid, row, end > row ? end : row + 1, page) + 1;
    }
    if (page->foot_count > 0) {
        row = put_lines(grid, row, grid->rows, page->foot, page->foot_count, 0) + 1;
    }
    return smaller(row, grid->rows);
}
