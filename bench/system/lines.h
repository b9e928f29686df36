/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What benches of several processors time: lines.S. Each is run by all that take part, on memory
 * that they share; what one writes lies in a separate cache line.
 *
 * Who waits looks `looks` times and then gives the other a chance with PAUSE: 1 where one thread of
 * the host plays all processors, else so often that no processor gets there unless the other does
 * not run at all. After `pauses` of them, all waits of a call together, it gives up: what they take
 * differs by 1 to 15 from processor to processor, so that others.h measures it.
 */
#pragma once

#include <stdint.h>

#define LINE_BYTES 128 /* two lines: some prefetchers bring them in pairs */

/* Takes turns on one word: waits for `expected` (0 or 1), writes the other, once to meet and then
 * `rounds` times (at least 1): so many round trips. Returns the ticks of these; 0: gave up. */
typedef uint64_t take_turns(volatile uint64_t *turn, uint64_t expected, uint64_t rounds,
                            uint64_t looks, uint64_t pauses);
take_turns lines_store; /* looks by a load, writes by a store */
take_turns lines_cas;   /* both by LOCK CMPXCHG */

struct contended {
    volatile uint64_t lock __attribute__((aligned(LINE_BYTES)));  /* next ticket; who arrived */
    volatile uint64_t turn __attribute__((aligned(LINE_BYTES)));  /* ticket served; generation */
    volatile uint64_t count __attribute__((aligned(LINE_BYTES))); /* by the holder of the lock */
    uint64_t pauses __attribute__((aligned(LINE_BYTES)));         /* after which it gives up */
};

/* Takes the lock `count` times (at least 1), adds 1 to contended.count in it, and lets go; or meets
 * `processors` at a barrier so many times. PAUSE between any two looks. 1; 0: gave up. */
typedef uint64_t contend(struct contended *contended, uint64_t count, uint64_t processors);
contend lines_spin_lock;   /* test, then XCHG */
contend lines_ticket_lock; /* LOCK XADD */
contend lines_barrier;     /* LOCK XADD, and a generation that the last one begins */
