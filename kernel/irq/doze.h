/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Idle until the LAPIC timer's interrupt, in a state of one's choice: PAUSE, HLT or MWAIT with a
 * hint (SDM volume 3 section 9.10). The interrupt is stamped among its first instructions, on
 * whichever processor it comes: what a processor needs to come out of its idle state lies between
 * the timer's deadline and that stamp.
 *
 * Before the stamp are, of the handler, two PUSH and RDTSC itself; and whatever the processor needs
 * to deliver. The handler ends the interrupt and returns behind the instruction that idled.
 *
 * An instruction that idles may end early, with no interrupt: MWAIT by definition, and under some
 * emulators always. It is then executed again, and each end is counted.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define DOZE_VECTOR     0xe8
#define DOZE_LINE_WORDS 8

enum doze_kind {
    DOZE_PAUSE, /* awake: it looks for its interrupt between two PAUSEs */
    DOZE_HLT,
    DOZE_MWAIT,
};

/* Of one processor. What MONITOR watches is the last line, which nothing writes. */
struct doze {
    volatile uint64_t woke; /* TSC of the stamp */
    uint64_t ends;          /* how often the instruction ended, the wake-up included */
    uint64_t kind;          /* enum doze_kind */
    uint64_t hint;          /* EAX of MWAIT */
    uint64_t unused[4];
    uint64_t line[DOZE_LINE_WORDS];
} __attribute__((aligned(64)));

/* From now on DOZE_VECTOR leads to the stamp, on all processors; until doze_end(), which
 * does nothing where it was not begun. On the kernel's processor, interrupts off. */
void doze_begin(void);
void doze_end(void);

/* On the processor that is to idle, between these two, and with interrupts off before and behind:
 * has the timer raise DOZE_VECTOR `counts` from now, and idles until it has come. Returns the TSC
 * before the timer was set and, in *armed, behind it: it was set in between. */
uint64_t doze_for(struct doze *doze, uint32_t counts, uint64_t *armed);

/* The same by IA32_TSC_DEADLINE (SDM volume 3 section 11.5.4.1), `ticks` from the TSC that it
 * returns, which is exact. Only where CPUID offers it (cpu_identity.tsc_deadline). */
uint64_t doze_until(struct doze *doze, uint64_t ticks, uint64_t *armed);
