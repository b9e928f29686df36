/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The firmware's framebuffer. It shows the page of the run, for machines without a serial port and
 * for a last word, and is lent to applications under test. Nothing else is drawn while a bench
 * measures.
 *
 * Lines of text are kept, the last of them: the page leaves rows to them, at first all.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernel/plan/handoff.h"
#include "kernel/screen/grid.h"
#include "kernel/screen/surface.h"

/* Clears the screen. False where there is no framebuffer; nothing below then does anything. */
bool screen_init(const struct framebuffer *framebuffer);

/* Prints a line below those before it; the oldest leave. What has no glyph prints as '?'. */
void screen_print(const char *text);

/* Lends the screen to an application under test, until it shows text or the page again. False where
 * there is no framebuffer. */
bool screen_lend(struct surface *surface);

/* The page to write on, as it was; NULL where there is no framebuffer. */
struct grid *screen_page(void);
/* Shows the page, with the last lines of text on its rows from `words` on. */
void screen_show(int words);
