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

struct path_job {
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
