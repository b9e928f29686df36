/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Time that a hypervisor took from a virtual processor.
 *
 * KVM writes it to a page of the guest's (Linux, Documentation/virt/kvm/x86/msr.rst,
 * MSR_KVM_STEAL_TIME; CPUID 40000001h EAX[5], or 40000101h where the leaves of Hyper-V come first).
 * Of Hyper-V it is the reference counter less the runtime of the virtual processor (TLFS,
 * HV_X64_MSR_TIME_REF_COUNT and HV_X64_MSR_VP_RUNTIME; CPUID 40000003h EAX[1:0]); a time in HLT
 * would count as well.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu/cpuid.h"

/* On the kernel's processor. NULL: the hypervisor offers it and has shown that it keeps it; else
 * the reason. The calls below only then. */
const char *steal_init(const struct cpu_identity *identity);

/* On the processor with this number. Until steal_leave() the hypervisor may write to a page. */
void steal_join(size_t number);
void steal_leave(size_t number);

/* So far, in ns. */
uint64_t steal_ns(size_t number);
