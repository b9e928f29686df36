/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads that bypass the cache, one by one: when, where, and how long each span took. All series are
 * in the order in which the disk got the reads.
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
    uint64_t bytes; /* bytes of a read */
    size_t capacity;
    size_t kept; /* number of reads whose data is kept until it is checked */
    size_t count;
    int64_t *series[READ_SERIES];
    uint8_t *memory; /* data of read i is at (i % kept) * bytes */
};

/* Prepares `capacity` reads of `bytes` each, which must be whole blocks of the disk. The caller
 * sets `kept`, and `memory` with kept * bytes. Returns false if there is no memory for series. */
bool reads_take(struct reads *reads, struct target *target, size_t capacity, uint64_t bytes);

/* Work done by the first thread of a session while the disk is open. Returns false if there is no
 * memory for threads. */
typedef bool reads_work(struct reads *reads, void *argument);
/* Does `work` in a separate session, with the disk open. Returns BENCH_OK, or the bench's result.
 */
enum bench_state reads_session(struct bench_run *run, struct reads *reads, uint32_t depth,
                               reads_work *work, void *argument);

/* Reads once for the current thread, which wanted the read at TSC `asked`, from `sector` of the
 * volume on. Fewer requests than the disk's depth must be outstanding. Returns false if the read
 * failed. Sets *index to the index of the read. */
bool reads_one(struct reads *reads, uint64_t asked, uint64_t sector, size_t *index);

/* Checks the data of read `index`, which must still be kept. Do not call in timed parts. */
void reads_check(const struct reads *reads, size_t index);
/* Compares all reads since the disk was opened with the timing model. */
void reads_follow_timing(const struct reads *reads, struct timing_follower *follower);

/* Publishes the series as NAME.SUFFIX. */
void reads_publish(const struct bench_run *run, const struct reads *reads, uint64_t suffix);
/* Publishes the series that only a modelled disk has as absent if this is another disk. */
void reads_publish_missing(const struct bench_run *run, const struct target *target);
