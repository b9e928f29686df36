/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/disk/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/disk/names.h"
#include "kernel/block/modelled_disk.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/scale.h"
#include "kernel/run/names.h"
#include "kernel/run/worst.h"

#define DEPTH_MAX    32
#define NS_OF_SECOND 1000000000
#define WATCHDOG_US  10000000
/* time for a read and the check of its sectors, at 64 ns an instruction */
#define READ_US 20000

/* ---- what is read ---- */

static const char *const no_file = "the volume has no " LAYOUT_BENCH ": make one by tare disk";

const char *target_use(struct target *target, const struct block_volume *volume)
{
    *target = (struct target){.volume = volume,
                              .disk = volume->disk,
                              .sectors = volume->sectors,
                              .late_before = modelled_disk_late()};
    if (!volume->verified) {
        return NULL;
    }
    const struct layout_file *file = layout_find(&volume->layout, LAYOUT_BENCH);

    if (file == NULL) {
        return no_file;
    }
    target->file = (uint64_t)(file - volume->layout.files) + 1;
    target->first = file->first;
    target->sectors = file->sectors;
    return NULL;
}

enum bench_state target_find(struct bench_run *run, struct target *target)
{
    const struct block_volume *volume;
    const char *why = block_volume(&volume);

    if (why == NULL) {
        why = target_use(target, volume);
    }
    return why == NULL ? BENCH_OK : bench_skip(run, "%s", why);
}

void target_opened(struct target *target, uint64_t depth)
{
    target->interrupt = device_interrupt_name(target->disk->interrupt);
    target->depth = depth;
}

uint32_t target_depth(const struct target *target, uint64_t wanted)
{
    const uint32_t most = target->disk->depth_max < DEPTH_MAX ? target->disk->depth_max : DEPTH_MAX;

    return wanted == 0 || wanted > most ? most : (uint32_t)wanted;
}

bool target_is_modelled(const struct target *target)
{
    return strcmp(target->disk->driver->name, MODELLED_DISK) == 0;
}

struct task_settings target_session(uint64_t reads)
{
    return (struct task_settings){
        .watchdog = clock_ticks_from_us(WATCHDOG_US + reads * READ_US),
    };
}

void target_check(struct target *target, uint64_t sector, const uint8_t *bytes, uint64_t sectors)
{
    for (uint64_t i = 0; i < sectors && target->file != 0; i++) {
        const uint64_t number = sector + i - target->first;

        target->checked++;
        if (layout_check(bytes + i * LAYOUT_SECTOR, target->file, number)) {
            continue;
        }
        if (target->wrong == 0) {
            target->wrong_first = number;
        }
        target->wrong++;
    }
}

void target_failed(struct target *target, const struct block_request *request)
{
    if (target->error == BLOCK_GOOD) {
        target->error = request->error;
        target->error_block = request->block;
        target->error_status = request->status;
    }
}

static void publish(struct bench_run *run, const struct target *target)
{
    bench_found(run, FOUND_DISK, target->disk->name);
    bench_found(run, FOUND_DRIVER, target->disk->driver->name);
    if (target_is_modelled(target)) {
        bench_found(run, FOUND_MODEL, modelled_disk_timing()->name);
    }
    if (target->interrupt != NULL) {
        bench_found(run, FOUND_INTERRUPT, target->interrupt);
        bench_fact(run, FACT_DEPTH, UNIT_COUNT, (int64_t)target->depth);
    }
    bench_found(run, FOUND_VERIFIED, target->file != 0 ? "yes" : "no");
    bench_fact(run, FACT_VOLUME_SECTORS, UNIT_COUNT, (int64_t)target->volume->sectors);
    bench_fact(run, FACT_BLOCK_BYTES, UNIT_BYTE, target->disk->block_bytes);
    bench_fact(run, FACT_CHECKED, UNIT_COUNT, (int64_t)target->checked);
    bench_fact(run, FACT_WRONG, UNIT_COUNT, (int64_t)target->wrong);
}

void target_failure_text(const struct target *target, char *text, size_t size)
{
    const struct block_failure met = {target->error, target->error_block, target->error_status};

    if (target->error != BLOCK_GOOD) {
        block_failure_text(target->disk, &met, text, size);
        return;
    }
    snprintf(text, size, "%s: %lu of %lu sectors are wrong, the first is sector %lu of the file",
             target->disk->name, target->wrong, target->checked, target->wrong_first);
}

/* A failed or wrong read is the disk's failure; a read that the plan does not allow is the bench's
 * error. */
enum bench_state target_judge(struct bench_run *run, const struct target *target)
{
    publish(run, target);
    const bool slow = bench_is_exact() && modelled_disk_late() != target->late_before;

    if (target->error == BLOCK_GOOD && target->wrong == 0) {
        return !slow ? BENCH_OK
                     : bench_error(run,
                                   "disk.model=%s reads 4 KiB faster than this processor copies "
                                   "them: use another model, or a smaller --shift",
                                   modelled_disk_timing()->name);
    }
    char text[TARGET_FAILURE_MAX];

    target_failure_text(target, text, sizeof(text));
    return target->error == BLOCK_REFUSED ? bench_error(run, "%s", text)
                                          : bench_fail(run, "%s", text);
}

/* ---- timing model ---- */

void timing_follow(struct timing_follower *follower, const struct target *target)
{
    follower->timing = target_is_modelled(target) ? modelled_disk_timing() : NULL;
    follower->hz = clock_state()->verdict.hz;
    follower->first = target->volume->first_sector;
    if (follower->timing != NULL) {
        disk_timing_begin(&follower->state, follower->timing, target->depth);
    }
}

void timing_follow_read(struct timing_follower *follower, uint64_t at, uint64_t sector,
                        uint64_t sectors, int64_t due)
{
    struct disk_timing_service service;

    if (follower->timing == NULL) {
        return;
    }
    disk_timing_serve(&follower->state, scale_u64(at, NS_OF_SECOND, follower->hz),
                      follower->first + sector, sectors, &service);
    const int64_t wanted = (int64_t)(scale_u64(service.due, follower->hz, NS_OF_SECOND) - at);

    if (due == wanted) {
        return;
    }
    if (follower->broken++ == 0) {
        follower->wanted = wanted;
        follower->found = due;
    }
}

enum bench_state timing_follow_judge(struct bench_run *run, const struct timing_follower *follower)
{
    return follower->broken == 0 ? BENCH_OK
                                 : bench_fail(run,
                                              "%lu reads differ from the disk's timing model: the "
                                              "first took %ld ticks, expected %ld",
                                              follower->broken, follower->found, follower->wanted);
}

static struct disk_timing_state expected;

/* Serves all reads by the timing model. Stores how long each takes, and returns when the last ends;
 * all in ns. */
static uint64_t expect_reads(const struct target *target, const struct timing_load *load,
                             int64_t *times)
{
    uint64_t ready[TIMING_THREADS_MAX] = {0};
    size_t read[TIMING_THREADS_MAX] = {0};
    struct disk_timing_service service;
    uint64_t processor = 0; /* when it is free */
    uint64_t end = 0;

    disk_timing_begin(&expected, modelled_disk_timing(), load->depth);
    for (size_t i = 0; i < load->threads * load->each; i++) {
        size_t next = 0;

        for (size_t k = 1; k < load->threads; k++) {
            next = read[next] == load->each || (read[k] < load->each && ready[k] < ready[next])
                       ? k
                       : next;
        }
        const uint64_t begin = ready[next] > processor ? ready[next] : processor;
        const uint64_t asked = begin + bench_instructions_ns(load->around);
        const uint64_t sector = load->place(next, read[next]++);

        disk_timing_serve(&expected, asked, target->volume->first_sector + target->first + sector,
                          load->sectors, &service);
        processor = asked + bench_instructions_ns(load->meanwhile);
        times[i] = (int64_t)(service.due - ready[next]);
        ready[next] = service.due + bench_instructions_ns(load->between);
        end = service.due > end ? service.due : end;
    }
    return end;
}

void timing_expect(const struct bench_run *run, const struct target *target, const char *series,
                   const struct timing_load *load, bool by_block)
{
    const size_t count = load->threads * load->each;
    int64_t *times = target_is_modelled(target) && count > 0 ? bench_samples(count) : NULL;
    struct spread spread;

    if (times == NULL) {
        return;
    }
    const uint64_t end = expect_reads(target, load, times);

    spread_of(times, count, &spread);
    bench_expect(run, series, by_block ? end / count : (uint64_t)spread.median,
                 "disk.model=%s by its timing model, and %lu instructions of the kernel around "
                 "each read, %lu while the disk works",
                 modelled_disk_timing()->name, load->around, load->meanwhile);
}

/* ---- random numbers ---- */

uint64_t target_draw(struct draw_random *random, uint64_t limit)
{
    return (uint64_t)((unsigned __int128)draw_next(random) * limit >> 64);
}

void target_shuffle(struct draw_random *random, uint32_t *numbers, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t at = target_draw(random, i + 1);

        numbers[i] = numbers[at];
        numbers[at] = (uint32_t)i;
    }
}
