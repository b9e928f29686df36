/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rates of the TSC that a hypervisor or the processor states in addition to CPUID: Hyper-V's
 * frequency MSR (Hypervisor Top Level Functional Specification, chapter 12.6), KVM's clock page
 * (Linux, Documentation/virt/kvm/x86/msr.rst, MSR 4B564D01h), VMware's port (command 45, GETHZ),
 * and AMD's P-state 0 (Processor Programming Reference of family 17h and later, MSR C0010064h), at
 * which an invariant TSC counts.
 *
 * A statement is not a measurement: if it disagrees with the measured rate, it is reported.
 *
 * Pure: registers are read through functions that the caller passes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu/cpuid.h"

#define STATED_MAX 5

struct stated_rate {
    const char *reference;
    uint64_t hz; /* rate, never 0 */
    /* Stated by what drives the TSC; otherwise the rate with which the processor is sold. */
    bool by_machine;
};

/* The registers that VMware's port returns. */
struct vmware_answer {
    uint32_t eax, ebx, ecx, edx;
};

struct stated_access {
    cpuid_port *cpuid;
    int (*msr_read)(uint32_t index, uint64_t *value); /* reads an MSR; returns 0 on success */
    int (*msr_write)(uint32_t index, uint64_t value);
    void (*vmware)(uint32_t command, struct vmware_answer *answer);
};

/* KVM's page for one processor (struct pvclock_vcpu_time_info). */
struct kvm_clock {
    uint32_t version; /* odd while KVM is writing the page */
    uint32_t pad;
    uint64_t tsc;
    uint64_t ns;
    /* ns = (ticks << shift) * multiplier >> 32; a negative shift is to the right */
    uint32_t multiplier;
    int8_t shift;
    uint8_t flags;
    uint8_t pad_2[2];
};

/* These functions return the rate in Hz, or 0 if no TSC can have that rate. */
uint64_t stated_by_kvm_clock(const struct kvm_clock *clock);
/* `scale` is that of Hyper-V's reference TSC page: 100 ns = ticks * scale >> 64. */
uint64_t stated_by_hyperv_scale(uint64_t scale);
uint64_t stated_by_vmware(const struct vmware_answer *answer);
/* `msr` is MSR C0010064h. Also returns 0 if the P-state is disabled or the family not known. */
uint64_t stated_by_amd_pstate(uint32_t family, uint64_t msr);

/* Returns whether Hyper-V's counter of 100 ns (MSR 40000020h) is offered. */
bool stated_has_hyperv_counter(cpuid_port *cpuid);

/* Reads all rates that this machine states. Returns how many. Uses and restores KVM's page. */
size_t stated_read(const struct stated_access *access, const struct cpu_identity *identity,
                   struct stated_rate rates[STATED_MAX]);
