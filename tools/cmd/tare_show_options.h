/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of `tare show`, read and checked.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tools/bench/input/thresholds.h"
#include "tools/bench/interactive/view_input.h"
#include "tools/present/time_window.h"
#include "tools/trace/view_trace.h"

struct show_options {
    char **paths; /* one, or with estimates up to ESTIMATES_RUNS_MAX */
    size_t path_count;
    bool estimates; /* the experiments of the report */
    bool why;
    bool statistics;      /* of all metrics */
    const char *samples;  /* "BENCH/SERIES"; NULL: not these */
    const char **benches; /* by name */
    size_t bench_count;   /* 0: all */
    bool full;            /* all tables of all benches */
    bool json;
    bool wishes; /* any table of traces is asked for */
    struct trace_wish wish;
    struct time_window window; /* --from and --to */
    bool asks_input;           /* any table of input events is asked for */
    bool thresholds;           /* --threshold is given */
    bool chooses;              /* --measure, --by or --above is given */
    struct input_wish input;
    double interarrival_ms[THRESHOLDS_MAX]; /* what `input` points to */
};

/* False: the options are wrong, and an error has been printed. */
bool show_read_options(int argc, char **argv, struct show_options *options);
/* Call it in either case. */
void show_free_options(struct show_options *options);
