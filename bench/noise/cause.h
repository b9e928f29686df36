/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What may have taken a processor: counters and times that are read around a gap, on the processor
 * itself, with interrupts off. A row of them is read after a gap has been seen, never in the loop
 * that looks for gaps. A cause that the machine lacks is reported as missing, with the reason, and
 * never as 0.
 *
 *     cause_init() on the kernel's processor; then on each processor that watches
 *     cause_join(); cause_read() ...; cause_leave()
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum cause {
    CAUSE_SMI,           /* SMIs: MSR 34h (SDM volume 4) */
    CAUSE_NMI,           /* NMIs of unknown source that this processor received */
    CAUSE_MACHINE_CHECK, /* corrected errors that this processor's machine-check banks logged */
    CAUSE_THERMAL,       /* thermal status log of IA32_THERM_STATUS, 0 or 1 */
    CAUSE_POWER_LIMIT,   /* power limitation log of IA32_THERM_STATUS, 0 or 1 */
    CAUSE_APERF,         /* cycles in C0 at the actual clock */
    CAUSE_MPERF,         /* cycles in C0 at the TSC's clock */
    CAUSE_STEAL,         /* ns during which the hypervisor ran something else (steal.h) */
    /* vectors pending at the LAPIC (IRR) from sources that firmware left enabled */
    CAUSE_INTERRUPT,
    CAUSES,
};

struct cause_row {
    int64_t value[CAUSES]; /* undefined for causes that cannot be read */
};

/* Detects which causes this machine can report. Call on the kernel's processor, before the calls
 * below. */
void cause_init(void);
/* Returns NULL if the cause can be read, otherwise the reason why not. */
const char *cause_absent(enum cause cause);
/* Returns the cause's name in series and facts, for example "smi". */
const char *cause_name(enum cause cause);

/* Prepares the calling processor: clears its sticky logs and gives the hypervisor a page to write
 * steal time to. Returns the processor's number, which the calls below need. */
size_t cause_join(void);
/* Ends what cause_join() began. Call on the same processor. Until then the hypervisor writes to the
 * page. */
void cause_leave(size_t number);

/* cause_read_all() reads all causes. cause_read() does not change machine checks and interrupts in
 * the row, because reading them takes a register for each bank and for each 32 vectors. */
void cause_read_all(size_t number, struct cause_row *row);
void cause_read(size_t number, struct cause_row *row);

/* Returns how much a cause advanced between two rows, at least 0. For a sticky log: whether it was
 * set since the row before `after` was read. */
int64_t cause_between(enum cause cause, const struct cause_row *before,
                      const struct cause_row *after);
