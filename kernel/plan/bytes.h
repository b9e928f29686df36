/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers in little endian at any address, as tables, disks and frames hold them; and a hash of
 * bytes. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Of `size` bytes, up to 8. */
static inline uint64_t bytes_get(const uint8_t *at, size_t size)
{
    uint64_t value = 0;

    for (size_t i = 0; i < size; i++) {
        value |= (uint64_t)at[i] << (8 * i);
    }
    return value;
}

static inline uint16_t bytes_get16(const uint8_t *at)
{
    uint16_t value;

    __builtin_memcpy(&value, at, sizeof(value));
    return value;
}

static inline uint32_t bytes_get32(const uint8_t *at)
{
    uint32_t value;

    __builtin_memcpy(&value, at, sizeof(value));
    return value;
}

static inline uint64_t bytes_get64(const uint8_t *at)
{
    uint64_t value;

    __builtin_memcpy(&value, at, sizeof(value));
    return value;
}

static inline void bytes_put(uint8_t *at, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

static inline void bytes_put32(uint8_t *at, uint32_t value)
{
    __builtin_memcpy(at, &value, sizeof(value));
}

static inline void bytes_put64(uint8_t *at, uint64_t value)
{
    __builtin_memcpy(at, &value, sizeof(value));
}

#define BYTES_HASH_BEGIN 0xcbf29ce484222325u

/* FNV-1a (Fowler, Noll, Vo) of 64 bits. Continues from `hash`: at first BYTES_HASH_BEGIN. */
static inline uint64_t bytes_hash(uint64_t hash, const void *bytes, size_t size)
{
    const uint8_t *at = (const uint8_t *)bytes;

    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ at[i]) * 0x100000001b3u;
    }
    return hash;
}
