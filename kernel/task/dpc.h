/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Deferred calls (DPCs): work that an interrupt handler leaves until the last handler has returned.
 * They run before any thread, with interrupts on, in the order in which they were queued.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef void dpc_handler(void *argument);

struct dpc {
    dpc_handler *handler;
    void *argument;
    struct dpc *next;
    uint16_t id;
    bool queued;
};

/* Call once, within a session. `name` must stay valid until the trace has been sent. */
void dpc_init(struct dpc *dpc, const char *name, dpc_handler *handler, void *argument);

/* Queues the call. May be called in an interrupt handler or a DPC. Returns false if it is queued
 * already; it then runs only once. */
bool dpc_queue(struct dpc *dpc);

/* ---- for the scheduler and the session, interrupts off ---- */

/* Returns the DPC that is running, or NULL. */
const struct dpc *dpc_current(void);
void dpc_run_all(void);
void dpc_reset(void);
