/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/store/content_hash.h"

#include <openssl/evp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tools/base/alloc.h"

#define DIGEST_BYTES ((CONTENT_HASH_TEXT - 1) / 2)

/* The library fails where memory has run out, and by nothing that is hashed. */
static void check_memory(bool done)
{
    if (!done) {
        alloc_checked(NULL);
    }
}

void content_hash_begin(struct content_hash *hash)
{
    hash->context = EVP_MD_CTX_new();
    hash->used = 0;
    check_memory(hash->context != NULL &&
                 EVP_DigestInit_ex(hash->context, EVP_sha256(), NULL) == 1);
}

static void flush(struct content_hash *hash)
{
    check_memory(EVP_DigestUpdate(hash->context, hash->buffer, hash->used) == 1);
    hash->used = 0;
}

void content_hash_put(struct content_hash *hash, const void *bytes, size_t length)
{
    for (size_t at = 0, part; at < length; at += part) {
        const size_t room = sizeof(hash->buffer) - hash->used;

        part = length - at < room ? length - at : room;
        memcpy(hash->buffer + hash->used, (const uint8_t *)bytes + at, part);
        hash->used += part;
        if (hash->used == sizeof(hash->buffer)) {
            flush(hash);
        }
    }
}

void content_hash_end(struct content_hash *hash, char text[CONTENT_HASH_TEXT])
{
    uint8_t digest[DIGEST_BYTES];

    flush(hash);
    check_memory(EVP_DigestFinal_ex(hash->context, digest, NULL) == 1);
    EVP_MD_CTX_free(hash->context);
    for (size_t i = 0; i < DIGEST_BYTES; i++) {
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    }
}
