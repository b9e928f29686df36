/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/disk/reads.h"

#include <stdio.h>

#include "bench/disk/names.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/names.h"

#define NAME_MAX 32

static const char *const series_names[READ_SERIES] = {
    [READ_WHOLE] = SERIES_READ,        [READ_SUBMIT] = SPAN_SUBMIT,  [READ_DEVICE] = SPAN_DEVICE,
    [READ_INTERRUPT] = SPAN_INTERRUPT, [READ_WAKE] = SPAN_WAKE,      [READ_LAW] = SERIES_LAW,
    [READ_SECTOR] = SERIES_SECTOR,     [READ_AT] = SERIES_SUBMITTED,
};

bool reads_take(struct reads *reads, struct target *target, size_t capacity, uint64_t bytes)
{
    *reads = (struct reads){.target = target, .capacity = capacity, .bytes = bytes};
    for (enum read_series i = 0; i < READ_SERIES; i++) {
        reads->series[i] = bench_samples(capacity);
        if (reads->series[i] == NULL) {
            return false;
        }
    }
    return true;
}

enum bench_state reads_session(struct bench_run *run, struct reads *reads, uint32_t depth,
                               reads_work *work, void *argument)
{
    const struct task_settings settings = target_session(reads->capacity);
    struct block_disk *disk = reads->target->disk;

    if (!task_begin(&settings)) {
        return bench_error(run, "no memory for threads");
    }
    const char *why = block_open(disk, depth, true);
    bool good = true;

    if (why == NULL) {
        target_opened(reads->target, depth);
        good = work(reads, argument);
        block_close(disk);
    }
    task_end();
    if (why != NULL) {
        return bench_fail(run, "%s: %s", disk->name, why);
    }
    return good ? BENCH_OK : bench_error(run, "no memory for threads");
}

static void keep_stamps(const struct reads *reads, size_t index, uint64_t asked, uint64_t woken,
                        const struct block_request *request)
{
    const bool has_due = request->due != 0;
    const uint64_t due = has_due ? request->due : request->completed;

    reads->series[READ_WHOLE][index] = (int64_t)(woken - asked);
    reads->series[READ_SUBMIT][index] = (int64_t)(request->submitted - asked);
    reads->series[READ_DEVICE][index] = (int64_t)(due - request->submitted);
    reads->series[READ_INTERRUPT][index] = (int64_t)(request->completed - due);
    reads->series[READ_WAKE][index] = (int64_t)(woken - request->completed);
    reads->series[READ_LAW][index] = (int64_t)request->service;
    reads->series[READ_AT][index] = (int64_t)(request->submitted - reads->target->disk->opened);
}

bool reads_one(struct reads *reads, uint64_t asked, uint64_t sector, size_t *index)
{
    struct block_disk *disk = reads->target->disk;
    struct block_request request = {
        .block =
            (reads->target->volume->first_sector + sector) / (disk->block_bytes / LAYOUT_SECTOR),
        .blocks = (uint32_t)(reads->bytes / disk->block_bytes),
        .error = BLOCK_REFUSED,
    };
    /* Interrupts are off so that indexes are in the order of submission. */
    const uint64_t flags = interrupts_save();

    *index = reads->count++;
    request.to = reads->memory + *index % reads->kept * reads->bytes;
    const bool taken = block_submit(disk, &request);

    interrupts_restore(flags);
    if (taken) {
        block_wait(disk, &request);
    }
    const uint64_t woken = tsc_read();

    reads->series[READ_SECTOR][*index] = (int64_t)sector;
    if (request.error != BLOCK_GOOD) {
        target_failed(reads->target, &request);
        return false;
    }
    keep_stamps(reads, *index, asked, woken, &request);
    return true;
}

void reads_check(const struct reads *reads, size_t index)
{
    target_check(reads->target, (uint64_t)reads->series[READ_SECTOR][index],
                 reads->memory + index % reads->kept * reads->bytes, reads->bytes / LAYOUT_SECTOR);
}

void reads_follow_timing(const struct reads *reads, struct timing_follower *follower)
{
    timing_follow(follower, reads->target);
    for (size_t i = 0; i < reads->count; i++) {
        timing_follow_read(follower, (uint64_t)reads->series[READ_AT][i],
                           (uint64_t)reads->series[READ_SECTOR][i], reads->bytes / LAYOUT_SECTOR,
                           reads->series[READ_DEVICE][i]);
    }
}

static bool has_series(const struct target *target, enum read_series series)
{
    return (series != READ_INTERRUPT && series != READ_LAW) || target_is_modelled(target);
}

void reads_publish(const struct bench_run *run, const struct reads *reads, uint64_t suffix)
{
    char name[NAME_MAX];

    for (enum read_series i = 0; i < READ_SERIES; i++) {
        if (has_series(reads->target, i)) {
            snprintf(name, sizeof(name), "%s.%lu", series_names[i], suffix);
            bench_publish(run, name, i == READ_SECTOR ? UNIT_COUNT : UNIT_TICK, reads->series[i],
                          reads->count);
        }
    }
}

void reads_publish_missing(const struct bench_run *run, const struct target *target)
{
    for (enum read_series i = 0; i < READ_SERIES; i++) {
        if (!has_series(target, i)) {
            bench_absent(run, series_names[i], "only a modelled disk has a timing model");
        }
    }
}
