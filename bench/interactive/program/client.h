/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an application in ring 3 may call: messages, drawing, time, files. The same in all
 * structures of the window system (bench/interactive/window/window.h).
 *
 * Code of ring 3 has no data: what it keeps is in its own memory, WINDOW_OWN_BYTES from
 * PROCESS_BASE on, zeroes to begin with. It may have constants. An application is
 *
 *     void editor(uint64_t argument)      for ring 0: user_editor
 *     {
 *         struct editor *editor = (struct editor *)PROCESS_BASE;
 *         struct queue_message message;
 *
 *         client_begin();
 *         while (client_get(&message), message.type != QUEUE_QUIT) { ... client_done(...) }
 *     }
 *
 * memcpy, memmove, memset, memcmp, strlen and strchr are there as well.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/interactive/window/shared.h"
#include "kernel/task/queue.h"

/* First of all. */
void client_begin(void);

/* ---- messages ---- */

/* The oldest message; waits for one. What is in the batch is drawn before, as GDI does. */
void client_get(struct queue_message *message);
/* Without waiting and without drawing: false where there is none. */
bool client_peek(struct queue_message *message, bool remove);
/* Draws what is in the batch, and reports that the input has had its effect (queue_done()). */
void client_done(uint32_t number);
/* A QUEUE_TIMER comes after so long; one at a time, a new one replaces it; 0: none. */
void client_timer(uint64_t microseconds);
/* Lets threads of the same priority run; the way of an application that polls by peek. */
void client_yield(void);

/* ---- windows ---- */

/* This area is to be drawn anew: joined with what was invalid before. A QUEUE_PAINT comes when no
 * other message is left. */
void client_invalidate(struct rectangle area);
/* Takes what is invalid; false: nothing is. */
bool client_paint(struct rectangle *area);

/* ---- drawing ---- */

/* Requests are collected, and drawn when the batch is full, or as above, or by client_flush().
 * Coordinates and sizes have to fit into 16 bits. */

void client_fill(struct rectangle area, uint32_t colour);
void client_outline(struct rectangle area, unsigned thickness, uint32_t colour);
/* Any length; `style` as surface_text() has it, REQUEST_PROPORTIONAL in `flags`. */
void client_text(int32_t x, int32_t y, const char *text, size_t length,
                 const struct text_style *style, unsigned flags);
void client_scroll(struct rectangle area, int32_t lines, uint32_t paper);
void client_copy(struct rectangle from, int32_t x, int32_t y);
void client_flush(void);
/* Width in pixels of a text as client_text() draws it. */
int32_t client_text_width(const char *text, size_t length, const struct text_style *style,
                          unsigned flags);
/* What a flush costs without what it draws: the way there and back, with an empty batch. */
void client_cross(void);
int32_t client_width(void); /* of the screen */
int32_t client_height(void);

/* ---- the mouse ---- */

/* After a button went down: in the segmented structure polls until it is up, under the global lock,
 * without letting go of the processor; else returns at once. Moves and synchronisation messages are
 * taken meanwhile; any other message that comes ends it as well, and stays in the queue. */
void client_button_down(void);

/* ---- work and results ---- */

/* Computes for so long, by the calibration of the idle loop. */
void client_work(uint64_t microseconds);
/* struct window_shared. */
uint64_t client_parameter(unsigned index);
void client_result(unsigned index, uint64_t value);
void client_mark(uint16_t what, uint64_t value);

/* ---- files, where the session has some; -1: refused ---- */

int64_t client_open(const char *name); /* at most USER_NAME_BYTES - 1 characters */
/* Whole pages, to whole pages of the application's own memory. Bytes read. */
int64_t client_read(uint64_t file, void *to, uint64_t bytes);
bool client_seek(uint64_t file, uint64_t offset);
