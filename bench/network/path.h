/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the network benches share: the paths of their parameter, a session on each of them, and what
 * is reported about it.
 */
#pragma once

#include "bench/network/names.h"
#include "kernel/net/net.h"
#include "kernel/run/bench.h"

/* A part of a bench, done for one path. Returns BENCH_OK, or the bench's result. */
typedef enum bench_state path_work(struct bench_run *run, enum net_path path, void *argument);

/* What is expected of a series of path pair: the time of the simulated link for the
 * frames that follow each other, and the instructions of stacks and drivers. */
struct path_estimate {
    const char *series; /* with %s for the path */
    uint32_t frames;
    uint32_t bytes; /* bytes of these frames on the cable */
    uint32_t link;  /* instructions on the simulated link */
    uint32_t nic;   /* instructions with two real NICs; 0: as on the link */
    /* frames that an interrupt announces which QEMU's 82574L delays, because the one before came
     * less than PATH_INTERRUPT_NS ago */
    uint32_t delays;
    bool overlaps; /* the processor works while frames are on the link: the longer time counts */
};
/* shortest time between two interrupts of QEMU's 82574L (its register ITR, 500 times 256 ns) */
#define PATH_INTERRUPT_NS 128000

struct path_job {
    const struct path_estimate *estimates; /* of path pair; a series of NULL ends the list */
    /* Measures, and publishes nothing. Runs while the stack of this path is open; with
     * receive=interrupt, within a session. */
    path_work *measure;
    path_work *report; /* runs after that; publishes */
    void *argument;    /* passed to both */
    uint64_t samples;  /* number of samples that are measured, for the watchdog */
    uint32_t window;   /* receive window of the services; 0: the largest */
    bool no_services;  /* measure() starts its peer itself */
};

/* For each path of parameter `paths`: a session (if receive=interrupt), net_begin(), measure(),
 * net_end(), report(), and the facts and texts of names.h. A path that this machine or plan lacks
 * is absent, with the reason; if none is left the bench ends as SKIP. It fails if a NIC was given
 * up or bytes were wrong. */
enum bench_state paths_run(struct bench_run *run, const struct path_job *job);
const char *path_name(enum net_path path);
/* Publishes a fact of a path: NAME.PATH. */
void path_publish(const struct bench_run *run, const char *name, enum net_path path,
                  const char *unit, uint64_t value);

/* Adds bytes that were checked on this path, and how many of them were wrong. */
void path_checked(uint64_t bytes, uint64_t wrong);

/* default and meaning of the two parameters, for `params` of each bench */
#define PATHS PATH_LOOPBACK "," PATH_PAIR "," PATH_REMOTE
#define PATH_PARAM_PATHS                                                  \
    {                                                                     \
        PARAM_PATHS, PATHS, "paths to measure, a,b,c", PARAM_WORDS(PATHS) \
    }
#define PATH_PARAM_RECEIVE                                            \
    {                                                                 \
        PARAM_RECEIVE, RECEIVE_INTERRUPT, "how packets are received", \
            PARAM_WORD(RECEIVE_INTERRUPT "," RECEIVE_POLL)            \
    }
