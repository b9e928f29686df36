/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The TSC, its rate, and the proof of both.
 *
 * Every reference there is gives an estimate of the rate by repeated measurement: over a window of
 * 20 ms, TSC and reference are read together at both ends, and of several readings the tightest is
 * kept, so that a processor taken away in between costs a retry and not accuracy. The median of the
 * windows counts. Two independent estimates must agree (verdict.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/clock/source.h"
#include "kernel/clock/verdict.h"
#include "kernel/cpu/cpuid.h"
#include "kernel/dev/acpi.h"

#define CLOCK_SOURCES_MAX   4
#define CLOCK_ESTIMATES_MAX 11 /* sources, CPUID's two and STATED_MAX */
#define CLOCK_WINDOWS       5

struct clock_estimate {
    struct rate_estimate rate;
    size_t windows; /* 0: stated, not measured */
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
    uint64_t lapic_hz; /* of the undivided LAPIC timer; 0: none, or it does not count */
    /* Ticks an instruction takes where the TSC counts instructions, as under QEMU's -icount; 0
     * where it counts time. */
    uint32_t ticks_per_instruction;
    bool tsc_stands; /* or goes back: no wait by it would end. The verdict has no rate then. */
};

/* Finds and measures all. Takes a few hundred ms. Call with interrupts off, after lapic_init(). */
void clock_init(const struct cpu_identity *identity, const struct acpi_facts *acpi);
const struct clock_state *clock_state(void);

/* TSC ticks of a span at the verdict's rate, rounded down; 0 where the rate is not known. */
uint64_t clock_ticks_from_us(uint64_t microseconds);
uint64_t clock_ticks_from_ns(uint64_t nanoseconds);

/* LAPIC timer counts of a span in TSC ticks: at least 1, at most 2^32 - 1. */
uint32_t clock_lapic_counts(uint64_t ticks);

/* The same by a multiplication, for a timer that is late by what its conversion takes. */
struct clock_lapic_factor {
    uint64_t counts; /* of a tick, times 2^32 */
    uint64_t most;   /* ticks, whose counts still fit 32 bits */
};
struct clock_lapic_factor clock_lapic_factor(void);

/* Ticks may be negative: a deadline that has passed. */
static inline uint32_t clock_lapic_counts_by(const struct clock_lapic_factor *factor, int64_t ticks)
{
    if ((uint64_t)ticks > factor->most) {
        return ticks < 0 ? 1 : UINT32_MAX;
    }
    const uint64_t counts = (uint64_t)ticks * factor->counts >> 32;

    return counts != 0 ? (uint32_t)counts : 1;
}

/*
 * The proof that what the boot found still holds (verdict.h): begun before a bench, and judged
 * behind it, over the whole of its span. With interrupts off.
 */

#define CLOCK_PROOF_MAX 96

struct clock_proof {
    bool holds;
    char changed[CLOCK_PROOF_MAX];  /* what changed, "NAME: OLD -> NEW"; empty where it holds */
    uint32_t ticks_per_instruction; /* now; 0: the TSC counts time */
    size_t count;
    struct {
        const char *reference;
        uint64_t hz; /* of the TSC by this clock over the span; 0: the clock or the TSC stands */
    } rate[CLOCK_SOURCES_MAX];
};

void clock_proof_begin(void);
/* Takes as long as it must so that 5 ms or more lie behind the begin. A clock over whose turns the
 * span leaves doubt is judged over another 5 ms. Nothing to judge, and it holds, where the boot
 * found no rate. */
void clock_proof_end(struct clock_proof *proof);

/*
 * Does the TSC count instructions, and not time?
 *
 * Under QEMU's -icount shift=N it advances by exactly 2^N an instruction; under Bochs by 1. The
 * image finds out by itself: it runs loops of known instruction counts, with and without
 * no-operations in them, and looks whether every span fits one power of two. On silicon, where
 * no-operations cost next to nothing and no span repeats to the tick, they cannot.
 */

/* Ticks an instruction, a power of two; 0 where the TSC counts time. */
uint32_t exact_ticks_per_instruction(void);
