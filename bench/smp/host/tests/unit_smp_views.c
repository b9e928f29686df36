/* SPDX-License-Identifier: BSD-2-Clause */
/* What `tare show` makes of the benches of threads on several processors, on numbers by hand. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/smp/names.h"
#include "kernel/run/names.h"
#include "tools/present/report_plugin.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct run_bench *start_run(struct run *run, const char *name)
{
    run_init(run);
    run->verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
    run_add_pair(run, &run->info, "kind", "exact");
    run_add_pair(run, &run->info, "ticks_per_instruction", "8");
    return build_bench(run, name, 1);
}

/* Compares what follows the first line that ends a paragraph. */
static void check_view(struct run *run, const char *expected)
{
    struct view view;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    view_init(&view, out, run);
    report_plugin_shown(&run->benches[0])->show(&view, &run->benches[0]);
    fclose(out);
    const char *table = strstr(text + 1, "\n\n");

    CHECK_TEXT(table != NULL ? table + 2 : text, expected);
    free(text);
    run_free(run);
}

/* Two hogs share processor 0 unequally; the third has processor 1 alone, and no turn. */
static void test_quantum(void)
{
    static const int64_t ran[] = {3000, 1000, 5000};
    static const int64_t cpu[] = {0, 0, 1};
    static const int64_t turns[] = {800, 880, 808};
    static const int64_t waits[] = {880, 1600, 872};
    struct run run;
    struct run_bench *bench = start_run(&run, BENCH_QUANTUM);

    build_series(bench, SERIES_RAN, NULL, NULL, ran, COUNT(ran));
    build_series(bench, SERIES_CPU, NULL, NULL, cpu, COUNT(cpu));
    build_series(bench, PREFIX_RUN "0", NULL, NULL, turns, COUNT(turns));
    build_series(bench, PREFIX_READY "0", NULL, NULL, waits, COUNT(waits));
    build_fact(bench, FACT_QUANTUM, 800);
    check_view(&run, "  hog  CPU  share %  expected  turn  ready  expected\n"
                     "    0    0    75.00     50.00   101    110       100\n"
                     "    1    0    25.00     50.00     -      -       100\n"
                     "    2    1    100.0     100.0     -      -         0\n");
}

/* Without one of the series there are no rows, and no number is made up. */
static void test_torn(void)
{
    static const int64_t ran[] = {3000, 1000};
    struct run run;
    struct run_bench *bench = start_run(&run, BENCH_QUANTUM);

    build_series(bench, SERIES_RAN, NULL, NULL, ran, COUNT(ran));
    check_view(&run, "  hog  CPU  share %  expected  turn  ready  expected\n");
}

static void add_curve(struct run_bench *bench, const char *names[3], const int64_t *samples,
                      size_t trials, const int64_t *x, const int64_t *n, size_t points)
{
    build_series(bench, names[0], NULL, NULL, samples, points * trials);
    build_series(bench, names[1], NULL, NULL, x, points);
    build_series(bench, names[2], NULL, NULL, n, points);
}

/* A shorter curve leaves cells empty; medians of three trials. */
static void test_runqueue(void)
{
    static const char *idle[] = {"idle.2", "idle.2" SUFFIX_X, "idle.2" SUFFIX_N};
    static const char *equal[] = {"equal.2", "equal.2" SUFFIX_X, "equal.2" SUFFIX_N};
    static const int64_t samples[] = {80, 8, 800, 8000, 16000, 24000};
    static const int64_t x[] = {0, 3};
    static const int64_t n[] = {1, 1};
    struct run run;
    struct run_bench *bench = start_run(&run, BENCH_RUNQUEUE);

    add_curve(bench, idle, samples, 3, x, n, 1);
    add_curve(bench, equal, samples, 3, x, n, 2);
    check_view(&run, "  ready threads   0     3\n"
                     "         idle.2  10     -\n"
                     "        equal.2  10  2000\n");
}

/* 200 operations in 0.1 ms, then 400 in 0.4 ms. */
static void test_scaling(void)
{
    static const char *pipe[] = {"pipe", "pipe" SUFFIX_X, "pipe" SUFFIX_N};
    static const int64_t samples[] = {100000, 400000};
    static const int64_t x[] = {1, 2};
    static const int64_t n[] = {200, 400};
    struct run run;
    struct run_bench *bench = start_run(&run, BENCH_SCALING);

    add_curve(bench, pipe, samples, 1, x, n, 2);
    check_view(&run, "  processors     1     2\n"
                     "        pipe  2000  1000\n");
}

int main(void)
{
    RUN(test_quantum());
    RUN(test_torn());
    RUN(test_runqueue());
    RUN(test_scaling());
    return unit_finish("unit_smp_views");
}
