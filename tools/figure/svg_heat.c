/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws heat maps (figure.h) as SVG. */
#include <math.h>
#include <stdlib.h>

#include "tools/figure/svg_parts.h"

#define FIELD_HEIGHT    300.0
#define CELL_HEIGHT_MAX 34.0
#define CELL_HEIGHT_MIN 2.0
#define CELL_WIDTH_MAX  90.0
#define NAME_MAX        150.0
/* shades follow logarithms if the greatest value is more than this many times the least */
#define LOGARITHMIC 20.0
#define DARKEST     0.25 /* brightness of the darkest shade, as a share of white */
#define DARK        0.53 /* share of the range from which on text is white */
#define SHADES      32
#define EDGED_MIN   9.0 /* smaller cells have no edges */
#define TEXT_MIN    7.0
#define KEY_STEPS   8
#define KEY_STEP    16.0

struct heat {
    const struct figure *figure;
    double left, top, width, height; /* left and top of the map, width and height of a cell */
    double least, greatest;
    bool logarithmic;
};

static double value_at(const struct figure *figure, size_t row, size_t column)
{
    return figure->values != NULL ? figure->values[row * figure->columns.count + column] : NAN;
}

static void set_range(struct heat *heat)
{
    const size_t count = heat->figure->rows.count * heat->figure->columns.count;

    heat->least = INFINITY;
    heat->greatest = -INFINITY;
    for (size_t i = 0; i < count && heat->figure->values != NULL; i++) {
        if (isfinite(heat->figure->values[i])) {
            heat->least = fmin(heat->least, heat->figure->values[i]);
            heat->greatest = fmax(heat->greatest, heat->figure->values[i]);
        }
    }
    heat->logarithmic = heat->least > 0 && heat->greatest / heat->least > LOGARITHMIC;
}

/* Returns the place of a value in the range: 0 for the least, 1 for the greatest. */
static double part_of(const struct heat *heat, double value)
{
    if (!(heat->greatest > heat->least)) {
        return 0;
    }
    return heat->logarithmic ? log(value / heat->least) / log(heat->greatest / heat->least)
                             : (value - heat->least) / (heat->greatest - heat->least);
}

static const char *value_text(double value, char text[24])
{
    const double size = fabs(value);
    const bool plain = size >= 99.95 && size < 1e6;

    snprintf(text, 24, plain ? "%.0f" : "%.3g", value);
    return text;
}

/* Returns the number of the shade of a value; SHADES if there is no value. */
static size_t level_of(const struct heat *heat, double value)
{
    return isfinite(value) ? (size_t)lround(part_of(heat, value) * (SHADES - 1)) : SHADES;
}

static const char *level_paint(size_t level, char text[48])
{
    const int grey = (int)lround(255 * (1 - (double)level / (SHADES - 1) * (1 - DARKEST)));

    snprintf(text, 48, " fill=\"#%02x%02x%02x\"", grey, grey, grey);
    return level < SHADES ? text : " fill=\"url(#absent)\"";
}

/* Draws all cells of one shade. */
static void draw_level(FILE *out, const struct heat *heat, size_t level)
{
    const size_t columns = heat->figure->columns.count;
    bool any = false;
    char paint[48];

    for (size_t i = 0; i < heat->figure->rows.count * columns; i++) {
        if (level_of(heat, value_at(heat->figure, i / columns, i % columns)) != level) {
            continue;
        }
        if (!any) {
            fputs("<path d=\"", out);
            any = true;
        }
        const size_t row = i / columns;

        svg_path(out, 'M', 2, heat->left + (double)(i % columns) * heat->width,
                 heat->top + (double)row * heat->height);
        svg_path(out, 'h', 1, heat->width);
        svg_path(out, 'v', 1, heat->height);
        svg_path(out, 'h', 1, -heat->width);
        fputc('z', out);
    }
    if (any) {
        fprintf(out, "\"%s%s/>\n", level_paint(level, paint),
                heat->height >= EDGED_MIN && heat->width >= EDGED_MIN ? " stroke=\"#ccc\"" : "");
    }
}

static void draw_value(FILE *out, const struct heat *heat, size_t row, size_t column)
{
    const double value = value_at(heat->figure, row, column);
    const double size = fmin(SVG_TEXT_SIZE, heat->height - 3);
    char text[24];

    value_text(value, text);
    if (isfinite(value) && size >= TEXT_MIN && svg_text_width(text, size) <= heat->width - 2) {
        svg_text(out, heat->left + ((double)column + 0.5) * heat->width,
                 heat->top + ((double)row + 0.5) * heat->height + size * 0.36, SVG_MIDDLE, size,
                 part_of(heat, value) > DARK ? " fill=\"#fff\"" : "", text);
    }
}

/* Draws the names of rows and columns. If they are too narrow for a name each, only every second,
 * third and so on has one. */
static void draw_names(FILE *out, const struct heat *heat)
{
    const struct figure *figure = heat->figure;
    const double widest = fmin(svg_widest(&figure->columns), NAME_MAX);
    const size_t rows = (size_t)ceil((SVG_TEXT_SIZE + 1) / heat->height);
    const size_t columns = (size_t)ceil((widest + 4) / heat->width);

    for (size_t i = 0; i < figure->rows.count; i += rows) {
        char *name = svg_shortened(figure->rows.item[i], NAME_MAX, SVG_TEXT_SIZE);

        svg_text(out, heat->left - 4,
                 heat->top + ((double)i + 0.5) * heat->height + SVG_TEXT_SIZE * 0.36, SVG_END,
                 SVG_TEXT_SIZE, "", name);
        free(name);
    }
    for (size_t i = 0; i < figure->columns.count; i += columns) {
        char *name = svg_shortened(figure->columns.item[i], NAME_MAX, SVG_TEXT_SIZE);

        svg_text(out, heat->left + ((double)i + 0.5) * heat->width, heat->top - 4, SVG_MIDDLE,
                 SVG_TEXT_SIZE, "", name);
        free(name);
    }
}

static void draw_labels(struct svg_canvas *canvas, const struct heat *heat)
{
    static const struct svg_scale plain = {0};
    const struct figure *figure = heat->figure;
    const double middle = heat->top + heat->height * (double)figure->rows.count / 2;
    const double x = SVG_MARGIN + SVG_TEXT_SIZE * 0.8;
    char text[256];

    if (svg_axis_text(&figure->x, &plain, text, sizeof(text))[0] != '\0') {
        svg_text(canvas->out, heat->left + heat->width * (double)figure->columns.count / 2,
                 heat->top - SVG_TEXT_SIZE - 9, SVG_MIDDLE, SVG_TEXT_SIZE, "", text);
    }
    if (svg_axis_text(&figure->y, &plain, text, sizeof(text))[0] != '\0') {
        svg_turned_text(canvas->out, x, middle, SVG_MIDDLE, 90, text);
    }
}

static void draw_key(struct svg_canvas *canvas, const struct heat *heat)
{
    const double y = canvas->bottom + 8;
    char text[48];
    double x = heat->left;

    if (!(heat->greatest > heat->least)) {
        return;
    }
    value_text(heat->least, text);
    svg_text(canvas->out, x, y + 9, SVG_START, SVG_NOTE_SIZE, "", text);
    x += svg_text_width(text, SVG_NOTE_SIZE) + 6;
    for (size_t i = 0; i < KEY_STEPS; i++) {
        svg_rectangle(canvas->out, x, y, KEY_STEP, 10,
                      level_paint(i * (SHADES - 1) / (KEY_STEPS - 1), text));
        x += KEY_STEP;
    }
    svg_text(canvas->out, x + 6, y + 9, SVG_START, SVG_NOTE_SIZE, "",
             value_text(heat->greatest, text));
    if (heat->logarithmic) {
        svg_text(canvas->out, x + 12 + svg_text_width(text, SVG_NOTE_SIZE), y + 9, SVG_START,
                 SVG_NOTE_SIZE, "", "shades: logarithmic");
    }
    canvas->bottom = y + 12;
}

void svg_heat(struct svg_canvas *canvas, const struct figure *figure)
{
    const bool label = figure->y.label != NULL || figure->y.unit != NULL;
    struct heat heat = {.figure = figure};
    const double rows = fmax(1, (double)figure->rows.count);
    const double columns = fmax(1, (double)figure->columns.count);

    set_range(&heat);
    heat.left = SVG_MARGIN + (label ? SVG_TEXT_SIZE + 6 : 0) +
                fmin(svg_widest(&figure->rows), NAME_MAX) + 6;
    heat.top = canvas->bottom + 2 * SVG_TEXT_SIZE + 16;
    heat.width = fmin(CELL_WIDTH_MAX, (canvas->width - SVG_MARGIN - heat.left) / columns);
    heat.height = fmax(CELL_HEIGHT_MIN, fmin(CELL_HEIGHT_MAX, FIELD_HEIGHT / rows));
    fputs("<defs><pattern id=\"absent\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
          "<path d=\"M-1 1l2-2M0 6l6-6M5 7l2-2\" stroke=\"#bbb\"/></pattern></defs>\n",
          canvas->out);
    for (size_t level = 0; level <= SHADES; level++) {
        draw_level(canvas->out, &heat, level);
    }
    for (size_t row = 0; row < figure->rows.count; row++) {
        for (size_t column = 0; column < figure->columns.count; column++) {
            draw_value(canvas->out, &heat, row, column);
        }
    }
    draw_names(canvas->out, &heat);
    draw_labels(canvas, &heat);
    canvas->bottom = heat.top + heat.height * rows;
    draw_key(canvas, &heat);
}
