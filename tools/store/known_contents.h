/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A set of contents of runs by the first 64 bits of each: what is not in it was never put in; what
 * is may be another of the same 64 bits.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Digits of a content that count. */
#define KNOWN_DIGITS 16

/* Zeroed: empty. */
struct known_contents {
    uint64_t *slots; /* 0: free */
    size_t capacity; /* a power of two, or 0 */
    size_t count;
};

/* `content`: KNOWN_DIGITS hexadecimal digits or more. */
void known_contents_add(struct known_contents *known, const char *content);
bool known_contents_have(const struct known_contents *known, const char *content);
/* It is empty then. */
void known_contents_free(struct known_contents *known);
