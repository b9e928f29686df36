/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bench diskload: threads that read at once, compared with a closed system of as many customers and
 * Q servers.
 *
 * Each of N threads thinks, reads, waits for the read, and thinks again. With a constant service s,
 * Q servers and no thinking, the time per block is s / min(N, Q), and a response takes s * max(1, N
 * / Q). With a think time z, the time per block is at least (s + z) / N and at least s / Q.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/disk/host/disk_reads.h"
#include "tools/run/run.h"

/* results for one number of threads, in ticks */
struct disk_load {
    int64_t threads;
    /* time of the whole load divided by its reads, as the report defines it */
    double block;
    double think; /* mean; 0: the threads do not think */
    /* mean by the timing model of a modelled disk; otherwise the mean of span `device` with one
     * thread */
    double service;
    struct statistics response; /* series `read`; n = 0: it is missing */
};

/* Reads the loads of the bench, ascending by threads. Returns their number. */
size_t disk_loads_read(const struct run_bench *bench, struct disk_load loads[DISK_POINTS_MAX]);

/* Returns the servers of the modelled disk by its timing model, or 0 if unknown. */
uint32_t disk_servers(const struct run_bench *bench);

/* Return lower bounds of the time per block: by the threads, and by the servers (NaN if `servers`
 * is 0, which means unknown). */
double disk_bound_threads(const struct disk_load *load);
double disk_bound_servers(const struct disk_load *load, uint32_t servers);

/* Computes time per block and mean response of the closed system with the think times and services
 * of that load, first come first served, and no time for the kernel. Returns false if the run lacks
 * what is needed. */
struct disk_closed {
    double block;
    double response;
};
bool disk_closed_of(const struct run_bench *bench, const struct disk_load *load, uint32_t servers,
                    struct disk_closed *closed);

/* loads with more threads, which no bench has, are rejected */
#define DISK_THREADS_MAX 1024

/* Computes the same for `n` reads. Read i belongs to thread thread[i], which thinks think[i] before
 * it (NULL: no thinking); the reads of a thread follow each other in the given order. */
bool disk_closed_follow(const int64_t *thread, const int64_t *think, const int64_t *service,
                        size_t n, uint32_t servers, struct disk_closed *closed);

/* Returns in *ticks what the bench expected of the time per block with this many threads
 * ("block@N"). Returns false if it expected nothing, or in another unit. */
bool disk_load_expected(const struct view *view, const struct run_bench *bench,
                        const struct disk_load *load, double *ticks);

/* Computes the same with the engine of `tare sim`: exponential think times with the load's mean,
 * constant services, and before each read the kernel's work on one processor, which is what one
 * thread's read takes beyond service and thinking. Returns false if that is unknown. */
bool disk_simulated(const struct disk_load *load, const struct disk_load *one, uint32_t servers,
                    struct disk_closed *closed);
