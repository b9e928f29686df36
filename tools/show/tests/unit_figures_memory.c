/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of memory, processors and the system: that they show what the libraries under them read
 * from the run, in the run's unit, and give the reason where there is nothing. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "bench/memory/host/view_memory.h"
#include "bench/system/host/processors.h"
#include "bench/system/host/view_system.h"
#include "tools/run/curves.h"
#include "tools/tests/support/drawn.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define GHZ    1000000000
#define POINTS 4
#define TRIALS 3

struct page {
    struct run run;
    struct figures figures;
};

/* Of a TSC at 2 GHz: a tick is half a nanosecond. In exact time 8 are an instruction. */
static void begin(struct page *page, const char *kind)
{
    run_init(&page->run);
    figures_init(&page->figures);
    run_add_pair(&page->run, &page->run.info, "kind", kind);
    if (strcmp(kind, "exact") == 0) {
        run_add_pair(&page->run, &page->run.info, "ticks_per_instruction", "8");
    }
    page->run.verdict = (struct run_verdict){.present = true, .ok = true, .hz = 2 * GHZ};
}

static void end(struct page *page)
{
    figures_free(&page->figures);
    run_free(&page->run);
}

static const struct figure *find(const struct page *page, const char *id)
{
    const struct figure *figure = figure_of(&page->figures, id);

    CHECK_TEXT(figure != NULL ? id : "no figure", id);
    return figure;
}

static bool has(const struct page *page, const char *id)
{
    for (size_t i = 0; i < page->figures.count; i++) {
        if (strcmp(page->figures.item[i].id, id) == 0) {
            return true;
        }
    }
    return false;
}

static bool same(double a, double b)
{
    if (fabs(a - b) > 1e-9 * fabs(b)) {
        fprintf(stderr, "%.12g is not %.12g\n", a, b);
        return false;
    }
    return true;
}

/* NAME.x, NAME.n and NAME, of POINTS points of TRIALS trials; `n` repetitions each. */
static void build_curve(struct run_bench *bench, const char *x_name, const char *n_name,
                        const char *name, const int64_t *x, int64_t repetitions,
                        const int64_t *ticks)
{
    int64_t n[POINTS];

    for (size_t i = 0; i < POINTS; i++) {
        n[i] = repetitions;
    }
    build_series(bench, x_name, NULL, NULL, x, POINTS);
    build_series(bench, n_name, NULL, NULL, n, POINTS);
    build_series(bench, name, NULL, NULL, ticks, POINTS * TRIALS);
}

static const int64_t sizes[POINTS] = {4096, 32768, 262144, 2097152};
/* Medians: 40, 80, 400, 4000 for ten loads. */
static const int64_t load_ticks[POINTS * TRIALS] = {40,  39,  1000, 80,   81,   79,
                                                    390, 400, 9999, 4000, 4001, 1};

static void build_chase(struct run_bench *bench)
{
    build_curve(bench, "random.4k.wb.x", "random.4k.wb.n", "random.4k.wb", sizes, 10, load_ticks);
}

/* ---- chase ---- */

static void check_chase(const char *kind, double per_tick, const char *unit)
{
    struct page page;

    begin(&page, kind);
    struct run_bench *bench = build_bench(&page.run, "chase", 1);
    struct curve curve;

    build_chase(bench);
    figures_memory(&page.figures, &page.run);
    const struct figure *figure = find(&page, "chase-4k");

    CHECK(curve_read(bench, "random.4k.wb", &curve));
    if (figure != NULL) {
        const struct figure_series *series = &figure->series[0];

        CHECK_EQUAL(figure->kind, FIGURE_LINES);
        CHECK_TEXT(series->name, "random, wb");
        CHECK_TEXT(figure->y.unit, unit);
        CHECK_TEXT(figure->x.unit, "bytes");
        CHECK(figure->x.logarithmic && figure->y.logarithmic);
        CHECK_EQUAL(series->n, POINTS);
        for (size_t i = 0; i < POINTS; i++) {
            CHECK(same(series->x[i], (double)sizes[i]));
            CHECK(same(series->y[i], curve_median(&curve, i) * per_tick));
        }
        CHECK(same(series->y[3], 400 * per_tick));
        CHECK(strstr(figure->how, "Medians of 3 trials") != NULL);
        CHECK((strstr(figure->how, "exact time") != NULL) == (strcmp(kind, "exact") == 0));
    }
    CHECK(!has(&page, "chase-2m"));
    curve_free(&curve);
    end(&page);
}

static void test_chase(void)
{
    check_chase("real", 0.5, "ns");
    check_chase("exact", 1 / 8.0, "instructions");
}

/* A curve with two clear levels: these stand in the figure, and in words. */
static void test_levels(void)
{
    int64_t x[24];
    int64_t n[24];
    int64_t ticks[24];
    struct page page;

    begin(&page, "real");
    struct run_bench *bench = build_bench(&page.run, "chase", 1);

    for (int i = 0; i < 24; i++) {
        x[i] = (int64_t)((i % 2 == 0 ? 1024 : 1536)) << i / 2;
        n[i] = 1;
        ticks[i] = x[i] <= 32768 ? 10 : 100;
    }
    build_series(bench, "random.4k.wb.x", NULL, NULL, x, 24);
    build_series(bench, "random.4k.wb.n", NULL, NULL, n, 24);
    build_series(bench, "random.4k.wb", NULL, NULL, ticks, 24);
    figures_memory(&page.figures, &page.run);
    const struct figure *figure = find(&page, "chase-4k");

    if (figure != NULL && figure->series_count == 2) {
        const struct figure_series *levels = &figure->series[1];

        CHECK_TEXT(levels->name, "levels found");
        CHECK(same(levels->x[1], 32768) && same(levels->y[0], 5) && same(levels->y[1], 5));
        CHECK(isnan(levels->y[2])); /* no line from a level to the next */
        CHECK(same(levels->y[3], 50));
        CHECK(strstr(figure->how, "random.4k.wb: 5 ns up to 32 KiB..48 KiB; 50 ns beyond.") !=
              NULL);
    } else {
        CHECK(!"the levels are a series");
    }
    end(&page);
}

/* ---- what is not there ---- */

static void test_absent(void)
{
    struct page page;

    begin(&page, "real");
    figures_memory(&page.figures, &page.run);
    figures_processors(&page.figures, &page.run);
    figures_system(&page.figures, &page.run);
    CHECK_EQUAL(page.figures.count, 0); /* none for benches that are not in the plan */
    struct run_bench *bench = build_bench(&page.run, "lines", 1);

    bench->state = "SKIP";
    bench->reason = "one processor";
    build_hole(build_series(build_bench(&page.run, "chase", 1), "random.4k.wb", NULL, NULL,
                            load_ticks, POINTS * TRIALS),
               1);
    bench = build_bench(&page.run, "syscall", 1);
    bench->state = "CRASH";
    bench->group = "system";
    figures_memory(&page.figures, &page.run);
    figures_processors(&page.figures, &page.run);
    figures_system(&page.figures, &page.run);
    const struct figure *lines = find(&page, "lines");
    const struct figure *chase = find(&page, "chase");

    CHECK_EQUAL(page.figures.count, 3);
    CHECK(has(&page, "syscall"));
    if (lines != NULL && chase != NULL) {
        CHECK_EQUAL(lines->kind, FIGURE_ABSENT);
        CHECK_TEXT(lines->absent, "bench lines: SKIP: one processor");
        CHECK_EQUAL(chase->kind, FIGURE_ABSENT);
    }
    end(&page);
}

/* ---- stride, TLB, bandwidth ---- */

static void test_stride(void)
{
    struct page page;

    begin(&page, "real");
    struct run_bench *bench = build_bench(&page.run, "stride", 1);

    build_curve(bench, "stride4096.x", "stride4096.n", "stride4096", sizes, 10, load_ticks);
    build_curve(bench, "stride65536.x", "stride65536.n", "stride65536", sizes, 5, load_ticks);
    figures_memory(&page.figures, &page.run);
    const struct figure *figure = find(&page, "stride");

    if (figure != NULL) {
        CHECK_EQUAL(figure->kind, FIGURE_HEAT);
        CHECK_EQUAL(figure->rows.count, POINTS);
        CHECK_EQUAL(figure->columns.count, 2);
        CHECK_TEXT(figure->rows.item[3], "2M");
        CHECK_TEXT(figure->columns.item[1], "64K");
        CHECK(same(figure->values[0], 2));
        CHECK(same(figure->values[1], 4)); /* half as many loads in the same time */
        CHECK(same(figure->values[2 * POINTS - 1], 400));
        CHECK(strstr(figure->title, "in ns") != NULL);
    }
    end(&page);
}

static void test_tlb(void)
{
    static const int64_t pages[POINTS] = {16, 64, 256, 1024};
    struct page page;

    begin(&page, "real");
    build_curve(build_bench(&page.run, "tlb", 1), "4k.x", "4k.n", "4k", pages, 10, load_ticks);
    build_chase(build_bench(&page.run, "chase", 1));
    figures_memory(&page.figures, &page.run);
    const struct figure *figure = find(&page, "tlb");

    if (figure != NULL && figure->series_count == 2) {
        CHECK(same(figure->series[0].x[3], 1024));
        CHECK(same(figure->series[0].y[3], 200));
        CHECK_TEXT(figure->series[1].name, "caches alone");
        CHECK(same(figure->series[1].y[1], 2)); /* 64 lines are the 4 KiB of chase */
        CHECK(isnan(figure->series[1].y[2]));   /* chase has no value for 256 lines */
    } else {
        CHECK(!"a curve, and caches alone");
    }
    end(&page);
}

static void test_bandwidth(void)
{
    struct page page;

    begin(&page, "real");
    build_curve(build_bench(&page.run, "bandwidth", 1), "read.sse.x", "read.sse.n", "read.sse",
                sizes, 1, load_ticks);
    figures_memory(&page.figures, &page.run);
    const struct figure *figure = find(&page, "bandwidth-read");

    if (figure != NULL) {
        CHECK_TEXT(figure->y.unit, "GB/s");
        CHECK(same(figure->series[0].y[0], 4096 / 20.0)); /* 40 ticks are 20 ns */
        CHECK(same(figure->series[0].y[3], 2097152 / 2000.0));
    }
    CHECK(!has(&page, "bandwidth-write"));
    end(&page);
}

/* ---- page faults ---- */

/* Each series is 80 ticks longer than the one before. */
static void draw_faults(struct page *page, const char *const *names, size_t count)
{
    begin(page, "exact");
    struct run_bench *bench = build_bench(&page->run, "pagefault", 1);

    for (size_t i = 0; i < count; i++) {
        const int64_t ticks[] = {40 + 80 * (int64_t)i, 40 + 80 * (int64_t)i};

        build_series(bench, names[i], NULL, NULL, ticks, 2);
    }
    figures_memory(&page->figures, &page->run);
}

static void test_pagefault(void)
{
    static const char *const names[] = {"empty",      "minor",        "minor.entry", "minor.walk",
                                        "minor.fill", "minor.return", "demand_zero", "load"};
    struct page page;

    draw_faults(&page, names, sizeof(names) / sizeof(names[0]));
    const struct figure *figure = find(&page, "pagefault-parts");

    if (figure != NULL) {
        CHECK_EQUAL(figure->groups.count, 1); /* of demand_zero there are no parts */
        CHECK_TEXT(figure->groups.item[0], "minor");
        CHECK_EQUAL(figure->series_count, 5);
        for (size_t i = 0; i < figure->series_count; i++) {
            CHECK(same(figure->series[i].y[0], 10 * (double)(i + 1)));
        }
        CHECK_TEXT(figure->y.unit, "instructions");
    }
    end(&page);
}

/* Of a mapped file; a page in the page cache has no device, and so no bar. */
static void test_mapped(void)
{
    static const char *const names[] = {"empty",       "file",        "file.entry",  "file.lookup",
                                        "file.device", "file.fill",   "file.return", "soft",
                                        "soft.entry",  "soft.lookup", "soft.fill",   "soft.return"};
    struct page page;

    draw_faults(&page, names, sizeof(names) / sizeof(names[0]));
    const struct figure *figure = find(&page, "pagefault-mapped");

    if (figure != NULL) {
        CHECK_EQUAL(figure->groups.count, 2);
        CHECK_TEXT(figure->groups.item[0], "file");
        CHECK_TEXT(figure->groups.item[1], "soft");
        CHECK_EQUAL(figure->series_count, 6);
        for (size_t i = 0; i < figure->series_count; i++) {
            CHECK(same(figure->series[i].y[0], 10 * (double)(i + 1)));
            CHECK_EQUAL(figure->series[i].n, i == 3 ? 1 : 2);
        }
    }
    end(&page);
}

/* ---- processors ---- */

static void test_lines(void)
{
    static const int64_t numbers[] = {0, 3};
    static const int64_t zeros[] = {0, 0};
    /* Of (0, 0), (0, 3), (3, 0), (3, 3): round trips of a repetition. */
    static const int64_t trips[] = {0, 0, 0, 200, 210, 900, 220, 230, 240, 0, 0, 0};
    struct page page;

    begin(&page, "real");
    struct run_bench *bench = build_bench(&page.run, "lines", 1);

    build_series(bench, "number", NULL, NULL, numbers, 2);
    build_series(bench, "package", NULL, NULL, zeros, 2);
    build_series(bench, "core", NULL, NULL, numbers, 2);
    build_series(bench, "thread", NULL, NULL, zeros, 2);
    build_series(bench, "store", NULL, NULL, trips, sizeof(trips) / sizeof(trips[0]));
    build_fact(bench, "trials", 3);
    build_fact(bench, "repetitions", 1);
    figures_processors(&page.figures, &page.run);
    const struct figure *figure = find(&page, "lines-store");

    if (figure != NULL && figure->kind == FIGURE_HEAT) {
        CHECK_EQUAL(figure->rows.count, 2);
        CHECK_TEXT(figure->columns.item[1], "3");
        CHECK(isnan(figure->values[0]) && isnan(figure->values[3]));
        CHECK(same(figure->values[1], 52.5)); /* half of 210 ticks of half a nanosecond */
        CHECK(same(figure->values[2], 57.5));
    } else {
        CHECK(!"a matrix");
    }
    CHECK_EQUAL(find(&page, "cas") != NULL ? find(&page, "cas")->kind : FIGURE_LINES,
                FIGURE_ABSENT);
    end(&page);
}

/* ---- system ---- */

static void test_costs(void)
{
    static const int64_t once[] = {1000, 1000, 1000, 1000};
    static const int64_t loop_twice[] = {2000, 2000, 2000, 2000};
    static const int64_t call_twice[] = {7000, 7400, 7800, 9999999};
    struct page page;

    begin(&page, "real");
    struct run_bench *bench = build_bench(&page.run, "call", 1);

    bench->group = "system";
    build_series(bench, "loop", NULL, NULL, once, 4);
    build_series(bench, "loop.twice", NULL, NULL, loop_twice, 4);
    build_series(bench, "register0", NULL, NULL, once, 4);
    build_series(bench, "register0.twice", NULL, NULL, call_twice, 4);
    build_fact(bench, "repetitions", 1000);
    figures_system(&page.figures, &page.run);
    const struct figure *figure = find(&page, "call-arguments");

    if (figure != NULL) {
        /* (7.0, 7.4, 7.8, ...) - 1 of the other half - 1 of the loop, half a nanosecond each */
        CHECK(same(figure->series[0].y[0], 5.4 / 2));
        CHECK(same(figure->series[0].low[0], 5.0 / 2));
        CHECK(same(figure->series[0].high[0], 5.8 / 2)); /* not the greatest */
        CHECK_TEXT(figure->y.unit, "ns");
    }
    figure = find(&page, "costs-call");
    if (figure != NULL) {
        CHECK_EQUAL(figure->kind, FIGURE_TABLE);
        CHECK_TEXT(figure->cells.item[0], "loop");
        CHECK_TEXT(figure->cells.item[figure->columns.count], "register0");
        CHECK_TEXT(figure->cells.item[figure->columns.count + 2], "5.4");
        CHECK(strstr(figure->how, "less the median of `loop`") != NULL);
    }
    figure = find(&page, "system-table");
    CHECK(figure != NULL && figure->cells.count % figure->columns.count == 0);
    end(&page);
}

int main(void)
{
    RUN(test_chase());
    RUN(test_levels());
    RUN(test_absent());
    RUN(test_stride());
    RUN(test_tlb());
    RUN(test_bandwidth());
    RUN(test_pagefault());
    RUN(test_mapped());
    RUN(test_lines());
    RUN(test_costs());
    return unit_finish("unit_figures_memory");
}
