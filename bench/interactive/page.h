/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an application under test shows: lines of text on its screen, with a place where the next
 * character goes. Drawn as it is typed; at the foot all lines move up.
 */
#pragma once

#include <stdbool.h>

#include "kernel/screen/surface.h"
#include "kernel/task/queue.h"

extern const struct text_style page_style;

struct page {
    const struct surface *surface;
    int32_t columns, rows;
    int32_t column, row; /* of the next character */
    bool shift;          /* is held */
};

/* `surface` stays while the page is used. */
void page_begin(struct page *page, const struct surface *surface);

/* The character that a message types, by the keys before it; '\0': none. Of each message of a key,
 * down or up, once. */
char page_character(struct page *page, const struct queue_message *message);
/* Draws it and moves on; '\0': nothing. */
void page_type(struct page *page, char character);
/* A bar at the place of the next character, or none. */
void page_cursor(const struct page *page, bool shown);
