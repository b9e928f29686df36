/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The timing model of the modelled disk: how long a read takes, from its place, its size, the time
 * when it begins, and the reads before it. Nothing is random: the same reads at the same times take
 * the same time.
 *
 * service = command + seek + rotation + wait + transfer. Requests are served in the order of their
 * arrival by the first of `servers` servers that is free. Each server has its own head.
 *
 *     command:  one of four times (below), plus queue[n] - queue[1] with n requests at the disk
 *     seek:     0 on the same cylinder, otherwise
 *               seek_min + (seek_max - seek_min) * sqrt(distance / longest distance)
 *     rotation: time until the block passes under the head; the disk turns from time 0 on
 *     wait:     until the link has carried the blocks of the reads before, or until the disk has
 *               read this block ahead
 *     transfer: bytes * 10^9 / bytes_per_s
 *
 * A read continues a sequence if it begins where the read before it ended; if the disk was opened
 * for several requests at once, where one of the last DISK_TIMING_PAST reads ended, the newest of
 * them. Its command is then next_queued. Otherwise it is next_early in the first early_sectors of a
 * sequence, and next_late after them.
 *
 * A disk with a buffer reads on after each read of the medium, at bytes_per_s, until the buffer is
 * full. A read whose first sector the buffer holds when its command is over needs no seek and no
 * rotation; it is transferred at bus_bytes_per_s, and ends when the medium has been read that far,
 * or later.
 *
 * Accesses no hardware: image, tests and host share it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DISK_TIMING_SERVERS_MAX 64
#define DISK_TIMING_SECTOR      512
#define DISK_TIMING_QUEUE       32 /* greatest number of requests whose effect is known */
#define DISK_TIMING_PAST        64

/* One timing model, from the data sheet or report that `source` names. Times are in ns. */
struct disk_timing {
    const char *name;
    const char *source;
    uint32_t servers;
    uint64_t command;
    /* commands of reads that continue a sequence; next_late 0: the disk knows no sequences */
    uint64_t next_queued;
    uint64_t next_early;
    uint64_t next_late;
    uint64_t early_sectors;
    /* time of a block with 1 to DISK_TIMING_QUEUE requests at the disk; NULL: always the same */
    const uint32_t *queue;
    uint64_t seek_min; /* to the next cylinder; seek_min and seek_max are 0 if nothing moves */
    uint64_t seek_max; /* across the whole disk */
    uint64_t turn;     /* time of one rotation; 0: nothing turns */
    uint64_t bytes_per_s;
    uint64_t sectors_per_track; /* 0: nothing turns */
    uint64_t tracks_per_cylinder;
    uint64_t cylinders;      /* of the disk in the data sheet: the longest distance */
    uint64_t buffer_sectors; /* 0: no buffer */
    uint64_t bus_bytes_per_s;
};

/* Names of all timing models, in the order of their indexes. */
#define DISK_TIMINGS "hdd1996,ssd2014,nvme,optane"

/* Return the timing model with a name or an index, or NULL if there is none. */
const struct disk_timing *disk_timing_named(const char *name);
const struct disk_timing *disk_timing_at(size_t index);

/* one of the last reads */
struct disk_timing_read {
    uint64_t due;
    uint64_t end;    /* first sector after it */
    uint64_t length; /* sectors of its sequence so far */
};

/* The state of the servers, the link and the buffer. */
struct disk_timing_state {
    const struct disk_timing *timing;
    bool queued; /* the disk was opened for several requests at once */
    uint64_t free_at[DISK_TIMING_SERVERS_MAX];  /* when each server becomes free, in ns */
    uint64_t cylinder[DISK_TIMING_SERVERS_MAX]; /* position of its head */
    uint64_t link_free_at;
    struct disk_timing_read past[DISK_TIMING_PAST]; /* a ring */
    uint64_t reads;
    uint64_t ahead;    /* first sector of the buffer */
    uint64_t ahead_at; /* when the medium was at that sector; 0: nothing was read yet */
};

struct disk_timing_service {
    uint32_t server;
    uint64_t began; /* start of the service */
    uint64_t command;
    uint64_t seek;
    uint64_t rotation;
    uint64_t wait;
    uint64_t transfer;
    uint64_t due; /* `began` plus all of these */
};

/* Starts the model for a disk that was opened for `depth` requests at once. */
void disk_timing_begin(struct disk_timing_state *state, const struct disk_timing *timing,
                       uint64_t depth);
/* Serves a read that arrives at `now`, of `sectors` sectors beginning at `sector`. `now` must not
 * be before the arrival of an earlier read. */
void disk_timing_serve(struct disk_timing_state *state, uint64_t now, uint64_t sector,
                       uint64_t sectors, struct disk_timing_service *service);
