/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rates of the TSC that a hypervisor or the processor states, beside CPUID's: Hyper-V's frequency
 * MSR (Hypervisor Top Level Functional Specification, chapter 12.6), KVM's clock page (Linux,
 * Documentation/virt/kvm/x86/msr.rst, MSR 4B564D01h), VMware's port (command 45, GETHZ), and AMD's
 * P-state 0 (Processor Programming Reference of family 17h and later, MSR C0010064h), at which an
 * invariant TSC counts.
 *
 * A statement is no measurement: one that disagrees with what was measured is reported.
 *
 * Pure: registers are read through what the caller gives.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu/cpuid.h"

#define STATED_MAX 5

struct stated_rate {
    const char *reference;
    uint64_t hz;     /* never 0 */
    bool by_machine; /* of what counts the TSC; else the rate that a processor is sold with */
};

/* Four registers behind VMware's port. */
struct vmware_answer {
    uint32_t eax, ebx, ecx, edx;
};

struct stated_access {
    cpuid_port *cpuid;
    int (*msr_read)(uint32_t index, uint64_t *value); /* 0: good */
    int (*msr_write)(uint32_t index, uint64_t value);
    void (*vmware)(uint32_t command, struct vmware_answer *answer);
};

/* KVM's page of one processor (struct pvclock_vcpu_time_info). */
struct kvm_clock {
    uint32_t version; /* odd: being written */
    uint32_t pad;
    uint64_t tsc;
    uint64_t ns;
    uint32_t multiplier; /* ns = (ticks << shift) * multiplier >> 32; a negative shift is to the
                            right */
    int8_t shift;
    uint8_t flags;
    uint8_t pad_2[2];
};

/* 0: none that a TSC has. */
uint64_t stated_by_kvm_clock(const struct kvm_clock *clock);
/* `scale` of Hyper-V's reference TSC page: 100 ns = ticks * scale >> 64. */
uint64_t stated_by_hyperv_scale(uint64_t scale);
uint64_t stated_by_vmware(const struct vmware_answer *answer);
/* Of MSR C0010064h; 0 also where the P-state is not enabled, or the family is another. */
uint64_t stated_by_amd_pstate(uint32_t family, uint64_t msr);

/* Is Hyper-V's counter of 100 ns offered (MSR 40000020h)? */
bool stated_has_hyperv_counter(cpuid_port *cpuid);

/* All that this machine states. KVM's page is taken for a moment, and is as it was behind it. */
size_t stated_read(const struct stated_access *access, const struct cpu_identity *identity,
                   struct stated_rate rates[STATED_MAX]);
