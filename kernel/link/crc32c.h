/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CRC-32C (Castagnoli, polynomial 1EDC6F41h reflected, RFC 3720 appendix B.4).
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Checksum of `length` bytes. Start with `crc` 0; pass an earlier result to continue over more
 * bytes. crc32c(0, "123456789", 9) is E3069283h. */
uint32_t crc32c(uint32_t crc, const void *bytes, size_t length);
