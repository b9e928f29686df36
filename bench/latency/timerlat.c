/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench timerlat: how late the work requested from a timer starts, on all processors at once: from
 * the deadline to the timer's handler, on to a deferred call, on to a thread (way.h).
 *
 * On the kernel's processor these are the kernel's timer, a deferred call (DPC), and a thread that
 * waits for a semaphore, above the idle loop and with the highest priority below that of the bench.
 * The other processors have no threads: the timer, the deferred call and the work after it are run
 * by an event-server loop (kernel/smp/event_server.h) with two levels of urgency, above HLT.
 *
 * With a load, the other processors work instead of measuring, until the kernel's processor has
 * measured.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "bench/latency/names.h"
#include "bench/latency/way.h"
#include "bench/noise/flight.h"
#include "bench/system/others.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/irq/interrupt.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"
#include "kernel/run/processors.h"
#include "kernel/smp/event_server.h"
#include "kernel/smp/processor.h"
#include "kernel/task/dpc.h"
#include "kernel/task/locks.h"
#include "kernel/task/session.h"
#include "kernel/task/thread.h"
#include "kernel/task/timer.h"

/*
 * What the other processors do while one measures: nothing, memory traffic, writes to one cache
 * line that all of them share, or interrupts to the measuring processor.
 */

enum load_kind {
    LOAD_NONE,
    LOAD_MEMORY, /* each copies within its own LOAD_BYTES */
    LOAD_CACHE,  /* all add to the same word */
    LOAD_IPI,    /* each sends an interrupt every LOAD_IPI_US */
};

/* The words of parameter `load`, in the order of enum load_kind. */
#define LOAD_NONE_NAME "none"
#define LOAD_NAMES     LOAD_NONE_NAME ",memory,cache,ipi"
#define LOAD_BYTES     (4u << 20)
#define LOAD_IPI_US    50

/* The members that are written lie in separate cache lines. */
struct load { /* NOLINT(clang-analyzer-optin.performance.Padding) */
    enum load_kind kind;
    /* Set by load_take_memory() and load_begin(). */
    size_t target; /* the processor that measures: interrupts go to it */
    size_t begun;  /* processors that have begun to load, counted from takers index `first` */
    size_t first;
    const struct takers *takers;
    uint8_t *memory; /* LOAD_BYTES for each loading processor */
    uint64_t ticks;  /* ticks between two interrupts */
    volatile uint64_t word __attribute__((aligned(128)));
    /* work done by all: shows that they did load */
    volatile uint64_t rounds __attribute__((aligned(128)));
    volatile bool stop __attribute__((aligned(128)));
};

#define BLOCK_BYTES 4096

/* Takes memory to load from the takers from index `first` on. Returns false if there is not enough.
 */
static bool load_take_memory(struct load *load, const struct takers *takers, size_t first)
{
    load->target = takers->number[0];
    load->takers = takers;
    load->first = first;
    load->ticks = clock_ticks_from_us(LOAD_IPI_US);
    if (load->kind != LOAD_MEMORY) {
        return true;
    }
    load->memory = bench_memory((takers->count - first) * (size_t)LOAD_BYTES);
    return load->memory != NULL;
}

/* ---- on the processors that load ---- */

static uint8_t *memory_here(const struct load *load)
{
    const size_t here = processor_here();
    size_t index = load->first;

    while (load->takers->number[index] != here) {
        index++;
    }
    return load->memory + (index - load->first) * LOAD_BYTES;
}

/* Copies the whole memory once, with a PAUSE between blocks at which other processors can take
 * their turns. */
static void copy_all(const struct load *load, uint8_t *memory)
{
    const size_t half = LOAD_BYTES / 2;

    for (size_t at = 0; at < half && !load->stop; at += BLOCK_BYTES) {
        memcpy(memory + half + at, memory + at, BLOCK_BYTES);
        cpu_pause();
    }
}

static void wait_ticks(const struct load *load, uint64_t ticks)
{
    const uint64_t start = tsc_read();

    while (tsc_read() - start < ticks && !load->stop) {
        cpu_pause();
    }
}

static void work(void *argument)
{
    struct load *load = argument;
    uint8_t *memory = load->kind == LOAD_MEMORY ? memory_here(load) : NULL;

    while (!load->stop) {
        if (memory != NULL) {
            copy_all(load, memory);
        } else if (load->kind == LOAD_CACHE) {
            __atomic_add_fetch(&load->word, 1, __ATOMIC_RELAXED);
            cpu_pause();
        } else {
            processor_send(load->target, PROCESSOR_VECTOR_PING);
            wait_ticks(load, load->ticks);
        }
        __atomic_add_fetch(&load->rounds, 1, __ATOMIC_RELAXED);
    }
}

/* ---- on the measuring processor ---- */

static void take_interrupt(void *argument)
{
    (void)argument;
}

/* Starts the load. Its interrupts arrive at the caller, which must have interrupts on. Returns
 * false if a processor is busy with other work. */
static bool load_begin(struct load *load)
{
    if (load->kind == LOAD_NONE) {
        return true;
    }
    if (load->kind == LOAD_IPI) {
        interrupt_attach(PROCESSOR_VECTOR_PING, "load", take_interrupt, NULL);
    }
    for (size_t i = load->first; i < load->takers->count; i++) {
        if (!processor_begin(load->takers->number[i], work, load)) {
            return false;
        }
        load->begun++;
    }
    return true;
}

/* Stops the load. Returns false if a processor did not end. */
static bool load_end(struct load *load)
{
    bool good = true;

    load->stop = true;
    for (size_t i = 0; i < load->begun; i++) {
        good = processor_await(load->takers->number[load->first + i], takers_limit()) && good;
    }
    if (load->kind == LOAD_IPI) {
        /* the last interrupt came while the processors were awaited */
        interrupt_detach(PROCESSOR_VECTOR_PING);
    }
    return good;
}

#define LEVEL_THREAD 0u
#define LEVEL_DPC    1u
#define EVENT_PERIOD 1
/* Time until all processors have begun; if instructions are counted, each processor adds
 * START_INSTRUCTIONS. */
#define START_US           200
#define START_INSTRUCTIONS 40000
#define LATE_US            10000000
#define ROUND_US           1000

/* State of one of the other processors. */
struct outpost {
    struct event_server server;
    struct way *way;
} __attribute__((aligned(128)));

static struct {
    struct takers takers;
    struct way ways[PROCESSORS_MAX];
    struct outpost *outposts; /* [takers.count] state of takers.number[i]; entry 0 is not used */
    size_t measuring;         /* number of takers that measure, the kernel's own first */
    struct timer timer;
    struct dpc dpc;
    struct semaphore arrived;
    struct flight_stop stop;
} state;

/* ---- on the kernel's processor ---- */

static void expire(void *argument)
{
    struct way *way = argument;

    if (way_handle(way)) {
        dpc_queue(&state.dpc);
    }
}

static void defer(void *argument)
{
    way_defer(argument);
    semaphore_post(&state.arrived);
}

static void arrive(void *argument)
{
    struct way *way = argument;

    do {
        semaphore_wait(&state.arrived);
        way_arrive(way);
    } while (!way->over || way->pending);
    timer_stop(&state.timer);
}

static bool measure_here(struct way *way)
{
    dpc_init(&state.dpc, "timerlat", defer, way);
    semaphore_init(&state.arrived, "timerlat", 0);
    struct thread *thread = thread_create("timerlat", THREAD_PRIORITY_MAX - 1, arrive, way);

    if (thread == NULL) {
        return false;
    }
    timer_start(&state.timer, way->first, way->period, expire, way);
    thread_join(thread);
    return true;
}

/* ---- on the other processors ---- */

static struct outpost *outpost_of(struct event_server *server)
{
    return (struct outpost *)((char *)server - offsetof(struct outpost, server));
}

static bool set_period(struct outpost *outpost)
{
    const struct server_event event = {.due = outpost->way->due, .kind = EVENT_PERIOD};

    return server_events_add(&outpost->server.events, &event);
}

static void take(struct event_server *server, const struct server_event *event)
{
    struct outpost *outpost = outpost_of(server);

    (void)event;
    if (way_handle(outpost->way)) {
        server->ready |= 1u << LEVEL_DPC;
    }
    if (!outpost->way->over) {
        set_period(outpost);
    }
}

static void serve(struct event_server *server, unsigned level)
{
    struct outpost *outpost = outpost_of(server);

    server->ready &= ~(1u << level);
    interrupts_enable();
    if (level == LEVEL_DPC) {
        way_defer(outpost->way);
    } else {
        way_arrive(outpost->way);
    }
    interrupts_disable();
    server->ready |= level == LEVEL_DPC ? 1u << LEVEL_THREAD : 0;
}

static bool begin_others(void)
{
    for (size_t i = 1; i < state.measuring; i++) {
        struct outpost *outpost = &state.outposts[i];

        outpost->server = (struct event_server){
            .processor = state.takers.number[i], .take = take, .serve = serve};
        outpost->way = &state.ways[i];
        if (!set_period(outpost) || !event_server_begin(&outpost->server)) {
            return false;
        }
    }
    return true;
}

static bool is_over(const struct way *way)
{
    return way->over && !way->pending;
}

/* Call within a task session. Returns false if a processor did not end. */
static bool end_others(uint64_t ticks)
{
    const uint64_t limit = tsc_read() + ticks + clock_ticks_from_us(LATE_US);
    bool good = true;

    for (size_t i = 1; i < state.measuring; i++) {
        while (!is_over(&state.ways[i]) && (int64_t)(limit - tsc_read()) > 0) {
            thread_sleep_until(tsc_read() + clock_ticks_from_us(ROUND_US));
        }
        good = good && is_over(&state.ways[i]);
    }
    for (size_t i = 1; i < state.measuring; i++) {
        good = event_server_end(&state.outposts[i].server, takers_limit()) && good;
    }
    return good;
}

/* ---- the run ---- */

/* In exact time rounds deadlines to whole instructions; otherwise each deadline would be off by
 * another fraction of an instruction. */
static uint64_t whole_instructions(uint64_t ticks)
{
    const uint64_t instruction = clock_state()->ticks_per_instruction;

    return instruction != 0 ? (ticks + instruction / 2) / instruction * instruction : ticks;
}

static bool take_memory(const struct bench_run *run)
{
    const uint64_t period = whole_instructions(clock_ticks_from_us(bench_number(run, "period_us")));
    /* Uses the plan's values, because the rounded period could add or remove one. */
    const uint64_t count = bench_number(run, "ms") * 1000 / bench_number(run, "period_us");
    const size_t keep = bench_number(run, "keep");
    const size_t largest = bench_number(run, "keep_largest");

    memset(state.ways, 0, sizeof(state.ways));
    state.stop = (struct flight_stop){0};
    state.outposts = bench_memory(state.takers.count * sizeof(*state.outposts));
    for (size_t i = 0; i < state.measuring; i++) {
        state.ways[i].period = period;
        state.ways[i].count = count > 0 ? count : 1;
        state.ways[i].delay_dpc = bench_number(run, "delay_dpc");
        state.ways[i].delay_thread = bench_number(run, "delay_thread");
        state.ways[i].stop_ticks = clock_ticks_from_us(bench_stop_us());
        state.ways[i].stop = &state.stop;
        state.ways[i].index = i;
        if (!way_take_memory(&state.ways[i], keep, largest)) {
            return false;
        }
    }
    return state.outposts != NULL;
}

static uint64_t first_deadline(void)
{
    const uint64_t instructions = START_INSTRUCTIONS * state.takers.count;

    return whole_instructions(tsc_read() + clock_ticks_from_us(START_US) +
                              clock_state()->ticks_per_instruction * instructions);
}

/* Returns "" on success, otherwise the reason of the failure. */
static const char *measure(struct load *load)
{
    const struct task_settings settings = {0};

    if (!task_begin(&settings)) {
        return "cannot allocate threads";
    }
    const uint64_t first = first_deadline();
    const uint64_t length = state.ways[0].count * state.ways[0].period;

    for (size_t i = 0; i < state.measuring; i++) {
        way_begin(&state.ways[i], first);
    }
    bool good = begin_others() && load_begin(load);

    good = good && measure_here(&state.ways[0]);
    good = load_end(load) && good;
    good = end_others(length) && good;
    task_end();
    return good ? "" : "a processor did not start or did not finish its work";
}

/* A thread later than noise.stop_us breaks a promise of the plan: fails the bench and names the
 * first processor on which it happened. */
static enum bench_state judge_stop(struct bench_run *run)
{
    const struct flight_stop *stop = &state.stop;

    if (stop->stopped == 0) {
        return bench_ok(run);
    }
    const size_t number = state.takers.number[stop->index];
    const uint64_t at = flight_publish_stop(run, stop, number, state.ways[stop->index].first);

    return bench_fail(run,
                      "noise.stop_us=%lu: processor %zu: a thread ran %lu ticks after its "
                      "deadline, which was %lu ticks after the first",
                      bench_stop_us(), number, stop->length, at);
}

static enum bench_state finish(struct bench_run *run)
{
    for (size_t i = 0; i < state.measuring; i++) {
        if (!way_publish(run, &state.ways[i], state.takers.number[i])) {
            return bench_error(run, "cannot allocate histograms");
        }
    }
    for (size_t i = 0; i < state.measuring; i++) {
        const enum bench_state verdict = way_judge(run, &state.ways[i], state.takers.number[i]);

        if (verdict != BENCH_OK) {
            return verdict;
        }
    }
    return judge_stop(run);
}

static enum bench_state run(struct bench_run *run)
{
    struct load load = {.kind = (enum load_kind)bench_word(run, "load")};

    run_processors_start();
    if (!takers_find(run, &state.takers)) {
        return bench_error(run, "no memory");
    }
    if (load.kind != LOAD_NONE && state.takers.count < 2) {
        return bench_skip(run, "timerlat.load needs a second processor that works");
    }
    state.measuring = load.kind == LOAD_NONE ? state.takers.count : 1;
    if (!take_memory(run) || !load_take_memory(&load, &state.takers, state.measuring)) {
        return bench_error(run, "not enough memory; lower timerlat.keep or timerlat.keep_largest");
    }
    bench_fact(run, FACT_PERIOD, UNIT_TICK, (int64_t)state.ways[0].period);
    bench_fact(run, FACT_LOADERS, UNIT_COUNT, (int64_t)(state.takers.count - state.measuring));
    const char *const why = measure(&load);

    if (load.kind != LOAD_NONE) {
        bench_fact(run, FACT_LOAD_ROUNDS, UNIT_COUNT, (int64_t)load.rounds);
    }
    if (*why != '\0') {
        return bench_error(run, "%s", why);
    }
    return finish(run);
}

static const struct bench_param params[] = {
    {"period_us", "1000", "period of the timer, in us", PARAM_TIME(20, 10000000)},
    {"ms", "100", "length of the measurement, in ms", PARAM_TIME(1, 864000000)},
    {"keep", "1000", "number of first samples to keep", PARAM_NUMBER(0, 10000000)},
    {"keep_largest", "100", "number of longest periods to keep after the first samples",
     PARAM_NUMBER(0, 1000000)},
    {"processors", "256", "largest number of processors that take part",
     PARAM_NUMBER(1, PROCESSORS_MAX)},
    {"load", LOAD_NONE_NAME, "load that the other processors make instead of measuring",
     PARAM_WORD(LOAD_NAMES)},
    {"delay_dpc", "0", "iterations of added work before the stamp of the DPC",
     PARAM_NUMBER(0, 1000000)},
    {"delay_thread", "0", "iterations of added work before the stamp of the thread",
     PARAM_NUMBER(0, 1000000)},
    {0},
};

static const struct bench timerlat = {
    .name = BENCH_TIMERLAT,
    .group = GROUP_LATENCY,
    .summary = "from a timer's deadline to its handler, a deferred call and a thread",
    .unit = UNIT_TICK,
    .main_series = SPAN_WHOLE ".0",
    .estimate = "to the handler 1000 to 2000 cycles, most of them for delivery by the LAPIC, in "
                "exact mode 100 to 120 instructions; to the deferred call 200 more, to the thread "
                "250 more; in exact mode on one processor the same each time",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .relations =
        "whole=handler+dpc+thread worst_whole=worst_handler+worst_dpc+worst_thread ^worst_at",
    .run = run,
};
BENCH_REGISTER(timerlat);
