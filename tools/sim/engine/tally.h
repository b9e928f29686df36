/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a simulation counts, in memory that does not depend on its length. Tallies of replications
 * can be added up.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Counts by logarithmic classes with SIM_HISTOGRAM_PARTS in each power of two: a value is known to
 * one part in 2 * SIM_HISTOGRAM_PARTS. 0 has its own class. */
#define SIM_HISTOGRAM_PARTS 512
/* From 2^-50 to 2^60 units: what a model's numbers may be (SIM_NUMBER_LEAST to SIM_NUMBER_MOST),
 * and a thousand times the most; less and more fall in the outermost. */
#define SIM_HISTOGRAM_OCTAVES 110
#define SIM_HISTOGRAM_LEAST   (-50)
#define SIM_CLASSES           ((size_t)SIM_HISTOGRAM_PARTS * SIM_HISTOGRAM_OCTAVES)
#define SIM_POINTS_MAX        64

struct sim_distribution {
    uint64_t count;
    double sum, squares; /* of values, and of their squares */
    double least, greatest;
    size_t point_count;
    double point[SIM_POINTS_MAX];    /* ascending; set before the first value */
    uint64_t beyond[SIM_POINTS_MAX]; /* values > point: exact */
    uint64_t zeroes;
    uint64_t *classes; /* SIM_HISTOGRAM_PARTS * SIM_HISTOGRAM_OCTAVES; its own; NULL: not kept */
};

void sim_distribution_init(struct sim_distribution *distribution, bool with_classes);
void sim_distribution_free(struct sim_distribution *distribution);
/* The class of a value above 0: its binary exponent and the first bits of its fraction, as they
 * stand in the number. */
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
    if (value == 0) {
        distribution->zeroes++;
    } else if (distribution->classes != NULL) {
        distribution->classes[sim_class(value)]++;
    }
    for (size_t i = 0; i < distribution->point_count && value > distribution->point[i]; i++) {
        distribution->beyond[i]++;
    }
}

/* Both have the same points, and classes or not. */
void sim_distribution_merge(struct sim_distribution *to, const struct sim_distribution *from);
double sim_distribution_mean(const struct sim_distribution *distribution); /* NAN of none */
double sim_distribution_deviation(const struct sim_distribution *distribution);
/* Nearest rank, by classes, to their resolution; NAN of none, or without classes. */
double sim_distribution_quantile(const struct sim_distribution *distribution, double p);

/* One level of one processor. Waits are those of competing quanta, as in the paper's table (the
 * reference's expectations leave the special's quanta out); portions of stimuli have their own. */
struct sim_level_tally {
    uint64_t competing;           /* quanta of competing work that arrived: the paper's count */
    uint64_t quanta;              /* of them that began to be served */
    struct sim_distribution wait; /* from arrival to the first service: preempted time is no wait */
    struct sim_distribution stay; /* from arrival to the end of service */
    struct sim_distribution
        portion_wait;      /* of stimuli's portions: from being asked for, likewise */
    double work;           /* time that the processor did it; of stimuli's as well, and so on */
    uint64_t preempted;    /* times that one in service was */
    double preempted_time; /* from then to where it went on, each added up */
    uint64_t
        displaced; /* times that one was given the processor and displaced in the same instant */
};

/* Preemptions of the whole run, on all processors, by each definition that the paper's two numbers
 * may have; a busy period is one of all levels but the least urgent, on one processor. */
struct sim_preemption_tally {
    uint64_t strict; /* (a) busy periods that begin with less urgent work in service, or in line */
    uint64_t wide;   /* (b) those, and busy periods in which a later quantum begins with such work
                        there: each period once */
    double length;   /* (c) total length of the (a) periods */
    double lock_out; /* (d) total time of urgent work while less urgent work is there */
};

struct sim_stimulus_tally {
    struct sim_distribution transit; /* from the stimulus to the end of its last portion */
    struct sim_distribution wait;    /* transit less the work done for it */
};

struct sim_processor_tally {
    double idle;
    double interrupts; /* time that overhead took above all levels */
};

/* Of a station. */
struct sim_station_tally {
    size_t servers;
    struct sim_distribution wait; /* of portions, for a server */
    struct sim_distribution stay; /* wait and service, of those that a server has taken */
    double work;                  /* of all servers, of portions that were begun */
};

struct sim_tally {
    size_t processors, levels, stimuli, stations;
    struct sim_level_tally *level; /* [processor * levels + level] */
    struct sim_processor_tally *processor;
    struct sim_stimulus_tally *stimulus;
    struct sim_station_tally *station;
    struct sim_preemption_tally preemption;
    double time;     /* that was counted */
    uint64_t events; /* arrivals, ends of portions, and expiries of delays, that were counted */
    uint64_t quanta; /* competing ones that arrived */
};

struct sim_model;
/* `transit_points`: of all stimuli; NULL: none. Classes are kept of transit times always, of waits
 * where `waits` is set. */
void sim_tally_init(struct sim_tally *tally, const struct sim_model *model,
                    const double *transit_points, size_t transit_count, bool waits);
/* An empty one with the points and classes of another. */
void sim_tally_like(struct sim_tally *tally, const struct sim_model *model,
                    const struct sim_tally *other);
void sim_tally_merge(struct sim_tally *to, const struct sim_tally *from);
void sim_tally_free(struct sim_tally *tally);
