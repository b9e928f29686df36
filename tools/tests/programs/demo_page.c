/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * demo_page FILE.html [EVENTS]: a page with every kind of figure, for tests of the page; one of
 * them has as many events (100000).
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/figure/page.h"
#include "tools/tests/support/unit.h"

#define EVENTS       100000
#define SPANS        60000
#define TABLE_ROWS   100
#define HEAT_SIZE    8
#define HOSTILE_NAME "</script><img src=x onerror=alert(1)>\x01\xff\"&'"

static double random_part(uint64_t *state)
{
    return (double)(unit_random(state) >> 11) * 0x1p-53;
}

/* Latencies with a long tail; every thousandth is slow. */
static void add_events(struct figures *figures, size_t events)
{
    struct figure *figure =
        figure_add(figures, FIGURE_STICKS, "Events", "Latency of each event", "events");
    struct figure_series *series = figure_add_series(figure, "latency");
    uint64_t state = 1;

    figure_axes(figure, "time", "s", "latency", "ms");
    figure_how(figure, "made up: exponential, and every thousandth event takes 100 ms more");
    figure->has_threshold = true;
    figure->threshold = 100;
    for (size_t i = 0; i < events; i++) {
        const double latency = -8 * log(1 - random_part(&state)) + (i % 1000 == 999 ? 100 : 0);

        figure_add_point(series, (double)i * 0.01, latency);
    }
}

static void add_histogram(struct figures *figures)
{
    struct figure *figure =
        figure_add(figures, FIGURE_HISTOGRAM, "Events", "How many took how long", "histogram");
    struct figure_series *keys = figure_add_series(figure, "keys");
    struct figure_series *clicks = figure_add_series(figure, "clicks");

    figure_axes(figure, "latency", "ms", "events", NULL);
    figure->y.logarithmic = true;
    figure->has_threshold = true;
    figure->threshold = 40;
    for (int i = 0; i < 60; i++) {
        figure_add_range(keys, 2 * i + 1, floor(1000 * exp(-i / 6.0)), 2 * i, 2 * i + 2);
        figure_add_range(clicks, 2 * i + 1, floor(300 * exp(-pow((i - 20) / 8.0, 2))), 2 * i,
                         2 * i + 2);
    }
}

static void add_lines(struct figures *figures)
{
    struct figure *figure = figure_add(figures, FIGURE_LINES, "Memory", "Latency by size", "lines");

    figure_axes(figure, "size", "bytes", "latency", "ns");
    figure->x.logarithmic = true;
    figure->y.logarithmic = true;
    figure_how(figure, "made up; the value at 0 bytes cannot stand on a logarithmic axis");
    for (int page = 0; page < 10; page++) {
        char name[32];

        snprintf(name, sizeof(name), "pages of %d KiB", 4 << page);
        struct figure_series *series = figure_add_series(figure, name);

        figure_add_point(series, 0, 0);
        for (int power = 10; power < 30; power++) {
            const double size = ldexp(1, power);

            figure_add_point(series, size,
                             (1 + page * 0.15) * (1 + pow(size / 3e4, 0.4)) *
                                 (power == 20 && page == 0 ? NAN : 1));
        }
    }
}

static void add_steps_and_points(struct figures *figures)
{
    struct figure *steps =
        figure_add(figures, FIGURE_STEPS, "Memory", "Cumulative latency", "steps");
    struct figure_series *series = figure_add_series(steps, "all");
    struct figure *points;
    uint64_t state = 7;
    double sum = 0;

    steps->averaged = true;
    figure_axes(steps, "latency", "ms", "of all latency", "%");
    for (int i = 0; i <= 200; i++) {
        sum += 200 - i;
        figure_add_point(series, i, sum / 201);
    }
    points = figure_add(figures, FIGURE_POINTS, "Memory", "Gaps", "points");
    figure_axes(points, "time", "s", "gap", "us");
    points->y.logarithmic = true;
    series = figure_add_series(points, "gaps");
    for (int i = 0; i < 20000; i++) {
        figure_add_point(series, i * 0.001,
                         i % 50 == 0 ? 0 : 0.3 * exp(6 * pow(random_part(&state), 4)));
    }
}

static void add_bars(struct figures *figures)
{
    static const char *const groups[] = {"key down", "key up", "a rather long name of a group",
                                         HOSTILE_NAME};
    struct figure *figure = figure_add(figures, FIGURE_BARS, "Counters", "Events by kind", "bars");
    struct figure_series *few = figure_add_series(figure, "cycles");
    struct figure_series *many = figure_add_series(figure, "instructions");

    figure_axes(figure, NULL, NULL, "count", NULL);
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        const double value = 1e5 * (double)(i + 1);

        figure_add_group(figure, groups[i]);
        figure_add_range(few, (double)i, value, 0.9 * value, 1.15 * value);
        figure_add_range(many, (double)i, 2.5 * value, 2.4 * value, 2.6 * value);
    }
}

static void add_heat(struct figures *figures)
{
    struct figure *figure =
        figure_add(figures, FIGURE_HEAT, "Counters", "From processor to processor", "heat");
    char name[16];

    figure_axes(figure, "to processor", NULL, "from processor", NULL);
    for (int i = 0; i < HEAT_SIZE; i++) {
        snprintf(name, sizeof(name), "%d", i);
        figure_add_row(figure, name);
        figure_add_column(figure, name);
    }
    for (size_t row = 0; row < HEAT_SIZE; row++) {
        for (size_t column = 0; column < HEAT_SIZE; column++) {
            if (row != column) {
                figure_set_value(figure, row, column,
                                 40 + 30 * (double)(row / 4 != column / 4) + (double)column / 3);
            }
        }
    }
}

/* In lane 0 one span of a nanosecond among idle seconds, which must be seen. */
static void add_timeline(struct figures *figures)
{
    struct figure *figure =
        figure_add(figures, FIGURE_TIMELINE, "Threads", "What each thread did", "timeline");
    const uint32_t idle = figure_add_state(figure, "idle");
    const uint32_t running = figure_add_state(figure, "running");
    const uint32_t isr = figure_add_state(figure, "ISR");
    const uint32_t ready = figure_add_state(figure, "ready");
    uint64_t state = 3;
    double now = 0;

    figure_axes(figure, "time", "s", NULL, NULL);
    figure_add_span(figure, figure_add_lane(figure, "quiet"), idle, 0, 5);
    figure_add_span(figure, 0, isr, 5, 5 + 1e-9);
    figure_add_span(figure, 0, idle, 5 + 1e-9, 10);
    const uint32_t busy = figure_add_lane(figure, "busy");
    const uint32_t mixed = figure_add_lane(figure, "mixed, by long and short");

    for (int i = 0; i < SPANS && now < 10; i++) {
        const double length = 3e-4 * random_part(&state);

        figure_add_span(figure, busy, i % 2 ? running : isr, now, now + length);
        now += length;
    }
    for (int i = 0; i < 50; i++) {
        figure_add_span(figure, mixed, i % 3 == 0 ? ready : running, i * 0.2, i * 0.2 + 0.15);
        figure_add_span(figure, mixed, isr, i * 0.2 + 0.15, i * 0.2 + 0.1501);
    }
}

static void add_table(struct figures *figures)
{
    static const char *const heads[] = {"name", "count", "mean", "remark"};
    struct figure *figure = figure_add(figures, FIGURE_TABLE, "Threads", "A table", "table");

    figure_table(figure, "lrrl", heads);
    for (int i = 0; i < TABLE_ROWS; i++) {
        figure_cell(figure, i == 3 ? HOSTILE_NAME : "thread %d", i);
        figure_cell(figure, "%d", (i * 37) % TABLE_ROWS);
        figure_cell(figure, i % 2 ? "%d us" : "%d ns", i);
        figure_cell(figure, "%s", i % 5 == 0 ? "with a remark" : "");
    }
    figure_add_absent(figures, "Threads", "Spectrum", "spectrum", "no samples of fixed work in %s",
                      HOSTILE_NAME);
}

/* Of which a reader sees one at a time; the first has a series that is drawn once it is asked for.
 */
static void add_variants(struct figures *figures)
{
    static const char *const variants[] = {"response", "service"};

    for (unsigned v = 0; v < 2; v++) {
        struct figure *figure =
            figure_add(figures, FIGURE_STICKS, "Measures", variants[v], "variant-%s", variants[v]);

        figure_variant(figure, variants[v], v == 0);
        figure_axes(figure, "time", "s", "latency", "ms");
        figure_threshold(figure, 2.5, "0.1 s");
        for (int s = 0; s < 3; s++) {
            struct figure_series *series = figure_add_series(figure, s < 2 ? "phase" : "aside");

            series->aside = s == 2;
            for (int i = 1; i <= 4; i++) {
                figure_add_point(series, 10 * s + i, s < 2 ? i + v : 1);
            }
        }
    }
}

int main(int argc, char **argv)
{
    static const char *const notes[] = {"exact time: made up, of no machine", HOSTILE_NAME};
    static const struct page_fact facts[] = {{"processor", "none"}, {"plan", HOSTILE_NAME}};
    struct figures figures;
    const struct page page = {.title = "Demonstration " HOSTILE_NAME,
                              .verdict = "VALID",
                              .good = true,
                              .notes = notes,
                              .note_count = 2,
                              .facts = facts,
                              .fact_count = 2,
                              .figures = &figures};

    if (argc < 2) {
        fprintf(stderr, "usage: demo_page FILE.html [EVENTS]\n");
        return 2;
    }
    FILE *out = fopen(argv[1], "we");

    if (out == NULL) {
        fprintf(stderr, "demo_page: %s: %s\n", argv[1], strerror(errno));
        return 1;
    }
    figures_init(&figures);
    add_events(&figures, argc > 2 ? strtoul(argv[2], NULL, 10) : EVENTS);
    add_histogram(&figures);
    add_lines(&figures);
    add_steps_and_points(&figures);
    add_bars(&figures);
    add_heat(&figures);
    add_timeline(&figures);
    add_table(&figures);
    add_variants(&figures);
    const bool written = page_write(out, &page);

    figures_free(&figures);
    return fclose(out) == 0 && written ? 0 : 1;
}
