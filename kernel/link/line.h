/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the server of requests (serve.c) needs of the link (link.c), and nothing else does.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/dev/uart16550.h"
#include "kernel/link/frame.h"
#include "kernel/link/record.h"

struct link_way; /* link.h */

/* Frames leave by this way from now on; NULL: by the serial port. */
void line_use_way(const struct link_way *way);

/* NULL: there is no serial port. */
struct uart *line_uart(void);

/* The format of the run. */
enum frame_format line_format(void);

/* Sends a frame of the run again: the same payload, whatever the format of its wire. False: the
 * stream has no such frame. */
bool line_send_again(uint16_t stream, uint32_t seq, enum frame_format format);

/* Finishes the record and sends it by itself in a frame of that type. */
void line_answer(struct record_writer *record, enum frame_type type, enum frame_format format);

/* Sends END. */
void line_send_end(enum frame_format format);
