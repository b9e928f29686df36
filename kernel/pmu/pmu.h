/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The performance monitoring unit: what counters there are, which of them count, and how to
 * program them.
 *
 * Nothing that CPUID reports is believed before it is proved: every counter has to hold what is
 * written to it, to stand still while it is off, to count the instructions of a known loop, to the
 * instruction, across its own wrap, to read the same by RDPMC, and to count while all others do.
 * One that fails is not offered, and `state` has the reason.
 *
 * Back ends, and where their registers are described:
 *   P5     CESR, two counters                            Pentium manual volume 1, appendix A
 *   P6     two counters, one enable bit for both         SDM 3B, "Performance Monitoring (P6)"
 *   Intel  architectural performance monitoring v1 to v5 SDM 3B, same title; CPUID leaf 0Ah
 *   K7     four counters, C0010000h                      BKDG for family 10h, 31116
 *   core   six counters, C0010200h                       BKDG for family 15h, 42301; CPUID
 *                                                        80000001h ECX[23]
 *   V2     as core, with global control                  APM 2, "PerfMonV2"; CPUID 80000022h
 *
 * P5 and P6 have no long mode: they are here for the record and are exercised on models only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu/cpuid.h"
#include "kernel/pmu/event.h"

/*
 * Counters, and the record of what a processor has of them: pmu.c proves and drives them, backend.c
 * knows their registers.
 */

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

/* Instructions of the known loop, as the manual counts them. */
#define PMU_KNOWN_ANSWER 4000

/* Finds the back end, saves what firmware left, proves each counter, leaves all of them off. Call
 * once, with interrupts off, after descriptors_load(). */
const struct pmu *pmu_init(const struct cpu_identity *identity);
const struct pmu *pmu_state(void);

/* Short names: "Intel architectural", "AMD PerfMonV2"; "general 0", "fixed 1"; "usable", "dead". */
const char *pmu_backend_name(enum pmu_backend backend);
const char *pmu_counter_state_name(enum pmu_counter_state state);
#define PMU_COUNTER_NAME_MAX 16
const char *pmu_counter_name(const struct pmu_counter *counter, char name[PMU_COUNTER_NAME_MAX]);

/* Programs a counter to count an event, in all rings, with no interrupt on overflow, and sets it to
 * 0. It does not count before pmu_start(). False where the processor refuses: *vector is then the
 * exception's number, or 0 where the code does not fit the back end or the register did not keep
 * it. `counter` is an index into pmu_state()->counter of a usable one. */
bool pmu_assign(unsigned counter, const struct event_code *code, uint8_t *vector);

/* Can this counter count this event? General ones all; fixed ones their own, which they know by its
 * architectural code. */
bool pmu_counter_takes(unsigned counter, const struct event_code *code);

/* Starts every counter assigned since the last pmu_stop(), at once where there is global control.
 */
void pmu_start(void);
/* Stops them; they keep their values, and are assigned to nothing from then on. */
void pmu_stop(void);

/* Value of a counter by its MSR, ordered by LFENCE: the slow way, for what is no timed code. */
uint64_t pmu_value(unsigned counter);

/* What a counter went through between two readings: modulo its width. */
uint64_t pmu_delta(const struct pmu_counter *counter, uint64_t from, uint64_t to);

/* Puts back what firmware left. */
void pmu_restore(void);

/* SMIs since reset by MSR 34h (SDM 4, MSR_SMI_COUNT); only where has_smi_count. */
uint64_t pmu_smi_count(void);

/* APERF and MPERF (SDM 3B, "Hardware Feedback"), read back to back; only where has_aperf. */
void pmu_aperf_mperf(uint64_t *aperf, uint64_t *mperf);
