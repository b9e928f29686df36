/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/link/seal.h"

#include <stdio.h>
#include <string.h>

#include "kernel/plan/bytes.h"

#define ROUNDS      64
#define LENGTH_AT   (SEAL_BLOCK - 8) /* where the last block has the length in bits */
#define PADDING_BIT 0x80

static uint32_t rotate(uint32_t value, unsigned bits)
{
    return value >> bits | value << (32 - bits);
}

/* Hashes one block (FIPS 180-4 section 6.2.2). */
static void put_block(uint32_t state[8], const uint8_t *block)
{
    static const uint32_t constants[ROUNDS] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
        0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
        0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
        0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
        0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
        0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
        0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
        0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
        0xc67178f2,
    };
    uint32_t words[ROUNDS] = {0};
    uint32_t v[8];

    for (unsigned i = 0; i < ROUNDS; i++) {
        if (i < SEAL_BLOCK / sizeof(words[0])) {
            words[i] = __builtin_bswap32(bytes_get32(block + i * sizeof(words[0])));
            continue;
        }
        const uint32_t early = words[i - 15];
        const uint32_t late = words[i - 2];

        words[i] = words[i - 16] + words[i - 7] +
                   (rotate(early, 7) ^ rotate(early, 18) ^ early >> 3) +
                   (rotate(late, 17) ^ rotate(late, 19) ^ late >> 10);
    }
    memcpy(v, state, sizeof(v));
    for (unsigned i = 0; i < ROUNDS; i++) {
        const uint32_t sum = v[7] + (rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)) +
                             ((v[4] & v[5]) ^ (~v[4] & v[6])) + constants[i] + words[i];
        const uint32_t mixed = (rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)) +
                               ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));

        memmove(v + 1, v, 7 * sizeof(v[0]));
        v[4] += sum;
        v[0] = sum + mixed;
    }
    for (unsigned i = 0; i < 8; i++) {
        state[i] += v[i];
    }
}

void seal_begin(struct seal *seal)
{
    *seal = (struct seal){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                    0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void seal_put(struct seal *seal, const void *bytes, size_t length)
{
    const uint8_t *from = bytes;

    while (length > 0) {
        const size_t used = seal->bytes % SEAL_BLOCK;
        const size_t part = length < SEAL_BLOCK - used ? length : SEAL_BLOCK - used;

        memcpy(seal->block + used, from, part);
        seal->bytes += part;
        from += part;
        length -= part;
        if (seal->bytes % SEAL_BLOCK == 0) {
            put_block(seal->state, seal->block);
        }
    }
}

void seal_text(const struct seal *seal, char text[SEAL_TEXT])
{
    static const uint8_t padding[SEAL_BLOCK] = {PADDING_BIT};
    const uint64_t bits = __builtin_bswap64(seal->bytes * 8);
    const size_t used = seal->bytes % SEAL_BLOCK;
    struct seal end = *seal;

    seal_put(&end, padding, (used < LENGTH_AT ? LENGTH_AT : LENGTH_AT + SEAL_BLOCK) - used);
    seal_put(&end, &bits, sizeof(bits));
    for (unsigned i = 0; i < 8; i++) {
        snprintf(text + 8 * (size_t)i, 9, "%08x", end.state[i]);
    }
}

void seal_run(const struct seal *data, const struct seal *meta, const char *end,
              char text[SEAL_TEXT])
{
    struct seal seal;

    seal_begin(&seal);
    seal_text(data, text);
    seal_put(&seal, text, SEAL_TEXT - 1);
    seal_text(meta, text);
    seal_put(&seal, text, SEAL_TEXT - 1);
    seal_put(&seal, end, strlen(end));
    seal_text(&seal, text);
}
