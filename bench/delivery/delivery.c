/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench delivery: does the machine keep its promises about interrupts? A trial raises a few
 * vectors; the entry of each records when it came, in what state, and where it returns to; the
 * judge (promise.h) compares that with what had to come.
 *
 * Every promise is tried at many offsets. An offset is a number of instructions before the event,
 * which grows and has a random part, so that events meet the host's own interrupts and the
 * instructions around the event at every distance. In exact time the bench starts at a multiple of
 * START_TICKS of the TSC, and nothing in it depends on how many offsets there are: the first
 * offsets are the same again if the plan asks for fewer.
 *
 * No wait is endless. A vector that does not come within the limit counts as lost, and a promise is
 * given up after LOST_MAX losses.
 */
#include <stdio.h>
#include <string.h>

#include "bench/delivery/names.h"
#include "bench/delivery/promise.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cpuid.h"
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

/* Vectors of three classes, and two of one class. */
#define LOW    0x51
#define SAME   0x55
#define MIDDLE 0x61
#define HIGH   0x71
/* The value of TPR that holds back LOW, and not HIGH. */
#define LOW_CLASS 0x50

#define ENTRY_BYTES 16
static const uint8_t vectors[] = {VECTOR_NMI, LOW, SAME, MIDDLE, HIGH, PROCESSOR_VECTOR_PONG};
extern const uint8_t delivery_entries[] __attribute__((visibility("hidden")));
void delivery_take(struct interrupt_frame *frame) __attribute__((visibility("hidden")));

/* Offsets grow to GROWN_MAX instructions and begin again; the random part is below RANDOM_MAX. */
#define GROWN_MAX  256
#define RANDOM_MAX 256
/* Instructions in which a second delivery that must not come would come. */
#define SETTLE 64
/* Instructions in the handler of a long trial; one more offset adds as many. */
#define DWELL_EACH 16
/* Counts of a timer that fires soon; one more offset adds COUNTS_EACH. */
#define COUNTS_LEAST 1000
#define COUNTS_EACH  8
/* How long a vector may take: no hypervisor takes a processor away for so long. In exact time the
 * guest's own instructions are all that happens, or most. */
#define LIMIT_US       1000000
#define LIMIT_EXACT_US 10000
#define LOST_MAX       3
#define START_TICKS    (1ull << 24)
/* A part of a stack of its own for the handler of an NMI within an NMI, so that a machine that
 * nests them does not destroy the first one's frame. */
#define NMI_BYTES 4096

static struct delivery_trial trial;
static volatile size_t came; /* trial.count, for those who wait */
static volatile uint8_t step;
static volatile uint8_t depth;
static void (*inside)(uint8_t vector); /* called in each handler; NULL: nothing is */

static struct {
    uint64_t limit; /* ticks */
    size_t other;   /* a second processor that works; 0: none */
    struct processor_answer answer;
    size_t lost;
    struct result {
        uint64_t tried, broken, lost;
        uint64_t first; /* offset */
        struct breach breach;
    } results[PROMISES];
} state;

/* ---- recording ---- */

/* Returns true for an NMI that the run's watchdog sent. */
static bool is_watchdog(const struct interrupt_frame *frame)
{
    exception_nmi_check *check = exception_get_nmi_check();
    const enum nmi_kind kind = check != NULL ? check() : NMI_UNKNOWN;

    if (kind == NMI_ENDS) {
        exception_force(frame);
    }
    return kind != NMI_UNKNOWN;
}

void delivery_take(struct interrupt_frame *frame)
{
    const uint8_t vector = (uint8_t)frame->vector;

    if (vector == VECTOR_NMI && is_watchdog(frame)) {
        return;
    }
    /* A vector that a faulty machine delivers with IF = 0 may come anywhere in here. */
    const size_t index = __atomic_fetch_add(&trial.count, 1, __ATOMIC_RELAXED);

    if (index < DELIVERY_EVENTS_MAX) {
        trial.events[index] = (struct delivery_event){
            .vector = vector,
            .step = step,
            .depth = depth,
            .enabled = (frame->rflags & 1u << 9) != 0,
            .in_service = trial.reads && lapic_is_in_service(vector),
            .priority = trial.reads ? lapic_processor_priority() : 0,
            .rip = frame->rip,
        };
    }
    depth++;
    came = trial.count;
    if (inside != NULL) {
        inside(vector);
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
    struct tsc_wait wait = tsc_wait_begin(state.limit);

    while (came < count && !tsc_wait_over(&wait)) {
        cpu_pause();
    }
}

/* Ends a trial: waits for `count` vectors with interrupts on, and for what must not come. */
static void finish(size_t count)
{
    interrupts_enable();
    await(count);
    known_instructions(SETTLE);
    interrupts_disable();
}

static void want(uint8_t vector, uint8_t in_step, uint8_t at_depth)
{
    trial.wanted[trial.wanted_count++] = (struct delivery_wanted){vector, in_step, at_depth};
}

/* Notes a register that was read; the first wrong one counts. */
static void check(const char *name, uint64_t value, uint64_t wanted)
{
    if (trial.value == trial.value_wanted) {
        trial.value_name = name;
        trial.value = value;
        trial.value_wanted = wanted;
    }
}

/* ---- the trials: `n` is the number of instructions before the event ---- */

/* The handler is long, because a vector that is delivered twice may come at any time until EOI. */
static uint64_t dwell_instructions;

static void dwell(uint8_t vector)
{
    (void)vector;
    known_instructions(dwell_instructions);
}

static void try_once(uint64_t n)
{
    want(LOW, 0, 0);
    dwell_instructions = DWELL_EACH * n;
    inside = dwell;
    interrupts_enable();
    known_instructions(n);
    lapic_send_self(LOW);
    finish(1);
}

static void try_self(uint64_t n)
{
    want(LOW, 0, 0);
    interrupts_enable();
    known_instructions(n);
    lapic_send(lapic_id(), LOW);
    finish(1);
}

static void try_masked(uint64_t n)
{
    want(LOW, 1, 0);
    lapic_send_self(LOW);
    known_instructions(n);
    step = 1;
    finish(1);
}

/* The order of the requests changes with n. */
static void try_order(uint64_t n)
{
    static const uint8_t requests[][3] = {{LOW, MIDDLE, HIGH}, {LOW, HIGH, MIDDLE},
                                          {MIDDLE, LOW, HIGH}, {MIDDLE, HIGH, LOW},
                                          {HIGH, LOW, MIDDLE}, {HIGH, MIDDLE, LOW}};
    const uint8_t *request = requests[n % (sizeof(requests) / sizeof(requests[0]))];

    want(HIGH, 1, 0);
    want(MIDDLE, 1, 0);
    want(LOW, 1, 0);
    for (size_t i = 0; i < 3; i++) {
        lapic_send_self(request[i]);
    }
    known_instructions(n);
    step = 1;
    finish(3);
}

/* The CLI in the shadow of the first STI lets nothing in. */
static void try_sti(uint64_t n)
{
    want(LOW, 1, 0);
    lapic_send_self(LOW);
    known_instructions(n);
    __asm__ volatile("sti; cli" : : : "memory");
    step = 1;
    __asm__ volatile("leaq 1f(%%rip), %0; sti; 1: nop; nop; nop; cli"
                     : "=r"(trial.shadow)
                     :
                     : "memory");
    finish(1);
}

/* Loads SS again and again; the shadow is the instruction after. */
static __attribute__((noinline)) void load_ss(uint64_t count)
{
    __asm__ volatile("leaq 2f(%%rip), %0\n"
                     "1: movl %2, %%ss\n"
                     "2: decq %1\n\t"
                     "jnz 1b"
                     : "=&r"(trial.shadow), "+r"(count)
                     : "r"(SELECTOR_DATA)
                     : "memory", "cc");
}

static uint32_t counts_of(uint64_t n)
{
    return (uint32_t)(COUNTS_LEAST + COUNTS_EACH * n);
}

static void try_mov_ss(uint64_t n)
{
    struct tsc_wait wait = tsc_wait_begin(state.limit);

    want(MIDDLE, 0, 0);
    interrupts_enable();
    lapic_timer_start(MIDDLE, LAPIC_TIMER_ONE_SHOT, counts_of(n));
    while (came == 0 && !tsc_wait_over(&wait)) {
        load_ss(16);
    }
    finish(1);
    lapic_timer_stop();
}

/* If the wake-up is lost, only the timer ends the HLT, and its vector is one too many. */
static void try_wake(uint64_t n)
{
    want(LOW, 0, 0);
    lapic_timer_start(MIDDLE, LAPIC_TIMER_ONE_SHOT, clock_lapic_counts(state.limit));
    known_instructions(n);
    lapic_send_self(LOW);
    for (unsigned i = 0; i < LOST_MAX && came == 0; i++) {
        cpu_wait_for_interrupt();
    }
    lapic_timer_stop();
    finish(1);
}

static void set_cr8(uint8_t priority)
{
    __asm__ volatile("movq %0, %%cr8" : : "r"((uint64_t)priority >> 4) : "memory");
}

static uint64_t read_cr8(void)
{
    uint64_t value;

    __asm__ volatile("movq %%cr8, %0" : "=r"(value));
    return value;
}

static void try_held_back(uint64_t n, void (*set)(uint8_t priority))
{
    want(HIGH, 0, 0);
    want(LOW, 1, 0);
    set(LOW_CLASS);
    check("CR8", read_cr8(), LOW_CLASS >> 4);
    check("TPR", lapic_task_priority(), LOW_CLASS);
    interrupts_enable();
    lapic_send_self(LOW);
    known_instructions(n);
    lapic_send_self(HIGH);
    await(1);
    step = 1;
    set(0);
    finish(2);
}

static void try_tpr(uint64_t n)
{
    try_held_back(n, lapic_set_task_priority);
}

static void try_cr8(uint64_t n)
{
    try_held_back(n, set_cr8);
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
    check("IRR bit of a vector that waits for EOI", lapic_is_requested(SAME), 1);
    step = 2;
}

static void try_nested(uint64_t n)
{
    want(LOW, 0, 0);
    want(HIGH, 1, 1);
    want(SAME, 2, 0);
    trial.reads = true;
    inside = nest;
    interrupts_enable();
    known_instructions(n);
    lapic_send_self(LOW);
    finish(3);
    check("ISR bits after the last EOI",
          lapic_is_in_service(LOW) + lapic_is_in_service(SAME) + lapic_is_in_service(HIGH), 0);
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

static void try_nmi(uint64_t n)
{
    want(VECTOR_NMI, 0, 0);
    want(VECTOR_NMI, 1, 0);
    inside = send_nmi_inside;
    descriptors_set_entry(VECTOR_NMI, (void (*)(void))(uintptr_t)delivery_entries);
    known_instructions(n);
    lapic_send_nmi(lapic_id());
    await(2);
    known_instructions(SETTLE);
    descriptors_reset_entry(VECTOR_NMI);
}

static void try_cross(uint64_t n)
{
    want(PROCESSOR_VECTOR_PONG, 0, 0);
    interrupts_enable();
    known_instructions(n);
    processor_send(state.other, PROCESSOR_VECTOR_PING);
    finish(1);
}

static void try_timer(uint64_t n)
{
    want(MIDDLE, 0, 0);
    interrupts_enable();
    lapic_timer_start(MIDDLE, LAPIC_TIMER_ONE_SHOT, counts_of(n));
    finish(1);
    lapic_timer_stop();
}

static void try_past(uint64_t n)
{
    want(MIDDLE, 0, 0);
    interrupts_enable();
    lapic_timer_await_deadline(MIDDLE);
    known_instructions(n);
    msr_write(MSR_TSC_DEADLINE, tsc_read() - 1 - n);
    finish(1);
    lapic_timer_stop();
}

/* Stopping masks the timer's interrupt, but not its counter. */
static void try_timer_masked(uint64_t n)
{
    struct tsc_wait wait = tsc_wait_begin(state.limit);

    lapic_timer_stop();
    lapic_timer_rearm(counts_of(n));
    interrupts_enable();
    while (lapic_timer_count() != 0 && !tsc_wait_over(&wait)) {
        cpu_pause();
    }
    finish(0);
    lapic_timer_stop();
}

static void try_x2apic(uint64_t n)
{
    want(HIGH, 1, 0);
    want(LOW, 1, 0);
    lapic_send_self(LOW);
    lapic_send(lapic_id(), HIGH);
    known_instructions(n);
    step = 1;
    finish(2);
}

static void (*const tries[PROMISES])(uint64_t n) = {
    [PROMISE_ONCE] = try_once,
    [PROMISE_MASKED] = try_masked,
    [PROMISE_ORDER] = try_order,
    [PROMISE_STI] = try_sti,
    [PROMISE_MOV_SS] = try_mov_ss,
    [PROMISE_WAKE] = try_wake,
    [PROMISE_TPR] = try_tpr,
    [PROMISE_CR8] = try_cr8,
    [PROMISE_NESTED] = try_nested,
    [PROMISE_NMI] = try_nmi,
    [PROMISE_SELF] = try_self,
    [PROMISE_CROSS] = try_cross,
    [PROMISE_TIMER] = try_timer,
    [PROMISE_PAST] = try_past,
    [PROMISE_TIMER_MASKED] = try_timer_masked,
    [PROMISE_X2APIC] = try_x2apic,
};

/* ---- the run ---- */

/* Puts the LAPIC into order after a trial that went wrong: nothing waits, and nothing is in
 * service. */
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

static void count_breach(const struct breach *breach, uint64_t offset)
{
    struct result *result = &state.results[breach->promise];

    if (result->broken++ == 0) {
        result->first = offset;
        result->breach = *breach;
    }
}

/* Returns how many promises the trial broke. */
static size_t try_promise(enum promise promise, uint64_t offset, uint64_t n)
{
    struct breach breaches[BREACHES_MAX];

    memset(&trial, 0, sizeof(trial));
    trial.promise = promise;
    came = 0;
    step = 0;
    inside = NULL;
    tries[promise](n);
    for (unsigned i = 0; i < PROMISES; i++) {
        state.results[i].tried += i == promise || promise_is_common((enum promise)i);
    }
    state.results[promise].lost += trial.count < trial.wanted_count;
    const size_t count = delivery_judge(&trial, breaches);

    for (size_t i = 0; i < count; i++) {
        count_breach(&breaches[i], offset);
    }
    if (count > 0) {
        repair();
    }
    return count;
}

/* Returns why the machine cannot be tried, or NULL if it can. */
static const char *reason_against(enum promise promise)
{
    struct cpu_identity identity;

    switch (promise) {
    case PROMISE_SMI:
        return "what SMM holds back cannot be seen from outside of firmware";
    case PROMISE_CROSS:
        return state.other != 0 ? NULL : "there is no second processor that works";
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
static void find_other(void)
{
    run_processors_start();
    state.answer = (struct processor_answer){.sender = processor_current(), .halts = true};
    for (size_t i = 0; i < processor_count() && state.other == 0; i++) {
        if (i != processor_current() && processor_works(i) &&
            processor_begin(i, processor_answer, &state.answer)) {
            state.other = i;
        }
    }
    struct tsc_wait wait = tsc_wait_begin(clock_ticks_from_us(LIMIT_US));

    while (state.other != 0 && state.answer.there == 0 && !tsc_wait_over(&wait)) {
        cpu_pause();
    }
}

/* Waits for the next multiple of START_TICKS, in exact time to the instruction. */
static void wait_for_start(void)
{
    const uint64_t start = (tsc_read() / START_TICKS + 1) * START_TICKS;
    const uint64_t per_instruction = clock_state()->ticks_per_instruction;

    if (per_instruction != 0) {
        known_instructions((start - tsc_read()) / per_instruction);
    }
}

static void point_entries(bool here)
{
    for (size_t i = 1; i < sizeof(vectors); i++) {
        if (here) {
            const uintptr_t entry = (uintptr_t)delivery_entries + ENTRY_BYTES * i;

            descriptors_set_entry(vectors[i], (void (*)(void))entry);
        } else {
            descriptors_reset_entry(vectors[i]);
        }
    }
}

static void try_all(const struct bench_run *run, const bool wanted[PROMISES], int64_t *broken,
                    size_t offsets)
{
    const uint64_t first = bench_number(run, "offset");
    const uint64_t seed = bench_number(run, "seed");
    struct draw_random random;

    wait_for_start();
    for (size_t k = 0; k < offsets; k++) {
        const uint64_t offset = first + k;

        draw_seed(&random, seed, offset);
        const uint64_t n = offset % GROWN_MAX + draw_next(&random) % RANDOM_MAX;

        for (unsigned i = 0; i < PROMISES; i++) {
            if (wanted[i] && state.results[i].lost < LOST_MAX) {
                broken[k] += (int64_t)try_promise((enum promise)i, offset, n);
            }
        }
    }
}

static void publish_number(const struct bench_run *run, const char *prefix, const char *name,
                           uint64_t value)
{
    char text[48];

    snprintf(text, sizeof(text), "%s%s", prefix, name);
    bench_fact(run, text, UNIT_COUNT, (int64_t)value);
}

/* Returns OK, or FAIL with the first promise of the table that was broken. */
static enum bench_state publish(struct bench_run *run)
{
    const unsigned long seed = bench_number(run, "seed");
    const struct result *worst = NULL;
    char how[BREACH_TEXT_MAX], name[48];

    for (unsigned i = 0; i < PROMISES; i++) {
        const struct result *result = &state.results[i];
        const char *promise = promise_text((enum promise)i)->name;

        if (result->tried == 0) {
            continue;
        }
        publish_number(run, PREFIX_TRIED, promise, result->tried);
        publish_number(run, PREFIX_BROKEN, promise, result->broken);
        if (result->broken > 0) {
            publish_number(run, PREFIX_FIRST, promise, result->first);
            snprintf(name, sizeof(name), PREFIX_HOW "%s", promise);
            bench_found(run, name, breach_text(&result->breach, how));
            worst = worst == NULL ? result : worst;
        }
    }
    if (worst == NULL) {
        return bench_ok(run);
    }
    const struct promise_text *text = promise_text(worst->breach.promise);

    return bench_fail(run,
                      "%s: %s (%s; %lu of %lu; offset %lu: delivery.seed=%lu "
                      "delivery.offsets=%lu)",
                      text->name, breach_text(&worst->breach, how), text->section, worst->broken,
                      worst->tried, worst->first, seed,
                      worst->first - bench_number(run, "offset") + 1);
}

static enum bench_state run(struct bench_run *run)
{
    const size_t offsets = bench_number(run, "offsets");
    const size_t word = bench_word(run, "promise");
    int64_t *broken = bench_samples(offsets);
    bool wanted[PROMISES];

    if (broken == NULL) {
        return bench_error(run, "no memory for delivery.offsets=%zu; lower it", offsets);
    }
    memset(&state, 0, sizeof(state));
    state.limit = clock_ticks_from_us(bench_is_exact() ? LIMIT_EXACT_US : LIMIT_US);
    find_other();
    for (unsigned i = 0; i < PROMISES; i++) {
        const char *why = reason_against((enum promise)i);

        wanted[i] = why == NULL && (word == 0 || word == i + 1);
        if (why != NULL) {
            bench_absent(run, promise_text((enum promise)i)->name, why);
        }
    }
    point_entries(true);
    try_all(run, wanted, broken, offsets);
    point_entries(false);
    if (state.other != 0) {
        state.answer.stop = 1;
        processor_send(state.other, PROCESSOR_VECTOR_WAKE);
        if (!processor_await(state.other, clock_ticks_from_us(LIMIT_US))) {
            return bench_error(run, "processor %zu did not end its answers", state.other);
        }
    }
    bench_publish(run, SERIES_BROKEN, UNIT_COUNT, broken, offsets);
    return publish(run);
}

static const struct bench_param params[] = {
    {"offsets", "1000", "number of offsets at which each promise is tried",
     PARAM_NUMBER(1, 1000000)},
    {"offset", "0", "the first offset", PARAM_NUMBER(0, 1000000000)},
    {"seed", "1", "seed of the random part of the offsets", PARAM_NUMBER(0, UINT32_MAX)},
    {"promise", "all", "the promise to try", PARAM_WORD("all," PROMISE_NAMES)},
    {0},
};

static const struct bench delivery = {
    .name = BENCH_DELIVERY,
    .group = GROUP_DELIVERY,
    .summary = "whether interrupts are delivered as the architecture promises",
    .unit = UNIT_COUNT,
    .estimate = "every promise is kept in every trial: silicon keeps them, and so must an emulator "
                "or a hypervisor",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .run = run,
};
BENCH_REGISTER(delivery);
