/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages between threads, as the response-time model defines them (Shub, section 3.1). Sending is
 * asynchronous: the sender continues. A receiver takes the message that arrived first, or waits for
 * one specific message while others stay queued.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/task/scheduler.h"

#define MESSAGES_MAX 1024 /* messages of all threads that were sent and not yet received */

struct message {
    uint16_t from; /* thread id, or TRACE_NO_HOLDER if sent by an interrupt handler or DPC */
    uint16_t tag;  /* what the message is about; not TRACE_TAG_ANY */
    uint32_t value;
};

/* Sends a message. May be called in threads, interrupt handlers and DPCs. Returns false if
 * MESSAGES_MAX messages are under way. A receiver of higher priority runs at once. */
bool message_send(struct thread *to, uint16_t tag, uint32_t value);

/* Returns the message that arrived first; waits if there is none. */
struct message message_receive(void);
/* Returns the first message with this tag; waits if there is none. */
struct message message_receive_tag(uint16_t tag);
/* Returns whether any message has arrived. */
bool message_pending(void);

/* Discards all messages; for the session. Call with interrupts off. */
void messages_reset(void);
