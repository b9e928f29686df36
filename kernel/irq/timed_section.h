/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupts timed from inside: a vector whose handler is timed from its first instructions to its
 * last, so that the time it takes is known directly and not only from what the idle loop misses.
 *
 * Eight instructions are not included in the measured time: two pushes before the first RDTSC, that
 * RDTSC itself, and after the last RDTSC two stores, two pops and IRET. What the processor needs to
 * deliver the interrupt and to return is not included either.
 *
 * If events are counted, a row of counters (kernel/pmu/reader.h) is read before and after the
 * actual handler, inside the measured time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/irq/nesting.h"

/* Called inside the measured time, interrupts off. Returns whether to keep the sample. */
typedef bool timed_section_handler(void);

/* Starts timing `vector`, which then calls `handler`. Kept samples go to `ring`. For sample i, rows
 * 2i and 2i + 1 of `rows` receive the counters; NULL: none are read. */
void timed_section_start(uint8_t vector, struct timed_section *ring, int64_t *rows, size_t capacity,
                         timed_section_handler *handler);

/* Ends timing. Returns the number of samples kept; *dropped: those that did not fit the ring. If
 * timing has ended already, returns 0. */
size_t timed_section_stop(uint64_t *dropped);

/* After timed_section_stop(): returns NULL if every sample is right. Otherwise returns why not: the
 * vector was entered within its own handler (nesting.h). No sample may then be published. */
const char *timed_section_fault(void);
