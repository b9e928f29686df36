/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options that several commands have: lines for their tables, and what these choose for the whole
 * program.
 */
#pragma once

#include <stdbool.h>

#include "bench/interactive/host/measure/thresholds.h"
#include "tools/base/parse_options.h"
#include "tools/cmd/commands.h"
#include "tools/judge/ci_report.h"
#include "tools/run/run.h"

#define FORCE_HELP \
    "let an invalid run replace a valid one in RUN.db; otherwise it goes to RUN.invalid.db"

/* --junit FILE and --tap FILE, of all commands that judge: what was judged, for a CI server
 * (tools/judge). */
extern const struct option_line ci_options[];

/* Does one go to standard output? Then nothing else goes there. */
bool ci_has_output(void);
/* What to add suites to; NULL: no report is wanted. */
struct ci_report *ci_report_wanted(void);
/* Writes what is wanted, and frees the report. Where the command failed and no case shows it, the
 * report gets a case in error with the last complaint. Returns `status`, or COMMAND_FAILED if a
 * file could not be written. */
int ci_finish(const struct command *command, int status);

/* --measure, --by and --above, of all commands that show latencies of input events. */
extern const struct option_line measure_options[];
/* --threshold CLASS=MS,... of figures, which sets measure_wish.thresholds. */
option_taker take_latency_threshold;

struct measure_wish {
    unsigned measure; /* enum measure */
    bool measured;    /* --measure is given */
    unsigned by;      /* 1: each class of actions apart */
    bool grouped;     /* --by is given */
    double above_ms;  /* below 0: not given */
    bool has_thresholds;
    struct threshold_set thresholds;
};
extern struct measure_wish measure_wish;

const char *measure_word(size_t index); /* of --measure; NULL after the last */
/* Makes them the choice of the whole program (bench/interactive/host/measure/measure.h). */
void measure_use_options(void);

/* --from and --to: the window of time that show, export and report are about
 * (tools/trace/trace_cut.h). */
extern const struct option_line window_options[];

/* Was one of them given? */
bool window_given(void);
/* Cuts the run to the window, where one is given, and prints it on standard error. False: an error
 * has been printed. */
bool window_cut(const struct command *command, struct run *run);
