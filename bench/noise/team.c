/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/noise/team.h"

#include <stdio.h>
#include <string.h>

#include "bench/noise/names.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/names.h"
#include "kernel/run/processors.h"

/* Time from when all processors are ready until they begin. Meanwhile the kernel's processor writes
 * a word for each of them. If instructions are counted, all processors take their turns in that
 * time. */
#define START_US           20
#define START_INSTRUCTIONS 1000
/* More than any piece of work takes beyond the time that was requested. */
#define GRACE_US 30000000

/* The state of one of the other processors, on cache lines that no other shares. */
struct member {
    team_work *volatile work; /* NULL: it must return without working */
    void *state;
    uint64_t pauses; /* largest number of PAUSEs to wait for the origin */
    volatile uint64_t ready;
    volatile uint64_t origin; /* the origin by this processor's own TSC; 0: not known yet */
    volatile uint64_t done;
} __attribute__((aligned(128)));

static struct member members[PROCESSORS_MAX];

/* Returns false if a processor does not answer. */
static bool measure_skew(const struct team *team, struct skew *skews)
{
    const struct patience patience = takers_patience(TAKERS_ANSWER_US);

    skews[0] = (struct skew){0};
    for (size_t i = 1; i < team->takers.count; i++) {
        if (!skew_measure_by(team->takers.number[i], patience, takers_limit(), &skews[i])) {
            return false;
        }
    }
    return true;
}

bool team_gather(struct bench_run *run, struct team *team, const char **why)
{
    memset(team, 0, sizeof(*team));
    team->limit = clock_ticks_from_us(GRACE_US);
    run_processors_start();
    if (!takers_find(run, &team->takers)) {
        *why = "cannot allocate the list of processors";
        return false;
    }
    if (!measure_skew(team, team->before)) {
        *why = "a processor did not answer when its clock was compared";
        return false;
    }
    return true;
}

/* Runs on one of the other processors: waits for the origin and then works. */
static void take_part(void *argument)
{
    struct member *member = argument;
    uint64_t pauses = member->pauses;

    member->ready = 1;
    while (member->origin == 0 && pauses > 0) {
        cpu_pause();
        pauses--;
    }
    team_work *const work = member->work;

    if (member->origin == 0 || work == NULL) {
        return;
    }
    while ((int64_t)(member->origin - tsc_read()) > 0) {
        cpu_pause();
    }
    work(member->state, member->origin);
    member->done = 1;
}

static bool all_ready(const struct team *team)
{
    const struct patience patience = takers_patience(TAKERS_ANSWER_US);

    for (size_t i = 1; i < team->takers.count; i++) {
        if (!patience_wait(&members[i].ready, 1, patience)) {
            return false;
        }
    }
    return true;
}

/* Makes the processors that already wait return without working. */
static void let_go(const struct team *team)
{
    for (size_t i = 1; i < team->takers.count; i++) {
        members[i].work = NULL;
        members[i].origin = 1;
    }
    for (size_t i = 1; i < team->takers.count; i++) {
        processor_await(team->takers.number[i], takers_limit());
    }
}

static bool begin_all(struct team *team, team_work *work, void *const *states)
{
    const uint64_t pauses = takers_pauses(TAKERS_ANSWER_US);

    for (size_t i = 1; i < team->takers.count; i++) {
        members[i] = (struct member){.work = work, .state = states[i], .pauses = pauses};
    }
    for (size_t i = 1; i < team->takers.count; i++) {
        if (!processor_begin(team->takers.number[i], take_part, &members[i])) {
            return false;
        }
    }
    return all_ready(team);
}

/* Waits for all processors without halting as long as one of the others works: a halt would end
 * this processor's turn and take the LAPIC timer. */
static bool await_all(const struct team *team)
{
    const uint64_t start = tsc_read();
    bool good = true;

    for (size_t i = 1; i < team->takers.count; i++) {
        while (members[i].done == 0 && processor_works(team->takers.number[i]) &&
               tsc_read() - start < team->limit) {
            cpu_pause();
        }
    }
    for (size_t i = 1; i < team->takers.count; i++) {
        good =
            processor_await(team->takers.number[i], members[i].done ? takers_limit() : 0) && good;
    }
    return good;
}

bool team_run(struct team *team, team_work *work, void *const *states)
{
    const uint64_t instructions = clock_state()->ticks_per_instruction * START_INSTRUCTIONS;

    if (team->takers.count == 1) {
        team->origin = tsc_read_ordered();
        work(states[0], team->origin);
        return true;
    }
    if (!begin_all(team, work, states)) {
        let_go(team);
        return false;
    }
    team->origin = tsc_read() + clock_ticks_from_us(START_US) + instructions * team->takers.count;
    for (size_t i = 1; i < team->takers.count; i++) {
        members[i].origin = team->origin + (uint64_t)team->before[i].ticks;
    }
    while ((int64_t)(team->origin - tsc_read()) > 0) {
        cpu_pause();
    }
    work(states[0], team->origin);
    return await_all(team);
}

static bool publish_skews(const struct bench_run *run, const struct team *team,
                          const struct skew *skews, const char *name, const char *bound_name)
{
    const size_t count = team->takers.count;
    int64_t *ticks = bench_samples(count);
    int64_t *bounds = bench_samples(count);

    if (ticks == NULL || bounds == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        ticks[i] = skews[i].ticks;
        bounds[i] = skews[i].bound;
    }
    bench_publish(run, name, UNIT_TICK, ticks, count);
    bench_publish(run, bound_name, UNIT_TICK, bounds, count);
    return true;
}

bool team_publish(const struct bench_run *run, struct team *team)
{
    if (team->takers.count == 1) {
        return true;
    }
    return measure_skew(team, team->after) &&
           publish_skews(run, team, team->before, SERIES_TEAM_SKEW, SERIES_TEAM_BOUND) &&
           publish_skews(run, team, team->after, SERIES_TEAM_SKEW_AFTER, SERIES_TEAM_BOUND_AFTER);
}

const char *team_name(const struct team *team, size_t index, const char *name, bool own_is_bare,
                      char text[TEAM_NAME_MAX])
{
    if (index == 0 && own_is_bare) {
        return name;
    }
    snprintf(text, TEAM_NAME_MAX, "%s.%zu", name, team->takers.number[index]);
    return text;
}
