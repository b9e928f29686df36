/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of the text that `tare show` prints for the first bench of a run instead of the usual
 * tables. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/present/report_plugin.h"

static inline bool shown_has(const struct run *run, const char *wanted, bool prints)
{
    const struct run_bench *bench = &run->benches[0];
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    struct view view;

    view_init(&view, out, run);
    report_plugin_shown(bench)->show(&view, bench);
    fclose(out);
    const bool found = strstr(text, wanted) != NULL;

    if (!found && prints) {
        fprintf(stderr, "\"%s\" is not in:\n%s\n", wanted, text);
    }
    free(text);
    return found;
}

static inline bool holds(const struct run *run, const char *wanted)
{
    return shown_has(run, wanted, true);
}

static inline bool lacks(const struct run *run, const char *unwanted)
{
    return !shown_has(run, unwanted, false);
}
