/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The colours of the page's series, read from report.css, which alone has them: each pair differs
 * by a CIEDE2000 of DIFFERENCE_MIN or more for normal sight, protanopia and deuteranopia, in light
 * and dark, also from the greys of idle states; and each has the contrast that WCAG 2.1 asks of
 * graphics (1.4.11) with both grounds.
 *
 * CIEDE2000 is compared with published pairs: Sharma, Wu, Dalal, "The CIEDE2000 color-difference
 * formula", 2005, table 1. The matrices are those of Machado, Oliveira, Fernandes, 2009,
 * severity 1.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tests/support/unit.h"

#define SERIES         8
#define DIFFERENCE_MIN 12
#define CONTRAST_MIN   3
#define DEGREE         (M_PI / 180)

extern const char page_report_css[];

struct rgb {
    double part[3]; /* sRGB, linear, 0 to 1 */
};

struct lab {
    double l, a, b;
};

enum sight {
    SIGHT_NORMAL,
    SIGHT_PROTANOPIA,
    SIGHT_DEUTERANOPIA,
    SIGHTS,
};

static double linear(double part)
{
    return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4);
}

/* The colour that follows `at`, such as "#0073c0". */
static struct rgb read_colour(const char *at)
{
    const unsigned long bits = strtoul(at + 1, NULL, 16);
    struct rgb colour;

    CHECK(at[0] == '#');
    for (unsigned i = 0; i < 3; i++) {
        colour.part[i] = linear((double)(bits >> (16 - 8 * i) & 0xff) / 255);
    }
    return colour;
}

/* The colour of a name in the style, for light or for dark. */
static struct rgb colour_of(const char *css, const char *name, bool dark)
{
    static const char pair[] = ": light-dark(";
    const char *at = strstr(css, name);

    CHECK(at != NULL && strncmp(at + strlen(name), pair, strlen(pair)) == 0);
    at = at != NULL ? at : css;
    at += strlen(name) + strlen(pair);
    return read_colour(dark ? strstr(at, ", ") + 2 : at);
}

static double luminance(struct rgb colour)
{
    return 0.2126 * colour.part[0] + 0.7152 * colour.part[1] + 0.0722 * colour.part[2];
}

static double contrast(struct rgb first, struct rgb second)
{
    const double a = luminance(first);
    const double b = luminance(second);

    return (fmax(a, b) + 0.05) / (fmin(a, b) + 0.05);
}

static struct rgb seen(struct rgb colour, enum sight sight)
{
    static const double matrix[SIGHTS][3][3] = {
        [SIGHT_NORMAL] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
        [SIGHT_PROTANOPIA] = {{0.152286, 1.052583, -0.204868},
                              {0.114503, 0.786281, 0.099216},
                              {-0.003882, -0.048116, 1.051998}},
        [SIGHT_DEUTERANOPIA] = {{0.367322, 0.860646, -0.227968},
                                {0.280085, 0.672501, 0.047413},
                                {-0.011820, 0.042940, 0.968881}},
    };
    struct rgb result = {0};

    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 3; k++) {
            result.part[i] += matrix[sight][i][k] * colour.part[k];
        }
        result.part[i] = fmin(fmax(result.part[i], 0), 1);
    }
    return result;
}

static double lab_part(double value)
{
    return value > 216.0 / 24389 ? cbrt(value) : (24389.0 / 27 * value + 16) / 116;
}

/* CIELAB for D65. */
static struct lab lab_of(struct rgb colour)
{
    const double *part = colour.part;
    const double x =
        lab_part((0.4124564 * part[0] + 0.3575761 * part[1] + 0.1804375 * part[2]) / 0.95047);
    const double y = lab_part(0.2126729 * part[0] + 0.7151522 * part[1] + 0.0721750 * part[2]);
    const double z =
        lab_part((0.0193339 * part[0] + 0.1191920 * part[1] + 0.9503041 * part[2]) / 1.08883);

    return (struct lab){116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

/* Degrees from 0 to 360; 0 for grey. */
static double hue(double a, double b)
{
    const double angle = a == 0 && b == 0 ? 0 : atan2(b, a) / DEGREE;

    return angle < 0 ? angle + 360 : angle;
}

static double chroma_share(double chroma)
{
    return sqrt(pow(chroma, 7) / (pow(chroma, 7) + pow(25, 7)));
}

static double mean_hue(double h1, double h2, bool grey)
{
    const double sum = h1 + h2;

    if (grey) {
        return sum;
    }
    return fabs(h1 - h2) <= 180 ? sum / 2 : sum < 360 ? (sum + 360) / 2 : (sum - 360) / 2;
}

static double hue_step(double h1, double h2, bool grey)
{
    const double step = h2 - h1;

    return grey ? 0 : step > 180 ? step - 360 : step < -180 ? step + 360 : step;
}

static double difference(struct lab one, struct lab two)
{
    const double stretch =
        1 + 0.5 * (1 - chroma_share((hypot(one.a, one.b) + hypot(two.a, two.b)) / 2));
    const double c1 = hypot(stretch * one.a, one.b);
    const double c2 = hypot(stretch * two.a, two.b);
    const double h1 = hue(stretch * one.a, one.b);
    const double h2 = hue(stretch * two.a, two.b);
    const bool grey = c1 * c2 == 0;
    const double h = mean_hue(h1, h2, grey);
    const double c = (c1 + c2) / 2;
    const double l = pow((one.l + two.l) / 2 - 50, 2);
    const double t = 1 - 0.17 * cos((h - 30) * DEGREE) + 0.24 * cos(2 * h * DEGREE) +
                     0.32 * cos((3 * h + 6) * DEGREE) - 0.2 * cos((4 * h - 63) * DEGREE);
    const double dl = (two.l - one.l) / (1 + 0.015 * l / sqrt(20 + l));
    const double dc = (c2 - c1) / (1 + 0.045 * c);
    const double dh =
        2 * sqrt(c1 * c2) * sin(hue_step(h1, h2, grey) / 2 * DEGREE) / (1 + 0.015 * c * t);
    const double turn = -2 * chroma_share(c) * sin(60 * DEGREE * exp(-pow((h - 275) / 25, 2)));

    return sqrt(dl * dl + dc * dc + dh * dh + turn * dc * dh);
}

static void test_difference(void)
{
    static const struct {
        struct lab one, two;
        double wanted;
    } pairs[] = {
        {{50, 2.6772, -79.7751}, {50, 0, -82.7485}, 2.0425},
        {{50, -1.3802, -84.2814}, {50, 0, -82.7485}, 1.0000},
        {{50, 0, 0}, {50, -1, 2}, 2.3669},
        {{50, 2.49, -0.001}, {50, -2.49, 0.0011}, 7.2195},
        {{50, 2.5, 0}, {73, 25, -18}, 27.1492},
        {{60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}, 1.2644},
        {{2.0776, 0.0795, -1.1350}, {0.9033, -0.0636, -0.5514}, 0.9082},
    };

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        CHECK(fabs(difference(pairs[i].one, pairs[i].two) - pairs[i].wanted) < 5e-5);
    }
}

/* The least difference of a series from another or from a grey. */
static double least_difference(const char *css, bool dark, enum sight sight)
{
    static const char *const names[] = {"--series-0", "--series-1", "--series-2", "--series-3",
                                        "--series-4", "--series-5", "--series-6", "--series-7",
                                        "--quiet",    "--rest"};
    double least = INFINITY;

    for (size_t i = 0; i < SERIES; i++) {
        const struct lab one = lab_of(seen(colour_of(css, names[i], dark), sight));

        for (size_t k = i + 1; k < sizeof(names) / sizeof(names[0]); k++) {
            const struct lab two = lab_of(seen(colour_of(css, names[k], dark), sight));

            least = fmin(least, difference(one, two));
        }
    }
    return least;
}

static void test_palette(void)
{
    static const char *const grounds[] = {"--ground", "--panel"};

    CHECK(strstr(page_report_css, "--series-8") == NULL);
    for (int dark = 0; dark < 2; dark++) {
        for (enum sight sight = SIGHT_NORMAL; sight < SIGHTS; sight++) {
            CHECK(least_difference(page_report_css, dark != 0, sight) >= DIFFERENCE_MIN);
        }
        for (unsigned i = 0; i < 2 * SERIES; i++) {
            char name[] = "--series-0";

            name[strlen(name) - 1] = (char)('0' + i / 2);
            CHECK(contrast(colour_of(page_report_css, name, dark != 0),
                           colour_of(page_report_css, grounds[i % 2], dark != 0)) >= CONTRAST_MIN);
        }
    }
}

/* A palette that the bound rejects: orange and brown are one colour with protanopia, lavender and
 * violet nearly one with deuteranopia. */
static void test_mutant(void)
{
    static const char css[] =
        "--series-0: light-dark(#0072b2, #56b4e9); --series-1: light-dark(#d55e00, #f0803c); "
        "--series-2: light-dark(#008a64, #1fc490); --series-3: light-dark(#b0568c, #e08fc0); "
        "--series-4: light-dark(#9c6f00, #e6b422); --series-5: light-dark(#2a8fc7, #8fa8ff); "
        "--series-6: light-dark(#4b4b4b, #c9ced4); --series-7: light-dark(#7a5cc4, #b48cf2); "
        "--quiet: light-dark(#aab2bb, #59626d); --rest: light-dark(#dde2e7, #313943);";

    CHECK(least_difference(css, false, SIGHT_PROTANOPIA) < 1);
    CHECK(least_difference(css, true, SIGHT_DEUTERANOPIA) < 5);
}

int main(void)
{
    RUN(test_difference());
    RUN(test_palette());
    RUN(test_mutant());
    return unit_finish("unit_palette");
}
