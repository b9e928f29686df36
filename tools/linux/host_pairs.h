/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Costs of Linux's own operations, by once and twice: a trial times the operation alone and, right
 * after it, two of them. The difference is the cost of one, without the clock reads around it.
 *
 * Series NAME has the same meaning as that of the image: one operation between two stamps.
 * NAME.twice has two, `empty` has none. A bench calls host_begin(), times, and returns host_end().
 * After the first failure the other functions do nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "kernel/cpu/cpu.h"
#include "kernel/run/bench.h"

#define HOST_NAME_BYTES 64
#define HOST_WARM       30 /* trials before the first that is kept: a pipe changes after 20 */
/* operations of `trials` trials, the first ones included */
#define HOST_OPERATIONS(trials) (3 * (HOST_WARM + (size_t)(trials)))

/* Does one operation. Returns false, with errno set, if Linux refuses it. */
typedef bool host_operation(void *argument);

/* Samples of a cost, or of a curve: `trials` for each point, one point after another. */
struct host_pairs {
    size_t points, trials;
    int64_t *x, *n, *once, *twice;
};

/* The only parameter of the benches that use this file: the number of trials. */
#define PARAM_TRIALS "trials"
extern const struct bench_param host_params[];

/* Begins a bench. Unlocks the memory of this program until host_end(): Linux counts locked pages,
 * so that faults and forks would take longer than those of other programs. */
void host_begin(struct bench_run *run);
/* Publishes `empty` and ends the bench. Returns its state. */
enum bench_state host_end(void);
/* Returns false after the first failure. */
bool host_good(void);
/* Notes that Linux refused `what`, with errno, unless `good`. Returns `good`. */
bool host_check(bool good, const char *what);

/* Allocates the samples of `points` points. */
void host_open(struct host_pairs *pairs, size_t points);
/* Publishes NAME and NAME.twice; for a curve, whose points have an x, also NAME.x and NAME.n. */
void host_publish(const char *name, const struct host_pairs *pairs);

/* Starts a process that runs `body` and ends with this one. Returns its id, or -1. */
pid_t host_child(void (*body)(void *argument), void *argument);
/* Ends it. Does nothing if `child` is -1. */
void host_end_child(pid_t child);

/* Times a point. Inlined, so that the operation is, too. */
static inline __attribute__((always_inline)) void
host_time(const struct host_pairs *pairs, size_t point, host_operation *operation, void *argument)
{
    bool good = host_good();

    for (size_t i = 0; good && i < HOST_WARM + pairs->trials; i++) {
        const size_t at = point * pairs->trials + (i < HOST_WARM ? 0 : i - HOST_WARM);
        const uint64_t begin = tsc_read_ordered();

        good = operation(argument);
        const uint64_t middle = tsc_read_ordered();

        good = good && operation(argument) && operation(argument);
        pairs->twice[at] = (int64_t)(tsc_read_ordered() - middle);
        pairs->once[at] = (int64_t)(middle - begin);
    }
    host_check(good, "the operation");
}

/* Times and publishes a cost. */
static inline __attribute__((always_inline)) void
host_cost(const char *name, host_operation *operation, void *argument)
{
    struct host_pairs pairs;

    host_open(&pairs, 1);
    host_time(&pairs, 0, operation, argument);
    host_publish(name, &pairs);
}
