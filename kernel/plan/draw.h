/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The laws of the response-time model in whole nanoseconds, drawn without floating point: the image
 * has none while it measures, and draws the same on every machine.
 *
 * Random numbers: SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
 * generators", OOPSLA 2014), a separate stream for each thing that is drawn, so that a change to
 * one leaves the others as they were.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DRAW_NS_MAX 1000000000000000ull /* 10^15 ns, 11 days: of any parameter of a law */
#define DRAW_PARTS  1000000000u         /* of which the tail of a tailed law is so many */

enum draw_kind {
    DRAW_CONSTANT,
    DRAW_UNIFORM,     /* from low to high */
    DRAW_TAILED,      /* 1 - tail: from 0 to low; tail: from low to high */
    DRAW_EXPONENTIAL, /* of mean low */
    DRAW_EMPIRICAL,   /* each of the values as likely as each other */
};

struct draw_law {
    enum draw_kind kind;
    uint64_t low; /* the constant, the lower end, the knee, or the mean */
    uint64_t high;
    uint32_t tail; /* in parts of DRAW_PARTS */
    const uint64_t *values;
    size_t count;
};

struct draw_random {
    uint64_t state;
};

void draw_seed(struct draw_random *random, uint64_t seed, uint64_t stream);
uint64_t draw_next(struct draw_random *random);

/* -ln(x / 2^64) in parts of 2^32, for x from 1: too small by less than 2 parts, from above never.
 * Each of 33 binary digits of the logarithm is found by squaring a number of 64 bits. */
uint64_t draw_log(uint64_t x);

/* Nanoseconds, rounded down. Of an exponential law, which has no maximum, at most 44.4 means
 * and below the exact value by less than 1 ns and 2^-31 means. */
uint64_t draw_law(const struct draw_law *law, struct draw_random *random);
/* Its mean, rounded down. */
uint64_t draw_mean(const struct draw_law *law);
