/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench inversion: priority inversion of known length.
 *
 *     0               "low" takes a lock and works for HOLD
 *     HOLD / 5        "high" is woken and wants the lock
 *     2 HOLD / 5      "medium" is woken and works for MEDIUM, without any lock
 *
 * In variant plain, "medium" keeps "low" from running, and "high" waits for both. With inheritance
 * "low" has the priority of "high" until it releases the lock, so "high" waits only for the rest of
 * HOLD. In the chain, "high" wants a lock of "link", which wants the lock of "low": "high" waits
 * for the rest of HOLD and for the work of "link" under its lock, HOLD / 5, and for nothing else.
 *
 * "low" wakes the others as its work progresses, because timers that are late, as under a
 * hypervisor, would wake them in another order. Work is a number of iterations of the idle loop's
 * inner loop, so the wait to be observed is known. Another order is a FAIL, because the scheduler
 * broke its rules. In exact time, a wait that is off by more than the tolerance is a FAIL as well.
 * In real time a wait is off if SMM or a hypervisor took the processor away meanwhile, or if the
 * processor runs faster than when it was calibrated: then the variant is tried again, and the
 * number of failed tries is reported.
 */
#include <stdio.h>

#include "bench/tasks/names.h"
#include "bench/tasks/session.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/names.h"
#include "kernel/task/locks.h"
#include "kernel/trace/object.h"

/* tolerance in exact time; the switches and calls around a wait take about 1500 */
#define EXACT_INSTRUCTIONS 4000

#define MILLISECOND_US 1000
#define LEAD_US        1000 /* idle time before a variant starts */
#define PARTS          10   /* parts of HOLD in which woken_at counts */
#define HIGH_AT        2
#define LINK_WORK      2
#define NAME_MAX       32
#define TRIES          5

enum role {
    LOW,
    LINK,
    MEDIUM,
    HIGH,
    ROLES,
};

static const struct {
    const char *name;
    unsigned priority;
    unsigned woken_at; /* number of the part of HOLD in which it is woken */
} roles[ROLES] = {
    [LOW] = {"low", 5, 0},
    [LINK] = {"link", 8, 1},
    [MEDIUM] = {"medium", 10, 4},
    [HIGH] = {THREAD_HIGH, 15, HIGH_AT},
};

enum variant_kind {
    PLAIN,
    INHERIT,
    CHAIN,
    VARIANTS,
};

struct variant {
    enum variant_kind kind;
    struct semaphore turn[ROLES];
    struct mutex lock;    /* lock of "low" */
    struct mutex linked;  /* lock of "link" */
    uint64_t waited;      /* ticks that "high" waited */
    bool medium_done;     /* "medium" had finished its work when "high" got its lock */
    bool low_inside;      /* "low" was still holding its lock when "high" got its lock */
    volatile bool medium; /* "medium" has finished its work */
    volatile bool inside;
    char thread_name[ROLES][NAME_MAX];
    char turn_name[ROLES][NAME_MAX];
    char lock_name[2][NAME_MAX];
    struct thread *thread[ROLES]; /* NULL: not part of this variant */
};

static const char *const variant_names[VARIANTS] = {VARIANT_PLAIN, VARIANT_INHERIT, VARIANT_CHAIN};

static struct variant variants[VARIANTS][TRIES];
static size_t disturbed[VARIANTS]; /* number of tries before the last one */
static uint64_t hold;              /* ticks */
static uint64_t medium;            /* ticks */
static uint64_t tolerance;         /* ticks */
static struct idle_calibration calibration;

/* ---- the threads ---- */

static void work(uint64_t ticks)
{
    idle_loop_spin(idle_loop_iterations(&calibration, ticks));
}

static void wake(struct variant *variant, unsigned part)
{
    for (enum role role = LINK; role < ROLES; role++) {
        if (variant->thread[role] != NULL && roles[role].woken_at == part) {
            semaphore_post(&variant->turn[role]);
        }
    }
}

static void run_low(void *argument)
{
    struct variant *variant = argument;

    mutex_lock(&variant->lock);
    variant->inside = true;
    for (unsigned part = 0; part < PARTS; part++) {
        wake(variant, part);
        work(hold / PARTS);
    }
    variant->inside = false;
    mutex_unlock(&variant->lock);
}

static void run_link(void *argument)
{
    struct variant *variant = argument;

    semaphore_wait(&variant->turn[LINK]);
    mutex_lock(&variant->linked);
    mutex_lock(&variant->lock);
    work(LINK_WORK * hold / PARTS);
    mutex_unlock(&variant->lock);
    mutex_unlock(&variant->linked);
}

static void run_medium(void *argument)
{
    struct variant *variant = argument;

    semaphore_wait(&variant->turn[MEDIUM]);
    work(medium);
    variant->medium = true;
}

static void run_high(void *argument)
{
    struct variant *variant = argument;
    struct mutex *wanted = variant->kind == CHAIN ? &variant->linked : &variant->lock;

    semaphore_wait(&variant->turn[HIGH]);
    const uint64_t before = tsc_read();

    mutex_lock(wanted);
    variant->waited = tsc_read() - before;
    variant->medium_done = variant->medium;
    variant->low_inside = variant->inside;
    mutex_unlock(wanted);
}

/* ---- the run ---- */

static uint64_t expected_wait(enum variant_kind kind)
{
    const uint64_t rest = hold - HIGH_AT * hold / PARTS;

    if (kind == PLAIN) {
        return rest + medium;
    }
    return kind == INHERIT ? rest : rest + LINK_WORK * hold / PARTS;
}

static void create_locks(struct variant *variant)
{
    const char *name = variant_names[variant->kind];

    snprintf(variant->lock_name[0], NAME_MAX, "%s lock", name);
    mutex_init(&variant->lock, variant->lock_name[0], variant->kind != PLAIN);
    if (variant->kind == CHAIN) {
        snprintf(variant->lock_name[1], NAME_MAX, "%s linked lock", name);
        mutex_init(&variant->linked, variant->lock_name[1], true);
    }
}

static bool create_threads(struct variant *variant)
{
    static thread_entry *const entries[ROLES] = {
        [LOW] = run_low, [LINK] = run_link, [MEDIUM] = run_medium, [HIGH] = run_high};

    for (enum role role = 0; role < ROLES; role++) {
        if (role == LINK && variant->kind != CHAIN) {
            continue;
        }
        snprintf(variant->thread_name[role], NAME_MAX, "%s %s", variant_names[variant->kind],
                 roles[role].name);
        snprintf(variant->turn_name[role], NAME_MAX, "%s %s's turn", variant_names[variant->kind],
                 roles[role].name);
        semaphore_init(&variant->turn[role], variant->turn_name[role], 0);
        variant->thread[role] =
            thread_create(variant->thread_name[role], roles[role].priority, entries[role], variant);
        if (variant->thread[role] == NULL) {
            return false;
        }
    }
    return true;
}

static bool run_variant(struct variant *variant)
{
    thread_sleep_until(tsc_read() + clock_ticks_from_us(LEAD_US));
    create_locks(variant);
    trace_mark(trace_object_add(OBJECT_MARK, variant_names[variant->kind]),
               expected_wait(variant->kind));
    if (!create_threads(variant)) {
        return false;
    }
    for (enum role role = 0; role < ROLES; role++) {
        if (variant->thread[role] != NULL) {
            thread_join(variant->thread[role]);
        }
    }
    return true;
}

static bool is_off(const struct variant *variant)
{
    const uint64_t expected = expected_wait(variant->kind);

    return variant->waited > expected + tolerance || variant->waited + tolerance < expected;
}

/* Returns true if the scheduler broke its rules; no disturbance from outside can cause these
 * errors. */
static bool is_wrong(const struct variant *variant)
{
    return variant->low_inside || variant->medium_done != (variant->kind == PLAIN) ||
           (is_off(variant) && bench_is_exact());
}

/* Renames the threads of a disturbed try, because the next try uses the same names, and two threads
 * in a trace must not have the same name. */
static void rename_disturbed(struct variant *variant, size_t try)
{
    for (enum role role = 0; role < ROLES; role++) {
        snprintf(variant->thread_name[role], NAME_MAX, "%s %s, disturbed try %zu",
                 variant_names[variant->kind], roles[role].name, try + 1);
    }
}

/* Returns false if there is no memory. */
static bool try_variant(enum variant_kind kind)
{
    for (size_t try = 0; try < TRIES; try++) {
        struct variant *variant = &variants[kind][try];

        *variant = (struct variant){.kind = kind};
        disturbed[kind] = try;
        if (!run_variant(variant)) {
            return false;
        }
        if (is_wrong(variant) || !is_off(variant)) {
            return true;
        }
        if (try + 1 < TRIES) {
            rename_disturbed(variant, try);
        }
    }
    return true;
}

static enum bench_state run_variants(struct bench_run *run)
{
    for (enum variant_kind kind = 0; kind < VARIANTS; kind++) {
        if (!try_variant(kind)) {
            return session_no_threads(run);
        }
    }
    return BENCH_OK;
}

static void publish_fact(struct bench_run *run, enum variant_kind kind, const char *what,
                         const char *unit, uint64_t value)
{
    char name[NAME_MAX];

    snprintf(name, sizeof(name), "%s_%s", variant_names[kind], what);
    bench_fact(run, name, unit, (int64_t)value);
}

/* Publishes all variants before judging them. */
static enum bench_state publish(struct bench_run *run)
{
    enum bench_state state = bench_ok(run);

    for (enum variant_kind kind = 0; kind < VARIANTS; kind++) {
        const struct variant *variant = &variants[kind][disturbed[kind]];

        publish_fact(run, kind, FACT_EXPECTED, UNIT_TICK, expected_wait(kind));
        publish_fact(run, kind, FACT_OBSERVED, UNIT_TICK, variant->waited);
        if (disturbed[kind] > 0) {
            publish_fact(run, kind, "disturbed", UNIT_COUNT,
                         disturbed[kind] + (is_off(variant) ? 1 : 0));
        }
        if (is_wrong(variant)) {
            state = bench_fail(run,
                               "%s: `high` waited %lu ticks, expected %lu; it got the lock %s the "
                               "work of `medium`%s",
                               variant_names[kind], variant->waited, expected_wait(kind),
                               variant->medium_done ? "after" : "before",
                               variant->low_inside ? ", while `low` still held it" : "");
        }
    }
    return state;
}

static enum bench_state run(struct bench_run *run)
{
    const uint64_t hold_us = bench_number(run, "hold_ms") * MILLISECOND_US;
    const uint64_t medium_us = bench_number(run, "medium_ms") * MILLISECOND_US;
    struct session session = {
        .sample_us = bench_number(run, "sample_us"),
        .length_us = VARIANTS * (LEAD_US + 2 * hold_us + medium_us),
    };
    enum bench_state state = session_begin(run, &session);

    if (state != BENCH_OK) {
        return state;
    }
    hold = clock_ticks_from_us(hold_us);
    medium = clock_ticks_from_us(medium_us);
    tolerance = bench_is_exact()
                    ? (uint64_t)EXACT_INSTRUCTIONS * clock_state()->ticks_per_instruction
                    : clock_ticks_from_us(bench_number(run, "tolerance_us"));
    calibration = session.calibration;
    state = session_end(run, &session, run_variants(run));
    return state == BENCH_OK ? publish(run) : state;
}

static const struct bench_param params[] = {
    {"hold_ms", "5", "work in ms under the lock for which the high priority waits",
     PARAM_TIME(1, 1000)},
    {"medium_ms", "10", "work in ms of the thread of medium priority", PARAM_TIME(1, 10000)},
    {"tolerance_us", "2000",
     "largest difference in us between the wait and its expected length; in exact time 4000 "
     "instructions",
     PARAM_TIME(1, 1000000)},
    {"sample_us", "100", "length of an idle sample in us", PARAM_TIME(10, 1000000)},
    {0},
};

static const struct bench inversion = {
    .name = BENCH_INVERSION,
    .group = "tasks",
    .summary = "priority inversion of known length, without and with inheritance, and in a chain",
    .unit = UNIT_TICK,
    .estimate =
        "the highest priority waits 4/5 of hold_ms, plus medium_ms without inheritance; in the "
        "chain hold_ms; in addition a few switches and interrupts, about 1000 instructions",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .run = run,
};
BENCH_REGISTER(inversion);
