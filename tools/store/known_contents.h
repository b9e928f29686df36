/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A set of contents of runs, identified by the first 64 bits of their hash. If a content is not in
 * the set, it was never added; if it is, it may be another one with the same 64 bits.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Number of hexadecimal digits of a content that are used. */
#define KNOWN_DIGITS 16

/* The set; zeroed, it is empty. */
struct known_contents {
    uint64_t *slots; /* 0: free */
    size_t capacity; /* a power of two, or 0 */
    size_t count;
};

/* Adds the hash of a file's content, given as at least KNOWN_DIGITS hexadecimal digits. */
void known_contents_add(struct known_contents *known, const char *content);
bool known_contents_have(const struct known_contents *known, const char *content);
/* Frees the set, which is empty afterwards. */
void known_contents_free(struct known_contents *known);
