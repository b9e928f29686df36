/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes the page of a run. First come findings, verdict, reasons, the time base, and four key
 * figures (those of section FIGURE_SECTION_KEY); then the other figures, one tab for each question;
 * last what was run, and on which machine. If the run lacks a key figure, its place states which
 * bench gives it.
 */
#pragma once

#include "kernel/run/finding.h"
#include "tools/figure/page.h"
#include "tools/run/run.h"
#include "tools/run/run_kind.h"
#include "tools/show/run_figures.h"

#define RUN_PAGE_TEXT_MAX  512
#define RUN_PAGE_FACTS_MAX 24
#define RUN_PAGE_BRIEF_MAX 10

struct run_page_facts {
    struct page_fact item[RUN_PAGE_FACTS_MAX];
    char values[RUN_PAGE_FACTS_MAX][RUN_PAGE_TEXT_MAX];
    size_t count, most; /* facts beyond `most` are left out */
};

struct run_page {
    struct page page;
    struct figures figures;
    struct findings findings;
    struct page_finding lines[FINDINGS_MAX];
    struct run_page_facts brief; /* how benches ended, and those that failed */
    struct run_page_facts facts;
    struct run_texts notes; /* why the run is invalid, then the time base */
    char title[RUN_PAGE_TEXT_MAX];
    char kind[RUN_KIND_MAX];
};

/* Makes the page. It must not be moved, and must not outlive the run. `progress` is as in
 * run_figures.h. */
void run_page_make(struct run_page *page, struct run *run, struct progress *progress);
void run_page_free(struct run_page *page);
