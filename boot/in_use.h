/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that is in use while the image runs, whatever firmware's map reports of it: U-Boot 2023.01
 * has its stack, its page tables and its interrupt table in memory that it reports as free.
 */
#pragma once

#include <stdint.h>

/* A map as firmware returned it: `size` bytes of `capacity`, in descriptors of `stride` bytes, at
 * least 40 and a multiple of 8. */
struct map_in_use {
    void *descriptors;
    uint64_t size;
    uint64_t capacity;
    uint64_t stride;
};

/* The pages that hold [start, start + bytes) are boot services' data where the map has them as
 * free. That takes two descriptors at most; where there is no room for them, the smaller free part
 * beside those pages is boot services' data as well. */
void in_use_keep(struct map_in_use *map, uint64_t start, uint64_t bytes);

/* Keeps what this processor uses now: the pages around the stack, the descriptor tables, what FS
 * and GS point to, and page tables down to those of 2 MiB. */
void in_use_keep_processor(struct map_in_use *map);
