/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/window/desktop.h"

#include <stdbool.h>

#include "kernel/trace/trace.h"

void desktop_begin(struct desktop *desktop, int32_t width, int32_t height)
{
    desktop->window[DESKTOP_BACKGROUND] = (struct rectangle){0, 0, 2 * width, 2 * height};
    desktop->window[DESKTOP_OTHER] = (struct rectangle){width / 2, height / 2, width, height};
    desktop->window[DESKTOP_APPLICATION] = (struct rectangle){0, 0, width, height};
    desktop->x = width / 2;
    desktop->y = height / 2;
    desktop->focus = DESKTOP_APPLICATION;
}

static int32_t within(int32_t value, int32_t limit)
{
    if (value < 0) {
        return 0;
    }
    return value < limit ? value : limit - 1;
}

/* Returns the foremost window under the pointer. */
static uint32_t under_pointer(const struct desktop *desktop)
{
    uint32_t found = DESKTOP_BACKGROUND;

    for (uint32_t i = found + 1; i < DESKTOP_WINDOWS; i++) {
        const struct rectangle *window = &desktop->window[i];
        const bool inside = desktop->x >= window->x && desktop->x < window->x + window->width &&
                            desktop->y >= window->y && desktop->y < window->y + window->height;

        found = inside ? i : found;
    }
    return found;
}

void desktop_input(struct desktop *desktop, unsigned type, int32_t right, int32_t up)
{
    const bool is_key = type == QUEUE_KEY_DOWN || type == QUEUE_KEY_UP;

    if (type == QUEUE_MOVE) {
        desktop->x = within(desktop->x + right, desktop->window[DESKTOP_BACKGROUND].width);
        desktop->y = within(desktop->y - up, desktop->window[DESKTOP_BACKGROUND].height);
    }
    desktop->target = is_key ? desktop->focus : under_pointer(desktop);
    if (type == QUEUE_BUTTON_DOWN) {
        desktop->focus = desktop->target;
    }
    desktop->at_x = desktop->x - desktop->window[desktop->target].x;
    desktop->at_y = desktop->y - desktop->window[desktop->target].y;
}
