/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/figure/figure.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/base/table.h"
#include "tools/base/texts.h"

#define POINTS_OF_A_PART 4

static char *copy_text(const char *text)
{
    if (text == NULL) {
        return NULL;
    }
    const size_t size = strlen(text) + 1;

    return memcpy(alloc_zeroed(size), text, size);
}

__attribute__((format(printf, 1, 0))) static char *format_text(const char *format, va_list values)
{
    va_list again;

    va_copy(again, values);
    const int length = vsnprintf(NULL, 0, format, again);

    va_end(again);
    char *text = alloc_zeroed(length > 0 ? (size_t)length + 1 : 1);

    if (length > 0) {
        vsnprintf(text, (size_t)length + 1, format, values);
    }
    return text;
}

static void list_add(struct figure_list *list, char *text)
{
    *ALLOC_NEXT(list->item, list->count, list->capacity) = text;
}

static void list_free(struct figure_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->item[i]);
    }
    free(list->item);
}

/* ---- the list of figures ---- */

void figures_init(struct figures *figures)
{
    *figures = (struct figures){0};
}

static void series_free(struct figure_series *series)
{
    free(series->name);
    free(series->x);
    free(series->y);
    free(series->low);
    free(series->high);
}

static void figure_free(struct figure *figure)
{
    char *const texts[] = {figure->id,        figure->section, figure->title,
                           figure->how,       figure->absent,  figure->x.label,
                           figure->x.unit,    figure->y.label, figure->y.unit,
                           figure->alignment, figure->variant, figure->threshold_name};
    struct figure_list *const lists[] = {&figure->groups,    &figure->rows,   &figure->columns,
                                         &figure->lanes,     &figure->states, &figure->cells,
                                         &figure->span_names};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        free(texts[i]);
    }
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        list_free(lists[i]);
    }
    for (size_t i = 0; i < figure->series_count; i++) {
        series_free(&figure->series[i]);
    }
    free(figure->series);
    free(figure->values);
    free(figure->spans);
}

void figures_free(struct figures *figures)
{
    for (size_t i = 0; i < figures->count; i++) {
        figure_free(&figures->item[i]);
    }
    free(figures->item);
    figures_init(figures);
}

static bool is_taken(const struct figures *figures, const char *id)
{
    return SEARCH_ANY(i, figures->count,
                      figures->item[i].id != NULL && strcmp(figures->item[i].id, id) == 0);
}

/* Returns `wanted` as an id, with a number appended if another figure has that id. Frees `wanted`
 * in that case. */
static char *unique_id(const struct figures *figures, char *wanted)
{
    for (char *at = wanted; *at != '\0'; at++) {
        *at = isalnum((unsigned char)*at) ? *at : '-';
    }
    if (!is_taken(figures, wanted)) {
        return wanted;
    }
    const size_t size = strlen(wanted) + 24;
    char *id = alloc_zeroed(size);

    for (size_t number = 2; number == 2 || is_taken(figures, id); number++) {
        snprintf(id, size, "%s-%zu", wanted, number);
    }
    free(wanted);
    return id;
}

static struct figure *add(struct figures *figures, enum figure_kind kind, const char *section,
                          const char *title, char *id)
{
    char *unique = unique_id(figures, id);

    struct figure *figure = ALLOC_NEXT(figures->item, figures->count, figures->capacity);

    figure->kind = kind;
    figure->id = unique;
    figure->section = copy_text(section);
    figure->title = copy_text(title);
    return figure;
}

struct figure *figure_add(struct figures *figures, enum figure_kind kind, const char *section,
                          const char *title, const char *id, ...)
{
    va_list values;

    va_start(values, id);
    struct figure *figure = add(figures, kind, section, title, format_text(id, values));

    va_end(values);
    return figure;
}

void figure_add_absent(struct figures *figures, const char *section, const char *title,
                       const char *id, const char *why, ...)
{
    struct figure *figure = add(figures, FIGURE_ABSENT, section, title, copy_text(id));
    va_list values;

    va_start(values, why);
    figure->absent = format_text(why, values);
    va_end(values);
}

void figure_how(struct figure *figure, const char *how, ...)
{
    va_list values;

    va_start(values, how);
    /* made before the old text is freed, because `values` may refer to it */
    char *const text = format_text(how, values);
    va_end(values);
    free(figure->how);
    figure->how = text;
}

void figure_absent(struct figure *figure, const char *why, ...)
{
    va_list values;

    va_start(values, why);
    free(figure->absent);
    figure->absent = format_text(why, values);
    va_end(values);
}

void figure_move(struct figure *figure, const char *section)
{
    free(figure->section);
    figure->section = copy_text(section);
}

void figure_variant(struct figure *figure, const char *variant, bool chosen)
{
    free(figure->variant);
    figure->variant = copy_text(variant);
    figure->beside = !chosen;
}

void figure_threshold(struct figure *figure, double threshold, const char *name)
{
    figure->has_threshold = true;
    figure->threshold = threshold;
    free(figure->threshold_name);
    figure->threshold_name = copy_text(name);
}

void figure_axes(struct figure *figure, const char *x_label, const char *x_unit,
                 const char *y_label, const char *y_unit)
{
    figure->x.label = copy_text(x_label);
    figure->x.unit = copy_text(x_unit);
    figure->y.label = copy_text(y_label);
    figure->y.unit = copy_text(y_unit);
}

/* ---- series ---- */

struct figure_series *figure_add_series(struct figure *figure, const char *name)
{
    struct figure_series *series =
        ALLOC_NEXT(figure->series, figure->series_count, figure->series_capacity);

    series->name = copy_text(name);
    return series;
}

struct figure_series *figure_add_reference(struct figure *figure, const char *name)
{
    struct figure_series *series = figure_add_series(figure, name);

    series->reference = true;
    return series;
}

/* Makes room for one more point in each list that the series has. */
static void series_grow(struct figure_series *series, bool ranges)
{
    if (series->n < series->capacity) {
        return;
    }
    const size_t capacity = series->capacity;
    size_t wanted = capacity;
    double **lists[] = {&series->x, &series->y, &series->low, &series->high};

    for (size_t i = 0; i < (ranges ? 4 : 2); i++) {
        wanted = capacity;
        *lists[i] = alloc_grow(*lists[i], &wanted, series->n + 1, sizeof(double));
    }
    series->capacity = wanted;
}

void figure_add_point(struct figure_series *series, double x, double y)
{
    series_grow(series, false);
    series->x[series->n] = x;
    series->y[series->n] = y;
    series->n++;
}

void figure_add_range(struct figure_series *series, double x, double y, double low, double high)
{
    series_grow(series, true);
    series->low[series->n] = low;
    series->high[series->n] = high;
    figure_add_point(series, x, y);
}

/* ---- bars, matrices, time lines, tables ---- */

void figure_add_group(struct figure *figure, const char *name)
{
    list_add(&figure->groups, copy_text(name));
}

void figure_add_row(struct figure *figure, const char *name)
{
    list_add(&figure->rows, copy_text(name));
}

void figure_add_column(struct figure *figure, const char *name)
{
    list_add(&figure->columns, copy_text(name));
}

void figure_set_value(struct figure *figure, size_t row, size_t column, double value)
{
    const size_t count = figure->rows.count * figure->columns.count;

    if (figure->values == NULL) {
        figure->values = alloc_zeroed(count * sizeof(double));
        for (size_t i = 0; i < count; i++) {
            figure->values[i] = NAN;
        }
    }
    if (row < figure->rows.count && column < figure->columns.count) {
        figure->values[row * figure->columns.count + column] = value;
    }
}

static uint32_t add_name(struct figure_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->item[i], name) == 0) {
            return (uint32_t)i;
        }
    }
    list_add(list, copy_text(name));
    return (uint32_t)list->count - 1;
}

uint32_t figure_add_lane(struct figure *figure, const char *name)
{
    return add_name(&figure->lanes, name);
}

uint32_t figure_add_state(struct figure *figure, const char *name)
{
    return add_name(&figure->states, name);
}

void figure_add_span(struct figure *figure, uint32_t lane, uint32_t state, double begin, double end)
{
    *ALLOC_NEXT(figure->spans, figure->span_count, figure->span_capacity) =
        (struct figure_span){begin, end, lane, state, 0};
}

void figure_name_span(struct figure *figure, const char *name)
{
    figure->spans[figure->span_count - 1].name = add_name(&figure->span_names, name) + 1;
}

void figure_table(struct figure *figure, const char *alignment, const char *const *heads)
{
    figure->alignment = copy_text(alignment);
    for (size_t i = 0; i < strlen(alignment); i++) {
        figure_add_column(figure, heads[i]);
    }
}

void figure_cell(struct figure *figure, const char *cells, ...)
{
    size_t count;
    va_list values;

    va_start(values, cells);
    char *texts = cells_text(cells, values, &count);

    va_end(values);
    for (const char *cell = texts; count-- > 0; cell += strlen(cell) + 1) {
        list_add(&figure->cells, copy_text(cell));
    }
    free(texts);
}

void figure_open(struct figure *figure, const char *alignment, const char *heads, ...)
{
    size_t count;
    va_list values;

    va_start(values, heads);
    char *texts = cells_text(heads, values, &count);

    va_end(values);
    figure->alignment = copy_text(alignment);
    for (const char *head = texts; count-- > 0; head += strlen(head) + 1) {
        figure_add_column(figure, head);
    }
    free(texts);
}

/* ---- fewer points ---- */

static bool x_rises(const struct figure_series *series)
{
    return !SEARCH_ANY(i, series->n,
                       !isfinite(series->x[i]) || (i > 0 && series->x[i] < series->x[i - 1]));
}

static void keep_point(struct figure_series *series, size_t from)
{
    const size_t to = series->n++;

    series->x[to] = series->x[from];
    series->y[to] = series->y[from];
    if (series->low != NULL) {
        series->low[to] = series->low[from];
        series->high[to] = series->high[from];
    }
}

/* Returns whether y lies beyond the extreme so far. A NAN never does. */
static bool is_further(double extreme, double y, bool up)
{
    return isnan(extreme) || (up ? y > extreme : y < extreme);
}

/* Keeps the first, the last, the least and the greatest of points [first, end). */
static void keep_of_part(struct figure_series *series, size_t first, size_t end)
{
    size_t kept[POINTS_OF_A_PART] = {first, first, first, end - 1};

    for (size_t i = first; i < end; i++) {
        kept[1] = is_further(series->y[kept[1]], series->y[i], false) ? i : kept[1];
        kept[2] = is_further(series->y[kept[2]], series->y[i], true) ? i : kept[2];
    }
    if (kept[1] > kept[2]) {
        const size_t least = kept[1];

        kept[1] = kept[2];
        kept[2] = least;
    }
    for (size_t i = 0; i < POINTS_OF_A_PART; i++) {
        if (i == 0 || kept[i] > kept[i - 1]) {
            keep_point(series, kept[i]);
        }
    }
}

/* Reduces the series in place: it never keeps more points than it has read. */
static void reduce_series(struct figure_series *series, size_t most)
{
    const size_t n = series->n;
    const size_t parts = most / POINTS_OF_A_PART + 1;

    if (n <= most || !x_rises(series)) {
        return;
    }
    const double begin = series->x[0];
    const double width = (series->x[n - 1] - begin) / (double)parts;

    series->n = 0;
    for (size_t first = 0, end; first < n; first = end) {
        const double part = width > 0 ? floor((series->x[first] - begin) / width) : 0;

        end = first + 1;
        while (end < n && width > 0 && floor((series->x[end] - begin) / width) <= part) {
            end++;
        }
        end = width > 0 ? end : n;
        keep_of_part(series, first, end);
    }
}

static int by_lane_and_begin(const void *left, const void *right)
{
    const struct figure_span *a = left;
    const struct figure_span *b = right;

    return a->lane != b->lane ? SORT_ORDER(a->lane, b->lane) : SORT_ORDER(a->begin, b->begin);
}

static int by_state_and_begin(const void *left, const void *right)
{
    const struct figure_span *a = left;
    const struct figure_span *b = right;

    return a->state != b->state ? SORT_ORDER(a->state, b->state) : SORT_ORDER(a->begin, b->begin);
}

static bool spans_join(const struct figure_span *before, const struct figure_span *next,
                       double least)
{
    return before->lane == next->lane && before->state == next->state &&
           before->name == next->name && next->begin - before->end < least &&
           (next->end - next->begin < least || before->end - before->begin < least);
}

/* Joins short spans of one state, even if spans of others lie between them. A part of the picture
 * narrower than a pixel thus still shows each state that occurs in it. Returns the number of spans
 * that remain. */
static size_t join_spans(struct figure_span *spans, size_t n, double least)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        if (kept > 0 && spans_join(&spans[kept - 1], &spans[i], least)) {
            spans[kept - 1].end = fmax(spans[kept - 1].end, spans[i].end);
        } else {
            spans[kept++] = spans[i];
        }
    }
    return kept;
}

static void reduce_spans(struct figure *figure, size_t most)
{
    struct figure_span *spans = figure->spans;
    double begin = INFINITY;
    double end = -INFINITY;

    if (figure->span_count <= most) {
        return;
    }
    for (size_t i = 0; i < figure->span_count; i++) {
        begin = fmin(begin, spans[i].begin);
        end = fmax(end, spans[i].end);
    }
    sort_stable(spans, figure->span_count, sizeof(*spans), by_lane_and_begin);
    size_t kept = 0;

    for (size_t first = 0, next; first < figure->span_count; first = next) {
        const double part = floor((spans[first].begin - begin) / (end - begin) * (double)most);

        next = first + 1;
        while (next < figure->span_count && spans[next].lane == spans[first].lane &&
               floor((spans[next].begin - begin) / (end - begin) * (double)most) <= part) {
            next++;
        }
        sort_stable(&spans[first], next - first, sizeof(*spans), by_state_and_begin);
        const size_t count = join_spans(&spans[first], next - first, (end - begin) / (double)most);

        memmove(&spans[kept], &spans[first], count * sizeof(*spans));
        kept += count;
    }
    figure->span_count = kept;
}

void figure_reduce(struct figure *figure, size_t most)
{
    if (figure->kind == FIGURE_TIMELINE) {
        reduce_spans(figure, most);
    }
    for (size_t i = 0; i < figure->series_count && figure->kind != FIGURE_BARS; i++) {
        reduce_series(&figure->series[i], most);
    }
}

struct figure *figure_add_table(struct figures *figures, const char *section, const char *title,
                                struct table *table, const char *id, ...)
{
    char alignment[TABLE_COLUMNS_MAX + 1] = "";
    const char *heads[TABLE_COLUMNS_MAX] = {NULL};
    va_list values;

    va_start(values, id);
    struct figure *figure = add(figures, FIGURE_TABLE, section, title, format_text(id, values));

    va_end(values);
    for (size_t i = 0; i < table->columns; i++) {
        alignment[i] = table->right[i] ? 'r' : 'l';
        heads[i] = table_cell(table, 0, i)->text;
    }
    figure_table(figure, alignment, heads);
    for (size_t i = 0; i < (table->rows - 1) * table->columns; i++) {
        figure_cell(figure, "%s",
                    table_cell(table, 1 + i / table->columns, i % table->columns)->text);
    }
    table_free(table);
    return figure;
}
