/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loop of bench fwq: pieces of fixed work, each of which ends where the next one begins. The
 * work is the idle loop (kernel/clock/idle_loop.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The state of one processor, on cache lines that no other processor shares. */
struct fwq_work {
    int64_t *stamps; /* [count + 1] TSC at the start of each piece and at the end of the last */
    int64_t *lengths;
    size_t count;
    uint64_t inner; /* iterations of the idle loop in a piece */
    /* PAUSE after each piece: in exact time another processor takes its turn there */
    bool pauses;
    uint64_t late; /* ticks from the origin to the first stamp */
} __attribute__((aligned(128)));

/* Does the work and fills in `stamps` and `late` of a struct fwq_work. This is a team_work of
 * team.h. */
void fwq_work(void *state, uint64_t origin);
