/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Performance monitoring units, modelled: what RDMSR, WRMSR, RDPMC and CPUID do on processors of
 * each kind that kernel/pmu drives, strict about reserved bits, and with the defects that a driver
 * has to find out. No emulator in here: the caller executes instructions and reports each to the
 * model.
 *
 * Modelled exactly: instructions, cycles (one an instruction, reference cycles as well), loads and
 * stores (instructions that read or write memory, each once), branches, SMIs. Any other event,
 * and any with a count mask, edge or inversion, stays 0: nothing is invented. An instruction
 * counts after its own effect: the WRMSR that starts a counter is counted, the one that stops it
 * is not, and RDPMC does not see itself. All runs in ring 0.
 *
 * Registers: SDM 3B "Performance Monitoring" (architectural, P6, P5), SDM 4; BKDG for family 10h
 * (31116) and 15h (42301); APM 2 "PerfMonV2". An MSR that is not there raises #GP.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu/cpuid.h"

enum quantity {
    QUANTITY_NONE, /* nothing, or an event that is not modelled: stays 0 */
    QUANTITY_INSTRUCTIONS,
    QUANTITY_CYCLES,
    QUANTITY_LOADS,
    QUANTITY_STORES,
    QUANTITY_ACCESSES, /* loads and stores together */
    QUANTITY_BRANCHES,
    QUANTITY_SMIS,
    QUANTITY_COUNT,
};

/* The processors. */
enum pmu_machine {
    MACHINE_P5,       /* Pentium MMX: CESR, two counters, RDPMC */
    MACHINE_P6,       /* Pentium III */
    MACHINE_INTEL_V1, /* Core Duo: no global control */
    MACHINE_INTEL_V2, /* Core 2 */
    MACHINE_INTEL_V3, /* Nehalem */
    MACHINE_INTEL_V4, /* Skylake: full-width writes, freeze while SMM */
    MACHINE_INTEL_V5, /* Ice Lake: no AnyThread */
    MACHINE_AMD_K7,   /* family 10h: four counters */
    MACHINE_AMD_CORE, /* Zen 2: six */
    MACHINE_AMD_V2,   /* Zen 4: global control */
    MACHINE_COUNT,
};

#define MODEL_GENERAL_MAX  16
#define MODEL_FIXED_MAX    4
#define MODEL_COUNTERS_MAX (MODEL_GENERAL_MAX + MODEL_FIXED_MAX)

struct pmu_model_counter {
    uint64_t select; /* event select; P5: its half of CESR; fixed: its 4 bits of 38Dh */
    uint64_t base;   /* value when `since` was taken */
    uint64_t since;  /* of the total of `quantity` */
    enum quantity quantity;
    unsigned width;

    /* Defects. */
    bool faults;       /* its registers raise #GP */
    bool forgets;      /* they read 0 whatever was written */
    bool dead;         /* never counts */
    bool busy;         /* counts instructions whatever its select register holds; see
                        * pmu_model_make_busy() */
    bool wrong;        /* counts twice of everything */
    bool short_writes; /* writes take 32 bits, sign-extended */
    bool no_rdpmc;     /* RDPMC raises #GP */
};

/* One reading of a counter, beside that of a flawless one. */
struct pmu_reading {
    bool by_rdpmc;    /* else by RDMSR */
    unsigned counter; /* general ones first, then fixed ones from MODEL_GENERAL_MAX on */
    enum quantity quantity;
    uint64_t value;
    uint64_t truth; /* total of `quantity` since the model began, on or off, never wrapping */
    uint64_t tag;   /* the model's `tag` at that moment, which is the caller's */
};
#define MODEL_SMI_COUNTER MODEL_COUNTERS_MAX /* MSR 34h, as the counter of a reading */

struct pmu_model {
    enum pmu_machine machine;
    unsigned version; /* Intel: of architectural monitoring; else 0 */
    unsigned general; /* counters that exist */
    unsigned fixed;
    struct pmu_model_counter counter[MODEL_COUNTERS_MAX];
    uint64_t global_control;         /* 38Fh, C0000301h */
    uint64_t global_status;          /* 38Eh, C0000300h */
    uint64_t debug_control;          /* 1D9h */
    uint64_t lfence;                 /* C0011029h */
    uint64_t aperf_base, mperf_base; /* value less the total of cycles */
    uint64_t total[QUANTITY_COUNT];
    unsigned interrupts; /* overflows of counters whose select asks for an interrupt */

    /* What CPUID reports; true unless changed. */
    uint32_t max_basic;
    uint32_t max_extended;
    unsigned claimed_general;
    unsigned claimed_fixed;
    unsigned claimed_width;
    bool hypervisor;
    bool garbage_leaves; /* leaves above the maximum look like version 5, and like PerfMonV2 */
    /* Defects of the whole. */
    uint64_t reserved_select; /* more reserved bits of the event select (P5: of its half) */
    bool no_full_width;       /* 4C1h.. raise #GP although 345h promises them */
    bool no_registers;        /* no register of the PMU is there, whatever CPUID reports */

    uint64_t tag;
    /* Called on each reading; NULL: no call. */
    void (*on_reading)(void *context, const struct pmu_reading *reading);
    void *context;
};

const char *pmu_machine_name(enum pmu_machine machine);

/* After reset. */
void pmu_model_init(struct pmu_model *model, enum pmu_machine machine);

/* One instruction has retired. */
struct instruction_facts {
    bool loads;
    bool stores;
    bool branch;
};
static inline void pmu_model_retire(struct pmu_model *model, struct instruction_facts facts)
{
    model->total[QUANTITY_INSTRUCTIONS]++;
    model->total[QUANTITY_CYCLES]++;
    model->total[QUANTITY_LOADS] += facts.loads;
    model->total[QUANTITY_STORES] += facts.stores;
    model->total[QUANTITY_ACCESSES] += (unsigned)facts.loads + facts.stores;
    model->total[QUANTITY_BRANCHES] += facts.branch;
}

/* False: #GP. */
bool pmu_model_rdmsr(struct pmu_model *model, uint32_t index, uint64_t *value);
bool pmu_model_wrmsr(struct pmu_model *model, uint32_t index, uint64_t value);
bool pmu_model_rdpmc(struct pmu_model *model, uint32_t index, uint64_t *value);

struct cpuid_result pmu_model_cpuid(const struct pmu_model *model, uint32_t leaf, uint32_t subleaf);

/* A system management interrupt, whose handler executes `instructions`; they count unless
 * IA32_DEBUGCTL freezes counters. */
void pmu_model_smi(struct pmu_model *model, uint64_t instructions);

/* What a counter holds now, and setting it behind the driver's back. */
uint64_t pmu_model_value(struct pmu_model *model, unsigned counter);
void pmu_model_set_value(struct pmu_model *model, unsigned counter, uint64_t value);
/* As firmware may have left it, past all checks: programmed and, where that takes more, running. */
void pmu_model_leave_running(struct pmu_model *model, unsigned counter, uint64_t value);

/* In the same state, and nothing that is written to its select register stops it. */
void pmu_model_make_busy(struct pmu_model *model, unsigned counter);

/* All that software can have written, except values and status: to compare before and after. */
struct pmu_model_setup {
    uint64_t select[MODEL_COUNTERS_MAX];
    uint64_t global_control;
    uint64_t debug_control;
};
struct pmu_model_setup pmu_model_setup(const struct pmu_model *model);
