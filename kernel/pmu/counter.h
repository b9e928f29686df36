/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters, and the record of what a processor has of them: pmu.c proves and drives them, backend.c
 * knows their registers.
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
    COUNTER_FIXED_INSTRUCTIONS, /* Intel fixed counters: each counts one thing only */
    COUNTER_FIXED_CYCLES,
    COUNTER_FIXED_REF_CYCLES,
};

/* Where a counter failed; the order is the order of the proofs. */
enum pmu_counter_state {
    COUNTER_USABLE,
    COUNTER_FAULTS,     /* its registers cannot be accessed */
    COUNTER_HELD,       /* somebody else goes on using it */
    COUNTER_FORGETS,    /* it does not hold what is written */
    COUNTER_DEAD,       /* it never counts */
    COUNTER_WRONG,      /* it counts something else than was asked for */
    COUNTER_UNREADABLE, /* RDPMC faults, or reads something else */
    COUNTER_ALONE,      /* it counts, but not while all others do */
};

struct pmu_counter {
    enum pmu_counter_kind kind;
    uint8_t index; /* among those of its sort, general or fixed */
    enum pmu_counter_state state;
    uint8_t vector;        /* of the fault; 0: none */
    uint8_t width;         /* bits, as proved; as claimed where it failed before that */
    uint32_t select_msr;   /* the register that selects what it counts, */
    uint8_t select_shift;  /* the lowest bit of its part in it, */
    uint8_t select_bits;   /* and how many belong to it */
    uint32_t value_msr;    /* */
    uint32_t rdpmc;        /* index for RDPMC */
    uint64_t found_select; /* what firmware left in its part of the select register */
    uint64_t found_value;
    uint64_t known_answer; /* instructions it counted in the known loop, of PMU_KNOWN_ANSWER */
};

/* The capability record. Filled by pmu_init(). */
struct pmu {
    enum pmu_backend backend;
    unsigned version;         /* Intel: of architectural monitoring; AMD: 2 for V2; else 0 */
    unsigned claimed_general; /* by CPUID, or by the family */
    unsigned claimed_fixed;
    unsigned claimed_width;
    unsigned usable; /* of `count` */
    unsigned count;
    struct pmu_counter counter[PMU_COUNTERS_MAX];
    uint32_t events_absent;  /* CPUID 0Ah EBX, as far as its length goes */
    bool global_control;     /* one register starts and stops all counters */
    uint64_t found_global;   /* what firmware left in it */
    bool full_width_writes;  /* Intel: PERF_CAPABILITIES[13] */
    bool freeze_smm_offered; /* Intel: PERF_CAPABILITIES[12] */
    bool freeze_smm;         /* switched on, and read back as such: SMM does not count */
    bool hypervisor;         /* CPUID 1 ECX[31]: every count is a virtual machine's */
    uint8_t core_type;       /* hybrid parts: CPUID 1Ah EAX[31:24]; 0: not hybrid */
    bool has_aperf;          /* APERF and MPERF advance */
    bool has_smi_count;      /* MSR 34h is there, or has counted */
    const struct event_table *events;
    char reason[PMU_REASON_MAX]; /* why there is no counter to use; empty where there is */
    char errata[PMU_REASON_MAX]; /* what CPUID reports wrongly; empty: nothing known */
};
