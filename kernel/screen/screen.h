/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The firmware's framebuffer. It shows the page of the run, for machines without a serial port and
 * for a final message, and is lent to applications under test. Nothing else is drawn while a bench
 * measures.
 *
 * The last lines of text are kept and shown on the rows that the page leaves to them; at first
 * these are all rows.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/plan/handoff.h"
#include "kernel/screen/grid.h"
#include "kernel/screen/surface.h"

/* Clears the screen. Returns false if there is no framebuffer; the functions below then do
 * nothing. */
bool screen_init(const struct framebuffer *framebuffer);

/* Prints a line below the previous ones; the oldest disappear. Characters without a glyph print as
 * '?'. */
void screen_print(const char *text);

/* Returns how many columns of the page are left of a QR code, which takes the right part of the
 * screen: 0 if there is no framebuffer, or if it is too small. */
int screen_code_columns(void);
/* Shows the page, which must be blank from that column on, without text, and the bytes as a QR code
 * (code.h). Call only if screen_code_columns() is not 0. */
void screen_code(const uint8_t *bytes, size_t length);

/* Lends the screen to an application under test, until the next text or page is shown. Returns
 * false if there is no framebuffer. */
bool screen_lend(struct surface *surface);

/* Returns the page with its present contents, to write on; NULL if there is no framebuffer. */
struct grid *screen_page(void);
/* Shows the page, with the last lines of text on its rows from `words` on. */
void screen_show(int words);
