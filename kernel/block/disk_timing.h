/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The timing model of the modelled disk: how long a read takes, from its place, its size, the time
 * when it begins and the place where the last read ended. Nothing is random: the same reads at the
 * same times take the same time.
 *
 * service = command + seek + rotation + transfer. Requests are served in the order of their arrival
 * by the first of `servers` servers that is free. Each server has its own head.
 *
 *     seek:     0 on the same cylinder, otherwise
 *               seek_min + (seek_max - seek_min) * sqrt(distance / longest distance)
 *     rotation: time until the block passes under the head; the disk turns from time 0 on
 *     transfer: bytes * 10^9 / bytes_per_s
 *
 * Accesses no hardware: image, tests and host share it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DISK_TIMING_SERVERS_MAX 64
#define DISK_TIMING_SECTOR      512

/* One timing model, from the data sheet that `source` names. Times are in ns. */
struct disk_timing {
    const char *name;
    const char *source;
    uint32_t servers;
    uint64_t command;
    uint64_t seek_min; /* to the next cylinder; seek_min and seek_max are 0 if nothing moves */
    uint64_t seek_max; /* across the whole disk */
    uint64_t turn;     /* time of one rotation; 0: nothing turns */
    uint64_t bytes_per_s;
    uint64_t sectors_per_track; /* 0: nothing turns */
    uint64_t tracks_per_cylinder;
    uint64_t cylinders; /* of the disk in the data sheet: the longest distance */
};

/* Names of all timing models, in the order of their indexes. */
#define DISK_TIMINGS "hdd1996,ssd2014,nvme,optane"

/* Return the timing model with a name or an index, or NULL if there is none. */
const struct disk_timing *disk_timing_named(const char *name);
const struct disk_timing *disk_timing_at(size_t index);

/* The state of the servers. */
struct disk_timing_state {
    const struct disk_timing *timing;
    uint64_t free_at[DISK_TIMING_SERVERS_MAX];  /* when each server becomes free, in ns */
    uint64_t cylinder[DISK_TIMING_SERVERS_MAX]; /* position of its head */
};

struct disk_timing_service {
    uint32_t server;
    uint64_t began; /* start of the service */
    uint64_t command;
    uint64_t seek;
    uint64_t rotation;
    uint64_t transfer;
    uint64_t due; /* `began` plus all of these */
};

void disk_timing_begin(struct disk_timing_state *state, const struct disk_timing *timing);
/* Serves a read that arrives at `now`, of `sectors` sectors beginning at `sector`. `now` must not
 * be before the arrival of an earlier read. */
void disk_timing_serve(struct disk_timing_state *state, uint64_t now, uint64_t sector,
                       uint64_t sectors, struct disk_timing_service *service);
