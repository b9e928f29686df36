/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random durations of the response-time model, drawn from probability laws in whole nanoseconds and
 * without floating point: the image uses none while it measures, and the results are the same on
 * every machine.
 *
 * The random numbers are from SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom
 * number generators", OOPSLA 2014). Each drawn quantity has a separate stream, so that a change to
 * one leaves the others as they were.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define DRAW_NS_MAX 1000000000000000ull /* largest parameter of a law: 10^15 ns, 11 days */
#define DRAW_PARTS  1000000000u         /* unit of a tail: one part in 10^9 */

enum draw_kind {
    DRAW_CONSTANT,
    DRAW_UNIFORM, /* evenly from low to high */
    /* with probability 1 - tail from 0 to low, with probability tail from low to high */
    DRAW_TAILED,
    DRAW_EXPONENTIAL, /* with the mean low */
    DRAW_EMPIRICAL,   /* one of the values, each with the same probability */
};

struct draw_law {
    enum draw_kind kind;
    uint64_t low; /* the constant, the lower end, the knee, or the mean */
    uint64_t high;
    uint32_t tail; /* probability of the tail, in parts of DRAW_PARTS */
    const uint64_t *values;
    size_t count;
};

struct draw_random {
    uint64_t state;
};

void draw_seed(struct draw_random *random, uint64_t seed, uint64_t stream);
uint64_t draw_next(struct draw_random *random);

/* Returns -ln(x / 2^64) in units of 2^-32, for x >= 1. The result is too small by less than 2
 * units, and never too large. Each of 33 binary digits of the logarithm is found by squaring a
 * number of 64 bits. */
uint64_t draw_log(uint64_t x);

/* Draws a duration in nanoseconds, rounded down. An exponential law, which has no maximum, yields
 * at most 44.4 means, and is below the exact value by less than 1 ns plus 2^-31 means. */
uint64_t draw_law(const struct draw_law *law, struct draw_random *random);
/* Returns the mean of the law in nanoseconds, rounded down. */
uint64_t draw_mean(const struct draw_law *law);
