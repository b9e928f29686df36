/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Deferred calls: work that an interrupt handler leaves for the moment when the last handler has
 * returned, above all threads, with interrupts on. First come first served.
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

/* Once, within a session; `name` lives until the trace has been sent. */
void dpc_init(struct dpc *dpc, const char *name, dpc_handler *handler, void *argument);

/* From a handler or a DPC. False where it is queued already: it will run once. */
bool dpc_queue(struct dpc *dpc);

/* ---- for the scheduler and the session, interrupts off ---- */

/* The one that runs; NULL: none does. */
const struct dpc *dpc_current(void);
void dpc_run_all(void);
void dpc_reset(void);
