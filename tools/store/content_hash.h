/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SHA-256 of what comes in many short stretches. OpenSSL's, which takes the processor's
 * instructions for it: libmd needs ten times as long.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONTENT_HASH_TEXT   65   /* hexadecimal digits, and the end */
#define CONTENT_HASH_BUFFER 4096 /* a call of the library for each stretch would cost as much */

struct content_hash {
    void *context; /* the library's */
    uint8_t buffer[CONTENT_HASH_BUFFER];
    size_t used;
};

/* content_hash_end() frees what it takes. Without memory the program ends. */
void content_hash_begin(struct content_hash *hash);
void content_hash_put(struct content_hash *hash, const void *bytes, size_t length);
/* As hexadecimal digits. */
void content_hash_end(struct content_hash *hash, char text[CONTENT_HASH_TEXT]);

/*
 * A set of contents of runs by the first 64 bits of each: what is not in it was never put in; what
 * is may be another of the same 64 bits.
 */

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
