/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Marks memory that is in use while the image runs, even if firmware's map lists it as free. U-Boot
 * 2023.01 has its stack, its page tables and its interrupt table in memory that it reports as free.
 */
#pragma once

#include <stdint.h>

/* A map as firmware returned it: `size` of `capacity` bytes are used, by descriptors of `stride`
 * bytes each (at least 40 and a multiple of 8). */
struct map_in_use {
    void *descriptors;
    uint64_t size;
    uint64_t capacity;
    uint64_t stride;
};

/* Marks the pages that hold [start, start + bytes) as boot-services data if the map lists them as
 * free. This adds at most two descriptors. If there is no room for them, the free memory next to
 * those pages is marked as well, the smaller part first. */
void in_use_keep(struct map_in_use *map, uint64_t start, uint64_t bytes);

/* Marks what this processor uses now: the pages around the stack, the descriptor tables, what FS
 * and GS point to, and the page tables down to those that map 2 MiB an entry. */
void in_use_keep_processor(struct map_in_use *map);
