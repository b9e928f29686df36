/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The TSC, its rate, and the verification of both.
 *
 * Every available reference clock gives an estimate of the rate. Over a window of 20 ms, TSC and
 * reference are read together at both ends. The tightest of several readings is kept, so that
 * losing the processor between the reads costs a retry and not accuracy. The estimate is the median
 * of the windows. Two independent estimates must agree (verdict.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/clock/exact.h"
#include "kernel/clock/source.h"
#include "kernel/clock/verdict.h"
#include "kernel/cpu/cpuid.h"
#include "kernel/dev/acpi.h"

#define CLOCK_SOURCES_MAX   4
#define CLOCK_ESTIMATES_MAX 11 /* the sources, two rates from CPUID, and STATED_MAX */
#define CLOCK_WINDOWS       5

struct clock_estimate {
    struct rate_estimate rate;
    size_t windows; /* number of measurement windows; 0: the rate is stated, not measured */
    uint64_t window_hz[CLOCK_WINDOWS];
};

struct clock_absent {
    const char *name;
    const char *reason;
};

struct clock_state {
    size_t source_count;
    struct clock_source sources[CLOCK_SOURCES_MAX];
    size_t absent_count;
    struct clock_absent absent[CLOCK_SOURCES_MAX];
    size_t estimate_count;
    struct clock_estimate estimates[CLOCK_ESTIMATES_MAX];
    struct rate_verdict verdict;
    /* Rate of the undivided LAPIC timer; 0: there is none, or it does not count. */
    uint64_t lapic_hz;
    /* Ticks of an instruction if the TSC counts instructions, as under -icount; otherwise 0. */
    uint32_t ticks_per_instruction;
    /* The TSC counts the instructions of others, too, such as a hypervisor's (exact.h). */
    bool shared;
    /* the TSC stands still or goes back, so that no wait by it would end; hz of the verdict is 0 */
    bool tsc_stands;
};

/* Finds and measures all clocks in a few 100 ms. Call with interrupts off, after lapic_init(). */
void clock_init(const struct cpu_identity *identity, const struct acpi_facts *acpi);
const struct clock_state *clock_state(void);
/* Returns whether the TSC counts the instructions of this image only, so that equal work takes
 * equal ticks. */
bool clock_is_exact(void);

/* Convert a time to TSC ticks at the verdict's rate, rounded down; 0 if the rate is not known. */
uint64_t clock_ticks_from_us(uint64_t microseconds);
uint64_t clock_ticks_from_ns(uint64_t nanoseconds);

/* Converts TSC ticks to counts of the LAPIC timer: at least 1, at most 2^32 - 1. */
uint32_t clock_lapic_counts(uint64_t ticks);

/* A factor for this conversion by a multiplication, for timers that a division would make late. */
struct clock_lapic_factor {
    uint64_t counts; /* counts in a tick, times 2^32 */
    uint64_t most;   /* largest number of ticks whose counts fit 32 bits */
};
struct clock_lapic_factor clock_lapic_factor(void);

/* Converts ticks, negative if a deadline has passed, to counts, at least 1 and at most 2^32 - 1. */
static inline uint32_t clock_lapic_counts_by(const struct clock_lapic_factor *factor, int64_t ticks)
{
    if ((uint64_t)ticks > factor->most) {
        return ticks < 0 ? 1 : UINT32_MAX;
    }
    const uint64_t counts = (uint64_t)ticks * factor->counts >> 32;

    return counts != 0 ? (uint32_t)counts : 1;
}

/*
 * Verification that the results of the boot still hold (verdict.h). It is begun before a bench and
 * judged after it, over that whole time. Call with interrupts off.
 */

#define CLOCK_PROOF_MAX EXACT_CHANGED_MAX

struct clock_proof {
    bool holds;
    char changed[CLOCK_PROOF_MAX];  /* what changed, "NAME: OLD -> NEW"; "" if `holds` */
    uint32_t ticks_per_instruction; /* current ticks of an instruction; 0: the TSC counts time */
    size_t count;
    struct {
        const char *reference;
        /* rate of the TSC, measured by this clock; 0: the clock or the TSC stands still */
        uint64_t hz;
    } rate[CLOCK_SOURCES_MAX];
};

void clock_proof_begin(void);
/* Waits, if necessary, until at least 5 ms have passed since the beginning, then judges every
 * clock. A clock that may have wrapped more than once is judged over another 5 ms instead. If the
 * boot found no rate, there is nothing to judge, and `holds` is true. */
void clock_proof_end(struct clock_proof *proof);
