/* SPDX-License-Identifier: BSD-2-Clause */
/* Waits that theory knows, for tests of the simulator. */
#pragma once

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>

#include "tools/sim/model/law.h"
#include "tools/sim/model/model.h"

/* E[exp(-sX)], the Laplace-Stieltjes transform. */
double complex sim_law_transform(const struct sim_law *law, double complex s);

/*
 * Numerical inversion of Laplace transforms: Abate and Whitt's EULER ("Numerical inversion of
 * Laplace transforms of probability distributions", ORSA Journal on Computing 7, 1995): a Fourier
 * series, its partial sums averaged by binomial weights.
 *
 * The discretisation error is below exp(-A) of the function's greatest value. Service laws with
 * bounds have kinks, where the series converges slowly: hence so many terms before averaging
 * (Talbot's contour is wrong on such transforms). At a kink the error is about the jump of the
 * slope, in units of 1 / t, over 10 times the terms; it is below 1e-8 where only the second
 * derivative jumps.
 */

#define LAPLACE_A     23.0 /* exp(-23) is 1e-10, and exp(23 / 2) roundings are 1e-11 */
#define LAPLACE_TERMS 400

typedef double complex laplace_transform(void *context, double complex s);

/* f(t) for t > 0, of a bounded function. */
double laplace_invert(laplace_transform *transform, void *context, double t);

/*
 * The mean excess of a law over a bound, E[max(X - x, 0)], which is the integral of its tail from x
 * on: the distribution of residual lives, and the masses of a law on a grid, are made of it.
 */

/* Of any x; below 0 it is mean - x. */
double sim_law_excess(const struct sim_law *law, double x);

/*
 * Theory of a model of Poisson arrivals on one processor without stimuli: Pollaczek and
 * Khinchine for one class, preemptive resume for several (Jaiswal, "Priority Queues", 1968; Shub's
 * section 3.5 calls it hard), the distribution of waits by inversion of its transform.
 */

struct sim_class_theory {
    double rate, load;   /* load = rate * mean service */
    double wait;         /* mean, to the first service, of all */
    double waits;        /* part that waits at all */
    double nonzero;      /* mean of those that wait */
    double deviation;    /* of waits */
    double stay;         /* mean sojourn */
    double preemptions;  /* of others by one of this class on arrival, each */
    double preempted;    /* of one of this class */
    double interruption; /* mean length of one preemption of it; NAN for the most urgent */
};

/* Theory of each level of processor 0, most urgent last as in the model. Without load at a
 * level, all except `rate` and `load` are NAN. False: the model is not of that kind, and *why
 * names what theory does not reach. */
bool sim_theory(const struct sim_model *model, struct sim_class_theory classes[SIM_LEVELS_MAX],
                const char **why);

/* P(wait > t) of the most urgent class: M/G/1, its transform inverted (inversion.h), to 1e-8. */
double sim_theory_wait_beyond(double rate, const struct sim_law *service, double t);
/* The same of any class, preemptive resume: the wait to first service is the delay cycle of the
 * classes above that the work found begins (Takagi, "Queueing Analysis" volume 1, section 3.5). To
 * 1e-8; of a lower class, where some services are constant, to 1e-4 at the kinks that these make.
 * NAN where theory does not reach. */
double sim_theory_level_beyond(const struct sim_model *model, size_t level, double t);

/*
 * Closed stations: so many customers think, each for an exponential time, and are then served by
 * the first of several servers that is free, first come first served. (Machines that run until they
 * fail, and repairmen.) Times are in one unit, means above 0.
 */

/* Mean response, wait and service, of exponential services: a birth and death process. */
double repairmen_response(size_t customers, size_t servers, double service, double think);

/* P(response > t) of it. A customer who arrives finds the others as if they were alone (Sevcik and
 * Mitrani, "The distribution of queuing network states at input and output instants", JACM 28(2),
 * 1981). */
double repairmen_beyond(size_t customers, size_t servers, double service, double think, double t);

/* Mean response of one server whose services have any law, M/G/1//N (Takács, "Introduction to the
 * Theory of Queues", 1962, chapter 5). A station of several servers with constant services has no
 * such formula: it is simulated (tools/sim/engine/closed.h). */
double repairman_response(size_t customers, const struct sim_law *service, double think);
