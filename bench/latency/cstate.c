/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench cstate: what it takes to leave an idle state. It sets the LAPIC timer, idles with HLT or
 * with MWAIT and each hint of CPUID leaf 5, and stamps the timer's interrupt among the first
 * instructions of its handler (kernel/irq/doze.h). The latency is the time from the deadline to
 * that stamp.
 *
 * The deadline is exact if the timer is set by TSC deadline. Otherwise it is the TSC before the
 * timer was set plus the timer's counts in ticks. The time to reach the timer's register is then
 * part of the latency; fact arm_ticks is its maximum. A state that ends without an interrupt is
 * entered again; this is counted and is not a latency.
 *
 * Each processor is measured alone while the others halt, and then all are measured at once,
 * because some states of a package are entered only when all of it idles.
 */
#include <stdio.h>

#include "bench/latency/names.h"
#include "bench/system/others.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpuid.h"
#include "kernel/cpu/scale.h"
#include "kernel/irq/doze.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"
#include "kernel/run/processors.h"

#define POINTS_MAX 16
#define STATES_MAX (MWAIT_HINTS_MAX + 1)
#define NAME_BYTES 48

/* Outside exact time an interrupt may seem early by what the timer's clock and the TSC may drift
 * apart: 2 us and a five-hundredth, four times what the clocks' verdict allows. */
#define EARLY_US    2
#define EARLY_PARTS 500
/* Limits in exact time, in instructions. The emulator's timer may be early by one. With a single
 * processor an interrupt may be late by the code from the stamp to the write that arms the timer,
 * and the entry of the handler. */
#define EXACT_EARLY 1
#define EXACT_LATE  64

struct state {
    enum doze_kind kind;
    uint8_t hint;
    char name[12];
};

/* Settings that are the same for all processors. */
struct sweep {
    size_t points, trials;
    int64_t *x; /* [points] the deadlines in us */
    int64_t *n; /* [points] number of samples of a trial: 1 */
    uint32_t counts[POINTS_MAX];
    uint64_t span[POINTS_MAX]; /* [points] the deadlines in ticks */
    bool by_tsc;               /* the timer is set by TSC deadline; otherwise by counts */
    size_t state_count;
    struct state states[STATES_MAX];
};

/* Measurement of one processor in one state. */
struct measured {
    struct doze doze;
    const struct sweep *sweep;
    int64_t *latency;
    uint64_t early; /* how often the state ended without an interrupt */
    uint64_t arm;   /* longest time to reach the timer's register, in ticks */
};

static uint64_t idle_for(struct measured *measured, size_t point, uint64_t *armed)
{
    const struct sweep *sweep = measured->sweep;

    return sweep->by_tsc ? doze_until(&measured->doze, sweep->span[point], armed)
                         : doze_for(&measured->doze, sweep->counts[point], armed);
}

/* Runs on any processor with interrupts off. The first round is not kept, because its caches are
 * cold. */
static void measure(void *argument)
{
    struct measured *measured = argument;
    const struct sweep *sweep = measured->sweep;
    uint64_t armed;

    measured->early = 0;
    idle_for(measured, 0, &armed);
    for (size_t trial = 0; trial < sweep->trials; trial++) {
        for (size_t point = 0; point < sweep->points; point++) {
            const uint64_t before = idle_for(measured, point, &armed);
            const int64_t spent = (int64_t)(measured->doze.woke - before);

            measured->latency[point * sweep->trials + trial] = spent - (int64_t)sweep->span[point];
            measured->early += measured->doze.ends - 1;
            measured->arm = armed - before > measured->arm ? armed - before : measured->arm;
        }
    }
}

static void find_states(struct sweep *sweep, const struct mwait_facts *facts)
{
    sweep->states[0] = (struct state){DOZE_HLT, 0, NAME_STATE_HLT};
    sweep->state_count = 1;
    for (size_t i = 0; facts->offered && i < facts->hint_count; i++) {
        struct state *state = &sweep->states[sweep->state_count++];

        *state = (struct state){DOZE_MWAIT, facts->hint[i], ""};
        snprintf(state->name, sizeof(state->name), PREFIX_STATE_MWAIT "%02x", facts->hint[i]);
    }
}

/* The deadlines are 1, 2.5, 5, 10 and so on times the shortest, up to the longest. Returns false if
 * there is not enough memory. */
static bool find_points(const struct bench_run *run, struct sweep *sweep)
{
    static const uint64_t steps[] = {10, 25, 50}; /* tenths */
    const uint64_t shortest = bench_number(run, "shortest_us");
    const uint64_t longest = bench_number(run, "longest_us");
    uint64_t decade = shortest;

    sweep->trials = bench_number(run, "trials");
    sweep->x = bench_samples(POINTS_MAX);
    sweep->n = bench_samples(POINTS_MAX);
    for (size_t i = 0; i < POINTS_MAX && sweep->x != NULL && sweep->n != NULL; i++) {
        const uint64_t us = decade * steps[i % 3] / 10;

        if (us > longest && sweep->points > 0) {
            break;
        }
        sweep->x[i] = (int64_t)us;
        sweep->n[i] = 1;
        sweep->counts[i] = clock_lapic_counts(clock_ticks_from_us(us));
        sweep->span[i] = sweep->by_tsc ? clock_ticks_from_us(us)
                                       : scale_u64(sweep->counts[i], clock_state()->verdict.hz,
                                                   clock_state()->lapic_hz);
        sweep->points++;
        decade *= i % 3 == 2 ? 10 : 1;
    }
    return sweep->points > 0;
}

static void publish(const struct bench_run *run, const struct measured *measured,
                    const char *prefix, const char *state, size_t number)
{
    const struct sweep *sweep = measured->sweep;
    char name[NAME_BYTES];

    snprintf(name, sizeof(name), "%s%s.%zu", prefix, state, number);
    bench_publish(run, name, UNIT_TICK, measured->latency, sweep->points * sweep->trials);
    snprintf(name, sizeof(name), "%s%s.%zu" SUFFIX_X, prefix, state, number);
    bench_publish(run, name, UNIT_MICROSECOND, sweep->x, sweep->points);
    snprintf(name, sizeof(name), "%s%s.%zu" SUFFIX_N, prefix, state, number);
    bench_publish(run, name, UNIT_COUNT, sweep->n, sweep->points);
    snprintf(name, sizeof(name), PREFIX_EARLY "%s%s.%zu", prefix, state, number);
    bench_fact(run, name, UNIT_COUNT, (int64_t)measured->early);
}

/* Returns NULL, or a description of the fault: an interrupt before its deadline or, in exact time
 * with a single processor, an interrupt after HLT that came later than EXACT_LATE allows. */
static const char *fault_of(const struct measured *measured, bool only_one)
{
    const struct sweep *sweep = measured->sweep;
    const int64_t instruction = clock_state()->ticks_per_instruction;

    for (size_t i = 0; i < sweep->points * sweep->trials; i++) {
        const int64_t span = (int64_t)sweep->span[i / sweep->trials];
        const int64_t early = bench_is_exact()
                                  ? EXACT_EARLY * instruction
                                  : (int64_t)clock_ticks_from_us(EARLY_US) + span / EARLY_PARTS;

        if (measured->latency[i] < -early) {
            return "it woke before its deadline";
        }
        if (bench_is_exact() && only_one && measured->doze.kind == DOZE_HLT &&
            measured->latency[i] > EXACT_LATE * instruction) {
            return "it woke more than 64 instructions after its deadline";
        }
    }
    return NULL;
}

/* ---- the processors ---- */

struct team {
    struct takers takers;
    struct measured *members;
};

/* Measures on the processors from `first` to `last`. The kernel's own processor, which is the
 * first, starts last. Returns false if a processor did not answer. */
static bool run_on(struct team *team, size_t first, size_t last)
{
    bool good = true;

    for (size_t i = first > 0 ? first : 1; i <= last; i++) {
        good = processor_begin(team->takers.number[i], measure, &team->members[i]) && good;
    }
    if (first == 0) {
        measure(&team->members[0]);
    }
    for (size_t i = first > 0 ? first : 1; i <= last; i++) {
        good = processor_await(team->takers.number[i], takers_limit()) && good;
    }
    return good;
}

static bool take_memory(struct team *team, const struct sweep *sweep, const struct state *state)
{
    for (size_t i = 0; i < team->takers.count; i++) {
        struct measured *member = &team->members[i];

        member->doze = (struct doze){.kind = state->kind, .hint = state->hint};
        member->sweep = sweep;
        member->latency = bench_samples(sweep->points * sweep->trials);
        if (member->latency == NULL) {
            return false;
        }
    }
    return true;
}

/* Measures one state, on one processor after the other or on all at once. */
static enum bench_state measure_state(struct bench_run *run, struct team *team,
                                      const struct sweep *sweep, const struct state *state,
                                      bool together)
{
    const size_t count = team->takers.count;
    enum bench_state outcome = BENCH_OK;

    if (!take_memory(team, sweep, state)) {
        return bench_error(run, "no memory");
    }
    for (size_t i = 0; i < (together ? 1 : count); i++) {
        if (!run_on(team, i, together ? count - 1 : i)) {
            return bench_error(run, "a processor did not come back from state %s", state->name);
        }
    }
    for (size_t i = 0; i < count; i++) {
        const char *fault = fault_of(&team->members[i], count == 1);

        publish(run, &team->members[i], together ? PREFIX_TOGETHER : PREFIX_ALONE, state->name,
                team->takers.number[i]);
        if (fault != NULL && outcome == BENCH_OK) {
            outcome = bench_fail(run, "%s on processor %zu: %s", state->name,
                                 team->takers.number[i], fault);
        }
    }
    return outcome;
}

static enum bench_state measure_all(struct bench_run *run, struct team *team,
                                    const struct sweep *sweep)
{
    enum bench_state outcome = BENCH_OK;

    for (size_t i = 0; i < sweep->state_count && outcome == BENCH_OK; i++) {
        outcome = measure_state(run, team, sweep, &sweep->states[i], false);
        if (outcome == BENCH_OK && team->takers.count > 1) {
            outcome = measure_state(run, team, sweep, &sweep->states[i], true);
        }
    }
    return outcome;
}

static enum bench_state run(struct bench_run *run)
{
    static struct sweep sweep;
    static struct team team;
    struct cpu_identity identity;
    struct mwait_facts facts;
    uint64_t arm = 0;

    sweep = (struct sweep){0};
    cpu_identify(cpuid_instruction, &identity);
    sweep.by_tsc = identity.tsc_deadline && bench_number(run, "tsc_deadline") != 0;
    bench_found(run, CSTATE_TIMER, sweep.by_tsc ? "TSC deadline" : "counts of the LAPIC timer");
    mwait_find(cpuid_instruction, &identity, &facts);
    run_processors_start();
    if (!takers_find(run, &team.takers) || !find_points(run, &sweep)) {
        return bench_error(run, "no memory");
    }
    team.members = bench_memory(team.takers.count * sizeof(*team.members));
    if (team.members == NULL) {
        return bench_error(run, "cannot allocate memory for %zu processors", team.takers.count);
    }
    find_states(&sweep, &facts);
    if (!facts.offered) {
        bench_absent(run, PREFIX_STATE_MWAIT, "CPUID has no MONITOR");
    }
    doze_begin();
    const enum bench_state outcome = measure_all(run, &team, &sweep);

    doze_end();
    for (size_t i = 0; i < team.takers.count; i++) {
        arm = team.members[i].arm > arm ? team.members[i].arm : arm;
    }
    bench_fact(run, FACT_CSTATE_ARM, UNIT_TICK, (int64_t)arm);
    bench_fact(run, FACT_CSTATE_COUNT, UNIT_TICK,
               sweep.by_tsc
                   ? 1
                   : (int64_t)scale_u64(1, clock_state()->verdict.hz, clock_state()->lapic_hz));
    bench_fact(run, FACT_TRIALS, UNIT_COUNT, (int64_t)sweep.trials);
    return outcome == BENCH_OK ? bench_ok(run) : outcome;
}

static const struct bench_param params[] = {
    {"processors", "32", "largest number of processors that take part",
     PARAM_NUMBER(1, PROCESSORS_MAX)},
    {"shortest_us", "20", "the shortest deadline, in us", PARAM_TIME(1, 1000000)},
    {"longest_us", "5000",
     "the longest deadline, in us; the deadlines are 1, 2.5, 5 and so on times the shortest",
     PARAM_TIME(1, 10000000)},
    {"tsc_deadline", "1", "1: set the timer by TSC deadline if CPUID offers it; 0: by counts",
     PARAM_NUMBER(0, 1)},
    {"trials", "3", "number of trials of each state and deadline", PARAM_NUMBER(1, 10000)},
    {0},
};

static const struct bench cstate = {
    .name = BENCH_CSTATE,
    .group = GROUP_LATENCY,
    .summary = "from a timer's deadline to the first instruction, by idle state and residency",
    .unit = UNIT_TICK,
    .estimate =
        "HLT and MWAIT 0: 1 to 2 us; C6 about 50 to 100 us, and more the longer it idled; in exact "
        "time about 20 instructions to reach the timer's register and to enter the handler",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .run = run,
};
BENCH_REGISTER(cstate);
