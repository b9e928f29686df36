/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The longest actions of a bench by name, each in all systems beside each other (Endo et al. 1996,
 * table 1). A system is a phase of the bench; a bench without phases is one system. The same action
 * of two systems is the one of the same class and the same number within that class.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/interactive/host/measure/actions.h"
#include "bench/interactive/host/measure/interactive.h"
#include "bench/interactive/host/measure/latency.h"

struct longest_row {
    const char *class;
    size_t number;                /* within its class, from 1 on */
    size_t of;                    /* how many its class has, in the system that has most */
    int64_t length;               /* in the system that has it longest; INT64_MIN: not known */
    const struct action **action; /* of each system; NULL: it has none of that number */
};

struct longest {
    const char **systems; /* in the order in which they begin; NULL: without a name */
    size_t system_count;
    struct longest_row *rows; /* the longest first, by the system that has it longest; equal ones by
                                 class and number */
    size_t count;
    const struct action **cells; /* of all rows */
};

/* At most `most` rows, by a measure; only those of which it is known in some system. `actions` must
 * outlive it. longest_free() in any case. */
void longest_init(struct longest *longest, const struct actions *actions, enum measure measure,
                  size_t most);
void longest_free(struct longest *longest);

/* Has any of its actions waited for a disk? */
bool longest_on_disk(const struct longest *longest);

/* What follows the point in "STRUCTURE.DRIVER": systems of one driver are compared; of a system
 * without a point "", and `structure` is all of it. */
#define LONGEST_SYSTEM_MAX 32
const char *longest_driver(const char *system, char structure[LONGEST_SYSTEM_MAX]);

/* "page_down 3", or the class alone where it has one action. */
#define LONGEST_NAME_MAX 48
const char *longest_name(const struct longest_row *row, char text[LONGEST_NAME_MAX]);

/* The share of an action's service for which requests were outstanding, 0 to 1; NAN: not known. */
double longest_disk_share(const struct action *action);

/*
 * The truth of table 2 (Endo et al. 1996): intervals between long events where it is known which
 * events are long. Where each of a row of events is long with probability p, the intervals follow
 * the geometric law: mean 1 / p events, deviation sqrt(1 - p) / p, so that deviation over mean
 * is sqrt(1 - p). What n intervals show differs from that by chance; how much is its standard
 * error.
 */

/* The law's, with 0 < p <= 1, and their standard errors in a sample of n > 0 intervals: that of the
 * mean is the deviation over sqrt(n); that of deviation over mean by the delta method, from the
 * law's skewness (2 - p) / sqrt(1 - p) and kurtosis 9 + p^2 / (1 - p), which is for large n. */
struct geometric_law {
    double mean, mean_error;
    double ratio, ratio_error; /* of deviation to mean; its error NAN with p = 1 */
};
void geometric_law(double p, size_t n, struct geometric_law *law);

/* A phase of bench longevents. */
struct long_events {
    const char *phase;
    size_t keys;
    size_t long_keys;                         /* that took longer than the threshold */
    double spacing;                           /* ticks from a key to the next, on average */
    struct latency_interarrival interarrival; /* as table 2 has it: ticks */
    bool random;
    struct geometric_law law; /* of random ones with intervals; in keys */
};

/* Threshold of service in ticks. The number of phases, at most `capacity`; events that are not
 * presses of keys, or whose end is not known, are left out. `p`: the probability. */
size_t long_events_of(const struct interactive *interactive, int64_t threshold, double p,
                      struct long_events *phases, size_t capacity);
