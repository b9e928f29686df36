/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The residual codec: a series of integers as zigzag varints of (sample - nominal).
 *
 *     payload   u32 index of the first sample, little endian; then one varint a sample
 *
 * Most samples of a calibrated loop lie within 63 ticks of nominal and take one byte; 1.2 bytes a
 * sample on an idle trace whose entropy is 0.92. Each payload decodes by itself, so a lost frame
 * loses the samples it carried, and which ones is known.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Payload bytes before the first varint. */
#define RESIDUAL_PREFIX 4

/* Encodes samples[first..count) until `capacity` bytes are full (capacity >= RESIDUAL_PREFIX +
 * VARINT_MAX). Returns the bytes written; *taken is the number of samples in them. */
size_t residual_encode(const int64_t *samples, size_t first, size_t count, int64_t nominal,
                       uint8_t *payload, size_t capacity, size_t *taken);

/* Decodes a payload. *first becomes the index of its first sample; samples go to `out`, at most
 * `capacity` of them (length - RESIDUAL_PREFIX always suffices). Returns their number, or -1 where
 * the payload is malformed: too short, a varint cut off or above 64 bits, more than `capacity`. */
ptrdiff_t residual_decode(const uint8_t *payload, size_t length, int64_t nominal, uint32_t *first,
                          int64_t *out, size_t capacity);

/* A nominal value that keeps the code short: the median of up to 255 samples taken evenly.
 * 0 for an empty series. */
int64_t residual_nominal(const int64_t *samples, size_t count);
