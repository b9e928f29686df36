/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the structures of the window system do each in another way: a table each, which window.c
 * looks up by enum window_structure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bench/interactive/window/settings.h"
#include "kernel/screen/surface.h"
#include "kernel/task/process.h"

/* What window.c has made before begin(). */
struct window_parts {
    struct process
        *process;           /* of the application: it shows the shared section, and has no thread */
    struct section screen;  /* no process shows it yet */
    struct section section; /* of *shared */
    struct surface surface; /* the screen, by the kernel's address */
    struct window_shared *shared;
};

struct window_operations {
    /* Within window_begin(): its processes and threads; shows the screen to who draws. NULL,
     * or why not. */
    const char *(*begin)(const struct window_settings *settings, const struct window_parts *parts);
    /* SYSCALL_DRAW, in the application's thread, interrupts off. NULL: it is refused. */
    void (*draw)(const struct window_parts *parts);
    /* The application takes a message, before it returns to it; only where the settings have
     * a daemon. NULL: nothing. */
    void (*taken)(const struct window_parts *parts, const struct queue_message *message);
    /* Adds what it counts beside requests, merged, drawn, flushes and paints. NULL: nothing. */
    void (*count)(const struct window_parts *parts, struct window_counts *counts);
    /* The application has ended: ends what begin() began. NULL: nothing. */
    void (*end)(void);
};
