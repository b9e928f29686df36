/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Message queues of applications (the Message API of Endo et al. 1996, section 2.4): drivers and
 * timers post messages, the application gets or peeks at them. Every call and every change of a
 * queue's length is an event of the trace. So the host knows at each moment whether an application
 * is working on an input, is ready for the next one, or has one waiting.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/task/scheduler.h"

struct queue_message {
    uint16_t type; /* enum queue_message_type (kernel/trace/trace.h) */
    /* for an input, the code of its struct input_event; otherwise chosen by the poster */
    uint16_t code;
    uint32_t number; /* number of the input, from 1; 0 if the message is not an input */
    /* for a movement, its distance to the right and upwards; for an application of a window system,
     * the pointer's position in its window */
    int16_t x, y;
};

struct queue {
    struct queue_message *messages; /* ring buffer */
    uint16_t capacity;
    uint16_t first;
    uint16_t length;
    uint16_t id;
    bool reader_waits; /* a reader waits in queue_get() */
    struct wait_queue readers;
    struct wait_queue idlers;
    uint64_t refused; /* number of posts that found the queue full */
};

/* Call within a session. `name` and `messages` must stay valid until the trace has been sent.
 * `capacity` is 1 to 65535. */
void queue_init(struct queue *queue, const char *name, struct queue_message *messages,
                size_t capacity);

/* Posts a message. May be called in threads, interrupt handlers and DPCs. Returns false if the
 * queue is full, which is counted. */
bool queue_post(struct queue *queue, const struct queue_message *message);

/* Takes the oldest message; waits if there is none. */
struct queue_message queue_get(struct queue *queue);
/* Returns the oldest message without waiting; it stays in the queue if `remove` is false. Returns
 * false if there is none. */
bool queue_peek(struct queue *queue, struct queue_message *message, bool remove);
/* Waits until the queue is empty and a reader waits in queue_get(), so the application has done
 * everything it was asked to do. */
void queue_wait_idle(struct queue *queue);

/* Traces that input `number`, and all earlier ones that the application took, have had their
 * effect: it is on the screen. */
void queue_done(struct queue *queue, uint32_t number);

static inline size_t queue_length(const struct queue *queue)
{
    return queue->length;
}
