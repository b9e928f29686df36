/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A client's batch of requests: collected without a crossing, and drawn together. A request whose
 * pixels a later fill or text of the batch overwrites all is taken out ("merged"), as far as none
 * that stays in between copies or scrolls. So requests = merged + drawn + those that are still in
 * the batch. Pure: for ring 0, ring 3 and the host.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bench/interactive/window/request.h"

#define BATCH_MAX 32

struct batch {
    uint32_t count;
    uint32_t reserved;
    uint64_t requests; /* that batch_add() took, since batch_begin() */
    uint64_t merged;
    uint64_t drawn; /* by batch_drawn() */
    uint64_t flushes;
    struct request request[BATCH_MAX];
};

void batch_begin(struct batch *batch);
/* False: it is full, and has to be drawn first. */
bool batch_add(struct batch *batch, const struct request *request);
/* Draws all, whatever the batch holds, on pixels of `surface` alone; how many there are. */
uint32_t batch_draw(const struct batch *batch, const struct surface *surface);
/* All have been drawn: empties it and counts a flush; of an empty batch nothing. */
void batch_drawn(struct batch *batch);
