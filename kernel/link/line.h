/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of the link (link.c) that only its request server (serve.c) uses.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/dev/uart16550.h"
#include "kernel/link/frame.h"
#include "kernel/link/record.h"

struct link_way; /* defined in link.h */

/* From now on frames leave by this way; NULL: by the serial port. */
void line_use_way(const struct link_way *way);

/* Returns the serial port, or NULL if there is none. */
struct uart *line_uart(void);

/* Returns the frame format of the run. */
enum frame_format line_format(void);

/* Sends a frame of the run again, with the same payload, in the given format. Returns false if the
 * stream has no such frame. */
bool line_send_again(uint16_t stream, uint32_t seq, enum frame_format format);

/* Finishes the record and sends it immediately in a frame of that type. */
void line_answer(struct record_writer *record, enum frame_type type, enum frame_format format);

/* Sends the pattern that shows what the line does to bytes (line_pattern.h). */
void line_send_pattern(void);

/* Sends the END frame. */
void line_send_end(enum frame_format format);
