/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests to draw, as records: what an application asks for, and what all structures of the window
 * system (window.h) draw by the same code. Pure: for ring 0, ring 3 and the host.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/screen/surface.h"

enum request_kind {
    REQUEST_FILL,    /* area, ink */
    REQUEST_OUTLINE, /* area, ink; `scale` pixels thick */
    REQUEST_TEXT,    /* from (x, y), `length` characters, scale, ink on paper */
    REQUEST_SCROLL,  /* area up by to_y lines, uncovered lines become paper */
    REQUEST_COPY,    /* area to (to_x, to_y) */
    REQUEST_KINDS,
};

#define REQUEST_PROPORTIONAL 1 /* flag of REQUEST_TEXT: each character as wide as its glyph */

#define REQUEST_TEXT_MAX 24

struct request {
    uint8_t kind;
    uint8_t flags;
    uint8_t scale;
    uint8_t length;
    int16_t x, y;
    uint16_t width, height;
    int16_t to_x, to_y;
    uint32_t ink;
    uint32_t paper;
    char text[REQUEST_TEXT_MAX];
};
_Static_assert(sizeof(struct request) == 48, "records lie behind each other");

/* Draws it. A request of no kind, or with a length beyond REQUEST_TEXT_MAX, draws nothing. */
void request_draw(const struct surface *surface, const struct request *request);

/* All the pixels that it may write. */
struct rectangle request_area(const struct request *request);

/* Width in pixels of a text, as REQUEST_TEXT draws it. */
int32_t request_text_width(const char *text, unsigned length, unsigned scale, unsigned flags);

/*
 * A client's batch of requests: collected without a crossing, and drawn together. A request whose
 * pixels a later fill or text of the batch overwrites all is taken out ("merged"), as far as none
 * that stays in between copies or scrolls. So requests = merged + drawn + those that are still in
 * the batch. Pure: for ring 0, ring 3 and the host.
 */

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
