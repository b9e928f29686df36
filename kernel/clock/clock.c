/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/clock/clock.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "kernel/clock/hpet.h"
#include "kernel/clock/idle_loop.h"
#include "kernel/clock/names.h"
#include "kernel/clock/source.h"
#include "kernel/clock/stated.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/msr.h"
#include "kernel/cpu/scale.h"
#include "kernel/irq/lapic.h"

#define WINDOW_MS  20
#define READ_TRIES 16
#define SPIN_CHUNK 2000
/* Most iterations of the idle loop in a tick: one a cycle, if the TSC has 1/8 of the core's rate.
 */
#define SPINS_PER_TICK 8
#define PPB            1000000000ull
#define PPM            1000000ull

#define HYPERV_MSR_COUNTER  0x40000020u
#define HYPERV_COUNTS_PER_S 10000000ull

static struct clock_state state;

/* A reading of the TSC and one of the reference, taken together. */
struct pair {
    uint64_t tsc;   /* middle of the span in which the reference was read */
    uint64_t width; /* length of the span in which the reference was read, in ticks */
    uint64_t count; /* count of the reference clock */
};

static struct pair read_pair(const struct clock_source *source)
{
    struct pair best = {.width = UINT64_MAX};

    for (int i = 0; i < READ_TRIES; i++) {
        const uint64_t before = tsc_read_ordered();
        const uint64_t count = source->read();
        const uint64_t after = tsc_read_ordered();

        if (after - before < best.width) {
            best = (struct pair){before + (after - before) / 2, after - before, count};
        }
    }
    return best;
}

/* Waits until the reference has advanced by `counts`. Returns false if it has not after far more
 * spinning than any processor needs. The loop spins between reads, as device accesses are slow. */
static bool wait_counts(const struct clock_source *source, uint64_t first, uint64_t counts)
{
    for (unsigned i = 0; i < 1000000; i++) {
        if (((source->read() - first) & source->mask) >= counts) {
            return true;
        }
        idle_loop_spin(SPIN_CHUNK);
    }
    return false;
}

/* Measures the TSC's rate by this reference over one window. Returns 0 if the reference stopped. */
static uint64_t measure_window(const struct clock_source *source, uint64_t *error_ppb)
{
    const struct pair start = read_pair(source);

    if (!wait_counts(source, start.count, source->hz * WINDOW_MS / 1000)) {
        return 0;
    }
    const struct pair end = read_pair(source);
    const uint64_t counts = (end.count - start.count) & source->mask;
    const uint64_t ticks = end.tsc - start.tsc;

    if (counts == 0 || end.tsc <= start.tsc) {
        return 0;
    }
    /* The error is half of the width of each reading, plus one step of the reference. */
    *error_ppb = scale_u64((start.width + end.width) / 2, PPB, ticks) + PPB / counts;
    return scale_u64(ticks, source->hz, counts);
}

static void sort(uint64_t *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const uint64_t value = values[i];
        size_t at = i;

        for (; at > 0 && values[at - 1] > value; at--) {
            values[at] = values[at - 1];
        }
        values[at] = value;
    }
}

static void measure_source(const struct clock_source *source)
{
    struct clock_estimate *estimate = &state.estimates[state.estimate_count];
    uint64_t sorted[CLOCK_WINDOWS];

    *estimate = (struct clock_estimate){.rate.reference = source->name};
    for (size_t i = 0; i < CLOCK_WINDOWS; i++) {
        uint64_t error_ppb = 0;
        const uint64_t hz = measure_window(source, &error_ppb);

        if (hz == 0) {
            return;
        }
        estimate->window_hz[estimate->windows++] = hz;
        if (error_ppb > estimate->rate.error_ppb) {
            estimate->rate.error_ppb = error_ppb;
        }
    }
    memcpy(sorted, estimate->window_hz, sizeof(sorted));
    sort(sorted, CLOCK_WINDOWS);
    estimate->rate.hz = sorted[CLOCK_WINDOWS / 2];
    state.estimate_count++;
}

static void add_stated(const char *reference, uint64_t hz)
{
    if (hz != 0) {
        state.estimates[state.estimate_count++] =
            (struct clock_estimate){.rate = {.reference = reference, .hz = hz}};
    }
}

/* VMware's port (open-vm-tools, lib/backdoor) takes magic, command and port in EAX, ECX and EDX. */
static void ask_vmware(uint32_t command, struct vmware_answer *answer)
{
    *answer = (struct vmware_answer){.eax = 0x564d5868, .ecx = command, .edx = 0x5658};
    __asm__ volatile("inl %%dx, %%eax"
                     : "+a"(answer->eax), "+b"(answer->ebx), "+c"(answer->ecx), "+d"(answer->edx));
}

/* Adds the stated rates of one kind. by_machine: those of what actually drives the TSC, which go
 * before measured ones; otherwise the rate with which a processor is sold, which goes last. */
static void add_all_stated(const struct stated_rate *rates, size_t count, bool by_machine)
{
    for (size_t i = 0; i < count; i++) {
        if (rates[i].by_machine == by_machine) {
            add_stated(rates[i].reference, rates[i].hz);
        }
    }
}

/* Reads Hyper-V's counter of 100 ns from its MSR (TLFS 12.7.1). */
static uint64_t hyperv_counter_read(void)
{
    uint64_t count;

    msr_read(HYPERV_MSR_COUNTER, &count);
    return count;
}

static void open_hyperv_counter(void)
{
    if (!stated_has_hyperv_counter(cpuid_instruction)) {
        return;
    }
    const uint64_t first = hyperv_counter_read();

    idle_loop_spin(SPIN_CHUNK);
    if (hyperv_counter_read() != first) {
        state.sources[state.source_count++] = (struct clock_source){
            .name = "hyperv_counter",
            .rate_from = "Hyper-V specification",
            .hz = HYPERV_COUNTS_PER_S,
            .mask = UINT64_MAX,
            .read = hyperv_counter_read,
        };
    } else {
        state.absent[state.absent_count++] =
            (struct clock_absent){"hyperv_counter", "does not advance"};
    }
}

static void open_sources(const struct acpi_facts *acpi)
{
    struct clock_source source;
    const char *reason = "";

    if (hpet_open(acpi, &source, &reason)) {
        state.sources[state.source_count++] = source;
    } else {
        state.absent[state.absent_count++] = (struct clock_absent){"hpet", reason};
    }
    if (pm_timer_open(acpi, &source, &reason)) {
        state.sources[state.source_count++] = source;
    } else {
        state.absent[state.absent_count++] = (struct clock_absent){"pm_timer", reason};
    }
    if (pit_open(&source, &reason)) {
        state.sources[state.source_count++] = source;
    } else {
        state.absent[state.absent_count++] = (struct clock_absent){"pit", reason};
    }
    open_hyperv_counter();
}

/* Measures the rate of the LAPIC timer, which is stated nowhere, by the TSC. */
static uint64_t measure_lapic(void)
{
    const uint64_t window = clock_ticks_from_us(WINDOW_MS * 1000);

    if (!lapic_state()->present || window == 0) {
        return 0;
    }
    lapic_timer_free_run();
    const uint64_t start = tsc_read_ordered();
    const uint32_t first = lapic_timer_count();

    /* Bounds the loop, in case the TSC stops meanwhile. */
    uint64_t looks = SPINS_PER_TICK * window / SPIN_CHUNK;

    while (tsc_read_ordered() - start < window && looks > 0) {
        idle_loop_spin(SPIN_CHUNK);
        looks--;
    }
    const uint32_t last = lapic_timer_count();
    const uint64_t ticks = tsc_read_ordered() - start;

    lapic_timer_stop();
    return looks == 0 ? 0 : scale_u64(first - last, state.verdict.hz, ticks);
}

/* Returns whether the TSC counts up. If it does not, waits by it would end at once or never. */
static bool tsc_advances(void)
{
    uint64_t last = tsc_read_ordered();

    for (int i = 0; i < READ_TRIES; i++) {
        idle_loop_spin(SPIN_CHUNK);
        const uint64_t now = tsc_read_ordered();

        if (now <= last) {
            return false;
        }
        last = now;
    }
    return true;
}

void clock_init(const struct cpu_identity *identity, const struct acpi_facts *acpi)
{
    static const struct stated_access access = {cpuid_instruction, msr_read, msr_write, ask_vmware};
    struct rate_estimate rates[CLOCK_ESTIMATES_MAX];
    struct stated_rate stated[STATED_MAX];

    memset(&state, 0, sizeof(state));
    const struct exact_time exact = exact_time();

    state.ticks_per_instruction = exact.ticks;
    state.shared = exact.shared;
    open_sources(acpi);
    if (!tsc_advances()) {
        state.tsc_stands = true;
        state.verdict.reason = "the TSC stands still or goes back";
        return;
    }
    add_stated(REFERENCE_HYPERVISOR_LEAF, identity->tsc_hz_virtual);
    add_stated(REFERENCE_CPUID_15H, identity->tsc_hz_leaf15);
    const size_t stated_count = stated_read(&access, identity, stated);

    add_all_stated(stated, stated_count, true);
    for (size_t i = 0; i < state.source_count; i++) {
        measure_source(&state.sources[i]);
    }
    add_all_stated(stated, stated_count, false);
    for (size_t i = 0; i < state.estimate_count; i++) {
        rates[i] = state.estimates[i].rate;
    }
    state.verdict = state.ticks_per_instruction != 0 ? rate_judge_exact(rates, state.estimate_count)
                                                     : rate_judge(rates, state.estimate_count);
    state.lapic_hz = measure_lapic();
}

const struct clock_state *clock_state(void)
{
    return &state;
}

bool clock_is_exact(void)
{
    return state.ticks_per_instruction != 0 && !state.shared;
}

uint64_t clock_ticks_from_ns(uint64_t nanoseconds)
{
    return scale_u64(nanoseconds, state.verdict.hz, PPB);
}

uint64_t clock_ticks_from_us(uint64_t microseconds)
{
    return scale_u64(microseconds, state.verdict.hz, PPM);
}

uint32_t clock_lapic_counts(uint64_t ticks)
{
    const uint64_t counts = scale_u64(ticks, state.lapic_hz, state.verdict.hz);

    if (counts == 0) {
        return 1;
    }
    return counts > UINT32_MAX ? UINT32_MAX : (uint32_t)counts;
}

struct clock_lapic_factor clock_lapic_factor(void)
{
    const uint64_t counts = scale_u64(1ull << 32, state.lapic_hz, state.verdict.hz);

    return (struct clock_lapic_factor){counts, counts != 0 ? UINT64_MAX / counts : 0};
}

/* ---- verification ---- */

#define PROOF_US   5000
#define STEP_READS 64

/* A clock that the boot measured, and that is verified after each bench. */
struct watched {
    const struct clock_source *source;
    struct counted_clock clock;
    struct rate_bounds known;
    struct clock_reading begin;
};

static struct watched watched[CLOCK_SOURCES_MAX];
static size_t watched_count;
static bool watching;

static struct clock_reading read_clock(const struct clock_source *source)
{
    const struct pair pair = read_pair(source);
    const uint64_t before = pair.tsc - pair.width / 2;

    return (struct clock_reading){before, before + pair.width, pair.count};
}

/* Returns the number of counts by which the clock advances at once, because an emulator may compute
 * it from a coarser clock. Measured only in exact time: otherwise an interruption would make the
 * clock look coarse. */
static uint64_t step_of(const struct clock_source *source, const struct rate_bounds *known)
{
    struct clock_reading last = read_clock(source);
    uint64_t step = 1;

    for (int i = 0; i < STEP_READS && clock_is_exact(); i++) {
        const struct clock_reading next = read_clock(source);
        const uint64_t counts = (next.count - last.count) & source->mask;
        const uint64_t due = scale_u64(next.after - last.before, source->hz, known->low_hz);

        step = counts > due + step ? counts - due : step;
        last = next;
    }
    return step;
}

static void watch_sources(void)
{
    watching = true;
    for (size_t i = 0; i < state.source_count; i++) {
        for (size_t k = 0; k < state.estimate_count; k++) {
            const struct clock_source *source = &state.sources[i];

            if (strcmp(state.estimates[k].rate.reference, source->name) == 0) {
                const struct rate_bounds known = invariant_around(state.estimates[k].rate.hz);

                watched[watched_count++] = (struct watched){
                    .source = source,
                    .clock = {source->hz, source->mask, step_of(source, &known)},
                    .known = known,
                };
            }
        }
    }
}

void clock_proof_begin(void)
{
    if (!watching && !state.tsc_stands) {
        watch_sources();
    }
    for (size_t i = 0; i < watched_count; i++) {
        watched[i].begin = read_clock(watched[i].source);
    }
}

/* Waits until PROOF_US after `begin`. The loop also ends if the TSC stops meanwhile. */
static void wait_since(uint64_t begin)
{
    const uint64_t ticks = clock_ticks_from_us(PROOF_US);
    uint64_t looks = SPINS_PER_TICK * ticks / SPIN_CHUNK;

    while (tsc_read_ordered() - begin < ticks && looks > 0) {
        idle_loop_spin(SPIN_CHUNK);
        looks--;
    }
}

static enum invariant_answer judge_clock(const struct watched *clock, struct rate_bounds *seen)
{
    struct clock_reading end = read_clock(clock->source);
    const enum invariant_answer answer =
        invariant_judge(&clock->clock, &clock->begin, &end, &clock->known, seen);

    if (answer != INVARIANT_UNKNOWN) {
        return answer;
    }
    const struct clock_reading begin = read_clock(clock->source);

    wait_since(begin.after);
    end = read_clock(clock->source);
    return invariant_judge(&clock->clock, &begin, &end, &clock->known, seen);
}

static uint64_t between(const struct rate_bounds *bounds)
{
    return bounds->high_hz == UINT64_MAX ? bounds->low_hz
                                         : bounds->low_hz + (bounds->high_hz - bounds->low_hz) / 2;
}

/* Judges a clock. The result reports the first clock that changed. */
static void prove_clock(struct watched *clock, struct clock_proof *proof)
{
    const char *name = clock->source->name;
    struct rate_bounds seen = {0};
    char text[CLOCK_PROOF_MAX] = "";

    switch (judge_clock(clock, &seen)) {
    case INVARIANT_HOLDS:
        if (clock_is_exact()) {
            clock->known = invariant_narrow(&clock->known, &seen);
        }
        break;
    case INVARIANT_CHANGED:
        snprintf(text, sizeof(text), "TSC by %s: %lu Hz -> %lu Hz", name, between(&clock->known),
                 between(&seen));
        break;
    case INVARIANT_STANDS:
        snprintf(text, sizeof(text), "clock %s: %lu Hz -> stopped", name, clock->clock.hz);
        break;
    case INVARIANT_BACK:
        snprintf(text, sizeof(text), "TSC: counting up -> went back or stopped");
        break;
    case INVARIANT_UNKNOWN:
        return;
    }
    proof->rate[proof->count].reference = name;
    proof->rate[proof->count++].hz = between(&seen);
    if (proof->holds && text[0] != '\0') {
        proof->holds = false;
        memcpy(proof->changed, text, sizeof(text));
    }
}

void clock_proof_end(struct clock_proof *proof)
{
    const struct exact_time was = {state.ticks_per_instruction, state.shared};
    const struct exact_time is = exact_time();

    *proof = (struct clock_proof){.ticks_per_instruction = is.ticks};
    proof->holds = exact_time_holds(was, is, proof->changed);
    if (watched_count > 0) {
        wait_since(watched[0].begin.after);
    }
    for (size_t i = 0; i < watched_count; i++) {
        prove_clock(&watched[i], proof);
    }
}
