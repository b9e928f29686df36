/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A window system for one application in ring 3, in one of three structures with the same interface
 * (Endo et al. 1996, section 2.2: Windows NT 4.0, NT 3.51, and Windows 95). Applications call
 * bench/interactive/program/client.h, which is the same for all three structures, and every pixel
 * comes out the same.
 *
 *     in the kernel a system call draws the batch, in ring 0
 *     server        a message goes to a process with another address space, which draws in ring 3
 *     segmented.h   16-bit code of the application takes the batch by a far call, and the process
 *                   draws; the mouse is polled from down to up, and a daemon works afterwards
 *
 * It must begin and end within one session (kernel/task/session.h).
 */
#pragma once

#include <stdint.h>

#include "bench/interactive/window/settings.h"
#include "kernel/screen/surface.h"
#include "kernel/task/process.h"

/* Creates the processes, sections and threads, and starts the application. Call within a session.
 * Only one may run at a time, but a session may have several, one after another. Returns NULL on
 * success, otherwise the reason. */
const char *window_begin(const struct window_settings *settings);

/* Returns the application's thread, which ends when its program returns. */
struct thread *window_thread(void);

/* Draws what is in the list of requests, and empties the list. Returns the application's screen,
 * which stays valid until the next window_begin(). Takes long: call when nothing is measured, and
 * after window_get_counts(). */
const struct surface *window_show(void);
/* Returns the memory that the application shares, valid until the next window_begin(). */
struct window_shared *window_shared(void);

void window_get_counts(struct window_counts *counts);
/* Returns the TSC when the application last reported that an input had its effect, or 0 if it never
 * did. */
uint64_t window_last_done(void);

/* Ends the server or the daemon. Call after the application's thread has ended. */
void window_end(void);
