/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the disk benches read, and how reads are judged: did the disk read at all, was every sector
 * correct, and did a modelled disk keep to its timing model to the tick?
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/block/disk_timing.h"
#include "kernel/block/use.h"
#include "kernel/plan/draw.h"
#include "kernel/run/bench.h"
#include "kernel/task/session.h"

/* BENCH.DAT of the plan's volume; if the volume has no directory, the whole volume, unchecked */
struct target {
    const struct block_volume *volume;
    struct block_disk *disk;
    /* number of the file in the directory, from 1 on; 0: sectors cannot be checked */
    uint64_t file;
    uint64_t first; /* first sector on the volume */
    uint64_t sectors;
    /* how completed requests are reported; NULL: the disk has not been opened yet */
    const char *interrupt;
    uint64_t depth;       /* depth with which the disk was opened */
    uint64_t late_before; /* modelled_disk_late() at the start */
    /* results */
    uint64_t checked; /* number of sectors */
    uint64_t wrong;
    uint64_t wrong_first;   /* first wrong sector of the file */
    enum block_error error; /* error of the first read that failed */
    uint64_t error_block;   /* block of the disk */
    uint32_t error_status;
};

/* Finds what this bench reads: the plan's volume and BENCH.DAT on it. Returns BENCH_OK, or the
 * bench's result. Call outside of sessions. */
enum bench_state target_find(struct bench_run *run, struct target *target);
/* Uses this volume as the target. Returns NULL on success, otherwise the reason why nothing can be
 * read from it. */
const char *target_use(struct target *target, const struct block_volume *volume);
/* Call when the disk has been opened. */
void target_opened(struct target *target, uint64_t depth);
/* Returns the number of requests at once: `wanted`, or the disk's maximum if that is smaller or
 * `wanted` is 0. */
uint32_t target_depth(const struct target *target, uint64_t wanted);
bool target_is_modelled(const struct target *target);
/* Returns the settings of a session that makes and checks this many reads. Its watchdog waits for
 * all of them, because a thread whose reads are done at once never lets another run. */
struct task_settings target_session(uint64_t reads);

/* Checks `sectors` that were read from sector `sector` of the volume on, and counts them. */
void target_check(struct target *target, uint64_t sector, const uint8_t *bytes, uint64_t sectors);
/* Records the error of this request, unless one is recorded already. */
void target_failed(struct target *target, const struct block_request *request);

/* Describes a failure that happened: disk, block and reason. */
#define TARGET_FAILURE_MAX 96
void target_failure_text(const struct target *target, char *text, size_t size);
/* Publishes which disk was read and what was checked, and judges failures and sectors. Returns
 * BENCH_OK, or the bench's result. Call outside of sessions. */
enum bench_state target_judge(struct bench_run *run, const struct target *target);

/* ---- comparison with the timing model of a modelled disk ---- */

/* Follows the disk from its opening and computes its timing model a second time. */
struct timing_follower {
    const struct disk_timing *timing; /* NULL: the disk is not modelled */
    struct disk_timing_state state;
    uint64_t hz;     /* rate of the TSC */
    uint64_t first;  /* sector of the disk where the volume starts */
    uint64_t broken; /* reads that did not complete at the time that the timing model predicts */
    int64_t wanted;  /* expected and actual ticks of the first such read, from its submission */
    int64_t found;
};

/* Call when the disk has just been opened. Keeps the errors found before. */
void timing_follow(struct timing_follower *follower, const struct target *target);
/* Checks the next read in the order of submission, in ticks: `at` since the disk was opened, `due`
 * since `at`. */
void timing_follow_read(struct timing_follower *follower, uint64_t at, uint64_t sector,
                        uint64_t sectors, int64_t due);
/* Returns BENCH_OK, or BENCH_FAIL if a read differed from the timing model. */
enum bench_state timing_follow_judge(struct bench_run *run, const struct timing_follower *follower);

/* Reads as they are expected: each of `threads` threads makes `each` reads of `sectors` sectors,
 * one after the other. */
struct timing_load {
    size_t threads; /* at most TIMING_THREADS_MAX */
    size_t each;
    uint64_t sectors;
    uint64_t depth; /* with which the disk will be opened; at least `threads` */
    /* returns the first sector of the file of a read, both counted from 0 */
    uint64_t (*place)(size_t thread, size_t read);
    /* instructions of a read, its wait apart: before the disk has it and after it is done, and
     * while the disk works; instructions between two reads of a thread */
    uint64_t around;
    uint64_t meanwhile;
    uint64_t between;
};
#define TIMING_THREADS_MAX 32

/* Computes the time that the disk's timing model and these instructions take, and states it as
 * expected of a series: the whole time divided by the reads if `by_block`, otherwise the median of
 * the reads. Does nothing if the disk is not modelled. Call outside of sessions. */
void timing_expect(const struct bench_run *run, const struct target *target, const char *series,
                   const struct timing_load *load, bool by_block);

/* ---- random numbers ---- */
/* Returns a random number from 0 to limit - 1, all equally likely. */
uint64_t target_draw(struct draw_random *random, uint64_t limit);
/* Fills in the numbers from 0 to below `count` in random order, all orders equally likely (Fisher
 * and Yates). */
void target_shuffle(struct draw_random *random, uint32_t *numbers, uint64_t count);
