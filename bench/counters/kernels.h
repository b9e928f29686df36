/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernels of which it is known what they do: kernels.S. Each runs `iterations` (at least 1) on a
 * buffer aligned to 4 KiB, and ends with RET; the comment beside it lists an iteration.
 */
#pragma once

#include <stdint.h>

typedef void counter_kernel(uint64_t iterations, void *buffer);

/* Two instructions in all. */
counter_kernel kernel_empty;

/* 8 dependent additions and the loop: 10 instructions, 1 branch. */
counter_kernel kernel_adds;

/* 8 loads of 8 bytes, or 8 stores, within one cache line, and the loop: 10 instructions. */
counter_kernel kernel_loads;
counter_kernel kernel_stores;

/* A branch on a bit of xorshift64 (13, 7, 17) that starts at KERNEL_SEED, and the loop: 13
 * instructions, one more where the bit is 1; 2 branches, of which the first cannot be predicted. */
#define KERNEL_SEED 88172645463325252ull
counter_kernel kernel_branches;

/* One load from another of so many pages of 4 KiB, at the same place in each, in an order that
 * returns to a page only after all others; each depends on the value that the one before it read,
 * which must be 0: 5 instructions. */
#define KERNEL_PAGES (1u << 16)
counter_kernel kernel_pages;

/* 8 loads that cross from one cache line into the next, or from one page: 10 instructions. */
counter_kernel kernel_line_splits;
counter_kernel kernel_page_splits;

/* 8 loads of ES and the loop: 10 instructions. */
counter_kernel kernel_segment_loads;
