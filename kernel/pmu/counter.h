/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event counters, and the structure that lists the counters of a processor. pmu.c verifies and
 * drives them; backend.c knows their registers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/pmu/event.h"

#define PMU_COUNTERS_MAX 20 /* 16 general and 4 fixed */
#define PMU_REASON_MAX   96

enum pmu_backend {
    PMU_NONE,
    PMU_P5,
    PMU_P6,
    PMU_INTEL,
    PMU_AMD_K7,
    PMU_AMD_CORE,
    PMU_AMD_V2,
};

enum pmu_counter_kind {
    COUNTER_GENERAL,
    COUNTER_FIXED_INSTRUCTIONS, /* Intel fixed counters: each counts only one event */
    COUNTER_FIXED_CYCLES,
    COUNTER_FIXED_REF_CYCLES,
};

/* Whether a counter is usable, or at which check it failed, in the order of the checks. */
enum pmu_counter_state {
    COUNTER_USABLE,
    COUNTER_FAULTS,     /* its registers cannot be accessed */
    COUNTER_HELD,       /* something else keeps using it */
    COUNTER_FORGETS,    /* it does not keep what is written */
    COUNTER_DEAD,       /* it never counts */
    COUNTER_WRONG,      /* it counts something other than the selected event */
    COUNTER_UNREADABLE, /* RDPMC faults, or reads another value */
    COUNTER_ALONE,      /* it counts, but not while all others do */
};

struct pmu_counter {
    enum pmu_counter_kind kind;
    uint8_t index; /* index among the counters of its kind, general or fixed */
    enum pmu_counter_state state;
    uint8_t vector;        /* vector of the exception that an access raised; 0 if none did */
    uint8_t width;         /* bits as verified, or as claimed if an earlier check failed */
    uint32_t select_msr;   /* MSR that selects what it counts */
    uint8_t select_shift;  /* lowest bit of the counter's field in that MSR */
    uint8_t select_bits;   /* number of bits of that field */
    uint32_t value_msr;    /* MSR that holds the count */
    uint32_t rdpmc;        /* index for RDPMC */
    uint64_t found_select; /* value of its select field that firmware left */
    uint64_t found_value;
    /* instructions that it counted in the known loop; PMU_KNOWN_ANSWER is correct */
    uint64_t known_answer;
};

/* What is known of the processor's counters. pmu_init() fills it. */
struct pmu {
    enum pmu_backend backend;
    /* Intel: version of architectural monitoring; AMD: 2 for PerfMonV2; otherwise 0 */
    unsigned version;
    unsigned claimed_general; /* by CPUID, or by the processor family */
    unsigned claimed_fixed;
    unsigned claimed_width;
    unsigned usable; /* number of usable counters among `count` */
    unsigned count;
    struct pmu_counter counter[PMU_COUNTERS_MAX];
    uint32_t events_absent;  /* CPUID 0Ah EBX, and ones beyond the length that CPUID states */
    bool global_control;     /* one register starts and stops all counters */
    uint64_t found_global;   /* value of that register that firmware left */
    bool full_width_writes;  /* Intel: PERF_CAPABILITIES[13] */
    bool freeze_smm_offered; /* Intel: PERF_CAPABILITIES[12] */
    bool freeze_smm;         /* switched on and read back as on: counters stand still in SMM */
    bool hypervisor;         /* CPUID 1 ECX[31]: the counts are those of a virtual machine */
    /* type of core on hybrid processors: CPUID 1Ah EAX[31:24]; 0 if not hybrid */
    uint8_t core_type;
    bool has_aperf;     /* APERF and MPERF advance */
    bool has_smi_count; /* MSR 34h is documented, or has counted */
    const struct event_table *events;
    char reason[PMU_REASON_MAX]; /* why there is no usable counter; empty if there is one */
    char errata[PMU_REASON_MAX]; /* what CPUID reports wrongly; empty if nothing is known */
};
