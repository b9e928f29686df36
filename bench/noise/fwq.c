/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench fwq: fixed work quanta, on all processors at once. The work is the calibrated idle loop
 * (kernel/clock/idle_loop.h). Each piece ends where the next one begins, so there is no dead time;
 * whatever a piece takes beyond the shortest piece was lost to something else.
 *
 * In exact time one host thread emulates all processors, which take turns at the end of each piece.
 * A piece is then as long as the work of all processors.
 */
#include "bench/noise/fwq_work.h"
#include "bench/noise/names.h"
#include "bench/noise/team.h"
#include "kernel/clock/idle_loop.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"

/* Tolerance in exact time, in percent of the calibrated length: a piece also includes loop entry,
 * stamp and PAUSE. */
#define TOLERANCE_PERCENT 5

static struct team team;

static struct fwq_work *take_memory(const struct bench_run *run, uint64_t inner)
{
    struct fwq_work *workers = bench_memory(team.takers.count * sizeof(*workers));
    const size_t count = bench_number(run, "samples");

    for (size_t i = 0; i < team.takers.count && workers != NULL; i++) {
        workers[i] = (struct fwq_work){
            .stamps = bench_samples(count + 1),
            .lengths = bench_samples(count),
            .count = count,
            .inner = inner,
            .pauses = bench_is_exact() && team.takers.count > 1,
        };
        if (workers[i].stamps == NULL || workers[i].lengths == NULL) {
            return NULL;
        }
    }
    return workers;
}

static void publish(struct bench_run *run, size_t index, struct fwq_work *worker)
{
    const int64_t elapsed = worker->stamps[worker->count] - worker->stamps[0];
    char name[TEAM_NAME_MAX];

    for (size_t i = 0; i < worker->count; i++) {
        worker->lengths[i] = worker->stamps[i + 1] - worker->stamps[i];
    }
    bench_publish(run, team_name(&team, index, SERIES_WORK, false, name), UNIT_TICK,
                  worker->lengths, worker->count);
    bench_fact(run, team_name(&team, index, FACT_ORIGIN, false, name), UNIT_TICK,
               (int64_t)worker->late);
    bench_fact(run, team_name(&team, index, FACT_GAP_ELAPSED, false, name), UNIT_TICK, elapsed);
}

/* Checks that the pieces add up to the whole watch. If instructions are counted, all pieces of a
 * single processor must be equal, and the middle piece must be as long as the work of all
 * processors. */
static enum bench_state judge(struct bench_run *run, size_t number, const struct fwq_work *worker,
                              uint64_t expected)
{
    const int64_t middle = worker->lengths[worker->count / 2];
    int64_t sum = 0;

    for (size_t i = 0; i < worker->count; i++) {
        if (worker->lengths[i] <= 0) {
            return bench_fail(run, "processor %zu: piece %zu took %ld ticks, expected more than 0",
                              number, i, worker->lengths[i]);
        }
        if (bench_is_exact() && team.takers.count == 1 && worker->lengths[i] != middle) {
            return bench_fail(run, "piece %zu took %ld ticks, expected %ld as in the middle piece",
                              i, worker->lengths[i], middle);
        }
        sum += worker->lengths[i];
    }
    if (sum != worker->stamps[worker->count] - worker->stamps[0]) {
        return bench_fail(
            run, "processor %zu: the pieces add up to %ld ticks, expected the %ld ticks measured",
            number, sum, worker->stamps[worker->count] - worker->stamps[0]);
    }
    if (bench_is_exact() && (uint64_t)middle * 100 < expected * (100 - TOLERANCE_PERCENT)) {
        return bench_fail(run,
                          "processor %zu: a piece took %ld ticks, expected the calibrated %lu or "
                          "at most 5 %% less",
                          number, middle, expected);
    }
    return bench_ok(run);
}

static enum bench_state finish(struct bench_run *run, struct fwq_work *workers, uint64_t expected)
{
    for (size_t i = 0; i < team.takers.count; i++) {
        publish(run, i, &workers[i]);
    }
    if (!team_publish(run, &team)) {
        return bench_error(
            run, "cannot compare the clocks again: no memory, or a processor does not answer");
    }
    for (size_t i = 0; i < team.takers.count; i++) {
        const enum bench_state state = judge(run, team.takers.number[i], &workers[i], expected);

        if (state != BENCH_OK) {
            return state;
        }
    }
    return bench_ok(run);
}

static enum bench_state run(struct bench_run *run)
{
    struct idle_calibration calibration;
    void *states[PROCESSORS_MAX];
    const char *why = NULL;
    const enum bench_state calibrated =
        bench_calibrate(run, bench_number(run, "work_us"), &calibration);

    if (calibrated != BENCH_OK) {
        return calibrated;
    }
    if (!team_gather(run, &team, &why)) {
        return bench_error(run, "%s", why);
    }
    struct fwq_work *workers = take_memory(run, calibration.inner);

    if (workers == NULL) {
        return bench_error(run, "cannot allocate %lu samples; lower fwq.samples",
                           bench_number(run, "samples"));
    }
    for (size_t i = 0; i < team.takers.count; i++) {
        states[i] = &workers[i];
    }
    bench_fact(run, FACT_WORK, UNIT_TICK, (int64_t)calibration.sample_ticks);
    if (!team_run(&team, fwq_work, states)) {
        return bench_error(run, "a processor did not start or did not finish its work");
    }
    return finish(run, workers,
                  calibration.sample_ticks * (workers[0].pauses ? team.takers.count : 1));
}

static const struct bench_param params[] = {
    {"processors", "256", "largest number of processors that take part",
     PARAM_NUMBER(1, PROCESSORS_MAX)},
    {"work_us", "100", "length of a piece of work, in us", PARAM_TIME(1, 1000000)},
    {"samples", "300", "number of pieces on each processor", PARAM_NUMBER(1, 10000000)},
    {0},
};

static const struct bench fwq = {
    .name = BENCH_FWQ,
    .group = "noise",
    .summary = "fixed work quanta on all processors at once: the time of each piece",
    .unit = UNIT_TICK,
    .estimate = "each piece takes as long as the shortest, except for SMIs and changes of "
                "frequency; in exact mode all pieces are equal, and on several processors each is "
                "as long as the work of all",
    .needs = NEED_CLOCK,
    .params = params,
    .run = run,
};
BENCH_REGISTER(fwq);
