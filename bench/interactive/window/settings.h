/* SPDX-License-Identifier: BSD-2-Clause */
/* What a window system begins with, and what it counts (window.h). */
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
    const char *name;      /* of the application; lives until the trace has been sent */
    thread_entry *program; /* in ring 3: user_NAME */
    unsigned priority;
    struct queue *queue; /* its input */
    int32_t width, height;
    uint64_t spin_per_ms; /* struct window_shared */
    uint64_t parameters[WINDOW_PARAMETERS];
    uint64_t daemon_us; /* WINDOW_SEGMENTED: after-work behind each burst of events; 0: none */
    uint64_t own_bytes; /* of memory that it may touch: reserved beforehand */
    bool files;         /* the session's files are open to it (kernel/block/file_calls.h) */
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
