/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests to disks, kernel/block/block.h, and the modelled disk, as they are in the image: on a
 * disk of this test that answers when it is asked to, and on a clock and timers that it sets.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/mem/memory.h"
#include "kernel/task/scheduler.h"
#include "kernel/task/timer.h"
#include "tools/tests/support/unit.h"

/* In place of instructions that a program may not use. */
#define interrupts_save()         UINT64_C(0)
#define interrupts_restore(flags) ((void)(flags))
#define tsc_read()                look_at_clock()

#define HZ 2500000000u

static uint64_t tick; /* the TSC */
static uint64_t look_at_clock(void);

// NOLINTBEGIN(bugprone-suspicious-include)
#include "kernel/block/block.c"
#include "kernel/block/modelled_disk.c"
// NOLINTEND(bugprone-suspicious-include)

/* ---- the machine ---- */

#include "tools/tests/support/armed_timers.h"

static bool session;
static bool moves;    /* the clock, each time that it is looked at, */
static uint64_t step; /* by this */
static struct clock_state clocks;
static struct thread self;
static bool woken;

static uint64_t look_at_clock(void)
{
    tick += moves ? step : 0;
    return tick;
}

const struct clock_state *clock_state(void)
{
    return &clocks;
}

uint64_t clock_ticks_from_us(uint64_t microseconds)
{
    return microseconds * clocks.verdict.hz / 1000000;
}

void *memory_allocate(size_t bytes, size_t alignment)
{
    void *memory = aligned_alloc(alignment, bytes);

    memset(memory, 0, bytes);
    return memory;
}

uint64_t memory_total(void)
{
    return 64u << 20;
}

bool task_active(void)
{
    return session;
}

static size_t timers(void)
{
    size_t count = 0;

    for (size_t i = 0; i < sizeof(armed) / sizeof(armed[0]); i++) {
        count += armed[i] != NULL;
    }
    return count;
}

struct thread *scheduler_running(void)
{
    return &self;
}

void scheduler_wait(struct wait_queue *queue, enum wait_reason reason)
{
    CHECK(queue == NULL && reason == WAIT_DISK);
    for (woken = false; !woken && timers() > 0;) {
        next_timer(0);
    }
    CHECK(woken);
}

void scheduler_wake(struct thread *thread)
{
    CHECK(thread == &self);
    woken = true;
}

void scheduler_settle(void)
{
}

size_t trace_object_count(void)
{
    return 0;
}

const struct trace_object *trace_object_at(size_t index)
{
    (void)index;
    return NULL;
}

static int raised[IO_KINDS];

void io_status_init(struct io_status *status, const char *name)
{
    (void)name;
    *status = (struct io_status){0};
}

void io_status_raise(struct io_status *status, enum io_kind kind)
{
    (void)status;
    raised[kind]++;
}

void io_status_lower(struct io_status *status, enum io_kind kind)
{
    (void)status;
    raised[kind]--;
    CHECK(raised[kind] >= 0);
}

/* ---- a disk that answers when this test lets it ---- */

#define DEPTH 8

static struct {
    struct block_request *has[DEPTH];
    bool ready[DEPTH];
    unsigned opened, closed, stopped, polled;
    enum device_interrupt offers;
    const char *refuses;
} device;

static const char *device_open(struct block_disk *disk, uint32_t depth, bool interrupts)
{
    CHECK(depth >= 1 && depth <= disk->depth_max);
    disk->interrupt = interrupts ? device.offers : INTERRUPT_POLLED;
    device.opened++;
    return device.refuses;
}

static void device_close(struct block_disk *disk)
{
    (void)disk;
    device.closed++;
}

static void device_submit(struct block_disk *disk, struct block_request *request)
{
    uint32_t slot = 0;

    (void)disk;
    while (slot < DEPTH - 1 && device.has[slot] != NULL) {
        slot++;
    }
    CHECK(device.has[slot] == NULL);
    request->slot = slot;
    device.has[slot] = request;
    device.ready[slot] = false;
}

static void device_poll(struct block_disk *disk)
{
    device.polled++;
    for (uint32_t slot = 0; slot < DEPTH; slot++) {
        struct block_request *request = device.has[slot];

        if (request != NULL && device.ready[slot]) {
            device.has[slot] = NULL;
            block_finish(disk, request);
        }
    }
}

static void device_stop(struct block_disk *disk)
{
    (void)disk;
    device.stopped++;
    memset(device.has, 0, sizeof(device.has));
}

static const struct block_driver driver_of_test = {
    .name = "test",
    .open = device_open,
    .close = device_close,
    .submit = device_submit,
    .poll = device_poll,
    .stop = device_stop,
};

static uint8_t memory[BLOCKS_MAX * 512] __attribute__((aligned(4096)));

static struct block_disk *fresh_disk(void)
{
    disk_count = 0;
    memset(&device, 0, sizeof(device));
    memset(armed, 0, sizeof(armed));
    memset(raised, 0, sizeof(raised));
    clocks.verdict.hz = HZ;
    session = false;
    moves = false;
    step = 5000;
    tick = 1000000;
    struct block_disk *disk = block_add(&driver_of_test, "test0");

    disk->blocks = 1000;
    disk->block_bytes = 512;
    disk->depth_max = DEPTH;
    disk->blocks_max = 16;
    disk->allowed_first = 100;
    disk->allowed = 200;
    return disk;
}

static struct block_request request_for(uint64_t block)
{
    return (struct block_request){.block = block, .blocks = 1, .to = memory};
}

/* ---- requests ---- */

static void test_as_many_as_fit(void)
{
    struct block_disk *disk = fresh_disk();
    struct block_request requests[6];

    CHECK_TEXT(block_open(disk, 5, false), NULL);
    CHECK_TEXT(block_open(disk, 5, false), "it is already open");
    for (int i = 0; i < 6; i++) {
        requests[i] = request_for(100 + (uint64_t)i);
        CHECK_EQUAL(block_submit(disk, &requests[i]), i < 5);
    }
    CHECK_EQUAL(disk->outstanding, 5);
    device.ready[3] = true;
    block_poll(disk);
    CHECK(requests[3].finished && !requests[4].finished && requests[3].error == BLOCK_GOOD);
    CHECK(block_submit(disk, &requests[5]));
    CHECK(disk->first == &requests[0] && disk->last == &requests[5]);
    CHECK(requests[2].next == &requests[4] && requests[4].previous == &requests[2]);
    CHECK_EQUAL(raised[IO_SYNCHRONOUS], 5);
    block_close(disk);
    CHECK(device.closed == 1 && disk->outstanding == 0 && disk->first == NULL);
    CHECK_EQUAL(block_open(disk, 100, false) == NULL ? disk->depth : 0, DEPTH);
}

/* Each request against the rules in 128 bits. */
static void test_only_what_is_allowed(void)
{
    static const uint64_t edges[] = {0,
                                     1,
                                     99,
                                     100,
                                     101,
                                     284,
                                     285,
                                     299,
                                     300,
                                     301,
                                     999,
                                     1000,
                                     UINT64_MAX - 7,
                                     UINT64_MAX - 1,
                                     UINT64_MAX};
    struct block_disk *disk = fresh_disk();

    block_open(disk, DEPTH, false);
    for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++) {
        for (uint32_t blocks = 0; blocks < 18; blocks++) {
            struct block_request request = request_for(edges[i]);
            const unsigned __int128 end = (unsigned __int128)edges[i] + blocks;
            const bool good = edges[i] >= 100 && end <= 300 && blocks >= 1 && blocks <= 16;

            request.blocks = blocks;
            CHECK(block_submit(disk, &request));
            CHECK_EQUAL(request.finished, !good);
            CHECK_EQUAL(request.error, good ? BLOCK_GOOD : BLOCK_REFUSED);
            device.ready[0] = true;
            block_poll(disk);
            CHECK(request.finished);
        }
    }
    struct block_request crooked = request_for(100);

    crooked.to = memory + 4;
    CHECK(block_submit(disk, &crooked) && crooked.error == BLOCK_REFUSED);
    block_close(disk);
    crooked.to = memory;
    CHECK(block_submit(disk, &crooked) && crooked.error == BLOCK_REFUSED); /* closed */
}

static unsigned done_count;

static void count_done(struct block_request *request)
{
    CHECK(request->finished);
    CHECK(request->argument == &done_count);
    done_count++;
}

static void test_done_is_called_once(void)
{
    struct block_disk *disk = fresh_disk();
    struct block_request request = request_for(100);

    done_count = 0;
    request.done = count_done;
    request.argument = &done_count;
    request.background = true;
    block_open(disk, 1, false);
    block_submit(disk, &request);
    CHECK(raised[IO_ASYNCHRONOUS] == 1 && raised[IO_SYNCHRONOUS] == 0);
    block_poll(disk);
    CHECK_EQUAL(done_count, 0);
    device.ready[0] = true;
    block_poll(disk);
    block_poll(disk);
    CHECK_EQUAL(done_count, 1);
    request.block = 0;
    block_submit(disk, &request); /* refused */
    CHECK_EQUAL(done_count, 2);
    CHECK_EQUAL(raised[IO_ASYNCHRONOUS], 0);
}

/* ---- disks that do not answer ---- */

static void check_given_up(struct block_disk *disk, struct block_request *request)
{
    struct block_request later = request_for(100);

    CHECK(request->finished && request->error == BLOCK_TIMEOUT);
    CHECK_EQUAL(device.stopped, 1);
    CHECK(disk->unusable != NULL && disk->outstanding == 0);
    CHECK(block_submit(disk, &later) && later.finished && later.error == BLOCK_TIMEOUT);
    block_poll(disk);
    block_close(disk);
    CHECK_EQUAL(device.closed, 1);
    CHECK_TEXT(block_open(disk, 1, false), disk->unusable);
    CHECK_EQUAL(block_read(disk, 100, 1, memory), BLOCK_REFUSED);
}

static void test_silent_disk_that_is_polled(void)
{
    struct block_disk *disk = fresh_disk();
    struct block_request requests[2] = {request_for(100), request_for(101)};
    const uint64_t began = tick;

    block_open(disk, 2, false);
    block_submit(disk, &requests[0]);
    block_submit(disk, &requests[1]);
    tick = began + 2ull * HZ - 1;
    block_poll(disk);
    CHECK(!requests[0].finished && disk->unusable == NULL);
    moves = true;
    block_wait(disk, &requests[1]);
    CHECK(tick < began + 2ull * HZ + 50000);
    check_given_up(disk, &requests[0]);
}

static void test_silent_disk_without_a_clock(void)
{
    struct block_disk *disk = fresh_disk();
    struct block_request request = request_for(100);

    clocks.verdict.hz = 0;
    block_open(disk, 1, false);
    for (int i = 0; i < 3; i++) { /* each answer is a new beginning */
        block_submit(disk, &request);
        disk->still_polls = STILL_POLLS_MAX - 2;
        block_poll(disk);
        device.ready[0] = true;
        block_poll(disk);
        CHECK(request.error == BLOCK_GOOD && disk->still_polls == 0);
    }
    device.polled = 0;
    block_submit(disk, &request);
    disk->still_polls = STILL_POLLS_MAX - 100;
    block_wait(disk, &request);
    CHECK(device.polled >= 100 && device.polled <= 102);
    check_given_up(disk, &request);
}

static void test_silent_disk_with_interrupts(void)
{
    struct block_disk *disk = fresh_disk();
    struct block_request requests[2] = {request_for(100), request_for(101)};
    const uint64_t began = tick;

    CHECK(block_open(disk, 1, true) != NULL); /* no session */
    session = true;
    device.offers = INTERRUPT_MSIX;
    block_open(disk, 2, true);
    block_submit(disk, &requests[0]);
    tick += HZ;
    block_submit(disk, &requests[1]);
    CHECK_EQUAL(timers(), 1);
    block_wait(disk, &requests[1]);
    CHECK_EQUAL(tick, began + 2ull * HZ);
    CHECK_EQUAL(device.polled, 1); /* its last chance */
    check_given_up(disk, &requests[0]);
    CHECK_EQUAL(timers(), 0);
}

/* Its answer is seen, although its interrupt never came. */
static void test_lost_interrupt(void)
{
    struct block_disk *disk = fresh_disk();
    struct block_request request = request_for(100);

    session = true;
    device.offers = INTERRUPT_INTX;
    block_open(disk, 1, true);
    block_submit(disk, &request);
    device.ready[0] = true;
    block_wait(disk, &request);
    CHECK(request.error == BLOCK_GOOD && disk->unusable == NULL);
    block_close(disk);
}

/* Who answers is not given up, however long the load lasts. */
static void test_watch_follows_the_oldest(void)
{
    struct block_disk *disk = fresh_disk();
    struct block_request requests[2] = {request_for(100), request_for(101)};

    session = true;
    device.offers = INTERRUPT_MSI;
    block_open(disk, 2, true);
    block_submit(disk, &requests[0]);
    for (int i = 0; i < 20; i++) {
        tick += HZ;
        block_submit(disk, &requests[(i + 1) % 2]);
        device.ready[requests[i % 2].slot] = true;
        device_poll(disk);
        CHECK(requests[i % 2].finished && requests[i % 2].error == BLOCK_GOOD);
        if (armed[0] != NULL && armed[0]->deadline <= tick + HZ / 2) {
            next_timer(0);
        }
        CHECK(disk->unusable == NULL);
    }
    block_close(disk);
    CHECK_EQUAL(timers(), 0);
}

/* ---- a disk without interrupts, in a session ---- */

static void test_polled_by_a_timer(void)
{
    struct block_disk *disk = fresh_disk();
    struct block_request request = request_for(100);

    session = true;
    device.offers = INTERRUPT_POLLED;
    block_open(disk, 1, true);
    CHECK_EQUAL(timers(), 0);
    block_submit(disk, &request);
    CHECK_EQUAL(timers(), 2);
    for (unsigned i = 1; i <= 5; i++) {
        const uint64_t before = tick;

        next_timer(0);
        CHECK_EQUAL(device.polled, i);
        CHECK_EQUAL(tick - before, clock_ticks_from_us(BLOCK_POLL_US));
    }
    tick += clock_ticks_from_us(100); /* its poll comes late: it leaves time for others */
    next_timer(0);
    const uint64_t before = tick;

    next_timer(0);
    CHECK(tick - before > clock_ticks_from_us(500));
    device.ready[0] = true;
    block_wait(disk, &request);
    CHECK(request.finished && request.error == BLOCK_GOOD);
    CHECK_EQUAL(timers(), 1); /* the watch alone */
    block_close(disk);
    CHECK_EQUAL(timers(), 0);
}

static void test_closed_behind_a_session_that_was_ended(void)
{
    struct block_disk *disk = fresh_disk();
    struct block_request request = request_for(100);

    session = true;
    device.offers = INTERRUPT_POLLED;
    block_open(disk, 1, true);
    block_submit(disk, &request);
    session = false;
    memset(armed, 0, sizeof(armed));
    block_close_all();
    CHECK(disk->depth == 0 && device.closed == 1 && disk->outstanding == 0);
    CHECK(!disk->watch.armed && !disk->poller.armed);
    session = true;
    CHECK_TEXT(block_open(disk, 1, true), NULL);
    block_submit(disk, &request);
    CHECK_EQUAL(timers(), 2);
    block_close(disk);
}

static void test_one_read(void)
{
    struct block_disk *disk = fresh_disk();

    moves = true;
    CHECK_EQUAL(block_read(disk, 0, 1, memory), BLOCK_REFUSED);
    CHECK_EQUAL(block_read(disk, 100, 1, memory), BLOCK_TIMEOUT);
    disk = fresh_disk();
    device.refuses = "no";
    CHECK_EQUAL(block_read(disk, 100, 1, memory), BLOCK_REFUSED);
    CHECK_EQUAL(disk->depth, 0);
}

static void test_too_many_disks(void)
{
    fresh_disk();
    for (int i = 1; i < BLOCK_DISKS_MAX; i++) {
        CHECK(block_add(&driver_of_test, "a name of more than sixteen") != NULL);
    }
    CHECK(block_add(&driver_of_test, "one more") == NULL);
    CHECK_EQUAL(strlen(block_disk_at(1)->name), BLOCK_NAME_MAX - 1);
    CHECK(block_disk_at(BLOCK_DISKS_MAX) == NULL);
}

/* ---- the modelled disk ---- */

#define MODEL_READS   1500
#define MODEL_AT_ONCE 60

static uint64_t drawn = 7;

static uint64_t draw(uint64_t below)
{
    return unit_random(&drawn) % below;
}

static struct block_disk *fresh_model(const char *timing)
{
    fresh_disk();
    free(model.memory);
    memset(&model, 0, sizeof(model));
    return modelled_disk(disk_timing_named(timing), 1);
}

/* Compares a request with the values that the timing model gives when it is called directly. */
static void check_timing(const struct block_disk *disk, struct disk_timing_state *timing,
                         const struct block_request *request)
{
    struct disk_timing_service service;
    const uint64_t since = request->submitted - disk->opened;
    const uint64_t ns = (uint64_t)((unsigned __int128)since * 1000000000 / HZ);

    disk_timing_serve(timing, ns, request->block, request->blocks, &service);
    const uint64_t began = (uint64_t)((unsigned __int128)service.began * HZ / 1000000000);
    const uint64_t due = (uint64_t)((unsigned __int128)service.due * HZ / 1000000000);

    CHECK_EQUAL(request->began - disk->opened, began);
    CHECK_EQUAL(request->due - disk->opened, due);
    CHECK_EQUAL(request->service, due - began);
}

static void check_data(const struct block_request *request)
{
    uint8_t sector[LAYOUT_SECTOR];

    for (uint64_t i = 0; i < request->blocks; i++) {
        layout_sector(modelled_disk_layout(), request->block + i, sector);
        CHECK(memcmp((uint8_t *)request->to + i * LAYOUT_SECTOR, sector, LAYOUT_SECTOR) == 0);
    }
}

static void check_model(const char *timing, bool interrupts)
{
    static struct block_request requests[MODEL_AT_ONCE];
    struct block_disk *disk = fresh_model(timing);
    struct disk_timing_state state;
    uint64_t submitted = 0;

    session = interrupts;
    CHECK_TEXT(block_open(disk, MODEL_AT_ONCE, interrupts), NULL);
    CHECK_EQUAL(disk->interrupt, interrupts ? INTERRUPT_TIMER : INTERRUPT_POLLED);
    disk_timing_begin(&state, disk_timing_named(timing), MODEL_AT_ONCE);
    for (size_t i = 0; i < MODEL_AT_ONCE; i++) {
        requests[i] = (struct block_request){.finished = true};
    }
    while (submitted < MODEL_READS) {
        struct block_request *request = &requests[draw(MODEL_AT_ONCE)];

        if (request->finished && draw(3) != 0) {
            *request = request_for(0);
            request->blocks = 1 + (uint32_t)draw(16);
            request->block = draw(disk->blocks - request->blocks);
            CHECK(block_submit(disk, request));
            check_timing(disk, &state, request);
            check_data(request);
            submitted++;
        } else if (interrupts) {
            next_timer(0);
        } else {
            tick = disk->first != NULL && draw(2) == 0 ? (*queued(0))->due : tick + draw(100000);
            block_poll(disk);
        }
        for (size_t i = 0; i < MODEL_AT_ONCE; i++) {
            CHECK(requests[i].finished == (requests[i].due <= tick));
            CHECK(!interrupts || !requests[i].finished || requests[i].completed == requests[i].due);
        }
    }
    block_close(disk);
    CHECK(timers() == 0 && disk->outstanding == 0);
}

static void test_model_keeps_to_its_timing(void)
{
    check_model("ssd2014", true);
    check_model("hdd1996", true);
    check_model("nvme", false);
}

static void test_model_waits_longer_than_any_deadline(void)
{
    struct block_disk *disk = fresh_model("hdd1996");
    struct block_request last = request_for(0);
    static struct block_request requests[DEPTH_MAX];

    session = true;
    block_open(disk, DEPTH_MAX, true);
    for (size_t i = 0; i < DEPTH_MAX; i++) {
        requests[i] = request_for(draw(disk->blocks));
        CHECK(block_submit(disk, &requests[i]));
    }
    CHECK(!block_submit(disk, &last));
    block_wait(disk, &requests[DEPTH_MAX - 1]);
    CHECK(requests[DEPTH_MAX - 1].error == BLOCK_GOOD && tick > 2ull * HZ);
    block_close(disk);
}

/* A processor that copies slower than the timing model reads is noticed. */
static void test_model_that_is_too_fast(void)
{
    struct block_disk *disk = fresh_model("optane");
    struct block_request request = request_for(0);

    block_open(disk, 1, false);
    moves = true;
    for (int i = 0; i < 4; i++) {
        step = HZ / 100000 + (i % 2 == 0 ? 10 : -10); /* 10 us */
        request.blocks = i < 2 ? 8 : 9;
        block_submit(disk, &request);
        CHECK_EQUAL(modelled_disk_late(), 1);
        block_wait(disk, &request);
    }
    block_close(disk);
}

static void test_model_that_cannot_be(void)
{
    struct block_disk *disk = fresh_model("nvme");

    clocks.verdict.hz = 0;
    CHECK_TEXT(block_open(disk, 1, false), "its timing model needs a TSC of known rate");
    fresh_disk();
    free(model.memory);
    memset(&model, 0, sizeof(model));
    disk = modelled_disk(disk_timing_named("nvme"), 4096);
    CHECK_TEXT(block_open(disk, 1, false),
               "not enough memory for the modelled disk; lower disk.mib");
}

int main(void)
{
    RUN(test_as_many_as_fit());
    RUN(test_only_what_is_allowed());
    RUN(test_done_is_called_once());
    RUN(test_silent_disk_that_is_polled());
    RUN(test_silent_disk_without_a_clock());
    RUN(test_silent_disk_with_interrupts());
    RUN(test_lost_interrupt());
    RUN(test_watch_follows_the_oldest());
    RUN(test_polled_by_a_timer());
    RUN(test_closed_behind_a_session_that_was_ended());
    RUN(test_one_read());
    RUN(test_too_many_disks());
    RUN(test_model_keeps_to_its_timing());
    RUN(test_model_waits_longer_than_any_deadline());
    RUN(test_model_that_is_too_fast());
    RUN(test_model_that_cannot_be());
    return unit_finish("unit_block");
}
