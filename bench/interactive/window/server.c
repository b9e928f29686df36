/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/window/server.h"

#include <stddef.h>

#include "kernel/task/message.h"
#include "kernel/task/thread.h"

extern thread_entry user_window_server; /* bench/interactive/program/window_server.c */

static struct thread *thread;

/* Above the application, so that no other thread of its priority comes between. */
static const char *begin(const struct window_settings *settings, const struct window_parts *parts)
{
    struct process *process = process_create("window_server");

    thread = NULL;
    if (process == NULL) {
        return "no memory for the server's process, or too many processes";
    }
    if (!section_show(&parts->section, process, WINDOW_SHARED_AT) ||
        !section_show(&parts->screen, process, WINDOW_SCREEN_AT)) {
        return "no memory for the server";
    }
    thread =
        process_thread(process, "window_server", settings->priority + 1, user_window_server, 0);
    if (thread == NULL) {
        return "no memory for threads";
    }
    parts->shared->server = thread_id(thread);
    return NULL;
}

static void count(const struct window_parts *parts, struct window_counts *counts)
{
    counts->address_spaces = 2 * parts->shared->rounds;
}

static void end(void)
{
    if (thread != NULL && message_send(thread, WINDOW_TAG_END, 0)) {
        thread_join(thread);
    }
}

const struct window_operations server_operations = {.begin = begin, .count = count, .end = end};
