/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statistics of one replication as a list of named numbers, from which tables, JSON and comparisons
 * with measured runs are made. Their definitions and wording are in one place.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/sim/engine/tally.h"
#include "tools/sim/model/model.h"

enum sim_measure {
    /* statistics of one level on one processor */
    SIM_LEVEL_QUANTA,
    SIM_LEVEL_WAIT,
    SIM_LEVEL_WAITING,
    SIM_LEVEL_NONZERO,
    SIM_LEVEL_WAIT_DEVIATION,
    SIM_LEVEL_WAIT_P90,
    SIM_LEVEL_WAIT_P99,
    SIM_LEVEL_STAY,
    SIM_LEVEL_OCCUPANCY,
    SIM_LEVEL_PREEMPTED,
    SIM_LEVEL_INTERRUPTION,
    SIM_LEVEL_PORTION_WAIT,
    /* statistics of a stimulus */
    SIM_STIMULUS_PASSES,
    SIM_STIMULUS_TRANSIT,
    SIM_STIMULUS_DEVIATION,
    SIM_STIMULUS_P50,
    SIM_STIMULUS_P90,
    SIM_STIMULUS_P99,
    SIM_STIMULUS_P999,
    SIM_STIMULUS_MAXIMUM,
    SIM_STIMULUS_WAIT,
    SIM_STIMULUS_MISSED,
    SIM_STIMULUS_CLASS,
    /* statistics of the whole model */
    SIM_PREEMPTIONS_STRICT,
    SIM_PREEMPTIONS_WIDE,
    SIM_PREEMPTIONS_SERVED,
    SIM_PREEMPTIONS_DISPLACED,
    SIM_PREEMPT_LENGTH,
    SIM_PREEMPT_LOCK_OUT,
    SIM_PREEMPT_TIME,
    /* statistics of a processor */
    SIM_PROCESSOR_IDLE,
    /* statistics of a station */
    SIM_STATION_OCCUPANCY,
    SIM_STATION_WAIT,
    SIM_STATION_STAY,
    SIM_STATION_STAY_P99,
};

struct sim_statistic {
    char name[64];    /* "low.wait", "low.waiting", "low.nonzero", "special.transit.p99", ... */
    const char *unit; /* "units", "percent", "count", or "times" (for each quantum) */
    const char *definition; /* one line */
    enum sim_measure measure;
    size_t of;    /* index in the tally of the level, stimulus, processor or station */
    size_t point; /* for SIM_STIMULUS_CLASS: index of the class */
};

#define SIM_UPPER_95 0.975 /* p of the upper end of a 95 % interval */

/* Estimate of a statistic from all replications. */
struct sim_estimate {
    size_t count;     /* number of replications that have a value */
    double mean;      /* mean of the replications; for a quantile, the pooled one (pooled.h) */
    double deviation; /* standard deviation of one replication; NAN for a quantile */
    double error;     /* standard error of the mean; for a quantile half / t */
    double low, high; /* 95 % interval; of a mean by Student's t */
    double half;      /* half width of the interval */
    /* a quantile has no interval, because too few independent values are beyond it */
    bool too_short;
};

struct sim_statistics {
    struct sim_statistic *item;
    size_t count, capacity;
};

/*
 * Makes the list of statistics of a model, always the same ones in the same order:
 *
 *     for each level that the model uses (with several processors LEVEL@PROCESSOR)
 *         LEVEL.quanta .wait .waiting .nonzero .wait.deviation .wait.p90 .wait.p99 .stay .occupancy
 *         .preempted .interruption .portion_wait
 *     for each stimulus
 *         STIMULUS.passes .transit .transit.deviation .transit.p50 .p90 .p99 .p99.9 .transit.max
 *         .wait, and .missed if it has a deadline
 *     preemptions.strict .wide .served .displaced, preempt.length (c), preempt.lock_out (d),
 *     preempt.time
 *     PROCESSOR.idle
 *     for each station STATION.occupancy .wait .stay .stay.p99
 *     for `points` (class bounds of transit times, ascending) the share of the first stimulus's
 *     transits below the first, between each two, and above the last: STIMULUS.below.20,
 *     STIMULUS.20-30, ..., STIMULUS.above.70, in percent
 */
void sim_statistics_init(struct sim_statistics *statistics, const struct sim_model *model,
                         const double *points, size_t point_count);
void sim_statistics_free(struct sim_statistics *statistics);
/* Returns the index of the statistic of that name, or SIM_NONE. */
size_t sim_statistic_find(const struct sim_statistics *statistics, const char *name);
/* Returns the index of a measure of one thing (struct sim_statistic), or SIM_NONE. */
size_t sim_statistic_of(const struct sim_statistics *statistics, enum sim_measure measure,
                        size_t of, size_t point);
/* Returns whether the model uses this level of this processor. */
bool sim_level_used(const struct sim_model *model, size_t processor, size_t level);
/* Returns whether any arrivals of the model are listed as times, so that they end. */
bool sim_has_trace(const struct sim_model *model);
/* Returns a quantile, or NAN if fewer than STATISTICS_ABOVE_MIN values are above it, because it
 * would be little more than the maximum under another name. */
double sim_quantile_known(const struct sim_distribution *distribution, double p);
/* Returns the values of which a statistic is a quantile, and sets *p. NULL: it is no quantile. */
const struct sim_distribution *sim_statistic_quantile(const struct sim_statistic *statistic,
                                                      const struct sim_tally *tally, double *p);
/* Computes values[i] of statistic i. A statistic without a value, such as the mean of no values, is
 * NAN. The tally must have been counted with the points of the list. */
void sim_statistics_of(const struct sim_statistics *statistics, const struct sim_tally *tally,
                       double *values);

/*
 * Warm-up: finds the end of the initial transient, the first part of a simulation, which is not
 * typical of the rest and is left out of the statistics. The method is MSER-5 (White, "An effective
 * truncation heuristic for bias reduction in simulation output", Simulation 69(6), 1997; Franklin
 * and White, "Stationarity tests and MSER-5", Winter Simulation Conference 2008). It averages the
 * series in batches of five. It leaves out the number of batches, at most half of them, with which
 * the mean of the remaining batches has the smallest standard error.
 *
 * Memory is bounded: if a series has more than WARM_UP_BATCHES batches, pairs of batches are
 * merged.
 */

#define WARM_UP_BATCHES 4096
#define WARM_UP_BATCH   5 /* number of values in a batch at first */

struct warm_up_series {
    double *sum;     /* sum of each batch */
    double *time;    /* time of the end of each batch */
    size_t count;    /* number of complete batches */
    uint64_t length; /* number of values in a batch */
    double open;     /* sum of the incomplete batch */
    uint64_t open_count;
};

void warm_up_init(struct warm_up_series *series);
void warm_up_free(struct warm_up_series *series);
void warm_up_add(struct warm_up_series *series, double time, double value);

/* Finds the time at which the initial transient has ended in all of `count` replications of one
 * model. The replications are averaged batch by batch. Returns false if they are too short for a
 * certain answer: if the end found is at the middle of the batches, or if there are too few values.
 * If there are too few values, *time is 0. */
bool warm_up_find(struct warm_up_series *series, size_t count, double *time);
