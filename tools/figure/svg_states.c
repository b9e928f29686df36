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
#define HEAD     7.0
#define LINE     13.0

struct point {
    double x, y;
};

/* Returns the middle of a state: even ones are above odd ones. */
static struct point place_of(const struct svg_canvas *canvas, const struct figure *figure,
                             size_t state)
{
    const double step = canvas->width / (double)((figure->rows.count + 1) / 2);

    return (struct point){step * ((double)(state / 2) + 0.5),
                          canvas->bottom + MARGIN + (state % 2 == 0 ? 0 : DISTANCE)};
}

/* Returns the point at this distance from one point towards another. */
static struct point towards(struct point from, struct point to, double distance)
{
    const double part = distance / hypot(to.x - from.x, to.y - from.y);

    return (struct point){from.x + part * (to.x - from.x), from.y + part * (to.y - from.y)};
}

static void draw_arrow(FILE *out, struct point from, struct point to, bool wide, double number)
{
    const double bend = wide ? WIDE : BEND;
    const struct point control = {(from.x + to.x) / 2 - bend * (to.y - from.y),
                                  (from.y + to.y) / 2 + bend * (to.x - from.x)};
    const struct point begin = towards(from, control, RADIUS);
    const struct point end = towards(to, control, RADIUS);
    const struct point neck = towards(end, control, HEAD);
    const double across_x = (end.y - neck.y) / 2;
    const double across_y = (neck.x - end.x) / 2;
    char text[32];

    fprintf(out, "<path d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f", begin.x, begin.y, control.x, control.y,
            neck.x, neck.y);
    fprintf(out, "M%.1f %.1fL%.1f %.1fL%.1f %.1f\" fill=\"none\" stroke=\"#555\"/>\n",
            neck.x + across_x, neck.y + across_y, end.x, end.y, neck.x - across_x,
            neck.y - across_y);
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

    for (size_t i = 0; i < count * count; i++) {
        const struct point from = place_of(canvas, figure, i / count);
        const struct point to = place_of(canvas, figure, i % count);
        const bool wide = (i / count) % 2 == (i % count) % 2 &&
                          fabs(to.x - from.x) > 1.5 * canvas->width / (double)((count + 1) / 2);

        if (figure->values[i] > 0 && i / count != i % count) {
            draw_arrow(canvas->out, from, to, wide, figure->values[i]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        draw_state(canvas->out, place_of(canvas, figure, i), figure->rows.item[i]);
    }
    canvas->bottom += 2 * MARGIN + DISTANCE;
}
