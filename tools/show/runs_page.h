/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page of several runs: verdict and worst finding of each, and key figures with the bars of
 * all; elapsed and busy time of each phase over all of them, and their figures by the tabs of one
 * run (run_page.h), curves of all runs on the same axes. Curves join where figures have the same
 * name, kind and units. Other figures stand for each run, behind each other.
 */
#pragma once

#include "tools/figure/page.h"
#include "tools/run/run.h"

#define RUNS_PAGE_MAX       24 /* runs */
#define RUNS_PAGE_TEXT_MAX  256
#define RUNS_PAGE_WORST_MAX 352 /* a label and a finding */

struct runs_page_run {
    struct run run;
    const char *label; /* of its curves */
};

struct runs_page {
    struct page page;
    struct figures figures;
    char title[RUNS_PAGE_TEXT_MAX];
    struct page_fact facts[RUNS_PAGE_MAX];
    char values[RUNS_PAGE_MAX][RUNS_PAGE_TEXT_MAX];
    struct page_finding lines[RUNS_PAGE_MAX];
    char worst[RUNS_PAGE_MAX][RUNS_PAGE_WORST_MAX];
};

/* Up to RUNS_PAGE_MAX runs. It must not move, nor outlive the runs. */
void runs_page_make(struct runs_page *page, struct runs_page_run *runs, size_t count);
void runs_page_free(struct runs_page *page);
