/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Figures as values and scripts of gnuplot: what is written of each kind, and, where gnuplot is
 * installed, that it draws all of them without a word: also what is empty, equal, alone, not there,
 * or has names to stumble over.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/temporary.h"
#include "tools/figure/figure.h"
#include "tools/figure/gnuplot.h"
#include "tools/tests/support/unit.h"

static const char hostile[] = "it's 50 %\t\"a_b\" \\n\n$1 `ls` µs {^x}";

static char *written(const struct figure *figure, void (*write)(FILE *, const struct figure *))
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    write(out, figure);
    fclose(out);
    return text;
}

/* Behind the comments that all begin with. */
static const char *behind_comments(const char *text)
{
    while (*text == '#') {
        text = strchr(text, '\n') + 1;
    }
    return text;
}

static void check_values(const struct figure *figure, const char *expected)
{
    char *text = written(figure, gnuplot_values);

    CHECK(strncmp(text, GNUPLOT_MARK "\n", strlen(GNUPLOT_MARK) + 1) == 0);
    CHECK_TEXT(behind_comments(text), expected);
    free(text);
}

/* ---- what is written ---- */

static struct figure *add_lines(struct figures *figures, enum figure_kind kind, const char *id)
{
    struct figure *figure = figure_add(figures, kind, "s", "t", "%s", id);
    struct figure_series *series;

    figure_how(figure, "measured\nso");
    figure_axes(figure, "x", "ms", "y", NULL);
    series = figure_add_series(figure, "one");
    figure_add_point(series, 1, 0.1);
    figure_add_point(series, 2, NAN);
    figure_add_series(figure, "none");
    series = figure_add_series(figure, "two");
    figure_add_point(series, 1e9 + 1, -3);
    return figure;
}

static void test_series(void)
{
    struct figures figures;

    figures_init(&figures);
    const struct figure *figure = add_lines(&figures, FIGURE_LINES, "lines");
    char *text = written(figure, gnuplot_values);

    CHECK_TEXT(text, GNUPLOT_MARK "\n# t\n# measured so\n# x: x, ms\n# y: y\n"
                                  "# one\n1\t0.1\n2\tNaN\n\n\n# two\n1000000001\t-3\n");
    free(text);
    text = written(figure, gnuplot_script);
    CHECK(strstr(text, "set xlabel 'x (ms)'\n") != NULL);
    CHECK(strstr(text, "set ylabel 'y'\n") != NULL);
    CHECK(strstr(text, "'lines.tsv' index 0 ") != NULL);
    CHECK(strstr(text, "'lines.tsv' index 1 using 1:2 with linespoints") != NULL);
    CHECK(strstr(text, "index 2") == NULL && strstr(text, "'none'") == NULL);
    free(text);
    figures_free(&figures);
}

static void test_ranges(void)
{
    struct figures figures;
    struct figure *figure;

    figures_init(&figures);
    figure = figure_add(&figures, FIGURE_HISTOGRAM, "s", "t", "h");
    figure_add_range(figure_add_series(figure, "n"), 15, 4, 10, 20);
    check_values(figure, "10\t20\t4\n");
    figure = figure_add(&figures, FIGURE_BARS, "s", "t", "b");
    figure_add_group(figure, "g\th");
    figure_add_range(figure_add_series(figure, "a"), 0, 5, 4, NAN);
    figure_add_point(figure_add_series(figure, "b"), 0, 6);
    check_values(figure, "-0.2\t5\t4\tNaN\tg h\n\n\n# b\n0.2\t6\tNaN\tNaN\tg h\n");
    figures_free(&figures);
}

static void test_fields(void)
{
    static const char *const heads[] = {"name", "n"};
    struct figures figures;
    struct figure *figure;

    figures_init(&figures);
    figure = figure_add(&figures, FIGURE_HEAT, "s", "t", "heat");
    figure_add_row(figure, "r0");
    figure_add_row(figure, "r1");
    figure_add_column(figure, "c0");
    figure_set_value(figure, 1, 0, 2.5);
    check_values(figure, "0\t0\tNaN\tc0\tr0\n0\t1\t2.5\tc0\tr1\n");
    figure = figure_add(&figures, FIGURE_TIMELINE, "s", "t", "time");
    figure_add_span(figure, figure_add_lane(figure, "l0"), figure_add_state(figure, "never"), 0, 1);
    figure->span_count = 0;
    figure_add_span(figure, figure_add_lane(figure, "l1"), figure_add_state(figure, "busy"), 3, 4);
    check_values(figure, "3\t4\t1\tl1\n");
    figure = figure_add(&figures, FIGURE_TABLE, "s", "t", "table");
    figure_table(figure, "lr", heads);
    figure_cell(figure, "a\nb");
    figure_cell(figure, "%d", 7);
    check_values(figure, "name\tn\na b\t7\n");
    CHECK(!gnuplot_draws(figure));
    figures_free(&figures);
}

static void test_nothing_to_draw(void)
{
    struct figures figures;
    struct figure *figure;

    figures_init(&figures);
    figure = figure_add(&figures, FIGURE_POINTS, "s", "t", "p");
    CHECK(!gnuplot_draws(figure));
    figure->y.logarithmic = true;
    figure_add_point(figure_add_series(figure, "zero"), 1, 0);
    CHECK(!gnuplot_draws(figure));
    figure->y.logarithmic = false;
    CHECK(gnuplot_draws(figure));
    figures_free(&figures);
}

static void test_own_files(void)
{
    struct temporary temporary = {.path = ""};
    char path[TEMPORARY_PATH_MAX];

    CHECK(temporary_create(&temporary));
    CHECK(temporary_write(&temporary, "a.gp", GNUPLOT_MARK "\nplot x\n"));
    temporary_name(&temporary, "a.gp", path);
    CHECK(gnuplot_is_own(path));
    CHECK(temporary_write(&temporary, "b.gp", "plot x\n"));
    temporary_name(&temporary, "b.gp", path);
    CHECK(!gnuplot_is_own(path));
    CHECK(temporary_write(&temporary, "c.txt", GNUPLOT_MARK "\n"));
    temporary_name(&temporary, "c.txt", path);
    CHECK(!gnuplot_is_own(path));
    CHECK(temporary_write(&temporary, "d.svg", "<svg><desc>drawn by hand</desc></svg>"));
    temporary_name(&temporary, "d.svg", path);
    CHECK(!gnuplot_is_own(path));
    temporary_remove(&temporary);
}

/* ---- what gnuplot says ---- */

static void add_series_figures(struct figures *figures)
{
    static const enum figure_kind kinds[] = {FIGURE_LINES, FIGURE_STEPS, FIGURE_STICKS,
                                             FIGURE_POINTS};

    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        struct figure *figure = add_lines(figures, kinds[k], "kind");

        figure->has_threshold = true;
        figure->threshold = 0.05;
        figure = figure_add(figures, kinds[k], hostile, hostile, "alone");
        figure_how(figure, "%s", hostile);
        figure_axes(figure, hostile, hostile, hostile, hostile);
        figure_add_point(figure_add_series(figure, hostile), 5, 0);
        figure = figure_add(figures, kinds[k], "s", "equal", "equal");
        figure->x.logarithmic = true;
        figure->y.logarithmic = k % 2 == 0;
        for (unsigned s = 0; s < 20; s++) {
            struct figure_series *series = figure_add_series(figure, "same");

            figure_add_range(series, 0, 7, 6, 8);
            figure_add_range(series, 3, 7, k == 0 ? NAN : 0, 8);
        }
    }
}

static void add_other_figures(struct figures *figures)
{
    struct figure *figure;
    struct figure_series *series;

    for (unsigned logarithmic = 0; logarithmic < 2; logarithmic++) {
        figure = figure_add(figures, FIGURE_HISTOGRAM, "s", "bins", "bins");
        figure->x.logarithmic = figure->y.logarithmic = logarithmic != 0;
        figure->has_threshold = true;
        figure->threshold = 10;
        series = figure_add_series(figure, "n");
        figure_add_range(series, 1.5, 0, 1, 2);
        figure_add_range(series, 1500, 1, 1000, 2000);
        figure = figure_add(figures, FIGURE_BARS, "s", "bars", "bars");
        figure->y.logarithmic = logarithmic != 0;
        figure->x.logarithmic = logarithmic != 0;
        figure_add_group(figure, hostile);
        figure_add_group(figure, "h");
        series = figure_add_series(figure, "with");
        figure_add_range(series, 0, 10, -5, 20);
        figure_add_range(series, 1, 10, NAN, NAN);
        series = figure_add_series(figure, "absent");
        figure_add_range(series, 0, NAN, NAN, NAN);
        figure_add_range(series, 1, NAN, NAN, NAN);
    }
    figure = figure_add(figures, FIGURE_HEAT, "s", "one cell", "heat");
    figure_add_row(figure, hostile);
    figure_add_column(figure, hostile);
    figure_set_value(figure, 0, 0, 0);
    figure = figure_add(figures, FIGURE_HEAT, "s", "holes", "heat");
    for (unsigned i = 0; i < 30; i++) {
        figure_add_row(figure, "r");
        figure_add_column(figure, "c");
    }
    for (unsigned i = 0; i < 30; i++) {
        figure_set_value(figure, i, 29 - i, i);
    }
    figure = figure_add(figures, FIGURE_TIMELINE, "s", "spans", "timeline");
    for (unsigned i = 0; i < 40; i++) {
        char name[16];

        snprintf(name, sizeof(name), "lane_%u", i);
        figure_add_span(figure, figure_add_lane(figure, name), figure_add_state(figure, name), i,
                        i + 1e-6);
    }
    figure = figure_add(figures, FIGURE_TIMELINE, "s", "a moment", "timeline");
    figure_add_span(figure, figure_add_lane(figure, hostile), figure_add_state(figure, hostile), 3,
                    3);
}

static void write_file(const struct temporary *temporary, const struct figure *figure,
                       const char *ending, void (*write)(FILE *, const struct figure *))
{
    char name[100];
    char *text = written(figure, write);

    snprintf(name, sizeof(name), "%.80s.%s", figure->id, ending);
    CHECK(temporary_write(temporary, name, text));
    free(text);
}

static long size_of(const struct temporary *temporary, const char *name)
{
    char path[TEMPORARY_PATH_MAX];

    temporary_name(temporary, name, path);
    FILE *file = fopen(path, "rb");

    if (file == NULL) {
        return -1;
    }
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);

    fclose(file);
    return size;
}

static void test_drawing(void)
{
    struct figures figures;
    struct temporary temporary = {.path = ""};
    char command[TEMPORARY_PATH_MAX + 64];
    char name[100];
    char path[TEMPORARY_PATH_MAX];

    CHECK(temporary_create(&temporary));
    figures_init(&figures);
    add_series_figures(&figures);
    add_other_figures(&figures);
    for (size_t i = 0; i < figures.count; i++) {
        CHECK(gnuplot_draws(&figures.item[i]));
        write_file(&temporary, &figures.item[i], "tsv", gnuplot_values);
        write_file(&temporary, &figures.item[i], "gp", gnuplot_script);
    }
    snprintf(command, sizeof(command), "cd %s && LC_ALL=C.UTF-8 gnuplot *.gp 2>said || echo >>said",
             temporary.path);
    if (system("command -v gnuplot >/dev/null") == 0) { /* NOLINT: no input of others */
        CHECK_EQUAL(system(command), 0);                /* NOLINT: a path of our own */
        CHECK_EQUAL(size_of(&temporary, "said"), 0);
        for (size_t i = 0; i < figures.count; i++) {
            snprintf(name, sizeof(name), "%.80s.svg", figures.item[i].id);
            CHECK(size_of(&temporary, name) > 2000);
            temporary_name(&temporary, name, path);
            CHECK(gnuplot_is_own(path));
        }
    }
    figures_free(&figures);
    temporary_remove(&temporary);
}

int main(void)
{
    RUN(test_series());
    RUN(test_ranges());
    RUN(test_fields());
    RUN(test_nothing_to_draw());
    RUN(test_own_files());
    RUN(test_drawing());
    return unit_finish("unit_gnuplot");
}
