/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lays out the page of the screen on a grid of any size. Nothing is cut off silently: texts are
 * wrapped, names and figures without room end in an ellipsis, and lines without a row are counted
 * in words. Pure: compiled for the image and for the host.
 */
#pragma once

#include <stddef.h>

#include "kernel/screen/grid.h"

#define PAGE_FIGURE_MAX 24

struct page_line {
    const char *label; /* text before the line, or NULL */
    enum grid_ink ink; /* colour of the label, or of the text if there is no label */
    const char *text;
};

/* The line of a bench. Figures are texts; they are empty if there are none. */
struct page_bench {
    const char *name;
    const char *series; /* the series of the figures; empty if there are none */
    const char *state;
    enum grid_ink ink; /* colour of the state */
    bool must_show;    /* the line is kept longest when rows run short */
    char count[PAGE_FIGURE_MAX];
    char min[PAGE_FIGURE_MAX];
    char median[PAGE_FIGURE_MAX];
    char max[PAGE_FIGURE_MAX];
    const char *unit;   /* unit of all figures; empty if each figure includes its unit */
    const char *reason; /* shown instead of the figures, unless it is empty */
};

struct page {
    const char *title;
    const char *when; /* date, at the right of the title; may be empty */
    const struct page_line *head;
    size_t head_count;
    /* How far the run is; `total` is 0 when it is over. */
    const char *progress;
    const char *left; /* time left, at the right of the progress */
    size_t done, total;
    /* Lines of a view below the progress, in whole, which take precedence over findings. */
    const struct page_line *view;
    size_t view_count;
    const char *findings_title;
    const struct page_line *findings;
    size_t finding_count;
    size_t more_findings; /* number of findings that are not in the list */
    size_t bench_count;
    void (*bench)(size_t index, struct page_bench *bench);
    const struct page_line *foot;
    size_t foot_count;
    int words; /* smallest number of rows left for text */
};

/* Writes all rows of the grid except those left for text, and returns the first of those. */
int page_lay_out(const struct page *page, struct grid *grid);
