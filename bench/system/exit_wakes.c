/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/system/exit_wakes.h"

#include "bench/system/exit_operations.h"
#include "bench/system/names.h"
#include "bench/system/others.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/irq/bracket.h"
#include "kernel/irq/interrupt.h"
#include "kernel/irq/lapic.h"
#include "kernel/run/names.h"
#include "kernel/run/processors.h"
#include "kernel/smp/processor.h"

/* What a timer is set to: longer than a hypervisor polls before it gives the processor away would
 * hide that it does; this is as short as timers are. */
#define DEADLINE_US 50
#define ARRIVE_US   1000000

static volatile uint64_t arrivals;

static bool arrive(void)
{
    arrivals++;
    return true;
}

static bool await(uint64_t before)
{
    const uint64_t start = tsc_read();
    const uint64_t limit = clock_ticks_from_us(ARRIVE_US);

    while (arrivals == before) {
        if (tsc_read() - start > limit) {
            return false;
        }
    }
    return true;
}

/* ---- this processor; each returns the TSC from which its sample counts ---- */

static uint64_t send_self(void)
{
    interrupts_enable();
    const uint64_t from = tsc_read_ordered();

    lapic_send_self(EXITS_VECTOR);
    return from;
}

static uint64_t halt_pending(void)
{
    const uint64_t start = tsc_read();

    lapic_send_self(EXITS_VECTOR);
    while (!lapic_is_requested(EXITS_VECTOR)) {
        if (tsc_read() - start > clock_ticks_from_us(ARRIVE_US)) {
            return start;
        }
    }
    const uint64_t from = tsc_read_ordered();

    cpu_wait_for_interrupt();
    return from;
}

static uint64_t halt_timer(void)
{
    const struct clock_state *clock = clock_state();
    const uint32_t counts = clock_lapic_counts(clock_ticks_from_us(DEADLINE_US));
    const uint64_t ticks = counts * clock->verdict.hz / clock->lapic_hz;
    const uint64_t deadline = tsc_read_ordered() + ticks;

    lapic_timer_rearm(counts);
    cpu_wait_for_interrupt();
    return deadline;
}

struct wake {
    const char *name;
    uint8_t vector;
    uint64_t (*go)(void);
};

/* The first is not kept: a bracket files the stamps of the one before it, and it has none. */
static enum bench_state measure_wake(struct bench_run *run, const struct wake *wake, size_t count)
{
    struct bracket_sample *brackets = bench_memory((count + 1) * sizeof(*brackets));
    int64_t *from = bench_samples(count + 1);
    int64_t *samples = bench_samples(count);
    uint64_t dropped;
    bool good = true;

    if (brackets == NULL || from == NULL || samples == NULL) {
        return bench_error(run, "no memory for samples");
    }
    bracket_start(wake->vector, brackets, NULL, count + 1, arrive);
    for (size_t i = 0; i <= count && good; i++) {
        const uint64_t before = arrivals;

        from[i] = (int64_t)wake->go();
        interrupts_enable();
        good = await(before);
        interrupts_disable();
    }
    const size_t came = bracket_stop(&dropped);

    if (!good || came + dropped != count + 1) {
        return bench_fail(run, "%s: %lu came of %lu", wake->name, came + dropped, count + 1);
    }
    for (size_t i = 0; i < count; i++) {
        samples[i] = (int64_t)brackets[i + 1].entry - from[i + 1];
    }
    bench_publish(run, wake->name, UNIT_TICK, samples, count);
    return BENCH_OK;
}

static enum bench_state measure_here(struct bench_run *run, size_t count)
{
    static const struct wake ipi = {EXITS_SELF_IPI, EXITS_VECTOR, send_self};
    static const struct wake pending = {EXITS_HLT_PENDING, EXITS_VECTOR, halt_pending};
    static const struct wake timer = {EXITS_HLT_TIMER, LAPIC_VECTOR_TIMER, halt_timer};

    interrupt_attach(EXITS_VECTOR, BENCH_EXITS, NULL, NULL);
    enum bench_state state = measure_wake(run, &ipi, count);

    if (state == BENCH_OK) {
        state = measure_wake(run, &pending, count);
    }
    if (state == BENCH_OK) {
        lapic_timer_start(LAPIC_VECTOR_TIMER, LAPIC_TIMER_ONE_SHOT, 0);
        state = measure_wake(run, &timer, count);
        lapic_timer_stop();
    }
    return state;
}

/* ---- another processor ---- */

static bool play(size_t number, const struct bracket_sample *brackets, int64_t *samples,
                 size_t count)
{
    for (size_t i = 0; i <= count; i++) {
        const uint64_t before = arrivals;
        const uint64_t start = tsc_read();
        const uint64_t sent = tsc_read_ordered();

        processor_send(number, PROCESSOR_VECTOR_PING);
        while (arrivals == before) {
            if (tsc_read() - start > takers_limit()) {
                return false;
            }
            cpu_pause();
        }
        if (i > 0) {
            samples[i - 1] = (int64_t)(brackets[i].entry - sent);
        }
    }
    return true;
}

static bool play_with(size_t number, bool halts, int64_t *samples, size_t count)
{
    static struct processor_answer answer;
    const struct patience patience = takers_patience(TAKERS_ANSWER_US);
    struct bracket_sample *brackets = bench_memory((count + 1) * sizeof(*brackets));
    uint64_t dropped;

    answer = (struct processor_answer){.home = processor_current(), .halts = halts};
    if (brackets == NULL || !processor_begin(number, processor_answer, &answer) ||
        !patience_wait(&answer.there, 1, patience)) {
        return false;
    }
    bracket_start(PROCESSOR_VECTOR_PONG, brackets, NULL, count + 1, arrive);
    interrupts_enable();
    const bool good = play(number, brackets, samples, count);

    interrupts_disable();
    bracket_stop(&dropped);
    answer.stop = 1;
    processor_send(number, PROCESSOR_VECTOR_WAKE);
    return processor_await(number, takers_limit()) && good;
}

/* The first other processor that works; 0: none. */
static size_t find_other(void)
{
    for (size_t i = 0; i < processor_count(); i++) {
        if (i != processor_current() && processor_works(i)) {
            return i;
        }
    }
    return processor_current();
}

static enum bench_state measure_other(struct bench_run *run, size_t count)
{
    run_processors_start();
    const size_t number = find_other();
    int64_t *spinning = bench_samples(count);
    int64_t *halted = bench_samples(count);

    if (number == processor_current()) {
        bench_absent(run, EXITS_IPI, "no other processor works");
        bench_absent(run, EXITS_IPI_HALTED, "no other processor works");
        return BENCH_OK;
    }
    if (spinning == NULL || halted == NULL || !play_with(number, false, spinning, count) ||
        !play_with(number, true, halted, count)) {
        return bench_error(run, "no memory, or no answer of processor %lu", number);
    }
    bench_publish(run, EXITS_IPI, UNIT_TICK, spinning, count);
    bench_publish(run, EXITS_IPI_HALTED, UNIT_TICK, halted, count);
    return BENCH_OK;
}

enum bench_state exit_wakes(struct bench_run *run, size_t count)
{
    const enum bench_state state = measure_here(run, count);

    return state == BENCH_OK ? measure_other(run, count) : state;
}
