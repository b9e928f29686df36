/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The truth of table 2 (Endo et al. 1996): intervals between long events where it is known which
 * events are long. Where each of a row of events is long with probability p, the intervals follow
 * the geometric law: mean 1 / p events, deviation sqrt(1 - p) / p, so that deviation over mean
 * is sqrt(1 - p). What n intervals show differs from that by chance; how much is its standard
 * error.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/interactive/host/measure/interactive.h"
#include "bench/interactive/host/measure/latency.h"

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
