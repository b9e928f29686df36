/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page of several runs: elapsed and busy time of each phase over all of them, and their
 * figures, curves of all runs on the same axes. Curves join where figures have the same name, kind
 * and units. Other figures stand for each run, behind each other.
 */
#pragma once

#include "tools/figure/page.h"
#include "tools/run/run.h"

#define RUNS_PAGE_MAX      24 /* runs */
#define RUNS_PAGE_TEXT_MAX 256

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
};

/* Up to RUNS_PAGE_MAX runs. It must not move, nor outlive the runs. */
void runs_page_make(struct runs_page *page, struct runs_page_run *runs, size_t count);
void runs_page_free(struct runs_page *page);
