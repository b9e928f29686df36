/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench contextswitch: what it costs to switch from one thread to another, within one address space
 * and between two, with tags (PCID) and without, and what it costs more if each thread has its own
 * memory to read.
 *
 * A round goes there and back: two switches, and passing the token on both ways. For the curves,
 * two threads in ring 3 read their memory, one word per line, and yield; x is the number of bytes
 * that each of them reads. In footprint.thread both belong to one process, in footprint.process to
 * two; footprint.alone is the same reading by a thread that yields to no other. The cost of a
 * point, less the reading alone and less the switch at 0 bytes, is the time to refill the caches
 * and the TLB.
 */
#include <stdio.h>

#include "bench/system/names.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"
#include "kernel/task/message.h"
#include "kernel/task/pipe.h"
#include "kernel/task/process.h"
#include "kernel/task/session.h"
#include "kernel/task/thread.h"
#include "kernel/task/user.h"

#define PAGE           4096
#define LINE           64
#define SAMPLES_MAX    10000
#define TRIALS_MAX     100
#define TRIALS_EXACT   2 /* trials in exact mode, where memory accesses cost nothing extra */
#define TRIALS_SILICON 9
#define PRIORITY       10
/* unmeasured first rounds: stacks are touched, and the other thread is already waiting */
#define WARM        2
#define POINTS      12 /* 0 bytes, and 1 KiB to 1 MiB in powers of two */
#define BYTES_FIRST 1024u
#define BYTES_MAX   (BYTES_FIRST << (POINTS - 2))
#define KEPT_MAX    (POINTS * TRIALS_MAX)
/* warm-up and measured rounds, and a last one, which ends differently */
#define ROUNDS_MAX  (SAMPLES_MAX + WARM + 1)
#define SIDES       2
#define STACK_PAGES 16 /* upper limit for the stacks of all threads */

#define TAG_START 1 /* the message's value is the id of the other thread */
#define TAG_BALL  2

enum pipe_number { PIPE_THERE, PIPE_BACK, PIPES };

/* layout of the memory of each process */
struct memory {
    int64_t empty[ROUNDS_MAX];
    int64_t round[ROUNDS_MAX];
    int64_t curve[KEPT_MAX];
    __attribute__((aligned(PAGE))) uint8_t footprint[SIDES][BYTES_MAX];
};
_Static_assert(sizeof(struct memory) <= PROCESS_BYTES, "larger than a process's memory");

#define MEMORY ((volatile struct memory *)PROCESS_BASE)

/* ---- in ring 3 ---- */

static inline __attribute__((always_inline)) uint64_t bytes_at(uint64_t point)
{
    return point == 0 ? 0 : (uint64_t)BYTES_FIRST << (point - 1);
}

/* Returns the number of rounds at `point`; fewer if a round takes long. */
static inline __attribute__((always_inline)) uint64_t rounds_at(uint64_t point)
{
    const uint64_t bytes = bytes_at(point);

    if (bytes > 128u << 10) {
        return 2;
    }
    return bytes > 16u << 10 ? 4 : 16;
}

static inline __attribute__((always_inline)) void touch(volatile int64_t *samples, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        samples[i] = 0;
    }
}

/* The same function makes the reads with and without switches in between, so that they cost the
 * same in both cases. */
static PROCESS_CODE void read_footprint(uint64_t side, uint64_t bytes)
{
    volatile uint8_t *at = MEMORY->footprint[side];
    const volatile uint8_t *end = at + bytes;

    for (; at != end; at += LINE) {
        (void)*(volatile uint64_t *)at;
    }
}

static PROCESS_CODE void empty_main(void *argument)
{
    touch(MEMORY->empty, (uint64_t)argument);
    for (uint64_t i = 0; i < (uint64_t)argument; i++) {
        const uint64_t begin = user_tsc();

        MEMORY->empty[i] = (int64_t)(user_tsc() - begin);
    }
}

static PROCESS_CODE void pipe_ping_main(void *argument)
{
    touch(MEMORY->round, (uint64_t)argument);
    for (uint64_t i = 0; i < (uint64_t)argument; i++) {
        const uint64_t begin = user_tsc();

        system_call(SYSCALL_PIPE_WRITE, PIPE_THERE, 0, 0);
        system_call(SYSCALL_PIPE_READ, PIPE_BACK, 0, 0);
        MEMORY->round[i] = (int64_t)(user_tsc() - begin);
    }
}

static PROCESS_CODE void pipe_pong_main(void *argument)
{
    for (uint64_t i = 0; i < (uint64_t)argument; i++) {
        system_call(SYSCALL_PIPE_READ, PIPE_THERE, 0, 0);
        system_call(SYSCALL_PIPE_WRITE, PIPE_BACK, 0, 0);
    }
}

static PROCESS_CODE void message_ping_main(void *argument)
{
    const uint64_t other = (uint32_t)system_call(SYSCALL_RECEIVE_TAG, TAG_START, 0, 0);

    touch(MEMORY->round, (uint64_t)argument);
    for (uint64_t i = 0; i < (uint64_t)argument; i++) {
        const uint64_t begin = user_tsc();

        system_call(SYSCALL_SEND, other, TAG_BALL, 0);
        system_call(SYSCALL_RECEIVE_TAG, TAG_BALL, 0, 0);
        MEMORY->round[i] = (int64_t)(user_tsc() - begin);
    }
}

static PROCESS_CODE void message_pong_main(void *argument)
{
    const uint64_t other = (uint32_t)system_call(SYSCALL_RECEIVE_TAG, TAG_START, 0, 0);

    for (uint64_t i = 0; i < (uint64_t)argument; i++) {
        system_call(SYSCALL_RECEIVE_TAG, TAG_BALL, 0, 0);
        system_call(SYSCALL_SEND, other, TAG_BALL, 0);
    }
}

/* Each trial starts with one turn that is not timed; the other thread counts it as well. */
static PROCESS_CODE void footprint_main(void *argument)
{
    const uint64_t trials = (uint64_t)argument;

    touch(MEMORY->curve, POINTS * trials);
    for (uint64_t i = 0; i < POINTS * trials; i++) {
        const uint64_t bytes = bytes_at(i / trials);
        const uint64_t rounds = rounds_at(i / trials);

        read_footprint(0, bytes);
        system_call(SYSCALL_YIELD, 0, 0, 0);
        const uint64_t begin = user_tsc();

        for (uint64_t k = 0; k < rounds; k++) {
            read_footprint(0, bytes);
            system_call(SYSCALL_YIELD, 0, 0, 0);
        }
        MEMORY->curve[i] = (int64_t)(user_tsc() - begin);
    }
}

static PROCESS_CODE void footprint_other_main(void *argument)
{
    const uint64_t trials = (uint64_t)argument;

    for (uint64_t i = 0; i < POINTS * trials; i++) {
        const uint64_t bytes = bytes_at(i / trials);
        const uint64_t turns = rounds_at(i / trials) + 1;

        for (uint64_t k = 0; k < turns; k++) {
            read_footprint(1, bytes);
            system_call(SYSCALL_YIELD, 0, 0, 0);
        }
    }
}

static PROCESS_CODE void alone_main(void *argument)
{
    const uint64_t trials = (uint64_t)argument;

    touch(MEMORY->curve, POINTS * trials);
    for (uint64_t i = 0; i < POINTS * trials; i++) {
        const uint64_t bytes = bytes_at(i / trials);
        const uint64_t turns = 2 * rounds_at(i / trials);

        read_footprint(0, bytes);
        const uint64_t begin = user_tsc();

        for (uint64_t k = 0; k < turns; k++) {
            read_footprint(0, bytes);
        }
        MEMORY->curve[i] = (int64_t)(user_tsc() - begin);
    }
}

/* ---- in ring 0 ---- */

struct pingpong {
    uint64_t rounds;
    int64_t *samples;
    size_t count;
    uint64_t before; /* TSC before the last yield */
    struct thread *ping;
    struct thread *pong;
};

/* Both threads run this. A sample is the time from the yield of one to the moment the other
 * continues. */
static void yield_main(void *argument)
{
    struct pingpong *both = argument;

    while (both->count < both->rounds) {
        const uint64_t now = tsc_read_ordered();

        both->samples[both->count++] = (int64_t)(now - both->before);
        both->before = tsc_read_ordered();
        thread_yield();
    }
}

static void ping_main(void *argument)
{
    const struct pingpong *both = argument;

    for (uint64_t i = 0; i < both->rounds; i++) {
        const uint64_t begin = tsc_read_ordered();

        message_send(both->pong, TAG_BALL, 0);
        message_receive();
        both->samples[i] = (int64_t)(tsc_read_ordered() - begin);
    }
}

static void pong_main(void *argument)
{
    const struct pingpong *both = argument;

    for (uint64_t i = 0; i < both->rounds; i++) {
        message_receive();
        message_send(both->ping, TAG_BALL, 0);
    }
}

/* ---- the run ---- */

enum series { EMPTY, YIELD, THREAD_MESSAGE, PIPE, MESSAGE, PIPE_TAGGED, MESSAGE_TAGGED, SERIES };
enum curves { ALONE, OF_THREADS, OF_PROCESSES, OF_PROCESSES_TAGGED, CURVES };

static const char *const series_names[SERIES] = {SERIES_EMPTY,
                                                 SERIES_THREAD_YIELD,
                                                 "thread_message_round",
                                                 SERIES_PROCESS_PIPE_ROUND,
                                                 "process_message_round",
                                                 (SERIES_PROCESS_PIPE_ROUND ".pcid"),
                                                 "process_message_round.pcid"};
static const char *const curve_names[CURVES] = {CURVE_FOOTPRINT_ALONE, CURVE_FOOTPRINT_THREAD,
                                                CURVE_FOOTPRINT_PROCESS,
                                                CURVE_FOOTPRINT_PROCESS_PCID};

static struct {
    uint64_t rounds; /* number of measured rounds + WARM + 1 */
    uint64_t trials;
    int64_t *series[SERIES];
    int64_t *curve[CURVES];
    int64_t *bytes;       /* footprint of each point */
    int64_t *repetitions; /* turns of both threads at each point */
    struct process *left;
    struct process *right;
    struct pipe pipe[PIPES];
} state;

static bool run_threads(thread_entry *ping, thread_entry *pong, int64_t *samples)
{
    struct pingpong both = {.rounds = state.rounds, .samples = samples};

    both.ping = thread_create("ping", PRIORITY, ping, &both);
    both.pong = thread_create("pong", PRIORITY, pong, &both);
    if (both.ping == NULL || both.pong == NULL) {
        return false;
    }
    thread_join(both.ping);
    thread_join(both.pong);
    return true;
}

static bool run_pair(struct process *of_pong, thread_entry *ping, thread_entry *pong,
                     uint64_t argument)
{
    struct thread *first = process_thread(state.left, "ping", PRIORITY, ping, argument);
    struct thread *second = process_thread(of_pong, "pong", PRIORITY, pong, argument);

    if (first == NULL || second == NULL) {
        return false;
    }
    message_send(second, TAG_START, thread_id(first));
    message_send(first, TAG_START, thread_id(second));
    thread_join(first);
    thread_join(second);
    return true;
}

static bool run_one(thread_entry *entry, uint64_t argument)
{
    struct thread *thread = process_thread(state.left, "alone", PRIORITY, entry, argument);

    if (thread != NULL) {
        thread_join(thread);
    }
    return thread != NULL;
}

static bool keep(size_t offset, int64_t *samples, size_t count)
{
    return process_read(state.left, offset, samples, count * sizeof(int64_t));
}

static bool run_rounds(thread_entry *ping, thread_entry *pong, enum series series)
{
    return run_pair(state.right, ping, pong, state.rounds) &&
           keep(offsetof(struct memory, round), state.series[series], state.rounds);
}

static bool keep_curve(enum curves curve)
{
    return keep(offsetof(struct memory, curve), state.curve[curve], POINTS * state.trials);
}

static bool run_footprints(struct process *of_other, enum curves curve)
{
    return run_pair(of_other, footprint_main, footprint_other_main, state.trials) &&
           keep_curve(curve);
}

static bool create_processes(void)
{
    const size_t kept = (2 * state.rounds + POINTS * state.trials) * sizeof(int64_t) / PAGE + 4;

    state.left = process_create("left");
    state.right = process_create("right");
    pipe_init(&state.pipe[PIPE_THERE], "there");
    pipe_init(&state.pipe[PIPE_BACK], "back");
    return state.left != NULL && state.right != NULL &&
           process_reserve(3 * BYTES_MAX / PAGE + kept + STACK_PAGES) &&
           process_offer_pipe(&state.pipe[PIPE_THERE]) &&
           process_offer_pipe(&state.pipe[PIPE_BACK]);
}

static bool run_untagged(void)
{
    return run_threads(yield_main, yield_main, state.series[YIELD]) &&
           run_threads(ping_main, pong_main, state.series[THREAD_MESSAGE]) && create_processes() &&
           run_one(empty_main, state.rounds) &&
           keep(offsetof(struct memory, empty), state.series[EMPTY], state.rounds) &&
           run_one(alone_main, state.trials) && keep_curve(ALONE) &&
           run_rounds(pipe_ping_main, pipe_pong_main, PIPE) &&
           run_rounds(message_ping_main, message_pong_main, MESSAGE) &&
           run_footprints(state.left, OF_THREADS) && run_footprints(state.right, OF_PROCESSES);
}

static bool run_tagged(void)
{
    return create_processes() && run_rounds(pipe_ping_main, pipe_pong_main, PIPE_TAGGED) &&
           run_rounds(message_ping_main, message_pong_main, MESSAGE_TAGGED) &&
           run_footprints(state.right, OF_PROCESSES_TAGGED);
}

static void publish_series(const struct bench_run *run, enum series series)
{
    bench_publish(run, series_names[series], UNIT_TICK, state.series[series] + WARM,
                  state.rounds - WARM - 1);
}

static void publish_curve(const struct bench_run *run, enum curves curve)
{
    char name[48];

    snprintf(name, sizeof(name), "%s" SUFFIX_X, curve_names[curve]);
    bench_publish(run, name, UNIT_B, state.bytes, POINTS);
    snprintf(name, sizeof(name), "%s" SUFFIX_N, curve_names[curve]);
    bench_publish(run, name, UNIT_COUNT, state.repetitions, POINTS);
    bench_publish(run, curve_names[curve], UNIT_TICK, state.curve[curve], POINTS * state.trials);
}

static void publish(const struct bench_run *run, const char *no_tags)
{
    for (enum series i = 0; i < SERIES; i++) {
        if (i < PIPE_TAGGED || no_tags == NULL) {
            publish_series(run, i);
        } else {
            bench_absent(run, series_names[i], no_tags);
        }
    }
    for (enum curves i = 0; i < CURVES; i++) {
        if (i < OF_PROCESSES_TAGGED || no_tags == NULL) {
            publish_curve(run, i);
        } else {
            bench_absent(run, curve_names[i], no_tags);
        }
    }
}

static bool take_samples(void)
{
    bool good = true;

    for (enum series i = 0; i < SERIES && good; i++) {
        state.series[i] = bench_samples(state.rounds);
        good = state.series[i] != NULL;
    }
    for (enum curves i = 0; i < CURVES && good; i++) {
        state.curve[i] = bench_samples(POINTS * state.trials);
        good = state.curve[i] != NULL;
    }
    state.bytes = bench_samples(POINTS);
    state.repetitions = bench_samples(POINTS);
    if (!good || state.bytes == NULL || state.repetitions == NULL) {
        return false;
    }
    for (uint64_t i = 0; i < POINTS; i++) {
        state.bytes[i] = (int64_t)bytes_at(i);
        state.repetitions[i] = (int64_t)(2 * rounds_at(i));
    }
    return true;
}

static enum bench_state run(struct bench_run *run)
{
    const struct task_settings settings = {0};
    const char *why = NULL;

    if (!process_supported(&why)) {
        return bench_skip(run, "%s", why);
    }
    state.rounds = bench_number(run, "rounds") + WARM + 1;
    state.trials = bench_number(run, "trials");
    if (state.trials == 0) {
        state.trials = bench_has_caches() ? TRIALS_SILICON : TRIALS_EXACT;
    }
    if (!take_samples()) {
        return bench_error(run, "no memory for samples");
    }
    bool good = task_begin(&settings);

    if (good) {
        good = run_untagged();
        task_end();
    }
    if (!good || !task_begin(&settings)) {
        return bench_error(run, "no memory for threads or processes");
    }
    why = process_use_tags();
    good = why != NULL || run_tagged();
    task_end();
    if (!good) {
        return bench_error(run, "no memory for processes");
    }
    publish(run, why);
    return bench_ok(run);
}

static const struct bench_param params[] = {
    {"rounds", "100", "samples for each kind of switch", PARAM_NUMBER(1, SAMPLES_MAX)},
    {"trials", "0", "trials for each footprint; 0: 9, or 2 in exact mode",
     PARAM_NUMBER(0, TRIALS_MAX)},
    {0},
};

/* The report (section 6) expects 300 cycles for a thread switch and 400 for a process switch. */
static const struct bench_estimate estimates[] = {
    {SERIES_THREAD_YIELD, 100, 100, UNIT_CYCLE,
     "two queue operations, 6 registers saved; the report: 300"},
    {"thread_message_round", 550, 500, UNIT_CYCLE,
     "2 switches of 90, 2 sends and 2 receives of 90"},
    {SERIES_PROCESS_PIPE_ROUND, 600, 2500, UNIT_CYCLE,
     "2 switches of 90, 4 calls of 30 and 75 for the pipe; CR3 written twice, 200 each, and the "
     "TLB filled again"},
    {"process_message_round", 800, 2500, UNIT_CYCLE, "the same, by message"},
    {SERIES_PROCESS_PIPE_ROUND ".pcid", 600, 1700, UNIT_CYCLE,
     "the same, but the TLB keeps its entries"},
    {"process_message_round.pcid", 800, 1700, UNIT_CYCLE,
     "the same, but the TLB keeps its entries"},
    {0},
};

static const struct bench contextswitch = {
    .name = BENCH_CONTEXTSWITCH,
    .group = GROUP_SYSTEM,
    .summary =
        "cost of switching between threads and between processes, and of refilling the caches",
    .unit = UNIT_TICK,
    .estimate =
        "thread: 100 cycles; process: as much, plus writing CR3 and refilling the TLB; with "
        "footprints larger than half a cache, lines come from the next cache: 10 cycles per line "
        "from the second, 40 from the third. An emulator shows none of this",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .estimates = estimates,
    .samples = "rounds",
    .steady = true,
    .relations =
        "empty<thread_yield<thread_message_round<process_message_round "
        "thread_yield<process_pipe_round footprint.alone<footprint.thread<footprint.process",
    .run = run,
};
BENCH_REGISTER(contextswitch);
