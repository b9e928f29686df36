/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A closed station, simulated as `tare sim` does it: threads that read a disk of several servers,
 * each one read after the other. Replications are short enough to be made where their figures are
 * drawn. The same as this model:
 *
 *     station  disk servers SERVERS
 *     stimulus reads population POPULATION think exponential THINK route cpu WORK, disk SERVICE
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/sim/model/law.h"

struct sim_closed {
    size_t population; /* 1 to SIM_POPULATION_MAX */
    size_t servers;    /* 1 to SIM_SERVERS_MAX */
    double think;      /* mean of the exponential time between two reads; 0: none */
    double work;       /* of one processor for all, before each read; 0: none */
    double service;    /* constant, above 0 */
    /* How much is simulated: 2 replications or more, of `reads` each behind the first `left_out`.
     */
    size_t replications, reads, left_out;
    uint64_t seed;
};

/* Mean of replications, and the standard error of that. */
struct sim_closed_figure {
    double value, error;
};

struct sim_closed_result {
    struct sim_closed_figure mean;    /* of responses: wait for a server, and service */
    struct sim_closed_figure between; /* time by reads: what one read takes the whole */
};

/* False: `error` has the reason. */
bool sim_closed_simulate(const struct sim_closed *closed, struct sim_closed_result *result,
                         char error[SIM_LAW_ERROR_MAX]);
