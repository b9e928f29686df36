/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text on the firmware's framebuffer: for machines without a serial port, and for a last word.
 * Nothing is drawn while a bench measures.
 */
#pragma once

#include <stdbool.h>

#include "kernel/handoff.h"

/* Clears the screen. False where there is no framebuffer; printing then does nothing. */
bool screen_init(const struct framebuffer *framebuffer);

/* Prints a line and moves to the next; at the bottom it starts again at the top. Characters outside
 * ASCII print as '?'. */
void screen_print(const char *text);
