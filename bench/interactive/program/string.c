/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory and string functions for ring 3, which has no C library: those that the compiler takes for
 * granted, and those of <string.h> that applications use. They use REP MOVSB and STOSB, which are
 * fast on processors with ERMSB (SDM volume 1, 7.3.9.3) and take one instruction per byte where
 * instructions are counted.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    void *at = to;

    __asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(bytes) : : "memory");
    return to;
}

void *memmove(void *to, const void *from, size_t bytes)
{
    if ((uintptr_t)to - (uintptr_t)from >= bytes) {
        return memcpy(to, from, bytes);
    }
    for (size_t i = bytes; i > 0; i--) {
        ((uint8_t *)to)[i - 1] = ((const uint8_t *)from)[i - 1];
    }
    return to;
}

void *memset(void *to, int value, size_t bytes)
{
    void *at = to;

    __asm__ volatile("rep stosb" : "+D"(at), "+c"(bytes) : "a"(value) : "memory");
    return to;
}

int memcmp(const void *a, const void *b, size_t bytes)
{
    const uint8_t *left = a;
    const uint8_t *right = b;

    for (size_t i = 0; i < bytes; i++) {
        if (left[i] != right[i]) {
            return left[i] - right[i];
        }
    }
    return 0;
}

size_t strlen(const char *text)
{
    size_t length = 0;

    while (text[length] != '\0') {
        length++;
    }
    return length;
}

char *strchr(const char *string, int character)
{
    while (*string != (char)character) {
        if (*string++ == '\0') {
            return NULL;
        }
    }
    return (char *)string;
}
