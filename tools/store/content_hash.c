/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/store/content_hash.h"

#include <cpuid.h>
#include <endian.h>
#include <immintrin.h>
#include <stdio.h>
#include <string.h>

#define BLOCK     64
#define LENGTH_AT 56 /* of the length in the last block */

/* FIPS 180-4, 4.2.2 */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static bool ask_processor(void)
{
    unsigned a, b, c, d;

    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_SSE4_1) != 0 &&
           __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0;
}

/* Asked once: a hypervisor takes microseconds to answer. */
static bool has_instructions(void)
{
    static int has = -1;

    if (has < 0) {
        has = ask_processor();
    }
    return has != 0;
}

/* Orders of lanes, and which words of 16 bits are the second one's. */
#define REVERSED  0x1b
#define SWAPPED   0xb1
#define UPPER     0x0e
#define UPPER_TWO 0xf0

/* Sixteen times four rounds. The instructions have the state as A B E F and C D G H; `w` are the
 * last sixteen words of the message. */
__attribute__((target("sha,sse4.1"))) static void rounds(__m128i *abef, __m128i *cdgh, __m128i w[4])
{
#pragma GCC unroll 16
    for (unsigned i = 0; i < 16; i++) {
        __m128i *word = &w[i % 4];
        const __m128i last = w[(i + 3) % 4];

        if (i >= 4) {
            const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(*word, w[(i + 1) % 4]),
                                              _mm_alignr_epi8(last, w[(i + 2) % 4], 4));

            *word = _mm_sha256msg2_epu32(sum, last);
        }
        const __m128i both =
            _mm_add_epi32(*word, _mm_loadu_si128((const __m128i *)(constants + (size_t)4 * i)));

        *cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, both);
        *abef = _mm_sha256rnds2_epu32(*abef, *cdgh, _mm_shuffle_epi32(both, UPPER));
    }
}

__attribute__((target("sha,sse4.1"))) static void
transform_by_instructions(uint32_t state[8], const uint8_t *bytes, size_t blocks)
{
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    const __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), SWAPPED);
    const __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state + 1), REVERSED);
    __m128i abef = _mm_alignr_epi8(badc, hgfe, 8);
    __m128i cdgh = _mm_blend_epi16(hgfe, badc, UPPER_TWO);
    __m128i w[4];

    for (; blocks > 0; blocks--, bytes += BLOCK) {
        const __m128i abef_before = abef, cdgh_before = cdgh;

        for (size_t i = 0; i < 4; i++) {
            w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)bytes + i), big_endian);
        }
        rounds(&abef, &cdgh, w);
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    const __m128i feba = _mm_shuffle_epi32(abef, REVERSED);
    const __m128i dchg = _mm_shuffle_epi32(cdgh, SWAPPED);

    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, UPPER_TWO));
    _mm_storeu_si128((__m128i *)state + 1, _mm_alignr_epi8(dchg, feba, 8));
}

static void transform(struct content_hash *hash, const uint8_t *bytes, size_t blocks)
{
    if (hash->by_instructions) {
        transform_by_instructions(hash->state, bytes, blocks);
        return;
    }
    for (size_t i = 0; i < blocks; i++) {
        SHA256Transform(hash->state, bytes + i * BLOCK);
    }
}

void content_hash_begin(struct content_hash *hash)
{
    /* FIPS 180-4, 5.3.3 */
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

    memcpy(hash->state, first, sizeof(first));
    hash->length = 0;
    hash->used = 0;
    hash->by_instructions = has_instructions();
}

void content_hash_put(struct content_hash *hash, const void *bytes, size_t length)
{
    hash->length += length;
    for (size_t at = 0, part; at < length; at += part) {
        const size_t room = sizeof(hash->buffer) - hash->used;

        part = length - at < room ? length - at : room;
        memcpy(hash->buffer + hash->used, (const uint8_t *)bytes + at, part);
        hash->used += part;
        if (hash->used == sizeof(hash->buffer)) {
            transform(hash, hash->buffer, sizeof(hash->buffer) / BLOCK);
            hash->used = 0;
        }
    }
}

void content_hash_end(struct content_hash *hash, char text[SHA256_DIGEST_STRING_LENGTH])
{
    static const uint8_t padding[BLOCK] = {0x80};
    const uint64_t bits = htobe64(8 * hash->length);

    content_hash_put(hash, padding, 1 + (2 * BLOCK + LENGTH_AT - 1 - hash->used % BLOCK) % BLOCK);
    content_hash_put(hash, &bits, sizeof(bits));
    transform(hash, hash->buffer, hash->used / BLOCK);
    for (size_t i = 0; i < 8; i++) {
        snprintf(text + 8 * i, 9, "%08x", hash->state[i]);
    }
}
