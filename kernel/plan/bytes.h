/* SPDX-License-Identifier: BSD-2-Clause */
/* Little-endian numbers at any address, as tables, disks and frames hold them; and a hash of bytes.
 * Pure: compiled for the image and for the host. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the number stored in `size` bytes (at most 8). */
static inline uint64_t bytes_get(const uint8_t *at, size_t size)
{
    uint64_t value = 0;

    for (size_t i = 0; i < size; i++) {
        value |= (uint64_t)at[i] << (8 * i);
    }
    return value;
}

/* Returns whether the bytes add up to 0, as firmware's tables do. */
static inline bool bytes_sum_is_zero(const uint8_t *bytes, size_t length)
{
    uint8_t sum = 0;

    for (size_t i = 0; i < length; i++) {
        sum = (uint8_t)(sum + bytes[i]);
    }
    return sum == 0;
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

/* Returns the 64-bit FNV-1a hash (Fowler, Noll, Vo) of the bytes, continued from `hash`. Start with
 * BYTES_HASH_BEGIN. */
static inline uint64_t bytes_hash(uint64_t hash, const void *bytes, size_t size)
{
    const uint8_t *at = (const uint8_t *)bytes;

    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ at[i]) * 0x100000001b3u;
    }
    return hash;
}
