/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A window system for one application in ring 3, in one of three structures behind one interface
 * (Endo et al. 1996, section 2.2: Windows NT 4.0, NT 3.51, and Windows 95). What the application
 * calls is bench/interactive/program/client.h, the same in all three, and so is every pixel.
 *
 *     in the kernel a system call draws the batch, in ring 0
 *     server        a message to a process with another address space, which draws in ring 3
 *     segmented.h   16-bit code of the application takes the batch by a far call, and the process
 *                   draws; its mouse is polled from down to up, and a daemon works afterwards
 *
 * Beginning and end of it belong to a session (kernel/task/session.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bench/interactive/window/settings.h"
#include "kernel/screen/surface.h"
#include "kernel/task/process.h"

/* Within a session: creates processes, sections, threads; the application begins to run. NULL, or
 * why not. One at a time; several in one session, one behind the other. */
const char *window_begin(const struct window_settings *settings);

/* The application's thread, which ends when its program returns, and its process. */
struct thread *window_thread(void);
struct process *window_process(void);

/* What is on its screen, and what it shares; until the next window_begin(). */
const struct surface *window_surface(void);
struct window_shared *window_shared(void);

void window_get_counts(struct window_counts *counts);
/* TSC when the application last reported that an input has had its effect; 0: never. */
uint64_t window_last_done(void);

/* After the application's thread has ended: ends server and daemon. */
void window_end(void);
