/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The firmware's framebuffer. It shows the text of the run, for machines without a serial port and
 * for a last word, and is lent to applications under test. Nothing else is drawn while a bench
 * measures.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernel/base/handoff.h"
#include "kernel/screen/surface.h"

/* Clears the screen. False where there is no framebuffer; printing then does nothing. */
bool screen_init(const struct framebuffer *framebuffer);

/* Prints a line and moves to the next; at the bottom it starts again at the top. Characters outside
 * ASCII print as '?'. */
void screen_print(const char *text);

/* Lends the screen to an application under test, until the next screen_print() shows the text
 * again. False where there is no framebuffer. */
bool screen_lend(struct surface *surface);

/* At the foot, where no text goes: how far the run is, `done` of `total` > 0, in words and as a
 * bar. */
void screen_progress(const char *text, size_t done, size_t total);

/* A page in place of the text: begun empty, written line by line, its characters of `scale`. */
void screen_page_begin(int32_t scale);
void screen_page_line(const char *text);
/* The last lines of the text, as many as the page still has room for. */
void screen_page_words(void);
