/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checksums and line encodings: CRC-32C, COBS and base 64.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* CRC-32C (Castagnoli, polynomial 1EDC6F41h reflected, RFC 3720 appendix B.4). Returns the checksum
 * of `length` bytes. Start with `crc` 0; pass an earlier result to continue over more bytes.
 * crc32c(0, "123456789", 9) is E3069283h. */
uint32_t crc32c(uint32_t crc, const void *bytes, size_t length);

/*
 * Consistent Overhead Byte Stuffing (Cheshire and Baker, IEEE/ACM ToN 7(2), 1999) turns any bytes
 * into bytes without 00h. It adds one byte, plus at most one more for each 254 bytes of data.
 */

/* Largest number of bytes that the encoding of `length` bytes can have. */
#define COBS_ENCODED_MAX(length) ((length) + (length) / 254 + 1)

/* Encodes `length` bytes of `in` into `out`, which must hold COBS_ENCODED_MAX(length) bytes and not
 * overlap `in`. Returns the number of bytes written; none of them is 00h. */
size_t cobs_encode(const uint8_t *in, size_t length, uint8_t *out);

/* Decodes `length` bytes of `in` into `out`, which must hold `length` bytes (decoding never grows)
 * and may be `in` itself. Returns the number of bytes written, or -1 if `in` cannot be the output
 * of cobs_encode: it contains 00h, or a code byte points past the end. */
ptrdiff_t cobs_decode(const uint8_t *in, size_t length, uint8_t *out);

/* Base 64 (RFC 4648 section 4, with padding), for lines that pass only text. */

/* Number of characters in the encoding of `length` bytes. */
#define BASE64_ENCODED(length) (((length) + 2) / 3 * 4)

/* Encodes `length` bytes into `out`, which must hold BASE64_ENCODED(length) characters; writes no
 * terminating NUL. Returns the number of characters. */
size_t base64_encode(const uint8_t *in, size_t length, char *out);

/* Decodes `length` characters into `out`, which must hold length / 4 * 3 bytes. Returns the number
 * of bytes, or -1 if `in` is not base 64: its length is not a multiple of 4, it has a character
 * outside the alphabet, or padding that is not at the end. */
ptrdiff_t base64_decode(const char *in, size_t length, uint8_t *out);
