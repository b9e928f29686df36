/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench ftq: fixed time quanta, measured by the TSC, on all processors at once. It counts how many
 * units of work (iterations of the idle loop) were done in each quantum. A unit belongs to the
 * quantum in which it ends. Quanta have equal length and a common origin, so that they are a signal
 * sampled at equal distances, whose spectrum shows periodic noise (Sottile and Minnich, "Analysis
 * of microbenchmarks for performance tuning of clusters", CLUSTER 2004).
 *
 * A quantum is not a whole number of units, so the count alone has a period without any noise: the
 * beat of quantum and unit. The progress of the unit under way at the end of each quantum is
 * therefore kept as well.
 *
 * For tests, an injector interrupts the work on the kernel's processor with a known period and
 * share of the time.
 */
#include "bench/noise/ftq_work.h"
#include "bench/noise/names.h"
#include "bench/noise/team.h"
#include "kernel/clock/clock.h"
#include "kernel/clock/idle_loop.h"
#include "kernel/cpu/scale.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"

#define HZ_US   1000000
#define MILLION 1000000

static struct team team;

static bool set_injector(struct bench_run *run, struct ftq_work *worker,
                         const struct idle_calibration *calibration)
{
    const uint64_t hz = bench_number(run, "thief_hz");

    worker->injector_period = clock_ticks_from_us(HZ_US) / hz;
    worker->injector_iterations = idle_loop_iterations(
        calibration, scale_u64(worker->injector_period, bench_number(run, "thief_ppm"), MILLION));
    worker->injector_iterations += worker->injector_iterations == 0 ? 1 : 0;
    worker->injections_max = worker->quantum * worker->quanta / worker->injector_period + 1;
    worker->injection_time = bench_samples(worker->injections_max);
    bench_fact(run, FACT_INJECTOR, UNIT_TICK,
               (int64_t)idle_loop_ticks(calibration, worker->injector_iterations));
    return worker->injection_time != NULL;
}

static struct ftq_work *take_memory(const struct bench_run *run)
{
    struct ftq_work *workers = bench_memory(team.takers.count * sizeof(*workers));

    for (size_t i = 0; i < team.takers.count && workers != NULL; i++) {
        workers[i] = (struct ftq_work){
            .quantum = clock_ticks_from_us(bench_number(run, "quantum_us")),
            .quanta = bench_number(run, "quanta"),
            .iterations = bench_number(run, "unit"),
            .pauses = bench_is_exact() && team.takers.count > 1,
            .done = bench_samples(bench_number(run, "quanta")),
            .carry = bench_samples(bench_number(run, "quanta")),
        };
        if (workers[i].done == NULL || workers[i].carry == NULL) {
            return NULL;
        }
    }
    return workers;
}

static void publish(struct bench_run *run, size_t index, const struct ftq_work *worker)
{
    char name[TEAM_NAME_MAX];

    /* A unit that was interrupted took longer than a unit; limit its progress to one unit. */
    for (size_t i = 0; i < worker->quanta; i++) {
        worker->carry[i] = worker->carry[i] < (int64_t)worker->shortest ? worker->carry[i]
                                                                        : (int64_t)worker->shortest;
    }
    bench_publish(run, team_name(&team, index, SERIES_CARRY, false, name), UNIT_TICK, worker->carry,
                  worker->quanta);
    bench_publish(run, team_name(&team, index, SERIES_DONE, false, name), UNIT_COUNT, worker->done,
                  worker->quanta);
    bench_fact(run, team_name(&team, index, FACT_ORIGIN, false, name), UNIT_TICK,
               (int64_t)worker->late);
    bench_fact(run, team_name(&team, index, FACT_GAP_ELAPSED, false, name), UNIT_TICK,
               (int64_t)worker->elapsed);
    bench_fact(run, team_name(&team, index, FACT_UNIT_OF_FTQ, false, name), UNIT_TICK,
               (int64_t)worker->shortest);
    bench_fact(run, team_name(&team, index, FACT_UNITS, false, name), UNIT_COUNT,
               (int64_t)worker->units);
    if (worker->injector_period != 0) {
        const size_t kept = worker->injections < worker->injections_max ? worker->injections
                                                                        : worker->injections_max;

        bench_publish(run, team_name(&team, index, SERIES_INJECTED_TIME, false, name), UNIT_TICK,
                      worker->injection_time, kept);
    }
}

/* Checks that each unit was done in one quantum, except the last, which ended after all quanta, and
 * that the units together took no longer than the watch. If instructions are counted on one
 * processor, two quanta may differ by at most one unit. */
static enum bench_state judge(struct bench_run *run, size_t number, const struct ftq_work *worker)
{
    int64_t least = INT64_MAX;
    int64_t most = 0;
    int64_t sum = 0;

    for (size_t i = 0; i < worker->quanta; i++) {
        sum += worker->done[i];
        least = i > 0 && worker->done[i] < least ? worker->done[i] : least;
        most = i > 0 && worker->done[i] > most ? worker->done[i] : most;
    }
    if ((uint64_t)sum + 1 != worker->units) {
        return bench_fail(
            run, "processor %zu: expected %lu units in the quanta (all but the last one), got %ld",
            number, worker->units - 1, sum);
    }
    if (worker->units > 2 && (worker->units - 2) * worker->shortest > worker->elapsed) {
        return bench_fail(
            run,
            "processor %zu: %lu units of at least %lu ticks do not fit into the %lu ticks measured",
            number, worker->units, worker->shortest, worker->elapsed);
    }
    if (bench_is_exact() && team.takers.count == 1 && worker->injector_period == 0 &&
        most - least > 1) {
        return bench_fail(
            run, "quanta hold %ld to %ld units, expected a difference of at most 1 in exact time",
            least, most);
    }
    return bench_ok(run);
}

static enum bench_state finish(struct bench_run *run, const struct ftq_work *workers)
{
    bench_fact(run, FACT_QUANTUM, UNIT_TICK, (int64_t)workers[0].quantum);
    bench_fact(run, FACT_UNIT_OF_FTQ, UNIT_TICK, (int64_t)workers[0].shortest);
    for (size_t i = 0; i < team.takers.count; i++) {
        publish(run, i, &workers[i]);
    }
    if (!team_publish(run, &team)) {
        return bench_error(
            run, "cannot compare the clocks again: no memory, or a processor does not answer");
    }
    for (size_t i = 0; i < team.takers.count; i++) {
        const enum bench_state state = judge(run, team.takers.number[i], &workers[i]);

        if (state != BENCH_OK) {
            return state;
        }
    }
    return bench_ok(run);
}

static enum bench_state run(struct bench_run *run)
{
    struct idle_calibration calibration = {0};
    void *states[PROCESSORS_MAX];
    const char *why = NULL;

    if (bench_number(run, "thief_hz") > 0) {
        const enum bench_state state = bench_calibrate(run, 100, &calibration);

        if (state != BENCH_OK) {
            return state;
        }
    }
    if (!team_gather(run, &team, &why)) {
        return bench_error(run, "%s", why);
    }
    struct ftq_work *workers = take_memory(run);

    if (workers == NULL ||
        (bench_number(run, "thief_hz") > 0 && !set_injector(run, &workers[0], &calibration))) {
        return bench_error(run, "cannot allocate %lu quanta; lower ftq.quanta",
                           bench_number(run, "quanta"));
    }
    for (size_t i = 0; i < team.takers.count; i++) {
        states[i] = &workers[i];
    }
    if (!team_run(&team, ftq_work, states)) {
        return bench_error(run, "a processor did not start or did not finish its work");
    }
    return finish(run, workers);
}

static const struct bench_param params[] = {
    {"processors", "256", "largest number of processors that take part",
     PARAM_NUMBER(1, PROCESSORS_MAX)},
    {"quantum_us", "500", "length of a quantum, in us", PARAM_TIME(1, 1000000)},
    {"quanta", "200", "number of quanta", PARAM_NUMBER(2, 10000000)},
    {"unit", "32", "iterations of the idle loop in a unit of work", PARAM_NUMBER(1, 1000000000)},
    {"thief_hz", "0", "injected interruptions a second; 0: none", PARAM_NUMBER(0, 1000000)},
    {"thief_ppm", "10", "share of the time that they take, in millionths", PARAM_NUMBER(1, 500000)},
    {0},
};

static const struct bench ftq = {
    .name = BENCH_FTQ,
    .group = "noise",
    .summary = "fixed time quanta on all processors at once: units of work done in each",
    .unit = UNIT_COUNT,
    .estimate =
        "each quantum holds the same number of units, give or take one; a unit is 32 iterations "
        "and a TSC reading, about 60 to 100 ticks; an SMI reduces the units of its quantum",
    .needs = NEED_CLOCK,
    .params = params,
    .run = run,
};
BENCH_REGISTER(ftq);
