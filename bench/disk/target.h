/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What benches of disks read, and how each read is judged: did the disk read at all, was every
 * sector what it ought to be, and did a modelled disk keep its law to the tick?
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/block/service_law.h"
#include "kernel/block/use.h"
#include "kernel/plan/draw.h"
#include "kernel/run/bench.h"
#include "kernel/task/session.h"

/* BENCH.DAT of the plan's volume; without a directory the whole volume, unchecked. */
struct target {
    const struct block_volume *volume;
    struct block_disk *disk;
    uint64_t file;  /* its number in the directory, from 1 on; 0: sectors cannot be checked */
    uint64_t first; /* sector of the volume */
    uint64_t sectors;
    const char *interrupt; /* how requests came back; NULL: the disk has not been open yet */
    uint64_t depth;        /* that it was opened with */
    uint64_t late_before;  /* modelled_disk_late() */
    /* What came of it. */
    uint64_t checked; /* sectors */
    uint64_t wrong;
    uint64_t wrong_first;   /* in the file */
    enum block_error error; /* of the first read that failed */
    uint64_t error_block;   /* of the disk */
    uint32_t error_status;
};

/* Finds it. BENCH_OK, or the bench's result. Outside of sessions. */
enum bench_state target_find(struct bench_run *run, struct target *target);
/* The same of a volume. NULL, or why nothing is read of it. */
const char *target_use(struct target *target, const struct block_volume *volume);
/* The disk has been opened. */
void target_opened(struct target *target, uint64_t depth);
/* Requests at once: as many as wanted, 0 or more than the disk takes: as many as it takes. */
uint32_t target_depth(const struct target *target, uint64_t wanted);
bool target_is_modelled(const struct target *target);
/* Settings of a session in which so many reads are made and checked: its watchdog waits for all of
 * them, as a thread whose reads are done at once never lets another run. */
struct task_settings target_session(uint64_t reads);

/* Are these `sectors`, read from sector `sector` of the volume on, what they ought to be? Counts.
 */
void target_check(struct target *target, uint64_t sector, const uint8_t *bytes, uint64_t sectors);
/* Keeps the first failure. */
void target_failed(struct target *target, const struct block_request *request);

/* Disk, block and reason of what went wrong; something did. */
#define TARGET_FAILURE_MAX 96
void target_failure_text(const struct target *target, char *text, size_t size);
/* Publishes which disk it was and what was checked, and gives the verdict on failures and sectors:
 * BENCH_OK, or the bench's result. Outside of sessions. */
enum bench_state target_judge(struct bench_run *run, const struct target *target);

/* ---- the law of a modelled disk ---- */

/* Follows the disk from when it was opened: the same law, computed once more. */
struct law_follower {
    const struct service_law *law; /* NULL: the disk is no modelled one */
    struct law_state state;
    uint64_t hz;     /* of the TSC */
    uint64_t first;  /* sector of the disk where the volume begins */
    uint64_t broken; /* reads that were not due when the law has them done */
    int64_t wanted;  /* of the first of these, ticks from its submission on */
    int64_t found;
};

/* The disk has just been opened; what was found broken before is kept. */
void law_follow(struct law_follower *follower, const struct target *target);
/* The next read in the order of submission, in ticks: `at` from when the disk was opened, `due`
 * from `at` on. */
void law_follow_read(struct law_follower *follower, uint64_t at, uint64_t sector, uint64_t sectors,
                     int64_t due);
/* BENCH_OK, or BENCH_FAIL where a read was not its law's. */
enum bench_state law_follow_judge(struct bench_run *run, const struct law_follower *follower);

/* ---- parameters ---- */
/* From 0 to below `limit`, each as likely. */
uint64_t target_draw(struct draw_random *random, uint64_t limit);
/* The numbers from 0 to below `count`, all orders as likely (Fisher and Yates). */
void target_shuffle(struct draw_random *random, uint32_t *numbers, uint64_t count);
