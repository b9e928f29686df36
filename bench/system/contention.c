/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench contention: what a spin lock, a ticket lock and a barrier cost when 1 to N processors want
 * them all the time. Each holder of a lock adds 1 to a plain count; the lock excluded all others if
 * the final count is right.
 *
 * The time runs from the store that lets all processors start, once all are ready, until the last
 * one has finished.
 */
#include "bench/system/lines.h"
#include "bench/system/names.h"
#include "bench/system/others.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/names.h"

#define REPETITIONS_MAX 1000000
#define TRIALS_MAX      1000
#define POINTS_MAX      32
/* time that each waiting processor adds to a hand-over: its cache line is taken away and comes back
 */
#define WAITER_NS 250

struct meeting {
    struct contended contended;
    volatile uint64_t ready __attribute__((aligned(LINE_BYTES)));
    volatile uint64_t done __attribute__((aligned(LINE_BYTES)));
    volatile uint64_t failed;
    volatile uint64_t go __attribute__((aligned(LINE_BYTES)));
    contend *kernel;
    uint64_t repetitions;
    uint64_t processors;
    struct patience patience;
};

struct primitive {
    const char *name;
    const char *name_x;
    const char *name_n;
    contend *kernel;
    /* true: one repetition is one processor's acquisition; false (barrier): one repetition is all
     * processors' meeting */
    bool is_lock;
};

static void contend_once(struct meeting *meeting)
{
    if (meeting->kernel(&meeting->contended, meeting->repetitions, meeting->processors) == 0) {
        meeting->failed = 1;
    }
}

static void take_part(void *argument)
{
    struct meeting *meeting = argument;

    __atomic_add_fetch(&meeting->ready, 1, __ATOMIC_ACQ_REL);
    if (patience_wait(&meeting->go, 1, meeting->patience)) {
        contend_once(meeting);
    }
    __atomic_add_fetch(&meeting->done, 1, __ATOMIC_ACQ_REL);
}

/* Sets timeouts for the worst case: a processor that a spin lock starves waits for all acquisitions
 * of the others. */
static void be_patient(struct meeting *meeting)
{
    const uint64_t hand_overs = meeting->repetitions * meeting->processors;
    const uint64_t us = TAKERS_ANSWER_US + hand_overs * meeting->processors * WAITER_NS / 1000;

    meeting->patience = takers_patience(us);
    meeting->contended.pauses = takers_pauses(us);
}

/* Returns ticks, or 0 if a processor does not answer. */
static uint64_t measure(struct meeting *meeting, const struct takers *takers)
{
    const uint64_t others = meeting->processors - 1;
    bool good = true;

    meeting->contended.lock = meeting->contended.turn = meeting->contended.count = 0;
    meeting->ready = meeting->done = meeting->failed = meeting->go = 0;
    for (size_t i = 1; i <= others; i++) {
        good = processor_begin(takers->number[i], take_part, meeting) && good;
    }
    good = good && patience_wait(&meeting->ready, others, meeting->patience);
    const uint64_t start = tsc_read_ordered();

    meeting->go = 1;
    if (good) {
        contend_once(meeting);
        good = patience_wait(&meeting->done, others, meeting->patience);
    }
    const uint64_t end = tsc_read_ordered();

    for (size_t i = 1; i <= others; i++) {
        good = processor_await(takers->number[i], takers_limit()) && good;
    }
    return good && meeting->failed == 0 ? end - start : 0;
}

/* Returns BENCH_OK, or the state in which the bench ends. */
static enum bench_state measure_point(struct bench_run *run, const struct primitive *primitive,
                                      struct meeting *meeting, const struct takers *takers,
                                      int64_t *ticks)
{
    const uint64_t trials = bench_number(run, "trials");
    const uint64_t wanted = meeting->repetitions * meeting->processors;

    for (size_t k = 0; k < trials; k++) {
        ticks[k] = (int64_t)measure(meeting, takers);
        if (ticks[k] == 0) {
            return bench_error(run, "%s with %zu processors: one of them did not finish in time",
                               primitive->name, (size_t)meeting->processors);
        }
        if (primitive->is_lock && meeting->contended.count != wanted) {
            return bench_fail(run,
                              "%s: its holders counted %lu acquisitions, expected %lu: it admitted "
                              "two processors at once",
                              primitive->name, meeting->contended.count, wanted);
        }
    }
    return BENCH_OK;
}

static enum bench_state measure_primitive(struct bench_run *run, const struct primitive *primitive,
                                          struct meeting *meeting, const struct takers *takers)
{
    const uint64_t trials = bench_number(run, "trials");
    int64_t *x = bench_samples(POINTS_MAX);
    int64_t *n = bench_samples(POINTS_MAX);
    int64_t *ticks = bench_samples(POINTS_MAX * trials);
    size_t points = 0;

    if (x == NULL || n == NULL || ticks == NULL) {
        return bench_error(run, "no memory for samples");
    }
    meeting->kernel = primitive->kernel;
    for (size_t at = 1; at <= takers->count && points < POINTS_MAX;
         at = processors_next(at, takers->count)) {
        meeting->processors = at;
        be_patient(meeting);
        const enum bench_state state =
            measure_point(run, primitive, meeting, takers, ticks + points * trials);

        if (state != BENCH_OK) {
            return state;
        }
        x[points] = (int64_t)at;
        n[points] = (int64_t)(meeting->repetitions * (primitive->is_lock ? at : 1));
        points++;
    }
    bench_publish(run, primitive->name_x, "processor", x, points);
    bench_publish(run, primitive->name_n, UNIT_COUNT, n, points);
    bench_publish(run, primitive->name, UNIT_TICK, ticks, points * trials);
    return BENCH_OK;
}

static enum bench_state run(struct bench_run *run)
{
    static const struct primitive primitives[] = {
        {CURVE_SPIN_LOCK, CURVE_SPIN_LOCK SUFFIX_X, CURVE_SPIN_LOCK SUFFIX_N, lines_spin_lock,
         true},
        {CURVE_TICKET_LOCK, CURVE_TICKET_LOCK SUFFIX_X, CURVE_TICKET_LOCK SUFFIX_N,
         lines_ticket_lock, true},
        {CURVE_BARRIER, CURVE_BARRIER SUFFIX_X, CURVE_BARRIER SUFFIX_N, lines_barrier, false},
    };
    static struct takers takers;
    struct meeting *meeting = bench_memory(sizeof(*meeting));

    if (meeting == NULL || !takers_find(run, &takers)) {
        return bench_error(run, "no memory for the list of processors");
    }
    meeting->repetitions = bench_number(run, "repetitions");
    for (size_t i = 0; i < sizeof(primitives) / sizeof(primitives[0]); i++) {
        const enum bench_state state = measure_primitive(run, &primitives[i], meeting, &takers);

        if (state != BENCH_OK) {
            return state;
        }
    }
    return bench_ok(run);
}

static const struct bench_param params[] = {
    {"processors", "256", "largest number of processors that take part",
     PARAM_NUMBER(2, PROCESSORS_MAX)},
    {"repetitions", "200", "acquisitions or barriers of each processor in a trial",
     PARAM_NUMBER(1, REPETITIONS_MAX)},
    {"trials", "5", "trials for each number of processors", PARAM_NUMBER(1, TRIALS_MAX)},
    {0},
};

/* These are for one processor alone. */
static const struct bench_estimate estimates[] = {
    {CURVE_SPIN_LOCK "@1", 10, 25, UNIT_CYCLE,
     "XCHG 20 cycles, a load before it, two stores after it"},
    {CURVE_TICKET_LOCK "@1", 8, 25, UNIT_CYCLE, "LOCK XADD 20 cycles, a load and a store after it"},
    {CURVE_BARRIER "@1", 11, 25, UNIT_CYCLE,
     "LOCK XADD 20 cycles; a single processor is always the last to arrive and never waits"},
    {0},
};

static const struct bench contention = {
    .name = BENCH_CONTENTION,
    .group = GROUP_SYSTEM,
    .summary = "cost of a spin lock, a ticket lock and a barrier with 1 to N processors",
    .unit = UNIT_TICK,
    .estimate =
        "one processor: 20 cycles for a locked instruction; 10 instructions for a spin lock, 8 for "
        "a ticket lock, 11 for a barrier. Several: each hand-over moves a cache line (bench "
        "lines). A ticket lock always goes to another processor, a spin lock may return to the one "
        "that released it. A barrier takes longer with each processor",
    .needs = NEED_PROCESSORS,
    .params = params,
    .estimates = estimates,
    .run = run,
};
BENCH_REGISTER(contention);
