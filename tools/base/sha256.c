/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/sha256.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#include "tools/base/alloc.h"

#define DIGEST_BYTES ((SHA256_TEXT - 1) / 2)

/* OpenSSL's hash functions fail only if memory has run out, never because of the data. */
static void check_memory(bool done)
{
    if (!done) {
        alloc_checked(NULL);
    }
}

void sha256_begin(struct sha256 *hash)
{
    hash->context = EVP_MD_CTX_new();
    hash->used = 0;
    check_memory(hash->context != NULL &&
                 EVP_DigestInit_ex(hash->context, EVP_sha256(), NULL) == 1);
}

static void flush(struct sha256 *hash)
{
    check_memory(EVP_DigestUpdate(hash->context, hash->buffer, hash->used) == 1);
    hash->used = 0;
}

void sha256_put(struct sha256 *hash, const void *bytes, size_t length)
{
    if (length >= sizeof(hash->buffer)) {
        flush(hash);
        check_memory(EVP_DigestUpdate(hash->context, bytes, length) == 1);
        return;
    }
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

void sha256_end(struct sha256 *hash, char text[SHA256_TEXT])
{
    uint8_t digest[DIGEST_BYTES];

    flush(hash);
    check_memory(EVP_DigestFinal_ex(hash->context, digest, NULL) == 1);
    EVP_MD_CTX_free(hash->context);
    for (size_t i = 0; i < DIGEST_BYTES; i++) {
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    }
}

bool sha256_file(const char *path, char text[SHA256_TEXT])
{
    FILE *file = fopen(path, "re");
    struct sha256 hash;
    char bytes[SHA256_BUFFER];
    size_t length;

    if (file == NULL) {
        return false;
    }
    sha256_begin(&hash);
    while ((length = fread(bytes, 1, sizeof(bytes), file)) > 0) {
        sha256_put(&hash, bytes, length);
    }
    const bool whole = ferror(file) == 0;

    sha256_end(&hash, text);
    fclose(file);
    return whole;
}
