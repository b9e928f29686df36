/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples and packets folded to a fraction of their bytes, as run files store them. Each block of
 * FOLDED_BLOCK raw bytes, which is a packet or 1024 samples, is folded by itself.
 *
 *     folded    blocks, u64 raw bytes, u32 CRC-32C of the raw bytes, u32 CRC-32C of all before it
 *     block     u16 bytes of its content, content; or u16 0, raw bytes that folding does not lessen
 *     samples   u8 width, u8 shift, i64 base; for each sample that needs more bits: u16 its place,
 *               u64 sample - base; (sample - base) >> shift of each in `width` bits, lowest first
 *     packet    the payloads that a binary log has for it (trace_codec.h), each u16 bytes, payload;
 *               its index is the number of the block
 *
 * Everything is little endian. The same raw bytes always give the same folded bytes.
 */
#pragma once

#include <stdint.h>

#include "tools/base/trace_bytes.h"

struct spool;

#define FOLDED_BLOCK 8192

enum folded_kind { FOLDED_SAMPLES, FOLDED_PACKETS };

/* Folds `raw`, which is whole samples or packets, into `spool`. Returns the folded bytes, which
 * co-own it, or NULL if the bytes cannot be read or the spool cannot be written (spool_error()). */
struct trace_bytes *folded_make(struct trace_bytes *raw, enum folded_kind kind,
                                struct spool *spool);

/* Returns the raw bytes of `folded`, which then belong to the result. Each block is unfolded when
 * it is read, and a malformed one cannot be read. Returns NULL and closes `folded` if a CRC is
 * wrong: its own, or, unless NULL, *raw_crc. */
struct trace_bytes *folded_open(struct trace_bytes *folded, enum folded_kind kind,
                                const uint32_t *raw_crc);
