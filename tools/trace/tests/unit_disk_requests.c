/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests to disks, in traces made by hand and by chance. */
#include "tools/trace/disk_requests.h"

#include <stdlib.h>

#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/tests/support/unit.h"
#include "tools/trace/trace_timeline.h"

#define PACKET   256 /* bytes: some records each */
#define BEGIN    1000
#define MODEL    3 /* a disk's number */
#define OTHER    70
#define DISKS    4
#define DEPTH    32
#define REQUESTS 20000

/* What a test has at hand. */
struct bed {
    struct run run;
    struct run_bench *bench;
    struct trace_builder trace;
    struct accounting accounting;
    struct disk_requests requests;
};

static void bed_open(struct bed *bed)
{
    memset(bed, 0, sizeof(*bed));
    run_init(&bed->run);
    bed->bench = build_bench(&bed->run, "b", 1);
    trace_builder_name(bed->bench, "device", MODEL, "model");
    trace_builder_init(&bed->trace, BEGIN, PACKET);
}

static void bed_read(struct bed *bed)
{
    const struct account_observer observer = disk_requests_observer(&bed->requests);

    CHECK(accounting_read(&bed->accounting, bed->bench, &observer, 1));
    disk_requests_end(&bed->requests, &bed->accounting);
}

static void bed_finish(struct bed *bed, uint64_t end)
{
    trace_builder_finish(&bed->trace, end, bed->bench);
    bed_read(bed);
}

static void bed_close(struct bed *bed)
{
    disk_requests_free(&bed->requests);
    accounting_free(&bed->accounting);
    run_free(&bed->run);
}

static void issue(struct bed *bed, uint64_t at, uint64_t disk, uint64_t serial, uint64_t depth)
{
    TRACE_ADD(&bed->trace, at, block_issue, disk, serial, 8 * serial, 8, depth);
}

static void complete(struct bed *bed, uint64_t at, uint64_t disk, uint64_t serial, uint64_t error,
                     uint64_t depth)
{
    TRACE_ADD(&bed->trace, at, block_complete, disk, serial, error, depth);
}

/* The sums of a disk in this order: issued, good, failed, outstanding, lost, unissued. */
static void check_disk(const struct bed *bed, uint32_t id, const uint64_t expected[6])
{
    for (size_t i = 0; i < bed->requests.disk_count; i++) {
        const struct disk_account *disk = &bed->requests.disks[i];

        if (disk->id == id) {
            CHECK_EQUAL(disk->issued, expected[0]);
            CHECK_EQUAL(disk->good, expected[1]);
            CHECK_EQUAL(disk->failed, expected[2]);
            CHECK_EQUAL(disk->outstanding, expected[3]);
            CHECK_EQUAL(disk->lost, expected[4]);
            CHECK_EQUAL(disk->unissued, expected[5]);
            CHECK_EQUAL(disk->time.n, disk->good + disk->failed);
            CHECK_EQUAL(disk->issued, disk->time.n + disk->outstanding + disk->lost);
            return;
        }
    }
    CHECK(!"there is no such disk");
}

/* Three requests of one disk, two of them at once, and a failed one of another. */
static void test_by_hand(void)
{
    struct bed bed;
    char name[ACCOUNT_NAME_MAX];

    bed_open(&bed);
    issue(&bed, 1100, MODEL, 0, 1);
    issue(&bed, 1150, MODEL, 1, 2);
    complete(&bed, 1200, MODEL, 1, BLOCK_GOOD, 1);
    complete(&bed, 1300, MODEL, 0, BLOCK_GOOD, 0);
    issue(&bed, 1400, OTHER, 0, 1);
    issue(&bed, 1500, MODEL, 2, 1);
    complete(&bed, 1510, OTHER, 0, BLOCK_MEDIUM, 0);
    complete(&bed, 1600, MODEL, 2, BLOCK_GOOD, 0);
    bed_finish(&bed, 2000);
    check_disk(&bed, MODEL, (const uint64_t[]){3, 3, 0, 0, 0, 0});
    check_disk(&bed, OTHER, (const uint64_t[]){1, 0, 1, 0, 0, 0});
    const struct disk_account *disk = &bed.requests.disks[0];

    CHECK_TEXT(disk_name(bed.bench, disk, name), "model");
    CHECK_EQUAL(disk->sectors, 24);
    CHECK_EQUAL(disk->time.min, 50);
    CHECK_EQUAL(disk->time.max, 200);
    CHECK_EQUAL(disk->time.total, 350);
    CHECK_EQUAL(disk->deepest, 2);
    CHECK_EQUAL(disk->known, 900);
    CHECK_EQUAL(disk->busy, 300);
    CHECK_EQUAL(disk->depth, 350);
    CHECK_TEXT(disk_name(bed.bench, &bed.requests.disks[1], name), "disk 70");
    CHECK_EQUAL(bed.requests.disks[1].errors[BLOCK_MEDIUM], 1);
    CHECK_EQUAL(bed.requests.disks[1].sectors, 0);
    CHECK_TEXT(disk_error_name(BLOCK_MEDIUM), "medium error");
    CHECK_TEXT(disk_error_name(99), "another error");
    bed_close(&bed);
}

/* A completion that never comes is no completion of 0 ticks. */
static void test_outstanding_at_end(void)
{
    struct bed bed;

    bed_open(&bed);
    issue(&bed, 1100, MODEL, 7, 1);
    issue(&bed, 1200, MODEL, 8, 2);
    complete(&bed, 1300, MODEL, 8, 200, 1);
    bed_finish(&bed, 2000);
    check_disk(&bed, MODEL, (const uint64_t[]){2, 0, 1, 1, 0, 0});
    CHECK_EQUAL(bed.requests.disks[0].time.total, 100);
    CHECK_EQUAL(bed.requests.disks[0].errors[BLOCK_ERRORS], 1);
    CHECK_EQUAL(bed.requests.disks[0].busy, 900);
    CHECK_EQUAL(bed.requests.requests[0].end, REQUEST_OUTSTANDING);
    CHECK_EQUAL(bed.requests.requests[0].from, 100);
    CHECK_EQUAL(bed.requests.requests[0].to, 1000);
    bed_close(&bed);
}

/* Behind a lost packet: one request comes back, one does not, and of one the issue is missing. */
static void test_gap(void)
{
    struct bed bed;

    bed_open(&bed);
    issue(&bed, 1100, MODEL, 0, 1);
    issue(&bed, 1200, MODEL, 1, 2);
    trace_builder_turn(&bed.trace, 1210, 1210, 0);
    complete(&bed, 1300, MODEL, 0, BLOCK_GOOD, 1);
    issue(&bed, 1310, MODEL, 2, 2);
    trace_builder_lose(&bed.trace);
    trace_builder_turn(&bed.trace, 1400, 1400, 0);
    complete(&bed, 1500, MODEL, 1, BLOCK_GOOD, 1);
    complete(&bed, 1600, MODEL, 2, BLOCK_GOOD, 0);
    issue(&bed, 1700, MODEL, 3, 1);
    bed_finish(&bed, 2000);
    CHECK_EQUAL(bed.accounting.gaps, 1);
    check_disk(&bed, MODEL, (const uint64_t[]){3, 1, 0, 1, 1, 1});
    CHECK_EQUAL(bed.requests.disks[0].time.total, 300);
    CHECK_EQUAL(bed.requests.requests[0].end, REQUEST_LOST);
    CHECK_EQUAL(bed.requests.requests[0].to, 200); /* as far as it was seen */
    CHECK_EQUAL(bed.requests.requests[1].end, REQUEST_COMPLETED);
    CHECK_EQUAL(bed.requests.requests[2].end, REQUEST_OUTSTANDING);
    /* 100 ticks at 1, then unknown until 1500; 100 at 1, 100 at 0, 300 at 1. */
    CHECK_EQUAL(bed.requests.disks[0].known, 600);
    CHECK_EQUAL(bed.requests.disks[0].depth, 500);
    bed_close(&bed);
}

/* Between two parts a request may come back unseen; time does not count. */
static void test_parts(void)
{
    struct bed bed;

    bed_open(&bed);
    issue(&bed, 1100, MODEL, 0, 1);
    issue(&bed, 1200, MODEL, 1, 2);
    trace_builder_finish(&bed.trace, 2000, bed.bench);
    trace_builder_init(&bed.trace, 5000, PACKET);
    complete(&bed, 5100, MODEL, 0, BLOCK_GOOD, 0);
    bed_finish(&bed, 6000);
    check_disk(&bed, MODEL, (const uint64_t[]){2, 1, 0, 0, 1, 0});
    CHECK_EQUAL(bed.requests.disks[0].time.total, 4000);
    CHECK_EQUAL(bed.requests.requests[0].from, 100);
    CHECK_EQUAL(bed.requests.requests[0].to, 1100);
    CHECK_EQUAL(bed.requests.requests[1].to, 1000);
    bed_close(&bed);
}

/* What chance issues and completes. */
struct world {
    uint64_t random;
    uint64_t now;
    uint64_t issued_at[DISKS][DEPTH]; /* 0: none */
    uint32_t serial[DISKS][DEPTH];
    uint32_t next[DISKS];
    unsigned depth[DISKS];
    uint64_t count[DISKS], done[DISKS], total[DISKS];
};

static void step(struct bed *bed, struct world *world)
{
    const unsigned disk = (unsigned)(unit_random(&world->random) % DISKS);
    const unsigned slot = (unsigned)(unit_random(&world->random) % DEPTH);
    uint64_t *issued = &world->issued_at[disk][slot];

    world->now += unit_random(&world->random) % 5000;
    if (*issued == 0) {
        *issued = world->now;
        world->serial[disk][slot] = world->next[disk]++;
        world->count[disk]++;
        issue(bed, world->now, disk, world->serial[disk][slot], ++world->depth[disk]);
        return;
    }
    world->done[disk]++;
    world->total[disk] += world->now - *issued;
    complete(bed, world->now, disk, world->serial[disk][slot], BLOCK_GOOD, --world->depth[disk]);
    *issued = 0;
}

/* Out of order, on several disks, serials that wrap: each request has the time that it had. */
static void test_by_chance(void)
{
    struct world world = {.random = 88172645463325252u, .now = BEGIN};
    struct bed bed;

    bed_open(&bed);
    for (unsigned i = 0; i < DISKS; i++) {
        world.next[i] = UINT32_MAX - 100 * i;
    }
    for (unsigned i = 0; i < 2 * REQUESTS; i++) {
        step(&bed, &world);
    }
    bed_finish(&bed, world.now);
    CHECK_EQUAL(bed.requests.disk_count, DISKS);
    for (size_t i = 0; i < bed.requests.disk_count; i++) {
        const struct disk_account *disk = &bed.requests.disks[i];

        CHECK_EQUAL(disk->issued, world.count[disk->id]);
        CHECK_EQUAL(disk->good, world.done[disk->id]);
        CHECK_EQUAL(disk->time.total, world.total[disk->id]);
        CHECK_EQUAL(disk->outstanding, world.depth[disk->id]);
    }
    bed_close(&bed);
}

/* ---- the time line ---- */

static void check_span(const struct trace_timeline *timeline, size_t index, uint32_t slot,
                       enum timeline_state state, uint64_t begin, uint64_t end)
{
    const struct timeline_span *span = &timeline->spans[index];

    CHECK(index < timeline->span_count);
    CHECK(timeline->lanes[span->lane].is_disk);
    CHECK_EQUAL(timeline->lanes[span->lane].slot, slot);
    CHECK_EQUAL(span->state, state);
    CHECK_EQUAL(span->begin, begin);
    CHECK_EQUAL(span->end, end);
}

/* As many lanes as requests at once, as far as there are any; the rest are counted. */
static void test_lanes(void)
{
    struct trace_timeline timeline;
    struct bed bed;

    bed_open(&bed);
    issue(&bed, 1100, MODEL, 0, 1);
    issue(&bed, 1150, MODEL, 1, 2);
    complete(&bed, 1200, MODEL, 0, BLOCK_GOOD, 1);
    issue(&bed, 1250, MODEL, 2, 2);
    complete(&bed, 1300, MODEL, 1, BLOCK_GOOD, 1);
    complete(&bed, 1350, MODEL, 2, BLOCK_GOOD, 0);
    for (unsigned i = 0; i < TIMELINE_DISK_LANES + 5; i++) {
        issue(&bed, 1400 + i, OTHER, i, i + 1);
    }
    bed_finish(&bed, 2000);
    timeline_init(&timeline, 0);
    timeline_add_requests(&timeline, &bed.requests);
    CHECK_EQUAL(timeline.lane_count, 2 + TIMELINE_DISK_LANES);
    CHECK_EQUAL(timeline.span_count, 3 + TIMELINE_DISK_LANES);
    CHECK_EQUAL(timeline.crowded_out, 5);
    check_span(&timeline, 0, 0, TIMELINE_DISK, 100, 200);
    check_span(&timeline, 1, 1, TIMELINE_DISK, 150, 300);
    check_span(&timeline, 2, 0, TIMELINE_DISK_NEXT, 250, 350);
    check_span(&timeline, 3, 0, TIMELINE_DISK, 400, 1000);
    timeline_free(&timeline);
    bed_close(&bed);
}

/* A thread that waits for a disk is seen to, and by how long. */
static void test_wait_for_disk(void)
{
    char name[ACCOUNT_NAME_MAX];
    struct bed bed;

    bed_open(&bed);
    TRACE_ADD(&bed.trace, 1000, thread_is, 2, 0, 10, THREAD_RUNNING, WAIT_NONE);
    issue(&bed, 1100, MODEL, 0, 1);
    TRACE_ADD(&bed.trace, 1110, thread_switch, 2, 0, TRACE_WHY(WAIT_DISK, THREAD_WAITING));
    TRACE_ADD(&bed.trace, 1500, isr_entry, 64);
    complete(&bed, 1510, MODEL, 0, BLOCK_GOOD, 0);
    TRACE_ADD(&bed.trace, 1520, thread_ready, 2, TRACE_BY(TRACE_BY_VECTOR, 64));
    TRACE_ADD(&bed.trace, 1530, isr_exit, 64);
    TRACE_ADD(&bed.trace, 1540, thread_switch, 0, 2, TRACE_WHY(WAIT_PREEMPTED, THREAD_READY));
    bed_finish(&bed, 2000);
    CHECK_EQUAL(accounting_conflicts(&bed.accounting), 0);
    CHECK_EQUAL(accounting_thread(&bed.accounting, 2)->waiting[WAIT_DISK], 410);
    CHECK_TEXT(account_reason_name(WAIT_DISK, name), "disk");
    check_disk(&bed, MODEL, (const uint64_t[]){1, 1, 0, 0, 0, 0});
    CHECK_EQUAL(bed.requests.disks[0].time.total, 410);
    bed_close(&bed);
}

int main(void)
{
    RUN(test_by_hand());
    RUN(test_outstanding_at_end());
    RUN(test_gap());
    RUN(test_parts());
    RUN(test_by_chance());
    RUN(test_lanes());
    RUN(test_wait_for_disk());
    return unit_finish("unit_disk_requests");
}
