/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Idling until the LAPIC timer's interrupt, in a chosen state: PAUSE, HLT or MWAIT with a hint (SDM
 * volume 3 section 9.10). On whichever processor the interrupt arrives, its handler takes a
 * timestamp among its first instructions. The time that the processor needs to leave its idle state
 * lies between the timer's deadline and this timestamp.
 *
 * Before the timestamp the handler executes two PUSH and RDTSC itself, and the processor delivers
 * the interrupt. The handler then ends the interrupt and returns after the idle instruction.
 *
 * An idle instruction may end early, without an interrupt: MWAIT by definition, and under some
 * emulators always. It is then executed again, and each end is counted.
 */
#pragma once

#include <stdint.h>

#define DOZE_VECTOR     0xe8
#define DOZE_LINE_WORDS 8

enum doze_kind {
    DOZE_PAUSE, /* stays awake: checks for its interrupt between two PAUSEs */
    DOZE_HLT,
    DOZE_MWAIT,
};

/* State of one processor. MONITOR watches the last line, which nothing writes. */
struct doze {
    volatile uint64_t woke; /* TSC that the interrupt's handler read */
    /* Number of times that the idle instruction ended, including the wake-up. */
    uint64_t ends;
    uint64_t kind; /* the idle state, enum doze_kind */
    uint64_t hint; /* hint for MWAIT, in EAX */
    uint64_t unused[4];
    uint64_t line[DOZE_LINE_WORDS];
} __attribute__((aligned(64)));

/* From doze_begin() on, DOZE_VECTOR leads to the timestamp handler on all processors. doze_end()
 * ends this, or does nothing. Call on the kernel's processor, with interrupts off. */
void doze_begin(void);
void doze_end(void);

/* Makes the timer raise DOZE_VECTOR `counts` from now, and idles until it has come. Call on the
 * processor that idles, between doze_begin() and doze_end(); interrupts must be off before, and are
 * off afterwards. Returns the TSC before the timer was set and, in *armed, the TSC after it: the
 * timer was set in between. */
uint64_t doze_for(struct doze *doze, uint32_t counts, uint64_t *armed);

/* As doze_for(), by IA32_TSC_DEADLINE (SDM volume 3 section 11.5.4.1): the deadline is exactly
 * `ticks` after the returned TSC. Only if CPUID offers it (cpu_identity.tsc_deadline). */
uint64_t doze_until(struct doze *doze, uint64_t ticks, uint64_t *armed);
