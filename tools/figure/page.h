/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes one HTML page with figures, for `report` and `compare --html`. The page needs no other
 * file: script, style and data are inside (tools/figure/page/). An address that ends with #ID shows
 * the figure of that id, on whichever tab it is.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tools/figure/figure.h"

struct page_fact {
    const char *label;
    const char *value;
};

/* A line at the top of the page. */
struct page_finding {
    /* "untrue", "broken", "stolen", "slow", "undone", "figure" or "clear": chooses its colour */
    const char *class;
    const char *text;
    const char *bench; /* bench whose figures it links to; NULL: none */
};

/* A tab with the figures that answer one question. */
struct page_tab {
    const char *name;     /* "Noise" */
    const char *question; /* "what takes time from the processors?" */
    /* Sections of its figures, ended by NULL. "Input events" also stands for sections that begin
     * with "Input events: ". NULL: all sections that no other tab has. */
    const char *const *sections;
    /* "panel"; "folded": all groups on it are closed at first; "in-order": every section "NAME:
     * TITLE" has its own heading, with its figures below each other, and if this tab is open, only
     * it is printed */
    const char *layout;
};

struct page {
    const char *title;        /* such as "tare: the machine's name, the date" */
    const char *verdict;      /* "VALID", "INVALID", or for a comparison "2 worse, 1 better, ..." */
    bool good;                /* the verdict is a good one */
    const char *const *notes; /* paragraphs below the verdict: reasons, time base */
    size_t note_count;
    /* for a page with tabs: the lines at the top of the first tab */
    const struct page_finding *findings;
    size_t finding_count;
    const struct page_fact *brief;
    size_t brief_count;
    /* What was run, on which machine. On a page with tabs these facts are on the last one, closed
     * at first. */
    const struct page_fact *facts;
    size_t fact_count;
    /* The tabs; 0: all figures on one page. The first tab has only figures of FIGURE_SECTION_KEY,
     * next to the findings. Tabs without figures are left out, except the first and the last. */
    const struct page_tab *tabs;
    size_t tab_count;
    /* figures; reduced while they are written (figure_reduce), so that the caller cannot use them
     * afterwards */
    struct figures *figures;
};

/* Writes the whole page. Returns false if writing failed; errno has the reason. */
bool page_write(FILE *out, const struct page *page);
