/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page of the screen, laid out on a grid of any size. Nothing is cut off at the right: texts
 * are wrapped, names and figures that have no room end in an ellipsis, and what has no row is
 * counted in words. Pure.
 */
#pragma once

#include <stddef.h>

#include "kernel/screen/grid.h"

#define PAGE_FIGURE_MAX 24

struct page_line {
    const char *label; /* before the text, or NULL */
    enum grid_ink ink; /* of the label; of the text where there is no label */
    const char *text;
};

/* A bench's line. Figures are texts, and empty where there are none. */
struct page_bench {
    const char *name;
    const char *series; /* that the figures are of; empty: none */
    const char *state;
    enum grid_ink ink; /* of the state */
    bool must_show;    /* others leave the page before it */
    char count[PAGE_FIGURE_MAX];
    char min[PAGE_FIGURE_MAX];
    char median[PAGE_FIGURE_MAX];
    char max[PAGE_FIGURE_MAX];
    const char *unit;   /* of all figures, where they have none each; else empty */
    const char *reason; /* in place of the figures; empty: they are shown */
};

struct page {
    const char *title;
    const char *when; /* at the right of the title, or empty */
    const struct page_line *head;
    size_t head_count;
    /* How far the run is; `total` 0: it is over. */
    const char *progress;
    const char *left; /* at the right of it */
    size_t done, total;
    const char *findings_title;
    const struct page_line *findings;
    size_t finding_count;
    size_t more_findings; /* that are not among them */
    size_t bench_count;
    void (*bench)(size_t index, struct page_bench *bench);
    const struct page_line *foot;
    size_t foot_count;
    int words; /* rows that text keeps, at least */
};

/* Writes all rows of the grid but those of text: returns the first of these. */
int page_lay_out(const struct page *page, struct grid *grid);
