/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an application under test shows: lines of text on its screen, and a position for the next
 * character. Characters are drawn as they are typed. At the bottom of the screen all lines move up.
 */
#pragma once

#include <stdbool.h>

#include "kernel/screen/surface.h"
#include "kernel/task/queue.h"

extern const struct text_style page_style;

struct page {
    const struct surface *surface;
    int32_t columns, rows;
    int32_t column, row; /* position of the next character */
    bool shift;          /* a shift key is held */
};

/* Starts an empty page on `surface`, which must stay valid while the page is used. */
void page_begin(struct page *page, const struct surface *surface);

/* Returns the character that the message types, given the keys before it, or '\0' if it types none.
 * Call once for each key message, down or up. */
char page_character(struct page *page, const struct queue_message *message);
/* Draws the character and moves to the next position. Does nothing for '\0'. */
void page_type(struct page *page, char character);
/* Draws a bar at the position of the next character, or erases it. */
void page_cursor(const struct page *page, bool shown);
