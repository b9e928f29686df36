/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The seal of a run: a SHA-256 (FIPS 180-4) in the record `end` over everything that the image
 * produced. The host computes it again, so that a log put together from two runs, or changed later,
 * is noticed even if each of its frames is intact.
 *
 *     seal      SHA-256 of: data, meta, and the record `end` up to the blank before `seal`
 *     data      SHA-256, as 64 hexadecimal digits, of all series and traces in the order of their
 *               stream numbers, which is the order in which they were produced: the samples of a
 *               series as int64, little endian; the packets of a trace, with zeros after the
 *               content of each packet
 *     meta      SHA-256, as 64 hexadecimal digits, of the text of all META frames in order
 *
 * The record `end` also has the number of the run and the fingerprint of the machine.
 *
 * Pure: compiled for the image and for tests. The host hashes with OpenSSL instead.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SEAL_BLOCK 64
#define SEAL_TEXT  65 /* hexadecimal digits and the terminating NUL */

/* State of a SHA-256. */
struct seal {
    uint32_t state[8];
    uint64_t bytes; /* number of bytes so far; those after the last whole block are in `block` */
    uint8_t block[SEAL_BLOCK];
};

/* The three functions below compute one hash. */
void seal_begin(struct seal *seal);
void seal_put(struct seal *seal, const void *bytes, size_t length);
/* Writes the hash of everything so far as hexadecimal digits. More may be added afterwards. */
void seal_text(const struct seal *seal, char text[SEAL_TEXT]);

/* Writes the seal of a run whose series and traces are in `data`, and whose text is in `meta`.
 * `end` is its record `end` up to the blank before `seal`. */
void seal_run(const struct seal *data, const struct seal *meta, const char *end,
              char text[SEAL_TEXT]);
