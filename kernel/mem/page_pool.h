/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pages that are given out one at a time and come back all at once: what processes need while they
 * run. Memory is taken beforehand, so that a page fault never finds the allocator at work.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Adds `pages` to what may be taken before the next reset. False where memory ran out. */
bool page_pool_promise(size_t pages);

/* A page of zeroes; NULL where more was taken than promised. */
void *page_pool_take(void);

/* The same, a copy of another page. */
void *page_pool_take_copy(const void *page);

/* All pages are free again, and nothing is promised. */
void page_pool_reset(void);
