/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What benches of the network share: the paths of their parameter, a session on each of them, and
 * what is reported of it.
 */
#pragma once

#include "bench/network/names.h"
#include "kernel/net/net.h"
#include "kernel/run/bench.h"

/* One of the two halves of a bench, for one path. BENCH_OK, or the bench's result. */
typedef enum bench_state path_work(struct bench_run *run, enum net_path path, void *argument);

struct path_job {
    path_work *measure; /* the stack is up; by interrupt within a session: it publishes nothing */
    path_work *report;  /* behind it: publishes */
    void *argument;     /* of both */
    uint64_t samples;   /* of all that is measured, for the watchdog */
    uint32_t window;    /* of the services; 0: the largest */
    bool no_services;   /* measure() brings its peer itself */
};

/* For each path of parameter `paths`: a session (by receive=interrupt), net_begin(), measure(),
 * net_end(), report(), and the facts and texts of names.h. A path that this machine or plan lacks
 * is absent, with the reason; none left: SKIP. A NIC that was given up, and wrong bytes: FAIL. */
enum bench_state paths_run(struct bench_run *run, const struct path_job *job);
const char *path_name(enum net_path path);

/* Bytes that were checked, and those that were wrong, on this path. */
void path_checked(uint64_t bytes, uint64_t wrong);

/* Default and meaning of the two parameters, for `params` of each bench. */
#define PATHS PATH_LOOPBACK "," PATH_PAIR "," PATH_REMOTE
#define PATH_PARAM_PATHS                                       \
    {                                                          \
        PARAM_PATHS, PATHS, "paths, a,b,c", PARAM_WORDS(PATHS) \
    }
#define PATH_PARAM_RECEIVE                                       \
    {                                                            \
        PARAM_RECEIVE, RECEIVE_INTERRUPT, "how packets come in", \
            PARAM_WORD(RECEIVE_INTERRUPT "," RECEIVE_POLL)       \
    }
