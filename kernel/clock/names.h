/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of clocks, and of the sources that state their rates. Image and host both include this
 * file, so each name is written only once.
 */
#pragma once
/* Reason for which a rate is not verified. */
#define VERDICT_ALONE             "fewer than two references"
#define CLOCK_TSC                 "tsc"
#define REFERENCE_CPUID_15H       "cpuid_15h"
#define REFERENCE_HYPERVISOR_LEAF "hypervisor_leaf"
#define REFERENCE_HYPERV_MSR      "hyperv_frequency_msr"
#define REFERENCE_HYPERV_PAGE     "hyperv_reference_page"
#define REFERENCE_KVM_CLOCK       "kvm_clock"
#define REFERENCE_VMWARE_PORT     "vmware_port"
#define REFERENCE_AMD_PSTATE      "amd_pstate_0"
#define CLOCK_PM_TIMER            "pm_timer"
#define HYPERVISOR_KVM            "KVMKVMKVM\0\0"
#define HYPERVISOR_VMWARE         "VMwareVMware"
