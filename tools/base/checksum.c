/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/checksum.h"

#include <nmmintrin.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#include "kernel/link/encoding.h"
#include "tools/base/alloc.h"

#define DIGEST_BYTES ((SHA256_TEXT - 1) / 2)

__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t crc, const uint8_t *bytes,
                                                                 size_t length)
{
    uint64_t value = (uint32_t)~crc;
    size_t at = 0;

    for (; length - at >= sizeof(uint64_t); at += sizeof(uint64_t)) {
        uint64_t word;

        memcpy(&word, bytes + at, sizeof(word));
        value = _mm_crc32_u64(value, word);
    }
    for (; at < length; at++) {
        value = _mm_crc32_u8((uint32_t)value, bytes[at]);
    }
    return ~(uint32_t)value;
}

uint32_t checksum_crc32c(uint32_t crc, const void *bytes, size_t length)
{
    return __builtin_cpu_supports("sse4.2") ? by_instruction(crc, bytes, length)
                                            : crc32c(crc, bytes, length);
}

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
