/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page of a run: findings, verdict, reasons and kind of time, and four key figures (figures of
 * section FIGURE_SECTION_KEY); then its other figures, a tab for each question; then what was run,
 * on what. A key figure that the run does not have states which bench gives it.
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
    size_t count, most; /* further ones are left out */
};

struct run_page {
    struct page page;
    struct figures figures;
    struct findings findings;
    struct page_finding lines[FINDINGS_MAX];
    struct run_page_facts brief; /* how benches ended, and those that failed */
    struct run_page_facts facts;
    struct run_texts notes; /* why it is invalid, then the kind of time */
    char title[RUN_PAGE_TEXT_MAX];
    char kind[RUN_KIND_MAX];
};

/* It must not move, nor outlive the run. `progress`: run_figures.h. */
void run_page_make(struct run_page *page, struct run *run, struct progress *progress);
void run_page_free(struct run_page *page);
