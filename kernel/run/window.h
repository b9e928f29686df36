/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory mapped with pages of a chosen size and memory type, for benches that measure what these
 * cost.
 *
 * In the image a window is made from the kernel's own page tables and the PAT (SDM volume 3
 * chapters 4 and 12). On Linux the host program makes it from mmap() and huge pages; there only
 * write-back is available. While a window is open nothing else maps its memory, so that no
 * speculative access through another type reaches it (SDM volume 3 section 12.12.4).
 */
#pragma once

#include <stddef.h>

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
    void *base;   /* start of the window, aligned to the size of its pages */
    size_t bytes; /* size as requested, rounded up to 4 KiB */
};

/* Returns the largest window of these pages that could be opened now, in bytes: half of the largest
 * free range, so that memory is left for others; with several memory nodes, that of the processor
 * that runs benches. 0: none. */
size_t window_bytes_max(enum window_page page);

/* Opens a window of `bytes` (at least 1), physically contiguous in the image. Every page has been
 * written to, so that none is first created when it is used; its contents are undefined. Each call
 * uses the same memory, as far as it is enough. Returns NULL on success, otherwise the reason: no
 * such pages, not enough memory, or no such type. Only one window may be open at a time.
 *
 * Another processor sees the window in work that it begins after this (kernel/smp/processor.h). */
const char *window_open(struct window *window, enum window_page page, enum window_type type,
                        size_t bytes);

/* Closes the window: its memory is write-back again, mapped by the kernel's own pages. If it was of
 * another type, no line of it is cached. */
void window_close(struct window *window);

/* Closes a window that was left open by a bench that an exception ended. Only in the image. */
void windows_abandon(void);

size_t window_page_bytes(enum window_page page);
const char *window_page_name(enum window_page page); /* returns "4k", "2m" or "1g" */
const char *window_type_name(enum window_type type); /* returns "wb", "wc" or "uc" */
