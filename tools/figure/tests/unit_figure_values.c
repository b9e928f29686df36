/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures as tab-separated values: what is written of each kind. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/partial_file.h"
#include "tools/figure/figure.h"
#include "tools/figure/figure_values.h"
#include "tools/tests/support/unit.h"

static char *written(const struct figure *figure)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    figure_values_write(out, figure, "TSC at 5 Hz");
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
    char *text = written(figure);

    CHECK(strncmp(text, FIGURE_VALUES_MARK "\n", strlen(FIGURE_VALUES_MARK) + 1) == 0);
    CHECK(strstr(text, "\n# TSC at 5 Hz\n") != NULL);
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
    char *text = written(figure);

    CHECK_TEXT(text, FIGURE_VALUES_MARK "\n# t\n# TSC at 5 Hz\n# measured so\n# x: x, ms\n# y: y\n"
                                        "# one\n1\t0.1\n2\tNaN\n\n\n# two\n1000000001\t-3\n");
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
    check_values(figure, "g h\t5\t4\tNaN\n\n\n# b\ng h\t6\tNaN\tNaN\n");
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
    check_values(figure, "r0\tc0\tNaN\nr1\tc0\t2.5\n");
    figure = figure_add(&figures, FIGURE_TIMELINE, "s", "t", "time");
    figure_add_span(figure, figure_add_lane(figure, "l0"), figure_add_state(figure, "never"), 0, 1);
    figure->span_count = 0;
    figure_add_span(figure, figure_add_lane(figure, "l1"), figure_add_state(figure, "busy"), 3, 4);
    check_values(figure, "l1\tbusy\t3\t4\n");
    figure = figure_add(&figures, FIGURE_TABLE, "s", "t", "table");
    figure_table(figure, "lr", heads);
    figure_cell(figure, "a\nb");
    figure_cell(figure, "%d", 7);
    check_values(figure, "name\tn\na b\t7\n");
    figures_free(&figures);
}

static void test_own_files(void)
{
    struct temporary temporary = {.path = ""};
    char path[TEMPORARY_PATH_MAX];

    CHECK(temporary_create(&temporary));
    CHECK(temporary_write(&temporary, "a.tsv", FIGURE_VALUES_MARK "\n1\t2\n"));
    temporary_name(&temporary, "a.tsv", path);
    CHECK(figure_values_is_own(path));
    CHECK(temporary_write(&temporary, "b.tsv", "1\t2\n"));
    temporary_name(&temporary, "b.tsv", path);
    CHECK(!figure_values_is_own(path));
    CHECK(temporary_write(&temporary, "c.txt", FIGURE_VALUES_MARK "\n"));
    temporary_name(&temporary, "c.txt", path);
    CHECK(!figure_values_is_own(path));
    CHECK(temporary_write(&temporary, "d.tsv", ""));
    temporary_name(&temporary, "d.tsv", path);
    CHECK(!figure_values_is_own(path));
    temporary_remove(&temporary);
}

int main(void)
{
    RUN(test_series());
    RUN(test_ranges());
    RUN(test_fields());
    RUN(test_own_files());
    return unit_finish("unit_figure_values");
}
