/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The image's side of the serial line.
 *
 * Records and text may be sent at any time outside a measured window; samples leave when their
 * series is published, between benches. All of it stays in memory, so that after the run the host
 * can ask again for what the line lost. Without a serial port the text goes to the screen and the
 * rest is kept for nobody.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/dev/uart16550.h"
#include "kernel/link/frame.h"
#include "kernel/link/record.h"

struct link_series {
    const char *bench;
    unsigned pass; /* 0 where there is only one */
    const char *name;
    const char *of;    /* the series whose samples these are counts of, */
    const char *event; /* and of what; both NULL: no counts */
    const char *unit;
    const int64_t *samples; /* stay until the end of the run */
    size_t count;
};

/* Takes memory for records. `uart` NULL: no serial port. False where memory ran out. */
bool link_init(struct uart *uart);

/* Binary until told otherwise. */
void link_set_format(enum frame_format format);

/* A line of text for people; printf's integers and strings, at most 900 characters. Pending records
 * leave first, so that the order on the line is the order of events. */
void link_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Finishes the record and keeps it for the next META frame. */
void link_record(struct record_writer *writer);

/* Sends what records are pending. */
void link_flush(void);

/* Announces a series and sends it. False where there are too many series or records. */
bool link_series(const struct link_series *series);

/* Sends END. */
void link_end(void);

/* After END: answers requests until the host says bye, or until it has been silent for `wait_ms`.
 */
void link_serve(uint64_t wait_ms);
