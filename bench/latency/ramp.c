/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench ramp: how fast the processor is after it was idle. It idles with PAUSE, HLT or MWAIT for a
 * known time, is woken by the LAPIC timer, and then does equal pieces of work back to back. For
 * each piece it keeps the ticks and, if the processor has APERF and MPERF, what they counted until
 * its end. Their ratio to the TSC gives the clock frequency (SDM volume 3, "Hardware Feedback").
 *
 * The first piece begins when the interrupt's handler has returned. A piece is the known loop of
 * two instructions an iteration, so its time depends only on the clock and not on memory. Between
 * two pieces the counters are read; series `at` includes the time for that.
 */
#include <stdio.h>

#include "bench/latency/names.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cpuid.h"
#include "kernel/cpu/known_loop.h"
#include "kernel/irq/doze.h"
#include "kernel/pmu/pmu.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"

#define STATES_MAX (MWAIT_HINTS_MAX + 2)
#define NAME_BYTES 48

#define CALIBRATIONS 5
#define PIECES_MIN   16
#define PIECES_MAX   20000

struct state {
    enum doze_kind kind;
    uint8_t hint;
    char name[12];
};

/* The samples of one state: sample k of trial i is at [i * pieces + k]. */
struct ramp {
    size_t trials, pieces;
    uint64_t iterations;
    /* ticks of a piece at full speed; in exact time each piece must match to the instruction */
    uint64_t piece;
    bool has_aperf;
    int64_t *work;  /* [trials * pieces] ticks of each piece */
    int64_t *at;    /* ticks from the wake-up's stamp to the end of the piece */
    int64_t *aperf; /* counted from the wake-up to the end of the piece */
    int64_t *mperf;
    int64_t *idle; /* [trials] ticks from the start of the timer to the wake-up's stamp */
};

static void work(struct ramp *ramp, size_t first, uint64_t woke)
{
    uint64_t aperf = 0;
    uint64_t mperf = 0;
    uint64_t aperf_now = 0;
    uint64_t mperf_now = 0;

    if (ramp->has_aperf) {
        pmu_aperf_mperf(&aperf, &mperf);
    }
    for (size_t i = first; i < first + ramp->pieces; i++) {
        ramp->work[i] = (int64_t)known_loop_short(ramp->iterations);
        if (ramp->has_aperf) {
            pmu_aperf_mperf(&aperf_now, &mperf_now);
        }
        ramp->at[i] = (int64_t)(tsc_read() - woke);
        ramp->aperf[i] = (int64_t)(aperf_now - aperf);
        ramp->mperf[i] = (int64_t)(mperf_now - mperf);
    }
}

static void measure(struct ramp *ramp, struct doze *doze, uint32_t counts)
{
    uint64_t armed;

    for (size_t trial = 0; trial < ramp->trials; trial++) {
        const uint64_t before = doze_for(doze, counts, &armed);

        work(ramp, trial * ramp->pieces, doze->woke);
        ramp->idle[trial] = (int64_t)(doze->woke - before);
    }
}

static size_t find_states(struct state states[STATES_MAX])
{
    struct cpu_identity identity;
    struct mwait_facts facts;
    size_t count = 2;

    cpu_identify(cpuid_instruction, &identity);
    mwait_find(cpuid_instruction, &identity, &facts);
    states[0] = (struct state){DOZE_PAUSE, 0, NAME_STATE_PAUSE};
    states[1] = (struct state){DOZE_HLT, 0, NAME_STATE_HLT};
    for (size_t i = 0; facts.offered && i < facts.hint_count; i++) {
        states[count] = (struct state){DOZE_MWAIT, facts.hint[i], ""};
        snprintf(states[count].name, sizeof(states[count].name), PREFIX_STATE_MWAIT "%02x",
                 facts.hint[i]);
        count++;
    }
    return count;
}

static bool take_memory(struct ramp *ramp)
{
    const size_t count = ramp->trials * ramp->pieces;

    ramp->work = bench_samples(count);
    ramp->at = bench_samples(count);
    ramp->aperf = bench_samples(count);
    ramp->mperf = bench_samples(count);
    ramp->idle = bench_samples(ramp->trials);
    return ramp->work != NULL && ramp->at != NULL && ramp->aperf != NULL && ramp->mperf != NULL &&
           ramp->idle != NULL;
}

static void publish_one(const struct bench_run *run, const char *prefix, const char *state,
                        const char *unit, const int64_t *samples, size_t count)
{
    char name[NAME_BYTES];

    snprintf(name, sizeof(name), "%s%s", prefix, state);
    bench_publish(run, name, unit, samples, count);
}

static void publish(const struct bench_run *run, const struct ramp *ramp, const char *state)
{
    const size_t count = ramp->trials * ramp->pieces;

    publish_one(run, PREFIX_RAMP_WORK, state, UNIT_TICK, ramp->work, count);
    publish_one(run, PREFIX_RAMP_AT, state, UNIT_TICK, ramp->at, count);
    publish_one(run, PREFIX_RAMP_IDLE, state, UNIT_TICK, ramp->idle, ramp->trials);
    if (ramp->has_aperf) {
        publish_one(run, PREFIX_RAMP_APERF, state, UNIT_CYCLE, ramp->aperf, count);
        publish_one(run, PREFIX_RAMP_MPERF, state, UNIT_CYCLE, ramp->mperf, count);
    }
}

/* Returns NULL, or a description of the fault. Checks that the processor idled for the requested
 * time, that APERF and MPERF advanced during all work, and that in exact time each piece took the
 * loop's ticks to the instruction. */
static const char *fault_of(const struct ramp *ramp, uint64_t span)
{
    const int64_t least = (int64_t)(span - span / RAMP_EARLY_PARTS);

    for (size_t i = 0; i < ramp->trials; i++) {
        if (ramp->idle[i] < least) {
            return "it woke before its deadline";
        }
    }
    for (size_t i = 0; i < ramp->trials * ramp->pieces; i++) {
        const bool first = i % ramp->pieces == 0;

        if (bench_is_exact() && ramp->work[i] != (int64_t)ramp->piece) {
            return "a piece of work did not take exactly the instructions of its loop";
        }
        if (ramp->has_aperf && (ramp->aperf[i] <= (first ? 0 : ramp->aperf[i - 1]) ||
                                ramp->mperf[i] <= (first ? 0 : ramp->mperf[i - 1]))) {
            return "APERF or MPERF does not advance while the processor works";
        }
    }
    return NULL;
}

/* Finds how many ticks a piece needs: two instructions an iteration, plus the code around the loop,
 * which is measured by running once and twice the number of iterations. Uses the minimum of several
 * runs, because the clock is fastest in that run. */
static void calibrate(struct ramp *ramp, uint64_t ticks)
{
    uint64_t once = UINT64_MAX;
    uint64_t twice = UINT64_MAX;

    for (size_t i = 0; i < CALIBRATIONS; i++) {
        const uint64_t n = known_loop_short(ramp->iterations);
        const uint64_t more = known_loop_short(2 * ramp->iterations);

        once = n < once ? n : once;
        twice = more < twice ? more : twice;
    }
    ramp->piece = once;
    if (bench_is_exact()) {
        ramp->piece =
            2 * ramp->iterations * clock_state()->ticks_per_instruction + 2 * once - twice;
    }
    ramp->pieces = once > 0 ? ticks / once : 0;
    ramp->pieces = ramp->pieces < PIECES_MIN ? PIECES_MIN : ramp->pieces;
    ramp->pieces = ramp->pieces > PIECES_MAX ? PIECES_MAX : ramp->pieces;
}

static enum bench_state measure_state(struct bench_run *run, struct ramp *ramp,
                                      const struct state *state, uint64_t ticks)
{
    struct doze *doze = bench_memory(sizeof(*doze));

    if (doze == NULL || !take_memory(ramp)) {
        return bench_error(run, "cannot allocate %zu pieces; lower ramp.trials or ramp.ms",
                           ramp->trials * ramp->pieces);
    }
    *doze = (struct doze){.kind = state->kind, .hint = state->hint};
    measure(ramp, doze, clock_lapic_counts(ticks));
    publish(run, ramp, state->name);
    const char *fault = fault_of(ramp, ticks);

    return fault == NULL ? BENCH_OK : bench_fail(run, "%s: %s", state->name, fault);
}

static enum bench_state run(struct bench_run *run)
{
    static struct state states[STATES_MAX];
    const uint64_t ticks = clock_ticks_from_us(bench_number(run, "idle_us"));
    const size_t count = find_states(states);
    struct ramp ramp = {
        .trials = bench_number(run, "trials"),
        .iterations = bench_number(run, "iterations"),
        .has_aperf = pmu_state()->has_aperf,
    };
    enum bench_state outcome = BENCH_OK;

    if (!ramp.has_aperf) {
        bench_absent(run, FACT_APERF,
                     "there is no APERF, or it does not advance; only the work shows the clock");
    }
    if (count == 2) {
        bench_absent(run, PREFIX_STATE_MWAIT, "CPUID has no MONITOR");
    }
    calibrate(&ramp, clock_ticks_from_us(bench_number(run, "ms") * 1000));
    doze_begin();
    for (size_t i = 0; i < count && outcome == BENCH_OK; i++) {
        outcome = measure_state(run, &ramp, &states[i], ticks);
    }
    doze_end();
    bench_fact(run, FACT_TRIALS, UNIT_COUNT, (int64_t)ramp.trials);
    bench_fact(run, FACT_RAMP_PIECES, UNIT_COUNT, (int64_t)ramp.pieces);
    bench_fact(run, FACT_INNER_ITERATIONS, UNIT_COUNT, (int64_t)ramp.iterations);
    return outcome == BENCH_OK ? bench_ok(run) : outcome;
}

static const struct bench_param params[] = {
    {"idle_us", "1000", "how long it idles before each trial, in us", PARAM_TIME(10, 10000000)},
    {"trials", "3", "number of trials of each state", PARAM_NUMBER(1, 1000)},
    {"ms", "2", "length of the work after each wake-up at full speed, in ms", PARAM_TIME(1, 1000)},
    {"iterations", "20000", "iterations of the loop of two instructions in a piece",
     PARAM_NUMBER(100, 10000000)},
    {0},
};

static const struct bench ramp = {
    .name = BENCH_RAMP,
    .group = GROUP_LATENCY,
    .summary = "how fast the processor is after it was idle, piece by piece",
    .unit = UNIT_TICK,
    .estimate = "after PAUSE full speed at once; after HLT or MWAIT 10 us to several ms until the "
                "clock has settled; in exact time each piece is the same to the instruction",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .run = run,
};
BENCH_REGISTER(ramp);
