/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests of the host (record.h), as they wait to be answered: in the order in which they came. A
 * `get` that waits already, or is being answered, is not taken twice: a host that is impatient on a
 * slow line gets each frame once. Who sends bye wants nothing any more: what waits is dropped.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/link/frame.h"

/* More than a host has outstanding; what finds no room is not received, and asked for again. */
#define REQUESTS_MAX 64

enum request_kind {
    REQUEST_GET,
    REQUEST_STATUS,
    REQUEST_RATE,
    REQUEST_RATE_CHECK,
    REQUEST_BYE,
    REQUEST_HELLO,
};

struct request {
    enum request_kind kind;
    enum frame_format format; /* of what answers it */
    uint16_t stream;          /* of a get, like the next two */
    uint32_t first;
    uint32_t count;
    uint32_t baud; /* of a rate */
};

struct request_queue {
    struct frame_reader reader;
    struct frame frame;
    enum frame_format format; /* of answers to requests that name none */
    struct request waiting[REQUESTS_MAX];
    size_t first;
    size_t count;
};

/* Empty; `format` is that of the run. */
void request_queue_init(struct request_queue *queue, enum frame_format format);

/* Takes a byte of the line. True: it ended an intact request of a kind that is known. */
bool request_queue_push(struct request_queue *queue, uint8_t byte);

/* Forgets the bytes of a frame that has not ended: those that follow come at another speed. */
void request_queue_cut(struct request_queue *queue);

/* The oldest that waits, and stays until it is removed; NULL: none does. */
const struct request *request_queue_oldest(const struct request_queue *queue);
void request_queue_remove(struct request_queue *queue);
