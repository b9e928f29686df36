/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the compiler takes for granted, and what applications use of <string.h>, for ring 3, where
 * the C library's is not. REP MOVSB and STOSB: fast on what has ERMSB (SDM volume 1, 7.3.9.3), and
 * one instruction a byte where instructions are counted.
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
