/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The operations that each structure of the window system does in its particular way. Each
 * structure has a table of them, which window.c finds by enum window_structure.
 */
#pragma once

#include "bench/interactive/window/settings.h"
#include "kernel/task/process.h"

/* What window.c creates before it calls begin(). */
struct window_parts {
    struct process
        /* the application's process: maps the shared section, and has no thread yet */
        *process;
    struct section list;    /* struct window_list; not mapped by any process yet */
    struct section section; /* holds *shared */
    struct window_shared *shared;
};

struct window_operations {
    /* Called by window_begin(). Creates the structure's processes and threads, and maps the list
     * for the one that draws. Returns NULL on success, otherwise the reason. */
    const char *(*begin)(const struct window_settings *settings, const struct window_parts *parts);
    /* Handles SYSCALL_DRAW, in the application's thread with interrupts off. NULL: the call is
     * rejected. */
    void (*draw)(const struct window_parts *parts);
    /* Called when the application takes a message, before the call returns to it, but only if the
     * settings have a daemon. NULL: nothing to do. */
    void (*taken)(const struct window_parts *parts, const struct queue_message *message);
    /* Adds the counts other than requests, merged, drawn, flushes and paints. NULL: there are none.
     */
    void (*count)(const struct window_parts *parts, struct window_counts *counts);
    /* Ends what begin() started. Called after the application has ended. NULL: nothing to do. */
    void (*end)(void);
};
