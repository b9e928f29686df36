/* SPDX-License-Identifier: BSD-2-Clause */
/* What switches and page faults are made of, as far as parts were measured beside the whole. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/lib/curves.h"
#include "tools/lib/statistics.h"
#include "tools/lib/views.h"

#define NAME_MAX_BYTES 64
#define COUNT(array)   (sizeof(array) / sizeof((array)[0]))

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

enum footprint { ALONE, THREAD, PROCESS, TAGGED, FOOTPRINTS };
static const char *const footprint_names[FOOTPRINTS] = {
    "footprint.alone", "footprint.thread", "footprint.process", "footprint.process.pcid"};

struct footprints {
    bool there[FOOTPRINTS];
    struct curve curve[FOOTPRINTS];
};

/* Where both were measured; of other points nothing can be said. */
static bool same_points(const struct curve *left, const struct curve *right)
{
    if (left->points != right->points) {
        return false;
    }
    for (size_t i = 0; i < left->points; i++) {
        if (left->x[i] != right->x[i]) {
            return false;
        }
    }
    return true;
}

/* False: not even the reading alone. */
static bool read_footprints(const struct run_bench *bench, struct footprints *footprints)
{
    memset(footprints, 0, sizeof(*footprints));
    for (enum footprint i = 0; i < FOOTPRINTS; i++) {
        footprints->there[i] = curve_read(bench, footprint_names[i], &footprints->curve[i]);
        if (footprints->there[i] &&
            !same_points(&footprints->curve[ALONE], &footprints->curve[i])) {
            curve_free(&footprints->curve[i]);
            footprints->there[i] = false;
        }
    }
    return footprints->there[ALONE];
}

/* Beyond the reading and beyond the switch, each as it is by itself. */
static double refill(const struct footprints *footprints, enum footprint of, size_t point)
{
    const struct curve *alone = &footprints->curve[ALONE];
    const struct curve *curve = &footprints->curve[of];

    return curve_median(curve, point) - curve_median(curve, 0) -
           (curve_median(alone, point) - curve_median(alone, 0));
}

static void add_point(struct table *table, const struct view *view,
                      const struct footprints *footprints, size_t point)
{
    table_row(table);
    bytes_cell(table, footprints->curve[ALONE].x[point]);
    for (enum footprint i = 0; i < FOOTPRINTS; i++) {
        if (footprints->there[i]) {
            span_cell(table, view, curve_median(&footprints->curve[i], point));
        }
    }
    for (enum footprint i = THREAD; i < FOOTPRINTS; i++) {
        if (footprints->there[i]) {
            span_cell(table, view, refill(footprints, i, point));
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
    for (enum footprint i = THREAD; i < FOOTPRINTS; i++) {
        if (footprints->there[i]) {
            table_format(&table, "+%s", heads[i]);
        }
    }
    for (size_t i = 0; i < footprints->curve[ALONE].points; i++) {
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

    if (read_footprints(bench, &footprints)) {
        print_footprints(view, &footprints);
    }
    for (enum footprint i = 0; i < FOOTPRINTS; i++) {
        curve_free(&footprints.curve[i]);
    }
}

/* ---- page faults ---- */

static const char *const part_names[] = {"entry", "walk", "fill", "return"};

/* False: there are no samples, or not all of them. */
static bool median_of(const struct run_bench *bench, const char *name, int64_t *median)
{
    const struct run_series *series = run_find_series(bench, name);

    if (series == NULL || series->n == 0 || !run_series_whole(series)) {
        return false;
    }
    *median = statistics_median(series->samples, series->n);
    return true;
}

static bool part_of(const struct run_bench *bench, const char *kind, size_t part, int64_t *median)
{
    char name[NAME_MAX_BYTES];

    snprintf(name, sizeof(name), "%s.%s", kind, part_names[part]);
    return median_of(bench, name, median);
}

/* Medians, less what is around each. */
struct split {
    int64_t whole;
    int64_t parts[COUNT(part_names)];
};

/* All of it, or none. */
static bool read_split(const struct run_bench *bench, const char *kind, struct split *split)
{
    int64_t empty;

    if (!median_of(bench, "empty", &empty) || !median_of(bench, kind, &split->whole)) {
        return false;
    }
    split->whole -= empty;
    for (size_t i = 0; i < COUNT(part_names); i++) {
        if (!part_of(bench, kind, i, &split->parts[i])) {
            return false;
        }
        split->parts[i] -= empty;
    }
    return true;
}

static void add_split(struct table *table, const struct view *view, const char *kind,
                      const struct split *split)
{
    int64_t sum = 0;

    table_row(table);
    table_text(table, kind);
    span_cell(table, view, (double)split->whole);
    for (size_t i = 0; i < COUNT(part_names); i++) {
        span_cell(table, view, (double)split->parts[i]);
        sum += split->parts[i];
    }
    span_cell(table, view, (double)sum);
    span_cell(table, view, (double)(sum - split->whole));
}

void view_pagefault(const struct view *view, const struct run_bench *bench)
{
    static const char *const kinds[] = {"demand_zero", "minor", "protection", "copy_on_write"};
    static const char *const heads[] = {"fault", "whole",  "entry", "walk",
                                        "fill",  "return", "sum",   "beyond"};
    struct table table;
    struct split split;
    bool any = false;

    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (!read_split(bench, kinds[i], &split)) {
            continue;
        }
        if (!any) {
            table_head(&table, "lrrrrrrr", heads);
            any = true;
        }
        add_split(&table, view, kinds[i], &split);
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
