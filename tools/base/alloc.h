/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory allocation for tools. If memory runs out, these functions print an error and end the
 * program.
 */
#pragma once

#include <stddef.h>

/* Returns `memory`; ends the program if it is NULL. */
void *alloc_checked(void *memory);

/* Returns `size` zeroed bytes. */
void *alloc_zeroed(size_t size);

/* Returns a copy of `text`, or NULL if `text` is NULL. */
char *alloc_text(const char *text);

/* Makes room for at least `needed` items of `size` bytes. Returns `items` itself, or a larger copy
 * with *capacity at least doubled. New items are not initialised. */
void *alloc_grow(void *items, size_t *capacity, size_t needed, size_t size);

/* Appends a zeroed item to a list, increments *count and returns the new item. `items` is the
 * address of the pointer to the list. */
void *alloc_next(void *items, size_t *count, size_t *capacity, size_t size);
/* The same for three members or variables. */
#define ALLOC_NEXT(items, count, capacity) \
    ((__typeof__(items))alloc_next(&(items), &(count), &(capacity), sizeof(*(items))))
/* Appends a zeroed item to a list and increments *count. Returns the list, which may have moved. */
void *alloc_append(void *items, size_t *count, size_t *capacity, size_t size);
