/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPUID: what the processor, or its emulator, reports of itself.
 *
 * Leaves above the maximum return another leaf's data on Intel silicon, QEMU and Bochs alike (SDM
 * volume 2, CPUID: "the data for the highest basic information leaf"), so every look-up here checks
 * the maximum of its range first and yields zeros above it.
 *
 * The decoding is pure: it reads through cpuid_port, which the image points at the instruction and
 * the tests at a table.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cpuid_result {
    uint32_t eax;
    uint32_t ebx;
    uint32_t ecx;
    uint32_t edx;
};

typedef struct cpuid_result cpuid_port(uint32_t leaf, uint32_t subleaf);

#define CPUID_HYPERVISOR 0x40000000u
#define CPUID_EXTENDED   0x80000000u

struct cpu_identity {
    uint32_t max_basic;
    uint32_t max_extended;   /* 0: no extended leaves */
    uint32_t max_hypervisor; /* 0: no hypervisor announces itself */
    char vendor[13];
    char brand[49];      /* leading blanks removed; empty: not given */
    char hypervisor[13]; /* signature such as KVMKVMKVM; empty: none */
    uint32_t family;     /* extended family and model folded in */
    uint32_t model;
    uint32_t stepping;
    bool hypervisor_bit; /* leaf 1 ECX[31] */
    bool x2apic;
    bool pcid;
    bool avx2;    /* of the processor; whether its registers may be used: simd.h */
    bool avx512f; /* the same */
    bool nx;
    bool pages_1gib;
    bool rdtscp;
    bool invariant_tsc;
    bool tsc_deadline;
    uint32_t physical_bits;  /* physical address width */
    uint64_t tsc_hz_leaf15;  /* crystal × ratio; 0: not given in full */
    uint64_t tsc_hz_leaf16;  /* base frequency, a marketing figure: hint only; 0: not given */
    uint64_t tsc_hz_virtual; /* hypervisor leaf 40000010h; 0: not given */
};

/* The instruction. */
struct cpuid_result cpuid_instruction(uint32_t leaf, uint32_t subleaf);

/* A leaf, or zeros where it lies above the maximum of its range. */
struct cpuid_result cpuid_leaf(cpuid_port *port, const struct cpu_identity *identity, uint32_t leaf,
                               uint32_t subleaf);

void cpu_identify(cpuid_port *port, struct cpu_identity *identity);

/* How many bits a physical address has (leaf 80000008h); 36 where that is not given, or below 32,
 * which no processor of 64 bits has. */
uint32_t cpu_physical_bits(cpuid_port *port);

/* The emulator of instructions that CPUID announces, "TCG": by the signature of its hypervisor
 * leaf, or by its brand where that leaf is hidden. NULL: none does. An emulator may hide both, as
 * Bochs does, which shows what the processor that it plays shows. */
const char *cpu_emulator(const char *hypervisor, const char *brand);

/* AMD, or Hygon, whose parts are AMD's Zen. */
bool cpu_is_amd(const struct cpu_identity *identity);

/* Do AMD's leaves 8000001Dh and 8000001Eh hold? Where leaf 80000001h ECX[22] reports topology
 * extensions, and in family 15h: some firmware switches that bit off there, and nothing else. */
bool cpu_has_topology_leaves(cpuid_port *port, const struct cpu_identity *identity);

/*
 * Idle states that MWAIT offers: CPUID leaf 5 (SDM volume 2, CPUID and MWAIT).
 */

#define MWAIT_HINTS_MAX 32 /* eight states with up to four sub-states; the rest are left out */

struct mwait_facts {
    bool offered;      /* CPUID 1 ECX[3], and leaf 5 is there */
    bool by_hint;      /* leaf 5 lists states; else there is the one, hint 0 */
    bool wakes_masked; /* an interrupt ends it although interrupts are off, with ECX = 1 */
    uint32_t smallest; /* bytes of the line that MONITOR watches */
    uint32_t largest;
    size_t hint_count;
    uint8_t hint[MWAIT_HINTS_MAX]; /* EAX of MWAIT: state less 1 in bits 7:4, C0 is F0h; sub-state
                                      in bits 3:0 */
};

void mwait_find(cpuid_port *port, const struct cpu_identity *identity, struct mwait_facts *facts);
