/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The known kernels of kernels.S: code whose instructions, branches and memory accesses are known.
 * Each kernel runs `iterations` iterations (at least 1) on a buffer aligned to 4 KiB and ends with
 * RET. The comment of a kernel states what one iteration executes.
 */
#pragma once

#include <stdint.h>

typedef void counter_kernel(uint64_t iterations, void *buffer);

/* Two instructions in all, whatever `iterations` is. */
counter_kernel kernel_empty;

/* 8 dependent additions and the loop: 10 instructions, 1 branch. */
counter_kernel kernel_adds;

/* 8 loads of 8 bytes, or 8 stores, within one cache line, and the loop: 10 instructions. */
counter_kernel kernel_loads;
counter_kernel kernel_stores;

/* A branch on a bit of xorshift64 (13, 7, 17) that starts at KERNEL_SEED, and the loop: 13
 * instructions, and one more if the bit is 1; 2 branches, the first of which cannot be predicted.
 */
#define KERNEL_SEED 88172645463325252ull
counter_kernel kernel_branches;

/* One load from the next of KERNEL_PAGES pages of 4 KiB, at the same place in each page. The order
 * returns to a page only after all others. Each load depends on the value read by the previous one,
 * which must be 0. 5 instructions. */
#define KERNEL_PAGES (1u << 16)
counter_kernel kernel_pages;

/* 8 loads that cross from one cache line, or one page, into the next: 10 instructions. */
counter_kernel kernel_line_splits;
counter_kernel kernel_page_splits;

/* 8 loads of ES and the loop: 10 instructions. */
counter_kernel kernel_segment_loads;
