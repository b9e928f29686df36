/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SHA-256 of what comes in many short stretches, by the processor's instructions if it has them,
 * which is some ten times as fast as the library.
 */
#pragma once

#include <sha256.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONTENT_HASH_BUFFER 4096 /* whole blocks */

struct content_hash {
    uint32_t state[8];
    uint64_t length;      /* in all */
    bool by_instructions; /* content_hash_begin() asks the processor */
    uint8_t buffer[CONTENT_HASH_BUFFER];
    size_t used;
};

void content_hash_begin(struct content_hash *hash);
void content_hash_put(struct content_hash *hash, const void *bytes, size_t length);
/* As hexadecimal digits. */
void content_hash_end(struct content_hash *hash, char text[SHA256_DIGEST_STRING_LENGTH]);
