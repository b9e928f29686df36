/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of all that there is to know of each metric. */
#include <stdlib.h>

#include "tools/figure/figure.h"
#include "tools/present/figure_kit.h"
#include "tools/present/metrics.h"
#include "tools/present/view.h"
#include "tools/show/view_statistics.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define VALUES 200

static void build(struct run *run)
{
    int64_t shuffled[VALUES];
    int64_t constant[VALUES];
    int64_t watched[VALUES];

    run_init(run);
    run_add_pair(run, &run->info, "kind", "real");
    run->verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
    for (int64_t i = 0; i < VALUES; i++) {
        shuffled[i] = 1 + i * 83 % VALUES; /* each of 1 to 200 once: 83 and 200 share no divisor */
        constant[i] = 7;
        watched[i] = i == 150 ? 1500000 : 1000000;
    }
    struct run_bench *bench = build_bench(run, "paths", 1);

    build_series(bench, "switch", NULL, NULL, shuffled, VALUES);
    build_series(bench, "timer", NULL, NULL, constant, VALUES);
    build_series(bench, "once", NULL, NULL, constant, 1);
    bench = build_bench(run, "idle", 1);
    build_fact(bench, "inner_iterations", 62499);
    build_series(bench, "floor", NULL, NULL, watched, VALUES);
    bench = build_bench(run, "gap", 1);
    build_fact(bench, "elapsed", 2000000000);
    build_fact(bench, "smi", 3);
}

/* The cell of a metric's row below a head. */
static const char *cell(const struct table *table, const char *metric, const char *head)
{
    for (size_t row = 1; row < table->rows; row++) {
        for (size_t i = 0;
             strcmp(table_cell(table, row, 0)->text, metric) == 0 && i < table->columns; i++) {
            if (strcmp(table_cell(table, 0, i)->text, head) == 0) {
                return table_cell(table, row, i)->text;
            }
        }
    }
    return NULL;
}

static void test_values(const struct table *table)
{
    CHECK_TEXT(cell(table, "paths.switch", "unit"), "ns");
    CHECK_TEXT(cell(table, "paths.switch", "n"), "200");
    CHECK_TEXT(cell(table, "paths.switch", "min"), "1");
    CHECK_TEXT(cell(table, "paths.switch", "median"), "100");
    CHECK_TEXT(cell(table, "paths.switch", "95 %"),
               "85..116"); /* widened, as for values that are correlated */
    CHECK_TEXT(cell(table, "paths.switch", "p90"), "180");
    CHECK_TEXT(cell(table, "paths.switch", "p99"), ""); /* two values lie above */
    CHECK_TEXT(cell(table, "paths.switch", "max"), "200");
    CHECK_TEXT(cell(table, "paths.switch", "mean"), "100.5");
    CHECK_TEXT(cell(table, "paths.switch", "deviation"), "57.88");
    CHECK_TEXT(cell(table, "paths.switch", "MAD"), "50");
}

static void test_exact(const struct table *table)
{
    CHECK_TEXT(cell(table, "paths.timer", "median"), "7");
    CHECK_TEXT(cell(table, "paths.timer", "at"), "");
    CHECK_TEXT(cell(table, "paths.timer", "notes"), "constant");
    CHECK_TEXT(cell(table, "paths.once", "notes"), "one value");
}

/* Exact is what exact time counts, and nothing else. */
static void test_exact_time(void)
{
    const int64_t one = 7;
    struct metrics metrics;
    struct table table;
    struct run run;

    run_init(&run);
    run_add_pair(&run, &run.info, "kind", "exact");
    run_add_pair(&run, &run.info, "ticks_per_instruction", "1");
    build_series(build_bench(&run, "paths", 1), "once", NULL, NULL, &one, 1);
    metrics_of(&run, &metrics);
    statistics_table(&table, &metrics, NULL, 0);
    CHECK_TEXT(cell(&table, "paths.once", "notes"), "exact");
    table_free(&table);
    metrics_free(&metrics);
    run_free(&run);
}

/* One sample of 200 lost half a millisecond: of a part of four, a ninth. Of the SMIs there is a
 * number alone. */
static void test_noise(const struct table *table)
{
    CHECK_TEXT(cell(table, "idle.stolen[floor]", "unit"), "ppm");
    CHECK_TEXT(cell(table, "idle.stolen[floor]", "n"), "50");
    CHECK_TEXT(cell(table, "idle.stolen[floor]", "median"), "0");
    CHECK_TEXT(cell(table, "idle.stolen[floor]", "max"), "111,111");
    CHECK_TEXT(cell(table, "gap.smi", "n"), "3");
    CHECK_TEXT(cell(table, "gap.smi", "notes"), "1.5 per s, 0.309..4.38 at 95 %");
}

/* 150 samples of a millisecond before it. */
static void test_place(const struct table *table)
{
    CHECK_TEXT(cell(table, "idle.floor", "max"), "1.5");
    CHECK_TEXT(cell(table, "idle.floor", "unit"), "ms");
    CHECK_TEXT(cell(table, "idle.floor", "at"), "150 ms");
}

static void test_figure(const struct run *run)
{
    struct figures figures;

    figures_init(&figures);
    figures_statistics(&figures, run);
    CHECK_EQUAL(figures.count, 1);
    CHECK(figures.count == 1 && figures.item[0].kind == FIGURE_TABLE);
    CHECK(figures.count == 1 && figures.item[0].cells.count == 6 * figures.item[0].columns.count);
    figures_free(&figures);
}

/* Of one bench only, and of one that is not there. */
static void test_choice(const struct metrics *metrics)
{
    struct table table;

    CHECK(statistics_table(&table, metrics, (const char *const[]){"idle"}, 1));
    CHECK_EQUAL(table.rows, 3);
    table_free(&table);
    CHECK(!statistics_table(&table, metrics, (const char *const[]){"load"}, 1));
    table_free(&table);
}

int main(void)
{
    struct metrics metrics;
    struct table table;
    struct run run;

    build(&run);
    metrics_of(&run, &metrics);
    statistics_table(&table, &metrics, NULL, 0);
    RUN(test_values(&table));
    RUN(test_noise(&table));
    RUN(test_exact(&table));
    RUN(test_exact_time());
    RUN(test_place(&table));
    RUN(test_figure(&run));
    RUN(test_choice(&metrics));
    table_free(&table);
    metrics_free(&metrics);
    run_free(&run);
    return unit_finish("unit_statistics_table");
}
