/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What may have taken a processor: counts and times that stand around a gap, read on the processor
 * itself, interrupts off. A row of them is read when a gap has been seen, never in the loop that
 * looks for gaps. What a machine lacks is absent, with the reason, and never 0.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum cause {
    CAUSE_SMI,           /* SMIs: MSR 34h (SDM volume 4) */
    CAUSE_NMI,           /* NMIs that this processor took */
    CAUSE_MACHINE_CHECK, /* corrected errors that its banks logged */
    CAUSE_THERMAL,       /* thermal status log of IA32_THERM_STATUS, 0 or 1 */
    CAUSE_POWER_LIMIT,   /* power limitation log of IA32_THERM_STATUS, 0 or 1 */
    CAUSE_APERF,         /* ticks in C0 at the actual clock */
    CAUSE_MPERF,         /* ticks in C0 at the TSC's clock */
    CAUSE_STEAL,         /* ns that the hypervisor ran something else (KVM, Hyper-V) */
    CAUSE_INTERRUPT,     /* vectors that wait at the LAPIC (IRR): sources that firmware left on */
    CAUSES,
};

struct cause_row {
    int64_t value[CAUSES]; /* meaningless where the cause is absent */
};

/* Finds out what this machine has; once, on the kernel's processor, before the calls below. */
void cause_init(void);
/* NULL where it can be read; else why not. */
const char *cause_absent(enum cause cause);
/* The name in series and facts, as "smi". */
const char *cause_name(enum cause cause);
/* Gets ready on the processor that calls (clears sticky logs, gives the hypervisor its page). */
void cause_join(void);
void cause_read(struct cause_row *row);
/* What came between two rows: a difference, or of a sticky log whether it was set. */
int64_t cause_between(enum cause cause, const struct cause_row *before,
                      const struct cause_row *after);
