/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Physical memory: hands out what firmware called free, never takes back.
 *
 * All there is to allocate is allocated before or between measurements, and samples stay until the
 * run is over, so that any frame can be sent again.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/handoff.h"

#define PAGE_SIZE 4096ull

/* Learns the free ranges. Below 1 MiB nothing is used: start-up code of other processors lives
 * there. */
void memory_init(const struct handoff *handoff);

/* `bytes` of zeroed, so already touched, memory at a multiple of `alignment` (a power of two). The
 * tightest range that fits is used. NULL where no range fits. */
void *memory_allocate(size_t bytes, size_t alignment);

/* Bytes in all free ranges at the start. */
uint64_t memory_total(void);
