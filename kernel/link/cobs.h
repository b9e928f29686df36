/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Consistent Overhead Byte Stuffing (Cheshire and Baker, IEEE/ACM ToN 7(2), 1999): any bytes become
 * bytes without 00h, at a cost of at most one byte in 254, whatever the data.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Most bytes that `length` bytes can become. */
#define COBS_ENCODED_MAX(length) ((length) + (length) / 254 + 1)

/* Encodes `length` bytes of `in` into `out`, which must hold COBS_ENCODED_MAX(length) bytes and not
 * overlap `in`. Returns the number of bytes written; none of them is 00h. */
size_t cobs_encode(const uint8_t *in, size_t length, uint8_t *out);

/* Decodes `length` bytes of `in` into `out`, which must hold `length` bytes (decoding never grows)
 * and may be `in` itself. Returns the number of bytes written, or -1 where `in` cannot be the
 * output of cobs_encode: a 00h inside, or a code byte that points past the end. */
ptrdiff_t cobs_decode(const uint8_t *in, size_t length, uint8_t *out);
