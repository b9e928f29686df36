/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an application shares with the window system: pages that the application, the server and
 * ring 0 may all write to (a section). The addresses are those of ring 3, in every process that
 * shows them.
 */
#pragma once

#include <stdint.h>

#include "bench/interactive/window/request.h"
#include "kernel/screen/surface.h"
#include "kernel/task/user.h"

enum window_structure {
    WINDOW_IN_KERNEL, /* a system call draws, in ring 0 */
    WINDOW_SERVER,    /* a process draws: messages to it and back */
    WINDOW_SEGMENTED, /* 16-bit code of the process takes the records, and the process draws */
    WINDOW_STRUCTURES,
};

/* A process's memory is its own, except the last page, which is client.c's. */
#define WINDOW_OWN_BYTES    (PROCESS_BYTES - 4096)
#define WINDOW_CLIENT_AT    (PROCESS_BASE + WINDOW_OWN_BYTES)
#define WINDOW_SHARED_AT    SECTIONS_BASE
#define WINDOW_SHARED_BYTES (8ull << 10)
#define WINDOW_SCREEN_AT    (WINDOW_SHARED_AT + (2ull << 20))

/* Tags of messages to the server, and of its answer. */
enum window_tag {
    WINDOW_TAG_DRAW,
    WINDOW_TAG_DRAWN,
    WINDOW_TAG_END,
};

#define WINDOW_SPIN_SHIFT 16 /* bits of a fraction that spin_per_ms has */
#define WINDOW_PARAMETERS 16
#define WINDOW_RESULTS    32

struct window_shared {
    uint32_t structure; /* enum window_structure */
    int32_t width, height;
    uint32_t server;        /* WINDOW_SERVER: id of its thread */
    uint64_t spin_per_ms;   /* iterations of the idle loop's two instructions a millisecond, with a
                               fraction */
    uint64_t segment_entry; /* WINDOW_SEGMENTED: the trampoline's address */
    uint64_t parameters[WINDOW_PARAMETERS]; /* for the application: of its bench */
    uint64_t results[WINDOW_RESULTS];       /* of the application: for its bench */
    uint64_t drawn;                         /* requests, counted by who draws */
    uint64_t rounds;    /* messages that the server took and answered: each is a load of its address
                           space and one of the application's */
    uint64_t far_calls; /* WINDOW_SEGMENTED: into 16-bit code */
    uint64_t records;   /* that it took */
    uint64_t locked;    /* the mouse is polled: nothing else of the system may run meanwhile */
    struct batch batch;
};
_Static_assert(sizeof(struct window_shared) <= WINDOW_SHARED_BYTES, "it has room");
