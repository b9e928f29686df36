/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/block/modelled_disk.h"

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/scale.h"
#include "kernel/mem/memory.h"
#include "kernel/task/session.h"
#include "kernel/task/timer.h"

#define DEPTH_MAX       256 /* a power of two */
#define BLOCKS_MAX      2048
#define LATE_BLOCKS     8
#define SECTORS_PER_MIB 2048
#define NS_PER_S        1000000000ull

static struct {
    struct block_disk *disk;
    const struct disk_timing *timing;
    struct layout layout;
    uint8_t *memory; /* contents of the disk; NULL: not allocated yet */
    uint64_t late;   /* see modelled_disk_late() */
    bool filled;     /* `memory` is filled; stays false if a bench was ended meanwhile */
    /* Valid while the disk is open. */
    struct disk_timing_state state;
    uint64_t hz;
    bool by_timer;
    struct timer timer;                     /* set to the `due` of the first request in the queue */
    struct block_request *queue[DEPTH_MAX]; /* a ring, in order of `due` */
    uint32_t head;
    uint32_t length;
} model;

static struct block_request **queued(uint32_t index)
{
    return &model.queue[(model.head + index) % DEPTH_MAX];
}

/* ---- time ---- */

static uint64_t ticks_of(uint64_t ns)
{
    return model.disk->opened + scale_u64(ns, model.hz, NS_PER_S);
}

static void finish_due(struct block_disk *disk)
{
    while (model.length > 0 && (*queued(0))->due <= tsc_read()) {
        struct block_request *request = *queued(0);

        model.head = (model.head + 1) % DEPTH_MAX;
        model.length--;
        block_finish(disk, request);
    }
}

static void arm(void);

static void timer_expired(void *argument)
{
    const uint64_t flags = interrupts_save();

    finish_due(argument);
    arm();
    interrupts_restore(flags);
}

/* Sets the timer for the first request of the queue, unless it is set for that time already. */
static void arm(void)
{
    if (model.length == 0 || (model.timer.armed && model.timer.deadline == (*queued(0))->due)) {
        return;
    }
    if (model.timer.armed) {
        timer_stop(&model.timer);
    }
    timer_start(&model.timer, (*queued(0))->due, 0, timer_expired, model.disk);
}

/* ---- the driver ---- */

static void enqueue(struct block_request *request)
{
    uint32_t at = model.length++;

    while (at > 0 && (*queued(at - 1))->due > request->due) {
        *queued(at) = *queued(at - 1);
        at--;
    }
    *queued(at) = request;
}

static void copy(void *to, const void *from, uint64_t bytes)
{
    uint64_t words = bytes / sizeof(uint64_t);

    __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
}

static void submit(struct block_disk *disk, struct block_request *request)
{
    struct disk_timing_service service;

    request->submitted = tsc_read();
    disk_timing_serve(&model.state,
                      scale_u64(request->submitted - disk->opened, NS_PER_S, model.hz),
                      request->block, request->blocks, &service);
    request->began = ticks_of(service.began);
    request->due = ticks_of(service.due);
    request->service = request->due - request->began;
    enqueue(request);
    if (model.by_timer) {
        arm();
    }
    copy(request->to, model.memory + request->block * LAYOUT_SECTOR,
         (uint64_t)request->blocks * LAYOUT_SECTOR);
    if (request->blocks <= LATE_BLOCKS && tsc_read() > request->due) {
        model.late++;
    }
}

static const char *open(struct block_disk *disk, uint32_t depth, bool interrupts)
{
    const char *why = modelled_disk_fill();

    if (why != NULL) {
        return why;
    }
    model.hz = clock_state()->verdict.hz;
    if (model.hz == 0) {
        return "its timing model needs a TSC of known rate";
    }
    disk_timing_begin(&model.state, model.timing, depth);
    model.by_timer = interrupts;
    model.timer.armed = false;
    model.head = 0;
    model.length = 0;
    disk->interrupt = interrupts ? INTERRUPT_TIMER : INTERRUPT_POLLED;
    return NULL;
}

static void close(struct block_disk *disk)
{
    (void)disk;
    if (model.timer.armed && task_active()) {
        timer_stop(&model.timer);
    }
    model.timer.armed = false;
    model.length = 0;
}

static const struct block_driver driver = {
    .name = MODELLED_DISK,
    .punctual = true,
    .open = open,
    .close = close,
    .submit = submit,
    .poll = finish_due,
};

/* ---- adding and filling the disk ---- */

struct block_disk *modelled_disk(const struct disk_timing *timing, uint64_t mib)
{
    if (model.disk != NULL) {
        return model.disk;
    }
    model.timing = timing;
    layout_plan(&model.layout, mib * SECTORS_PER_MIB, true);
    struct block_disk *disk = block_add(&driver, MODELLED_DISK);

    if (disk != NULL) {
        disk->block_bytes = LAYOUT_SECTOR;
        disk->blocks = model.layout.sectors;
        disk->depth_max = DEPTH_MAX;
        disk->blocks_max = BLOCKS_MAX;
        disk->allowed = model.layout.sectors;
        model.disk = disk;
    }
    return disk;
}

const char *modelled_disk_fill(void)
{
    const uint64_t bytes = model.layout.sectors * LAYOUT_SECTOR;

    if (model.filled) {
        return NULL;
    }
    if (model.memory == NULL && bytes <= memory_total()) {
        model.memory = memory_allocate(bytes, PAGE_SIZE);
    }
    if (model.memory == NULL) {
        return "not enough memory for the modelled disk; lower disk.mib";
    }
    for (uint64_t sector = 0; sector < model.layout.sectors; sector++) {
        layout_sector(&model.layout, sector, model.memory + sector * LAYOUT_SECTOR);
    }
    model.filled = true;
    return NULL;
}

uint64_t modelled_disk_late(void)
{
    return model.late;
}

const struct layout *modelled_disk_layout(void)
{
    return &model.layout;
}

const struct disk_timing *modelled_disk_timing(void)
{
    return model.timing;
}

void modelled_disk_keep(const struct disk_timing *timing)
{
    model.timing = timing;
}
