/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time base and the ownership of a run. This is the only place that knows the time bases and
 * their names.
 *
 *     exact          the TSC counts instructions
 *     exact, shared  likewise, with those of a hypervisor or an operating system
 *     emulated       an instruction emulator without exact time
 *     real           a processor's time, with or without a hypervisor that CPUID reports
 *     model          simulated (tools/sim/results/sim_run.h)
 *
 * Different time bases are never mixed: tools/judge rejects runs of two time bases.
 */
#pragma once

#include "tools/run/run.h"

#define RUN_KIND_MAX 256

enum run_time {
    /* the run does not report it, or reports one that this version does not know */
    RUN_TIME_UNKNOWN,
    RUN_TIME_EXACT,
    RUN_TIME_EXACT_SHARED,
    RUN_TIME_EMULATED,
    RUN_TIME_REAL,
    RUN_TIME_MODEL,
    RUN_TIMES,
};

/* Returns the time base of a run. An image older than TIME_EMULATED reports an emulator as real;
 * then the CPUID names in the run decide. */
enum run_time run_time(const struct run *run);

/* Parses the name of a time base, such as "exact, shared". Returns false for any other name. */
bool run_time_read(const char *name, enum run_time *time);
/* Returns the name of a time base, or NULL for RUN_TIME_UNKNOWN. */
const char *run_time_text(enum run_time time);
/* Returns the name of a run's time base for all outputs. A time base that this version does not
 * know has the name that the run reports. Returns NULL if the run reports none. */
const char *run_time_name(const struct run *run);

/* Returns whether equal work always takes equal ticks: "exact, shared" has noise. */
bool run_is_exact(const struct run *run);
/* Returns whether the TSC counts instructions: "exact", or "exact, shared". */
bool run_counts_instructions(const struct run *run);
bool run_is_simulated(const struct run *run);

/* Returns a few words for the title of a figure: "exact time, in instructions", "real time, under
 * KVM". */
const char *run_time_label(const struct run *run);

/* Describes the time base in a sentence: "exact time: the TSC counts instructions, ...", "emulated
 * time, by TCG: ...". */
const char *run_kind_text(const struct run *run, char text[RUN_KIND_MAX]);

/* Describes in one line that a run came from an image without seals. Returns NULL if its log had a
 * seal, or if it did not come from a log. */
const char *run_unsealed(const struct run *run);

/* Describes in one line what the ownership means for the numbers. Returns NULL if it is unknown. */
const char *run_ownership_text(const struct run *run, char text[RUN_KIND_MAX]);

/* Describes the disks and NICs that the benches used, each with its kind: "disk modelled (ssd2014),
 * NIC emulated (e1000)". Modelled: a timing model decides how long it takes; emulated: a device of
 * a virtual machine. Returns NULL if no bench used one. */
const char *run_devices_text(const struct run *run, char text[RUN_KIND_MAX]);
/* Returns whether a bench used a modelled device. */
bool run_is_modelled(const struct run_bench *bench);
