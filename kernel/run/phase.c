/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/phase.h"

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/known_loop.h"
#include "kernel/cpu/scale.h"
#include "kernel/irq/interrupt.h"
#include "kernel/irq/lapic.h"
#include "kernel/trace/packet.h"

#define TRACE_TICKS (1ull << TRACE_STAMP_BITS)
/* Length of a trial, in counts of the LAPIC timer, whose rate is not known yet. */
#define TRIAL_COUNTS 100000u
#define TRIAL_LOOKS  100000u
/* The end of the wait is spun: longer than a halt's cost and the error of its estimate. */
#define SPUN_INSTRUCTIONS 100000u
/* A halt leaves this share of the remaining time. */
#define HALT_PARTS 16u
/* Upper bound of halts, each of up to 2^32 counts: more than any wait needs. */
#define HALTS_MAX         10000u
#define HALTS_TO_WHOLE    8u
#define HALT_INSTRUCTIONS 1000u

/* Benches begin at multiples of this number of instructions. */
#define BENCH_INSTRUCTIONS (1ull << 18)

static bool has_begun; /* phase_begin() succeeded: there is a timer to wait by */

static void do_nothing(void *argument)
{
    (void)argument;
}

/* Returns how many TSC ticks TRIAL_COUNTS of the LAPIC timer take, until its interrupt, which stays
 * pending; 0 if the interrupt does not come. */
static uint64_t try_timer(void)
{
    const uint64_t start = tsc_read();

    lapic_timer_start(LAPIC_VECTOR_TIMER, LAPIC_TIMER_ONE_SHOT, TRIAL_COUNTS);
    for (unsigned i = 0; i < TRIAL_LOOKS; i++) {
        if (lapic_is_requested(LAPIC_VECTOR_TIMER)) {
            return tsc_read() - start;
        }
    }
    return 0;
}

/* Halts until at most `rest` ticks are left. Returns false if halts do not get there. */
static bool halt_until(uint64_t target, uint64_t rest, uint64_t trial_ticks)
{
    for (unsigned i = 0; i < HALTS_MAX; i++) {
        const uint64_t left = target - tsc_read();

        if (left <= rest) {
            return true;
        }
        if (left > target) {
            return false;
        }
        const uint64_t counts = scale_u64(left - left / HALT_PARTS, TRIAL_COUNTS, trial_ticks);

        lapic_timer_rearm(counts < UINT32_MAX ? (uint32_t)counts + 1 : UINT32_MAX);
        cpu_wait_for_interrupt();
    }
    return false;
}

/* An emulator's halt ends at some nanosecond, between the times of two instructions, and this
 * shifts all later instructions. One more halt, of the number of counts that are missing, puts the
 * TSC back on multiples of an instruction. How many counts a timer adds to its initial count
 * differs; the TSC shows it. */
static bool halt_to_whole_instruction(uint64_t ticks)
{
    lapic_timer_start(LAPIC_VECTOR_TIMER, LAPIC_TIMER_ONE_SHOT, 1);
    cpu_wait_for_interrupt();
    for (uint32_t i = 0; i < HALTS_TO_WHOLE; i++) {
        const uint64_t over = tsc_read() & (ticks - 1);

        if (over == 0) {
            return true;
        }
        lapic_timer_rearm((uint32_t)(HALT_INSTRUCTIONS * ticks - over - i));
        cpu_wait_for_interrupt();
    }
    return false;
}

uint64_t phase_begin(void)
{
    const struct exact_time exact = exact_time();
    const uint64_t ticks = exact.ticks;

    if (ticks == 0 || exact.shared || !lapic_state()->present) {
        return 0;
    }
    const uint64_t trial = try_timer();
    const uint64_t whole = PHASE_INSTRUCTIONS * ticks;
    const uint64_t rest = SPUN_INSTRUCTIONS * ticks;
    const uint64_t target = (tsc_read() + 2 * rest + whole - 1) & -whole;

    interrupt_attach(LAPIC_VECTOR_TIMER, "lapic_timer", do_nothing, NULL);
    const bool near =
        trial != 0 && halt_until(target, rest, trial) && halt_to_whole_instruction(ticks);

    interrupt_detach(LAPIC_VECTOR_TIMER);
    lapic_timer_stop();
    if (!near) {
        return 0;
    }
    known_instructions((target - tsc_read()) / ticks);
    has_begun = true;
    return target;
}

static void wait_for_multiple(uint64_t of, uint64_t ticks)
{
    known_instructions((-tsc_read() & (of - 1)) / ticks);
}

void phase_bench(void)
{
    const uint64_t ticks = clock_state()->ticks_per_instruction;

    if (!clock_is_exact()) {
        return;
    }
    if (has_begun && (tsc_read() & (ticks - 1)) != 0) {
        interrupt_attach(LAPIC_VECTOR_TIMER, "lapic_timer", do_nothing, NULL);
        halt_to_whole_instruction(ticks);
        interrupt_detach(LAPIC_VECTOR_TIMER);
        lapic_timer_stop();
    }
    wait_for_multiple(BENCH_INSTRUCTIONS * ticks, ticks);
}

void phase_wait(void)
{
    const uint32_t ticks = clock_state()->ticks_per_instruction;

    if (clock_is_exact()) {
        wait_for_multiple(TRACE_TICKS, ticks);
    }
}
