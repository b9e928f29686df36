/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/block/block.h"

#include <stdio.h>
#include <string.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/task/scheduler.h"
#include "kernel/task/session.h"
#include "kernel/trace/names.h"
#include "kernel/trace/object.h"

/* Polls without a completion after which a disk is given up. Replaces BLOCK_LIMIT_MS if the TSC's
 * rate is unknown. A poll takes 20 ns to 1 us. */
#define STILL_POLLS_MAX 20000000
/* A timer that polls uses at most 1 / (POLL_SHARE + 1) of the processor. */
#define POLL_SHARE 8

static struct block_disk disks[BLOCK_DISKS_MAX];
static size_t disk_count;

const char *block_error_name(enum block_error error)
{
    static const char *const names[BLOCK_ERRORS] = {
        [BLOCK_GOOD] = BLOCK_NAME_GOOD,     [BLOCK_TIMEOUT] = BLOCK_NAME_TIMEOUT,
        [BLOCK_MEDIUM] = BLOCK_NAME_MEDIUM, [BLOCK_DEVICE] = BLOCK_NAME_DEVICE,
        [BLOCK_GONE] = BLOCK_NAME_GONE,     [BLOCK_REFUSED] = BLOCK_NAME_REFUSED,
    };

    return names[error];
}

void block_failure_text(const struct block_disk *disk, const struct block_failure *failure,
                        char *text, size_t size)
{
    const char *error = block_error_name(failure->error);

    if (failure->status != 0) {
        snprintf(text, size, "%s: block %lu: %s (status %xh)", disk->name, failure->block, error,
                 failure->status);
    } else {
        snprintf(text, size, "%s: block %lu: %s", disk->name, failure->block, error);
    }
}

/* ---- disks ---- */

struct block_disk *block_add(const struct block_driver *driver, const char *name)
{
    if (disk_count == BLOCK_DISKS_MAX) {
        return NULL;
    }
    struct block_disk *disk = &disks[disk_count++];

    *disk = (struct block_disk){.driver = driver};
    snprintf(disk->name, sizeof(disk->name), "%s", name);
    return disk;
}

struct block_disk *block_disk_at(size_t index)
{
    return index < disk_count ? &disks[index] : NULL;
}

/* ---- completion ---- */

static void unlink_request(struct block_disk *disk, struct block_request *request)
{
    if (request->previous != NULL) {
        request->previous->next = request->next;
    } else {
        disk->first = request->next;
    }
    if (request->next != NULL) {
        request->next->previous = request->previous;
    } else {
        disk->last = request->previous;
    }
    disk->outstanding--;
}

static enum io_kind kind_of(const struct block_request *request)
{
    return request->background ? IO_ASYNCHRONOUS : IO_SYNCHRONOUS;
}

void block_finish(struct block_disk *disk, struct block_request *request)
{
    request->completed = tsc_read();
    struct thread *waiter = request->waiter;

    unlink_request(disk, request);
    disk->still_polls = 0;
    io_status_lower(&disk->status, kind_of(request));
    trace_block_complete(disk->status.id, request->serial, (uint8_t)request->error,
                         (uint16_t)disk->outstanding);
    request->finished = true;
    if (waiter != NULL) {
        scheduler_wake(waiter);
    }
    if (request->done != NULL) {
        request->done(request);
    }
}

void block_abandon(struct block_disk *disk, enum block_error error, const char *why)
{
    const uint64_t flags = interrupts_save();

    if (disk->unusable == NULL) {
        disk->unusable = why;
        disk->given_up = error;
        if (disk->driver->stop != NULL) {
            disk->driver->stop(disk);
        }
    }
    while (disk->first != NULL) {
        disk->first->error = error;
        block_finish(disk, disk->first);
    }
    interrupts_restore(flags);
}

/* Gives the disk up if its oldest request is late. Call with interrupts off. */
static void give_up_if_late(struct block_disk *disk)
{
    const struct block_request *oldest = disk->first;

    if (oldest == NULL || disk->driver->punctual) {
        return;
    }
    disk->still_polls++;
    if (oldest->deadline != 0 ? tsc_read() >= oldest->deadline
                              : disk->still_polls > STILL_POLLS_MAX) {
        block_abandon(disk, BLOCK_TIMEOUT, "it did not answer a read in time");
    }
}

static void poll_once(struct block_disk *disk)
{
    if (disk->unusable == NULL) {
        disk->driver->poll(disk);
        give_up_if_late(disk);
    }
}

void block_poll(struct block_disk *disk)
{
    const uint64_t flags = interrupts_save();

    poll_once(disk);
    if (task_active()) {
        scheduler_settle();
    }
    interrupts_restore(flags);
}

/* ---- timers ---- */

static void look_after(void *argument)
{
    struct block_disk *disk = argument;
    const uint64_t flags = interrupts_save();

    poll_once(disk); /* the interrupt may be lost; the driver may also know the cause */
    if (disk->first != NULL && !disk->watch.armed) {
        timer_start(&disk->watch, disk->first->deadline, 0, look_after, disk);
    }
    interrupts_restore(flags);
}

static void poll_by_timer(void *argument)
{
    struct block_disk *disk = argument;
    const uint64_t due = disk->poller.deadline;
    const uint64_t period = clock_ticks_from_us(BLOCK_POLL_US);
    const uint64_t flags = interrupts_save();

    poll_once(disk);
    if (disk->first != NULL && !disk->poller.armed) {
        const uint64_t now = tsc_read();
        const uint64_t pause = POLL_SHARE * (now - due);

        timer_start(&disk->poller, now + (pause > period ? pause : period), 0, poll_by_timer, disk);
    }
    interrupts_restore(flags);
}

static void stop_timer(struct timer *timer)
{
    if (task_active()) {
        timer_stop(timer);
    }
    timer->armed = false;
}

/* ---- requests ---- */

static bool is_allowed(const struct block_disk *disk, const struct block_request *request)
{
    return request->blocks != 0 && request->blocks <= disk->blocks_max &&
           (uintptr_t)request->to % BLOCK_ALIGN == 0 && request->block >= disk->allowed_first &&
           request->block - disk->allowed_first < disk->allowed &&
           request->blocks <= disk->allowed - (request->block - disk->allowed_first);
}

static void refuse(struct block_request *request, enum block_error error)
{
    request->error = error;
    request->submitted = tsc_read();
    request->completed = request->submitted;
    request->finished = true;
    if (request->done != NULL) {
        request->done(request);
    }
}

static void trace_issue(const struct block_disk *disk, const struct block_request *request)
{
    const uint32_t sectors = disk->block_bytes / BLOCK_BYTES_MIN; /* sectors per block */

    trace_block_issue(disk->status.id, request->serial, request->block * sectors,
                      request->blocks * sectors, (uint16_t)disk->outstanding);
}

static void give(struct block_disk *disk, struct block_request *request)
{
    request->serial = disk->serial++;
    request->next = NULL;
    request->previous = disk->last;
    if (disk->last != NULL) {
        disk->last->next = request;
    } else {
        disk->first = request;
    }
    disk->last = request;
    disk->outstanding++;
    io_status_raise(&disk->status, kind_of(request));
    trace_issue(disk, request);
    disk->driver->submit(disk, request);
    if (request->submitted == 0) {
        request->submitted = tsc_read();
    }
}

/* Sets the deadline of a request and arms the timer that watches or polls its disk. The request may
 * already be done. Call with interrupts off. */
static void watch(struct block_disk *disk, struct block_request *request)
{
    const uint64_t limit = clock_ticks_from_us(1000 * BLOCK_LIMIT_MS);

    request->deadline = limit != 0 ? request->submitted + limit : 0;
    if (disk->by_interrupt && disk->first != NULL && !disk->watch.armed) {
        timer_start(&disk->watch, disk->first->deadline, 0, look_after, disk);
    }
    if (disk->by_timer && disk->first != NULL && !disk->poller.armed) {
        timer_start(&disk->poller, tsc_read() + clock_ticks_from_us(BLOCK_POLL_US), 0,
                    poll_by_timer, disk);
    }
}

bool block_submit(struct block_disk *disk, struct block_request *request)
{
    const uint64_t flags = interrupts_save();
    const bool open = disk->depth != 0 && disk->unusable == NULL;
    const bool room = !open || disk->outstanding < disk->depth;

    if (room) {
        request->finished = false;
        request->error = BLOCK_GOOD;
        request->status = 0;
        request->submitted = 0;
        request->began = 0;
        request->service = 0;
        request->due = 0;
        request->waiter = NULL;
    }
    if (disk->unusable != NULL) {
        refuse(request, disk->given_up != BLOCK_GOOD ? disk->given_up : BLOCK_REFUSED);
    } else if (!open || !is_allowed(disk, request)) {
        refuse(request, BLOCK_REFUSED);
    } else if (room) {
        give(disk, request);
        if (!disk->driver->punctual) {
            watch(disk, request);
        }
    }
    interrupts_restore(flags);
    return room;
}

void block_wait(struct block_disk *disk, struct block_request *request)
{
    if (!disk->by_interrupt) {
        while (!request->finished) {
            block_poll(disk);
            cpu_pause();
        }
        return;
    }
    const uint64_t flags = interrupts_save();

    while (!request->finished) {
        request->waiter = scheduler_running();
        scheduler_wait(NULL, WAIT_DISK);
    }
    interrupts_restore(flags);
}

/* ---- open and close ---- */

/* Sets the id of the disk in the trace: that of the device with its name, which is added if the
 * trace does not have it yet. Each bench has its own list of devices. */
static void name_device(struct block_disk *disk)
{
    for (size_t i = 0; i < trace_object_count(); i++) {
        const struct trace_object *object = trace_object_at(i);

        if (object->kind == OBJECT_DEVICE && object->name == disk->name) {
            disk->status = (struct io_status){.id = object->id};
            return;
        }
    }
    io_status_init(&disk->status, disk->name);
}

static void forget_requests(struct block_disk *disk)
{
    while (disk->first != NULL) {
        if (task_active()) {
            io_status_lower(&disk->status, kind_of(disk->first));
        }
        unlink_request(disk, disk->first);
    }
}

const char *block_open(struct block_disk *disk, uint32_t depth, bool interrupts)
{
    if (disk->unusable != NULL) {
        return disk->unusable;
    }
    if (disk->depth != 0) {
        return "it is already open";
    }
    if (interrupts && !task_active()) {
        return "its interrupts need threads, and no threads run at this point";
    }
    const uint32_t fits = depth < disk->depth_max ? depth : disk->depth_max;

    disk->interrupt = INTERRUPT_POLLED;
    disk->still_polls = 0;
    disk->watch.armed = false;
    disk->poller.armed = false;
    name_device(disk);
    const char *why = disk->driver->open(disk, fits, interrupts);

    if (why != NULL) {
        return why;
    }
    disk->depth = fits;
    disk->by_interrupt = interrupts;
    disk->by_timer = interrupts && disk->interrupt == INTERRUPT_POLLED;
    disk->opened = tsc_read();
    return NULL;
}

void block_close(struct block_disk *disk)
{
    const uint64_t flags = interrupts_save();

    if (disk->depth != 0) {
        stop_timer(&disk->watch);
        stop_timer(&disk->poller);
        disk->driver->close(disk);
        forget_requests(disk);
        disk->depth = 0;
    }
    interrupts_restore(flags);
}

void block_close_all(void)
{
    for (size_t i = 0; i < disk_count; i++) {
        block_close(&disks[i]);
    }
}

enum block_error block_read(struct block_disk *disk, uint64_t block, uint32_t blocks, void *to)
{
    struct block_request request = {.block = block, .blocks = blocks, .to = to};

    if (block_open(disk, 1, false) != NULL) {
        return BLOCK_REFUSED;
    }
    block_submit(disk, &request);
    block_wait(disk, &request);
    block_close(disk);
    return request.error;
}
