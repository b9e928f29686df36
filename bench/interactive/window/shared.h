/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an application shares with the window system: a section of pages that the application, the
 * server and ring 0 may all write to. The addresses below are those in ring 3, in every process
 * that maps the section.
 */
#pragma once

#include <stdint.h>

#include "bench/interactive/window/desktop.h"
#include "bench/interactive/window/request.h"
#include "kernel/screen/surface.h"
#include "kernel/task/user.h"

enum window_structure {
    WINDOW_IN_KERNEL, /* a system call draws, in ring 0 */
    WINDOW_SERVER,    /* another process draws; messages go to it and back */
    /* 16-bit code of the application's process takes the records, and the process draws */
    WINDOW_SEGMENTED,
    WINDOW_STRUCTURES,
};

/* A process may use all its memory except the last page, which belongs to client.c. */
#define WINDOW_OWN_BYTES    (PROCESS_BYTES - 4096)
#define WINDOW_CLIENT_AT    (PROCESS_BASE + WINDOW_OWN_BYTES)
#define WINDOW_SHARED_AT    SECTIONS_BASE
#define WINDOW_SHARED_BYTES (8ull << 10)
#define WINDOW_LIST_AT      (WINDOW_SHARED_AT + (2ull << 20))

/* Tags of messages to the server and of its answers. */
enum window_tag {
    WINDOW_TAG_DRAW,
    WINDOW_TAG_DRAWN,
    WINDOW_TAG_END,
};

#define WINDOW_SPIN_SHIFT 16 /* fraction bits of spin_per_ms */
#define WINDOW_US_PER_MS  1000
#define WINDOW_PARAMETERS 16
#define WINDOW_RESULTS    32

struct window_shared {
    uint32_t structure; /* enum window_structure */
    int32_t width, height;
    uint32_t server; /* WINDOW_SERVER: id of the server's thread */
    /* iterations of the idle loop's two instructions per millisecond, as a fixed-point number */
    uint64_t spin_per_ms;
    uint64_t segment_entry;                 /* WINDOW_SEGMENTED: address of the trampoline */
    uint64_t parameters[WINDOW_PARAMETERS]; /* parameters that the bench gives to the application */
    uint64_t results[WINDOW_RESULTS];       /* results that the application gives to the bench */
    uint64_t draw_us;       /* work of the display processor for each request to draw */
    uint64_t call_us;       /* longest call into the window system */
    uint64_t calls_percent; /* see client_render() */
    uint64_t batch_size;
    uint64_t drawn;           /* requests, counted by the code that takes them */
    uint64_t calls;           /* those of kind REQUEST_CALL */
    int64_t moved_x, moved_y; /* movement of the message that was taken last, as it arrived */
    struct desktop desktop;
    /* messages that the server took and answered; each loads its address space and then the
     * application's */
    uint64_t rounds;
    uint64_t far_calls; /* WINDOW_SEGMENTED: calls into 16-bit code */
    uint64_t records;   /* records that the 16-bit code took */
    /* not 0 while the mouse is polled: nothing else of the system may run then */
    uint64_t locked;
    struct batch batch;
};
_Static_assert(sizeof(struct window_shared) <= WINDOW_SHARED_BYTES,
               "struct window_shared must fit into its section");

/*
 * The list of the requests that were drawn. The display processor (`draw_us`) takes each of them at
 * a constant cost. Their pixels come later: window_show() draws the list when a phase is over.
 */

#define WINDOW_LIST_MAX 32768

struct window_list {
    uint64_t count; /* requests; those above WINDOW_LIST_MAX are lost */
    struct request request[WINDOW_LIST_MAX];
};

/* Works for this time: instructions of the idle loop, the same number wherever it is called. */
static inline void window_spin(const struct window_shared *shared, uint64_t microseconds)
{
    uint64_t iterations =
        microseconds * shared->spin_per_ms / WINDOW_US_PER_MS >> WINDOW_SPIN_SHIFT;

    if (iterations > 0) {
        /* jumps over the padding, whose instructions are not always equally many */
        __asm__ volatile("jmp 1f; .balign 64; 1: decq %0; jnz 1b" : "+r"(iterations));
    }
}
