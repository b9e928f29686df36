/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of memory: latency and bandwidth by size, order, page and operation; and page faults. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/memory/host/memory_benches.h"
#include "bench/memory/host/view_memory.h"
#include "bench/memory/names.h"
#include "tools/base/texts.h"
#include "tools/present/figure_kit.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"
#include "tools/run/curves.h"
#include "tools/run/run_kind.h"

#define TITLE_MAX 96

static const char section[] = "Memory";

struct part {
    struct figures *figures;
    const struct run *run;
    struct view view;
};

static const struct run_bench *find_bench(const struct part *part, const char *name,
                                          const char *title)
{
    return figures_find_bench(part->figures, part->run, section, title, name);
}

static void add_torn(const struct part *part, const char *name, const char *title)
{
    figure_add_torn(part->figures, section, title, name);
}

/* Adds the medians of a curve. */
static void add_curve(struct figure *figure, const char *name, const struct curve *curve,
                      const struct figure_scale *scale)
{
    struct figure_series *series = figure_add_series(figure, name);

    for (size_t i = 0; i < curve->points; i++) {
        figure_add_point(series, (double)curve->x[i], curve_median(curve, i) * scale->per_tick);
    }
}

/* ---- chase ---- */

/* Returns the page size in a curve's name, "2m" for "random.2m.wb.nopf", or NULL if it is unknown.
 */
static const char *page_of(const char *name)
{
    const char *dot = strchr(name, '.');

    for (size_t i = 0; dot != NULL && i < PAGE_SIZES; i++) {
        const size_t length = strlen(page_names[i]);

        if (strncmp(dot + 1, page_names[i], length) == 0 && dot[1 + length] == '.') {
            return page_names[i];
        }
    }
    return NULL;
}

/* Writes a curve's name without its page size: "random, wb, nopf". */
static void short_name(const char *name, char text[CURVE_NAME_MAX])
{
    const char *page = page_of(name);
    const char *dot = strchr(name, '.');

    snprintf(text, CURVE_NAME_MAX, "%.*s, %.40s", (int)(dot - name), name,
             dot + 1 + strlen(page) + 1);
}

static void print_level(FILE *out, const struct cache_level *level, const struct cache_claim *claim,
                        const struct figure_scale *scale)
{
    char low[SIZE_TEXT_MAX];
    char high[SIZE_TEXT_MAX];

    fprintf(out, " %.3g %s ", level->cost * scale->per_tick, scale->unit);
    if (level->high == 0) {
        fputs("beyond", out);
        return;
    }
    fprintf(out, "up to %s..%s", size_text(level->low, low), size_text(level->high, high));
    if (claim != NULL) {
        fprintf(out, " (CPUID: L%u %s)", claim->level, size_text(claim->bytes, low));
    }
}

/* Adds a line to the figure for each level found, and a description of all levels to `found`. */
static void add_levels(const struct part *part, struct figure *figure,
                       const struct run_bench *bench, const char *page,
                       const struct figure_scale *scale, FILE *found)
{
    struct cache_level levels[LEVELS_MAX];
    struct cache_claim claims[LEVELS_MAX];
    char name[CURVE_NAME_MAX];
    struct curve curve;
    const size_t count = chase_levels(part->run, bench, levels, name);
    const size_t claim_count = cache_claims_read(part->run, claims);

    if (count == 0 || strcmp(page_of(name), page) != 0 || !memory_curve_read(bench, name, &curve)) {
        return;
    }
    struct figure_series *series = figure_add_reference(figure, "levels found");
    int64_t begin = curve.x[0];

    fprintf(found, " Levels found in %s:", name);
    for (size_t i = 0; i < count; i++) {
        const double cost = levels[i].cost * scale->per_tick;

        figure_add_point(series, (double)begin, cost);
        figure_add_point(series, (double)levels[i].low, cost);
        figure_add_point(series, (double)levels[i].low, NAN);
        begin = levels[i].high;
        fputs(i > 0 ? ";" : "", found);
        print_level(found, &levels[i], cache_claim_of(claims, claim_count, levels, i), scale);
    }
    fputc('.', found);
    curve_free(&curve);
}

/* Returns the number of trials of each point of the bench's curves, or 0 if they differ or there is
 * none. */
static size_t trials_of(const struct run_bench *bench)
{
    char name[CURVE_NAME_MAX];
    struct curve curve;
    size_t trials = 0;

    for (size_t i = 0; curve_name_at(bench, i, name) != NULL; i++) {
        if (!memory_curve_read(bench, name, &curve)) {
            continue;
        }
        const bool same = trials == 0 || trials == curve.trials;

        trials = curve.trials;
        curve_free(&curve);
        if (!same) {
            return 0;
        }
    }
    return trials;
}

/* Writes "Medians of 15 trials", or "Medians of trials" if the number is not the same everywhere.
 */
static const char *medians_text(const struct run_bench *bench, char text[TITLE_MAX])
{
    const size_t trials = trials_of(bench);

    snprintf(text, TITLE_MAX, trials > 0 ? "Medians of %zu trials" : "Medians of trials", trials);
    return text;
}

static struct figure_scale scale_of_loads(const struct part *part)
{
    const double ns = run_ns_per_tick(part->run);

    return figure_length_scale(part->run, ns > 0 ? 10 / ns : 1);
}

static void add_page(const struct part *part, const struct run_bench *bench, const char *page)
{
    const struct figure_scale scale = scale_of_loads(part);
    struct figure *figure = NULL;
    char name[CURVE_NAME_MAX];
    char text[TITLE_MAX];
    struct long_text found;
    struct curve curve;

    for (size_t i = 0; curve_name_at(bench, i, name) != NULL; i++) {
        const char *of = page_of(name);

        if (of == NULL || strcmp(of, page) != 0 || !memory_curve_read(bench, name, &curve)) {
            continue;
        }
        if (figure == NULL) {
            snprintf(text, sizeof(text), "Latency of a load by size, pages of %s", page);
            figure = figure_add(part->figures, FIGURE_LINES, section, text, "chase-%s", page);
            figure_axes(figure, "size of the array", "bytes", "latency", scale.unit);
            figure->x.logarithmic = true;
        }
        short_name(name, text);
        add_curve(figure, text, &curve, &scale);
        curve_free(&curve);
    }
    if (figure == NULL) {
        return;
    }
    figure_choose_scale(figure);
    long_text_open(&found);
    add_levels(part, figure, bench, page, &scale, found.out);
    figure_how(
        figure,
        "%s of loads that each wait for the previous load, in %s, by order and type of memory "
        "(wb: write-back; nopf: prefetchers off).%s%s",
        medians_text(bench, text), run_time_label(part->run),
        shows_no_caches(part->run) ? " A run in this time base cannot show caches." : "",
        long_text_close(&found));
    long_text_free(&found);
}

static void add_chase(const struct part *part)
{
    const size_t before = part->figures->count;
    const struct run_bench *bench = find_bench(part, BENCH_CHASE, "Latency of a load by size");

    for (size_t i = 0; bench != NULL && i < PAGE_SIZES; i++) {
        add_page(part, bench, page_names[i]);
    }
    if (bench != NULL && part->figures->count == before) {
        add_torn(part, BENCH_CHASE, "Latency of a load by size");
    }
}

/* ---- stride ---- */

static void fill_strides(struct figure *figure, const int64_t *strides, const struct curve *curves,
                         size_t count, const struct figure_scale *scale)
{
    char text[SIZE_TEXT_MAX];

    for (size_t i = 0; i < count; i++) {
        figure_add_column(figure, size_text_short(strides[i], text));
    }
    for (size_t i = 0; i < curves[0].points; i++) {
        figure_add_row(figure, size_text_short(curves[0].x[i], text));
    }
    for (size_t row = 0; row < curves[0].points; row++) {
        for (size_t column = 0; column < count; column++) {
            figure_set_value(figure, row, column,
                             curve_median(&curves[column], row) * scale->per_tick);
        }
    }
}

static void add_stride(const struct part *part)
{
    const struct run_bench *bench = find_bench(part, BENCH_STRIDE, "Latency of a load by stride");
    const struct figure_scale scale = scale_of_loads(part);
    struct curve curves[STRIDES_MAX];
    int64_t strides[STRIDES_MAX];
    char title[TITLE_MAX];

    if (bench == NULL) {
        return;
    }
    const size_t count = stride_curves_read(bench, strides, curves);

    if (count == 0) {
        add_torn(part, BENCH_STRIDE, "Latency of a load by stride");
        return;
    }
    snprintf(title, sizeof(title), "Latency of a load by array and stride, in %s", scale.unit);
    struct figure *figure = figure_add(part->figures, FIGURE_HEAT, section, title, "stride");

    figure_axes(figure, "stride", "bytes", "array", "bytes");
    fill_strides(figure, strides, curves, count, &scale);
    figure_how(figure,
               "%s of loads that each wait for the previous load, one stride after the other round "
               "the array, in %s.%s",
               medians_text(bench, title), run_time_label(part->run),
               shows_no_caches(part->run) ? " A run in this time base cannot show caches." : "");
    for (size_t i = 0; i < count; i++) {
        curve_free(&curves[i]);
    }
}

/* ---- TLB ---- */

static void print_reach(const struct part *part, const struct run_bench *bench, FILE *out)
{
    struct cache_level levels[LEVELS_MAX];
    bool with_caches = false;
    bool any_with_caches = false;
    bool any = false;

    for (size_t page = 0; page < PAGE_SIZES; page++) {
        const size_t count = tlb_levels(part->run, bench, page_names[page], levels, &with_caches);

        any_with_caches = any_with_caches || (count > 0 && with_caches);
        for (size_t i = 0; i < count && levels[i].high != 0; i++) {
            fprintf(out, "%s %" PRId64 "..%" PRId64 " pages of %s",
                    any ? ";" : " Reach:", levels[i].low, levels[i].high, page_names[page]);
            any = true;
        }
    }
    if (any) {
        fputs(any_with_caches ? " (some steps may come from the caches)."
                              : ", after subtracting what caches add.",
              out);
    }
}

/* Adds what the same number of lines costs without a page for each. */
static void add_caches_alone(const struct part *part, struct figure *figure,
                             const struct figure_scale *scale)
{
    struct curve caches;
    const struct figure_series *longest = &figure->series[0];

    for (size_t i = 1; i < figure->series_count; i++) {
        longest = figure->series[i].n > longest->n ? &figure->series[i] : longest;
    }
    if (shows_no_caches(part->run) || !chase_read(part->run, &caches)) {
        return;
    }
    const size_t from = (size_t)(longest - figure->series);
    struct figure_series *series = figure_add_reference(figure, "caches alone");

    for (size_t i = 0; i < figure->series[from].n; i++) {
        const double pages = figure->series[from].x[i];

        figure_add_point(series, pages,
                         chase_cost_of_lines(&caches, (int64_t)pages) * scale->per_tick);
    }
    curve_free(&caches);
}

static void add_tlb(const struct part *part)
{
    const struct run_bench *bench = find_bench(part, BENCH_TLB, "Reach of the TLB");
    const struct figure_scale scale = scale_of_loads(part);
    struct figure *figure = NULL;
    struct long_text reach;
    char text[TITLE_MAX];
    struct curve curve;

    for (size_t i = 0; bench != NULL && i < PAGE_SIZES; i++) {
        if (!memory_curve_read(bench, page_names[i], &curve)) {
            continue;
        }
        if (figure == NULL) {
            figure = figure_add(part->figures, FIGURE_LINES, section, "Reach of the TLB", "tlb");
            figure_axes(figure, "pages", NULL, "latency", scale.unit);
            figure->x.logarithmic = true;
        }
        snprintf(text, sizeof(text), "pages of %s", page_names[i]);
        add_curve(figure, text, &curve, &scale);
        curve_free(&curve);
    }
    if (figure == NULL) {
        if (bench != NULL) {
            add_torn(part, BENCH_TLB, "Reach of the TLB");
        }
        return;
    }
    figure_choose_scale(figure);
    add_caches_alone(part, figure, &scale);
    long_text_open(&reach);
    print_reach(part, bench, reach.out);
    figure_how(figure,
               "%s of loads of one line in each page, each waiting for the previous load, in %s. "
               "\"Caches alone\" loads the same number of consecutive lines.%s",
               medians_text(bench, text), run_time_label(part->run), long_text_close(&reach));
    long_text_free(&reach);
}

/* ---- bandwidth ---- */

static void add_rates(const struct part *part, struct figure *figure, const char *name,
                      const struct curve *curve, bool by_size)
{
    struct figure_series *series = figure_add_series(figure, name);

    for (size_t i = 0; i < curve->points; i++) {
        const double bytes = by_size ? (double)curve->x[i] : 1;
        const double ticks = curve_median(curve, i);

        figure_add_point(series, (double)curve->x[i],
                         ticks > 0 ? bandwidth_rate(&part->view, bytes, ticks) : NAN);
    }
}

static void add_operation(const struct part *part, const struct run_bench *bench,
                          const char *operation)
{
    struct figure *figure = NULL;
    char text[TITLE_MAX];
    struct curve curve;

    for (size_t i = 0; i < BANDWIDTH_SETS; i++) {
        snprintf(text, sizeof(text), "%s.%s", operation, bandwidth_sets[i]);
        if (!curve_read(bench, text, &curve)) {
            continue;
        }
        if (figure == NULL) {
            snprintf(text, sizeof(text), "Bandwidth by size: %s", operation);
            figure =
                figure_add(part->figures, FIGURE_LINES, section, text, "bandwidth-%s", operation);
            figure_axes(figure, "size of the array", "bytes", "bandwidth",
                        bandwidth_unit(&part->view));
            figure->x.logarithmic = true;
        }
        add_rates(part, figure, bandwidth_sets[i], &curve, true);
        curve_free(&curve);
    }
    if (figure != NULL) {
        figure_how(figure,
                   "%s of one processor, by instruction set, in %s%s. A byte copied counts once; "
                   "arrays that fit are in the caches.",
                   medians_text(bench, text), run_time_label(part->run),
                   strstr(operation, "_nt") != NULL ? "; _nt: stores that bypass the caches" : "");
    }
}

static void add_bandwidth(const struct part *part)
{
    const size_t before = part->figures->count;
    const struct run_bench *bench = find_bench(part, BENCH_BANDWIDTH, "Bandwidth by size");

    for (size_t i = 0; bench != NULL && i < BANDWIDTH_OPERATIONS; i++) {
        add_operation(part, bench, bandwidth_operations[i]);
    }
    if (bench != NULL && part->figures->count == before) {
        add_torn(part, BENCH_BANDWIDTH, "Bandwidth by size");
    }
}

/* ---- loaded ---- */

static void add_latency(const struct part *part, const struct curve *latency)
{
    const struct figure_scale scale = figure_length_scale(part->run, curve_median(latency, 0));
    struct figure *figure =
        figure_add(part->figures, FIGURE_LINES, section,
                   "Latency of a load while other processors read", "loaded-latency");
    struct figure_series *series;

    figure_axes(figure, "other processors that read", NULL, "latency of a load", scale.unit);
    series = figure_add_series(figure, "a load");
    figure_add_curve(series, latency, &scale);
    figure_how(
        figure,
        "Medians of %zu trials of loads in random order that each wait for the previous load, "
        "in %s; whiskers: the middle half of the trials.",
        latency->trials, run_time_label(part->run));
}

static void add_stream(const struct part *part, const struct curve *stream)
{
    struct figure *figure = figure_add(part->figures, FIGURE_LINES, section,
                                       "Bandwidth of the other processors", "loaded-bandwidth");

    figure_axes(figure, "other processors that read", NULL, "bandwidth of all readers",
                bandwidth_unit(&part->view));
    add_rates(part, figure, "all readers", stream, false);
    figure_how(figure,
               "Medians of %zu trials, measured at the same time as the latency above, in %s.",
               stream->trials, run_time_label(part->run));
}

static void add_loaded(const struct part *part)
{
    static const char title[] = "Latency of a load while other processors read";
    const struct run_bench *bench = find_bench(part, BENCH_LOADED, title);
    struct curve curve;

    if (bench == NULL) {
        return;
    }
    if (!curve_read(bench, CURVE_LATENCY, &curve)) {
        add_torn(part, BENCH_LOADED, title);
        return;
    }
    add_latency(part, &curve);
    curve_free(&curve);
    if (curve_read(bench, CURVE_STREAM, &curve)) {
        add_stream(part, &curve);
        curve_free(&curve);
    }
}

/* ---- page faults ---- */

/* Returns NULL if the bench has no faults of the group. */
static struct figure *draw_faults(const struct part *part, const struct run_bench *bench,
                                  const struct fault_group *group, const char *title,
                                  const char *id)
{
    struct fault_split splits[FAULT_KINDS_MAX];
    const size_t count = fault_splits_read(bench, group, splits);

    if (count == 0) {
        return NULL;
    }
    const struct figure_scale scale = figure_length_scale(part->run, (double)splits[0].whole);
    struct figure *figure = figure_add(part->figures, FIGURE_BARS, section, title, "%s", id);
    struct figure_series *whole = figure_add_series(figure, "whole");

    figure_axes(figure, NULL, NULL, "time of a fault", scale.unit);
    for (size_t i = 0; i < count; i++) {
        figure_add_group(figure, splits[i].kind);
        figure_add_point(whole, (double)i, (double)splits[i].whole * scale.per_tick);
    }
    for (size_t of = 0; of < group->part_count; of++) {
        struct figure_series *series = figure_add_series(figure, group->parts[of]);

        for (size_t i = 0; i < count; i++) {
            if (splits[i].there[of]) {
                figure_add_point(series, (double)i, (double)splits[i].parts[of] * scale.per_tick);
            }
        }
    }
    return figure;
}

static void add_pagefault(const struct part *part)
{
    static const char title[] = "Time of page faults, by kind and part";
    const struct run_bench *bench = find_bench(part, BENCH_PAGEFAULT, title);

    if (bench == NULL) {
        return;
    }
    struct figure *figure = draw_faults(part, bench, &faults_of_memory, title, "pagefault-parts");

    if (figure != NULL) {
        figure_how(
            figure,
            "Medians, less the median time of reading the clock twice, in %s. The parts come from "
            "separate faults, with three stamps in the kernel: their sum exceeds the whole "
            "by the cost of these stamps.",
            run_time_label(part->run));
    } else {
        add_torn(part, BENCH_PAGEFAULT, title);
    }
    figure = draw_faults(part, bench, &faults_of_file,
                         "Time of page faults of a mapped file, by part", "pagefault-mapped");
    if (figure != NULL) {
        figure_how(figure,
                   "Medians, less the median time of reading the clock twice, in %s. file: a page "
                   "on the disk; "
                   "soft: a page in the page cache. The parts come from faults in a separate run.",
                   run_time_label(part->run));
    }
}

void figures_memory(struct figures *figures, const struct run *run)
{
    struct part part = {.figures = figures, .run = run};

    view_init(&part.view, NULL, run);
    add_chase(&part);
    add_stride(&part);
    add_tlb(&part);
    add_bandwidth(&part);
    add_loaded(&part);
    add_pagefault(&part);
}

PLUGIN_REGISTER(figures_memory) = {.order = 380, .figures = figures_memory};
