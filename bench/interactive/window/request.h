/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests to draw, as records. Applications make them, and all structures of the window system
 * (window.h) draw them with the same code. Pure: for ring 0, ring 3 and the host.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/screen/surface.h"

enum request_kind {
    REQUEST_FILL,    /* fills the area with ink */
    REQUEST_OUTLINE, /* draws the outline of the area in ink, `scale` pixels thick */
    REQUEST_TEXT,    /* draws `length` characters at (x, y), in ink on paper */
    REQUEST_SCROLL,  /* moves the area up by to_y lines and fills the uncovered lines with paper */
    REQUEST_COPY,    /* copies the area to (to_x, to_y) */
    /* These two are not drawn, and never merged: */
    REQUEST_CALL,  /* work of `ink` us in the window system, as for the metrics of a text */
    REQUEST_INPUT, /* finds the window of an input (desktop.h): type `flags`, moved by (x, y) */
    REQUEST_KINDS,
};

#define REQUEST_PROPORTIONAL 1 /* flag of REQUEST_TEXT: each character is as wide as its glyph */

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
_Static_assert(sizeof(struct request) == 48, "requests must have no padding");

/* Draws the request. Draws nothing if its kind is not drawn or unknown or its length is above
 * REQUEST_TEXT_MAX.
 */
void request_draw(const struct surface *surface, const struct request *request);

/* Returns an area that contains all pixels that the request may write. */
struct rectangle request_area(const struct request *request);

/* Returns the width in pixels of a text as REQUEST_TEXT draws it. */
int32_t request_text_width(const char *text, unsigned length, unsigned scale, unsigned flags);

/*
 * A client's batch of requests, which is collected without leaving the application and drawn as a
 * whole. A new fill or text takes out the earlier requests of the batch whose pixels it overwrites
 * completely ("merged"). The search goes backwards and ends at a copy or scroll that remains,
 * because that may have read what earlier requests wrote. Therefore requests = merged + drawn +
 * those still in the batch. Pure: for ring 0, ring 3 and the host.
 */

#define BATCH_MAX 32

struct batch {
    uint32_t count;
    uint32_t size;     /* requests that fill the batch, 1 to BATCH_MAX */
    uint64_t requests; /* requests that batch_add() took since batch_begin() */
    uint64_t merged;
    uint64_t drawn; /* requests counted by batch_drawn(), drawn or not */
    uint64_t flushes;
    struct request request[BATCH_MAX];
};

void batch_begin(struct batch *batch, uint32_t size);
/* Adds a request. Returns false if the batch is full and must be drawn first. */
bool batch_add(struct batch *batch, const struct request *request);
/* Call when the window system has taken all requests: empties the batch and counts a flush. Does
 * nothing if the batch is empty. */
void batch_drawn(struct batch *batch);
