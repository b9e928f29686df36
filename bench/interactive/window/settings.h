/* SPDX-License-Identifier: BSD-2-Clause */
/* The settings of a window system, and its counts (window.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bench/interactive/window/shared.h"
#include "kernel/task/process.h"
#include "kernel/task/queue.h"

#define WINDOW_WIDTH_MAX    640
#define WINDOW_HEIGHT_MAX   480
#define WINDOW_TIMER_US_MAX 3600000000ull

struct window_settings {
    enum window_structure structure;
    /* name of the application; must stay valid until the trace has been sent */
    const char *name;
    thread_entry *program; /* runs in ring 3: user_NAME */
    unsigned priority;
    struct queue *queue; /* queue of the application's input */
    int32_t width, height;
    uint64_t spin_per_ms; /* see struct window_shared */
    uint64_t parameters[WINDOW_PARAMETERS];
    uint64_t draw_us, call_us, calls_percent,
        batch_size; /* see struct window_shared; batch_size: 1 to BATCH_MAX */
    /* WINDOW_SEGMENTED: time from one chore of the window system to the next, and the work of one;
     * 0: no chores */
    uint64_t chore_us, chore_work_us;
    /* WINDOW_SEGMENTED: work of the daemon after each burst of events; 0: no daemon */
    uint64_t daemon_us;
    uint64_t own_bytes; /* memory that the application may touch; reserved beforehand */
    /* the application may use the session's files (kernel/block/file_calls.h) */
    bool files;
};

struct window_counts {
    uint64_t requests; /* requests that the application made */
    uint64_t merged;
    uint64_t drawn;
    uint64_t flushes;
    uint64_t address_spaces; /* loads of CR3 caused by flushes: 2 each with a server, otherwise 0 */
    uint64_t far_calls;      /* calls into 16-bit code */
    uint64_t segment_loads;  /* segment loads by these calls, including those on return */
    /* accesses to records at odd addresses: SEGMENTED_UNALIGNED per record */
    uint64_t unaligned;
    uint64_t paints; /* messages to paint */
    uint64_t calls;  /* requests that are calls */
    uint64_t chores; /* chores done, and their ticks */
    uint64_t chore_ticks;
    uint64_t lost; /* requests to draw that the list had no room for */
};
