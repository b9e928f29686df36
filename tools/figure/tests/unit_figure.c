/* SPDX-License-Identifier: BSD-2-Clause */
/* The model of figures: names, and what is left when points and spans become fewer. */
#include "tools/figure/figure.h"

#include <math.h>
#include <stdlib.h>

#include "tools/tests/support/unit.h"

#define MIDDLE 50000
#define POINTS (2 * MIDDLE)
#define PARTS  251 /* of figure_reduce() */
#define MOST   (4 * (PARTS - 1))
#define SPANS  50000

static void test_ids(void)
{
    struct figures figures;

    figures_init(&figures);
    CHECK_TEXT(figure_add(&figures, FIGURE_LINES, "s", "t", "a b/%d", 7)->id, "a-b-7");
    CHECK_TEXT(figure_add(&figures, FIGURE_LINES, "s", "t", "a.b.7")->id, "a-b-7-2");
    CHECK_TEXT(figure_add(&figures, FIGURE_LINES, "s", "t", "a-b-7")->id, "a-b-7-3");
    figure_add_absent(&figures, "s", "t", "none", "there is no %s", "such");
    CHECK_EQUAL(figures.count, 4);
    CHECK_EQUAL(figures.item[3].kind, FIGURE_ABSENT);
    CHECK_TEXT(figures.item[3].absent, "there is no such");
    figures_free(&figures);
}

static void test_matrix(void)
{
    struct figures figures;

    figures_init(&figures);
    struct figure *figure = figure_add(&figures, FIGURE_HEAT, "s", "t", "heat");

    figure_add_row(figure, "0");
    figure_add_row(figure, "1");
    figure_add_column(figure, "0");
    figure_add_column(figure, "1");
    figure_set_value(figure, 1, 0, 5);
    figure_set_value(figure, 2, 0, 9);
    CHECK(isnan(figure->values[0]));
    CHECK(isnan(figure->values[1]));
    CHECK(figure->values[2] == 5);
    CHECK(isnan(figure->values[3]));
    CHECK_EQUAL(figure_add_lane(figure, "a"), 0);
    CHECK_EQUAL(figure_add_lane(figure, "b"), 1);
    CHECK_EQUAL(figure_add_lane(figure, "a"), 0);
    figures_free(&figures);
}

/* Of how many parts of x, as wide as those of figure_reduce(), both extremes are among the points
 * that were kept. */
static size_t count_extremes(const struct figure_series *all, const struct figure_series *kept)
{
    const double width = (all->x[all->n - 1] - all->x[0]) / PARTS;
    size_t found = 0;

    for (size_t part = 0; part < PARTS; part++) {
        double extremes[2][2] = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
        const struct figure_series *const both[] = {all, kept};

        for (size_t i = 0; i < 2; i++) {
            for (size_t k = 0; k < both[i]->n; k++) {
                if (floor((both[i]->x[k] - all->x[0]) / width) == (double)part) {
                    extremes[i][0] = fmin(extremes[i][0], both[i]->y[k]);
                    extremes[i][1] = fmax(extremes[i][1], both[i]->y[k]);
                }
            }
        }
        found += extremes[0][0] == extremes[1][0] && extremes[0][1] == extremes[1][1];
    }
    return found;
}

static void fill_series(struct figure *figure, size_t points)
{
    struct figure_series *series = figure_add_series(figure, "all");
    uint64_t state = 5;

    for (size_t i = 0; i < points; i++) {
        const double y = (double)(unit_random(&state) % 1000);

        figure_add_range(series, (double)i + 0.25, i == MIDDLE ? 1e6 : y, y - 1, y + 1);
    }
}

static void test_extremes_stay(void)
{
    struct figures figures;

    figures_init(&figures);
    struct figure *all = figure_add(&figures, FIGURE_STICKS, "s", "t", "all");

    fill_series(all, POINTS);
    fill_series(figure_add(&figures, FIGURE_STICKS, "s", "t", "few"), POINTS);
    struct figure *few = &figures.item[1];

    figure_reduce(few, MOST);
    CHECK(few->series[0].n <= MOST + 4);
    CHECK(few->series[0].n >= MOST / 2);
    CHECK_EQUAL(count_extremes(&figures.item[0].series[0], &few->series[0]), PARTS);
    bool in_order = true;
    bool ranges_stay = true;
    bool peak_stays = false;

    for (size_t i = 0; i < few->series[0].n; i++) {
        const struct figure_series *series = &few->series[0];

        in_order = in_order && (i == 0 || series->x[i] > series->x[i - 1]);
        peak_stays = peak_stays || (series->x[i] == MIDDLE + 0.25 && series->y[i] == 1e6);
        ranges_stay = ranges_stay && (series->y[i] == 1e6 || (series->low[i] == series->y[i] - 1 &&
                                                              series->high[i] == series->y[i] + 1));
    }
    CHECK(in_order);
    CHECK(peak_stays);
    CHECK(ranges_stay);
    figures_free(&figures);
}

/* Few points, points whose x falls, and those all at one place. */
static void test_what_stays_whole(void)
{
    struct figures figures;

    figures_init(&figures);
    fill_series(figure_add(&figures, FIGURE_LINES, "s", "t", "few"), MOST);
    figure_reduce(&figures.item[0], MOST);
    CHECK_EQUAL(figures.item[0].series[0].n, MOST);

    fill_series(figure_add(&figures, FIGURE_LINES, "s", "t", "falls"), 2 * MOST);
    figures.item[1].series[0].x[7] = -1;
    figure_reduce(&figures.item[1], MOST);
    CHECK_EQUAL(figures.item[1].series[0].n, 2 * MOST);

    fill_series(figure_add(&figures, FIGURE_BARS, "s", "t", "bars"), 2 * MOST);
    figure_reduce(&figures.item[2], MOST);
    CHECK_EQUAL(figures.item[2].series[0].n, 2 * MOST);

    fill_series(figure_add(&figures, FIGURE_LINES, "s", "t", "one-place"), 2 * MOST);
    for (size_t i = 0; i < 2 * (size_t)MOST; i++) {
        figures.item[3].series[0].x[i] = 3;
    }
    figure_reduce(&figures.item[3], MOST);
    CHECK(figures.item[3].series[0].n <= 4);
    figures_free(&figures);
}

/* Values that are no numbers are no extremes, and hide none. */
static void test_no_number(void)
{
    struct figures figures;

    figures_init(&figures);
    struct figure *figure = figure_add(&figures, FIGURE_LINES, "s", "t", "gaps");
    struct figure_series *series = figure_add_series(figure, "all");

    for (size_t i = 0; i < POINTS; i++) {
        figure_add_point(series, (double)i, i % 100 == 50 ? 99 : i % 100 == 60 ? -99 : NAN);
    }
    figure_reduce(figure, MOST);
    const double width = (POINTS - 1) / (double)PARTS;
    double parts[2] = {-1, -1};
    size_t found[2] = {0, 0};

    for (size_t i = 0; i < figure->series[0].n; i++) {
        const struct figure_series *kept = &figure->series[0];
        const size_t which = kept->y[i] > 0;

        if (!isnan(kept->y[i]) && floor(kept->x[i] / width) > parts[which]) {
            parts[which] = floor(kept->x[i] / width);
            found[which]++;
        }
    }
    CHECK_EQUAL(found[0], PARTS);
    CHECK_EQUAL(found[1], PARTS);
    figures_free(&figures);
}

/* In each part of the time of each lane the same states occur before and after. */
static void test_states_stay(void)
{
    enum { TIMES = 500, STATES = 4, LANES = 2 };
    static uint8_t seen[2][LANES][TIMES][STATES];
    struct figures figures;
    uint64_t random = 11;

    figures_init(&figures);
    struct figure *figure = figure_add(&figures, FIGURE_TIMELINE, "s", "t", "lanes");

    for (uint32_t lane = 0; lane < LANES; lane++) {
        double now = 0;

        for (size_t i = 0; i < SPANS; i++) {
            const uint32_t state = i == 777 ? 3 : (uint32_t)(unit_random(&random) % 3);
            const double length = 1e-3 * (double)(unit_random(&random) % 1000);

            figure_add_span(figure, lane, state, now, now + length);
            seen[0][lane][(size_t)(now / (SPANS * 0.5) * TIMES) % TIMES][state] = 1;
            now += length;
        }
    }
    figure_reduce(figure, TIMES);
    CHECK(figure->span_count < (size_t)SPANS / 4);
    for (size_t i = 0; i < figure->span_count; i++) {
        const struct figure_span *span = &figure->spans[i];
        const size_t first = (size_t)(span->begin / (SPANS * 0.5) * TIMES);
        const size_t last = (size_t)(span->end / (SPANS * 0.5) * TIMES);

        for (size_t part = first; part <= last; part++) {
            seen[1][span->lane][part % TIMES][span->state] = 1;
        }
    }
    size_t lost = 0;

    for (size_t i = 0; i < sizeof(seen[0]); i++) {
        lost += (&seen[0][0][0][0])[i] && !(&seen[1][0][0][0])[i];
    }
    CHECK_EQUAL(lost, 0);
    CHECK(seen[1][0][(size_t)(777.0 / SPANS * TIMES)][3] || seen[1][0][7][3] || seen[1][0][8][3]);
    figures_free(&figures);
}

/* A tab of a format ends a cell, one of a value does not. */
static void test_table(void)
{
    struct figures figures;

    figures_init(&figures);
    struct figure *figure = figure_add(&figures, FIGURE_TABLE, "A", "t", "t");

    figure_open(figure, "lr", "name\tof %s", "all");
    figure_cell(figure, "%s\t%d", "a\tb", 3);
    figure_cell(figure, "\t");
    CHECK_EQUAL(figure->columns.count, 2);
    CHECK_TEXT(figure->columns.item[1], "of all");
    CHECK_EQUAL(figure->cells.count, 4);
    CHECK_TEXT(figure->cells.item[0], "a\tb");
    CHECK_TEXT(figure->cells.item[1], "3");
    CHECK_TEXT(figure->cells.item[3], "");
    figures_free(&figures);
}

int main(void)
{
    RUN(test_ids());
    RUN(test_matrix());
    RUN(test_extremes_stay());
    RUN(test_what_stays_whole());
    RUN(test_no_number());
    RUN(test_states_stay());
    RUN(test_table());
    return unit_finish("unit_figure");
}
