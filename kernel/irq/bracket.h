/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bracketed interrupts: a vector whose handler is timed from its first instructions to its last, so
 * that the time it steals is known directly and not only by what the idle loop misses.
 *
 * Outside the bracket stay, by count: two pushes before the first RDTSC; two stores, two pops and
 * IRET after the last: eight instructions with the RDTSC itself, and whatever the processor needs
 * to deliver and to return.
 *
 * Where events are counted, a row of counters (kernel/pmu/reader.h) is read before and behind the
 * handler proper, inside the bracket.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bracket_sample {
    uint64_t entry; /* TSC */
    uint64_t exit;
};

/* Called inside the bracket, interrupts off. True: keep this bracket. */
typedef bool bracket_handler(void);

/* From now on `vector` is bracketed and calls `handler`; kept brackets go to `ring`. Of bracket i,
 * rows 2i and 2i + 1 of `rows` get the counters; NULL: none are read. */
void bracket_start(uint8_t vector, struct bracket_sample *ring, int64_t *rows, size_t capacity,
                   bracket_handler *handler);

/* Ends it. Returns the number of brackets kept; *dropped those for which the ring had no room. */
size_t bracket_stop(uint64_t *dropped);
