/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/page.h"

#include "kernel/input/event.h"

#define INK   0x00000000u
#define PAPER 0x00ffffffu
#define SCALE 2

const struct text_style page_style = {.scale = SCALE, .ink = INK, .paper = PAPER};

void page_begin(struct page *page, const struct surface *surface)
{
    *page = (struct page){
        .surface = surface,
        .columns = surface->width / text_cell_width(&page_style),
        .rows = surface->height / text_cell_height(&page_style),
    };
}

char page_character(struct page *page, const struct queue_message *message)
{
    if (message->type != QUEUE_KEY_DOWN && message->type != QUEUE_KEY_UP) {
        return '\0';
    }
    if (key_is_shift(message->code)) {
        page->shift = message->type == QUEUE_KEY_DOWN;
    }
    return message->type == QUEUE_KEY_DOWN ? key_character(message->code, page->shift) : '\0';
}

static void next_line(struct page *page)
{
    const int32_t height = text_cell_height(&page_style);

    page->column = 0;
    if (page->row + 1 < page->rows) {
        page->row++;
    } else {
        surface_scroll(page->surface,
                       (struct rectangle){0, 0, page->surface->width, page->rows * height}, height,
                       PAPER);
    }
}

void page_type(struct page *page, char character)
{
    if (character == '\0') {
        return;
    }
    if (character == '\n' || page->column >= page->columns) {
        next_line(page);
    }
    if (character != '\n') {
        surface_character(page->surface, page->column * text_cell_width(&page_style),
                          page->row * text_cell_height(&page_style), character, &page_style);
        page->column++;
    }
}

void page_cursor(const struct page *page, bool shown)
{
    const struct rectangle bar = {page->column * text_cell_width(&page_style),
                                  page->row * text_cell_height(&page_style), SCALE,
                                  text_cell_height(&page_style)};

    surface_fill(page->surface, bar, shown ? INK : PAPER);
}
