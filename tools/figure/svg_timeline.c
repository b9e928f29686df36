/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws timelines (figure.h) as SVG. */
#include <math.h>
#include <stdlib.h>

#include "tools/base/alloc.h"
#include "tools/figure/svg_parts.h"

#define COLUMNS      640
#define LANE_MAX     30.0
#define LANE_MIN     9.0
#define LANES_HEIGHT 280.0
#define LANE_FILLED  0.8
#define NAME_MAX     170.0
#define NAMED_LEAST  24.0 /* width of a span that shows its name */
#define SPAN_LEAST   1e-6 /* least width of a span in pixels, so that a moment is drawn too */
#define PART_LEAST   0.17 /* least share of a lane's height, so that rare states stay visible */

/* Fills of states. A span of one pixel does not show hatches, so they come only after the greys. */
static const char *const paints[] = {
    " fill=\"#000\"", " fill=\"#bbb\"", " fill=\"#777\"",        " fill=\"#e4e4e4\"",
    " fill=\"#444\"", " fill=\"#999\"", " fill=\"url(#level)\"", " fill=\"url(#crossed)\""};

static const char *paint_of(size_t state)
{
    return paints[state % (sizeof(paints) / sizeof(paints[0]))];
}

/* Where a state is drawn in each column of pixels of a lane: from `top` on, `height` high. A height
 * of 0 means that it does not occur there. */
struct state_run {
    double top[COLUMNS];
    double height[COLUMNS];
};

/* Adds the span's time to each column that it touches, even if it is shorter than a pixel. */
static void add_span(double *time, const struct svg_field *field, const struct figure_span *span)
{
    const double from = svg_place(&field->x, span->begin);
    const double to = svg_place(&field->x, span->end);

    if (!isfinite(from) || !isfinite(to) || from < 0 || to >= COLUMNS) {
        return;
    }
    for (double x = floor(from); x == floor(from) || x < to; x++) {
        time[(size_t)x] += fmax(SPAN_LEAST, fmin(to, x + 1) - fmax(from, x));
    }
}

/* Stacks the states of a column, each as high as its share of the time and high enough to be seen.
 */
static void stack_column(struct state_run *runs, size_t states, size_t column, double top,
                         double height)
{
    double all = 0;
    double visible = 0;
    double at = 0;

    for (size_t i = 0; i < states; i++) {
        all += runs[i].height[column];
    }
    for (size_t i = 0; i < states && all > 0; i++) {
        double *part = &runs[i].height[column];

        *part = *part > 0 ? fmax(*part / all, PART_LEAST) : 0;
        visible += *part;
    }
    for (size_t i = 0; i < states && visible > 0; i++) {
        const double begin = round(height * at / visible);

        at += runs[i].height[column];
        runs[i].top[column] = top + begin;
        runs[i].height[column] = round(height * at / visible) - begin;
    }
}

static void draw_run(FILE *out, const struct state_run *run, size_t state)
{
    fputs("<path d=\"", out);
    for (size_t i = 0, end; i < COLUMNS; i = end) {
        end = i + 1;
        while (end < COLUMNS && run->top[end] == run->top[i] &&
               run->height[end] == run->height[i]) {
            end++;
        }
        if (run->height[i] > 0) {
            svg_path(out, 'M', 2, (double)i, run->top[i]);
            svg_path(out, 'h', 1, (double)(end - i));
            svg_path(out, 'v', 1, run->height[i]);
            svg_path(out, 'h', 1, (double)i - (double)end);
            fputc('z', out);
        }
    }
    fprintf(out, "\"%s/>\n", paint_of(state));
}

static void draw_states(FILE *out, const struct figure *figure, const struct svg_field *field,
                        uint32_t lane, double top, double height)
{
    const size_t states = figure->states.count;
    struct state_run *runs = alloc_zeroed((states + 1) * sizeof(*runs));

    for (size_t i = 0; i < figure->span_count; i++) {
        const struct figure_span *span = &figure->spans[i];

        if (span->lane == lane && span->state < states) {
            add_span(runs[span->state].height, field, span);
        }
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        stack_column(runs, states, i, top, height);
    }
    for (size_t i = 0; i < states; i++) {
        draw_run(out, &runs[i], i);
    }
    free(runs);
}

/* Draws the borders of named spans, and their names where they fit. */
static void draw_names(FILE *out, const struct figure *figure, const struct svg_field *field,
                       uint32_t lane, double top, double height)
{
    for (size_t i = 0; i < figure->span_count; i++) {
        const struct figure_span *span = &figure->spans[i];
        const double from = svg_place(&field->x, span->begin);
        const double width = svg_place(&field->x, span->end) - from;

        if (span->lane != lane || span->name == 0 || !(width > 2)) {
            continue;
        }
        svg_rectangle(out, from, top, width, height, " fill=\"none\" stroke=\"#fff\"");
        if (width > NAMED_LEAST) {
            char *name =
                svg_shortened(figure->span_names.item[span->name - 1], width - 4, SVG_NOTE_SIZE);

            svg_text(out, from + 2, top + height / 2 + SVG_NOTE_SIZE * 0.36, SVG_START,
                     fmin(SVG_NOTE_SIZE, height), span->state % 2 == 0 ? " fill=\"#fff\"" : "",
                     name);
            free(name);
        }
    }
}

static void set_scale(const struct figure *figure, struct svg_field *field)
{
    static const struct figure_axis plain = {0};
    struct svg_extent x = {INFINITY, -INFINITY, 0, false};
    struct svg_extent y = {0, 1, 0, true};

    for (size_t i = 0; i < figure->span_count; i++) {
        svg_extend(&x, &figure->x, figure->spans[i].begin);
        svg_extend(&x, &figure->x, figure->spans[i].end);
    }
    svg_scale_init(&field->x, &figure->x, &x, false, false);
    svg_scale_init(&field->y, &plain, &y, true, false);
}

static void sample_state(FILE *out, size_t index, double x, double y)
{
    svg_rectangle(out, x, y - 5, SVG_SAMPLE_WIDTH - 6, 10, paint_of(index));
}

static void draw_lane(FILE *out, const struct figure *figure, const struct svg_field *field,
                      uint32_t lane)
{
    const double pitch = (field->bottom - field->top) / (double)figure->lanes.count;
    const double top = field->top + pitch * (lane + (1 - LANE_FILLED) / 2);
    char *name = svg_shortened(figure->lanes.item[lane], NAME_MAX, SVG_TEXT_SIZE);

    svg_text(out, field->left - 6, top + pitch * LANE_FILLED / 2 + SVG_TEXT_SIZE * 0.36, SVG_END,
             fmin(SVG_TEXT_SIZE, pitch), "", name);
    draw_states(out, figure, field, lane, round(top), round(pitch * LANE_FILLED));
    draw_names(out, figure, field, lane, round(top), round(pitch * LANE_FILLED));
    free(name);
}

void svg_timeline(struct svg_canvas *canvas, const struct figure *figure)
{
    const double lanes = fmax(1, (double)figure->lanes.count);
    const double lane = fmax(LANE_MIN, fmin(LANE_MAX, LANES_HEIGHT / lanes));
    struct svg_field field;

    svg_define_fills(canvas->out);
    set_scale(figure, &field);
    svg_legend(canvas, (const char *const *)figure->states.item, figure->states.count,
               sample_state);
    svg_field_place(canvas, figure, &field, lanes * lane,
                    fmin(svg_widest(&figure->lanes), NAME_MAX) + 8);
    svg_field_x_ticks(canvas, &field);
    for (uint32_t i = 0; i < figure->lanes.count; i++) {
        draw_lane(canvas->out, figure, &field, i);
    }
    svg_field_frame(canvas, &field);
    svg_field_labels(canvas, figure, &field);
}
