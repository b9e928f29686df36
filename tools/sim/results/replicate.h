/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs replications on all cores, combines them, and decides when there are enough.
 *
 * The method is replication and deletion (Law, "Simulation Modeling and Analysis", section 9.5.2).
 * The initial transient of each replication is left out if requested. Each replication gives one
 * value of each statistic, and these values are independent. Results do not depend on the number of
 * cores: each replication has separate random numbers, and replications are added up in order.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tools/sim/engine/engine.h"
#include "tools/sim/results/pooled.h"
#include "tools/sim/results/sim_statistics.h"

#define SIM_WARM_UP_AUTOMATIC (-1.0)

struct sim_replication_plan {
    struct sim_limits limits; /* limits of each; `replication` is the number of the first */
    size_t replications;      /* least number of replications; 1 or more */
    size_t replications_most; /* largest number with a precision; 0: not more than `replications` */
    /* The simulation stops adding replications when half the width of the 95 % interval of
     * `precision_of` is at most this fraction of its mean; 0: no precision requested. This is
     * checked only after `replications` replications, twice as many, four times as many, and so on,
     * so that the simulation ends at the same number each time. */
    double precision;
    /* name of a statistic; NULL: the first stimulus's transit, or without stimuli the least urgent
     * level's wait */
    const char *precision_of;
    size_t jobs; /* number of threads; 0: as many as there are processors */
    const double *transit_points;
    size_t transit_count;
    bool waits; /* also keep classes of waits */
    /* may be NULL; called by one thread at a time */
    void (*progress)(void *context, size_t done, size_t of);
    void *context;
};

struct sim_outcome {
    struct sim_statistics statistics;
    size_t replications;
    double *values; /* indexed by replication * statistics.count + statistic */
    /* indexed by statistic; in use for quantiles of values whose classes are kept */
    struct sim_pooled *pooled;
    struct sim_estimate *estimate; /* estimate of each statistic */
    struct sim_tally total;        /* counts of all replications */
    double warm_up;                /* time left out at the start of each replication */
    bool warm_up_found;            /* it was found automatically (warm_up_find()) */
    /* The time found is doubtful if replications are too short: if the pilot runs do not show where
     * the initial transient ends, or if a replication has so few independent values that the bias
     * from its initial state is not small compared with the intervals. */
    bool warm_up_doubtful;
    bool precise;   /* the requested precision is reached, or none was requested */
    double reached; /* half width / mean of `precision_of` */
};

/* Runs the replications. Returns false with the reason in `error` and an empty *outcome. */
bool sim_replicate(const struct sim_model *model, const struct sim_replication_plan *plan,
                   struct sim_outcome *outcome, char error[SIM_LAW_ERROR_MAX]);
void sim_outcome_free(struct sim_outcome *outcome);

/* Estimates the mean of a statistic from its values in all replications, ignoring those that are
 * NAN. */
void sim_estimate_of(const double *values, size_t count, size_t stride,
                     struct sim_estimate *estimate);
