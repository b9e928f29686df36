/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How results of a bench are read: each file of tools/bench/<group> registers what it shows, draws
 * or writes, as BENCH_REGISTER does for the bench itself in the image. Who shows a run walks the
 * readings and knows no bench by its name, so that a view or a figure is one file, and nothing else
 * is edited.
 *
 *     static void view_example(const struct view *view, const struct run_bench *bench) { ... }
 *
 *     READING_OF(example, .order = 500, .show = view_example);
 *
 * Several readings may serve one bench. They are used in ascending `order`, those of equal order by
 * bench and then as they were registered.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tools/base/json.h"
#include "tools/figure/figure.h"
#include "tools/present/metrics.h"
#include "tools/present/view.h"

struct digest; /* tools/present/digest.h */

/* Which of the usual tables `show` stands for. */
enum reading_place {
    READING_BESIDE,     /* none */
    READING_FOR_COUNTS, /* the counts of each series */
    READING_FOR_SERIES, /* the series */
};

struct bench_reading {
    const char *bench; /* a bench by its name; NULL: all of them */
    unsigned order;
    /* In `tare show`, below the usual tables or in the place of one. Not of a reading of all
     * benches. */
    void (*show)(const struct view *view, const struct run_bench *bench);
    enum reading_place place;
    /* Does `show` itself print this fact? The list of facts leaves it out then. NULL: none. */
    bool (*shows_fact)(const struct run_fact *fact);
    /* Its line in a list of benches, where that is not its main metric. False: it has none, and
     * has changed nothing. */
    bool (*digest)(const struct view *view, const struct run_bench *bench, struct digest *digest);
    /* Figures of the run for report and export; nothing where the run has none of its benches. */
    void (*figures)(struct figures *figures, const struct run *run);
    /* Of a reading of one bench: figures of its first pass, where the run has samples of it. */
    void (*bench_figures)(struct figures *figures, const struct run *run,
                          const struct run_bench *bench);
    /* Members of the bench's object in `tare show --json`. */
    void (*json)(struct json *json, const struct run *run, const struct run_bench *bench);
    struct reading_metrics metrics; /* tools/present/metrics.h */
    struct bench_reading *next;     /* set by bench_reading_register() */
};

/* Before main(): readings are known to the whole program. */
#define READING_REGISTER(name)                                     \
    static struct bench_reading reading_##name;                    \
    __attribute__((constructor)) static void register_##name(void) \
    {                                                              \
        bench_reading_register(&reading_##name);                   \
    }                                                              \
    static struct bench_reading reading_##name

/* The same for the bench of that name; tools/build/names.sh checks that the image has it. */
#define READING_OF(name, ...) READING_REGISTER(name) = {.bench = #name, __VA_ARGS__}

void bench_reading_register(struct bench_reading *reading);
/* The reading that follows `after` in the order in which they are used (NULL: the first), of this
 * bench (NULL: of any); NULL behind the last. */
const struct bench_reading *bench_reading_next(const struct bench_reading *after,
                                               const struct run_bench *bench);
/* The reading that shows the bench; NULL: none does. */
const struct bench_reading *bench_reading_shown(const struct run_bench *bench);
