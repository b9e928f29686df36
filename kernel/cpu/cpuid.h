/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPUID: what the processor, or its emulator, reports about itself.
 *
 * A leaf above the maximum returns another leaf's data on Intel silicon, QEMU and Bochs alike (SDM
 * volume 2, CPUID: "the data for the highest basic information leaf"). So every read here first
 * checks the maximum of the leaf's range, and returns zeros above it.
 *
 * The decoding is pure: it reads through cpuid_port, which is the instruction in the image and a
 * table in tests.
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
    uint32_t max_extended;   /* highest extended leaf; 0: there are none */
    uint32_t max_hypervisor; /* highest hypervisor leaf; 0: no hypervisor announces itself */
    char vendor[13];
    char brand[49];      /* name of the model, leading blanks removed; "": not given */
    char hypervisor[13]; /* signature of the hypervisor, such as KVMKVMKVM; "": none */
    uint32_t family;     /* family with the extended family added; `model` likewise */
    uint32_t model;
    uint32_t stepping;
    bool hypervisor_bit; /* leaf 1 ECX[31]: the processor is virtual */
    bool x2apic;
    bool pcid;
    bool avx2;    /* processor has AVX2; simd.h tells whether its registers may be used */
    bool avx512f; /* processor has AVX-512F; see avx2 */
    bool nx;
    bool pages_1gib;
    bool rdtscp;
    bool invariant_tsc;
    bool tsc_deadline;
    uint32_t physical_bits;  /* width of a physical address */
    uint64_t tsc_hz_leaf15;  /* TSC rate: crystal × ratio; 0: not given in full */
    uint64_t tsc_hz_leaf16;  /* base frequency, a marketing figure and only a hint; 0: not given */
    uint64_t tsc_hz_virtual; /* TSC rate from hypervisor leaf 40000010h; 0: not given */
};

/* Executes the instruction CPUID. */
struct cpuid_result cpuid_instruction(uint32_t leaf, uint32_t subleaf);

/* Returns a leaf, or zeros if it is above the maximum of its range. */
struct cpuid_result cpuid_leaf(cpuid_port *port, const struct cpu_identity *identity, uint32_t leaf,
                               uint32_t subleaf);

/* Returns the first of the hypervisor leaves that begin with this signature of twelve bytes; 0 if
 * there are none. A hypervisor that imitates another has its own leaves 100h or more above. Call
 * only if the hypervisor bit is set. */
uint32_t cpuid_hypervisor_base(cpuid_port *port, const char *signature);

void cpu_identify(cpuid_port *port, struct cpu_identity *identity);

/* Returns the number of bits of a physical address (leaf 80000008h), or 36 if it is not given or
 * below 32, which no 64-bit processor has. */
uint32_t cpu_physical_bits(cpuid_port *port);

/* Returns the name of the emulator of instructions that CPUID announces, "TCG", or NULL if none
 * does. It is recognised by its hypervisor leaf or, if that is hidden, by its brand. An emulator
 * may hide both: Bochs reports exactly what the processor it emulates reports. */
const char *cpu_emulator(const char *hypervisor, const char *brand);

/* Returns whether the processor is AMD's, or Hygon's, whose parts are AMD's Zen. */
bool cpu_is_amd(const struct cpu_identity *identity);

/* Returns whether AMD's leaves 8000001Dh and 8000001Eh are valid: if leaf 80000001h ECX[22] reports
 * topology extensions, and always in family 15h, where some firmware clears just that bit. */
bool cpu_has_topology_leaves(cpuid_port *port, const struct cpu_identity *identity);

/*
 * Idle states that MWAIT offers: CPUID leaf 5 (SDM volume 2, CPUID and MWAIT).
 */

/* Largest number of hints: eight states with up to four sub-states; others are ignored. */
#define MWAIT_HINTS_MAX 32

struct mwait_facts {
    bool offered;      /* MWAIT can be used: CPUID 1 ECX[3] is set, and leaf 5 exists */
    bool by_hint;      /* leaf 5 lists states; otherwise there is only hint 0 */
    bool wakes_masked; /* with ECX = 1, an interrupt ends MWAIT even if interrupts are off */
    uint32_t smallest; /* bytes of the line that MONITOR watches */
    uint32_t largest;
    size_t hint_count;
    /* EAX of MWAIT: the state minus 1 in bits 7:4 (C0 is F0h), the sub-state in bits 3:0 */
    uint8_t hint[MWAIT_HINTS_MAX];
};

void mwait_find(cpuid_port *port, const struct cpu_identity *identity, struct mwait_facts *facts);
