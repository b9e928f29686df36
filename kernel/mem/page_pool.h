/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A pool of pages for running processes: handed out one at a time and taken back all at once. Its
 * memory is allocated beforehand, so that a page fault never calls the allocator.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Allows `pages` more pages to be taken until the next reset, and allocates memory for them if
 * needed. Returns false if memory ran out. */
bool page_pool_promise(size_t pages);

/* Returns a page of zeroes, or NULL if all promised memory is taken. */
void *page_pool_take(void);

/* Returns a copy of another page, or NULL as page_pool_take() does. */
void *page_pool_take_copy(const void *page);

/* Makes all pages free again, and nothing promised. */
void page_pool_reset(void);
