/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The statistics of one replication, as a list of named numbers: what tables, JSON and
 * comparisons with measured runs are made of. Their definitions are in one place, with their words.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/sim/engine/tally.h"
#include "tools/sim/model/model.h"

enum sim_measure {
    /* of a level of a processor */
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
    /* of a stimulus */
    SIM_STIMULUS_PASSES,
    SIM_STIMULUS_TRANSIT,
    SIM_STIMULUS_DEVIATION,
    SIM_STIMULUS_P50,
    SIM_STIMULUS_P90,
    SIM_STIMULUS_P99,
    SIM_STIMULUS_P999,
    SIM_STIMULUS_MAXIMUM,
    SIM_STIMULUS_WAIT,
    SIM_STIMULUS_CLASS,
    /* of the whole */
    SIM_PREEMPTIONS_STRICT,
    SIM_PREEMPTIONS_WIDE,
    SIM_PREEMPTIONS_SERVED,
    SIM_PREEMPTIONS_DISPLACED,
    SIM_PREEMPT_LENGTH,
    SIM_PREEMPT_LOCK_OUT,
    SIM_PREEMPT_TIME,
    /* of a processor */
    SIM_PROCESSOR_IDLE,
    /* of a station */
    SIM_STATION_OCCUPANCY,
    SIM_STATION_WAIT,
    SIM_STATION_STAY,
    SIM_STATION_STAY_P99,
};

struct sim_statistic {
    char name[64];    /* "low.wait", "low.waiting", "low.nonzero", "special.transit.p99", ... */
    const char *unit; /* "units", "percent", "count", "times" (of each quantum) */
    const char *definition; /* one line */
    enum sim_measure measure;
    size_t of;    /* what it is of: the tally's level, stimulus, processor or station */
    size_t point; /* CLASS: which class */
};

struct sim_statistics {
    struct sim_statistic *item;
    size_t count, capacity;
};

/*
 * Of a model, always the same list in the same order:
 *   for each level that anything of the model is at (with several processors LEVEL@PROCESSOR)
 *     LEVEL.quanta .wait .waiting .nonzero .wait.deviation .wait.p90 .wait.p99 .stay .occupancy
 *     .preempted .interruption .portion_wait
 *   for each stimulus
 *     STIMULUS.passes .transit .transit.deviation .transit.p50 .p90 .p99 .p99.9 .transit.max .wait
 *   preemptions.strict .wide .served .displaced, preempt.length (c), preempt.lock_out (d),
 *   preempt.time
 *   PROCESSOR.idle
 *   for each station STATION.occupancy .wait .stay .stay.p99
 *   for each of `points` (class bounds of transit times, ascending) the share of the first
 *   stimulus's transits below the first, between each two, and beyond the last:
 *   STIMULUS.below.20, STIMULUS.20-30, ..., STIMULUS.above.70, in percent
 */
void sim_statistics_init(struct sim_statistics *statistics, const struct sim_model *model,
                         const double *points, size_t point_count);
void sim_statistics_free(struct sim_statistics *statistics);
/* Their index; SIM_NONE. */
size_t sim_statistic_find(const struct sim_statistics *statistics, const char *name);
/* That of a measure of one thing (struct sim_statistic); SIM_NONE. */
size_t sim_statistic_of(const struct sim_statistics *statistics, enum sim_measure measure,
                        size_t of, size_t point);
/* Has the model anything at this level of this processor? */
bool sim_level_used(const struct sim_model *model, size_t processor, size_t level);
/* Are any arrivals at given times, which end? */
bool sim_has_trace(const struct sim_model *model);
/* NAN where fewer than STATISTICS_ABOVE_MIN values lie above it: that is little more than the
 * greatest under another name. */
double sim_quantile_known(const struct sim_distribution *distribution, double p);
/* values[i] of statistic i; NAN: it has no value, as the mean of none. The tally has the points. */
void sim_statistics_of(const struct sim_statistics *statistics, const struct sim_tally *tally,
                       double *values);

/*
 * How much of the start of a simulation is to be left out, as it is not yet like the rest: MSER-5
 * (White, "An effective truncation heuristic for bias reduction in simulation output", Simulation
 * 69(6), 1997; Franklin and White, "Stationarity tests and MSER-5", Winter Simulation Conference
 * 2008). The series is averaged in batches of five; that many batches are left out which make the
 * standard error of the mean of the rest least, at most half of them.
 *
 * Memory is bounded: where a series has more than WARM_UP_BATCHES batches, two and two become one.
 */

#define WARM_UP_BATCHES 4096
#define WARM_UP_BATCH   5 /* values, of the first batches */

struct warm_up_series {
    double *sum;     /* of each batch */
    double *time;    /* of the end of each batch */
    size_t count;    /* whole batches */
    uint64_t length; /* values a batch */
    double open;     /* sum of the batch that is not whole */
    uint64_t open_count;
};

void warm_up_init(struct warm_up_series *series);
void warm_up_free(struct warm_up_series *series);
void warm_up_add(struct warm_up_series *series, double time, double value);

/* The time up to which to leave out, of several series of one kind, replications, averaged batch by
 * batch; as long as the slowest of them takes. False: they are too short for a sure answer, as the
 * best that was found is at the end of the first half, or as there are too few values, of which
 * nothing is left out. */
bool warm_up_find(struct warm_up_series *series, size_t count, double *time);
