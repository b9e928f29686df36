/* SPDX-License-Identifier: BSD-2-Clause */
/* What switches and page faults are made of, as far as parts were measured beside the whole. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/memory/host/faults.h"
#include "bench/memory/host/view_memory.h"
#include "bench/memory/names.h"
#include "bench/system/host/footprints.h"
#include "bench/system/host/view_system.h"
#include "bench/system/names.h"
#include "tools/present/reading.h"
#include "tools/present/view.h"
#include "tools/run/curves.h"

#define MAPPED_PAGE 4096.0 /* bytes that a fault of a file brings */

static void bytes_cell(struct table *table, int64_t bytes)
{
    if (bytes >= 1 << 20 && bytes % (1 << 20) == 0) {
        table_format(table, "%" PRId64 " MiB", bytes >> 20);
    } else if (bytes >= 1 << 10 && bytes % (1 << 10) == 0) {
        table_format(table, "%" PRId64 " KiB", bytes >> 10);
    } else {
        table_format(table, "%" PRId64 " B", bytes);
    }
}

/* In instructions to a hundredth, or as a duration with its sign. */
static void span_cell(struct table *table, const struct view *view, double ticks)
{
    char text[AMOUNT_MAX];

    if (view->ticks_per_instruction > 0) {
        snprintf(text, sizeof(text), "%.2f", ticks / view->ticks_per_instruction);
        if (strcmp(text + strlen(text) - 3, ".00") == 0) {
            text[strlen(text) - 3] = '\0';
        }
        table_text(table, strcmp(text, "-0") == 0 ? "0" : text);
    } else if (ticks < 0) {
        table_format(table, "-%s", span_text(view, -ticks, text));
    } else {
        table_text(table, span_text(view, ticks, text));
    }
}

/* ---- footprints ---- */

static void add_point(struct table *table, const struct view *view,
                      const struct footprints *footprints, size_t point)
{
    table_row(table);
    bytes_cell(table, footprints->curve[FOOTPRINT_ALONE].x[point]);
    for (enum footprint i = 0; i < FOOTPRINTS; i++) {
        if (footprints->there[i]) {
            span_cell(table, view, curve_median(&footprints->curve[i], point));
        }
    }
    for (enum footprint i = FOOTPRINT_THREAD; i < FOOTPRINTS; i++) {
        if (footprints->there[i]) {
            span_cell(table, view, footprints_refill(footprints, i, point));
        }
    }
}

static void print_footprints(const struct view *view, const struct footprints *footprints)
{
    static const char *const heads[FOOTPRINTS] = {"reading", "thread", "process", "pcid"};
    struct table table;

    table_init(&table, "rrrrrrrr");
    table_row(&table);
    table_text(&table, "footprint");
    for (enum footprint i = 0; i < FOOTPRINTS; i++) {
        if (footprints->there[i]) {
            table_text(&table, heads[i]);
        }
    }
    for (enum footprint i = FOOTPRINT_THREAD; i < FOOTPRINTS; i++) {
        if (footprints->there[i]) {
            table_format(&table, "+%s", heads[i]);
        }
    }
    for (size_t i = 0; i < footprints->curve[FOOTPRINT_ALONE].points; i++) {
        add_point(&table, view, footprints, i);
    }
    print_paragraph(view->out,
                    "a turn in which a task reads its footprint and yields, by threads of one "
                    "process and of two%s: medians; +thread, +process: what it takes beyond the "
                    "reading alone and beyond the switch with nothing to read, which is filling "
                    "caches and TLB again:",
                    span_note(view));
    fputc('\n', view->out);
    table_print(&table, view->out, 2);
}

void view_contextswitch(const struct view *view, const struct run_bench *bench)
{
    struct footprints footprints;

    if (footprints_read(bench, &footprints)) {
        print_footprints(view, &footprints);
    }
    footprints_free(&footprints);
}

/* ---- page faults ---- */

static void add_split(struct table *table, const struct view *view, const char *kind,
                      const struct fault_split *split)
{
    int64_t sum = 0;

    table_row(table);
    table_text(table, kind);
    span_cell(table, view, (double)split->whole);
    for (size_t i = 0; i < FAULT_PARTS; i++) {
        span_cell(table, view, (double)split->parts[i]);
        sum += split->parts[i];
    }
    span_cell(table, view, (double)sum);
    span_cell(table, view, (double)(sum - split->whole));
}

static void print_faults(const struct view *view, const struct run_bench *bench)
{
    static const char *const heads[] = {"fault", "whole",  "entry", "walk",
                                        "fill",  "return", "sum",   "beyond"};
    struct table table;
    struct fault_split split;
    bool any = false;

    for (size_t i = 0; i < FAULT_SPLITS; i++) {
        if (!fault_split_read(bench, fault_splits[i], &split)) {
            continue;
        }
        if (!any) {
            table_head(&table, "lrrrrrrr", heads);
            any = true;
        }
        add_split(&table, view, fault_splits[i], &split);
    }
    if (!any) {
        return;
    }
    print_paragraph(view->out,
                    "where a fault's time goes%s: medians less that of `empty`; the parts are of a "
                    "run of their own, with three stamps in the kernel, and their sum is beyond "
                    "the whole by what it takes to keep these:",
                    span_note(view));
    fputc('\n', view->out);
    table_print(&table, view->out, 2);
}

static void add_mapped(struct table *table, const struct view *view, const char *kind,
                       const struct mapped_split *split)
{
    int64_t sum = 0;

    table_row(table);
    table_text(table, kind);
    span_cell(table, view, (double)split->whole);
    for (size_t i = 0; i < MAPPED_PARTS; i++) {
        if (!split->there[i]) {
            table_text(table, "-");
            continue;
        }
        span_cell(table, view, (double)split->parts[i]);
        sum += split->parts[i];
    }
    span_cell(table, view, (double)sum);
    span_cell(table, view, (double)(sum - split->whole));
}

/* Section 9 of the report: 4.057 ns a byte by page faults of its SSD, 46.62 ps from memory. */
static void compare_with_memory(const struct view *view, const struct mapped_split *split)
{
    const double fault = (double)split->whole * view->ns_per_tick / MAPPED_PAGE;
    const struct run_bench *bench = run_find_bench(view->run, BENCH_BANDWIDTH);
    const char *set = "";

    if (view->ns_per_tick <= 0) {
        return;
    }
    if (view->ticks_per_instruction > 0) {
        print_paragraph(view->out,
                        "a byte by page faults of the file: %.3g ns of virtual time; from memory: "
                        "n/a: where instructions are counted memory costs nothing",
                        fault);
        return;
    }
    const double rate = bench != NULL ? bandwidth_best(view, bench, OPERATION_READ, &set) : NAN;

    if (!(rate > 0)) {
        print_paragraph(view->out,
                        "a byte by page faults of the file: %.3g ns; from memory: n/a: bench "
                        "bandwidth did not run",
                        fault);
        return;
    }
    print_paragraph(view->out,
                    "a byte by page faults of the file: %.3g ns; from memory: %.3g ns (bench "
                    "bandwidth, read.%s of the largest array): %.0f times",
                    fault, 1 / rate, set, fault * rate);
}

static void print_mapped(const struct view *view, const struct run_bench *bench)
{
    static const char *const heads[] = {"fault", "whole",  "entry", "lookup", "device",
                                        "fill",  "return", "sum",   "beyond"};
    struct mapped_split splits[MAPPED_SPLITS];
    bool there[MAPPED_SPLITS];
    struct table table;
    bool any = false;

    table_head(&table, "lrrrrrrrr", heads);
    for (size_t i = 0; i < MAPPED_SPLITS; i++) {
        there[i] = mapped_split_read(bench, mapped_splits[i], &splits[i]);
        if (there[i]) {
            add_mapped(&table, view, mapped_splits[i], &splits[i]);
            any = true;
        }
    }
    if (!any) {
        table_free(&table);
        return;
    }
    print_paragraph(view->out,
                    "the same of a mapped file%s: `file` is read from its disk, `soft` is in the "
                    "page cache; lookup: until the device has the request, or the page is found; "
                    "device: until the handler of its interrupt sees it done:",
                    span_note(view));
    fputc('\n', view->out);
    table_print(&table, view->out, 2);
    if (there[0]) {
        compare_with_memory(view, &splits[0]);
    }
}

void view_pagefault(const struct view *view, const struct run_bench *bench)
{
    print_faults(view, bench);
    print_mapped(view, bench);
}

READING_REGISTER(contextswitch_view) = {
    .bench = BENCH_CONTEXTSWITCH, .order = 200, .show = view_contextswitch};

READING_REGISTER(pagefault_view) = {.bench = BENCH_PAGEFAULT, .order = 200, .show = view_pagefault};
