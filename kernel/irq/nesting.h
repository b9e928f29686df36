/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks whether a vector was entered within its own handler. Handlers of timed sections and of the
 * injector run with interrupts off and end the interrupt last, so a processor must not deliver
 * their vector again before they return (SDM volume 3 sections 6.8.1 and 11.8.4). An emulator may
 * do it nevertheless; the timestamps of both entries are then wrong.
 *
 * Pure: it judges timestamps afterwards, so that the measured code needs no instruction for it. An
 * entry before the first timestamp or after the last one cannot be told from the next interrupt;
 * all timestamps are then right.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define NESTING_TEXT_MAX 96

/* A sample of timed_section.h. */
struct timed_section {
    uint64_t entry; /* TSC at the first reading */
    uint64_t exit;
};

/* Returns the index of the first sample that ends before it began, or begins before the previous
 * one ended; `count` if there is none. */
size_t nesting_of_sections(const struct timed_section *sections, size_t count);

/* Returns the index of the first entry less than `least` ticks after the previous one; `count` if
 * there is none. */
size_t nesting_of_entries(const uint64_t *entries, size_t count, uint64_t least);

/* Writes "vector 0x40 entered within its own handler ..." for sample `index` of `count`. */
const char *nesting_text(uint8_t vector, size_t index, size_t count, char text[NESTING_TEXT_MAX]);
