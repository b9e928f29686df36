/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Message queues of applications (the Message API of Endo et al. 1996, section 2.4): drivers and
 * timers post, the application gets or peeks. Every call, and every change of a queue's length, is
 * an event of the trace, so that the host knows at each moment whether an application is at work
 * on an input, ready for the next, or has one waiting.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/task/scheduler.h"

struct queue_message {
    uint16_t type;   /* enum queue_message_type (kernel/trace/trace.h) */
    uint16_t code;   /* of an input: its struct input_event's; else the poster's own */
    uint32_t number; /* of an input, from 1; 0: it is none */
};

struct queue {
    struct queue_message *messages; /* a ring */
    uint16_t capacity;
    uint16_t first;
    uint16_t length;
    uint16_t id;
    bool reader_waits; /* in queue_get() */
    struct wait_queue readers;
    struct wait_queue idlers;
    uint64_t refused; /* posts that found it full */
};

/* Within a session; `name` and `messages` live until the trace has been sent. `capacity`: 1 to
 * 65535. */
void queue_init(struct queue *queue, const char *name, struct queue_message *messages,
                size_t capacity);

/* From threads, interrupt handlers and DPCs. False where the queue is full: counted. */
bool queue_post(struct queue *queue, const struct queue_message *message);

/* The oldest message; waits for one. */
struct queue_message queue_get(struct queue *queue);
/* The same without waiting; `remove` false: it stays. False where there is none. */
bool queue_peek(struct queue *queue, struct queue_message *message, bool remove);
/* Waits until the queue is empty and a reader waits in queue_get(): the application has done all
 * that it was asked for. */
void queue_wait_idle(struct queue *queue);

/* Traces that input `number`, and all before it that the application took, has had its effect: it
 * is on the screen. */
void queue_done(struct queue *queue, uint32_t number);

static inline size_t queue_length(const struct queue *queue)
{
    return queue->length;
}
