/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures the largest amount of allocated heap memory, by hooks of the address sanitizer; a list
 * that grows counts twice while it is copied. Only one measurement at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* The sanitizers' sanitizer/allocator_interface.h, which gcc does not provide. */
int __sanitizer_install_malloc_and_free_hooks(void (*taken)(const volatile void *, size_t),
                                              void (*given)(const volatile void *));
size_t __sanitizer_get_allocated_size(const volatile void *memory);

static size_t peak_memory_held;
static size_t peak_memory_most;

static inline void peak_memory_taken(const volatile void *memory, size_t size)
{
    (void)memory;
    peak_memory_held += size;
    if (peak_memory_held > peak_memory_most) {
        peak_memory_most = peak_memory_held;
    }
}

/* Memory allocated before the measurement may be freed during it. */
static inline void peak_memory_given(const volatile void *memory)
{
    const size_t size = memory != NULL ? __sanitizer_get_allocated_size(memory) : 0;

    peak_memory_held -= size < peak_memory_held ? size : peak_memory_held;
}

static inline void peak_memory_start(void)
{
    static bool installed;

    if (!installed &&
        __sanitizer_install_malloc_and_free_hooks(peak_memory_taken, peak_memory_given) == 0) {
        abort();
    }
    installed = true;
    peak_memory_held = 0;
    peak_memory_most = 0;
}

/* Returns the bytes in excess of the amount at the start. */
static inline size_t peak_memory(void)
{
    return peak_memory_most;
}
