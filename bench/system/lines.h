/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the benches of several processors time (lines.S). All participants run the same function on
 * memory that they share; data of different writers lie in separate cache lines.
 *
 * A waiting processor looks `looks` times at the word and then executes one PAUSE, which lets the
 * other run. `looks` is 1 if one host thread emulates all processors; otherwise it is so large that
 * a processor executes PAUSE only if the other does not run at all. After `pauses` PAUSEs, all
 * waits of a call together, it gives up. A PAUSE takes up to 15 times as long on some processors as
 * on others, so others.c measures it.
 */
#pragma once

#include <stdint.h>

#define LINE_BYTES 128 /* two cache lines: some prefetchers fetch them in pairs */

/* Takes turns on one word: waits for `expected` (0 or 1) and writes the other value; once to meet,
 * and then `rounds` times (at least 1), which are the round trips. Returns the ticks of these, or 0
 * if it gave up. */
typedef uint64_t take_turns(volatile uint64_t *turn, uint64_t expected, uint64_t rounds,
                            uint64_t looks, uint64_t pauses);
take_turns lines_store; /* looks by a load, writes by a store */
take_turns lines_cas;   /* does both by LOCK CMPXCHG */

struct contended {
    /* lock: taken, or the next ticket; barrier: number of arrivals */
    volatile uint64_t lock __attribute__((aligned(LINE_BYTES)));
    /* ticket being served; barrier: generation */
    volatile uint64_t turn __attribute__((aligned(LINE_BYTES)));
    /* incremented by the holder of the lock */
    volatile uint64_t count __attribute__((aligned(LINE_BYTES)));
    /* number of PAUSEs after which it gives up */
    uint64_t pauses __attribute__((aligned(LINE_BYTES)));
};

/* Takes the lock `count` times (at least 1), adds 1 to contended.count while holding it, and
 * releases it; a barrier instead meets `processors` participants `count` times. Executes PAUSE
 * between any two looks. Returns 1, or 0 if it gave up. */
typedef uint64_t contend(struct contended *contended, uint64_t count, uint64_t processors);
contend lines_spin_lock;   /* test, then XCHG */
contend lines_ticket_lock; /* LOCK XADD */
contend lines_barrier;     /* LOCK XADD, and a generation that the last arrival advances */
