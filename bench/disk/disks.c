/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench disks: every disk of the machine: what it is, how it reports completed requests, and
 * whether everything that may be read of it can be read and is correct. Several requests are
 * outstanding all the time. If one disk fails, the others are still read.
 */
#include <stdio.h>
#include <string.h>

#include "bench/disk/names.h"
#include "bench/disk/target.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"
#include "kernel/task/session.h"

#define READ_BYTES (64u << 10) /* less if a disk takes less */
#define DEPTH_MOST 16
#define NAME_MAX   40
#define TEXT_MAX   120

static struct {
    struct block_volume volume;
    struct target target;
    struct block_request requests[DEPTH_MOST];
    uint8_t *memory; /* buffers of READ_BYTES, one for each request */
    uint64_t sectors_most;
    char first_failure[TARGET_FAILURE_MAX];
    size_t failures;
} state;

/* ---- reading ---- */

static uint64_t sectors_of_read(const struct block_disk *disk)
{
    const uint64_t most = (uint64_t)disk->blocks_max * disk->block_bytes;

    return (most < READ_BYTES ? most : READ_BYTES) / LAYOUT_SECTOR;
}

/* Submits a read of `sector` of the volume. */
static void ask(struct target *target, size_t index, uint64_t sector, uint64_t sectors)
{
    struct block_disk *disk = target->disk;
    const uint64_t per_block = disk->block_bytes / LAYOUT_SECTOR;

    state.requests[index] = (struct block_request){
        .block = (target->volume->first_sector + sector) / per_block,
        .blocks = (uint32_t)(sectors / per_block),
        .to = state.memory + index * READ_BYTES,
    };
    block_submit(disk, &state.requests[index]);
}

static bool take(struct target *target, size_t index, uint64_t sector)
{
    struct block_request *request = &state.requests[index];

    block_wait(target->disk, request);
    if (request->error != BLOCK_GOOD) {
        target_failed(target, request);
        return false;
    }
    target_check(target, sector, request->to,
                 (uint64_t)request->blocks * target->disk->block_bytes / LAYOUT_SECTOR);
    return true;
}

/* Reads from the start of the target until a read fails, with `depth` reads outstanding ahead of
 * the one that it waits for. */
static void read_all(struct target *target, uint64_t depth)
{
    const uint64_t step = sectors_of_read(target->disk);
    const uint64_t all =
        target->sectors < state.sectors_most ? target->sectors : state.sectors_most;
    const uint64_t reads = all / step;
    uint64_t request = 0; /* index of the next request */

    for (uint64_t i = 0; i < reads + depth; i++) {
        if (i >= depth && i - depth < reads &&
            !take(target, request, target->first + (i - depth) * step)) {
            return;
        }
        if (i < reads) {
            ask(target, request, target->first + i * step, step);
        }
        request = request + 1 < depth ? request + 1 : 0;
    }
}

/* Returns NULL, or the reason why the disk could not be opened. */
static const char *read_disk(struct target *target, uint64_t depth)
{
    const struct task_settings settings = {0};

    if (!task_begin(&settings)) {
        return "no memory for threads";
    }
    const char *why = block_open(target->disk, (uint32_t)depth, true);

    if (why == NULL) {
        target_opened(target, depth);
        read_all(target, depth);
        block_close(target->disk);
    }
    task_end();
    return why;
}

/* ---- one disk ---- */

static void publish_number(struct bench_run *run, const struct block_disk *disk, const char *what,
                           const char *unit, uint64_t value)
{
    char name[NAME_MAX];

    snprintf(name, sizeof(name), "%s.%s", disk->name, what);
    bench_fact(run, name, unit, (int64_t)value);
}

static void publish_missing(struct bench_run *run, const struct block_disk *disk, const char *why)
{
    char name[NAME_MAX];

    snprintf(name, sizeof(name), "%s.%s", disk->name, FACT_CHECKED);
    bench_absent(run, name, why);
}

static void fail_disk(const char *text)
{
    if (state.failures++ == 0) {
        snprintf(state.first_failure, sizeof(state.first_failure), "%s", text);
    }
}

static void publish_result(struct bench_run *run, const struct target *target)
{
    const struct block_disk *disk = target->disk;
    char text[TEXT_MAX];

    if (target->file != 0) {
        publish_number(run, disk, FACT_CHECKED, UNIT_COUNT, target->checked);
        publish_number(run, disk, FACT_WRONG, UNIT_COUNT, target->wrong);
    } else {
        publish_missing(
            run, disk,
            "the disk has no partition of tare's type: it was read as a whole, unchecked");
    }
    if (target->error != BLOCK_GOOD || target->wrong != 0) {
        target_failure_text(target, text, sizeof(text));
        bench_absent(run, disk->name, text);
        fail_disk(text);
    }
}

static void see_disk(struct bench_run *run, struct block_disk *disk, uint64_t depth)
{
    const char *why = block_volume_of(disk, &state.volume);
    char text[TEXT_MAX];

    if (why == NULL) {
        why = target_use(&state.target, &state.volume);
    }
    const bool readable = why == NULL;

    if (readable) {
        why = read_disk(&state.target, target_depth(&state.target, depth));
    }
    snprintf(text, sizeof(text), "%s%s%s", disk->driver->name, readable && why == NULL ? ", " : "",
             readable && why == NULL ? state.target.interrupt : "");
    bench_found(run, disk->name, text);
    if (disk->blocks != 0) {
        publish_number(run, disk, FACT_BLOCKS, UNIT_COUNT, disk->blocks);
        publish_number(run, disk, FACT_BLOCK_BYTES, UNIT_BYTE, disk->block_bytes);
        publish_number(run, disk, FACT_DEPTH, UNIT_COUNT, disk->depth_max);
    }
    if (why == NULL) {
        publish_result(run, &state.target);
        return;
    }
    publish_missing(run, disk, why);
    if (disk->unusable != NULL && !disk->foreign) {
        fail_disk(why);
    }
}

static enum bench_state run(struct bench_run *run)
{
    const uint64_t depth = bench_number(run, "depth");

    state.memory = bench_memory(DEPTH_MOST * READ_BYTES);
    state.sectors_most = bench_number(run, PARAM_KIB) * 1024 / LAYOUT_SECTOR;
    state.failures = 0;
    if (state.memory == NULL) {
        return bench_error(run, "no memory for the data to read");
    }
    for (size_t i = 0; i < block_disks(); i++) {
        see_disk(run, block_disk_at(i), depth);
    }
    return state.failures == 0 ? bench_ok(run)
                               : bench_fail(run, "%s%s", state.first_failure,
                                            state.failures > 1 ? "; and others" : "");
}

static const struct bench_param params[] = {
    {PARAM_KIB, "4096", "largest amount to read from each disk, in KiB",
     PARAM_NUMBER(64, 4u << 20)},
    {"depth", "8", "requests outstanding at once, limited by what the disk takes",
     PARAM_NUMBER(1, DEPTH_MOST)},
    {0},
};

static const struct bench disks = {
    .name = BENCH_DISKS,
    .group = GROUP_DISK,
    .summary = "lists the disks of the machine and checks that they read correctly",
    .unit = UNIT_COUNT,
    .estimate = "each disk reads correctly; without disk.use only disks with a partition of tare's "
                "type are read",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .on_request = true,
    .params = params,
    .run = run,
};
BENCH_REGISTER(disks);
