/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws the frame of a figure as SVG: ticks, names of axes, border. */
#include <math.h>
#include <stdlib.h>

#include "tools/figure/svg_parts.h"

#define TICK_LENGTH 4.0
#define LABEL_ROOM  16.0
#define TICK_GAP    2.0
#define HALF_HEIGHT (SVG_TEXT_SIZE * 0.36) /* from the middle of a digit to its foot */
#define GRID        " stroke=\"#ddd\""
#define TICK        " stroke=\"#555\""

static double widest_tick(const struct svg_scale *scale)
{
    struct svg_tick ticks[SVG_TICKS_MAX];
    const size_t count = svg_ticks(scale, ticks);
    double width = 0;

    for (size_t i = 0; i < count; i++) {
        width = fmax(width, svg_text_width(ticks[i].text, SVG_TEXT_SIZE));
    }
    return width;
}

void svg_field_place(struct svg_canvas *canvas, const struct figure *figure,
                     struct svg_field *field, double height, double left)
{
    const double label = figure->y.label != NULL || figure->y.unit != NULL ? LABEL_ROOM : 0;
    const double names = left > 0 ? left : widest_tick(&field->y) + TICK_LENGTH + TICK_GAP;

    field->left = SVG_MARGIN + label + names;
    field->right = canvas->width - 2 * SVG_MARGIN;
    field->top = canvas->bottom + SVG_TEXT_SIZE / 2;
    field->bottom = field->top + height;
    field->x.begin = field->left;
    field->x.end = field->right;
    field->y.begin = field->bottom;
    field->y.end = field->top;
    canvas->bottom = field->bottom;
}

void svg_field_x_ticks(struct svg_canvas *canvas, const struct svg_field *field)
{
    struct svg_tick ticks[SVG_TICKS_MAX];
    const size_t count = svg_ticks(&field->x, ticks);
    double free_from = 0;

    for (size_t i = 0; i < count; i++) {
        const double x = svg_place(&field->x, ticks[i].value);
        const double half = svg_text_width(ticks[i].text, SVG_TEXT_SIZE) / 2;

        svg_line(canvas->out, x, field->top, x, field->bottom, GRID);
        svg_line(canvas->out, x, field->bottom, x, field->bottom + TICK_LENGTH, TICK);
        if (ticks[i].text[0] != '\0' && x - half >= free_from) {
            svg_text(canvas->out, x, field->bottom + TICK_LENGTH + SVG_TEXT_SIZE, SVG_MIDDLE,
                     SVG_TEXT_SIZE, "", ticks[i].text);
            free_from = x + half + SVG_TEXT_SIZE / 2;
        }
    }
    canvas->bottom = field->bottom + TICK_LENGTH + SVG_TEXT_SIZE;
}

void svg_field_y_ticks(struct svg_canvas *canvas, const struct svg_field *field)
{
    struct svg_tick ticks[SVG_TICKS_MAX];
    const size_t count = svg_ticks(&field->y, ticks);

    for (size_t i = 0; i < count; i++) {
        const double y = svg_place(&field->y, ticks[i].value);

        svg_line(canvas->out, field->left, y, field->right, y, GRID);
        svg_line(canvas->out, field->left - TICK_LENGTH, y, field->left, y, TICK);
        if (ticks[i].text[0] != '\0') {
            svg_text(canvas->out, field->left - TICK_LENGTH - TICK_GAP, y + HALF_HEIGHT, SVG_END,
                     SVG_TEXT_SIZE, "", ticks[i].text);
        }
    }
}

void svg_field_labels(struct svg_canvas *canvas, const struct figure *figure,
                      const struct svg_field *field)
{
    const double middle = (field->top + field->bottom) / 2;
    const double x = SVG_MARGIN + SVG_TEXT_SIZE * 0.8;
    char text[256];
    char turned[96];

    if (svg_axis_text(&figure->x, &field->x, text, sizeof(text))[0] != '\0') {
        canvas->bottom += LABEL_ROOM;
        svg_text(canvas->out, (field->left + field->right) / 2, canvas->bottom, SVG_MIDDLE,
                 SVG_TEXT_SIZE, "", text);
    }
    if (svg_axis_text(&figure->y, &field->y, text, sizeof(text))[0] != '\0') {
        char *label = svg_shortened(text, field->bottom - field->top + LABEL_ROOM, SVG_TEXT_SIZE);

        snprintf(turned, sizeof(turned), " transform=\"rotate(-90 %.1f %.1f)\"", x, middle);
        svg_text(canvas->out, x, middle, SVG_MIDDLE, SVG_TEXT_SIZE, turned, label);
        free(label);
    }
}

void svg_field_frame(struct svg_canvas *canvas, const struct svg_field *field)
{
    svg_rectangle(canvas->out, field->left, field->top, field->right - field->left,
                  field->bottom - field->top, " fill=\"none\" stroke=\"#999\"");
}
