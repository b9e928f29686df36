/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests to disks, from a bench's traces: each from its block_issue to its block_complete, and
 * for each disk the number of requests, their duration, and how many were outstanding at once.
 *
 * A request whose completion is not in the trace has no known end: it was outstanding when the
 * trace ended, or events were lost or the trace paused after it was issued. Such a request has no
 * duration. After a gap, the number of requests outstanding on a disk is unknown until the next
 * event of that disk.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/trace/trace.h"
#include "tools/trace/accounting.h"

#define DISK_IDS    0x10000u
#define DISK_ERRORS (BLOCK_ERRORS + 1) /* the last one counts errors without a name */

enum disk_request_end {
    REQUEST_OUTSTANDING, /* it was outstanding when the trace ended */
    REQUEST_LOST,        /* events were lost, or the trace paused, and no completion followed */
    REQUEST_COMPLETED,
};

struct disk_request {
    uint32_t disk; /* index in disk_requests.disks */
    uint32_t serial;
    uint64_t issued; /* TSC */
    uint64_t sector; /* first sector, of 512 bytes */
    uint32_t sectors;
    enum disk_request_end end;
    /* enum block_error of a completed request; BLOCK_ERRORS: an error without a name */
    uint8_t error;
    /* Ticks since the start of the first part; parts count one after the other. For a request
     * without an end, `to` is the time until which it is known to be outstanding. */
    uint64_t from, to;
    size_t next; /* next request in the bucket, as index + 1 */
};

struct disk_account {
    uint32_t id;     /* object of kind device */
    uint64_t issued; /* requests issued: the sum of good, failed, outstanding and lost */
    uint64_t good;
    uint64_t failed;
    uint64_t errors[DISK_ERRORS]; /* completed requests by `error` */
    uint64_t outstanding;         /* requests that ended as REQUEST_OUTSTANDING */
    uint64_t lost;                /* requests that ended as REQUEST_LOST */
    uint64_t unissued; /* completions whose issue is not in the trace; not counted anywhere else */
    uint64_t sectors;  /* sectors of good requests */
    struct account_spread time; /* ticks from issue to completion, of all completed requests */
    /* The following members cover the time for which the number of outstanding requests is known.
     */
    uint64_t known;   /* ticks of that time, in all parts */
    uint64_t busy;    /* ticks with one or more requests outstanding */
    uint64_t depth;   /* sum of ticks times outstanding requests */
    uint64_t deepest; /* largest number outstanding at once */
    /* The following members describe the state after the last event. */
    bool is_known;
    uint16_t now;
    uint64_t since; /* TSC */
};

struct disk_requests {
    struct disk_account *disks; /* in the order of their first events */
    size_t disk_count, disk_capacity;
    uint32_t *places;              /* by id: index in `disks` plus 1 */
    struct disk_request *requests; /* in the order in which they were issued */
    size_t request_count, request_capacity;
    /* The following members describe the state after the last event. */
    uint64_t origin;   /* TSC that corresponds to time 0 */
    uint64_t now;      /* time of the last event, in the same ticks as `from` */
    uint64_t gaps;     /* number of gaps seen */
    size_t first_sure; /* earlier requests may have ended unseen */
    /* hash table of open requests, by disk and serial number; a bucket holds the index of its first
     * request plus 1, or 0 */
    size_t *buckets;
    size_t bucket_count;
    size_t open;
};

/* Returns the observer to pass to accounting_read(). `requests` must be zeroed. Needs memory for
 * each request. Call disk_requests_end() after reading. */
struct account_observer disk_requests_observer(struct disk_requests *requests);
/* Ends the reading: open requests get no end. */
void disk_requests_end(struct disk_requests *requests, const struct accounting *accounting);
void disk_requests_free(struct disk_requests *requests);

/* Returns the name of an error: "medium error", ..., or "another error". */
const char *disk_error_name(uint32_t error);

/* Returns the name of a disk, or "disk 3" if the run does not name it. */
const char *disk_name(const struct run_bench *bench, const struct disk_account *disk,
                      char text[ACCOUNT_NAME_MAX]);
