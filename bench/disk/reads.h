/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads past the cache, one by one: when, where, and how long each span of them took. Series of all
 * of them are in the order in which the disk got them.
 */
#pragma once

#include "bench/disk/target.h"

enum read_series {
    READ_WHOLE,
    READ_SUBMIT,
    READ_DEVICE,
    READ_INTERRUPT,
    READ_WAKE,
    READ_LAW,
    READ_SECTOR,
    READ_AT,
    READ_SERIES,
};

struct reads {
    struct target *target;
    uint64_t bytes; /* of a read */
    size_t capacity;
    size_t kept; /* reads whose bytes are kept until they are checked */
    size_t count;
    int64_t *series[READ_SERIES];
    uint8_t *memory; /* read i is at (i % kept) * bytes */
};

/* For `capacity` reads of `bytes` each, whole blocks of the disk. `memory` of kept * bytes. False:
 * no memory for series. */
bool reads_take(struct reads *reads, struct target *target, size_t capacity, uint64_t bytes);

/* What is done while the disk is open, within the session, by its first thread. False: no memory
 * for threads. */
typedef bool reads_work(struct reads *reads, void *argument);
/* A separate session, with the disk open: work. BENCH_OK, or the bench's result. */
enum bench_state reads_session(struct bench_run *run, struct reads *reads, uint32_t depth,
                               reads_work *work, void *argument);

/* One read of the running thread, which `asked` for it at that TSC, from `sector` of the volume on;
 * fewer than the disk's depth are outstanding. False: it failed. Its index in *index. */
bool reads_one(struct reads *reads, uint64_t asked, uint64_t sector, size_t *index);

/* Is what read `index` has read, and what is still kept, what it ought to be? Not in timed parts.
 */
void reads_check(const struct reads *reads, size_t index);
/* Follows all reads since the disk was opened. */
void reads_follow_law(const struct reads *reads, struct law_follower *follower);

/* Sends the series as NAME.SUFFIX. */
void reads_publish(const struct bench_run *run, const struct reads *reads, uint64_t suffix);
/* Reports those that only a modelled disk has, as missing of another. */
void reads_publish_missing(const struct bench_run *run, const struct target *target);
