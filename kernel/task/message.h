/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages between threads, as the response-time model states them (Shub, section 3.1):
 * asynchronous, the sender goes on; a receiver takes the first that arrived, or waits for one
 * specific message while others stay queued.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/task/scheduler.h"

#define MESSAGES_MAX 1024 /* sent and not yet received, of all threads */

struct message {
    uint16_t from; /* thread id, or TRACE_NO_HOLDER: an interrupt handler or DPC */
    uint16_t tag;  /* what it is about; not TRACE_TAG_ANY */
    uint32_t value;
};

/* From threads, interrupt handlers and DPCs. False where MESSAGES_MAX are under way. A receiver of
 * higher priority runs at once. */
bool message_send(struct thread *to, uint16_t tag, uint32_t value);

/* Any message, in order of arrival; waits for one. */
struct message message_receive(void);
/* The first with this tag; waits for it. */
struct message message_receive_tag(uint16_t tag);
/* Is any there? */
bool message_pending(void);

/* For the session: none is under way. Interrupts off. */
void messages_reset(void);
