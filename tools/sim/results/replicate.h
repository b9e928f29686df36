/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replications on all cores, what they have in common, and when there are enough. Replication and
 * deletion (Law, "Simulation Modeling and Analysis", section 9.5.2): the start of each is left out
 * where that is asked for, each gives one value of each statistic, and these are independent.
 * Results do not depend on how many cores there were: replication r has its own random numbers, and
 * is added up in order.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/sim/engine/engine.h"
#include "tools/sim/results/sim_statistics.h"

#define SIM_WARM_UP_AUTOMATIC (-1.0)

struct sim_replication_plan {
    struct sim_limits limits; /* of each; `replication` is of the first */
    size_t replications;      /* at least; 1 or more */
    size_t replications_most; /* with a precision; 0: no more than those */
    /* Behind as many replications as those at least, twice as many, and so on, so that it ends at
     * the same number each time: ends when the half width of the 95 % interval of `precision_of`
     * is at most so much of its mean; 0: none asked for. */
    double precision;
    const char *precision_of; /* a statistic's name; NULL: the first stimulus's transit, else the
                                 least urgent level's wait */
    size_t jobs;              /* threads; 0: as many as there are processors */
    const double *transit_points;
    size_t transit_count;
    bool waits;                                              /* keep classes of waits as well */
    void (*progress)(void *context, size_t done, size_t of); /* NULL; from one thread at a time */
    void *context;
};

struct sim_estimate {
    size_t count; /* replications that have a value */
    double mean;
    double deviation; /* of one replication */
    double error;     /* standard error of the mean */
    double half;      /* half width of the 95 % interval of the mean, by Student's t */
};

struct sim_outcome {
    struct sim_statistics statistics;
    size_t replications;
    double *values;                /* [replication * statistics.count + statistic] */
    struct sim_estimate *estimate; /* of each statistic */
    struct sim_tally total;        /* of all replications */
    double warm_up;                /* that was left out of each; how it was found: */
    bool warm_up_found;            /* automatic (warm_up_find()) */
    /* And replications are too short to be sure of it: pilots do not show the end of the start, or
     * replications are worth so few independent values that what is left of it counts beside the
     * intervals. */
    bool warm_up_doubtful;
    bool precise;   /* the precision that was asked for is reached, or none was */
    double reached; /* half width / mean of `precision_of` */
};

/* False: `error` has the reason, *outcome is empty. */
bool sim_replicate(const struct sim_model *model, const struct sim_replication_plan *plan,
                   struct sim_outcome *outcome, char error[SIM_LAW_ERROR_MAX]);
void sim_outcome_free(struct sim_outcome *outcome);

/* The values of one statistic, over replications: those that are NAN are left out. */
void sim_estimate_of(const double *values, size_t count, size_t stride,
                     struct sim_estimate *estimate);
