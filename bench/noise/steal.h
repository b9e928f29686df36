/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Steal time: time during which a hypervisor took the processor from a virtual processor.
 *
 * KVM writes it to a page of the guest (Linux, Documentation/virt/kvm/x86/msr.rst,
 * MSR_KVM_STEAL_TIME; CPUID 40000001h EAX[5], or 40000101h if the leaves of Hyper-V come first). On
 * Hyper-V it is the reference counter minus the runtime of the virtual processor (TLFS,
 * HV_X64_MSR_TIME_REF_COUNT and HV_X64_MSR_VP_RUNTIME; CPUID 40000003h EAX[1:0]); this also counts
 * time in HLT.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu/cpuid.h"

/* Finds and verifies the hypervisor's steal time. Call on the kernel's processor. Returns NULL if
 * it is available and was seen to work, otherwise the reason; the calls below are then not allowed.
 */
const char *steal_init(const struct cpu_identity *identity);

/* Call on the processor with this number. From steal_join() to steal_leave() the hypervisor may
 * write to a page. */
void steal_join(size_t number);
void steal_leave(size_t number);

/* Returns the steal time so far, in ns. */
uint64_t steal_ns(size_t number);
