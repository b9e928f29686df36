/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/trace/disk_requests.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/trace/names.h"
#include "tools/base/alloc.h"

#define BUCKETS_FIRST 64 /* a power of two, like all later numbers of buckets */

const char *disk_error_name(uint32_t error)
{
    static const char *const names[DISK_ERRORS] = {
        [BLOCK_GOOD] = BLOCK_NAME_GOOD,     [BLOCK_TIMEOUT] = BLOCK_NAME_TIMEOUT,
        [BLOCK_MEDIUM] = BLOCK_NAME_MEDIUM, [BLOCK_DEVICE] = BLOCK_NAME_DEVICE,
        [BLOCK_GONE] = BLOCK_NAME_GONE,     [BLOCK_REFUSED] = BLOCK_NAME_REFUSED,
        [BLOCK_ERRORS] = "another error",
    };

    return names[error < BLOCK_ERRORS ? error : BLOCK_ERRORS];
}

const char *disk_name(const struct run_bench *bench, const struct disk_account *disk,
                      char text[ACCOUNT_NAME_MAX])
{
    const char *name = run_object_name(bench, OBJECT_NAME_DEVICE, disk->id);

    if (name != NULL) {
        snprintf(text, ACCOUNT_NAME_MAX, "%s", name);
    } else {
        snprintf(text, ACCOUNT_NAME_MAX, "disk %" PRIu32, disk->id);
    }
    return text;
}

/* ---- open requests, by disk and serial ---- */

static size_t *bucket_of(const struct disk_requests *requests, uint32_t disk, uint32_t serial)
{
    return &requests
                ->buckets[(serial + disk * UINT32_C(2654435761)) & (requests->bucket_count - 1)];
}

static void link_request(struct disk_requests *requests, size_t index)
{
    struct disk_request *request = &requests->requests[index];
    size_t *bucket = bucket_of(requests, request->disk, request->serial);

    request->next = *bucket;
    *bucket = index + 1;
}

/* Keeps more buckets than open requests, so that a search is short even in a damaged trace. */
static void grow_buckets(struct disk_requests *requests)
{
    const size_t old_count = requests->bucket_count;
    size_t *old = requests->buckets;

    requests->bucket_count = old_count == 0 ? BUCKETS_FIRST : 2 * old_count;
    requests->buckets = alloc_zeroed(requests->bucket_count * sizeof(*requests->buckets));
    for (size_t i = 0; i < old_count; i++) {
        size_t place = old[i];

        while (place != 0) {
            const size_t next = requests->requests[place - 1].next;

            link_request(requests, place - 1);
            place = next;
        }
    }
    free(old);
}

/* Removes the latest open request with that serial and returns it, or NULL if there is none. */
static struct disk_request *take_open(struct disk_requests *requests, uint32_t disk,
                                      uint32_t serial)
{
    if (requests->open == 0) {
        return NULL;
    }
    size_t *place = bucket_of(requests, disk, serial);

    while (*place != 0) {
        struct disk_request *request = &requests->requests[*place - 1];

        if (request->disk == disk && request->serial == serial) {
            *place = request->next;
            requests->open--;
            return request;
        }
        place = &request->next;
    }
    return NULL;
}

/* ---- number of outstanding requests ---- */

static void count_depth(struct disk_account *disk, uint64_t now)
{
    if (disk->is_known && now > disk->since) {
        const uint64_t ticks = now - disk->since;

        disk->known += ticks;
        disk->busy += disk->now > 0 ? ticks : 0;
        disk->depth += ticks * disk->now;
    }
    disk->since = now;
}

static void set_depth(struct disk_account *disk, uint64_t now, uint64_t outstanding)
{
    count_depth(disk, now);
    disk->is_known = true;
    disk->now = (uint16_t)outstanding;
    disk->deepest = outstanding > disk->deepest ? outstanding : disk->deepest;
}

/* ---- callbacks of the observer ---- */

/* Returns the index of the disk, adding it if it is new. */
static uint32_t disk_of(struct disk_requests *requests, uint64_t id)
{
    if (requests->places == NULL) {
        requests->places = alloc_zeroed(DISK_IDS * sizeof(*requests->places));
    }
    uint32_t *place = &requests->places[id % DISK_IDS];

    if (*place == 0) {
        requests->disks = alloc_append(requests->disks, &requests->disk_count,
                                       &requests->disk_capacity, sizeof(*requests->disks));
        *place = (uint32_t)requests->disk_count;
        requests->disks[*place - 1].id = (uint32_t)id;
    }
    return *place - 1;
}

/* The end is never before the start, even if the stamps of a damaged trace lie after the end of its
 * part. */
static void end_request(struct disk_request *request, uint64_t to)
{
    request->to = to > request->from ? to : request->from;
}

static void see_issue(struct disk_requests *requests, const struct trace_event *event)
{
    const uint32_t disk = disk_of(requests, event->field[0]);

    if (requests->open == requests->bucket_count) {
        grow_buckets(requests);
    }
    *ALLOC_NEXT(requests->requests, requests->request_count, requests->request_capacity) =
        (struct disk_request){
            .disk = disk,
            .serial = (uint32_t)event->field[1],
            .issued = event->tsc,
            .sector = event->field[2],
            .sectors = (uint32_t)event->field[3],
            .from = requests->now,
        };
    requests->open++;
    link_request(requests, requests->request_count - 1);
    requests->disks[disk].issued++;
    set_depth(&requests->disks[disk], event->tsc, event->field[4]);
}

static void see_complete(struct disk_requests *requests, const struct trace_event *event)
{
    const uint32_t index = disk_of(requests, event->field[0]);
    struct disk_account *disk = &requests->disks[index];
    struct disk_request *request = take_open(requests, index, (uint32_t)event->field[1]);

    set_depth(disk, event->tsc, event->field[3]);
    if (request == NULL) {
        disk->unissued++;
        return;
    }
    request->end = REQUEST_COMPLETED;
    request->error = (uint8_t)(event->field[2] < BLOCK_ERRORS ? event->field[2] : BLOCK_ERRORS);
    end_request(request, requests->now);
    disk->errors[request->error]++;
    account_spread_add(&disk->time, event->tsc - request->issued);
    if (request->error == BLOCK_GOOD) {
        disk->good++;
        disk->sectors += request->sectors;
    } else {
        disk->failed++;
    }
}

/* Open requests may end unseen from the last event on. */
static void lose(struct disk_requests *requests)
{
    for (size_t i = requests->first_sure; i < requests->request_count; i++) {
        struct disk_request *request = &requests->requests[i];

        if (request->end != REQUEST_COMPLETED) {
            request->end = REQUEST_LOST;
            end_request(request, requests->now);
        }
    }
    requests->first_sure = requests->request_count;
    for (size_t i = 0; i < requests->disk_count; i++) {
        count_depth(&requests->disks[i], requests->origin + requests->now);
        requests->disks[i].is_known = false;
    }
}

static void see_gaps(struct disk_requests *requests, const struct accounting *accounting)
{
    if (requests->gaps != accounting->gaps) {
        requests->gaps = accounting->gaps;
        lose(requests);
    }
}

static void see_event(void *context, const struct accounting *accounting,
                      const struct trace_event *event)
{
    struct disk_requests *requests = context;

    see_gaps(requests, accounting);
    requests->now = event->tsc - requests->origin;
    if (event->id == TRACE_ID_block_issue) {
        see_issue(requests, event);
    } else if (event->id == TRACE_ID_block_complete) {
        see_complete(requests, event);
    }
}

static void see_part(void *context, const struct accounting *accounting,
                     const struct run_trace *trace)
{
    struct disk_requests *requests = context;

    if (accounting->part > 1) {
        see_gaps(requests, accounting);
        requests->now = accounting->elapsed;
        lose(requests);
    }
    requests->origin = trace->begin - accounting->elapsed;
    requests->now = accounting->elapsed;
}

struct account_observer disk_requests_observer(struct disk_requests *requests)
{
    return (struct account_observer){
        .context = requests,
        .part = see_part,
        .event = see_event,
    };
}

void disk_requests_end(struct disk_requests *requests, const struct accounting *accounting)
{
    see_gaps(requests, accounting);
    for (size_t i = 0; i < requests->disk_count; i++) {
        count_depth(&requests->disks[i], requests->origin + accounting->elapsed);
    }
    for (size_t i = 0; i < requests->request_count; i++) {
        struct disk_request *request = &requests->requests[i];
        struct disk_account *disk = &requests->disks[request->disk];

        if (request->end == REQUEST_OUTSTANDING) {
            end_request(request, accounting->elapsed);
            disk->outstanding++;
        }
        disk->lost += request->end == REQUEST_LOST;
    }
}

void disk_requests_free(struct disk_requests *requests)
{
    free(requests->disks);
    free(requests->places);
    free(requests->requests);
    free(requests->buckets);
}
