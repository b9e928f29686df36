/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A desktop with several windows, of which one is the application's: finds the window that an input
 * belongs to. The pointer's position decides for the mouse, the focus for keys. Pure: for ring 0,
 * ring 3 and the host.
 */
#pragma once

#include <stdint.h>

#include "kernel/screen/surface.h"

/* The windows from the back to the front. */
enum desktop_window {
    DESKTOP_BACKGROUND,  /* the whole desktop, twice as wide and as high as the application */
    DESKTOP_OTHER,       /* a quarter of it is covered by the application's window */
    DESKTOP_APPLICATION, /* in the desktop's upper left corner */
    DESKTOP_WINDOWS,
};

struct desktop {
    struct rectangle window[DESKTOP_WINDOWS];
    int32_t x, y;       /* the pointer */
    uint32_t focus;     /* window that keys go to */
    uint32_t target;    /* window of the last input */
    int32_t at_x, at_y; /* the pointer's position in that window */
};

/* Places the windows. The application has the focus and the pointer in its middle. */
void desktop_begin(struct desktop *desktop, int32_t width, int32_t height);
/* Finds the window of an input, an enum queue_message_type (kernel/trace/trace.h). A movement moves
 * the pointer by `right` and `up`. A button that goes down moves the focus to the window. */
void desktop_input(struct desktop *desktop, unsigned type, int32_t right, int32_t up);
