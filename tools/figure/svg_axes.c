/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws axes, ticks and labels of a figure as SVG (svg_parts.h). */
#include "tools/figure/svg_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_WANTED   6
#define OCTAVES_WANTED 8
#define ROUNDS         3 /* an axis that became longer may need a longer step */
#define DECADES_MANY   8
#define DECADES_FEW    2.2
/* share of a scale: a tick this little beyond an end is drawn at the end */
#define OUTSIDE 1e-9
/* an axis does not begin at 0 if the least value is above this share of the greatest */
#define NARROW         0.95
#define PLAIN_EXPONENT 3 /* powers of ten from 10^-3 to 10^3 are written as plain numbers */
#define TICK_LENGTH    4.0
#define LABEL_ROOM     16.0
#define TICK_GAP       2.0
#define HALF_HEIGHT    (SVG_TEXT_SIZE * 0.36) /* distance from the middle of a digit to its foot */
#define GRID           " stroke=\"#ddd\""
#define TICK           " stroke=\"#555\""

void svg_extend(struct svg_extent *extent, const struct figure_axis *axis, double value)
{
    if (!isfinite(value)) {
        return;
    }
    if (axis->logarithmic && value <= 0) {
        extent->left_out++;
        return;
    }
    extent->least = fmin(extent->least, value);
    extent->greatest = fmax(extent->greatest, value);
    extent->whole = extent->whole && value == floor(value);
}

/* ---- steps ---- */

/* Returns the least of 1, 2, 5 times a power of ten that is not below `value`, which must be
 * positive. */
static double round_up(double value)
{
    static const double steps[] = {1, 2, 5, 10};
    const double power = pow(10, floor(log10(value)));
    size_t i = 0;

    while (i < 3 && steps[i] * power < value * (1 - OUTSIDE)) {
        i++;
    }
    return steps[i] * power;
}

static double round_down(double value)
{
    static const double steps[] = {5, 2, 1};
    const double power = pow(10, floor(log10(value) + OUTSIDE));
    size_t i = 0;

    while (i < 2 && steps[i] * power > value * (1 + OUTSIDE)) {
        i++;
    }
    return steps[i] * power;
}

static double linear_step(const struct svg_scale *scale)
{
    const double step = round_up((scale->greatest - scale->least) / STEPS_WANTED);

    return scale->whole && step < 1 ? 1 : step;
}

/* ---- ranges ---- */

static void init_logarithmic(struct svg_scale *scale, bool base, bool round)
{
    if (base) {
        scale->least = round_down(scale->least * (1 - 2 * OUTSIDE) / 1.2);
    }
    if (scale->binary && round) {
        scale->least = exp2(floor(log2(scale->least)));
        scale->greatest = exp2(ceil(log2(scale->greatest)));
    } else if (round || scale->least == scale->greatest) {
        scale->least = round_down(scale->least);
        scale->greatest = round_up(scale->greatest);
    }
    if (scale->least == scale->greatest) {
        scale->least /= 2;
        scale->greatest *= 2;
    }
}

static void init_linear(struct svg_scale *scale, bool base, bool round)
{
    const bool narrow = scale->least >= NARROW * scale->greatest && scale->least < scale->greatest;

    if (base || (round && scale->least > 0 && !narrow)) {
        scale->least = fmin(scale->least, 0);
        scale->greatest = fmax(scale->greatest, 0);
    }
    if (scale->least == scale->greatest) {
        const double room = scale->least != 0 ? fabs(scale->least) / 2 : 1;

        scale->greatest += room;
        scale->least -= base && scale->least == 0 ? 0 : room;
    }
    for (int i = 0; round && i < ROUNDS; i++) {
        const double step = linear_step(scale);

        scale->least = floor(scale->least / step + OUTSIDE) * step;
        scale->greatest = ceil(scale->greatest / step - OUTSIDE) * step;
    }
}

void svg_scale_init(struct svg_scale *scale, const struct figure_axis *axis,
                    const struct svg_extent *extent, bool base, bool round)
{
    const bool any = extent->least <= extent->greatest;

    *scale = (struct svg_scale){
        .least = any                 ? extent->least
                 : axis->logarithmic ? 1
                                     : 0,
        .greatest = any ? extent->greatest : 1,
        .logarithmic = axis->logarithmic,
        .whole = extent->whole,
        .binary = axis->logarithmic && axis->unit != NULL && strcmp(axis->unit, "bytes") == 0,
    };
    if (scale->logarithmic) {
        init_logarithmic(scale, base, round);
        return;
    }
    init_linear(scale, base, round);
    const double size = fmax(fabs(scale->least), fabs(scale->greatest));

    if (size >= 1e5 || size < 1e-2) {
        scale->exponent = 3 * (int)floor(log10(size) / 3 + OUTSIDE);
    }
}

double svg_place(const struct svg_scale *scale, double value)
{
    if (!isfinite(value) || (scale->logarithmic && value <= 0)) {
        return NAN;
    }
    const double part = scale->logarithmic
                            ? log(value / scale->least) / log(scale->greatest / scale->least)
                            : (value - scale->least) / (scale->greatest - scale->least);

    return scale->begin + part * (scale->end - scale->begin);
}

/* ---- ticks ---- */

static const char *superscript(int number, char text[SVG_TICK_TEXT])
{
    static const char *const digits[] = {
        "\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",     "\xc2\xb3",     "\xe2\x81\xb4",
        "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7", "\xe2\x81\xb8", "\xe2\x81\xb9"};
    char plain[12];

    snprintf(plain, sizeof(plain), "%d", number);
    text[0] = '\0';
    for (const char *at = plain; *at != '\0'; at++) {
        strcat(text, *at == '-' ? "\xe2\x81\xbb" : digits[*at - '0']);
    }
    return text;
}

static struct svg_tick *add_tick(struct svg_tick *ticks, size_t *count, double value)
{
    struct svg_tick *tick = &ticks[*count];

    *count += *count + 1 < SVG_TICKS_MAX;
    tick->value = value;
    tick->text[0] = '\0';
    return tick;
}

static size_t linear_ticks(const struct svg_scale *scale, struct svg_tick *ticks)
{
    const double step = linear_step(scale);
    const double shown = step / pow(10, scale->exponent);
    const int decimals = shown < 1 ? (int)ceil(-log10(shown) - OUTSIDE) : 0;
    size_t count = 0;

    for (double at = ceil(scale->least / step - OUTSIDE);
         at * step <= scale->greatest + OUTSIDE * step; at++) {
        snprintf(add_tick(ticks, &count, at * step)->text, SVG_TICK_TEXT, "%.*f", decimals,
                 at == 0 ? 0 : at * shown);
    }
    return count;
}

static size_t binary_ticks(const struct svg_scale *scale, struct svg_tick *ticks)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    const int first = (int)ceil(log2(scale->least) - OUTSIDE);
    const int last = (int)floor(log2(scale->greatest) + OUTSIDE);
    const int every = (last - first) / OCTAVES_WANTED + 1;
    size_t count = 0;

    for (int power = first; power <= last; power++) {
        struct svg_tick *tick = add_tick(ticks, &count, ldexp(1, power));

        if (power >= 0 && power < 70 && power % every == 0) {
            snprintf(tick->text, SVG_TICK_TEXT, "%d %s", 1 << power % 10, units[power / 10]);
        }
    }
    return count;
}

/* Writes FACTOR times ten to POWER, such as "20", "10⁴" or "2·10⁴". */
static void power_text(int factor, int power, char text[SVG_TICK_TEXT])
{
    char above[SVG_TICK_TEXT];

    if (power >= -PLAIN_EXPONENT && power <= PLAIN_EXPONENT) {
        snprintf(text, SVG_TICK_TEXT, "%g", factor * pow(10, power));
    } else if (factor == 1) {
        snprintf(text, SVG_TICK_TEXT, "10%.20s", superscript(power, above));
    } else {
        snprintf(text, SVG_TICK_TEXT,
                 "%d\xc2\xb7"
                 "10%.16s",
                 factor, superscript(power, above));
    }
}

/* Puts ticks at 1, 2 and 5 of each decade if there are few decades, otherwise at powers of ten. If
 * those are too many, not all have a text. */
static size_t decimal_ticks(const struct svg_scale *scale, struct svg_tick *ticks)
{
    static const int factors[] = {1, 2, 5};
    const double decades = log10(scale->greatest / scale->least);
    const int every = (int)(decades / DECADES_MANY) + 1;
    size_t count = 0;

    for (int power = (int)floor(log10(scale->least));
         pow(10, power) <= scale->greatest * (1 + OUTSIDE); power++) {
        for (size_t i = 0; i < (decades < DECADES_FEW ? 3 : 1); i++) {
            const double value = factors[i] * pow(10, power);

            if (value < scale->least * (1 - OUTSIDE) || value > scale->greatest * (1 + OUTSIDE)) {
                continue;
            }
            struct svg_tick *tick = add_tick(ticks, &count, value);

            if (power % every == 0) {
                power_text(factors[i], power, tick->text);
            }
        }
    }
    return count;
}

size_t svg_ticks(const struct svg_scale *scale, struct svg_tick ticks[SVG_TICKS_MAX])
{
    if (!scale->logarithmic) {
        return linear_ticks(scale, ticks);
    }
    return scale->binary && scale->greatest >= 4 * scale->least ? binary_ticks(scale, ticks)
                                                                : decimal_ticks(scale, ticks);
}

const char *svg_axis_text(const struct figure_axis *axis, const struct svg_scale *scale, char *text,
                          size_t size)
{
    const char *label = axis->label != NULL ? axis->label : "";
    const bool has_unit = axis->unit != NULL && !scale->binary;
    char power[SVG_TICK_TEXT];
    char unit[96] = "";

    if (scale->exponent != 0) {
        snprintf(unit, sizeof(unit), "10%.20s%s%.40s", superscript(scale->exponent, power),
                 has_unit ? " " : "", has_unit ? axis->unit : "");
    } else if (has_unit) {
        snprintf(unit, sizeof(unit), "%.80s", axis->unit);
    }
    if (unit[0] == '\0' || *label == '\0') {
        snprintf(text, size, "%s%s", label, unit);
    } else {
        snprintf(text, size, "%s (%s)", label, unit);
    }
    return text;
}

/* ---- the field between the axes ---- */

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

    if (svg_axis_text(&figure->x, &field->x, text, sizeof(text))[0] != '\0') {
        canvas->bottom += LABEL_ROOM;
        svg_text(canvas->out, (field->left + field->right) / 2, canvas->bottom, SVG_MIDDLE,
                 SVG_TEXT_SIZE, "", text);
    }
    if (svg_axis_text(&figure->y, &field->y, text, sizeof(text))[0] != '\0') {
        char *label = svg_shortened(text, field->bottom - field->top + LABEL_ROOM, SVG_TEXT_SIZE);

        svg_turned_text(canvas->out, x, middle, SVG_MIDDLE, 90, label);
        free(label);
    }
}

void svg_field_frame(struct svg_canvas *canvas, const struct svg_field *field)
{
    svg_rectangle(canvas->out, field->left, field->top, field->right - field->left,
                  field->bottom - field->top, " fill=\"none\" stroke=\"#999\"");
}
