/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Costs of Linux's own operations, by once and twice: a trial times the operation alone and, right
 * after it, two of them. The difference is the cost of one, without the clock reads around it.
 *
 * Series NAME has the same meaning as that of the image: one operation between two stamps.
 * NAME.twice has two, `empty` has none. After the first failure these functions do nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "kernel/cpu/cpu.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"

#define HOST_WARM 30 /* trials before the first that is kept: a pipe changes after 20 */
/* operations of `trials` trials, the first ones included */
#define HOST_OPERATIONS(trials) (3 * (HOST_WARM + (size_t)(trials)))

/* Does one operation. Returns false, with errno set, if Linux refuses it. */
typedef bool host_operation(void);

/* Samples of a cost, or of a curve: `trials` for each point, one point after another. */
struct host_pairs {
    size_t points, trials;
    int64_t *x, *n, *once;
    int64_t *twice; /* NULL: the operation cannot be timed twice in a row */
};

/* The only parameter of the benches that use this file: the number of trials. */
#define PARAM_TRIALS "trials"
extern const struct bench_param host_params[];

/* Runs a bench: `measure`, then series `empty`. The memory of this program is unlocked meanwhile:
 * Linux counts locked pages, so that faults and forks would take longer than those of other
 * programs. */
enum bench_state host_run(struct bench_run *run, void (*measure)(struct bench_run *run));

/* Registers bench ENTRY, which function measure_ENTRY() measures. */
#define HOST_BENCH(entry, its_name, its_group, its_summary)    \
    static enum bench_state run_##entry(struct bench_run *run) \
    {                                                          \
        return host_run(run, measure_##entry);                 \
    }                                                          \
    static const struct bench entry = {.name = (its_name),     \
                                       .group = (its_group),   \
                                       .summary = its_summary, \
                                       .unit = UNIT_TICK,      \
                                       .needs = NEED_CLOCK,    \
                                       .params = host_params,  \
                                       .run = run_##entry};    \
    BENCH_REGISTER(entry)

/* Returns false after the first failure. */
bool host_good(void);
/* Notes that Linux refused `what`, with errno, unless `good`. Returns `good`. */
bool host_check(bool good, const char *what);

/* Allocates the samples of `points` points. */
void host_open(struct host_pairs *pairs, size_t points);
/* Returns whether Linux left the trials of a cost alone. If not, `name` is absent. */
bool host_undisturbed(const char *name, const struct host_pairs *pairs);
/* Publishes NAME and NAME.twice; for a curve, whose points have an x, also NAME.x and NAME.n. */
void host_publish(const char *name, const struct host_pairs *pairs);

/* Starts a process that runs `body` and ends with this one. Returns its id, or -1. */
pid_t host_child(void (*body)(void));
/* Ends it. Does nothing if `child` is -1. */
void host_end_child(pid_t child);

/* Times a point. Inlined, so that the operation is, too. */
static inline __attribute__((always_inline)) void host_time(const struct host_pairs *pairs,
                                                            size_t point, host_operation *operation)
{
    bool good = host_good();

    for (size_t i = 0; good && i < HOST_WARM + pairs->trials; i++) {
        const size_t at = point * pairs->trials + (i < HOST_WARM ? 0 : i - HOST_WARM);
        const uint64_t begin = tsc_read_ordered();

        good = operation();
        const uint64_t middle = tsc_read_ordered();

        good = good && operation() && operation();
        pairs->twice[at] = (int64_t)(tsc_read_ordered() - middle);
        pairs->once[at] = (int64_t)(middle - begin);
    }
    host_check(good, "the operation");
}

/* Times and publishes a cost. */
static inline __attribute__((always_inline)) void host_cost(const char *name,
                                                            host_operation *operation)
{
    struct host_pairs pairs;

    host_open(&pairs, 1);
    host_time(&pairs, 0, operation);
    host_publish(name, &pairs);
}
