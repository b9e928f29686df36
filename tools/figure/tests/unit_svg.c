/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Figures as SVG: that files are well-formed whatever is in their texts, that what is drawn stands
 * where it has to, and that nothing great is lost where there are more points than pixels.
 *
 * With a directory as argument it only writes a figure of each kind there, for test_svg.sh.
 */
#include "tools/figure/svg.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tools/figure/svg_parts.h"
#include "tools/tests/support/unit.h"

#define STICKS     100000
#define MOST_BYTES 60000
#define DEPTH_MAX  16

static const char nasty[] = "a <b> & \"c\" ' \x01 \xff \xc3\xa9 \xed\xa0\x80 ]]> \xf0\x9f\x98\x80";

/* ---- drawing ---- */

static char *draw(const struct figure *figure)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    CHECK(svg_write(out, figure));
    fclose(out);
    return text;
}

static size_t count_of(const char *text, const char *what)
{
    size_t count = 0;

    for (const char *at = strstr(text, what); at != NULL; at = strstr(at + 1, what)) {
        count++;
    }
    return count;
}

/* The number behind `what`, from `*at` on, which moves behind it. */
static double number_behind(const char **at, const char *what)
{
    char *end;
    const char *found = strstr(*at, what);

    CHECK(found != NULL);
    if (found == NULL) {
        return NAN;
    }
    const double number = strtod(found + strlen(what), &end);

    *at = end;
    return number;
}

struct rectangle {
    double x, y, width, height;
};

/* The rectangle number `index` that has these attributes. */
static struct rectangle rectangle_of(const char *text, const char *attributes, size_t index)
{
    struct rectangle rectangle = {NAN, NAN, NAN, NAN};

    for (const char *at = strstr(text, "<rect "); at != NULL; at = strstr(at + 1, "<rect ")) {
        const char *end = strchr(at, '>');
        const char *found = strstr(at, attributes);

        if (found == NULL || found > end || index-- > 0) {
            continue;
        }
        const char *number = at;

        rectangle.x = number_behind(&number, " x=\"");
        rectangle.y = number_behind(&number, " y=\"");
        rectangle.width = number_behind(&number, " width=\"");
        rectangle.height = number_behind(&number, " height=\"");
        return rectangle;
    }
    CHECK(!"no such rectangle");
    return rectangle;
}

static struct rectangle frame_of(const char *text)
{
    return rectangle_of(text, "fill=\"none\" stroke=\"#999\"/>", 0);
}

static bool near(double a, double b, double by)
{
    if (fabs(a - b) > by) {
        fprintf(stderr, "%g is not near %g\n", a, b);
    }
    return fabs(a - b) <= by;
}

/* ---- an XML parser's eye ---- */

static bool valid_entity(const char *at)
{
    static const char *const entities[] = {"&lt;", "&gt;", "&amp;", "&quot;"};

    for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++) {
        if (strncmp(at, entities[i], strlen(entities[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* A tag's attributes up to its end: NAME="...", with nothing in it that may not be there. NULL: not
 * well-formed. */
static const char *skip_attributes(const char *at)
{
    while (isspace((unsigned char)*at)) {
        at++;
        if (!isalpha((unsigned char)*at)) {
            continue;
        }
        while (isalnum((unsigned char)*at) || *at == '-' || *at == ':') {
            at++;
        }
        if (at[0] != '=' || at[1] != '"') {
            return NULL;
        }
        for (at += 2; *at != '"'; at++) {
            if (*at == '\0' || *at == '<' || (*at == '&' && !valid_entity(at))) {
                return NULL;
            }
        }
        at++;
    }
    return at;
}

static bool valid_text(const char *at, const char *end)
{
    for (; at < end; at++) {
        const unsigned char byte = (unsigned char)*at;

        if ((byte < ' ' && byte != '\n' && byte != '\t') || *at == '>' ||
            (*at == '&' && !valid_entity(at))) {
            return false;
        }
    }
    return true;
}

/* Elements within each other, quoted attributes, known entities, one root, UTF-8. */
static bool well_formed(const char *text)
{
    char names[DEPTH_MAX][32];
    size_t depth = 0;
    size_t roots = 0;
    const char *at = strstr(text, "?>") + 2;

    while ((at = strchr(at, '<')) != NULL) {
        const bool closes = at[1] == '/';
        char name[32] = "";

        at += closes ? 2 : 1;
        for (size_t i = 0; isalpha((unsigned char)*at) && i < sizeof(name) - 1; i++) {
            name[i] = *at++;
        }
        roots += !closes && depth == 0;
        at = skip_attributes(at);
        if (at == NULL || (closes && (depth == 0 || strcmp(names[--depth], name) != 0))) {
            return false;
        }
        if (!closes && *at != '/') {
            snprintf(names[depth], sizeof(names[depth]), "%s", name);
            depth += depth < DEPTH_MAX - 1;
        }
        at += *at == '/';
        const char *next = strchr(at, '<');

        if (*at != '>' || (next != NULL && !valid_text(at + 1, next))) {
            return false;
        }
    }
    return depth == 0 && roots == 1;
}

/* ---- a figure of each kind ---- */

static void add_curves(struct figures *figures, enum figure_kind kind, const char *id)
{
    struct figure *figure = figure_add(figures, kind, "section", nasty, "%s", id);

    figure_axes(figure, nasty, "s", "latency", nasty);
    figure_how(figure, "%s", nasty);
    for (int k = 0; k < 3; k++) {
        struct figure_series *series = figure_add_series(figure, k == 0 ? nasty : "name");

        for (int i = 0; i <= 20; i++) {
            const double y = i == 10 ? NAN : 10 * (k + 1) + i;

            figure_add_range(series, i, y, kind == FIGURE_HISTOGRAM ? i - 0.5 : y - 1,
                             kind == FIGURE_HISTOGRAM ? i + 0.5 : y + 1);
        }
    }
}

static void add_groups(struct figures *figures)
{
    struct figure *figure = figure_add(figures, FIGURE_BARS, "section", nasty, "bars");

    figure_axes(figure, NULL, NULL, "cost", "ns");
    figure_add_group(figure, nasty);
    figure_add_group(figure, "second");
    for (int k = 0; k < 2; k++) {
        struct figure_series *series = figure_add_series(figure, k == 0 ? "first" : nasty);

        figure_add_range(series, 0, 40 * (k + 1), 30 * (k + 1), 45 * (k + 1));
        figure_add_range(series, 1, k == 0 ? NAN : 100, NAN, NAN);
    }
}

static void add_matrix(struct figures *figures)
{
    struct figure *figure = figure_add(figures, FIGURE_HEAT, "section", nasty, "heat");

    figure_axes(figure, "to", NULL, "from", NULL);
    for (int i = 0; i < 3; i++) {
        figure_add_row(figure, i == 0 ? nasty : "row");
        figure_add_column(figure, "column");
    }
    for (size_t i = 0; i < 8; i++) {
        figure_set_value(figure, i / 3, i % 3, (double)i + 1000);
    }
}

static void add_lanes(struct figures *figures)
{
    struct figure *figure = figure_add(figures, FIGURE_TIMELINE, "section", nasty, "timeline");

    figure_axes(figure, "time", "ms", NULL, NULL);
    const uint32_t lane = figure_add_lane(figure, nasty);
    const uint32_t runs = figure_add_state(figure, "runs");
    const uint32_t waits = figure_add_state(figure, "waits");

    figure_add_span(figure, lane, waits, 0, 500);
    figure_add_span(figure, lane, runs, 500, 500.0001);
    figure_add_span(figure, lane, waits, 500.0001, 1000);
}

static void add_all(struct figures *figures)
{
    static const char *const heads[] = {"name", nasty};

    figures_init(figures);
    add_curves(figures, FIGURE_LINES, "lines");
    add_curves(figures, FIGURE_STEPS, "steps");
    add_curves(figures, FIGURE_STICKS, "sticks");
    add_curves(figures, FIGURE_POINTS, "points");
    add_curves(figures, FIGURE_HISTOGRAM, "histogram");
    add_groups(figures);
    add_matrix(figures);
    add_lanes(figures);
    struct figure *table = figure_add(figures, FIGURE_TABLE, "section", nasty, "table");

    figure_table(table, "lr", heads);
    figure_cell(table, "%s", nasty);
    figure_cell(table, "cell");
    figure_add_absent(figures, "section", nasty, "absent", "%s", nasty);
}

static void test_well_formed(void)
{
    struct figures figures;

    CHECK(!well_formed("<?xml ?><a><b></a></b>"));
    CHECK(!well_formed("<?xml ?><a b=\"c&d\"/>"));
    CHECK(!well_formed("<?xml ?><a/><b/>"));
    add_all(&figures);
    for (size_t i = 0; i < figures.count; i++) {
        char *text = draw(&figures.item[i]);

        CHECK(well_formed(text));
        CHECK(strstr(text, "viewBox=\"0 0 ") != NULL);
        CHECK(strstr(text, "a &lt;b&gt; &amp; &quot;c&quot; ' ? ? \xc3\xa9 ??? ]]&gt; ") != NULL);
        CHECK(strstr(text, "nan") == NULL);
        CHECK(strstr(text, "inf") == NULL);
        free(text);
    }
    figures_free(&figures);
}

/* Nothing to draw is no reason to fail. */
static void test_empty(void)
{
    for (int kind = FIGURE_LINES; kind <= FIGURE_ABSENT; kind++) {
        for (int logarithmic = 0; logarithmic < 2; logarithmic++) {
            struct figures figures;

            figures_init(&figures);
            struct figure *figure =
                figure_add(&figures, (enum figure_kind)kind, NULL, NULL, "none");

            figure->x.logarithmic = figure->y.logarithmic = logarithmic;
            struct figure_series *series = figure_add_series(figure, NULL);

            figure_add_point(series, NAN, NAN);
            figure_add_point(series, -1, 0);
            figure_add_span(figure, 7, 7, 0, 1);
            char *text = draw(figure);

            CHECK(well_formed(text));
            CHECK(strstr(text, "nan") == NULL);
            free(text);
            figures_free(&figures);
        }
    }
}

static void test_failure(void)
{
    struct figures figures;
    FILE *full = fopen("/dev/full", "w");

    add_all(&figures);
    CHECK(full != NULL && !svg_write(full, &figures.item[0]));
    if (full != NULL) {
        fclose(full);
    }
    figures_free(&figures);
}

/* ---- places ---- */

/* A hundred thousand sticks: the greatest of each column of pixels is there, at its height. */
static void test_sticks(void)
{
    struct figures figures;
    uint64_t seed = 1;
    double greatest[STICKS / 100] = {0};

    figures_init(&figures);
    struct figure *figure = figure_add(&figures, FIGURE_STICKS, "s", "sticks", "sticks");
    struct figure_series *series = figure_add_series(figure, "events");

    for (size_t i = 0; i < STICKS; i++) {
        const double y = i == 0 ? 1000 : (double)(unit_random(&seed) % 990);

        figure_add_point(series, (double)i, y);
    }
    char *text = draw(figure);
    const struct rectangle frame = frame_of(text);
    const char *at = strstr(text, "stroke=\"#999\"/>\n<path d=\"M");

    CHECK(strlen(text) < MOST_BYTES);
    CHECK(at != NULL);
    for (size_t i = 0; i < STICKS; i++) {
        const size_t column =
            (size_t)(frame.x + frame.width * series->x[i] / (STICKS - 1)) - (size_t)frame.x;

        greatest[column] = fmax(greatest[column], series->y[i]);
    }
    at = strstr(at, "<path");
    for (size_t column = 0; column < (size_t)frame.width; column++) {
        const double x = number_behind(&at, column == 0 ? "\"M" : "M");
        const double top = number_behind(&at, "V");

        CHECK(near(x, floor(frame.x) + (double)column + 0.5, 0.06));
        CHECK(near(top, frame.y + frame.height * (1 - greatest[column] / 1000), 0.11));
    }
    free(text);
    figures_free(&figures);
}

/* One high and one low point of many, each alone in its column. */
static void test_line_keeps_extremes(void)
{
    struct figures figures;
    char wanted[64];

    figures_init(&figures);
    struct figure *figure = figure_add(&figures, FIGURE_LINES, "s", "line", "line");
    struct figure_series *series = figure_add_series(figure, "line");

    for (size_t i = 0; i < STICKS; i++) {
        figure_add_point(series, (double)i, i == 30003 ? 100 : i == 60007 ? 0 : 50);
    }
    char *text = draw(figure);
    const struct rectangle frame = frame_of(text);

    CHECK(strlen(text) < MOST_BYTES);
    for (int high = 0; high < 2; high++) {
        const double x = frame.x + frame.width * (high ? 30003.0 : 60007.0) / (STICKS - 1);

        snprintf(wanted, sizeof(wanted), "L%.10g %.10g", round(x * 10) / 10,
                 high ? frame.y : frame.y + frame.height);
        CHECK(strstr(text, wanted) != NULL);
    }
    free(text);
    figures_free(&figures);
}

/* Where a value is missing the line has a gap. */
static void test_gap(void)
{
    struct figures figures;

    figures_init(&figures);
    struct figure *figure = figure_add(&figures, FIGURE_LINES, "s", "gap", "gap");
    struct figure_series *series = figure_add_series(figure, "a");

    for (int i = 0; i < 100; i++) {
        figure_add_point(series, i, i == 40 ? NAN : 1 + i % 2);
    }
    char *text = draw(figure);
    char *line = strstr(text, "<path d=\"M");

    while (line != NULL && strstr(line, "stroke-linejoin") > strchr(line, '\n')) {
        line = strstr(line + 1, "<path d=\"M");
    }
    CHECK(line != NULL);
    if (line != NULL) {
        *strchr(line, '\n') = '\0';
        CHECK_EQUAL(count_of(line, "M"), 2);
    }
    free(text);
    figures_free(&figures);
}

static void test_logarithmic(void)
{
    struct figures figures;

    figures_init(&figures);
    struct figure *figure = figure_add(&figures, FIGURE_POINTS, "s", "log", "log");
    struct figure_series *series = figure_add_series(figure, "a");

    figure->y.logarithmic = true;
    figure_add_point(series, 0, 1);
    figure_add_point(series, 1, 100);
    figure_add_point(series, 2, 10000);
    figure_add_point(series, 3, 0);
    figure_add_point(series, 4, -5);
    char *text = draw(figure);
    const struct rectangle frame = frame_of(text);
    const char *at = strstr(strstr(text, "fill=\"none\" stroke=\"#999\"/>"), "<path");

    CHECK(strstr(text, "a logarithmic axis cannot show: 2.") != NULL);
    for (int i = 0; i < 3; i++) {
        number_behind(&at, "M");
        CHECK(near(strtod(at, NULL), frame.y + frame.height * (1 - i / 2.0), 0.06));
    }
    free(text);
    figures_free(&figures);
}

/* A line with its name beside points, which have markers and the only entry of the legend. */
static void test_reference(void)
{
    struct figures figures;

    figures_init(&figures);
    struct figure *figure = figure_add(&figures, FIGURE_POINTS, "s", "held", "held");
    struct figure_series *series = figure_add_series(figure, "measured");

    figure_add_point(series, 0, 1);
    figure_add_point(series, 10, 9);
    series = figure_add_reference(figure, "limit");
    figure_add_point(series, 0, 5);
    figure_add_point(series, 10, 5);
    char *text = draw(figure);
    const char *line = strstr(text, "stroke-dasharray=\"6 3\"");

    CHECK(line != NULL && strstr(line, ">limit</text>") != NULL);
    CHECK(strstr(strstr(text, ">limit</text>") + 1, ">limit</text>") == NULL);
    CHECK(strstr(text, ">measured</text>") != NULL);
    free(text);
    figures_free(&figures);
}

/* Heights as the values; what is missing is named. */
static void test_bars(void)
{
    struct figures figures;

    figures_init(&figures);
    add_groups(&figures);
    char *text = draw(&figures.item[0]);
    const struct rectangle frame = frame_of(text);
    /* Behind the sample of the legend. */
    const struct rectangle first = rectangle_of(text, "fill=\"#444\"", 1);
    const struct rectangle second = rectangle_of(text, "fill=\"#bbb\"", 1);

    CHECK(near(first.height, frame.height * 0.4, 0.11));
    CHECK(near(second.height, frame.height * 0.8, 0.11));
    CHECK(near(first.y + first.height, frame.y + frame.height, 0.11));
    CHECK(near(second.x, first.x + first.width, 0.11));
    CHECK_EQUAL(count_of(text, "fill=\"#444\""), 2);
    CHECK_EQUAL(count_of(text, ">n/a<"), 1);
    free(text);
    figures_free(&figures);
}

/* Of bins narrower than a pixel the highest is seen. */
static void test_histogram(void)
{
    struct figures figures;
    double highest = INFINITY;

    figures_init(&figures);
    struct figure *figure = figure_add(&figures, FIGURE_HISTOGRAM, "s", "bins", "bins");
    struct figure_series *series = figure_add_series(figure, "bins");

    for (int i = 0; i < 5000; i++) {
        figure_add_range(series, i + 0.5, i == 3333 ? 1000 : 10, i, i + 1);
    }
    char *text = draw(figure);
    const struct rectangle frame = frame_of(text);

    for (const char *at = strstr(text, "V"); at != NULL; at = strstr(at + 1, "V")) {
        highest = fmin(highest, strtod(at + 1, NULL));
    }
    CHECK(near(highest, frame.y, 0.06));
    CHECK_EQUAL(count_of(text, "V"), 4); /* up to 10, up to 1000, back, and down to the axis */
    free(text);
    figures_free(&figures);
}

static void test_heat(void)
{
    struct figures figures;
    char cell[16];

    figures_init(&figures);
    add_matrix(&figures);
    char *text = draw(&figures.item[0]);

    for (int i = 0; i < 8; i++) {
        snprintf(cell, sizeof(cell), ">%d<", 1000 + i);
        CHECK_EQUAL(count_of(text, cell), i == 0 || i == 7 ? 2 : 1); /* the key has the ends */
    }
    CHECK_EQUAL(count_of(text, "fill=\"url(#absent)\""), 1);
    CHECK(strstr(text, "fill=\"#ffffff\"") != NULL); /* the least */
    CHECK(strstr(text, "fill=\"#404040\"") != NULL); /* the greatest */
    free(text);
    figures_free(&figures);
}

/* A span of a ten thousandth of a pixel has its pixel, and its part of the height. */
static void test_timeline(void)
{
    struct figures figures;

    figures_init(&figures);
    add_lanes(&figures);
    char *text = draw(&figures.item[0]);
    const struct rectangle frame = frame_of(text);
    const char *at = strstr(text, "fill=\"#000\"/>\n<path d=\"M"); /* the next state */

    CHECK(at != NULL);
    while (at != NULL && at > text && strncmp(at, "<path", 5) != 0) {
        at--;
    }
    const double x = number_behind(&at, "M");

    CHECK(near(x, frame.x + frame.width / 2, 1));
    CHECK(near(number_behind(&at, "h"), 1, 0));
    CHECK(number_behind(&at, "v") >= 3);
    free(text);
    figures_free(&figures);
}

static void test_table(void)
{
    struct figures figures;

    add_all(&figures);
    char *text = draw(&figures.item[8]);

    CHECK_EQUAL(figures.item[8].kind, FIGURE_TABLE);
    CHECK(strstr(text, "text-anchor=\"end\">cell</text>") != NULL);
    CHECK(strstr(text, "font-weight=\"bold\">name</text>") != NULL);
    free(text);
    figures_free(&figures);
}

/* ---- ticks ---- */

static void check_ticks(const struct figure_axis *axis, double least, double greatest,
                        const char *wanted)
{
    const struct svg_extent extent = {least, greatest, 0, least == floor(least)};
    struct svg_scale scale;
    struct svg_tick ticks[SVG_TICKS_MAX];
    char text[512] = "";

    svg_scale_init(&scale, axis, &extent, false, true);
    const size_t count = svg_ticks(&scale, ticks);

    for (size_t i = 0; i < count; i++) {
        if (ticks[i].text[0] != '\0') {
            snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s ", ticks[i].text);
        }
        CHECK(svg_place(&scale, ticks[i].value) >= -1e-9);
    }
    CHECK_TEXT(text, wanted);
}

static void test_ticks(void)
{
    static struct figure_axis plain;
    static struct figure_axis logarithmic = {.logarithmic = true};
    static char unit[] = "bytes";
    static struct figure_axis bytes = {.unit = unit, .logarithmic = true};

    check_ticks(&plain, 0, 97, "0 20 40 60 80 100 ");
    check_ticks(&plain, 1, 3, "0 1 2 3 "); /* integers: none between them */
    check_ticks(&plain, -0.31, 0.28, "-0.4 -0.2 0.0 0.2 0.4 ");
    check_ticks(&plain, 2e6, 7.5e6, "0 2 4 6 8 "); /* of 10^6 */
    check_ticks(&plain, 996, 1004, "996 998 1000 1002 1004 ");
    check_ticks(&logarithmic, 1, 90, "1 2 5 10 20 50 100 ");
    check_ticks(&logarithmic, 0.01, 1e5, "0.01 0.1 1 10 100 1000 10\xe2\x81\xb4 10\xe2\x81\xb5 ");
    check_ticks(&logarithmic, 20000, 100000, "2\u00b710\u2074 5\u00b710\u2074 10\u2075 ");
    check_ticks(&bytes, 4096, 131072, "4 KiB 8 KiB 16 KiB 32 KiB 64 KiB 128 KiB ");
}

static int write_all(const char *directory)
{
    struct figures figures;
    char path[512];
    bool good = true;

    add_all(&figures);
    for (size_t i = 0; i < figures.count; i++) {
        snprintf(path, sizeof(path), "%s/%s.svg", directory, figures.item[i].id);
        FILE *out = fopen(path, "w");

        good = out != NULL && svg_write(out, &figures.item[i]) && good;
        if (out != NULL) {
            fclose(out);
        }
    }
    figures_free(&figures);
    return good ? 0 : 1;
}

/* Sixteen curves differ; an axis shows the range that it must hold. */
static void test_styles(void)
{
    struct figures figures;

    for (size_t i = 0; i < 16; i++) {
        for (size_t k = 0; k < i; k++) {
            CHECK(strcmp(svg_dashes(i), svg_dashes(k)) != 0);
        }
    }
    figures_init(&figures);
    struct figure *figure = figure_add(&figures, FIGURE_STEPS, "s", "t", "held");

    figure_add_point(figure_add_series(figure, "one"), 2, 3);
    figure_add_point(&figure->series[0], 4, 5);
    figure_axis_holds(&figure->x, 0, 9000);
    figure_axis_holds(&figure->y, 0, 80);
    char *text = draw(figure);

    CHECK(strstr(text, ">8000</text>") != NULL && strstr(text, ">80</text>") != NULL);
    free(text);
    figures_free(&figures);
}

/* Four states, and transitions between two of them. */
static void test_states(void)
{
    struct figures figures;

    figures_init(&figures);
    struct figure *figure = figure_add(&figures, FIGURE_STATES, "s", "t", "states");

    for (size_t i = 0; i < 4; i++) {
        figure_add_row(figure, i == 0 ? "first\nline" : "other");
        figure_add_column(figure, "other");
    }
    figure_set_value(figure, 0, 1, 17);
    figure_set_value(figure, 1, 0, 4);
    figure_set_value(figure, 2, 2, 5); /* no arrow: the state stays the same */
    figure_set_value(figure, 2, 3, 0);
    char *text = draw(figure);

    CHECK_EQUAL(count_of(text, "<circle"), 4);
    CHECK_EQUAL(count_of(text, "marker-end"), 2);
    CHECK(strstr(text, ">17</text>") != NULL && strstr(text, ">first</text>") != NULL);
    free(text);
    figures_free(&figures);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        return write_all(argv[1]);
    }
    RUN(test_well_formed());
    RUN(test_empty());
    RUN(test_failure());
    RUN(test_sticks());
    RUN(test_line_keeps_extremes());
    RUN(test_gap());
    RUN(test_logarithmic());
    RUN(test_reference());
    RUN(test_bars());
    RUN(test_histogram());
    RUN(test_heat());
    RUN(test_timeline());
    RUN(test_table());
    RUN(test_ticks());
    RUN(test_styles());
    RUN(test_states());
    return unit_finish("unit_svg");
}
