/* SPDX-License-Identifier: BSD-2-Clause */
/* What `tare show` makes of bandwidth and loaded latency: bench/memory/host/view_bandwidth.c, on
 * numbers by hand. */
#include <stdio.h>
#include <stdlib.h>

#include "tools/present/report_plugin.h"
#include "tools/present/view.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define GHZ 1000000000

struct page {
    struct run run;
    struct run_bench *bench;
    char *text;
};

static void begin(struct page *page, const char *kind)
{
    memset(page, 0, sizeof(*page));
    run_init(&page->run);
    run_add_pair(&page->run, &page->run.info, "kind", kind);
    if (strcmp(kind, "exact") == 0) {
        run_add_pair(&page->run, &page->run.info, "ticks_per_instruction", "8");
    }
    page->run.verdict = (struct run_verdict){.present = true, .ok = true, .hz = GHZ};
    page->bench = run_add_bench(&page->run, "test");
}

/* As a bench of that name. */
static void show(struct page *page, const char *name)
{
    size_t size = 0;
    FILE *out = open_memstream(&page->text, &size);
    struct view view;

    view_init(&view, out, &page->run);
    page->bench->name = name;
    report_plugin_shown(page->bench)->show(&view, page->bench);
    fclose(out);
}

static void end(struct page *page)
{
    free(page->text);
    run_free(&page->run);
}

static int holds(const struct page *page, const char *text)
{
    if (strstr(page->text, text) != NULL) {
        return 1;
    }
    fprintf(stderr, "\"%s\" is not in:\n%s\n", text, page->text);
    return 0;
}

/* Two sizes, three trials each. */
static void add_read(struct page *page, const int64_t *ticks)
{
    static const int64_t x[] = {4096, 2 << 20};
    static const int64_t n[] = {10, 2};

    build_series(page->bench, "read.sse.x", NULL, NULL, x, 2);
    build_series(page->bench, "read.sse.n", NULL, NULL, n, 2);
    build_series(page->bench, "read.sse", NULL, NULL, ticks, 6);
}

static void test_rates(void)
{
    /* The medians: 4096 bytes in 2048 ns, 2 MiB in 262144 ns. */
    static const int64_t ticks[] = {99999, 20480, 1, 524288, 524288, 524288};
    struct page page;

    begin(&page, "real");
    run_add_pair(&page.run, &page.run.machine, "dram_mt_s", "3200");
    run_add_pair(&page.run, &page.run.machine, "dram_width_bits", "64");
    run_add_pair(&page.run, &page.run.machine, "dram_devices", "2");
    add_read(&page, ticks);
    show(&page, "bandwidth");
    CHECK(holds(&page, "4 KiB  2.000\n"));
    CHECK(holds(&page, "2 MiB  8.000\n"));
    CHECK(holds(&page, "25.6 GB/s per channel"));
    CHECK(holds(&page, "51.2\n  GB/s if each of the 2 modules"));
    CHECK(holds(&page, "read at 8.00 GB/s (sse): 31.2 %"));
    CHECK(strstr(page.text, "avx2") == NULL); /* no column of what is absent */
    end(&page);
}

static void test_exact(void)
{
    static const int64_t ticks[] = {20480, 20480, 20480, 524288, 524288, 524288};
    struct page page;

    begin(&page, "exact");
    run_add_pair(&page.run, &page.run.machine, "dram_speed", "not reported");
    add_read(&page, ticks);
    show(&page, "bandwidth");
    CHECK(holds(&page, "bytes per instruction"));
    CHECK(holds(&page, "4 KiB  16.00\n"));
    CHECK(holds(&page, "theoretical: n/a: not reported"));
    end(&page);
}

static void test_loaded(void)
{
    static const int64_t x[] = {0, 1, 2};
    static const int64_t n[] = {10, 10, 10};
    static const int64_t once[] = {1000, 1100, 2000};
    static const int64_t bytes[] = {5000, 8000};
    static const int64_t ticks[] = {1000, 1000};
    struct page page;

    begin(&page, "real");
    build_series(page.bench, "latency.x", NULL, NULL, x, 3);
    build_series(page.bench, "latency.n", NULL, NULL, n, 3);
    build_series(page.bench, "latency", NULL, NULL, once, 3);
    build_series(page.bench, "stream.x", NULL, NULL, x + 1, 2);
    build_series(page.bench, "stream.n", NULL, NULL, bytes, 2);
    build_series(page.bench, "stream", NULL, NULL, ticks, 2);
    show(&page, "loaded");
    CHECK(holds(&page, "      0  100.0 ns  100.0 ns  100.0 ns          -      -\n"));
    CHECK(holds(&page, "      2  200.0 ns  200.0 ns  200.0 ns      8.000  4.000\n"));
    end(&page);
}

/* 1 KiB a repetition; one operation goes to fewer processors, and others are missing. */
static void test_together(void)
{
    static const int64_t x[] = {1, 2, 4};
    static const int64_t n[] = {10, 20, 40};
    static const int64_t read[] = {1024, 1024, 1024, 1024, 2048, 2048};
    static const int64_t copy[] = {2048, 2048};
    struct page page;

    begin(&page, "real");
    build_series(page.bench, "read.x", NULL, NULL, x, 3);
    build_series(page.bench, "read.n", NULL, NULL, n, 3);
    build_series(page.bench, "read", NULL, NULL, read, 6);
    build_series(page.bench, "copy.x", NULL, NULL, x, 2);
    build_series(page.bench, "copy.n", NULL, NULL, n, 2);
    build_series(page.bench, "copy", NULL, NULL, copy, 2);
    show(&page, "together");
    CHECK(holds(
        &page,
        "           1  10.00      -  5.000         -   10.00        -   5.000           -\n"));
    CHECK(holds(
        &page,
        "           2  20.00      -  10.00         -   10.00        -   5.000           -\n"));
    CHECK(holds(
        &page,
        "           4  20.00      -      -         -   5.000        -       -           -\n"));
    end(&page);
}

int main(void)
{
    RUN(test_rates());
    RUN(test_exact());
    RUN(test_loaded());
    RUN(test_together());
    return unit_finish("unit_bandwidth");
}
