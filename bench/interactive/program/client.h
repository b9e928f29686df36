/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions that an application in ring 3 may call: messages, drawing, time, files. They are
 * the same in all structures of the window system (bench/interactive/window/window.h).
 *
 * Code in ring 3 has constants but no data. An application keeps its state in its own memory, which
 * is WINDOW_OWN_BYTES from PROCESS_BASE on and is zero at the start. An application looks like
 * this:
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
 * memcpy, memmove, memset, memcmp, strlen and strchr are available as well.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/interactive/window/shared.h"
#include "kernel/task/queue.h"

/* Call before any other client function. */
void client_begin(void);

/* ---- messages ---- */

/* Takes the oldest message, and waits if there is none. First draws what is in the batch, as GDI
 * does. The window system then finds the window of an input (one more crossing), and handles input
 * that is not for the application. The position of a key or mouse message is the pointer's in the
 * application's window. */
void client_get(struct queue_message *message);
/* Takes the oldest message, as client_get() does, or only looks at it if `remove` is false, which
 * draws nothing. Does not wait. Returns false if there is no message. */
bool client_peek(struct queue_message *message, bool remove);
/* Draws what is in the batch, then reports that the input has had its effect (queue_done()). */
void client_done(uint32_t number);
/* Sends a QUEUE_TIMER message after this time. There is one timer: a new call replaces the old one,
 * and 0 stops it. */
void client_timer(uint64_t microseconds);

/* ---- windows ---- */

/* Asks for an area to be drawn again; it is joined with what was already invalid. A QUEUE_PAINT
 * message comes when the queue has no other message. */
void client_invalidate(struct rectangle area);
/* Takes the invalid area. Returns false if nothing is invalid. */
bool client_paint(struct rectangle *area);

/* ---- drawing ---- */

/* Requests are collected. They are drawn when the batch is full, by the calls above that draw, or
 * by client_flush(). Coordinates and sizes must fit into 16 bits. */

void client_fill(struct rectangle area, uint32_t colour);
void client_outline(struct rectangle area, unsigned thickness, uint32_t colour);
/* Draws a text of any length, in a `style` as for surface_text(). `flags`: 0 or
 * REQUEST_PROPORTIONAL. */
void client_text(int32_t x, int32_t y, const char *text, size_t length,
                 const struct text_style *style, unsigned flags);
void client_scroll(struct rectangle area, int32_t lines, uint32_t paper);
void client_copy(struct rectangle from, int32_t x, int32_t y);
void client_flush(void);
/* Returns the width in pixels of a text as client_text() draws it. */
int32_t client_text_width(const char *text, size_t length, const struct text_style *style,
                          unsigned flags);
/* Flushes an empty batch, to measure what a flush costs without the drawing. */
void client_cross(void);
int32_t client_width(void); /* width and height of the screen */
int32_t client_height(void);

/* ---- the mouse ---- */

/* Call when a button went down. In the segmented structure it polls until the button is up, under
 * the global lock and without giving up the processor; in the others it returns at once. While
 * polling, it takes moves and synchronisation messages. Any other message ends the polling as well,
 * and stays in the queue. */
void client_button_down(void);

/* ---- work and results ---- */

/* Computes for this time, by the calibration of the idle loop. */
void client_work(uint64_t microseconds);
/* Does work for the screen: calls_percent of it in the window system, in calls of call_us each as
 * for the metrics of a text, a region, a mapping of coordinates; the rest itself. Each call is a
 * crossing, which also draws what is in the batch. */
void client_render(uint64_t microseconds);
/* Parameters from the bench and results for it, see struct window_shared. */
uint64_t client_parameter(unsigned index);
void client_result(unsigned index, uint64_t value);

/* ---- files, if the session has any; -1: rejected ---- */

int64_t client_open(const char *name); /* name of at most USER_NAME_BYTES - 1 characters */
/* Reads whole pages into whole pages of the application's own memory. Returns the number of bytes
 * read. */
int64_t client_read(uint64_t file, void *to, uint64_t bytes);
bool client_seek(uint64_t file, uint64_t offset);
