/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests to disks, by a bench's traces: each from its block_issue to its block_complete, and for
 * each disk how many there were, how long they took and how many were outstanding at a time.
 *
 * A request whose completion is not in the trace has no end: it was outstanding when the trace
 * ended, or events were lost behind its issue, or the trace paused there, and its end is unknown.
 * None of these has a length. What the disk had outstanding in a gap is unknown, until the next
 * event of the disk.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/trace/trace.h"
#include "tools/trace/accounting.h"

#define DISK_IDS    0x10000u
#define DISK_ERRORS (BLOCK_ERRORS + 1) /* the last: what has no name */

enum disk_request_end {
    REQUEST_OUTSTANDING, /* when the trace ended */
    REQUEST_LOST,        /* events were lost, or the trace paused, and no completion came behind */
    REQUEST_COMPLETED,
};

struct disk_request {
    uint32_t disk; /* index in disk_requests.disks */
    uint32_t serial;
    uint64_t issued; /* TSC */
    uint64_t sector; /* of 512 bytes */
    uint32_t sectors;
    enum disk_request_end end;
    uint8_t error; /* enum block_error, of one that completed; BLOCK_ERRORS: what has no name */
    /* Ticks since the begin of the first part, parts one behind the other; `to` of one without end
     * is as far as it is known to be outstanding. */
    uint64_t from, to;
    size_t next; /* of those in a bucket: index + 1 */
};

struct disk_account {
    uint32_t id;     /* the object of kind device */
    uint64_t issued; /* the sum of good, failed, outstanding and lost */
    uint64_t good;
    uint64_t failed;
    uint64_t errors[DISK_ERRORS]; /* those that completed, by `error` */
    uint64_t outstanding;         /* REQUEST_OUTSTANDING */
    uint64_t lost;                /* REQUEST_LOST */
    uint64_t unissued; /* completions whose issue is not in the trace; in none of the others */
    uint64_t sectors;  /* of good ones */
    struct account_spread time; /* ticks from issue to completion, of all that completed */
    /* Of the time for which it is known how many were outstanding. */
    uint64_t known;   /* ticks, all parts */
    uint64_t busy;    /* with one or more outstanding */
    uint64_t depth;   /* ticks times requests outstanding */
    uint64_t deepest; /* outstanding at once */
    /* As of the last event. */
    bool is_known;
    uint16_t now;
    uint64_t since; /* TSC */
};

struct disk_requests {
    struct disk_account *disks; /* in the order of their first events */
    size_t disk_count, disk_capacity;
    uint32_t *places;              /* by id: index in disks, and 1 */
    struct disk_request *requests; /* in the order of their issues */
    size_t request_count, request_capacity;
    /* As of the last event. */
    uint64_t origin;   /* TSC that time 0 would be of */
    uint64_t now;      /* of the last event, in ticks of `from` */
    uint64_t gaps;     /* that were seen */
    size_t first_sure; /* requests before this one may have ended unseen */
    size_t *buckets;   /* of open requests, by serial: index of the first + 1 */
    size_t bucket_count;
    size_t open;
};

/* Begins as zeroes; memory for each request. For accounting_read(), which disk_requests_end()
 * follows. */
struct account_observer disk_requests_observer(struct disk_requests *requests);
/* What is open has no end. */
void disk_requests_end(struct disk_requests *requests, const struct accounting *accounting);
void disk_requests_free(struct disk_requests *requests);

/* "medium error", ...; "another error". */
const char *disk_error_name(uint32_t error);

/* The name of a disk; of one that the run does not name "disk 3". */
const char *disk_name(const struct run_bench *bench, const struct disk_account *disk,
                      char text[ACCOUNT_NAME_MAX]);
