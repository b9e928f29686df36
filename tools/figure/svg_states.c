/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws the states of a machine as circles in two rows, and transitions as arrows with their
 * number.
 */
#include <math.h>
#include <string.h>

#include "tools/figure/svg_parts.h"

#define RADIUS   38.0
#define MARGIN   (RADIUS + 24) /* room for arrows that pass over other states */
#define DISTANCE 170.0         /* between the rows */
#define BEND     0.14          /* of an arrow, as a part of its length */
#define WIDE     0.32          /* the same, if it passes over other states */
#define LINE     13.0

struct point {
    double x, y;
};

/* Returns the middle of a state: even ones are above odd ones. */
static struct point place_of(const struct svg_canvas *canvas, const struct figure *figure,
                             size_t state)
{
    const size_t columns = (figure->rows.count + 1) / 2;
    const size_t column = state / 2;
    const double step = canvas->width / (double)columns;

    return (struct point){step * ((double)column + 0.5),
                          canvas->bottom + MARGIN + (state % 2 == 0 ? 0 : DISTANCE)};
}

/* Returns the point on a state's circle in the direction of another point. */
static struct point edge_of(struct point state, struct point to)
{
    const double part = RADIUS / hypot(to.x - state.x, to.y - state.y);

    return (struct point){state.x + part * (to.x - state.x), state.y + part * (to.y - state.y)};
}

static void draw_arrow(FILE *out, struct point from, struct point to, double bend, double number)
{
    const struct point control = {(from.x + to.x) / 2 - bend * (to.y - from.y),
                                  (from.y + to.y) / 2 + bend * (to.x - from.x)};
    const struct point begin = edge_of(from, control);
    const struct point end = edge_of(to, control);
    char text[32];

    fprintf(out,
            "<path d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\" fill=\"none\" stroke=\"#555\" "
            "marker-end=\"url(#arrow)\"/>\n",
            begin.x, begin.y, control.x, control.y, end.x, end.y);
    snprintf(text, sizeof(text), "%.0f", number);
    svg_text(out, (begin.x + 2 * control.x + end.x) / 4, (begin.y + 2 * control.y + end.y) / 4 + 4,
             SVG_MIDDLE, SVG_NOTE_SIZE,
             " stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\"", text);
}

/* Draws a circle with the lines of a name. */
static void draw_state(FILE *out, struct point at, const char *name)
{
    double y = at.y - LINE / 2;

    fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.0f\" fill=\"#fff\" stroke=\"#000\"/>\n",
            at.x, at.y, RADIUS);
    for (char line[64]; *name != '\0'; y += LINE) {
        const size_t length = strcspn(name, "\n");

        snprintf(line, sizeof(line), "%.*s", (int)length, name);
        svg_text(out, at.x, y, SVG_MIDDLE, SVG_NOTE_SIZE, "", line);
        name += length + (name[length] == '\n');
    }
}

void svg_states(struct svg_canvas *canvas, const struct figure *figure)
{
    const size_t count = figure->rows.count;

    fputs("<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"9\" "
          "markerHeight=\"9\" orient=\"auto\">"
          "<path d=\"M0 0L8 4L0 8\" fill=\"none\" stroke=\"#555\"/></marker></defs>\n",
          canvas->out);
    for (size_t i = 0; i < count * count; i++) {
        const size_t from = i / count;
        const size_t to = i % count;
        const bool over = from % 2 == to % 2 && (from > to + 2 || to > from + 2);

        if (figure->values[i] > 0 && from != to) {
            draw_arrow(canvas->out, place_of(canvas, figure, from), place_of(canvas, figure, to),
                       over ? WIDE : BEND, figure->values[i]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        draw_state(canvas->out, place_of(canvas, figure, i), figure->rows.item[i]);
    }
    canvas->bottom += 2 * MARGIN + DISTANCE;
}
