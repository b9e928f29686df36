/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What benches of the network share: the paths of their parameter, a session on each of them, and
 * what is reported of it.
 */
#pragma once

#include "bench/network/names.h"
#include "kernel/remote/net.h"
#include "kernel/run/bench.h"

/* Measures one path; the stack is up. BENCH_OK, or the bench's result. */
typedef enum bench_state path_work(struct bench_run *run, enum net_path path, void *argument);

/* For each path of parameter `paths`: a session (by receive=interrupt), net_begin(), `work`,
 * net_end(), and the facts and texts of names.h. A path that this machine or plan lacks is absent,
 * with the reason; none left: SKIP. A NIC that was given up, wrong bytes, and a broken law: FAIL.
 * `samples` bounds the watchdog. */
enum bench_state paths_run(struct bench_run *run, path_work *work, void *argument,
                           uint64_t samples);
const char *path_name(enum net_path path);

/* Bytes of bulk transfers that were checked, and those that were wrong; for paths_run()'s verdict.
 */
void path_checked(uint64_t bytes, uint64_t wrong);

/* Default and meaning of the two parameters, for `params` of each bench. */
#define PATH_PARAMS                                                                                \
    {                                                                                              \
        PARAM_PATHS,                                                                               \
        "loopback,pair,remote",                                                                    \
        "paths, a,b,c: loopback, pair, remote",                                                    \
        PARAM_TEXT,                                                                                \
        0,                                                                                         \
        0},                                                                                        \
    {                                                                                              \
        PARAM_RECEIVE, RECEIVE_INTERRUPT, "how packets come in: interrupt or poll", PARAM_TEXT, 0, \
            0                                                                                      \
    }
