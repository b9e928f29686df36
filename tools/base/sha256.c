/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/sha256.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define BLOCK  64
#define ROUNDS 64

/* Section 4.2.2: of the first 64 primes' cube roots the first 32 bits behind the point. */
static const uint32_t constants[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t word, unsigned bits)
{
    return word >> bits | word << (32 - bits);
}

/* Section 6.2.2, step 1. */
static void expand(const uint8_t *block, uint32_t words[ROUNDS])
{
    for (unsigned i = 0; i < 16; i++, block += 4) {
        words[i] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 |
                   block[3];
    }
    for (unsigned i = 16; i < ROUNDS; i++) {
        const uint32_t early = words[i - 15];
        const uint32_t late = words[i - 2];

        words[i] = words[i - 16] + (rotate(early, 7) ^ rotate(early, 18) ^ early >> 3) +
                   words[i - 7] + (rotate(late, 17) ^ rotate(late, 19) ^ late >> 10);
    }
}

/* Steps 2 to 4. */
static void take_block(struct sha256 *sha256, const uint8_t *block)
{
    uint32_t words[ROUNDS];
    uint32_t v[8];

    expand(block, words);
    memcpy(v, sha256->state, sizeof(v));
    for (unsigned i = 0; i < ROUNDS; i++) {
        const uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        const uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        const uint32_t first = v[7] + (rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)) +
                               choice + constants[i] + words[i];
        const uint32_t second = (rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)) + majority;

        memmove(v + 1, v, 7 * sizeof(v[0]));
        v[4] += first;
        v[0] = first + second;
    }
    for (unsigned i = 0; i < 8; i++) {
        sha256->state[i] += v[i];
    }
}

void sha256_begin(struct sha256 *sha256)
{
    *sha256 = (struct sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                        0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(struct sha256 *sha256, const void *bytes, size_t length)
{
    const uint8_t *from = bytes;

    while (length > 0) {
        const size_t used = sha256->length % BLOCK;
        const size_t part = length < BLOCK - used ? length : BLOCK - used;

        memcpy(sha256->block + used, from, part);
        sha256->length += part;
        from += part;
        length -= part;
        if (used + part == BLOCK) {
            take_block(sha256, sha256->block);
        }
    }
}

/* Section 5.1.1: a bit, zeros, and the length in bits fill the last block. */
void sha256_end(struct sha256 *sha256, char text[SHA256_TEXT_SIZE])
{
    static const uint8_t padding[BLOCK] = {0x80};
    const uint64_t bits = sha256->length * 8;
    uint8_t length[8];

    for (unsigned i = 0; i < sizeof(length); i++) {
        length[i] = (uint8_t)(bits >> (56 - 8 * i));
    }
    sha256_add(sha256, padding, 1 + (BLOCK * 2 - 1 - 8 - sha256->length % BLOCK) % BLOCK);
    sha256_add(sha256, length, sizeof(length));
    for (unsigned i = 0; i < 8; i++) {
        snprintf(text + (size_t)8 * i, 9, "%08x", sha256->state[i]);
    }
}

bool sha256_of_file(const char *path, char text[SHA256_TEXT_SIZE])
{
    uint8_t bytes[16384];
    struct sha256 sha256;
    size_t length;
    FILE *file = fopen(path, "rb");

    if (file == NULL) {
        return false;
    }
    sha256_begin(&sha256);
    while ((length = fread(bytes, 1, sizeof(bytes), file)) > 0) {
        sha256_add(&sha256, bytes, length);
    }
    const bool ok = !ferror(file);
    const int reason = errno;

    fclose(file);
    errno = reason;
    sha256_end(&sha256, text);
    return ok;
}
