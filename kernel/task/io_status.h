/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traces the outstanding requests of a device, as its driver reports them: requests that a thread
 * waits for (synchronous) and others (asynchronous). Together with processor and queue events, the
 * state machine of think and wait time needs them (Endo et al. 1996, section 2.3).
 */
#pragma once

#include <stdint.h>

#include "kernel/trace/trace.h"

struct io_status {
    uint16_t id;
    uint16_t outstanding[IO_KINDS];
};

/* Call within a session. `name` must stay valid until the trace has been sent. */
void io_status_init(struct io_status *status, const char *name);
/* Report that a request begins (raise) or is done (lower). May be called in threads, interrupt
 * handlers and DPCs. */
void io_status_raise(struct io_status *status, enum io_kind kind);
void io_status_lower(struct io_status *status, enum io_kind kind);
