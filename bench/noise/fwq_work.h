/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loop of bench fwq: pieces of fixed work, each of which ends where the next begins. The work
 * is the idle loop's (kernel/clock/idle_loop.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of one processor, on lines of memory that no other shares. */
struct fwq_work {
    int64_t *stamps; /* [count + 1] */
    int64_t *lengths;
    size_t count;
    uint64_t inner; /* iterations of a piece */
    bool pauses;    /* behind each piece: in exact time another processor has its turn there */
    uint64_t late;  /* the first stamp, behind the origin */
} __attribute__((aligned(128)));

/* Fills stamps and `late` of a struct fwq_work. A team_work of team.h. */
void fwq_work(void *state, uint64_t origin);
