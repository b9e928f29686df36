/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench lines: how long a cache line takes from core to core. Two processors take turns on a word,
 * by store and load and by LOCK CMPXCHG, and each pair is measured in both roles.
 *
 * A round trip lasts from one write by processor a to its next: the line goes to b, b looks and
 * writes, the line returns, and a looks. Pairs (a, b) and (b, a) differ only in who waits first and
 * who writes first; the time is taken on a.
 */
#include "bench/system/lines.h"

#include <stdio.h>

#include "bench/system/names.h"
#include "bench/system/others.h"
#include "kernel/run/names.h"

#define REPETITIONS_MAX 1000000
#define TRIALS_MAX      1000
#define NAME_BYTES      32

struct side {
    take_turns *kernel;
    volatile uint64_t *turn;
    uint64_t expected;
    uint64_t rounds;
    struct patience patience;
    uint64_t ticks;
};

static void run_side(void *argument)
{
    struct side *side = argument;

    side->ticks = side->kernel(side->turn, side->expected, side->rounds, side->patience.looks,
                               side->patience.pauses);
}

static bool begin_side(size_t number, struct side *side)
{
    return number == processor_current() || processor_begin(number, run_side, side);
}

static bool end_side(size_t number, struct side *side)
{
    if (number == processor_current()) {
        return true;
    }
    return processor_await(number, takers_limit()) && side->ticks != 0;
}

/* Returns the ticks on processor a, or 0 if one of the two does not answer. */
static uint64_t measure_pair(const struct side *wanted, size_t a, size_t b)
{
    struct side sides[2] = {*wanted, *wanted};

    sides[1].expected = 1;
    *wanted->turn = 1; /* makes a wait until b has arrived */
    if (!begin_side(b, &sides[1]) || !begin_side(a, &sides[0])) {
        return 0;
    }
    if (a == processor_current()) {
        run_side(&sides[0]);
    } else if (b == processor_current()) {
        run_side(&sides[1]);
    }
    const bool good = end_side(a, &sides[0]);

    return end_side(b, &sides[1]) && good ? sides[0].ticks : 0;
}

/* Returns false if a processor does not answer; the reason is set then. */
static bool measure_all(struct bench_run *run, const struct takers *takers,
                        const struct side *wanted, int64_t *samples)
{
    const uint64_t trials = bench_number(run, "trials");

    for (size_t a = 0; a < takers->count; a++) {
        for (size_t b = 0; b < takers->count; b++) {
            for (size_t k = 0; a != b && k < trials; k++) {
                const uint64_t ticks = measure_pair(wanted, takers->number[a], takers->number[b]);

                if (ticks == 0) {
                    bench_error(run, "processor %zu or processor %zu did not answer",
                                takers->number[a], takers->number[b]);
                    return false;
                }
                samples[(a * takers->count + b) * trials + k] = (int64_t)ticks;
            }
        }
    }
    return true;
}

/* Measures by both methods with the line at wanted->turn. Series have the plain names, or those of
 * node `at` if it is not NULL. Returns BENCH_OK or BENCH_ERROR. */
static enum bench_state measure_at(struct bench_run *run, const struct takers *takers,
                                   struct side *wanted, const struct bench_node *at)
{
    static const struct {
        const char *name;
        take_turns *kernel;
    } methods[] = {{SERIES_STORE, lines_store}, {SERIES_CAS, lines_cas}};
    const size_t count = takers->count * takers->count * bench_number(run, "trials");

    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        int64_t *samples = bench_samples(count);
        char name[NAME_BYTES];

        wanted->kernel = methods[i].kernel;
        if (samples == NULL) {
            return bench_error(run, "no memory for %zu samples", count);
        }
        if (!measure_all(run, takers, wanted, samples)) {
            return BENCH_ERROR;
        }
        snprintf(name, sizeof(name), at != NULL ? SERIES_AT_NODE : "%s", methods[i].name,
                 at != NULL ? at->number : 0);
        bench_publish(run, name, UNIT_TICK, samples, count);
    }
    return BENCH_OK;
}

static enum bench_state run(struct bench_run *run)
{
    static struct takers takers;
    struct bench_node node;
    const uint64_t trials = bench_number(run, "trials");
    struct side wanted = {
        .turn = bench_memory(LINE_BYTES),
        .rounds = bench_number(run, "repetitions"),
        .patience = takers_patience(TAKERS_ANSWER_US),
    };

    if (wanted.turn == NULL || !takers_find(run, &takers)) {
        return bench_error(run, "no memory for the list of processors");
    }
    bench_fact(run, FACT_TRIALS, UNIT_COUNT, (int64_t)trials);
    bench_fact(run, FACT_REPETITIONS, UNIT_COUNT, (int64_t)wanted.rounds);
    enum bench_state state = measure_at(run, &takers, &wanted, NULL);

    for (size_t i = 0; state == BENCH_OK && bench_node(i, &node); i++) {
        char home[NAME_BYTES];

        snprintf(home, sizeof(home), FACT_HOME_OF_NODE, node.number);
        bench_fact(run, home, UNIT_BYTE, (int64_t)(uintptr_t)node.page);
        wanted.turn = node.page;
        state = measure_at(run, &takers, &wanted, &node);
    }
    return state == BENCH_OK ? bench_ok(run) : state;
}

static const struct bench_param params[] = {
    {"processors", "32", "largest number of processors that take part",
     PARAM_NUMBER(2, PROCESSORS_MAX)},
    {"repetitions", "200", "round trips of a trial", PARAM_NUMBER(1, REPETITIONS_MAX)},
    {"trials", "5", "trials of each pair, in each role and with each method",
     PARAM_NUMBER(1, TRIALS_MAX)},
    {0},
};

/* Estimates are for one round trip. */
static const struct bench_estimate estimates[] = {
    {SERIES_STORE, 30, 200, UNIT_CYCLE,
     "each side: look, write and loop 7 instructions; if one host thread emulates all processors, "
     "a failed look with PAUSE, 8 more. Otherwise the line moves twice: about 25 cycles each way "
     "between threads of a core, 100 within a chip, 300 and more between packages"},
    {SERIES_CAS, 32, 240, UNIT_CYCLE,
     "as store, with one more instruction per failed look, and LOCK: 20 cycles"},
    {0},
};

static const struct bench lines = {
    .name = BENCH_LINES,
    .group = GROUP_SYSTEM,
    .summary =
        "round trip of a cache line between each pair of cores, by store and by compare-and-swap",
    .unit = UNIT_TICK,
    .estimate =
        "threads of a core below 100 cycles, cores of a package 100 to 300, packages 300 to 1000; "
        "(a, b) and (b, a) equal within noise; emulated: the instructions of both sides",
    .needs = NEED_PROCESSORS,
    .params = params,
    .estimates = estimates,
    .run = run,
};
BENCH_REGISTER(lines);
