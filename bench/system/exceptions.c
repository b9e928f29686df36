/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench exceptions: what an exception or interrupt costs, by class: entry, handler and return.
 *
 *     entry     from the stamp before the instruction that raises it (self-IPI: before the write to
 *               the LAPIC's register; timer: from its deadline) to the handler's first reading of
 *               the TSC
 *     handler   from there to the handler's last reading
 *     return    from there to the next stamp in the interrupted code
 *
 * Exceptions and INT use a handler that does nothing but take stamps (kernel/cpu/stamped.h):
 * exceptions on the exception stack, by IST, and INT on the current stack. Interrupts use a timed
 * section (kernel/irq/timed_section.h) on the current stack; its handler keeps the sample and
 * acknowledges the interrupt. The interrupted code takes stamps in a loop, and the return ends at
 * the first stamp after it, so it varies by one turn of that loop. `empty` is two stamps with
 * nothing between.
 */
#include <stddef.h>
#include <stdint.h>

#include "bench/system/names.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/descriptors.h"
#include "kernel/cpu/stamped.h"
#include "kernel/irq/interrupt.h"
#include "kernel/irq/lapic.h"
#include "kernel/irq/timed_section.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"
#include "kernel/task/process.h"

/*
 * Instructions that raise exceptions, with a stamp (LFENCE; RDTSC; LFENCE) before and after each,
 * in raise.S. Their vectors must be stamped (kernel/cpu/stamped.h).
 */

struct raise_stamps {
    uint64_t before; /* TSC */
    uint64_t behind;
};

/* `operand` is the address to read, for the kernels that read. */
typedef void raise_kernel(struct raise_stamps *stamps, uint64_t operand);

raise_kernel raise_nothing __attribute__((visibility("hidden")));
raise_kernel raise_divide __attribute__((visibility("hidden")));    /* DIV by 0: #DE */
raise_kernel raise_read __attribute__((visibility("hidden")));      /* MOV from `operand` */
raise_kernel raise_undefined __attribute__((visibility("hidden"))); /* UD2: #UD */

#define RAISE_VECTOR 0x48

raise_kernel raise_int __attribute__((visibility("hidden"))); /* INT RAISE_VECTOR */

/* Call with interrupts on. Reads the TSC in a loop of twelve instructions a turn until *arrived is
 * not 0, at most RAISE_TURNS_MAX times. `behind` is the last reading and `before` the one before
 * it: an interrupt returned before one of them. */
#define RAISE_TURNS_MAX 1000000

void raise_wait(struct raise_stamps *stamps, const volatile uint64_t *arrived)
    __attribute__((visibility("hidden")));

/* raise.S repeats these numbers. */
_Static_assert(RAISE_VECTOR == 0x48 && RAISE_TURNS_MAX == 1000000, "raise.S knows them");
_Static_assert(offsetof(struct raise_stamps, behind) == 8, "raise.S knows it");

#define VECTOR_IPI    0x49
#define DEADLINE_US   20
#define NOT_CANONICAL (1ull << 62)

enum part { ENTRY, HANDLER, RETURN, PARTS };

struct exception_class {
    const char *names[PARTS];
    uint8_t vector;
    raise_kernel *raise;
    uint64_t operand;
};

/* series of a class, one for each part */
#define NAMES(class)                                                        \
    {                                                                       \
        class "." PART_ENTRY, class "." PART_HANDLER, class "." PART_RETURN \
    }

/* The page fault reads at PROCESS_BASE: only processes have memory there, and none runs. */
static const struct exception_class classes[] = {
    {NAMES(CLASS_DIVIDE), 0, raise_divide, 0},
    {NAMES(CLASS_PAGE_FAULT), VECTOR_PAGE_FAULT, raise_read, PROCESS_BASE},
    {NAMES(CLASS_PROTECTION), 13, raise_read, NOT_CANONICAL},
    {NAMES(CLASS_UNDEFINED), 6, raise_undefined, 0},
    {NAMES(CLASS_INT), RAISE_VECTOR, raise_int, 0},
};

static volatile uint64_t arrived;

static bool take_samples(int64_t *samples[PARTS], size_t count)
{
    for (enum part part = 0; part < PARTS; part++) {
        samples[part] = bench_samples(count);
        if (samples[part] == NULL) {
            return false;
        }
    }
    return true;
}

static void keep(int64_t *const samples[PARTS], size_t index, const struct raise_stamps *stamps,
                 uint64_t entry, uint64_t exit)
{
    samples[ENTRY][index] = (int64_t)(entry - stamps->before);
    samples[HANDLER][index] = (int64_t)(exit - entry);
    samples[RETURN][index] = (int64_t)(stamps->behind - exit);
}

/* Publishes nothing if the timestamps are wrong; run() then fails. The check is here
 * so that it does not change the registers of the timed loop. */
static void publish(const struct bench_run *run, const char *const names[PARTS],
                    int64_t *const samples[PARTS], size_t count)
{
    for (enum part part = 0; part < PARTS && timed_section_fault() == NULL; part++) {
        bench_publish(run, names[part], UNIT_TICK, samples[part], count);
    }
}

/* ---- exceptions ---- */

static bool measure_empty(const struct bench_run *run, size_t count)
{
    int64_t *samples = bench_samples(count);
    struct raise_stamps stamps;

    if (samples == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        raise_nothing(&stamps, 0);
        samples[i] = (int64_t)(stamps.behind - stamps.before);
    }
    bench_publish(run, SERIES_EMPTY, UNIT_TICK, samples, count);
    return true;
}

static enum bench_state measure_exception(struct bench_run *run,
                                          const struct exception_class *class, size_t count)
{
    int64_t *samples[PARTS];
    struct raise_stamps stamps;

    if (!take_samples(samples, count)) {
        return bench_error(run, "no memory for samples");
    }
    stamped_start(class->vector);
    for (size_t i = 0; i < count; i++) {
        class->raise(&stamps, class->operand);
        keep(samples, i, &stamps, stamped.entry, stamped.exit);
    }
    stamped_stop();
    if (stamped.count != count) {
        return bench_fail(run, "%s: %lu exceptions or interrupts arrived, expected %lu",
                          class->names[ENTRY], stamped.count, count);
    }
    publish(run, class->names, samples, count);
    return BENCH_OK;
}

/* ---- interrupts ---- */

static bool take_interrupt(void)
{
    arrived = 1;
    return true;
}

static void send_ipi(struct raise_stamps *stamps)
{
    stamps->before = tsc_read_ordered();
    interrupt_raise(VECTOR_IPI);
}

/* Stores the deadline in stamps->before: the LAPIC counts from just before it is programmed. */
static void start_timer(struct raise_stamps *stamps)
{
    const struct clock_state *clock = clock_state();
    const uint32_t counts = clock_lapic_counts(clock_ticks_from_us(DEADLINE_US));
    const uint64_t ticks = counts * clock->verdict.hz / clock->lapic_hz;

    stamps->before = tsc_read_ordered() + ticks;
    lapic_timer_rearm(counts);
}

/* Returns the first reading after the return. */
static uint64_t first_behind(const struct raise_stamps *readings, uint64_t exit)
{
    return readings->before > exit ? readings->before : readings->behind;
}

struct interrupt_class {
    const char *names[PARTS];
    uint8_t vector;
    void (*raise)(struct raise_stamps *stamps);
};

struct interrupt_samples {
    struct timed_section *sections;
    struct raise_stamps *stamps;
    struct raise_stamps *readings; /* readings taken in the loop */
};

/* Raises the interrupt `count` times. Returns the number of interrupts that arrived. */
static size_t raise_interrupts(const struct interrupt_class *class,
                               const struct interrupt_samples *samples, size_t count)
{
    uint64_t dropped;

    timed_section_start(class->vector, samples->sections, NULL, count, take_interrupt);
    interrupts_enable();
    for (size_t i = 0; i < count; i++) {
        arrived = 0;
        class->raise(&samples->stamps[i]);
        raise_wait(&samples->readings[i], &arrived);
    }
    interrupts_disable();
    const size_t came = timed_section_stop(&dropped);

    return came + dropped;
}

/* The first sample is discarded: a timed section stores the stamps of the one before it, and the
 * first has none. */
static enum bench_state measure_interrupt(struct bench_run *run,
                                          const struct interrupt_class *class, size_t count)
{
    const size_t raised = count + 1;
    const struct interrupt_samples all = {
        .sections = bench_memory(raised * sizeof(*all.sections)),
        .stamps = bench_memory(raised * sizeof(*all.stamps)),
        .readings = bench_memory(raised * sizeof(*all.readings)),
    };
    int64_t *samples[PARTS];

    if (!take_samples(samples, count) || all.sections == NULL || all.stamps == NULL ||
        all.readings == NULL) {
        return bench_error(run, "no memory for samples");
    }
    const size_t came = raise_interrupts(class, &all, raised);

    if (came != raised) {
        return bench_fail(run, "%s: %lu exceptions or interrupts arrived, expected %lu",
                          class->names[ENTRY], came, raised);
    }
    for (size_t i = 0; i < count; i++) {
        const struct timed_section *section = &all.sections[i + 1];
        const struct raise_stamps stamps = {
            .before = all.stamps[i + 1].before,
            .behind = first_behind(&all.readings[i + 1], section->exit),
        };

        keep(samples, i, &stamps, section->entry, section->exit);
    }
    publish(run, class->names, samples, count);
    return BENCH_OK;
}

static enum bench_state measure_interrupts(struct bench_run *run, size_t count)
{
    static const struct interrupt_class ipi = {NAMES(CLASS_SELF_IPI), VECTOR_IPI, send_ipi};
    static const struct interrupt_class timer = {NAMES(CLASS_TIMER), LAPIC_VECTOR_TIMER,
                                                 start_timer};

    /* Only gives the vector its name in the log; the timed section handles the interrupt. */
    interrupt_attach(VECTOR_IPI, CLASS_SELF_IPI, NULL, NULL);
    enum bench_state state = measure_interrupt(run, &ipi, count);

    if (state != BENCH_OK || timed_section_fault() != NULL) {
        return state;
    }
    lapic_timer_start(LAPIC_VECTOR_TIMER, LAPIC_TIMER_ONE_SHOT, 0);
    state = measure_interrupt(run, &timer, count);
    lapic_timer_stop();
    return state;
}

static enum bench_state run(struct bench_run *run)
{
    const size_t count = bench_number(run, "count");

    if (!measure_empty(run, count)) {
        return bench_error(run, "no memory for samples");
    }
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        const enum bench_state state = measure_exception(run, &classes[i], count);

        if (state != BENCH_OK) {
            return state;
        }
    }
    const enum bench_state state = measure_interrupts(run, count);

    if (timed_section_fault() != NULL) {
        return bench_fail(run, "%s", timed_section_fault());
    }
    return state == BENCH_OK ? bench_ok(run) : state;
}

static const struct bench_param params[] = {
    {"count", "100", "samples of each class", PARAM_NUMBER(1, 100000)},
    {0},
};

/* Values are less `empty`, which has 6 instructions between its two stamps: LFENCE, SHL, OR, MOV,
 * LFENCE, RDTSC. A handler's first reading has no LFENCE: delivery already waits for all earlier
 * instructions. */
static const struct bench_estimate estimates[] = {
    {CLASS_DIVIDE "." PART_ENTRY, 1, 150, UNIT_CYCLE,
     "two PUSH in addition to the stamp; DIV does not complete. The processor reads gate and "
     "segment, switches to the exception stack and writes five words"},
    {CLASS_DIVIDE "." PART_HANDLER, 0, 5, UNIT_CYCLE,
     "two stores, INC, a store, LFENCE: about a stamp"},
    {CLASS_DIVIDE "." PART_RETURN, 1, 80, UNIT_CYCLE,
     "two stores, two POP, IRETQ, which reads five words"},
    {CLASS_PAGE_FAULT "." PART_ENTRY, 1, 200, UNIT_CYCLE,
     "as divide, plus an error code and a page walk that finds nothing"},
    {CLASS_PAGE_FAULT "." PART_HANDLER, 0, 5, UNIT_CYCLE, "as divide"},
    {CLASS_PAGE_FAULT "." PART_RETURN, 2, 80, UNIT_CYCLE,
     "as divide, plus dropping the error code"},
    {CLASS_PROTECTION "." PART_ENTRY, 1, 160, UNIT_CYCLE, "as divide, plus an error code"},
    {CLASS_PROTECTION "." PART_HANDLER, 0, 5, UNIT_CYCLE, "as divide"},
    {CLASS_PROTECTION "." PART_RETURN, 2, 80, UNIT_CYCLE, "as page_fault"},
    {CLASS_UNDEFINED "." PART_ENTRY, 2, 150, UNIT_CYCLE,
     "as divide; in exact time also UD2 itself, which the emulator detects while translating and "
     "counts"},
    {CLASS_UNDEFINED "." PART_HANDLER, 0, 5, UNIT_CYCLE, "as divide"},
    {CLASS_UNDEFINED "." PART_RETURN, 1, 80, UNIT_CYCLE, "as divide"},
    {CLASS_INT "." PART_ENTRY, 2, 130, UNIT_CYCLE,
     "as divide, but INT completes and the stack is not switched"},
    {CLASS_INT "." PART_HANDLER, 0, 5, UNIT_CYCLE, "as divide"},
    {CLASS_INT "." PART_RETURN, 1, 80, UNIT_CYCLE, "as divide"},
    {CLASS_SELF_IPI "." PART_ENTRY, 38, 700, UNIT_CYCLE,
     "10 after the stamp and for two calls, 20 to check whether the LAPIC is free, 8 to write to "
     "it, both accesses uncached, 100 cycles each; the LAPIC signals the processor; delivery as "
     "for INT"},
    {CLASS_SELF_IPI "." PART_HANDLER, 60, 150, UNIT_CYCLE,
     "saves nine registers, keeps a sample, counts, and acknowledges: a write to the LAPIC"},
    {CLASS_SELF_IPI "." PART_RETURN, 15, 120, UNIT_CYCLE,
     "IRETQ, the rest of the sending function, one stamp"},
    {CLASS_TIMER "." PART_ENTRY, 10, 500, UNIT_CYCLE,
     "the LAPIC counts from its programming, about 10 later; a step of its clock, 10 to 40 ns; "
     "delivery"},
    {CLASS_TIMER "." PART_HANDLER, 60, 150, UNIT_CYCLE, "as self_ipi"},
    {CLASS_TIMER "." PART_RETURN, 8, 110, UNIT_CYCLE, "IRETQ, and up to 12 to the next stamp"},
    {0},
};

static const struct bench exceptions = {
    .name = BENCH_EXCEPTIONS,
    .group = GROUP_SYSTEM,
    .summary = "cost of exceptions and interrupts by class: entry, handler and return",
    .unit = UNIT_TICK,
    .estimate = "delivery of an exception 150 cycles, 200 with a page walk; IRETQ 80; an interrupt "
                "from the LAPIC 500 to 1000, most of it in the LAPIC. In exact time only the "
                "handlers' instructions count",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .estimates = estimates,
    .samples = "count",
    .steady = true,
    .relations =
        "self_ipi.return<self_ipi.entry<self_ipi.handler timer.return<timer.entry<timer.handler",
    .run = run,
};
BENCH_REGISTER(exceptions);
