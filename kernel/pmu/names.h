/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of events, event tables, and states of counters. Each name is defined only here, for both
 * image and host.
 */
#pragma once

/* Portable names of events. */
#define COUNT_CYCLES        "cycles"
#define COUNT_REF_CYCLES    "ref-cycles"
#define COUNT_INSTRUCTIONS  "instructions"
#define COUNT_LOADS         "loads"
#define COUNT_STORES        "stores"
#define COUNT_ITLB_MISSES   "itlb-misses"
#define COUNT_DTLB_MISSES   "dtlb-misses"
#define COUNT_INTERRUPTS    "interrupts"
#define COUNT_SEGMENT_LOADS "segment-loads"
#define COUNT_MISALIGNED    "misaligned"
#define COUNT_BRANCHES      "branches"
#define COUNT_MISPREDICTS   "mispredicts"
#define COUNT_L1D_MISSES    "l1d-misses"
#define COUNT_LLC_MISSES    "llc-misses"
#define COUNT_SMI           "smi"
/* No counter of the processor counts it, only the plugin of QEMU. */
#define COUNT_ADDRESS_SPACE_LOADS "address-space-loads"

/* Event tables of processors. */
#define TABLE_P5             "p5"
#define TABLE_P6             "p6"
#define TABLE_CORE2          "core2"
#define TABLE_NEHALEM        "nehalem"
#define TABLE_WESTMERE       "westmere"
#define TABLE_SANDYBRIDGE    "sandybridge"
#define TABLE_IVYBRIDGE      "ivybridge"
#define TABLE_HASWELL        "haswell"
#define TABLE_BROADWELL      "broadwell"
#define TABLE_SKYLAKE        "skylake"
#define TABLE_ICELAKE        "icelake"
#define TABLE_SAPPHIRERAPIDS "sapphirerapids"
#define TABLE_ALDERLAKE      "alderlake"
#define TABLE_ARCHITECTURAL  "architectural"
#define TABLE_K7             "k7"
#define TABLE_K8             "k8"
#define TABLE_AMD_10H        "amd-10h"
#define TABLE_AMD_15H        "amd-15h"
#define TABLE_AMD            "amd"
#define TABLE_ZEN1           "zen1"
#define TABLE_ZEN2           "zen2"
#define TABLE_ZEN3           "zen3"
#define TABLE_ZEN4           "zen4"
#define TABLE_ZEN5           "zen5"
#define TABLE_NONE           "none"

/* States of a counter. */
#define COUNTER_STATE_USABLE     "usable"
#define COUNTER_STATE_FAULTS     "faults"
#define COUNTER_STATE_HELD       "held"
#define COUNTER_STATE_FORGETS    "forgets"
#define COUNTER_STATE_DEAD       "dead"
#define COUNTER_STATE_WRONG      "wrong"
#define COUNTER_STATE_UNREADABLE "unreadable"
#define COUNTER_STATE_ALONE      "alone"

/* States of an event. */
#define EVENT_STATE_COUNTED "counted"
#define EVENT_STATE_ABSENT  "absent"

/* What counts an event. */
#define COUNTED_BY_PMU    "pmu"
#define COUNTED_BY_ICOUNT "icount"
#define COUNTED_BY_MSR34  "msr34"
/* Counted outside the image, by the plugin of QEMU or by a model in it. */
#define COUNTED_BY_PLUGIN       "plugin"
#define COUNTED_BY_PLUGIN_MODEL "plugin-model"
