/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Theory of a model of Poisson arrivals on one processor without stimuli: Pollaczek and
 * Khinchine for one class, preemptive resume for several (Jaiswal, "Priority Queues", 1968; Shub's
 * section 3.5 calls it hard), the distribution of waits by inversion of its transform.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tools/sim/model/model.h"

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
