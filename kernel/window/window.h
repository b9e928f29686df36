/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A window system for one application in ring 3, in one of three structures behind one interface
 * (Endo et al. 1996, section 2.2: Windows NT 4.0, NT 3.51, and Windows 95). What the application
 * calls is kernel/user/client.h, the same in all three, and so is every pixel.
 *
 *     in_kernel.h   a system call draws the batch, in ring 0
 *     server.h      a message to a process with an address space of its own, which draws in ring 3
 *     segmented.h   16-bit code of the application takes the batch by a far call, and the process
 *                   draws; its mouse is polled from down to up, and a daemon works afterwards
 *
 * Beginning and end of it belong to a session (kernel/task/session.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/screen/surface.h"
#include "kernel/task/process.h"
#include "kernel/task/queue.h"
#include "kernel/window/shared.h"

struct window_settings {
    enum window_structure structure;
    const char *name;      /* of the application; lives until the trace has been sent */
    thread_entry *program; /* in ring 3: user_NAME */
    unsigned priority;
    struct queue *queue; /* its input */
    int32_t width, height;
    uint64_t spin_per_ms; /* struct window_shared */
    uint64_t parameters[WINDOW_PARAMETERS];
    uint64_t daemon_us; /* WINDOW_SEGMENTED: after-work behind each burst of events; 0: none */
    uint64_t own_bytes; /* of its own memory that it may touch: reserved beforehand */
    bool files;         /* the session's files are open to it (kernel/file/file_calls.h) */
};

struct window_counts {
    uint64_t requests; /* that the application made */
    uint64_t merged;
    uint64_t drawn;
    uint64_t flushes;
    uint64_t address_spaces; /* loads of CR3 for flushes: 2 each of a server, else 0 */
    uint64_t far_calls;      /* into 16-bit code */
    uint64_t segment_loads;  /* of these, and back, as the code has them */
    uint64_t unaligned;      /* accesses of the 16-bit code to records at odd addresses */
    uint64_t paints;         /* messages to paint */
};

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

/* After the application's thread has ended: ends server and daemon. */
void window_end(void);
