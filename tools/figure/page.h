/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One page of HTML with figures in it, which needs nothing beside itself: script, style and data
 * are all inside (tools/figure/page/). For `report` and `compare --html`.
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

struct page {
    const char *title;        /* "tare: the machine's name, the date" */
    const char *verdict;      /* "VALID", "INVALID", or of a comparison "2 worse, 1 better, ..." */
    bool good;                /* is the verdict one to be glad of? */
    const char *const *notes; /* paragraphs under it: reasons, kind of time */
    size_t note_count;
    const struct page_fact *facts; /* what was run, on what */
    size_t fact_count;
    /* Reduced as they are written (figure_reduce): the caller has no more use for them. */
    struct figures *figures;
};

/* False: writing failed; errno has the reason. */
bool page_write(FILE *out, const struct page *page);
