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

/* Writes "1 processor" or "4 processors", or for a program on Linux the list of those that it may
 * use: "processors 0-1". Returns NULL if the run does not report them. */
const char *run_processors_text(const struct run *run, char text[RUN_KIND_MAX]);

/* Describes the disks and NICs that the benches used, each with its kind: "disk modelled (ssd2014),
 * NIC emulated (e1000)". Modelled: a timing model decides how long it takes; emulated: a device of
 * a virtual machine. Returns NULL if no bench used one. */
const char *run_devices_text(const struct run *run, char text[RUN_KIND_MAX]);
/* Names of the pairs of run->info that describe what was below the image (tools/under). */
#define RUN_UNDER            "under"
#define RUN_UNDER_L0         "under.l0"
#define RUN_UNDER_L0_SHIFT   "under.l0.shift"
#define RUN_UNDER_KERNEL     "under.l1.kernel"
#define RUN_UNDER_SHA256     "under.l1.sha256"
#define RUN_UNDER_LINE       "under.l1.command_line"
#define RUN_UNDER_QEMU       "under.l1.qemu"
#define RUN_UNDER_PROCESSORS "under.l1.processors"
#define RUN_UNDER_MACHINE    "under.l2.machine"
/* Values of RUN_UNDER. */
#define RUN_UNDER_AMD   "kvm-amd"
#define RUN_UNDER_INTEL "kvm-intel"
#define RUN_UNDER_LINUX "linux"

/* Describes that in one line: "KVM (kvm_amd) of Linux 6.1.0-57-cloud-amd64, mitigations=off, in
 * QEMU 7.2.22 (TCG; SVM without nrip-save: KVM decodes instructions); L2 q35 of QEMU 7.2.22".
 * Returns NULL if nothing is known. */
const char *run_under_text(const struct run *run, char text[RUN_KIND_MAX]);
/* Returns whether a bench used a modelled device. */
bool run_is_modelled(const struct run_bench *bench);
