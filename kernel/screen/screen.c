/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/screen/screen.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PAPER       0x00101418u
#define ROWS_MAX    64 /* a taller screen keeps its foot empty */
#define COLUMNS_MAX 160

/* A 5 by 7 glyph is unreadable on a panel of today: twice that. */
static const struct text_style style = {.scale = 2, .ink = 0x00e0e0e0u, .paper = PAPER};

static struct surface screen; /* without pixels: there is none */
static char rows[ROWS_MAX][COLUMNS_MAX + 1];
static int32_t row;     /* the next */
static int32_t printed; /* rows that hold text */
static bool lent;
static struct text_style page;
static int32_t page_row;

static void clear(void)
{
    surface_fill(&screen, screen.clip, PAPER);
}

bool screen_init(const struct framebuffer *framebuffer)
{
    surface_init(&screen, (uint32_t *)(uintptr_t)framebuffer->address, (int32_t)framebuffer->width,
                 (int32_t)framebuffer->height, (int32_t)framebuffer->stride);
    if (screen.pixels == NULL) {
        return false;
    }
    clear();
    return true;
}

/* The last is for the progress. */
static int32_t row_count(void)
{
    const int32_t fitting = screen.height / text_cell_height(&style) - 1;

    return fitting < ROWS_MAX ? fitting : ROWS_MAX;
}

static void draw_row(int32_t index)
{
    const int32_t y = index * text_cell_height(&style);

    surface_fill(&screen, (struct rectangle){0, y, screen.width, text_cell_height(&style)}, PAPER);
    surface_text(&screen, 0, y, rows[index], &style);
}

static void take_back(void)
{
    lent = false;
    clear();
    for (int32_t i = 0; i < row_count(); i++) {
        draw_row(i);
    }
}

void screen_print(const char *text)
{
    if (screen.pixels == NULL || row_count() <= 0) {
        return;
    }
    if (lent) {
        take_back();
    }
    row = row < row_count() ? row : 0;
    snprintf(rows[row], sizeof(rows[row]), "%s", text);
    draw_row(row++);
    printed = printed > row ? printed : row;
}

bool screen_lend(struct surface *surface)
{
    lent = screen.pixels != NULL;
    *surface = screen;
    return lent;
}

void screen_progress(const char *text, size_t done, size_t total)
{
    const int32_t height = text_cell_height(&style);
    const int32_t y = screen.height - height;
    const int32_t bar = (int32_t)((size_t)screen.width / 2 * done / total);

    if (screen.pixels == NULL || y < 0) {
        return;
    }
    if (lent) {
        take_back();
    }
    surface_fill(&screen, (struct rectangle){0, y, screen.width, height}, PAPER);
    surface_text(&screen, 0, y, text, &style);
    surface_outline(&screen, (struct rectangle){screen.width / 2, y, screen.width / 2, height}, 1,
                    style.ink);
    surface_fill(&screen, (struct rectangle){screen.width / 2, y, bar, height}, style.ink);
}

void screen_page_begin(int32_t scale)
{
    lent = true;
    page = style;
    page.scale = scale;
    page_row = 0;
    clear();
}

void screen_page_line(const char *text)
{
    surface_text(&screen, 0, page_row++ * text_cell_height(&page), text, &page);
}

void screen_page_words(void)
{
    const int32_t room = screen.height / text_cell_height(&page) - page_row;

    for (int32_t left = room < printed ? room : printed; left > 0; left--) {
        screen_page_line(rows[(row - left + printed) % printed]);
    }
}
