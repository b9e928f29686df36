/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory for tools. If there is none, these print an error and end the program.
 */
#pragma once

#include <stddef.h>

/* Returns `memory`; ends the program if it is NULL. */
void *alloc_checked(void *memory);

/* `size` zeroed bytes. */
void *alloc_zeroed(size_t size);

/* A copy; NULL of NULL. */
char *alloc_text(const char *text);

/* Room for at least `needed` items of `size` bytes: `items` itself, or a larger copy of it with
 * *capacity at least doubled. New items are not initialised. */
void *alloc_grow(void *items, size_t *capacity, size_t needed, size_t size);

/* Makes a list one zeroed item longer, and counts it; returns the list, which may have moved. */
void *alloc_append(void *items, size_t *count, size_t *capacity, size_t size);
