/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench exits: what each instruction or event costs that a hypervisor may trap.
 *
 * Costs measured by once and twice as many repetitions are for one instruction
 * (bench/system/exit_operations.h), less the loop. Plain series are single events between two
 * stamps, less `empty`. What this machine lacks is absent, with the reason.
 */
#include <stddef.h>

#include "bench/system/cost.h"
#include "bench/system/exit_operations.h"
#include "bench/system/names.h"
#include "bench/system/others.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/irq/interrupt.h"
#include "kernel/irq/lapic.h"
#include "kernel/irq/timed_section.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"
#include "kernel/run/processors.h"
#include "kernel/smp/processor.h"

/*
 * The part of bench exits that raises interrupts: on this processor, out of HLT, and on another
 * processor.
 */

/* Time until the timer's interrupt, as short as timers are. A hypervisor polls for a while before
 * it gives a halted processor away; a longer time would hide that it polls. */
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

/* ---- operations on this processor; each function returns the TSC at which its sample starts ----
 */

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

/* The first sample is discarded: a timed section stores the stamps of the one before it, and the
 * first has none. */
static enum bench_state measure_wake(struct bench_run *run, const struct wake *wake, size_t count)
{
    struct timed_section *sections = bench_memory((count + 1) * sizeof(*sections));
    int64_t *from = bench_samples(count + 1);
    int64_t *samples = bench_samples(count);
    uint64_t dropped;
    bool good = true;

    if (sections == NULL || from == NULL || samples == NULL) {
        return bench_error(run, "no memory for samples");
    }
    timed_section_start(wake->vector, sections, NULL, count + 1, arrive);
    for (size_t i = 0; i <= count && good; i++) {
        const uint64_t before = arrivals;

        from[i] = (int64_t)wake->go();
        interrupts_enable();
        good = await(before);
        interrupts_disable();
    }
    const size_t came = timed_section_stop(&dropped);

    if (timed_section_fault() != NULL) {
        return bench_fail(run, "%s", timed_section_fault());
    }
    if (!good || came + dropped != count + 1) {
        return bench_fail(run, "%s: %lu interrupts arrived, expected %lu", wake->name,
                          came + dropped, count + 1);
    }
    for (size_t i = 0; i < count; i++) {
        samples[i] = (int64_t)sections[i + 1].entry - from[i + 1];
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

static bool play(size_t number, const struct timed_section *sections, int64_t *samples,
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
            samples[i - 1] = (int64_t)(sections[i].entry - sent);
        }
    }
    return true;
}

static bool play_with(size_t number, bool halts, int64_t *samples, size_t count)
{
    static struct processor_answer answer;
    const struct patience patience = takers_patience(TAKERS_ANSWER_US);
    struct timed_section *sections = bench_memory((count + 1) * sizeof(*sections));
    uint64_t dropped;

    answer = (struct processor_answer){.sender = processor_current(), .halts = halts};
    if (sections == NULL || !processor_begin(number, processor_answer, &answer) ||
        !patience_wait(&answer.there, 1, patience)) {
        return false;
    }
    timed_section_start(PROCESSOR_VECTOR_PONG, sections, NULL, count + 1, arrive);
    interrupts_enable();
    const bool good = play(number, sections, samples, count);

    interrupts_disable();
    timed_section_stop(&dropped);
    answer.stop = 1;
    processor_send(number, PROCESSOR_VECTOR_WAKE);
    return processor_await(number, takers_limit()) && good && timed_section_fault() == NULL;
}

static enum bench_state measure_other(struct bench_run *run, size_t count)
{
    run_processors_start();
    const size_t number = processor_other();
    int64_t *spinning = bench_samples(count);
    int64_t *halted = bench_samples(count);

    if (number == processor_current()) {
        bench_absent(run, EXITS_IPI, "this machine has no other working processor");
        bench_absent(run, EXITS_IPI_HALTED, "this machine has no other working processor");
        return BENCH_OK;
    }
    if (spinning == NULL || halted == NULL || !play_with(number, false, spinning, count) ||
        !play_with(number, true, halted, count)) {
        return timed_section_fault() != NULL
                   ? bench_fail(run, "%s", timed_section_fault())
                   : bench_error(run, "no memory, or processor %lu did not answer", number);
    }
    bench_publish(run, EXITS_IPI, UNIT_TICK, spinning, count);
    bench_publish(run, EXITS_IPI_HALTED, UNIT_TICK, halted, count);
    return BENCH_OK;
}

/* Measures and publishes `count` samples each of self_ipi, hlt_pending, hlt_timer, ipi and
 * ipi_halted; what the machine lacks is absent. Returns BENCH_OK, or the state with its reason set.
 */
static enum bench_state exit_wakes(struct bench_run *run, size_t count)
{
    const enum bench_state state = measure_here(run, count);

    return state == BENCH_OK ? measure_other(run, count) : state;
}

#define PAGE   4096
#define STRIDE (2ull << 20) /* a large page of the hypervisor's host */

static const char *const names[EXIT_OPERATIONS][2] = {
    {SERIES_LOOP, SERIES_LOOP SUFFIX_TWICE},
#define EXIT_OPERATION(name, ...) {#name, #name SUFFIX_TWICE},
#include "bench/system/exit_operations.def"
};

/* Measures an operation as measure_cost() of cost.h does. */
static enum bench_state measure(struct bench_run *run, enum exit_operation operation)
{
    const uint64_t repetitions = bench_number(run, "repetitions");
    const size_t trials = bench_number(run, "trials");
    int64_t *once = bench_samples(trials);
    int64_t *twice = bench_samples(trials);

    if (once == NULL || twice == NULL) {
        return bench_error(run, "no memory for samples");
    }
    exits_repeat(operation, repetitions);
    for (size_t i = 0; i < trials; i++) {
        once[i] = (int64_t)exits_repeat(operation, repetitions);
        twice[i] = (int64_t)exits_repeat(operation, 2 * repetitions);
    }
    if (!exits_settle(operation)) {
        return bench_fail(run,
                          "%s: the machine did not do what was ordered: expected one interrupt "
                          "for each time that commands were let in, and the scratch register "
                          "unchanged",
                          names[operation][0]);
    }
    bench_publish(run, names[operation][0], UNIT_TICK, once, trials);
    bench_publish(run, names[operation][1], UNIT_TICK, twice, trials);
    return BENCH_OK;
}

static enum bench_state measure_all(struct bench_run *run)
{
    enum bench_state state = BENCH_OK;

    bench_fact(run, FACT_REPETITIONS, UNIT_COUNT, (int64_t)bench_number(run, "repetitions"));
    for (enum exit_operation i = 0; i < EXIT_OPERATIONS && state == BENCH_OK; i++) {
        if (exits_absent(i) != NULL) {
            bench_absent(run, names[i][0], exits_absent(i));
        } else {
            state = measure(run, i);
        }
    }
    if (exits_extra() > 0) {
        bench_fact(run, FACT_EXTRA, UNIT_COUNT, (int64_t)exits_extra());
    }
    return state;
}

/* Writes to memory that nothing in this run has touched: one page in each 2 MiB. */
static bool measure_pages(const struct bench_run *run, size_t count)
{
    int64_t *empty = bench_samples(count);
    int64_t *first = bench_samples(count);
    int64_t *again = bench_samples(count);
    uint8_t *memory = bench_untouched_memory(count * STRIDE);

    if (empty == NULL || first == NULL || again == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        empty[i] = (int64_t)exits_stamps();
    }
    bench_publish(run, SERIES_EMPTY, UNIT_TICK, empty, count);
    if (memory == NULL) {
        bench_absent(run, EXITS_PAGE_FIRST,
                     "there is less free memory than 2 MiB for each page; lower exits.pages");
        bench_absent(run, EXITS_PAGE_AGAIN,
                     "there is less free memory than 2 MiB for each page; lower exits.pages");
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        void *page = memory + i * STRIDE;

        first[i] = (int64_t)exits_touch(page);
        again[i] = (int64_t)exits_touch(page);
    }
    bench_publish(run, EXITS_PAGE_FIRST, UNIT_TICK, first, count);
    bench_publish(run, EXITS_PAGE_AGAIN, UNIT_TICK, again, count);
    return true;
}

static enum bench_state run(struct bench_run *run)
{
    const size_t count = bench_number(run, "count");
    void *page = bench_memory(PAGE);

    if (page == NULL || !measure_pages(run, bench_number(run, "pages"))) {
        return bench_error(run, "no memory for samples");
    }
    exits_find(page);
    enum bench_state state = measure_all(run);

    if (state == BENCH_OK) {
        state = exit_wakes(run, count);
    }
    return state == BENCH_OK ? bench_ok(run) : state;
}

static const struct bench_param params[] = {
    {"repetitions", "50", "executions in a trial; each trial also runs with twice as many",
     PARAM_NUMBER(1, REPETITIONS_MAX)},
    {"trials", "5", "trials of each operation", PARAM_NUMBER(1, TRIALS_MAX)},
    {"count", "20", "interrupts of each kind", PARAM_NUMBER(1, 100000)},
    {"pages", "16", "pages never touched before, 2 MiB apart", PARAM_NUMBER(1, 4096)},
    {0},
};

/* Values are for bare metal; those under KVM are in bench/system/host/view_exits.c. */
static const struct bench_estimate estimates[] = {
    {SERIES_LOOP, 2, 1, UNIT_CYCLE, "DEC and JNZ, which fuse"},
#define NONE ESTIMATE_NONE
#define EXIT_OPERATION(name, label, meaning, bare, amd, intel, amd_path, intel_path, instructions, \
                       because, loop, code, find)                                                  \
    {#name, instructions, bare, UNIT_CYCLE, because},
#include "bench/system/exit_operations.def"
    {EXITS_SELF_IPI, ESTIMATE_NONE, 700, UNIT_CYCLE, "bench exceptions, self_ipi.entry"},
    {EXITS_HLT_PENDING, ESTIMATE_NONE, 300, UNIT_CYCLE, "HLT does not halt; delivery"},
    {EXITS_HLT_TIMER, ESTIMATE_NONE, 3000, UNIT_CYCLE, "a C-state of about 1 us; delivery"},
    {EXITS_IPI, ESTIMATE_NONE, 3000, UNIT_CYCLE, "bench ipi, round"},
    {EXITS_IPI_HALTED, ESTIMATE_NONE, 5000, UNIT_CYCLE, "bench ipi, round_halted"},
    {EXITS_PAGE_FIRST, 1, 600, UNIT_CYCLE, "misses of TLB and caches"},
    {EXITS_PAGE_AGAIN, 1, 1, UNIT_CYCLE, "a store"},
    {0},
};

static const struct bench exits = {
    .name = BENCH_EXITS,
    .group = GROUP_SYSTEM,
    .summary = "cost of what a hypervisor may trap: CPUID, ports, MMIO, MSRs, HLT, IPIs, "
               "hypercalls, pages",
    .unit = UNIT_TICK,
    .estimate =
        "bare metal: CPUID 100 cycles, ports and chipset 2000 to 3000. Under KVM 1200 to 2500 for "
        "an exit to the kernel, 10000 and more for one to QEMU",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .estimates = estimates,
    .counted = true,
    .samples = "trials,count,pages",
    .run = run,
};
BENCH_REGISTER(exits);
