/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The longest actions of a bench by name, with all systems next to each other (Endo et al. 1996,
 * table 1). A system is a phase of the bench; a bench without phases is one system. Actions of two
 * systems are the same action if they have the same class and the same number within that class.
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
    size_t number;  /* number within its class, from 1 */
    size_t of;      /* number of actions of its class, in the system that has most */
    int64_t length; /* length in the system where it is longest; INT64_MIN: unknown */
    /* the action in each system; NULL: the system has none with that number */
    const struct action **action;
};

struct longest {
    const char **systems; /* in the order in which they start; NULL: unnamed */
    size_t system_count;
    /* longest first, by the system where the action is longest; equal ones by class and number */
    struct longest_row *rows;
    size_t count;
    const struct action **cells; /* storage for all rows */
};

/* Lists at most `most` actions by a measure, leaving out those for which it is known in no system.
 * `actions` must outlive it. Call longest_free() when done. */
void longest_init(struct longest *longest, const struct actions *actions, enum measure measure,
                  size_t most);
void longest_free(struct longest *longest);

/* Returns whether any of the actions waited for a disk. */
bool longest_on_disk(const struct longest *longest);

/* Splits "STRUCTURE.DRIVER": returns the driver and writes the structure. Systems with the same
 * driver are compared. Without a point, returns "" and writes the whole name. */
#define LONGEST_SYSTEM_MAX 32
const char *longest_driver(const char *system, char structure[LONGEST_SYSTEM_MAX]);

/* Writes "page_down 3", or the class alone if it has only one action. Returns `text`. */
#define LONGEST_NAME_MAX 48
const char *longest_name(const struct longest_row *row, char text[LONGEST_NAME_MAX]);

/* Returns the share (0 to 1) of an action's service during which disk requests were outstanding;
 * NAN if unknown. */
double longest_disk_share(const struct action *action);

/*
 * Table 2 (Endo et al. 1996) for events of which it is known which are long. If each event in a row
 * is long with probability p, the intervals follow the geometric law: mean 1 / p events, deviation
 * sqrt(1 - p) / p, hence deviation / mean = sqrt(1 - p). A sample of n intervals differs from that
 * by chance; the standard error says by how much.
 */

/* The values of the law for 0 < p <= 1, and their standard errors in a sample of n > 0 intervals.
 * The error of the mean is the deviation / sqrt(n). The error of deviation / mean follows by the
 * delta method from the law's skewness (2 - p) / sqrt(1 - p) and kurtosis 9 + p^2 / (1 - p); it
 * holds for large n. */
struct geometric_law {
    double mean, mean_error;
    double ratio, ratio_error; /* deviation / mean, and its error (NAN if p is 1) */
};
void geometric_law(double p, size_t n, struct geometric_law *law);

/* A phase of bench longevents. */
struct long_events {
    const char *phase;
    size_t keys;
    size_t long_keys;                         /* keys that took longer than the threshold */
    double spacing;                           /* mean distance of successive keys, in ticks */
    struct latency_interarrival interarrival; /* intervals as in table 2, in ticks */
    bool random;
    struct geometric_law law; /* in keys; only for a random phase with intervals */
};

/* Fills at most `capacity` phases and returns how many. `threshold` is the service in ticks above
 * which an event is long, `p` the probability of a long key. Leaves out events that are not key
 * presses or whose end is unknown. */
size_t long_events_of(const struct interactive *interactive, int64_t threshold, double p,
                      struct long_events *phases, size_t capacity);
