/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/figure/figure_values.h"

#include <math.h>
#include <string.h>

#define LOOK_BYTES 64

static const char mark[] = FIGURE_VALUES_MARK "\n";

/* Writes a cell, replacing tabs and line ends by blanks. */
static void put_cell(FILE *out, const char *text)
{
    for (; text != NULL && *text != '\0'; text++) {
        fputc(*text == '\t' || *text == '\n' || *text == '\r' ? ' ' : *text, out);
    }
}

static void put_comment(FILE *out, const char *text)
{
    if (text != NULL) {
        fputs("# ", out);
        put_cell(out, text);
        fputc('\n', out);
    }
}

static void put_number(FILE *out, double value, char end)
{
    if (isfinite(value)) {
        fprintf(out, "%.15g%c", value, end);
    } else {
        fprintf(out, "NaN%c", end);
    }
}

static void put_point(FILE *out, const struct figure *figure, const struct figure_series *series,
                      size_t i)
{
    const bool ranged = series->low != NULL;

    if (figure->kind == FIGURE_HISTOGRAM) {
        put_number(out, ranged ? series->low[i] : series->x[i], '\t');
        put_number(out, ranged ? series->high[i] : series->x[i], '\t');
        put_number(out, series->y[i], '\n');
        return;
    }
    if (figure->kind == FIGURE_BARS) {
        put_cell(out, i < figure->groups.count ? figure->groups.item[i] : "");
        fputc('\t', out);
        put_number(out, series->y[i], '\t');
        put_number(out, ranged ? series->low[i] : NAN, '\t');
        put_number(out, ranged ? series->high[i] : NAN, '\n');
        return;
    }
    put_number(out, series->x[i], '\t');
    put_number(out, series->y[i], ranged ? '\t' : '\n');
    if (ranged) {
        put_number(out, series->low[i], '\t');
        put_number(out, series->high[i], '\n');
    }
}

static void put_series(FILE *out, const struct figure *figure)
{
    bool any = false;

    for (size_t s = 0; s < figure->series_count; s++) {
        if (figure->series[s].n == 0) {
            continue;
        }
        fputs(any ? "\n\n" : "", out);
        any = true;
        put_comment(out, figure->series[s].name);
        for (size_t i = 0; i < figure->series[s].n; i++) {
            put_point(out, figure, &figure->series[s], i);
        }
    }
}

static void put_heat(FILE *out, const struct figure *figure)
{
    for (size_t r = 0; r < figure->rows.count; r++) {
        for (size_t c = 0; c < figure->columns.count; c++) {
            put_cell(out, figure->rows.item[r]);
            fputc('\t', out);
            put_cell(out, figure->columns.item[c]);
            fputc('\t', out);
            put_number(out, figure->values[r * figure->columns.count + c], '\n');
        }
    }
}

static void put_timeline(FILE *out, const struct figure *figure)
{
    for (size_t i = 0; i < figure->span_count; i++) {
        const struct figure_span *span = &figure->spans[i];

        put_cell(out, figure->lanes.item[span->lane]);
        fputc('\t', out);
        put_cell(out, figure->states.item[span->state]);
        fputc('\t', out);
        put_number(out, span->begin, '\t');
        if (span->name > 0) {
            put_number(out, span->end, '\t');
            put_cell(out, figure->span_names.item[span->name - 1]);
            fputc('\n', out);
        } else {
            put_number(out, span->end, '\n');
        }
    }
}

static void put_table(FILE *out, const struct figure *figure)
{
    const struct figure_list *lists[] = {&figure->columns, &figure->cells};
    const size_t columns = figure->columns.count > 0 ? figure->columns.count : 1;

    for (size_t list = 0; list < sizeof(lists) / sizeof(lists[0]); list++) {
        for (size_t i = 0; i < lists[list]->count; i++) {
            put_cell(out, lists[list]->item[i]);
            fputc((i + 1) % columns == 0 ? '\n' : '\t', out);
        }
    }
}

static void put_axis_comment(FILE *out, const char *name, const struct figure_axis *axis)
{
    if (axis->label != NULL) {
        fprintf(out, "# %s: ", name);
        put_cell(out, axis->label);
        if (axis->unit != NULL) {
            fputs(", ", out);
            put_cell(out, axis->unit);
        }
        fputc('\n', out);
    }
}

void figure_values_write(FILE *out, const struct figure *figure, const char *base)
{
    fputs(mark, out);
    put_comment(out, figure->title);
    put_comment(out, base);
    put_comment(out, figure->how);
    put_comment(out, figure->absent);
    put_axis_comment(out, "x", &figure->x);
    put_axis_comment(out, "y", &figure->y);
    switch (figure->kind) {
    case FIGURE_HEAT:
    case FIGURE_STATES:
        put_heat(out, figure);
        break;
    case FIGURE_TIMELINE:
        put_timeline(out, figure);
        break;
    case FIGURE_TABLE:
        put_table(out, figure);
        break;
    case FIGURE_ABSENT:
        break;
    default:
        put_series(out, figure);
        break;
    }
}

bool figure_values_is_own(const char *path)
{
    const char *end = strrchr(path, '.');
    char bytes[LOOK_BYTES] = "";
    FILE *file = end != NULL && strcmp(end, ".tsv") == 0 ? fopen(path, "rb") : NULL;

    if (file == NULL) {
        return false;
    }
    const size_t length = fread(bytes, 1, sizeof(bytes), file);

    fclose(file);
    return length >= strlen(mark) && memcmp(bytes, mark, strlen(mark)) == 0;
}
