/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SHA-256 of what comes in many short stretches. OpenSSL's, which takes the processor's
 * instructions for it: libmd needs ten times as long.
 */
#pragma once

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
