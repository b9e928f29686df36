/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One page of HTML with figures in it, which needs nothing beside itself: script, style and data
 * are all inside (tools/figure/page/). For `report` and `compare --html`. An address that ends with
 * #ID shows the figure of that id, on whichever tab it stands.
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

/* A line at the top. */
struct page_finding {
    const char *class; /* "untrue", "broken", "stolen", "slow", "figure", "clear": its colour */
    const char *text;
    const char *bench; /* whose figures it leads to; NULL: none */
};

/* A question that figures answer, on one tab. */
struct page_tab {
    const char *name;     /* "Noise" */
    const char *question; /* "what takes time from the processors?" */
    /* The sections of its figures, in a list that NULL ends; "Input events" has those that begin
     * with "Input events: " too. NULL: all that no other tab has. */
    const char *const *sections;
    bool folded; /* everything on it is closed at first */
};

struct page {
    const char *title;        /* "tare: the machine's name, the date" */
    const char *verdict;      /* "VALID", "INVALID", or of a comparison "2 worse, 1 better, ..." */
    bool good;                /* is the verdict one to be glad of? */
    const char *const *notes; /* paragraphs under it: reasons, kind of time */
    size_t note_count;
    /* Of a page with tabs: the lines at the top of the first tab, and facts below them. */
    const struct page_finding *findings;
    size_t finding_count;
    const struct page_fact *brief;
    size_t brief_count;
    /* What was run, on what. With tabs they are folded, on the last one. */
    const struct page_fact *facts;
    size_t fact_count;
    /* Where figures stand. The first has figures of FIGURE_SECTION_KEY alone, beside the findings.
     * Tabs without figures are left out, except the first and the last. 0: all on one page. */
    const struct page_tab *tabs;
    size_t tab_count;
    /* Reduced as they are written (figure_reduce): the caller has no more use for them. */
    struct figures *figures;
};

/* All of it. False: writing failed; errno has the reason. */
bool page_write(FILE *out, const struct page *page);
