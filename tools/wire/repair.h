/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What to ask a machine for, and when an answer is over.
 *
 * A machine answers requests in the order in which they come, so that several may be on their way:
 * the line never waits for us. A request is over when the last of its frames has come, when a frame
 * of a later one has, when as many pieces as it asks for have come whole or not, or after a
 * silence. What did not come whole is asked for again, after all the rest. Where binary frames do
 * not come through at all (a terminal server that takes XON and XOFF for itself, or translates line
 * ends) they are asked for as text.
 *
 * Does no I/O.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/wire/decoder.h"

/* Requests on their way: some 80 bytes each, of which the machine holds 4 KiB. */
#define REPAIR_REQUESTS 8
/* Frames of one request: 1.4 s at 115200 baud. */
#define REPAIR_FRAMES 16

struct repair_request {
    struct decoder_range range;
    bool text; /* as frames in text format */
};

struct repair_counts {
    uint64_t requests;
    uint64_t frames;  /* asked for, each time */
    uint64_t in_vain; /* requests over since a frame came that was not held */
};

struct repair;

struct repair *repair_create(const struct decoder *decoder);
void repair_destroy(struct repair *repair);

/* The next request to send. False where as many are on their way as may be, or nothing is missing
 * that has not been asked for. */
bool repair_next(struct repair *repair, struct repair_request *request);

/* How many requests are on their way. */
size_t repair_outstanding(const struct repair *repair);

/* A piece has come (struct decoder_listener). */
void repair_piece(struct repair *repair, const struct decoder_piece *piece);

/* Nothing has come for longer than an answer takes: what is on its way is over, and the next
 * request goes alone until there is an answer. */
void repair_silence(struct repair *repair);

void repair_get_counts(const struct repair *repair, struct repair_counts *counts);
