/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/alloc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *alloc_checked(void *memory)
{
    if (memory == NULL) {
        fputs("tare: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return memory;
}

void *alloc_zeroed(size_t size)
{
    return alloc_checked(calloc(1, size > 0 ? size : 1));
}

char *alloc_text(const char *text)
{
    return text != NULL ? alloc_checked(strdup(text)) : NULL;
}

void *alloc_grow(void *items, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity) {
        return items;
    }
    const size_t doubled = *capacity < 4 ? 4 : *capacity * 2;
    const size_t wanted = needed > doubled ? needed : doubled;

    if (wanted > SIZE_MAX / size) {
        alloc_checked(NULL);
    }
    *capacity = wanted;
    return alloc_checked(realloc(items, wanted * size));
}

void *alloc_append(void *items, size_t *count, size_t *capacity, size_t size)
{
    char *list = alloc_grow(items, capacity, *count + 1, size);

    memset(list + *count * size, 0, size);
    (*count)++;
    return list;
}
