/* SPDX-License-Identifier: BSD-2-Clause */
/* Footprints and the parts of page faults, as text. */
#include <stdio.h>

#include "bench/memory/host/view_memory.h"
#include "bench/system/host/view_system.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define SERIES(bench, name, ...)                                        \
    build_series((bench), (name), NULL, NULL, (int64_t[]){__VA_ARGS__}, \
                 sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* What the view writes must be `expected`, from its table on; `expected` empty: nothing. */
static void check_view(struct run *run, const char *name, const char *expected)
{
    struct view view;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    view_init(&view, out, run);
    run->benches[0].name = name;
    report_plugin_shown(&run->benches[0])->show(&view, &run->benches[0]);
    fclose(out);
    const char *table = strstr(text, ":\n\n");

    CHECK_TEXT(table != NULL ? table + 3 : text, expected);
    free(text);
}

static struct run_bench *start_run(struct run *run, bool exact)
{
    run_init(run);
    run->verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
    if (exact) {
        run_add_pair(run, &run->info, "kind", "exact");
        run_add_pair(run, &run->info, "ticks_per_instruction", "64");
    }
    return build_bench(run, "b", 0);
}

/* Two points of two trials; a turn at 0 bytes takes 10 ticks more by threads, and at 1 MiB what it
 * reads takes 5 ticks more. */
static void build_footprints(struct run_bench *bench)
{
    SERIES(bench, "footprint.alone.x", 0, 1048576);
    SERIES(bench, "footprint.alone.n", 4, 2);
    SERIES(bench, "footprint.alone", 8, 8, 400, 402);
    SERIES(bench, "footprint.thread.x", 0, 1048576);
    SERIES(bench, "footprint.thread.n", 4, 2);
    SERIES(bench, "footprint.thread", 48, 48, 430, 432);
}

static void test_footprints(void)
{
    struct run run;
    struct run_bench *bench = start_run(&run, false);

    build_footprints(bench);
    check_view(&run, "contextswitch",
               "  footprint   reading    thread   +thread\n"
               "        0 B  2.000 ns  12.00 ns         0\n"
               "      1 MiB  200.0 ns  215.0 ns  5.000 ns\n");
    run_free(&run);
}

/* A curve of other points is left out; without the reading alone there is no table. */
static void test_footprints_missing(void)
{
    struct run run;
    struct run_bench *bench = start_run(&run, false);

    build_footprints(bench);
    SERIES(bench, "footprint.process.x", 0, 1024);
    SERIES(bench, "footprint.process.n", 4, 2);
    SERIES(bench, "footprint.process", 48, 48, 430, 432);
    check_view(&run, "contextswitch",
               "  footprint   reading    thread   +thread\n"
               "        0 B  2.000 ns  12.00 ns         0\n"
               "      1 MiB  200.0 ns  215.0 ns  5.000 ns\n");
    run_free(&run);
    bench = start_run(&run, false);
    SERIES(bench, "footprint.thread.x", 0);
    SERIES(bench, "footprint.thread.n", 1);
    SERIES(bench, "footprint.thread", 10);
    check_view(&run, "contextswitch", "");
    run_free(&run);
}

static void build_fault(struct run_bench *bench, const char *const names[5], int64_t whole)
{
    SERIES(bench, names[0], whole, whole);
    SERIES(bench, names[1], 640, 640);
    SERIES(bench, names[2], 320, 320);
    SERIES(bench, names[3], 6400, 6464);
    SERIES(bench, names[4], 192, 192);
}

/* What two stamps take is taken off each part, and off the whole. */
static void test_faults(void)
{
    static const char *const zero[] = {"demand_zero", "demand_zero.entry", "demand_zero.walk",
                                       "demand_zero.fill", "demand_zero.return"};
    struct run run;
    struct run_bench *bench = start_run(&run, true);

    SERIES(bench, "empty", 64, 64);
    build_fault(bench, zero, 7168);
    SERIES(bench, "minor", 1000, 1000); /* not split */
    check_view(&run, "pagefault",
               "  fault        whole  entry  walk  fill  return  sum  beyond\n"
               "  demand_zero    111      9     4    99       2  114       3\n");
    run_free(&run);
}

/* A part that is lost, or the stamps' own cost: no row, and so no table. */
static void test_faults_missing(void)
{
    static const char *const minor[] = {"minor", "minor.entry", "minor.walk", "minor.fill",
                                        "minor.return"};
    struct run run;
    struct run_bench *bench = start_run(&run, true);

    build_fault(bench, minor, 7168);
    check_view(&run, "pagefault", "");
    SERIES(bench, "empty", 64, 64);
    bench->series[2].received--;
    check_view(&run, "pagefault", "");
    run_free(&run);
}

static void build_mapped(struct run_bench *bench)
{
    SERIES(bench, "file", 200000, 200064);
    SERIES(bench, "file.entry", 4864, 4864);
    SERIES(bench, "file.lookup", 37312, 37312);
    SERIES(bench, "file.device", 128064, 128064);
    SERIES(bench, "file.fill", 32768, 32768);
    SERIES(bench, "file.return", 2048, 2048);
}

/* A page in the page cache has no device; without a split there is no row. */
static void test_mapped(void)
{
    struct run run;
    struct run_bench *bench = start_run(&run, false);

    SERIES(bench, "empty", 64, 64);
    build_mapped(bench);
    SERIES(bench, "soft", 22400, 22400);
    SERIES(bench, "soft.entry", 4864, 4864);
    SERIES(bench, "soft.lookup", 13568, 13568);
    SERIES(bench, "soft.fill", 3520, 3520);
    check_view(&run, "pagefault",
               "  fault    whole    entry   lookup   device     fill   return      sum   beyond\n"
               "  file  199.9 us 4.800 us 37.25 us 128.0 us 32.70 us 1.984 us 204.7 us 4.800 us\n"
               "\n"
               "  time per byte: 48.8 ns by page faults of the file; from memory: n/a: bench\n"
               "  bandwidth did not run\n");
    run_free(&run);
}

/* 16 KiB in 4096 ns from memory. */
static void test_mapped_and_memory(void)
{
    struct run run;
    struct run_bench *bench = start_run(&run, false);

    SERIES(bench, "empty", 64, 64);
    build_mapped(bench);
    struct run_bench *bandwidth = build_bench(&run, "bandwidth", 1);

    SERIES(bandwidth, "read.sse.x", 1024, 16384);
    SERIES(bandwidth, "read.sse.n", 1, 1);
    SERIES(bandwidth, "read.sse", 16, 4096);
    check_view(&run, "pagefault",
               "  fault    whole    entry   lookup   device     fill   return      sum   beyond\n"
               "  file  199.9 us 4.800 us 37.25 us 128.0 us 32.70 us 1.984 us 204.7 us 4.800 us\n"
               "\n"
               "  time per byte: 48.8 ns by page faults of the file, 0.25 ns from memory (bench\n"
               "  bandwidth, read.sse of the largest array): a factor of 195\n");
    run_free(&run);
}

static void build_fork(struct run_bench *bench)
{
    SERIES(bench, "copy.x", 1, 2, 4);
    SERIES(bench, "copy.n", 1, 1, 1);
    SERIES(bench, "copy", 1000, 1000, 1600, 1600, 2800, 2800);
    SERIES(bench, "share.x", 1, 2, 4);
    SERIES(bench, "share.n", 1, 1, 1);
    SERIES(bench, "share", 1100, 1100, 1200, 1200, 1400, 1400);
    SERIES(bench, "write.x", 1, 2, 4);
    SERIES(bench, "write.n", 1, 1, 1);
}

/* What a page more takes is by the point before; without one of the curves there is no table. */
static void test_fork(void)
{
    struct run run;
    struct run_bench *bench = start_run(&run, false);

    build_fork(bench);
    check_view(&run, "fork", "");
    SERIES(bench, "write", 1100, 1100, 1900, 1900, 3500, 3500);
    check_view(&run, "fork",
               "  pages    copied    shared   written   +copied   +shared  +written\n"
               "      1  1.000 us  1.100 us  1.100 us         -         -         -\n"
               "      2  1.600 us  1.200 us  1.900 us  600.0 ns  100.0 ns  800.0 ns\n"
               "      4  2.800 us  1.400 us  3.500 us  600.0 ns  100.0 ns  800.0 ns\n");
    run_free(&run);
}

int main(void)
{
    RUN(test_footprints());
    RUN(test_footprints_missing());
    RUN(test_faults());
    RUN(test_faults_missing());
    RUN(test_mapped());
    RUN(test_mapped_and_memory());
    RUN(test_fork());
    return unit_finish("unit_switching_views");
}
