/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws tables (figure.h) as SVG. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/figure/svg_parts.h"

#define ROW_HEIGHT 16.0
#define COLUMN_GAP 14.0
#define CELL_MAX   260.0

/* Of each column its widest cell; the caller frees them. */
static double *column_widths(const struct figure *figure)
{
    const size_t columns = figure->columns.count;
    double *widths = alloc_zeroed((columns + 1) * sizeof(*widths));

    for (size_t i = 0; i < columns; i++) {
        widths[i] = svg_text_width(figure->columns.item[i], SVG_TEXT_SIZE) * 1.1; /* bold */
    }
    for (size_t i = 0; columns > 0 && i < figure->cells.count; i++) {
        widths[i % columns] =
            fmax(widths[i % columns], svg_text_width(figure->cells.item[i], SVG_TEXT_SIZE));
    }
    for (size_t i = 0; i < columns; i++) {
        widths[i] = fmin(widths[i], CELL_MAX);
    }
    return widths;
}

double svg_table_width(const struct figure *figure)
{
    double *widths = column_widths(figure);
    double width = 2 * SVG_MARGIN;

    for (size_t i = 0; i < figure->columns.count; i++) {
        width += widths[i] + (i > 0 ? COLUMN_GAP : 0);
    }
    free(widths);
    return ceil(width);
}

static void draw_row(FILE *out, const struct figure *figure, const double *widths,
                     char *const *cells, size_t count, double y, const char *attributes)
{
    double x = SVG_MARGIN;

    for (size_t i = 0; i < count; i++) {
        const bool right = figure->alignment != NULL && i < strlen(figure->alignment) &&
                           figure->alignment[i] == 'r';
        char *text = svg_shortened(cells[i], CELL_MAX, SVG_TEXT_SIZE);

        if (text[0] != '\0') {
            svg_text(out, right ? x + widths[i] : x, y, right ? SVG_END : SVG_START, SVG_TEXT_SIZE,
                     attributes, text);
        }
        x += widths[i] + COLUMN_GAP;
        free(text);
    }
}

void svg_table(struct svg_canvas *canvas, const struct figure *figure)
{
    const size_t columns = figure->columns.count;
    double *widths = column_widths(figure);
    const double right = svg_table_width(figure) - SVG_MARGIN;
    double y = canvas->bottom + ROW_HEIGHT;

    draw_row(canvas->out, figure, widths, figure->columns.item, columns, y,
             " font-weight=\"bold\"");
    svg_line(canvas->out, SVG_MARGIN, y + 5, right, y + 5, " stroke=\"#000\"");
    y += 4;
    for (size_t i = 0; columns > 0 && i < figure->cells.count; i += columns) {
        const size_t left = figure->cells.count - i;

        y += ROW_HEIGHT;
        draw_row(canvas->out, figure, widths, figure->cells.item + i,
                 left < columns ? left : columns, y, "");
    }
    svg_line(canvas->out, SVG_MARGIN, y + 6, right, y + 6, " stroke=\"#000\"");
    canvas->bottom = y + 8;
    free(widths);
}
