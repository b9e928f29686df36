/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Idle states that MWAIT offers: CPUID leaf 5 (SDM volume 2, CPUID and MWAIT).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu/cpuid.h"

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
