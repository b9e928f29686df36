/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Simulation of a closed station, like that of `tare sim`: threads that read a disk with several
 * servers, each thread one read after the other. Replications are short enough to run while the
 * figures are drawn. It is the same as this model:
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
    double think;      /* mean of the exponential time between two reads of a thread; 0: none */
    double work;       /* time on one processor shared by all threads, before each read; 0: none */
    double service;    /* constant service time, above 0 */
    /* Length of the simulation: at least 2 replications of `reads` reads each, after the first
     * `left_out`. */
    size_t replications, reads, left_out;
    uint64_t seed;
};

/* Mean over replications, and its standard error. */
struct sim_closed_figure {
    double value, error;
};

struct sim_closed_result {
    struct sim_closed_figure mean;    /* response: wait for a server, and service */
    struct sim_closed_figure between; /* mean time between the starts of successive reads */
};

/* Simulates. Returns false with the reason in `error`. */
bool sim_closed_simulate(const struct sim_closed *closed, struct sim_closed_result *result,
                         char error[SIM_LAW_ERROR_MAX]);
