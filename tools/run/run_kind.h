/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kind of time and the ownership of a run: the one place that knows the kinds and their words.
 *
 *     exact     the TSC counts instructions
 *     emulated  an emulator of instructions without exact time
 *     real      a processor's time, under a hypervisor that CPUID shows or under none
 *     model     simulated (tools/sim/results/sim_run.h)
 *
 * Kinds never mix: tools/judge refuses runs of two kinds.
 */
#pragma once

#include "tools/run/run.h"

#define RUN_KIND_MAX 256

enum run_time {
    RUN_TIME_UNKNOWN, /* the run does not report it, or reports one that this version lacks */
    RUN_TIME_EXACT,
    RUN_TIME_EMULATED,
    RUN_TIME_REAL,
    RUN_TIME_MODEL,
    RUN_TIMES,
};

/* An image of before TIME_EMULATED reports an emulator as real: CPUID's names in the run decide. */
enum run_time run_time(const struct run *run);

/* "exact", "emulated", "real", "model". False: no kind has this name. */
bool run_time_read(const char *name, enum run_time *time);
/* The reverse; NULL of RUN_TIME_UNKNOWN. */
const char *run_time_text(enum run_time time);
/* The name of a run's kind, for every output. One that this version lacks has the name that the run
 * reports. NULL: the run reports none. */
const char *run_time_name(const struct run *run);

bool run_is_exact(const struct run *run);
bool run_is_simulated(const struct run *run);

/* In a few words, for the title of a figure: "exact time, in instructions", "real time, under KVM".
 */
const char *run_time_label(const struct run *run);

/* In a sentence: "exact time: the TSC counts instructions, ...", "emulated time, by TCG: ..." */
const char *run_kind_text(const struct run *run, char text[RUN_KIND_MAX]);

/* What ownership means for the figures, in one line; NULL: unknown. */
const char *run_ownership_text(const struct run *run, char text[RUN_KIND_MAX]);
