/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Outstanding input and output, as a driver reports it: requests that somebody waits for
 * (synchronous), and requests that none waits for (asynchronous). Events of the trace; what the
 * state machine of think and wait needs beside processor and queue (Endo et al. 1996, section 2.3).
 */
#pragma once

#include <stdint.h>

#include "kernel/trace/trace.h"

struct io_status {
    uint16_t id;
    uint16_t outstanding[IO_KINDS];
};

/* Within a session; `name` lives until the trace has been sent. */
void io_status_init(struct io_status *status, const char *name);
/* A request begins, or is done. From threads, interrupt handlers and DPCs. */
void io_status_raise(struct io_status *status, enum io_kind kind);
void io_status_lower(struct io_status *status, enum io_kind kind);
