/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Machine checks (SDM volume 3 chapter 16; APM volume 2 chapter 9): what the hardware says of
 * itself when it fails. Without CR4.MCE, or where a second one comes before the first was
 * acknowledged, the processor shuts down, and the machine restarts without a word.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/cpu/cpuid.h"

struct machine_check {
    uint64_t global_status; /* MCG_STATUS */
    bool told;              /* a bank holds an error: */
    uint32_t bank;
    uint64_t status;  /* MCi_STATUS */
    uint64_t address; /* MCi_ADDR; 0: not told */
    /* What was interrupted could go on, but for the data that is lost: RIPV is set, and no bank's
     * PCC. */
    bool survivable;
};

/* Has machine checks raise #MC, where the processor has them. Stays for processors started later.
 */
void machine_check_enable(const struct cpu_identity *identity);

/* In the handler: reads the first bank with an error that was not corrected, and acknowledges all.
 */
struct machine_check machine_check_take(void);
