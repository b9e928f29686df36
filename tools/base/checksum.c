/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/checksum.h"

#include <string.h>

#include "kernel/link/encoding.h"

#ifdef __x86_64__
#include <nmmintrin.h>

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
#else
uint32_t checksum_crc32c(uint32_t crc, const void *bytes, size_t length)
{
    return crc32c(crc, bytes, length);
}
#endif
