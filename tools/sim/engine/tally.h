/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts of a simulation, in memory that does not depend on its length. Tallies of replications can
 * be merged.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Number of histogram classes in each power of two, spaced so that a value is known to one part in
 * 2 * SIM_HISTOGRAM_PARTS. 0 has a separate class. */
#define SIM_HISTOGRAM_PARTS 512
/* Range of the histogram: 2^-50 to 2^60 units, which covers the numbers of a model
 * (SIM_NUMBER_LEAST to SIM_NUMBER_MOST) and a thousand times the largest. Values outside are
 * counted in the outermost classes. */
#define SIM_HISTOGRAM_OCTAVES 110
#define SIM_HISTOGRAM_LEAST   (-50)
#define SIM_CLASSES           ((size_t)SIM_HISTOGRAM_PARTS * SIM_HISTOGRAM_OCTAVES)
#define SIM_POINTS_MAX        64

struct sim_distribution {
    uint64_t count;
    double sum, squares; /* sum of the values, and of their squares */
    double least, greatest;
    size_t point_count;
    double point[SIM_POINTS_MAX];    /* ascending; set before the first value */
    uint64_t beyond[SIM_POINTS_MAX]; /* exact number of values above each point */
    uint64_t zeroes;
    uint64_t *classes; /* SIM_CLASSES counters, owned by this struct; NULL: not kept */
};

void sim_distribution_init(struct sim_distribution *distribution, bool with_classes);
void sim_distribution_free(struct sim_distribution *distribution);
/* Returns the class of a value above 0: its binary exponent and the first bits of its fraction,
 * taken directly from the representation of the number. */
static inline size_t sim_class(double value)
{
    const uint64_t one = (uint64_t)(1023 + SIM_HISTOGRAM_LEAST) * SIM_HISTOGRAM_PARTS;
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    bits /= (UINT64_C(1) << 52) / SIM_HISTOGRAM_PARTS;
    bits = bits > one ? bits - one : 0;
    return bits < SIM_CLASSES ? bits : SIM_CLASSES - 1;
}

static inline void sim_distribution_add(struct sim_distribution *distribution, double value)
{
    distribution->count++;
    distribution->sum += value;
    distribution->squares += value * value;
    distribution->least = value < distribution->least ? value : distribution->least;
    distribution->greatest = value > distribution->greatest ? value : distribution->greatest;
    distribution->zeroes += value == 0;
    if (distribution->classes != NULL) {
        distribution->classes[sim_class(value)] += value != 0; /* a branch would be mispredicted */
    }
    for (size_t i = 0; i < distribution->point_count && value > distribution->point[i]; i++) {
        distribution->beyond[i]++;
    }
}

/* Merges two distributions, which must have the same points, and both or neither have classes. */
void sim_distribution_merge(struct sim_distribution *to, const struct sim_distribution *from);
/* NAN if there are no values */
double sim_distribution_mean(const struct sim_distribution *distribution);
double sim_distribution_deviation(const struct sim_distribution *distribution);
/* Returns the nearest-rank quantile, to the resolution of the classes. NAN without values or
 * without classes. */
double sim_distribution_quantile(const struct sim_distribution *distribution, double p);
/* Returns the largest value below a bound of classes, to the same resolution. Bounds are numbered
 * by the class above them, so that only 0 is below bound 0. */
double sim_distribution_bound(const struct sim_distribution *distribution, size_t bound);

/* One level of one processor. Waits are those of competing quanta, as in the paper's table (the
 * reference leaves the special stimulus's quanta out); portions of stimuli are counted separately.
 */
struct sim_level_tally {
    uint64_t competing; /* competing quanta that arrived, as the paper counts them */
    /* from arrival to the first service; preempted time is not wait */
    struct sim_distribution wait;
    struct sim_distribution stay; /* from arrival to the end of service */
    /* for portions of stimuli: from the request to the first service */
    struct sim_distribution portion_wait;
    /* time that the processor worked at this level, including stimuli and overheads */
    double work;
    uint64_t preempted;    /* number of times that work in service was preempted */
    double preempted_time; /* sum of the times from preemption to continuation */
    /* number of times that work got the processor and was displaced in the same instant */
    uint64_t displaced;
};

/* Preemptions of the whole run, on all processors, by each definition that the paper's two numbers
 * may have. A busy period is a time in which one processor has work of any level except the least
 * urgent. */
struct sim_preemption_tally {
    uint64_t strict; /* (a) busy periods that begin with less urgent work in service or in line */
    /* (b) those of (a), and busy periods in which a later quantum begins while such work is
     * present; each period counts once */
    uint64_t wide;
    double length;   /* (c) total length of the periods of (a) */
    double lock_out; /* (d) total time of urgent work while less urgent work is present */
};

struct sim_stimulus_tally {
    struct sim_distribution transit; /* from the stimulus to the end of its last portion */
    struct sim_distribution wait;    /* transit minus the work done for it */
    uint64_t missed;                 /* passes whose transit exceeds the deadline, or 0 if none */
};

struct sim_processor_tally {
    double idle;
    double interrupts; /* time that overhead took above all levels */
};

/* Counts of a station. */
struct sim_station_tally {
    size_t servers;
    struct sim_distribution wait; /* wait of portions for a server */
    struct sim_distribution stay; /* wait and service of portions that a server has taken */
    double work;                  /* total work of all servers on portions that were begun */
};

struct sim_tally {
    size_t processors, levels, stimuli, stations;
    struct sim_level_tally *level; /* indexed by processor * levels + level */
    struct sim_processor_tally *processor;
    struct sim_stimulus_tally *stimulus;
    struct sim_station_tally *station;
    struct sim_preemption_tally preemption;
    double time; /* simulated time that was counted */
    /* number of arrivals, ends of portions, and expiries of delays that were counted */
    uint64_t events;
    uint64_t quanta; /* competing quanta that arrived */
};

struct sim_model;
/* Initialises a tally. `transit_points` apply to all stimuli; NULL: none. Classes are always kept
 * for transit times, and for waits if `waits` is set. */
void sim_tally_init(struct sim_tally *tally, const struct sim_model *model,
                    const double *transit_points, size_t transit_count, bool waits);
/* Initialises an empty tally with the points and classes of another. */
void sim_tally_like(struct sim_tally *tally, const struct sim_model *model,
                    const struct sim_tally *other);
void sim_tally_merge(struct sim_tally *to, const struct sim_tally *from);
void sim_tally_free(struct sim_tally *tally);
