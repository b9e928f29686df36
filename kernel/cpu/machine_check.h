/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Machine checks (SDM volume 3 chapter 16; APM volume 2 chapter 9): reports of the hardware about
 * its own failures. Without CR4.MCE, or if a second one comes before the first was acknowledged,
 * the processor shuts down, and the machine restarts without a message.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/cpu/cpuid.h"

struct machine_check {
    uint64_t global_status; /* register MCG_STATUS */
    bool reported;          /* a bank contains an error; the next three members describe it */
    uint32_t bank;
    uint64_t status;  /* register MCi_STATUS of that bank */
    uint64_t address; /* register MCi_ADDR of that bank; 0: not reported */
    /* the interrupted code could continue, except for lost data: RIPV is set, PCC in no bank */
    bool survivable;
};

#define MACHINE_CHECK_BANKS_MAX 64 /* most banks: the registers after these have other purposes */

/* MCi_STATUS of a processor's banks when it was taken over. A warm reset keeps old errors in them.
 * These are not ours, and are left for the next system. */
struct machine_check_logs {
    uint64_t status[MACHINE_CHECK_BANKS_MAX];
};

/* Makes all errors raise #MC (MCG_CTL, MCi_CTL), if the processor has machine checks, and remembers
 * the errors that are already logged. CR4.MCE stays set for processors that are started later. */
void machine_check_enable(const struct cpu_identity *identity);

/* Restores which errors firmware wants to raise #MC. machine_check_resume() saves that setting
 * again and makes all errors raise it. */
void machine_check_release(void);
void machine_check_resume(void);

/* Call on a processor after it was started, or when its role changes: to one that is not the
 * kernel's (`logs`), or to the kernel's (NULL). */
void machine_check_join(struct machine_check_logs *logs);

/* In the kernel's handler: reads the first bank with an uncorrected error; acknowledges all. */
struct machine_check machine_check_take(void);

/* Call in the handler of another processor, because most machine checks are delivered to all.
 * Acknowledges the machine check and leaves the banks, which may be shared, to the kernel. Returns
 * whether the interrupted code can continue. */
bool machine_check_pass(const struct machine_check_logs *logs);

/* Returns the number of banks of this processor, 0 if it announces none. */
uint32_t machine_check_banks(void);
/* Returns the number of corrected errors in the banks of this processor: the sum of their counts
 * (MCi_STATUS[52:38]) if MCG_CAP[10] is set, otherwise one for each bank that logged any. */
uint64_t machine_check_corrected(void);
