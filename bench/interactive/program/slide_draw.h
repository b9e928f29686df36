/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the program of slides_program.h looks: for ring 3. All of it is requests (client.h), on a
 * screen of any size from 320 x 240 on. A graph is a metafile that is played record by record: a
 * flush behind each bar and each line of it.
 */
#pragma once

#include <stdint.h>

#include "bench/interactive/document/deck.h"

/* The window, with nothing open. */
void slide_draw_window(void);
/* A slide, with the bars of its graph, if it has one. */
void slide_draw(unsigned slide, const uint8_t bars[DECK_BARS]);
/* The graph being edited: a frame, and its numbers as a sheet. */
void slide_draw_session(const uint8_t bars[DECK_BARS]);
/* One bar and its number, while it is edited. */
void slide_draw_edit(const uint8_t bars[DECK_BARS], unsigned bar);
/* "saved" in the window's last line. */
void slide_draw_saved(void);
