/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registry of report plug-ins: what is shown, drawn or written of a bench's results.
 * Each file of bench/GROUP/host registers its own, as BENCH_REGISTER does for the bench itself in
 * the image. Code that shows a run walks the plug-ins and knows no bench by name, so that a new
 * view or figure needs one file and no other change.
 *
 *     static void view_example(const struct view *view, const struct run_bench *bench) { ... }
 *
 *     PLUGIN_OF(example, .order = 500, .show = view_example);
 *
 * Several plug-ins may serve one bench. They are used in ascending `order`; those of equal order
 * follow by bench, then as they were registered.
 */
#pragma once

#include <stdbool.h>

#include "tools/base/json.h"
#include "tools/figure/figure.h"
#include "tools/present/metrics.h"
#include "tools/present/view.h"

struct digest; /* tools/present/digest.h */

/* which of the usual tables `show` replaces */
enum plugin_place {
    PLUGIN_ADDITIONAL, /* none */
    PLUGIN_FOR_COUNTS, /* the counts of each series */
    PLUGIN_FOR_SERIES, /* the table of series */
};

struct report_plugin {
    const char *bench; /* name of a bench; NULL: all benches */
    unsigned order;
    /* Prints its part in `tare show`, below the usual tables or in place of one. Not for plug-ins
     * of all benches. */
    void (*show)(const struct view *view, const struct run_bench *bench);
    enum plugin_place place;
    /* Prints a line below the bench's state: what it found (print_labelled()). NULL: none. */
    void (*answer)(const struct view *view, const struct run_bench *bench);
    /* Returns whether `show` itself prints this fact, so that the list of facts leaves it out.
     * NULL: it prints none. */
    bool (*shows_fact)(const struct run_fact *fact);
    /* Makes the bench's line in a list of benches, if that is not its main metric. Returns false,
     * without having changed anything, if it has none. */
    bool (*digest)(const struct view *view, const struct run_bench *bench, struct digest *digest);
    /* Adds figures of the run for report and export; nothing if the run has none of its benches. */
    void (*figures)(struct figures *figures, const struct run *run);
    /* For a plug-in of one bench: adds figures of its first pass, if the run has samples of it. */
    void (*bench_figures)(struct figures *figures, const struct run *run,
                          const struct run_bench *bench);
    /* Writes members of the bench's object in `tare show --json`. */
    void (*json)(struct json *json, const struct run *run, const struct run_bench *bench);
    const struct trace_reading *trace; /* see tools/trace/shared_walk.h */
    struct plugin_metrics metrics;     /* see tools/present/metrics.h */
    struct report_plugin *next;        /* set by report_plugin_register() */
};

/* Registers a plug-in before main(), so that the whole program knows it. */
#define PLUGIN_REGISTER(name)                                      \
    static struct report_plugin plugin_##name;                     \
    __attribute__((constructor)) static void register_##name(void) \
    {                                                              \
        report_plugin_register(&plugin_##name);                    \
    }                                                              \
    static struct report_plugin plugin_##name

/* Registers a plug-in for the bench of that name; tools/build/names.sh checks that the image has
 * it. */
#define PLUGIN_OF(name, ...) PLUGIN_REGISTER(name) = {.bench = #name, __VA_ARGS__}

void report_plugin_register(struct report_plugin *plugin);
/* Returns the plug-in that follows `after` in the order of use (NULL: the first one) and serves
 * this bench (NULL: any). Returns NULL after the last. */
const struct report_plugin *report_plugin_next(const struct report_plugin *after,
                                               const struct run_bench *bench);
/* Returns the plug-in that shows the bench, or NULL if there is none. */
const struct report_plugin *report_plugin_shown(const struct run_bench *bench);
