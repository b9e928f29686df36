/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32C of large data, computed with the processor's instruction for it if there is one. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Continues from `crc`, which is 0 at the start. Returns the same value as crc32c()
 * (kernel/link/crc32c.h), but is 40 times faster (SSE 4.2). */
uint32_t checksum_crc32c(uint32_t crc, const void *bytes, size_t length);
