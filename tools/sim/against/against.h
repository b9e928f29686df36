/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A model's prediction held against a measured run of the same model (bench model): what the paper
 * could not do. Predicted is what one run of just as many passes gives: the same number of passes
 * is simulated over and over, from the same start, and each replication gives one value of each
 * statistic. If the model is true, one more such run lies in the interval of 95 %: between the
 * values of rank (R + 1) 2.5 % and (R + 1) 97.5 % of R replications.
 *
 * Two predictions: with the overheads of the measured kernel as they were measured in the same run
 * (struct sim_overhead), and without any. Nothing is fitted.
 *
 * All times are in the model's units.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"
#include "tools/sim/model/model.h"

#define AGAINST_REPLICATIONS     400
#define AGAINST_REPLICATIONS_MIN 40 /* below that there is no rank for 2.5 % */
#define AGAINST_ROUNDS           1000
#define AGAINST_ERROR_MAX        600
#define AGAINST_NAME_MAX         80

/* Quantiles by nearest rank, each a value that occurred; deviation of a sample (n - 1). */
enum against_statistic {
    AGAINST_MEAN,
    AGAINST_P50,
    AGAINST_P90,
    AGAINST_P99,
    AGAINST_P999, /* reported if ten values are expected above it */
    AGAINST_DEVIATION,
    AGAINST_MAX,
    AGAINST_STATISTICS,
};
const char *against_statistic_name(enum against_statistic statistic);
/* The verdict depends on it: of responses mean, p50, p90 and p99; of waits mean, p90 and p99. The
 * median of waits is of those that nothing delays. */
bool against_is_judged(enum against_statistic statistic, bool waits);

/* What is compared: responses of a stimulus, or waits of competing quanta. */
struct against_series {
    char name[AGAINST_NAME_MAX]; /* as in the run: "response", "wait.low" */
    size_t stimulus;             /* SIM_NONE: waits of */
    size_t processor, level;
    double *values; /* ascending; its own */
    size_t n;
};

struct against_measured {
    const char *kind; /* of time: as run_time_name(); "model" of a simulated one */
    size_t passes;    /* of the first stimulus; without any, competing quanta */
    uint64_t seed;
    double unit_ns;
    double ticks_per_unit;
    double instructions_per_unit; /* in exact time; else 0 */
    /* A measured time is known to a tick at best, a simulated one to what doubles leave of it:
     * values no further apart are equal. Responses need it: work of constant length gives the same
     * response in every pass that nothing delays. */
    double resolution;
    struct against_series *series; /* the first is what the verdict is of */
    size_t count, capacity;
    struct sim_overhead overhead; /* the kernel's own */
    double below; /* the most that one of them was below 0, within its error; it is 0 instead */
    /* What the costs miss of one pass of the first stimulus: its begin and its hops were measured
     * whole as well, and differ from what they add up to; root of the sum of squares. 0 where
     * nothing was measured. */
    double precision;
};

/* Reads run's bench model. False: the run is of another model, or not whole; `error` has the
 * difference and the remedy. */
bool against_read(struct against_measured *measured, const struct run *run,
                  const struct sim_model *model, char error[AGAINST_ERROR_MAX]);
void against_measured_free(struct against_measured *measured);

/* A statistic over the replications. */
struct against_band {
    bool reported; /* every replication had it */
    double mean, deviation;
    double below, above; /* the same of the values on either side of the mean: some are skewed */
    double low, high;    /* 95 % of such runs lie between */
};

struct against_prediction {
    struct sim_overhead overhead;
    size_t replications;
    struct against_band *band; /* [series * AGAINST_STATISTICS + statistic] */
    double *means;             /* of the first series, of each replication */
    double *pool;              /* its values of all replications, ascending */
    size_t pool_count;
    /* Kolmogorov and Smirnov's, of each replication to the pool, ascending: of values known to the
     * measurement's resolution, and of values known to the costs' precision. */
    double *distance, *rough;
    /* The greatest z of all judged statistics of all series: of the measured run, and what 95 % of
     * the prediction's own runs do not exceed. */
    double worst, worst_usual;
    size_t worst_series;
    enum against_statistic worst_statistic;
};

struct against_plan {
    size_t replications; /* AGAINST_REPLICATIONS_MIN or more */
    uint64_t seed;
    size_t jobs; /* threads; 0: as many as there are processors. Results do not depend on it */
    void (*progress)(void *context); /* after each simulation; NULL; from one thread at a time */
    void *context;
};

/* What one of the kernel's own costs adds to the predicted mean of the first series: alone, and
 * where those before it in the list are in force already, with standard errors. */
struct against_part {
    const char *name;
    double cost; /* each time, in units */
    double alone, alone_error;
    double added, added_error;
};
#define AGAINST_PARTS SIM_OVERHEAD_PARTS

struct against_distance {
    double distance;
    double low, high; /* of the distance to the distribution that the sample is from, 95 %: the
                         sample's own distance to that is resampled (bootstrap, seeded) */
    double usual;     /* 95 % of the prediction's own runs are no further away */
    double chance;    /* part of them that are as far away or further */
};

struct against {
    const struct sim_model *model;
    struct against_measured measured;
    struct against_prediction with, without;
    struct against_distance distance_with, distance_without;
    struct against_distance rough_with; /* to the costs' precision */
    struct against_part part[AGAINST_PARTS];
    double difference;      /* measured mean - prediction without */
    double remainder;       /* measured mean - prediction with */
    double remainder_error; /* of one run, as the prediction has it */
};

/* How many simulations that takes. */
size_t against_simulations(const struct against_measured *measured,
                           const struct against_plan *plan);
/* `measured` is taken over. False: a simulation failed, and `error` has the reason. */
bool against_compare(struct against *against, const struct sim_model *model,
                     struct against_measured *measured, const struct against_plan *plan,
                     char error[AGAINST_ERROR_MAX]);
void against_free(struct against *against);

/* The statistic of a measured series; NAN: not reported. */
double against_value(const struct against_series *series, enum against_statistic statistic);
/* Is a measured value within the band, to a resolution? False too if either is not reported. */
bool against_inside(const struct against_band *band, double value, double resolution);
/* (measured - mean) / deviation of one run; NAN: not reported, or no deviation. */
double against_z(const struct against_band *band, double value);
/* Is the measured run's greatest z one of the prediction's own runs? So each judged statistic of
 * each series counts, and a true model is refused once in 20 runs. */
bool against_agrees(const struct against_prediction *prediction);
/* The least error of all overheads together, as a part of them, that the verdict would see at
 * least every other time: it moves one of the judged statistics by what is usual. INFINITY: none.
 */
double against_visible(const struct against *against);

/* Kolmogorov and Smirnov's distance of two ascending samples, whose values are known to a
 * resolution: the most that F of one is above F of the other, wherever this is taken within it. */
double against_distance_of(const double *sample, size_t n, const double *other, size_t count,
                           double resolution);
