/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory seen through pages of a chosen size and memory type, for benches that ask what these cost.
 *
 * Made by the image from its own page tables and the PAT (SDM volume 3 chapters 4 and 12), and on
 * Linux by the host program from mmap() and its huge pages; there only write-back is to be had.
 * While a window is open nothing else shows its memory, so that no speculative access through
 * another type reaches it (SDM volume 3 section 12.12.4).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum window_page {
    WINDOW_4K,
    WINDOW_2M,
    WINDOW_1G,
    WINDOW_PAGES,
};

enum window_type {
    WINDOW_WRITE_BACK,
    WINDOW_WRITE_COMBINING,
    WINDOW_UNCACHED,
    WINDOW_TYPES,
};

struct window {
    void *base;   /* aligned to the size of its pages */
    size_t bytes; /* as asked for, rounded up to 4 KiB */
};

/* The most memory that a window of these pages could have now, in bytes: half of the largest free
 * range, so that others find memory too; of several memory nodes, of that of the processor that
 * runs benches. 0: none. */
size_t window_bytes_max(enum window_page page);

/* Opens a window of `bytes` (at least 1), physically contiguous in the image, each of its
 * pages written to, so that none is made at its first use; what it holds is not reported. The
 * memory is the same in each call, as far as it is enough. NULL, or why there is none: no such
 * pages, no memory, no such type. One window at a time.
 *
 * Another processor sees it in work that is begun afterwards (kernel/smp/processor.h). */
const char *window_open(struct window *window, enum window_page page, enum window_type type,
                        size_t bytes);

/* Closes it: write-back again, by the kernel's own pages; where it was of another type no line of
 * it is cached. */
void window_close(struct window *window);

/* Closes what a bench that an exception ended left open. In the image only. */
void windows_abandon(void);

size_t window_page_bytes(enum window_page page);
const char *window_page_name(enum window_page page); /* 4k 2m 1g */
const char *window_type_name(enum window_type type); /* wb wc uc */
