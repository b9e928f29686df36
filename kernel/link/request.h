/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The queue of requests from the host (record.h) that wait to be answered, in the order in which
 * they came. A `get` that is already waiting or being answered is not queued again, so an impatient
 * host on a slow line gets each frame only once. After `bye` the host wants nothing more: it drops
 * all waiting requests.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/link/frame.h"

/* More requests than a host has outstanding. One too many is dropped; the host repeats it. */
#define REQUESTS_MAX 64

enum request_kind {
    REQUEST_GET,
    REQUEST_STATUS,
    REQUEST_RATE,
    REQUEST_RATE_CHECK,
    REQUEST_LINE_TEST,
    REQUEST_BYE,
    REQUEST_HELLO,
};

struct request {
    enum request_kind kind;
    enum frame_format format; /* format of the answer */
    uint16_t stream;          /* for a get: the stream; `first` and `count` select its frames */
    uint32_t first;
    uint32_t count;
    uint32_t baud; /* for a rate: the requested speed */
};

struct request_queue {
    struct frame_reader reader;
    struct frame frame;
    enum frame_format format; /* format of answers to requests that do not name a format */
    struct request waiting[REQUESTS_MAX];
    size_t first;
    size_t count;
};

/* Makes the queue empty. `format` is that of the run. */
void request_queue_init(struct request_queue *queue, enum frame_format format);

/* Takes a byte from the line. Returns whether it completed an intact request of a known kind. */
bool request_queue_push(struct request_queue *queue, uint8_t byte);

/* Discards the bytes of an incomplete frame: those that follow come at another speed. */
void request_queue_cut(struct request_queue *queue);

/* Returns the oldest waiting request, which stays until it is removed, or NULL if there is none. */
const struct request *request_queue_oldest(const struct request_queue *queue);
void request_queue_remove(struct request_queue *queue);
