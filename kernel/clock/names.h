/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of clocks and of what states their rates. Each stands here once: image and host include
 * it.
 */
#pragma once
#define VERDICT_ALONE             "fewer than two references" /* why a rate is not verified */
#define CLOCK_TSC                 "tsc"
#define REFERENCE_CPUID_15H       "cpuid_15h"
#define REFERENCE_HYPERVISOR_LEAF "hypervisor_leaf"
