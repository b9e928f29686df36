/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: folded samples and packets. Bit 0 of the first byte: packets. Bit 1: the rest is raw
 * bytes, which are folded and must come back; otherwise it is blocks, whose bytes at the end are
 * made here, so that their CRC is right: they are read within bounds or not at all. The second byte
 * is the raw length that these claim, in samples or packets.
 */
#include <string.h>

#include "kernel/plan/bytes.h"
#include "tools/base/checksum.h"
#include "tools/base/spool.h"
#include "tools/store/folded.h"
#include "tools/tests/support/demand.h"

#define TAIL 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(struct trace_bytes *bytes)
{
    uint8_t block[1000];

    for (uint64_t at = 0; bytes != NULL && at < bytes->length; at += sizeof(block)) {
        const uint64_t left = bytes->length - at;

        bytes->read(bytes, at, block, left < sizeof(block) ? left : sizeof(block));
    }
    trace_bytes_close(bytes);
}

static void unfold(const uint8_t *data, size_t size, enum folded_kind kind, uint64_t units)
{
    uint8_t *folded = malloc(size + TAIL);

    memcpy(folded, data, size);
    bytes_put64(folded + size, units * (kind == FOLDED_SAMPLES ? sizeof(int64_t) : FOLDED_BLOCK));
    bytes_put32(folded + size + 8, 0);
    bytes_put32(folded + size + 12, checksum_crc32c(0, folded, size + 12));
    read_all(folded_open(trace_bytes_memory(folded, size + TAIL), kind, NULL));
    read_all(folded_open(trace_bytes_memory(data, size), kind, NULL));
    free(folded);
}

static void fold(const uint8_t *data, size_t size, enum folded_kind kind)
{
    const size_t unit = kind == FOLDED_SAMPLES ? sizeof(int64_t) : FOLDED_BLOCK;
    const size_t length = (size + unit - 1) / unit * unit;
    uint8_t *raw = calloc(1, length + 1);
    uint8_t *back = malloc(length + 1);
    struct spool *spool = spool_create();

    memcpy(raw, data, size);
    struct trace_bytes *bytes = trace_bytes_memory(raw, length);
    const uint32_t crc = checksum_crc32c(0, raw, length);
    struct trace_bytes *unfolded = folded_open(folded_make(bytes, kind, spool), kind, &crc);

    demand(unfolded != NULL && unfolded->length == length);
    demand(unfolded->read(unfolded, 0, back, length) && memcmp(back, raw, length) == 0);
    trace_bytes_close(unfolded);
    trace_bytes_close(bytes);
    spool_release(spool);
    free(back);
    free(raw);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    const enum folded_kind kind = (data[0] & 1) != 0 ? FOLDED_PACKETS : FOLDED_SAMPLES;

    if ((data[0] & 2) != 0) {
        fold(data + 2, size - 2, kind);
    } else {
        unfold(data + 2, size - 2, kind, data[1] * (kind == FOLDED_SAMPLES ? 9u : 1u));
    }
    return 0;
}
