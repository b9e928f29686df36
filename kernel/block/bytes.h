/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers in little endian, at any address, as tables of disks hold them. Pure. */
#pragma once

#include <stdint.h>

static inline uint32_t bytes_read32(const uint8_t *at)
{
    uint32_t value;

    __builtin_memcpy(&value, at, sizeof(value));
    return value;
}

static inline uint64_t bytes_read64(const uint8_t *at)
{
    uint64_t value;

    __builtin_memcpy(&value, at, sizeof(value));
    return value;
}
