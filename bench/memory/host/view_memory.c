/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the latency of memory (chase, stride and tlb) and the parts of page faults. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/memory/host/cache_curve.h"
#include "bench/memory/host/memory_benches.h"
#include "bench/memory/host/view_memory.h"
#include "bench/memory/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/number.h"
#include "tools/base/sort.h"
#include "tools/base/texts.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"
#include "tools/run/curves.h"
#include "tools/stats/summary.h"

#define PERCENT      100
#define ORDERS       3
#define VARIANTS     (2 * ORDERS) /* each order with and without prefetchers */
#define COLUMN_WIDTH 11
#define BAR_MIN      8
#define MAPPED_PAGE  4096.0 /* bytes that a fault of a file reads */

static const char no_caches[] = "this run cannot show them: it counts instructions, or ran in an "
                                "emulator without a model of caches";

/* ---- texts ---- */

/* Writes a cost in the unit of unit_of(). */
static const char *cost_text(const struct view *view, double ticks, char text[AMOUNT_MAX])
{
    if (!isfinite(ticks)) {
        return NULL;
    }
    return view->ticks_per_instruction <= 0 && view->ns_per_tick > 0
               ? number_text(ticks * view->ns_per_tick, text)
               : span_text(view, ticks, text);
}

static const char *unit_of(const struct view *view)
{
    if (view->ticks_per_instruction > 0) {
        return "instructions";
    }
    return view->ns_per_tick > 0 ? "ns" : "ticks";
}

/* ---- all curves of a bench ---- */

/* Returns true if every trial of every point cost the same. */
static bool is_exact(const struct curve *curve)
{
    const double cost = curve_min(curve, 0);

    return !SEARCH_ANY(i, curve->points,
                       curve_min(curve, i) != cost || curve_max(curve, i) != cost);
}

/* Returns the median over the points of (max - min) / median of their trials. */
static double spread_of(const struct curve *curve)
{
    double *spread = alloc_zeroed((curve->points + 1) * sizeof(*spread));

    for (size_t i = 0; i < curve->points; i++) {
        spread[i] = (curve_max(curve, i) - curve_min(curve, i)) / curve_median(curve, i);
    }
    const double middle = summary_quantile(spread, curve->points, 0.5);

    free(spread);
    return middle;
}

static void spread_cell(struct table *table, const struct view *view, const struct curve *curve)
{
    if (is_exact(curve)) {
        table_text(table, view_constant(view));
    } else {
        table_share(table, spread_of(curve));
    }
}

static void expected_cell(struct table *table, const struct view *view,
                          const struct run_expect *expect)
{
    if (expect != NULL && view->ticks_per_instruction > 0 && expect->has_instructions) {
        table_signed(table, expect->instructions);
    } else if (expect != NULL && view->ticks_per_instruction <= 0 && expect->has_value) {
        table_format(table, "%" PRId64 " %s", expect->value,
                     expect->unit != NULL ? expect->unit : "");
    } else {
        table_text(table, NULL);
    }
}

static void add_curve(struct table *table, const struct view *view, const struct run_bench *bench,
                      const char *name, const struct curve *curve)
{
    const size_t last = curve->points - 1;
    char text[AMOUNT_MAX];

    table_named_row(table, name);
    table_format(table, "%zu", curve->points);
    table_text(table, cost_text(view, curve_median(curve, 0), text));
    table_text(table, cost_text(view, curve_median(curve, last), text));
    spread_cell(table, view, curve);
    expected_cell(table, view, run_find_expect(bench, name));
}

/* `of` says what the points are. */
static void print_curves(const struct view *view, const struct run_bench *bench, const char *of)
{
    char name[CURVE_NAME_MAX];
    struct curve curve;
    struct table table;

    table_open(&table, "lrrrrr", "curve\tpoints\tfirst\tlast\tspread\texpected");
    for (size_t i = 0; curve_name_at(bench, i, name) != NULL; i++) {
        if (memory_curve_read(bench, name, &curve)) {
            add_curve(&table, view, bench, name, &curve);
            curve_free(&curve);
        }
    }
    print_paragraph(
        view->out,
        "latency of a load that waits for the previous load, in %s: medians for the "
        "first and the last %s; spread of the trials at one point; expected value for the last",
        unit_of(view), of);
    view_table(view, &table);
}

/* ---- levels ---- */

static const char *amount_of(int64_t amount, bool is_size, char text[SIZE_TEXT_MAX])
{
    if (is_size) {
        return size_text(amount, text);
    }
    snprintf(text, SIZE_TEXT_MAX, "%" PRId64, amount);
    return text;
}

/* `one` is the unit to append; "" for bytes. */
static void range_text(const struct cache_level *level, const char *one, char *text, size_t size)
{
    const bool is_size = *one == '\0';
    char low[SIZE_TEXT_MAX];
    char high[SIZE_TEXT_MAX];

    snprintf(text, size, level->high != 0 ? "%s..%s%s" : "%s%s%s and more",
             amount_of(level->low, is_size, low),
             level->high != 0 ? amount_of(level->high, is_size, high) : "", one);
}

static void sureness_cell(struct table *table, const struct cache_level *level)
{
    table_if(table, level->high != 0, "x%.1f, %s", level->factor,
             cache_level_is_clear(level) ? "clear" : "weak");
}

static void difference_cell(struct table *table, const struct cache_claim *claim,
                            const struct cache_level *level)
{
    if (claim == NULL) {
        table_text(table, NULL);
    } else if (cache_claim_agrees(claim, level)) {
        table_text(table, "none");
    } else if (level->high == 0) {
        table_text(table, "no end seen");
    } else if (claim->bytes < level->low) {
        table_format(table, "+%.0f %%", ((double)level->low / (double)claim->bytes - 1) * PERCENT);
    } else {
        table_format(table, "-%.0f %%", (1 - (double)level->high / (double)claim->bytes) * PERCENT);
    }
}

static void add_level(struct table *table, const struct view *view, const struct cache_level *level,
                      const struct cache_claim *claim)
{
    char range[2 * SIZE_TEXT_MAX + 8];
    char text[AMOUNT_MAX];

    range_text(level, "", range, sizeof(range));
    table_named_row(table, cost_text(view, level->cost, text));
    table_format(table, "%zu", level->points);
    table_text(table, range);
    sureness_cell(table, level);
    if (claim != NULL) {
        table_format(table, "L%u: %s", claim->level, size_text(claim->bytes, text));
    } else {
        table_text(table, NULL);
    }
    difference_cell(table, claim, level);
}

static void add_unseen(struct table *table, const struct cache_claim *claim)
{
    char text[SIZE_TEXT_MAX];

    table_row(table);
    for (size_t i = 0; i < 4; i++) {
        table_text(table, NULL);
    }
    table_format(table, "L%u: %s", claim->level, size_text(claim->bytes, text));
    table_text(table, "not seen");
}

/* Returns false if a cache was found smaller than CPUID reports, or not at all. */
static bool add_levels(struct table *table, const struct view *view,
                       const struct cache_level *levels, size_t count)
{
    struct cache_claim claims[LEVELS_MAX];
    bool seen[LEVELS_MAX] = {false};
    const size_t claim_count = cache_claims_read(view->run, claims);
    bool whole = true;

    for (size_t i = 0; i < count; i++) {
        const struct cache_claim *claim = cache_claim_of(claims, claim_count, levels, i);

        if (claim != NULL) {
            seen[claim - claims] = true;
            whole = whole && (levels[i].high == 0 || claim->bytes <= levels[i].high);
        }
        add_level(table, view, &levels[i], claim);
    }
    for (size_t i = 0; i < claim_count; i++) {
        if (!seen[i]) {
            whole = false;
            add_unseen(table, &claims[i]);
        }
    }
    return whole;
}

static void print_levels(const struct view *view, const struct run_bench *bench)
{
    struct cache_level levels[LEVELS_MAX];
    char name[CURVE_NAME_MAX];
    struct table table;

    if (shows_no_caches(view->run)) {
        print_paragraph(view->out, "caches: %s", no_caches);
        return;
    }
    const size_t count = chase_levels(view->run, bench, levels, name);

    if (count == 0) {
        print_paragraph(view->out, "caches: no curve in random order has a level");
        return;
    }
    table_open(&table, "rrrrrr", "cost\tpoints\tholds\tnext\tCPUID\tdifference");
    const bool whole = add_levels(&table, view, levels, count);

    print_paragraph(view->out,
                    "caches found in %s, in %s, compared with those that CPUID reports:", name,
                    unit_of(view));
    view_table(view, &table);
    if (!whole) {
        print_paragraph(view->out,
                        "A cache that is found smaller than CPUID reports, or not at all, may be "
                        "shared with cores or guests that use part of it, may have ways reserved "
                        "by the system, or may end where the curve has too few sizes.");
    }
}

/* ---- chase ---- */

/* curves for one page size, write-back, with the same sizes */
struct page_curves {
    const char *head[VARIANTS];
    struct curve curve[VARIANTS];
    size_t count;
    const struct curve *bars; /* curve of the random order; NULL: none */
};

static void read_page(const struct run_bench *bench, const char *page, struct page_curves *curves)
{
    static const char *const orders[ORDERS] = {ORDER_SEQUENTIAL, ORDER_STRIDED, ORDER_RANDOM};
    static const char *const off[ORDERS] = {"seq.nopf", "str.nopf", "ran.nopf"};

    *curves = (struct page_curves){0};
    for (size_t i = 0; i < VARIANTS; i++) {
        struct curve *curve = &curves->curve[curves->count];
        char name[CURVE_NAME_MAX];

        snprintf(name, sizeof(name), "%s.%s." TYPE_NAME_WB "%s", orders[i % ORDERS], page,
                 i < ORDERS ? "" : SUFFIX_NOPF);
        if (!memory_curve_read(bench, name, curve)) {
            continue;
        }
        if (curves->count > 0 && curve->points != curves->curve[0].points) {
            curve_free(curve);
            continue;
        }
        curves->head[curves->count] = i < ORDERS ? orders[i] : off[i % ORDERS];
        curves->bars = i == ORDERS - 1 ? curve : curves->bars;
        curves->count++;
    }
}

/* Prints a bar for the logarithm of a cost, scaled from the smallest cost to the largest. */
static void print_bar(FILE *out, const struct curve *curve, size_t point, size_t width)
{
    double least = INFINITY;
    double greatest = 0;

    for (size_t i = 0; i < curve->points; i++) {
        const double cost = curve_median(curve, i);

        least = cost > 0 && cost < least ? cost : least;
        greatest = cost > greatest ? cost : greatest;
    }
    const double cost = curve_median(curve, point);

    if (cost > 0 && greatest > least) {
        chart_bar(out, 0.05 + 0.95 * log(cost / least) / log(greatest / least), width);
    }
}

static void print_sizes(const struct view *view, const struct page_curves *curves)
{
    const size_t used = 12 + curves->count * COLUMN_WIDTH;
    const size_t columns = terminal_width();
    const size_t width = used + BAR_MIN < columns ? columns - used - 1 : 0;

    fprintf(view->out, "\n  %10s", "size");
    for (size_t i = 0; i < curves->count; i++) {
        fprintf(view->out, "%*s", COLUMN_WIDTH, curves->head[i]);
    }
    fputc('\n', view->out);
    for (size_t point = 0; point < curves->curve[0].points; point++) {
        char text[AMOUNT_MAX];

        fprintf(view->out, "  %10s", size_text(curves->curve[0].x[point], text));
        for (size_t i = 0; i < curves->count; i++) {
            const char *cost = cost_text(view, curve_median(&curves->curve[i], point), text);

            fprintf(view->out, "%*s", COLUMN_WIDTH, cost != NULL ? cost : "-");
        }
        if (curves->bars != NULL && width > 0) {
            fputc(' ', view->out);
            print_bar(view->out, curves->bars, point, width);
        }
        fputc('\n', view->out);
    }
}

static void print_page(const struct view *view, const struct run_bench *bench, const char *page)
{
    struct page_curves curves;

    read_page(bench, page, &curves);
    if (curves.count > 0) {
        print_paragraph(view->out, "by size, pages of %s, in %s%s:", page, unit_of(view),
                        curves.bars != NULL ? " (bars: logarithm of the cost in random order)"
                                            : "");
        print_sizes(view, &curves);
    }
    for (size_t i = 0; i < curves.count; i++) {
        curve_free(&curves.curve[i]);
    }
}

static void view_chase(const struct view *view, const struct run_bench *bench)
{
    print_curves(view, bench, "size");
    for (size_t page = 0; page < PAGE_SIZES && view->ticks_per_instruction <= 0; page++) {
        print_page(view, bench, page_names[page]);
    }
    print_levels(view, bench);
}

/* ---- stride ---- */

static void view_stride(const struct view *view, const struct run_bench *bench)
{
    int64_t strides[STRIDES_MAX];
    struct curve curves[STRIDES_MAX];
    const size_t count = stride_curves_read(bench, strides, curves);
    char text[AMOUNT_MAX];
    struct table table;

    if (count == 0) {
        print_paragraph(view->out, "no table of strides: samples are missing");
        return;
    }
    table_init(&table, &"rrrrrrrrrrrr"[STRIDES_MAX - count]);
    table_named_row(&table, "array");
    for (size_t i = 0; i < count; i++) {
        table_text(&table, size_text_short(strides[i], text));
    }
    for (size_t point = 0; point < curves[0].points; point++) {
        table_named_row(&table, size_text_short(curves[0].x[point], text));
        for (size_t i = 0; i < count; i++) {
            table_text(&table, cost_text(view, curve_median(&curves[i], point), text));
        }
    }
    table_named_row(&table, "spread");
    for (size_t i = 0; i < count; i++) {
        spread_cell(&table, view, &curves[i]);
    }
    print_paragraph(view->out,
                    "latency of a load by array (rows) and stride (columns), in %s; spread: of the "
                    "trials at one array:",
                    unit_of(view));
    view_table(view, &table);
    for (size_t i = 0; i < count; i++) {
        curve_free(&curves[i]);
    }
}

/* ---- tlb ---- */

static void print_counts(const struct view *view, const struct curve curves[PAGE_SIZES])
{
    const struct curve *longest = &curves[0];
    struct curve caches = {0};
    char text[AMOUNT_MAX];
    struct table table;

    for (size_t i = 1; i < PAGE_SIZES; i++) {
        longest = curves[i].points > longest->points ? &curves[i] : longest;
    }
    chase_read(view->run, &caches);
    table_open(&table, "rrrrr", "pages\t4k\t2m\t1g\tcaches alone");
    for (size_t point = 0; point < longest->points; point++) {
        const int64_t pages = longest->x[point];

        table_row(&table);
        table_signed(&table, pages);
        for (size_t i = 0; i < PAGE_SIZES; i++) {
            table_text(&table, cost_text(view, memory_median_at(&curves[i], pages), text));
        }
        table_text(&table, cost_text(view, chase_cost_of_lines(&caches, pages), text));
    }
    print_paragraph(view->out,
                    "latency of a load by number of pages, with one line each, in %s; caches "
                    "alone: bench chase with the same number of consecutive lines:",
                    unit_of(view));
    view_table(view, &table);
    curve_free(&caches);
}

static void print_reach(const struct view *view, const struct run_bench *bench)
{
    bool with_caches = false;
    struct table table;

    table_open(&table, "lrrrr", "page\tcost\tpoints\tholds\tnext");
    for (size_t page = 0; page < PAGE_SIZES; page++) {
        struct cache_level levels[LEVELS_MAX];
        const size_t count = tlb_levels(view->run, bench, page_names[page], levels, &with_caches);

        for (size_t i = 0; i < count; i++) {
            char text[AMOUNT_MAX];

            table_named_row(&table, i == 0 ? page_names[page] : "");
            table_text(&table, cost_text(view, levels[i].cost, text));
            table_format(&table, "%zu", levels[i].points);
            range_text(&levels[i], " pages", text, sizeof(text));
            table_text(&table, text);
            sureness_cell(&table, &levels[i]);
        }
    }
    print_paragraph(view->out, "reach of the TLB, found in these curves%s, in %s:",
                    with_caches
                        ? " (some steps may come from the caches, because bench chase did not run)"
                        : " after subtracting what the caches add",
                    unit_of(view));
    view_table(view, &table);
}

static void view_tlb(const struct view *view, const struct run_bench *bench)
{
    struct curve curves[PAGE_SIZES] = {{0}};

    print_curves(view, bench, "number of pages");
    if (shows_no_caches(view->run)) {
        print_paragraph(view->out, "TLB: %s", no_caches);
        return;
    }
    for (size_t i = 0; i < PAGE_SIZES; i++) {
        memory_curve_read(bench, page_names[i], &curves[i]);
    }
    print_counts(view, curves);
    for (size_t i = 0; i < PAGE_SIZES; i++) {
        curve_free(&curves[i]);
    }
    print_reach(view, bench);
}

/* ---- page faults ---- */

static void add_split(struct table *table, const struct view *view, const struct fault_group *group,
                      const struct fault_split *split)
{
    int64_t sum = 0;

    table_named_row(table, split->kind);
    cell_span(table, view, true, (double)split->whole);
    for (size_t i = 0; i < group->part_count; i++) {
        if (split->there[i]) {
            cell_span(table, view, true, (double)split->parts[i]);
        } else {
            table_text(table, NULL);
        }
        sum += split->parts[i];
    }
    cell_span(table, view, true, (double)sum);
    cell_span(table, view, true, (double)(sum - split->whole));
}

static void print_splits(const struct view *view, const struct fault_group *group,
                         const struct fault_split *splits, size_t count)
{
    char alignment[] = "lrrrrrrrr";
    struct table table;

    alignment[group->part_count + 4] = '\0';
    table_init(&table, alignment);
    table_named_row(&table, "fault");
    table_text(&table, "whole");
    for (size_t i = 0; i < group->part_count; i++) {
        table_text(&table, group->parts[i]);
    }
    table_text(&table, "sum");
    table_text(&table, "beyond");
    for (size_t i = 0; i < count; i++) {
        add_split(&table, view, group, &splits[i]);
    }
    view_table(view, &table);
}

/* Section 9 of the report: 4.057 ns per byte by page faults of its SSD, 46.62 ps from memory. */
static void compare_with_memory(const struct view *view, const struct fault_split *split)
{
    const double fault = (double)split->whole * view->ns_per_tick / MAPPED_PAGE;
    const struct run_bench *bench = run_find_bench(view->run, BENCH_BANDWIDTH);
    const char *set = "";

    if (view->ns_per_tick <= 0) {
        return;
    }
    if (view->ticks_per_instruction > 0) {
        print_paragraph(view->out,
                        "time per byte: %.3g ns of virtual time by page faults of the file; from "
                        "memory: n/a: memory costs nothing if instructions are counted",
                        fault);
        return;
    }
    const double rate = bench != NULL ? bandwidth_best(view, bench, OPERATION_READ, &set) : NAN;

    if (!(rate > 0)) {
        print_paragraph(
            view->out,
            "time per byte: %.3g ns by page faults of the file; from memory: n/a: bench "
            "bandwidth did not run",
            fault);
        return;
    }
    print_paragraph(view->out,
                    "time per byte: %.3g ns by page faults of the file, %.3g ns from memory (bench "
                    "bandwidth, read.%s of the largest array): a factor of %.0f",
                    fault, 1 / rate, set, fault * rate);
}

static void view_pagefault(const struct view *view, const struct run_bench *bench)
{
    struct fault_split splits[FAULT_KINDS_MAX];
    size_t count = fault_splits_read(bench, &faults_of_memory, splits);

    if (count > 0) {
        print_paragraph(
            view->out,
            "parts of a page fault%s: medians, less the median of `empty`; the parts come "
            "from a separate run with three stamps in the kernel, and their sum "
            "exceeds the whole by the cost of these stamps:",
            span_note(view));
        print_splits(view, &faults_of_memory, splits, count);
    }
    count = fault_splits_read(bench, &faults_of_file, splits);
    if (count == 0) {
        return;
    }
    print_paragraph(
        view->out,
        "parts of a page fault in a mapped file%s: `file` is read from its disk, `soft` "
        "is in the page cache; lookup: until the device has the request, or the page "
        "is found; device: until the interrupt handler sees that the request is done:",
        span_note(view));
    print_splits(view, &faults_of_file, splits, count);
    if (strcmp(splits[0].kind, faults_of_file.kinds[0]) == 0) {
        compare_with_memory(view, &splits[0]);
    }
}

PLUGIN_OF(chase, .order = 200, .show = view_chase, .place = PLUGIN_FOR_SERIES);

PLUGIN_OF(stride, .order = 200, .show = view_stride, .place = PLUGIN_FOR_SERIES);

PLUGIN_OF(tlb, .order = 200, .show = view_tlb, .place = PLUGIN_FOR_SERIES);

PLUGIN_OF(pagefault, .order = 200, .show = view_pagefault);
