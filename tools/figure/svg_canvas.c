/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws texts, paths, markers and legends of a figure as SVG (svg_parts.h). */
#include "tools/figure/svg_parts.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/base/clean_text.h"

#define LINE_HEIGHT  1.3
#define LEGEND_GAP   14.0
#define LEGEND_ROW   16.0
#define CONTINUATION 0x80
#define ELLIPSIS     "\xe2\x80\xa6"

/* ---- text ---- */

static bool is_continuation(unsigned char byte)
{
    return (byte & 0xc0) == CONTINUATION;
}

static void escape(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        i += xml_put(out, text + i, "?");
    }
}

void svg_escape(FILE *out, const char *text)
{
    escape(out, text, strlen(text));
}

/* Writes the number rounded to a tenth, with no more digits than needed. */
static void svg_number(FILE *out, double value)
{
    const double rounded = round(value * 10) / 10;

    fprintf(out, "%.10g", rounded == 0 ? 0 : rounded);
}

void svg_path(FILE *out, char command, int count, ...)
{
    va_list values;

    va_start(values, count);
    fputc(command, out);
    for (int i = 0; i < count; i++) {
        if (i > 0) {
            fputc(' ', out);
        }
        svg_number(out, va_arg(values, double));
    }
    va_end(values);
}

void svg_whisker(FILE *out, double x, double half, double from, double to)
{
    svg_path(out, 'M', 2, x - half, from);
    svg_path(out, 'h', 1, 2 * half);
    svg_path(out, 'M', 2, x, from);
    svg_path(out, 'V', 1, to);
    svg_path(out, 'm', 2, -half, 0.0);
    svg_path(out, 'h', 1, 2 * half);
}

/* Returns the width of a character for font size 1. It is an estimate for common sans serif fonts,
 * rather too wide than too narrow. */
static double character_width(char character)
{
    if (strchr("iljftI.,:;'|!()[] ", character) != NULL) {
        return 0.36;
    }
    if (strchr("mwMW%@", character) != NULL) {
        return 0.92;
    }
    return isupper((unsigned char)character) ? 0.70 : 0.60;
}

static double width_of(const char *text, size_t length, double size)
{
    double width = 0;

    for (size_t i = 0; i < length; i++) {
        width += is_continuation((unsigned char)text[i]) ? 0 : character_width(text[i]);
    }
    return width * size;
}

double svg_text_width(const char *text, double size)
{
    return width_of(text, strlen(text), size);
}

double svg_widest(const struct figure_list *names)
{
    double width = 0;

    for (size_t i = 0; i < names->count; i++) {
        width = fmax(width, svg_text_width(names->item[i], SVG_TEXT_SIZE));
    }
    return width;
}

static void put_text(FILE *out, double x, double y, enum svg_anchor anchor, double size,
                     const char *attributes, const char *text, size_t length)
{
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};

    fputs("<text x=\"", out);
    svg_number(out, x);
    fputs("\" y=\"", out);
    svg_number(out, y);
    fprintf(out, "\" font-size=\"%g\"%s%s>", size, anchors[anchor], attributes);
    escape(out, text, length);
    fputs("</text>\n", out);
}

void svg_text(FILE *out, double x, double y, enum svg_anchor anchor, double size,
              const char *attributes, const char *text)
{
    put_text(out, x, y, anchor, size, attributes, text, strlen(text));
}

void svg_turned_text(FILE *out, double x, double y, enum svg_anchor anchor, double degrees,
                     const char *text)
{
    char turned[96];

    snprintf(turned, sizeof(turned), " transform=\"rotate(-%g %.1f %.1f)\"", degrees, x, y);
    svg_text(out, x, y, anchor, SVG_TEXT_SIZE, turned, text);
}

/* Returns how many bytes of the text fit into a line: up to a blank, or as many as fit if there is
 * no blank. */
static size_t line_length(const char *text, double width, double size)
{
    size_t fitting = 0;
    size_t blank = 0;

    while (text[fitting] != '\0' && text[fitting] != '\n' &&
           width_of(text, fitting + 1, size) <= width) {
        blank = text[fitting] == ' ' ? fitting : blank;
        fitting++;
    }
    if (text[fitting] == '\0' || text[fitting] == '\n' || text[fitting] == ' ') {
        return fitting;
    }
    while (blank == 0 && fitting > 0 && is_continuation((unsigned char)text[fitting])) {
        fitting--;
    }
    return blank > 0 ? blank : fitting > 0 ? fitting : 1;
}

size_t svg_wrapped(FILE *out, double x, double y, double width, double size, const char *attributes,
                   const char *text)
{
    size_t lines = 0;

    while (*text != '\0') {
        const size_t length = line_length(text, width, size);

        put_text(out, x, y + (double)lines * size * LINE_HEIGHT, SVG_START, size, attributes, text,
                 length);
        lines++;
        text += length;
        while (*text == ' ' || *text == '\n') {
            text++;
        }
    }
    return lines;
}

char *svg_shortened(const char *text, double width, double size)
{
    const size_t whole = strlen(text);
    size_t length = whole;

    while (length > 1 && width_of(text, length, size) + (length < whole ? size : 0) > width) {
        length--;
        while (length > 1 && is_continuation((unsigned char)text[length])) {
            length--;
        }
    }
    char *shortened = alloc_zeroed(length + sizeof(ELLIPSIS));

    memcpy(shortened, text, length);
    if (length < whole) {
        memcpy(shortened + length, ELLIPSIS, sizeof(ELLIPSIS));
    }
    return shortened;
}

/* ---- shapes ---- */

void svg_line(FILE *out, double x1, double y1, double x2, double y2, const char *attributes)
{
    fputs("<path d=\"", out);
    svg_path(out, 'M', 2, x1, y1);
    svg_path(out, 'L', 2, x2, y2);
    fprintf(out, "\"%s/>\n", attributes);
}

void svg_rectangle(FILE *out, double x, double y, double width, double height,
                   const char *attributes)
{
    fputs("<rect x=\"", out);
    svg_number(out, x);
    fputs("\" y=\"", out);
    svg_number(out, y);
    fputs("\" width=\"", out);
    svg_number(out, width);
    fputs("\" height=\"", out);
    svg_number(out, height);
    fprintf(out, "\"%s/>\n", attributes);
}

/* ---- distinguishing series ---- */

const char *svg_dashes(size_t series)
{
    static const char *const dashes[] = {
        " stroke=\"#000\"",
        " stroke=\"#777\"",
        " stroke=\"#000\" stroke-dasharray=\"7 3\"",
        " stroke=\"#777\" stroke-dasharray=\"7 3\"",
        " stroke=\"#000\" stroke-dasharray=\"2 2\"",
        " stroke=\"#777\" stroke-dasharray=\"2 2\"",
        " stroke=\"#000\" stroke-dasharray=\"9 3 2 3\"",
        " stroke=\"#777\" stroke-dasharray=\"9 3 2 3\"",
        " stroke=\"#000\" stroke-dasharray=\"14 4\"",
        " stroke=\"#777\" stroke-dasharray=\"14 4\"",
        " stroke=\"#000\" stroke-dasharray=\"1 4\"",
        " stroke=\"#777\" stroke-dasharray=\"1 4\"",
        " stroke=\"#000\" stroke-dasharray=\"9 3 2 3 2 3\"",
        " stroke=\"#777\" stroke-dasharray=\"9 3 2 3 2 3\"",
        " stroke=\"#000\" stroke-dasharray=\"5 8\"",
        " stroke=\"#777\" stroke-dasharray=\"5 8\"",
    };

    return dashes[series % (sizeof(dashes) / sizeof(dashes[0]))];
}

const char *svg_fill(size_t series)
{
    static const char *const fills[SVG_FILLS] = {
        " fill=\"#444\" stroke=\"#000\"",          " fill=\"#bbb\" stroke=\"#000\"",
        " fill=\"url(#rising)\" stroke=\"#000\"",  " fill=\"#fff\" stroke=\"#000\"",
        " fill=\"url(#falling)\" stroke=\"#000\"", " fill=\"#888\" stroke=\"#000\"",
        " fill=\"url(#level)\" stroke=\"#000\"",   " fill=\"url(#crossed)\" stroke=\"#000\"",
    };

    return fills[series % SVG_FILLS];
}

void svg_define_fills(FILE *out)
{
    static const struct {
        const char *id;
        const char *lines;
    } patterns[] = {
        {"rising", "M-1 1l2-2M0 5l5-5M4 6l2-2"},
        {"falling", "M-1 4l2 2M0 0l5 5M4-1l2 2"},
        {"level", "M0 2.5h5"},
        {"crossed", "M0 0l5 5M0 5l5-5"},
    };

    fputs("<defs>\n", out);
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        fprintf(out,
                "<pattern id=\"%s\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\">"
                "<rect width=\"5\" height=\"5\" fill=\"#fff\"/>"
                "<path d=\"%s\" stroke=\"#000\" fill=\"none\"/></pattern>\n",
                patterns[i].id, patterns[i].lines);
    }
    fputs("</defs>\n", out);
}

/* The shapes are circle, square, triangle, diamond, triangle downwards. */
void svg_marker(FILE *out, size_t series, double x, double y)
{
    static const char *const shapes[] = {
        "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z", "m-2.6-2.6h5.2v5.2h-5.2z", "m0-3.4l3.3 5.8h-6.6z",
        "m0-3.6l3.2 3.6l-3.2 3.6l-3.2-3.6z",  "m0 3.4l3.3-5.8h-6.6z",
    };

    svg_path(out, 'M', 2, x, y);
    fputs(shapes[series % (sizeof(shapes) / sizeof(shapes[0]))], out);
}

const char *svg_marker_paint(size_t series)
{
    static const char *const paints[] = {" fill=\"#000\" stroke=\"#000\"",
                                         " fill=\"#fff\" stroke=\"#555\"",
                                         " fill=\"#999\" stroke=\"#000\""};

    return paints[series % (sizeof(paints) / sizeof(paints[0]))];
}

void svg_legend(struct svg_canvas *canvas, const char *const *names, size_t count,
                void (*sample)(FILE *out, size_t index, double x, double y))
{
    const double room = canvas->width - 2 * SVG_MARGIN;
    double x = SVG_MARGIN;
    double y = canvas->bottom + LEGEND_ROW / 2;

    for (size_t i = 0; i < count; i++) {
        if (names[i] == NULL) {
            continue;
        }
        char *name = svg_shortened(names[i], room - SVG_SAMPLE_WIDTH, SVG_TEXT_SIZE);
        const double width = SVG_SAMPLE_WIDTH + svg_text_width(name, SVG_TEXT_SIZE) + LEGEND_GAP;

        if (x > SVG_MARGIN && x + width - LEGEND_GAP > canvas->width - SVG_MARGIN) {
            x = SVG_MARGIN;
            y += LEGEND_ROW;
        }
        sample(canvas->out, i, x, y);
        svg_text(canvas->out, x + SVG_SAMPLE_WIDTH, y + SVG_TEXT_SIZE * 0.36, SVG_START,
                 SVG_TEXT_SIZE, "", name);
        x += width;
        free(name);
    }
    canvas->bottom = x > SVG_MARGIN ? y + LEGEND_ROW / 2 : canvas->bottom;
}
