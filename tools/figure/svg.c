/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/figure/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/figure/svg_parts.h"

#define LINE_HEIGHT 1.3
#define GREY        " fill=\"#555\""
#define ROW_HEIGHT  16.0
#define COLUMN_GAP  14.0
#define CELL_MAX    260.0

/* ---- tables ---- */

/* Returns the width of each column, which is that of its widest cell, up to CELL_MAX. The caller
 * frees them. */
static double *column_widths(const struct figure *figure)
{
    const size_t columns = figure->columns.count;
    double *widths = alloc_zeroed((columns + 1) * sizeof(*widths));

    for (size_t i = 0; i < columns; i++) {
        /* bold text is wider */
        widths[i] = svg_text_width(figure->columns.item[i], SVG_TEXT_SIZE) * 1.1;
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

/* Returns the width that the table needs, margins included. */
static double table_width(const struct figure *figure)
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

static void draw_table(struct svg_canvas *canvas, const struct figure *figure)
{
    const size_t columns = figure->columns.count;
    double *widths = column_widths(figure);
    const double right = table_width(figure) - SVG_MARGIN;
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

static void put_paragraph(struct svg_canvas *canvas, double size, const char *attributes,
                          const char *text)
{
    const size_t lines = svg_wrapped(canvas->out, SVG_MARGIN, canvas->bottom + size * LINE_HEIGHT,
                                     canvas->width - 2 * SVG_MARGIN, size, attributes, text);

    canvas->bottom += (double)lines * size * LINE_HEIGHT;
}

static size_t draw_kind(struct svg_canvas *canvas, const struct figure *figure)
{
    switch (figure->kind) {
    case FIGURE_BARS:
        return svg_bars(canvas, figure);
    case FIGURE_HEAT:
        svg_heat(canvas, figure);
        return 0;
    case FIGURE_STATES:
        svg_states(canvas, figure);
        return 0;
    case FIGURE_TIMELINE:
        svg_timeline(canvas, figure);
        return 0;
    case FIGURE_TABLE:
        draw_table(canvas, figure);
        return 0;
    case FIGURE_ABSENT:
        put_paragraph(canvas, SVG_TEXT_SIZE, "",
                      figure->absent != NULL ? figure->absent : "not in this run");
        return 0;
    default:
        return svg_series(canvas, figure);
    }
}

static void draw(struct svg_canvas *canvas, const struct figure *figure)
{
    char note[96];

    if (figure->title != NULL) {
        put_paragraph(canvas, SVG_TITLE_SIZE, " font-weight=\"bold\"", figure->title);
    }
    canvas->bottom += SVG_MARGIN / 2;
    const size_t left_out = draw_kind(canvas, figure);

    canvas->bottom += SVG_MARGIN / 2;
    if (figure->how != NULL) {
        put_paragraph(canvas, SVG_NOTE_SIZE, GREY, figure->how);
    }
    if (left_out > 0) {
        snprintf(note, sizeof(note),
                 "Values of 0 or less, which a logarithmic axis cannot show: %zu.", left_out);
        put_paragraph(canvas, SVG_NOTE_SIZE, GREY, note);
    }
    canvas->bottom += SVG_MARGIN;
}

static void write_element(FILE *out, const struct figure *figure, const struct svg_canvas *canvas,
                          const char *body)
{
    const double height = ceil(canvas->bottom);

    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\">\n<title>",
            canvas->width, height, canvas->width, height);
    svg_escape(out, figure->title != NULL ? figure->title : "");
    fputs("</title>\n", out);
    svg_rectangle(out, 0, 0, canvas->width, height, " fill=\"#fff\"");
    fputs(body, out);
    fputs("</svg>\n", out);
}

bool svg_element(FILE *out, const struct figure *figure)
{
    char *body = NULL;
    size_t size = 0;
    struct svg_canvas canvas = {.out = open_memstream(&body, &size), .width = SVG_WIDTH};

    if (canvas.out == NULL) {
        return false;
    }
    if (figure->kind == FIGURE_TABLE) {
        canvas.width = fmax(canvas.width, table_width(figure));
    }
    draw(&canvas, figure);
    if (fclose(canvas.out) != 0) {
        free(body);
        return false;
    }
    write_element(out, figure, &canvas, body);
    free(body);
    return true;
}

bool svg_write(FILE *out, const struct figure *figure)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
    return svg_element(out, figure) && fflush(out) == 0 && !ferror(out);
}
