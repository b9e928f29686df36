/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options that several commands share: the entries for their tables, and the settings that they
 * make for the whole program.
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

/* --junit FILE and --tap FILE, of all commands that judge: they write what was judged for a CI
 * server (tools/judge). */
extern const struct option_line ci_options[];

/* Returns whether a report goes to standard output; then nothing else may go there. */
bool ci_has_output(void);
/* Returns the report to add suites to, or NULL if no report is wanted. */
struct ci_report *ci_report_wanted(void);
/* Writes the reports that are wanted, and frees them. If the command failed and no case shows it,
 * adds a case in error with the last error message. Returns `status`, or COMMAND_FAILED if a file
 * could not be written. */
int ci_finish(const struct command *command, int status);

/* --measure, --by and --above, of all commands that show latencies of input events. */
extern const struct option_line measure_options[];
/* Takes CLASS=MS,... of --threshold, for commands with figures, into measure_wish.thresholds. */
option_taker take_latency_threshold;

struct measure_wish {
    unsigned measure; /* enum measure */
    bool measured;    /* --measure was given */
    unsigned by;      /* 1: one figure for each class of actions */
    bool grouped;     /* --by was given */
    double above_ms;  /* bound in ms; negative: --above was not given */
    bool has_thresholds;
    struct threshold_set thresholds;
};
extern struct measure_wish measure_wish;

/* Returns the words of --measure by index; NULL after the last. */
const char *measure_word(size_t index);
/* Applies the options to the whole program (bench/interactive/host/measure/thresholds.h). */
void measure_use_options(void);

/* --from and --to: the time window to which show, export and report limit a run
 * (tools/trace/trace_cut.h). */
extern const struct option_line window_options[];

/* Returns whether --from or --to was given. */
bool window_given(void);
/* If a window was given, cuts the run to it and prints the window on standard error. Returns false
 * if that failed; an error has been printed. */
bool window_cut(const struct command *command, struct run *run);
