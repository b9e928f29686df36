/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench delivery: does the machine keep its promises about interrupts? A trial raises a few
 * vectors, whose entries record every arrival for the judge (promise.h). Each promise is tried at
 * many offsets: numbers of instructions before the event. The same offset of the same seed is the
 * same number, and nothing depends on how many offsets follow.
 */
#include <string.h>

#include "bench/delivery/names.h"
#include "bench/delivery/promise.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/descriptors.h"
#include "kernel/cpu/exception.h"
#include "kernel/cpu/known_loop.h"
#include "kernel/cpu/msr.h"
#include "kernel/irq/interrupt.h"
#include "kernel/irq/lapic.h"
#include "kernel/plan/draw.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"
#include "kernel/run/processors.h"
#include "kernel/smp/processor.h"

/* Vectors of three classes, and two of one class, which LOW_CLASS in TPR holds back. */
#define LOW       0x51
#define SAME      0x55
#define MIDDLE    0x61 /* also that of the timer */
#define HIGH      0x71
#define LOW_CLASS 0x50
/* Above all others, so that it ends a HLT even if an EOI was lost. */
#define BACKUP 0xf1

/* In the order of entry.S. */
#define ENTRY_BYTES 16
static const uint8_t vectors[] = {VECTOR_NMI, LOW, SAME, MIDDLE, HIGH, PROCESSOR_VECTOR_PONG,
                                  BACKUP};
extern const uint8_t delivery_entries[] __attribute__((visibility("hidden")));
void delivery_take(const struct interrupt_frame *frame) __attribute__((visibility("hidden")));

/* Offsets grow to GROWN_MAX instructions and begin again; the random part is below RANDOM_MAX. */
#define GROWN_MAX  256
#define RANDOM_MAX 256
#define SETTLE     64 /* instructions in which a delivery that must not come would come */
#define DWELL_EACH 16 /* instructions in the handler of a long trial, for each of the offset */
/* Counts of a timer that fires soon, for an offset of 0 and for each instruction of it. */
#define COUNTS_LEAST 1000
#define COUNTS_EACH  8
/* A vector that takes longer is lost, and a promise is given up after LOST_MAX losses. No
 * hypervisor takes a processor away for a second; in exact time none is taken. */
#define LIMIT_US       1000000
#define LIMIT_EXACT_US 10000
#define LOST_MAX       3
/* An NMI within the handler of an NMI gets a part of the stack, so that it overwrites nothing. */
#define NMI_BYTES 4096

static struct delivery_trial trial;
static volatile size_t came; /* trial.count, for those who wait */
static volatile uint8_t step;
static volatile uint8_t depth;
static uint64_t offset_instructions; /* of this trial */
static uint64_t limit;               /* ticks */
static size_t other;                 /* a second processor that answers; 0: none */

static uint64_t lost[PROMISES];
static struct breach first_breach[PROMISES];
static int64_t *tried, *broken, *first; /* [PROMISES] */

/* How a promise is tried. */
static const struct shape {
    void (*raise)(void);            /* NULL: it cannot be tried */
    void (*inside)(uint8_t vector); /* called in each handler; NULL: nothing is */
    bool enabled;                   /* interrupts are on when `raise` is called */
    struct delivery_wanted wanted[DELIVERY_WANTED_MAX];
} shapes[PROMISES];

/* ---- recording ---- */

void delivery_take(const struct interrupt_frame *frame)
{
    const uint8_t vector = (uint8_t)frame->vector;
    exception_nmi_check *watchdog = exception_get_nmi_check();

    if (vector == VECTOR_NMI && watchdog != NULL && watchdog() != NMI_UNKNOWN) {
        return;
    }
    /* A vector that a faulty machine delivers with IF = 0 may come anywhere in here. */
    const size_t index = __atomic_fetch_add(&trial.count, 1, __ATOMIC_RELAXED);

    if (index < DELIVERY_EVENTS_MAX) {
        trial.events[index] = (struct delivery_event){
            .came = {vector, step, depth},
            .enabled = (frame->rflags & 1u << 9) != 0,
            .in_service = trial.reads && lapic_is_in_service(vector),
            .priority = trial.reads ? lapic_processor_priority() : 0,
            .rip = frame->rip,
        };
    }
    depth++;
    came = trial.count;
    if (shapes[trial.promise].inside != NULL) {
        shapes[trial.promise].inside(vector);
    }
    depth--;
    if (vector != VECTOR_NMI) {
        interrupt_count_expected(vector);
        lapic_end_of_interrupt();
    }
}

/* Waits, with interrupts on, until `count` vectors have come or the limit is over. */
static void await(size_t count)
{
    struct tsc_wait wait = tsc_wait_begin(limit);

    while (came < count && !tsc_wait_over(&wait)) {
        cpu_pause();
    }
}

/* Notes a value that was read; the first wrong one counts. */
static void check(const char *name, uint64_t value, uint64_t wanted)
{
    if (trial.value == trial.value_wanted) {
        trial.value_name = name;
        trial.value = value;
        trial.value_wanted = wanted;
    }
}

/* ---- the trials ---- */

/* Sends by the form of command that the promise is about. */
static void send(uint8_t vector)
{
    if (trial.promise == PROMISE_SELF || (trial.promise == PROMISE_X2APIC && vector != LOW)) {
        lapic_send(lapic_id(), vector);
    } else {
        lapic_send_self(vector);
    }
}

static void raise_low(void)
{
    send(LOW);
}

static void raise_three(void)
{
    static const uint8_t orders[][3] = {
        {LOW, MIDDLE, HIGH}, {LOW, HIGH, MIDDLE}, {MIDDLE, LOW, HIGH},
        {MIDDLE, HIGH, LOW}, {HIGH, LOW, MIDDLE}, {HIGH, MIDDLE, LOW},
    };

    for (size_t i = 0; i < 3; i++) {
        send(orders[offset_instructions % 6][i]);
    }
}

/* A second delivery may come until EOI, so the handler is long. */
static void dwell(uint8_t vector)
{
    (void)vector;
    known_instructions(DWELL_EACH * offset_instructions);
}

/* CLI fills the shadow of the first STI, which therefore lets nothing in. */
static void raise_at_sti(void)
{
    lapic_send_self(LOW);
    known_instructions(offset_instructions);
    __asm__ volatile("sti; cli" : : : "memory");
    step = 1;
    __asm__ volatile("leaq 1f(%%rip), %0; sti; 1: nop; nop; nop; cli"
                     : "=r"(trial.shadow)
                     :
                     : "memory");
}

static void start_timer(void)
{
    const uint64_t counts = COUNTS_LEAST + COUNTS_EACH * offset_instructions;

    lapic_timer_start(MIDDLE, LAPIC_TIMER_ONE_SHOT, (uint32_t)counts);
}

/* The timer fires while SS is loaded again and again. */
static __attribute__((noinline)) void raise_at_mov_ss(void)
{
    struct tsc_wait wait = tsc_wait_begin(limit);

    start_timer();
    while (came == 0 && !tsc_wait_over(&wait)) {
        uint64_t loads = 16;

        __asm__ volatile("leaq 2f(%%rip), %0\n"
                         "1: movl %2, %%ss\n"
                         "2: decq %1\n\t"
                         "jnz 1b"
                         : "=&r"(trial.shadow), "+r"(loads)
                         : "r"(SELECTOR_DATA)
                         : "memory", "cc");
    }
}

/* If the wake-up is lost, only the timer ends the HLT, and its vector is one too many. */
static void raise_at_halt(void)
{
    lapic_timer_start(BACKUP, LAPIC_TIMER_ONE_SHOT, clock_lapic_counts(limit));
    known_instructions(offset_instructions);
    lapic_send_self(LOW);
    for (unsigned i = 0; i < LOST_MAX && came == 0; i++) {
        cpu_wait_for_interrupt();
    }
    lapic_timer_stop();
}

static void set_priority(uint8_t priority)
{
    if (trial.promise == PROMISE_CR8) {
        __asm__ volatile("movq %0, %%cr8" : : "r"((uint64_t)priority >> 4) : "memory");
    } else {
        lapic_set_task_priority(priority);
    }
}

static void raise_held_back(void)
{
    uint64_t cr8;

    set_priority(LOW_CLASS);
    __asm__ volatile("movq %%cr8, %0" : "=r"(cr8));
    check("in CR8", cr8, LOW_CLASS >> 4);
    check("in TPR", lapic_task_priority(), LOW_CLASS);
    lapic_send_self(LOW);
    known_instructions(offset_instructions);
    lapic_send_self(HIGH);
    await(1);
    step = 1;
    set_priority(0);
}

static void nest(uint8_t vector)
{
    if (vector != LOW || depth != 1) {
        return;
    }
    step = 1;
    lapic_send_self(SAME);
    lapic_send_self(HIGH);
    interrupts_enable();
    await(2);
    known_instructions(SETTLE);
    interrupts_disable();
    check("in the IRR bit of the next of its class", lapic_is_requested(SAME), 1);
    step = 2;
}

static void raise_nested(void)
{
    trial.reads = true;
    lapic_send_self(LOW);
    await(3);
    check("in its ISR bit after EOI", lapic_is_in_service(LOW), 0);
}

static void send_nmi_inside(uint8_t vector)
{
    if (vector == VECTOR_NMI && came == 1) {
        task_state.ist[STACK_NMI - 1] -= NMI_BYTES;
        lapic_send_nmi(lapic_id());
        known_instructions(SETTLE);
        step = 1;
        task_state.ist[STACK_NMI - 1] += NMI_BYTES;
    }
}

static void raise_nmi(void)
{
    descriptors_set_entry(VECTOR_NMI, (void (*)(void))(uintptr_t)delivery_entries);
    lapic_send_nmi(lapic_id());
    await(2);
    known_instructions(SETTLE);
    descriptors_reset_entry(VECTOR_NMI);
}

static void raise_cross(void)
{
    processor_send(other, PROCESSOR_VECTOR_PING);
}

static void set_past_deadline(void)
{
    lapic_timer_await_deadline(MIDDLE);
    msr_write(MSR_TSC_DEADLINE, tsc_read() - 1 - offset_instructions);
}

/* Stopping masks the timer's interrupt, but not its counter. */
static void count_masked(void)
{
    struct tsc_wait wait = tsc_wait_begin(limit);

    lapic_timer_stop();
    lapic_timer_rearm((uint32_t)(COUNTS_LEAST + COUNTS_EACH * offset_instructions));
    while (lapic_timer_count() != 0 && !tsc_wait_over(&wait)) {
        cpu_pause();
    }
}

static const struct shape shapes[PROMISES] = {
    [PROMISE_ONCE] = {raise_low, dwell, true, {{LOW, 0, 0}}},
    [PROMISE_MASKED] = {raise_low, NULL, false, {{LOW, 1, 0}}},
    [PROMISE_ORDER] = {raise_three, NULL, false, {{HIGH, 1, 0}, {MIDDLE, 1, 0}, {LOW, 1, 0}}},
    [PROMISE_STI] = {raise_at_sti, NULL, false, {{LOW, 1, 0}}},
    [PROMISE_MOV_SS] = {raise_at_mov_ss, NULL, true, {{MIDDLE, 0, 0}}},
    [PROMISE_WAKE] = {raise_at_halt, NULL, false, {{LOW, 0, 0}}},
    [PROMISE_TPR] = {raise_held_back, NULL, true, {{HIGH, 0, 0}, {LOW, 1, 0}}},
    [PROMISE_CR8] = {raise_held_back, NULL, true, {{HIGH, 0, 0}, {LOW, 1, 0}}},
    [PROMISE_NESTED] = {raise_nested, nest, true, {{LOW, 0, 0}, {HIGH, 1, 1}, {SAME, 2, 0}}},
    [PROMISE_NMI] = {raise_nmi, send_nmi_inside, false, {{VECTOR_NMI, 0, 0}, {VECTOR_NMI, 1, 0}}},
    [PROMISE_SELF] = {raise_low, NULL, true, {{LOW, 0, 0}}},
    [PROMISE_CROSS] = {raise_cross, NULL, true, {{PROCESSOR_VECTOR_PONG, 0, 0}}},
    [PROMISE_TIMER] = {start_timer, NULL, true, {{MIDDLE, 0, 0}}},
    [PROMISE_PAST] = {set_past_deadline, NULL, true, {{MIDDLE, 0, 0}}},
    [PROMISE_TIMER_MASKED] = {count_masked, NULL, true, {{0}}},
    [PROMISE_X2APIC] = {raise_three, NULL, false, {{HIGH, 1, 0}, {MIDDLE, 1, 0}, {LOW, 1, 0}}},
};

/* Puts the LAPIC into order, after a trial that went wrong and at the end. */
static void repair(void)
{
    lapic_set_task_priority(0);
    for (unsigned i = 0; i < LOST_MAX; i++) {
        lapic_end_all();
        interrupts_enable();
        known_instructions(SETTLE);
        interrupts_disable();
    }
}

static void try_promise(enum promise promise, uint64_t offset)
{
    const struct shape *shape = &shapes[promise];
    struct breach breaches[BREACHES_MAX];

    memset(&trial, 0, sizeof(trial));
    trial.promise = promise;
    memcpy(trial.wanted, shape->wanted, sizeof(trial.wanted));
    came = 0;
    step = 0;
    if (shape->enabled) {
        interrupts_enable();
        known_instructions(offset_instructions);
        shape->raise();
    } else {
        shape->raise();
        known_instructions(offset_instructions);
        step = 1;
        interrupts_enable();
    }
    await(delivery_wanted(&trial));
    known_instructions(SETTLE);
    interrupts_disable();
    if (promise == PROMISE_MOV_SS || promise >= PROMISE_TIMER) {
        lapic_timer_stop();
    }
    lost[promise] += trial.count < delivery_wanted(&trial);
    for (enum promise i = 0; i < PROMISES; i++) {
        tried[i] += i == promise || i == PROMISE_ONCE || i == PROMISE_MASKED;
    }
    const size_t count = delivery_judge(&trial, breaches);

    for (size_t i = 0; i < count; i++) {
        if (broken[breaches[i].promise]++ == 0) {
            first[breaches[i].promise] = (int64_t)offset;
            first_breach[breaches[i].promise] = breaches[i];
        }
    }
    if (count > 0) {
        repair();
    }
}

/* ---- the run ---- */

/* Returns why the machine cannot be tried, or NULL if it can. */
static const char *reason_against(enum promise promise)
{
    struct cpu_identity identity;

    switch (promise) {
    case PROMISE_SMI:
        return "what SMM holds back cannot be seen from outside of firmware";
    case PROMISE_CROSS:
        return other != 0 ? NULL : "there is no second processor that works";
    case PROMISE_PAST:
        cpu_identify(cpuid_instruction, &identity);
        return identity.tsc_deadline ? NULL : "CPUID offers no TSC deadline";
    case PROMISE_X2APIC:
        return lapic_state()->x2apic ? NULL : "the LAPIC is in xAPIC mode; set lapic.mode=x2apic";
    default:
        return NULL;
    }
}

/* Lets a second processor answer, if there is one. */
static void find_other(struct processor_answer *answer)
{
    run_processors_start();
    other = 0;
    *answer = (struct processor_answer){.sender = processor_current(), .halts = true};
    for (size_t i = 0; i < processor_count() && other == 0; i++) {
        if (i != answer->sender && processor_begin(i, processor_answer, answer)) {
            other = i;
        }
    }
}

static void try_all(const struct bench_run *run, const bool wanted[PROMISES])
{
    const uint64_t begin = bench_number(run, "offset");
    const uint64_t end = begin + bench_number(run, "offsets");
    const uint64_t seed = bench_number(run, "seed");
    struct draw_random random;

    for (size_t i = 1; i < sizeof(vectors); i++) {
        const uintptr_t entry = (uintptr_t)delivery_entries + ENTRY_BYTES * i;

        descriptors_set_entry(vectors[i], (void (*)(void))entry);
    }
    for (uint64_t offset = begin; offset < end; offset++) {
        draw_seed(&random, seed, offset);
        offset_instructions = offset % GROWN_MAX + draw_next(&random) % RANDOM_MAX;
        for (enum promise i = 0; i < PROMISES; i++) {
            if (wanted[i] && lost[i] < LOST_MAX) {
                try_promise(i, offset);
            }
        }
    }
    repair();
    for (size_t i = 1; i < sizeof(vectors); i++) {
        descriptors_reset_entry(vectors[i]);
    }
}

/* Returns OK, or FAIL with the first promise of the table that was broken. */
static enum bench_state verdict(struct bench_run *run)
{
    char how[BREACH_TEXT_MAX];
    size_t i = 0;

    while (i < PROMISES && broken[i] == 0) {
        i++;
    }
    if (i == PROMISES) {
        return bench_ok(run);
    }
    return bench_fail(run,
                      "%s: %s (%s; %ld of %ld; offset %ld: delivery.seed=%lu "
                      "delivery.offsets=%lu)",
                      promise_texts[i].name, breach_text(&first_breach[i], how),
                      promise_texts[i].section, (long)broken[i], (long)tried[i], (long)first[i],
                      bench_number(run, "seed"),
                      (uint64_t)first[i] - bench_number(run, "offset") + 1);
}

static enum bench_state run(struct bench_run *run)
{
    static struct processor_answer answer;
    const size_t word = bench_word(run, "promise");
    bool wanted[PROMISES];

    tried = bench_samples(3 * PROMISES);
    if (tried == NULL) {
        return bench_error(run, "no memory for the results");
    }
    broken = tried + PROMISES;
    first = broken + PROMISES;
    memset(lost, 0, sizeof(lost));
    limit = clock_ticks_from_us(bench_is_exact() ? LIMIT_EXACT_US : LIMIT_US);
    find_other(&answer);
    for (enum promise i = 0; i < PROMISES; i++) {
        const char *why = reason_against(i);

        first[i] = -1;
        wanted[i] = why == NULL && (word == 0 || word == i + 1);
        if (why != NULL) {
            bench_absent(run, promise_texts[i].name, why);
        }
    }
    try_all(run, wanted);
    answer.stop = 1;
    if (other != 0) {
        processor_send(other, PROCESSOR_VECTOR_WAKE);
        processor_await(other, clock_ticks_from_us(LIMIT_US));
    }
    bench_publish(run, SERIES_TRIED, UNIT_COUNT, tried, PROMISES);
    bench_publish(run, SERIES_BROKEN, UNIT_COUNT, broken, PROMISES);
    bench_publish(run, SERIES_FIRST, UNIT_COUNT, first, PROMISES);
    return verdict(run);
}

static const struct bench_param params[] = {
    {"offsets", "1000", "number of offsets at which each promise is tried",
     PARAM_NUMBER(1, 100000000)},
    {"offset", "0", "the first offset", PARAM_NUMBER(0, 100000000)},
    {"seed", "1", "seed of the random part of the offsets", PARAM_NUMBER(0, UINT32_MAX)},
    {"promise", "all", "the promise to try", PARAM_WORD("all," PROMISE_NAMES)},
    {0},
};

static const struct bench delivery = {
    .name = BENCH_DELIVERY,
    .group = GROUP_DELIVERY,
    .summary = "whether interrupts are delivered as the architecture promises",
    .unit = UNIT_COUNT,
    .main_series = SERIES_BROKEN,
    .estimate = "every promise is kept in every trial, on silicon and in any emulator of it",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .run = run,
};
BENCH_REGISTER(delivery);
