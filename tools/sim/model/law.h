/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probability laws of service times and of intervals between arrivals: moments, transform,
 * distribution and draws. Times are in the model's unit and not negative.
 *
 * "Uniform with a tail" (Shub, section 3.2): a mass of 1 - tail is uniform on [0, knee], and a mass
 * of `tail` on [knee, maximum]. It has five parameters (enum sim_tailed_parameter) and two
 * equations, so that any three of the five determine it, except knee, maximum and ratio, which
 * depend on each other:
 *
 *     2 average = knee + tail maximum
 *     maximum   = knee (1 + ratio)
 *
 * It is valid if 0 < knee <= maximum and 0 <= tail <= 1.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Random number generator xoshiro256++ (Blackman and Vigna, "Scrambled linear pseudorandom number
 * generators", ACM TOMS 47(4), 2021). Each stream of a model has a separate generator, so that a
 * change to one part of the model does not change the draws of the others. Streams are seeded by
 * SplitMix64 from (seed, replication, stream), identically on every machine.
 */

struct sim_random {
    uint64_t state[4];
};

void sim_random_seed(struct sim_random *random, uint64_t seed, uint64_t replication,
                     uint64_t stream);

static inline uint64_t sim_random_next(struct sim_random *random)
{
    uint64_t *const s = random->state;
    const uint64_t sum = s[0] + s[3];
    const uint64_t result = (sum << 23 | sum >> 41) + s[0];
    const uint64_t shifted = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = s[3] << 45 | s[3] >> 19;
    return result;
}

/* Returns a uniform number in (0, 1] with 53 bits. It is never 0, so that its logarithm is finite.
 */
static inline double sim_random_uniform(struct sim_random *random)
{
    return (double)((sim_random_next(random) >> 11) + 1) * 0x1p-53;
}

enum sim_law_kind {
    SIM_CONSTANT,
    SIM_UNIFORM,
    SIM_TAILED,
    SIM_EXPONENTIAL,
    SIM_EMPIRICAL, /* all values are equally likely */
    SIM_SHAPED,    /* one of enum sim_shape_kind */
};

enum sim_shape_kind {
    SIM_LOGNORMAL,
    SIM_NORMAL, /* given that it is not below 0, so that its mean is larger than the given one */
    SIM_GAMMA,
    SIM_ERLANG,
    SIM_WEIBULL,
    SIM_PARETO,
    SIM_HYPEREXPONENTIAL, /* a share of the values is exponential, the rest has another mean */
    SIM_SHAPES,
};

#define SIM_SHAPE_NUMBERS 3

/* How a model states a law: NAME X WORD Y [WORD Z]. The first number needs no word. */
struct sim_shape {
    const char *name;
    const char *word[SIM_SHAPE_NUMBERS]; /* NULL: the law has fewer numbers */
    bool is_time[SIM_SHAPE_NUMBERS];     /* the number is a time, otherwise a pure number */
};
extern const struct sim_shape sim_shapes[SIM_SHAPES];

struct sim_law {
    enum sim_law_kind kind;
    double mean;                     /* mean, for every kind */
    double low;                      /* UNIFORM: lower end */
    double high;                     /* UNIFORM: upper end; TAILED: maximum */
    double knee;                     /* TAILED */
    double tail;                     /* TAILED: 0 to 1 */
    enum sim_shape_kind shape;       /* SHAPED */
    double given[SIM_SHAPE_NUMBERS]; /* SHAPED: the numbers of the model */
    double worked;                   /* SHAPED: a number that draws need */
    double *values;                  /* EMPIRICAL: ascending; owned by the law */
    size_t count;
    /* EMPIRICAL: where the values come from, as named in the model; owned by the law */
    char *source;
};

#define SIM_LAW_ERROR_MAX 240

/* These functions set *law. They return false if there is no such law; `error` then has the reason,
 * with the numbers. */
bool sim_law_constant(struct sim_law *law, double value, char error[SIM_LAW_ERROR_MAX]);
bool sim_law_uniform(struct sim_law *law, double low, double high, char error[SIM_LAW_ERROR_MAX]);
bool sim_law_exponential(struct sim_law *law, double mean, char error[SIM_LAW_ERROR_MAX]);
/* `tail` is from 0 to 1. */
bool sim_law_tailed(struct sim_law *law, double average, double maximum, double tail,
                    char error[SIM_LAW_ERROR_MAX]);
enum sim_tailed_parameter {
    SIM_TAILED_AVERAGE,
    SIM_TAILED_MAXIMUM,
    SIM_TAILED_TAIL,  /* from 0 to 1 */
    SIM_TAILED_KNEE,  /* largest value outside the tail */
    SIM_TAILED_RATIO, /* length of the tail divided by that of the rest */
    SIM_TAILED_PARAMETERS,
};
const char *sim_tailed_name(enum sim_tailed_parameter parameter);
/* Makes a tailed law from three or more parameters; NAN: not given. The first three determine the
 * law, and the others must agree with it. On failure, `error` says what is missing, depends on the
 * others or does not agree, and the remedy. */
bool sim_law_tailed_by(struct sim_law *law, const double given[SIM_TAILED_PARAMETERS],
                       char error[SIM_LAW_ERROR_MAX]);
/* Makes one of the laws with a shape from its numbers, in the order of sim_shapes. */
bool sim_law_shaped(struct sim_law *law, enum sim_shape_kind shape,
                    const double given[SIM_SHAPE_NUMBERS], char error[SIM_LAW_ERROR_MAX]);
/* Copies the values and sorts them. */
bool sim_law_empirical(struct sim_law *law, const double *values, size_t count, const char *source,
                       char error[SIM_LAW_ERROR_MAX]);
void sim_law_free(struct sim_law *law);

/* Returns E[X^order], for order 1 to 3; INFINITY for a Pareto law without that moment. */
double sim_law_moment(const struct sim_law *law, int order);

/* Replaces the law of X by that of factor * X; `factor` is above 0. */
void sim_law_scale(struct sim_law *law, double factor);

/* The same functions for laws with a shape; u is uniform on (0, 1]. */
double sim_shape_moment(const struct sim_law *law, int order);
double sim_shape_draw(const struct sim_law *law, double u);

/* Draws a time by inversion of the distribution. It takes one random number for each draw, so that
 * two models that share a stream stay in step. It is inline because a simulation does little else.
 */
static inline double sim_law_draw(const struct sim_law *law, struct sim_random *random)
{
    const double u = sim_random_uniform(random);

    switch (law->kind) {
    case SIM_CONSTANT:
        break;
    case SIM_UNIFORM:
        return law->low + (law->high - law->low) * u;
    case SIM_TAILED: {
        const double body = 1 - law->tail;

        return u <= body ? law->knee * u / body
                         : law->knee + (law->high - law->knee) * (u - body) / law->tail;
    }
    case SIM_EXPONENTIAL:
        return -law->mean * log(u);
    case SIM_EMPIRICAL: /* u * count is above 0 and at most count; rounded up, it counts from 1 */
        return law->values[(size_t)ceil(u * (double)law->count) - 1];
    case SIM_SHAPED:
        return sim_shape_draw(law, u);
    }
    return law->mean;
}
