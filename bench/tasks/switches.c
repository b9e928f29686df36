/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench switches: context switches at a known rate. Threads of one priority form a ring and hand a
 * token on, by message, pipe, semaphore or yield, one way after the other. Each way has separate
 * threads named after it, so that a switch can be attributed to its way by the name of the thread.
 *
 * With a rate, rounds start on an absolute timeline: the first thread sleeps until its slot, the
 * token goes round once, and the first thread sleeps again. A round of n threads is n hops and one
 * switch each to the idle thread and back: n + 2 switches. Threads that yield never wait, so there
 * is no idle time: each thread in turn waits for its slot in a loop and then yields, one switch per
 * slot. That waiting is set by the plan and no cost of a switch, so it is not part of a round's
 * length, and rounds are as long at any rate.
 *
 * A slot that is already past when a thread comes to it is counted as late, but not skipped: the
 * number of rounds is fixed. Marks in the trace enclose the rounds of each way. If the trace must
 * be drained, that happens between two rounds, and later slots are postponed by the time it takes.
 */
#include <stdio.h>
#include <string.h>

#include "bench/tasks/names.h"
#include "bench/tasks/session.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/scale.h"
#include "kernel/run/names.h"
#include "kernel/task/locks.h"
#include "kernel/task/message.h"
#include "kernel/task/pipe.h"
#include "kernel/task/scheduler.h"
#include "kernel/trace/object.h"

#define RING_MAX       64
#define RING_PRIORITY  10
#define NAME_MAX       16
#define KEPT_MAX       65536
#define MILLISECOND_US 1000
#define MILLISECONDS   1000
/* iterations of the idle loop; a shorter sleep may be over before it starts */
#define LATE_SPINS 200

enum way {
    BY_MESSAGE,
    BY_PIPE,
    BY_SEMAPHORE,
    BY_YIELD,
    WAYS,
};

static const char *const way_names[WAYS] = {"message", "pipe", "semaphore", "yield"};
#define WAY_WORDS "message,pipe,semaphore,yield"

/* the rounds of one way */
struct phase {
    enum way way;
    uint64_t planned; /* number of rounds if there is a rate */
    uint64_t rounds;  /* rounds done so far */
    uint64_t slots;   /* slots awaited so far */
    uint64_t late;    /* slots that were already past */
    uint64_t start;   /* TSC */
    uint64_t elapsed;
    uint64_t switched; /* switches in the elapsed time, as the scheduler counts them */
    /* ticks of the current round in which threads other than the first waited for slots */
    uint64_t waited;
    int64_t *lengths;   /* lengths of the first `kept` rounds, each from its slot, minus `waited` */
    uint64_t kept;      /* capacity of `lengths` */
    volatile bool over; /* the token goes round once more, then all threads leave */
};

static struct {
    struct bench_run *run;
    bool drained; /* the trace could be drained whenever that was due */
    size_t threads;
    uint64_t rate;   /* switches per second; 0: no slots */
    uint64_t length; /* ticks of a phase */
    uint64_t late;   /* a slot closer than this many ticks is too close to sleep until it */
    size_t phase_count;
    struct phase phase[WAYS];
    struct phase *current;
    uint16_t mark[WAYS];
    uint16_t end_mark;
    char thread_name[WAYS][RING_MAX][NAME_MAX];
    char pipe_name[RING_MAX][NAME_MAX];
    char semaphore_name[RING_MAX][NAME_MAX];
    struct thread *thread[RING_MAX]; /* threads of the current way */
    struct pipe pipe[RING_MAX];
    struct semaphore semaphore[RING_MAX];
    struct semaphore start; /* lets the other threads start */
} ring;

/* ---- slots ---- */

static uint64_t switches_a_round(enum way way)
{
    return way == BY_YIELD || ring.rate == 0 ? ring.threads : ring.threads + 2;
}

static uint64_t switches_a_slot(enum way way)
{
    return way == BY_YIELD ? 1 : switches_a_round(way);
}

/* Computes the slot from the start each time, so that rounding errors do not add up. */
static uint64_t next_slot(struct phase *phase)
{
    phase->slots++;
    return phase->start + scale_u64(phase->slots * switches_a_slot(phase->way),
                                    clock_state()->verdict.hz, ring.rate);
}

static void sleep_until_slot(struct phase *phase)
{
    const uint64_t at = next_slot(phase);

    if (tsc_read() + ring.late < at) {
        thread_sleep_until(at);
    } else {
        phase->late++;
    }
}

static void spin_until_slot(struct phase *phase)
{
    const uint64_t at = next_slot(phase);

    phase->late += tsc_read() < at ? 0 : 1;
    while (tsc_read() < at) {
    }
}

static void wait_for_slot(struct phase *phase)
{
    if (ring.rate == 0) {
        return;
    }
    if (phase->way == BY_YIELD) {
        spin_until_slot(phase);
    } else {
        sleep_until_slot(phase);
    }
}

static bool rounds_done(const struct phase *phase)
{
    return ring.rate != 0 ? phase->rounds == phase->planned
                          : tsc_read() - phase->start >= ring.length;
}

/* ---- the ring ---- */

static void take_token(enum way way, size_t index)
{
    uint8_t byte;

    if (way == BY_MESSAGE) {
        message_receive();
    } else if (way == BY_PIPE) {
        pipe_read(&ring.pipe[index], &byte, sizeof(byte));
    } else {
        semaphore_wait(&ring.semaphore[index]);
    }
}

static void hand_on_token(enum way way, size_t index)
{
    const size_t next = index + 1 < ring.threads ? index + 1 : 0;
    const uint8_t byte = 0;

    if (way == BY_MESSAGE) {
        message_send(ring.thread[next], 0, 0);
    } else if (way == BY_PIPE) {
        pipe_write(&ring.pipe[next], &byte, sizeof(byte));
    } else {
        semaphore_post(&ring.semaphore[next]);
    }
}

/* Takes its two stamps without a rate as well, so that the code around the yield is the same. */
static void yield_at_slot(struct phase *phase)
{
    const uint64_t came = tsc_read();

    wait_for_slot(phase);
    phase->waited += tsc_read() - came;
    thread_yield();
}

/* Runs in all threads except the first. */
static void member(void *argument)
{
    const size_t index = (size_t)argument;
    struct phase *phase = ring.current;
    bool over = false;

    semaphore_wait(&ring.start);
    while (phase->way == BY_YIELD && !phase->over) {
        yield_at_slot(phase);
    }
    while (phase->way != BY_YIELD && !over) {
        take_token(phase->way, index);
        over = phase->over;
        hand_on_token(phase->way, index);
    }
}

static void go_round(const struct phase *phase)
{
    if (phase->way == BY_YIELD) {
        thread_yield();
    } else {
        hand_on_token(phase->way, 0);
        take_token(phase->way, 0);
    }
}

/* Drains the trace and moves the start, from which slots are counted, by the time that took. */
static void drain(struct phase *phase)
{
    const uint64_t before = tsc_read();

    ring.drained = bench_trace_drain(ring.run) && ring.drained;
    phase->start += tsc_read() - before;
}

static void run_phase(struct phase *phase)
{
    /* Pass the token round once first, so that every other thread is already waiting. Not needed
     * for yield, where no thread waits. */
    if (phase->way != BY_YIELD) {
        go_round(phase);
    }
    trace_mark(ring.mark[phase->way], ring.threads);
    phase->switched = scheduler_switches();
    phase->start = tsc_read();
    while (!rounds_done(phase)) {
        if (bench_trace_due()) {
            drain(phase);
        }
        wait_for_slot(phase);
        phase->waited = 0;
        const uint64_t before = tsc_read();

        go_round(phase);
        if (phase->rounds < phase->kept) {
            phase->lengths[phase->rounds] = (int64_t)(tsc_read() - before - phase->waited);
        }
        phase->rounds++;
    }
    phase->elapsed = tsc_read() - phase->start;
    phase->switched = scheduler_switches() - phase->switched;
    trace_mark(ring.end_mark, phase->rounds);
    phase->over = true;
    go_round(phase);
}

static void first(void *argument)
{
    (void)argument;
    for (size_t k = 1; k < ring.threads; k++) {
        semaphore_post(&ring.start);
    }
    run_phase(ring.current);
}

/* ---- the run ---- */

/* Sets the number of rounds that fit into `ms` (at least 1), and allocates memory for the duration
 * of each round. Returns false if there is no memory. */
static bool prepare_phase(struct phase *phase, uint64_t ms)
{
    const uint64_t rounds = ms * ring.rate / MILLISECONDS / switches_a_round(phase->way);

    phase->planned = rounds > 0 ? rounds : 1;
    phase->kept = ring.rate == 0 || rounds > KEPT_MAX ? KEPT_MAX : phase->planned;
    phase->lengths = bench_samples(phase->kept);
    return phase->lengths != NULL;
}

static enum bench_state prepare(struct bench_run *run)
{
    const uint64_t ms = bench_number(run, "ms");

    memset(&ring, 0, sizeof(ring));
    ring.threads = bench_number(run, PARAM_THREADS);
    ring.rate = bench_number(run, "rate");
    ring.length = clock_ticks_from_us(ms * MILLISECOND_US);
    const uint32_t ways = bench_words(run, "by");

    for (enum way way = 0; way < WAYS; way++) {
        if ((ways >> way & 1) != 0) {
            ring.phase[ring.phase_count++].way = way;
        }
    }
    for (size_t i = 0; i < ring.phase_count; i++) {
        if (!prepare_phase(&ring.phase[i], ms)) {
            return bench_error(run, "no memory for the lengths of rounds");
        }
    }
    return BENCH_OK;
}

/* Call within the session. */
static void build_place(size_t index)
{
    snprintf(ring.pipe_name[index], NAME_MAX, "pipe %zu", index);
    snprintf(ring.semaphore_name[index], NAME_MAX, "semaphore %zu", index);
    pipe_init(&ring.pipe[index], ring.pipe_name[index]);
    semaphore_init(&ring.semaphore[index], ring.semaphore_name[index], 0);
}

static void build_ring(void)
{
    for (enum way way = 0; way < WAYS; way++) {
        ring.mark[way] = trace_object_add(OBJECT_MARK, way_names[way]);
    }
    ring.end_mark = trace_object_add(OBJECT_MARK, MARK_END);
    semaphore_init(&ring.start, "start", 0);
    for (size_t i = 0; i < ring.threads; i++) {
        build_place(i);
    }
}

/* Returns false if there is no memory for another thread. */
static bool build_thread(enum way way, size_t index)
{
    char *name = ring.thread_name[way][index];

    snprintf(name, NAME_MAX, "%s %zu", way_names[way], index);
    ring.thread[index] =
        thread_create(name, RING_PRIORITY, index == 0 ? first : member, (void *)index);
    return ring.thread[index] != NULL;
}

/* Creates the first thread last, so that it starts when all others are waiting for the start. */
static bool build_threads(enum way way)
{
    for (size_t i = ring.threads; i-- > 0;) {
        if (!build_thread(way, i)) {
            return false;
        }
    }
    return true;
}

static enum bench_state run_ring(struct bench_run *run)
{
    ring.run = run;
    ring.drained = true;
    build_ring();
    for (size_t i = 0; i < ring.phase_count; i++) {
        ring.current = &ring.phase[i];
        if (!build_threads(ring.current->way)) {
            return session_no_threads(run);
        }
        for (size_t k = 0; k < ring.threads; k++) {
            thread_join(ring.thread[k]);
        }
    }
    return ring.drained ? BENCH_OK : bench_error(run, "no memory for another part of the trace");
}

static void publish_fact(struct bench_run *run, const char *what, const struct phase *phase,
                         const char *unit, uint64_t value)
{
    char name[2 * NAME_MAX];

    snprintf(name, sizeof(name), "%s_%s", what, way_names[phase->way]);
    bench_fact(run, name, unit, (int64_t)value);
}

/* A late slot in a ring that sleeps saves the switches to the idle thread and back. */
static uint64_t switches_of(const struct phase *phase)
{
    const uint64_t saved = phase->way == BY_YIELD ? 0 : 2 * phase->late;

    return phase->rounds * switches_a_round(phase->way) - saved;
}

static void publish(struct bench_run *run, const struct phase *phase)
{
    const uint64_t kept = phase->rounds < phase->kept ? phase->rounds : phase->kept;

    publish_fact(run, "rounds", phase, UNIT_COUNT, phase->rounds);
    publish_fact(run, FACT_SWITCHES, phase, UNIT_COUNT, switches_of(phase));
    publish_fact(run, FACT_LATE, phase, UNIT_COUNT, phase->late);
    publish_fact(run, "elapsed", phase, UNIT_TICK, phase->elapsed);
    bench_publish(run, way_names[phase->way], UNIT_TICK, phase->lengths, kept);
}

/* Judges only in exact time: in real time a slot may pass between reading the clock and sleeping.
 */
static enum bench_state judge(struct bench_run *run)
{
    for (size_t i = 0; i < ring.phase_count && bench_is_exact(); i++) {
        const struct phase *phase = &ring.phase[i];

        if (phase->switched != switches_of(phase)) {
            return bench_fail(
                run,
                "%s: the scheduler counted %lu switches, but rounds and late slots require %lu",
                way_names[phase->way], phase->switched, switches_of(phase));
        }
    }
    return bench_ok(run);
}

static enum bench_state run(struct bench_run *run)
{
    enum bench_state state = prepare(run);
    struct session session = {
        .sample_us = bench_number(run, "sample_us"),
        .length_us = ring.phase_count * bench_number(run, "ms") * MILLISECOND_US,
    };

    if (state == BENCH_OK) {
        state = session_begin(run, &session);
    }
    if (state != BENCH_OK) {
        return state;
    }
    ring.late = idle_loop_ticks(&session.calibration, LATE_SPINS);
    state = session_end(run, &session, run_ring(run));
    for (size_t i = 0; state == BENCH_OK && i < ring.phase_count; i++) {
        publish(run, &ring.phase[i]);
    }
    return state == BENCH_OK ? judge(run) : state;
}

static const struct bench_param params[] = {
    {PARAM_THREADS, "2", "threads in the ring", PARAM_NUMBER(2, RING_MAX)},
    {"by", WAY_WORDS, "ways to hand the token on, a,b,c", PARAM_WORDS(WAY_WORDS)},
    {"rate", "40000", "context switches per second; 0: as many as possible",
     PARAM_NUMBER(0, 10000000)},
    {"ms", "25", "length in ms of each way", PARAM_TIME(1, 3600000)},
    {"sample_us", "1000", "length of an idle sample in us", PARAM_TIME(10, 1000000)},
    {0},
};

static const struct bench switches = {
    .name = BENCH_SWITCHES,
    .group = "tasks",
    .summary = "context switches at a chosen rate: a ring of threads hands a token on",
    .unit = UNIT_TICK,
    .main_series = "yield",
    .estimate = "a sample is a round of n threads and the same at any rate: n hops, each with two "
                "calls (yield: one) and a switch of at most 150 instructions; between rounds 2 "
                "switches, to the idle thread and back, except with yield",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .relations = "yield<semaphore<message<pipe",
    .run = run,
};
BENCH_REGISTER(switches);
