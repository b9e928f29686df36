/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bench diskload: threads that read at once, and what a closed system of so many customers and Q
 * servers would do.
 *
 * Each of N threads thinks, reads, waits for it, and thinks again. With a service s, which does not
 * vary, Q servers and no thinking the time per block is s / min(N, Q), and a response takes
 * s * max(1, N / Q). With thinking z neither is below: s + z through N, and s through Q.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/disk/host/disk_reads.h"
#include "tools/run/run.h"

/* Of one number of threads; ticks. */
struct disk_load {
    int64_t threads;
    double block;               /* time of the whole load by its reads, as the report has it */
    double think;               /* mean; 0: they do not think */
    double service;             /* mean by the law of a modelled disk; else of one thread's reads
                                 * the mean of span `device` */
    struct statistics response; /* series `read`; n = 0: it is missing */
};

/* The loads of the bench by their threads, ascending, and how many. */
size_t disk_loads_read(const struct run_bench *bench, struct disk_load loads[DISK_POINTS_MAX]);

/* Servers of the modelled disk by its law; 0: unknown. */
uint32_t disk_servers(const struct run_bench *bench);

/* No less time per block is possible: of the threads, and of the servers (0: unknown, NaN). */
double disk_bound_threads(const struct disk_load *load);
double disk_bound_servers(const struct disk_load *load, uint32_t servers);

/* Of the closed system with the think times and services of that load, first come first served, and
 * nothing for the kernel: time per block, and mean response. False: the run lacks what is needed.
 */
struct disk_closed {
    double block;
    double response;
};
bool disk_closed_of(const struct run_bench *bench, const struct disk_load *load, uint32_t servers,
                    struct disk_closed *closed);

/* More threads than the bench can have are refused. */
#define DISK_THREADS_MAX 1024

/* The same of `n` reads in any order, each of the thread thread[i], which thinks think[i] (NULL:
 * not at all) before it; a thread's reads follow each other as they stand. */
bool disk_closed_follow(const int64_t *thread, const int64_t *think, const int64_t *service,
                        size_t n, uint32_t servers, struct disk_closed *closed);

/* What was expected of the time per block with so many threads ("block@N"), in ticks; false:
 * nothing was, or in another unit. */
bool disk_load_expected(const struct view *view, const struct run_bench *bench,
                        const struct disk_load *load, double *ticks);

/* The same by `tare sim`, with exponential think times of the load's mean, constant services, and
 * the kernel's work on one processor before each read: what one thread's read takes beyond service
 * and thinking. False: that is unknown. */
bool disk_simulated(const struct disk_load *load, const struct disk_load *one, uint32_t servers,
                    struct disk_closed *closed);
