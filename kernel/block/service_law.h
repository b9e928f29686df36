/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The law of the modelled disk: how long a read takes, by where the last one ended, where it
 * begins, how large it is and when it begins. The law has no chance in it: the same reads at the
 * same times take the same times.
 *
 * service = command + seek + rotation + transfer. Requests are served in the order of their arrival
 * by the first of `servers` that is free; each server has a head.
 *
 *   seek:     0 on the same cylinder, else seek_min + (seek_max - seek_min) * sqrt(distance / most)
 *   rotation: until the block's angle passes under the head, which turns from time 0 on
 *   transfer: bytes * 10^9 / bytes_per_s
 *
 * Pure: image, tests and host share it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LAW_SERVERS_MAX 64
#define LAW_SECTOR      512

/* From a data sheet, which `source` names. Times in ns. */
struct service_law {
    const char *name;
    const char *source;
    uint32_t servers;
    uint64_t command;
    uint64_t seek_min; /* to the next cylinder; 0, as seek_max: nothing moves */
    uint64_t seek_max; /* over the whole disk */
    uint64_t turn;     /* of one rotation; 0: nothing turns */
    uint64_t bytes_per_s;
    uint64_t sectors_per_track; /* where something turns */
    uint64_t tracks_per_cylinder;
    uint64_t cylinders; /* of the disk in the data sheet: its `most` distance */
};

/* Names of all, in their order. */
#define SERVICE_LAWS "hdd1996,ssd2014,nvme,optane"

/* NULL: none of that name. By index: NULL behind the last. */
const struct service_law *service_law_named(const char *name);
const struct service_law *service_law_at(size_t index);

/* What the servers do. */
struct law_state {
    const struct service_law *law;
    uint64_t free_at[LAW_SERVERS_MAX];  /* ns */
    uint64_t cylinder[LAW_SERVERS_MAX]; /* of its head */
};

struct law_service {
    uint32_t server;
    uint64_t began; /* ns */
    uint64_t command;
    uint64_t seek;
    uint64_t rotation;
    uint64_t transfer;
    uint64_t due; /* began and all of these */
};

void law_begin(struct law_state *state, const struct service_law *law);
/* A read of `sectors` from `sector` on that arrives at `now` (never before an earlier one). */
void law_serve(struct law_state *state, uint64_t now, uint64_t sector, uint64_t sectors,
               struct law_service *service);
