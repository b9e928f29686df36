/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Repair of a log: which frames to request from a machine, and when an answer is over.
 *
 * A machine answers requests in the order in which they come, so several may be outstanding, and
 * the line never waits for the host. A request is over when the last of its frames has arrived,
 * when a frame of a later request has arrived, when as many pieces as it asks for have arrived
 * (intact or not), or after a silence. Frames that did not arrive intact are requested again, after
 * all the others. If binary frames do not get through at all (a terminal server that interprets XON
 * and XOFF, or translates line ends), they are requested as text.
 *
 * Does no I/O.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/wire/decoder.h"

/* Outstanding requests: about 80 bytes each, of which the machine can buffer 4 KiB. */
#define REPAIR_REQUESTS 8
/* Frames of one request: 1.4 s at 115200 baud. */
#define REPAIR_FRAMES 16

struct repair_request {
    struct decoder_range range;
    bool text; /* request frames in text format */
};

struct repair_counts {
    uint64_t requests;
    uint64_t frames;  /* frames requested, counting repetitions */
    uint64_t in_vain; /* requests that ended since the last new frame arrived */
};

struct repair;

struct repair *repair_create(const struct decoder *decoder);
void repair_destroy(struct repair *repair);

/* Returns the next request to send. Returns false if the largest number is outstanding, or nothing
 * is missing that has not been requested. */
bool repair_next(struct repair *repair, struct repair_request *request);

/* Returns the number of outstanding requests. */
size_t repair_outstanding(const struct repair *repair);

/* Call for each piece received (struct decoder_listener). */
void repair_piece(struct repair *repair, const struct decoder_piece *piece);

/* Call if nothing has arrived for longer than an answer takes: ends all outstanding requests. The
 * next request is then sent alone, until there is an answer. */
void repair_silence(struct repair *repair);

void repair_get_counts(const struct repair *repair, struct repair_counts *counts);
