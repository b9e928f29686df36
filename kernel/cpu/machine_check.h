/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Machine checks (SDM volume 3 chapter 16; APM volume 2 chapter 9): what the hardware reports of
 * itself when it fails. Without CR4.MCE, or where a second one comes before the first was
 * acknowledged, the processor shuts down, and the machine restarts without a word.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/cpu/cpuid.h"

struct machine_check {
    uint64_t global_status; /* MCG_STATUS */
    bool reported;          /* a bank holds an error: */
    uint32_t bank;
    uint64_t status;  /* MCi_STATUS */
    uint64_t address; /* MCi_ADDR; 0: not reported */
    /* What was interrupted could go on, except the data that is lost: RIPV is set, and no bank's
     * PCC. */
    bool survivable;
};

#define MACHINE_CHECK_BANKS_MAX 64 /* behind them are registers of other use */

/* MCi_STATUS of a processor's banks when it was taken over: errors from before, which a warm reset
 * leaves in them, are not ours, and stay for the system that comes next. */
struct machine_check_logs {
    uint64_t status[MACHINE_CHECK_BANKS_MAX];
};

/* Has machine checks raise #MC, where the processor has them, for all errors (MCG_CTL, MCi_CTL),
 * and remembers what is logged. CR4.MCE stays for processors started later. */
void machine_check_enable(const struct cpu_identity *identity);

/* Puts back which errors firmware wants to raise #MC; and saves that, and wants all of them again.
 */
void machine_check_release(void);
void machine_check_resume(void);

/* On a processor that was started, or that becomes another one's or the kernel's (NULL). */
void machine_check_join(struct machine_check_logs *logs);

/* In the kernel's handler: reads the first bank with an error that was not corrected, and
 * acknowledges all. */
struct machine_check machine_check_take(void);

/* In the handler of another processor, as most machine checks come to all: acknowledges it, and
 * leaves the banks, which may be shared, to the kernel. True: what was interrupted can go on. */
bool machine_check_pass(const struct machine_check_logs *logs);

/* How many banks this processor has; 0: none are announced. */
uint32_t machine_check_banks(void);
/* Corrected errors that the banks of this processor hold: their counts (MCi_STATUS[52:38]) where
 * MCG_CAP[10] is set, else one for each bank that logged any. */
uint64_t machine_check_corrected(void);
