/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What may have taken a processor: counts and times that stand around a gap, read on the processor
 * itself, interrupts off. A row of them is read when a gap has been seen, never in the loop that
 * looks for gaps. What a machine lacks is absent, with the reason, and never 0.
 *
 *     cause_init() on the kernel's processor; then on each that watches
 *     cause_join(); cause_read() ...; cause_leave()
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cause {
    CAUSE_SMI,           /* SMIs: MSR 34h (SDM volume 4) */
    CAUSE_NMI,           /* NMIs of unknown source that this processor took */
    CAUSE_MACHINE_CHECK, /* corrected errors that its banks logged */
    CAUSE_THERMAL,       /* thermal status log of IA32_THERM_STATUS, 0 or 1 */
    CAUSE_POWER_LIMIT,   /* power limitation log of IA32_THERM_STATUS, 0 or 1 */
    CAUSE_APERF,         /* ticks in C0 at the actual clock */
    CAUSE_MPERF,         /* ticks in C0 at the TSC's clock */
    CAUSE_STEAL,         /* ns that the hypervisor ran something else (steal.h) */
    CAUSE_INTERRUPT,     /* vectors that wait at the LAPIC (IRR): sources that firmware left on */
    CAUSES,
};

struct cause_row {
    int64_t value[CAUSES]; /* meaningless where the cause is absent */
};

/* Finds out what this machine has; on the kernel's processor, before the calls below. */
void cause_init(void);
/* NULL where it can be read; else why not. */
const char *cause_absent(enum cause cause);
/* The name in series and facts, as "smi". */
const char *cause_name(enum cause cause);

/* Gets ready on the processor that calls: clears its sticky logs and gives the hypervisor a page.
 * Returns its number, which the calls below take. */
size_t cause_join(void);
/* The hypervisor writes to that page until this is called, on the same processor. */
void cause_leave(size_t number);

/* All; and all but machine checks and interrupts, which stay as they are in the row: those take a
 * register for each bank and each 32 vectors. */
void cause_read_all(size_t number, struct cause_row *row);
void cause_read(size_t number, struct cause_row *row);

/* What came between two rows: a difference, at least 0; or of a sticky log whether it was set since
 * the row before `after` was read. */
int64_t cause_between(enum cause cause, const struct cause_row *before,
                      const struct cause_row *after);
