/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/store/folded.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/link/coded.h"
#include "kernel/link/frame.h"
#include "kernel/link/trace_codec.h"
#include "kernel/plan/bytes.h"
#include "tools/base/alloc.h"
#include "tools/base/checksum.h"
#include "tools/base/spool.h"

#define TAIL        16u         /* bytes after the blocks */
#define CRC_OF_ALL  0x48674bc7u /* CRC-32C of any bytes followed by their own CRC-32C */
#define SAMPLES     (FOLDED_BLOCK / sizeof(int64_t))
#define HEAD        10u /* bytes in front of the samples of a block */
#define WIDTH_MAX   56u /* its bits lie in 8 bytes, wherever they begin */
#define PATCH       10u /* bytes of a sample that is wider than the others */
#define FOLDED_ROOM (HEAD + SAMPLES * (sizeof(uint64_t) + PATCH) + 8) /* most bytes of a block */
#define PAYLOAD_MAX (FRAME_PAYLOAD_MAX - CODED_TAG_BYTES) /* what a binary frame holds */

_Static_assert(FOLDED_BLOCK == TRACE_PACKET_BYTES, "a block is a packet");

static struct trace_codec codec; /* keeps nothing from one call to the next */

/* Returns the number of bits with which the values take the fewest bytes. */
static unsigned choose_bits(const uint64_t *values, size_t n)
{
    size_t counts[2][65] = {{0}}; /* of values by their bits; two tables are counted at once */
    size_t least = SIZE_MAX, outside = n;
    unsigned chosen = 0;

    for (size_t i = 0; i < n; i++) {
        counts[i % 2][64 - __builtin_clzll(values[i] | 1)]++;
    }
    for (unsigned bits = 1; bits <= 64; bits++) {
        outside -= counts[0][bits] + counts[1][bits];
        const size_t cost = n * bits + outside * 8 * PATCH;

        chosen = cost < least ? bits : chosen;
        least = cost < least ? cost : least;
    }
    return chosen;
}

static size_t fold_samples(const uint8_t *raw, size_t n, uint8_t *out)
{
    uint64_t values[SAMPLES];
    uint64_t all = 0, pending = 0;
    int64_t base = INT64_MAX;
    unsigned held = 0;
    uint8_t *at = out + HEAD;

    for (size_t i = 0; i < n; i++) {
        const int64_t sample = (int64_t)bytes_get64(raw + i * sizeof(sample));

        base = sample < base ? sample : base;
    }
    for (size_t i = 0; i < n; i++) {
        values[i] = bytes_get64(raw + i * sizeof(base)) - (uint64_t)base;
    }
    const unsigned last_bit = choose_bits(values, n) - 1;

    for (size_t i = 0; i < n; i++) {
        if (values[i] >> last_bit > 1) {
            bytes_put(at, i, 2);
            bytes_put64(at + 2, values[i]);
            at += PATCH;
        } else {
            all |= values[i];
        }
    }
    const unsigned shift = all != 0 ? (unsigned)__builtin_ctzll(all) : 0;
    const unsigned width = all != 0 ? last_bit + 1 - shift : 0;

    if (width > WIDTH_MAX) {
        return n * sizeof(*values);
    }
    out[0] = (uint8_t)width;
    out[1] = (uint8_t)shift;
    bytes_put64(out + 2, (uint64_t)base);
    for (size_t i = 0; i < n; i++) {
        pending |= (values[i] >> shift & ((UINT64_C(1) << width) - 1)) << held;
        held += width;
        bytes_put64(at, pending);
        at += held / 8;
        pending >>= held & ~7u;
        held %= 8;
    }
    return (size_t)(at - out) + (held + 7) / 8;
}

/* At least 8 bytes after `length` must be readable. */
static bool unfold_samples(const uint8_t *in, size_t length, uint8_t *raw, size_t n)
{
    const unsigned width = in[0], shift = in[1];
    const uint64_t base = bytes_get64(in + 2);
    const size_t packed = (n * width + 7) / 8;

    if (width > WIDTH_MAX || shift >= 64 || length < HEAD + packed ||
        (length - HEAD - packed) % PATCH != 0) {
        return false;
    }
    for (size_t i = 0, bit = (length - packed) * 8; i < n; i++, bit += width) {
        const uint64_t value = bytes_get64(in + bit / 8) >> bit % 8 & ((UINT64_C(1) << width) - 1);

        bytes_put64(raw + i * sizeof(base), base + (value << shift));
    }
    for (const uint8_t *at = in + HEAD; at < in + length - packed; at += PATCH) {
        if (bytes_get16(at) >= n) {
            return false;
        }
        bytes_put64(raw + bytes_get16(at) * sizeof(base), base + bytes_get64(at + 2));
    }
    return true;
}

/* The codec does not keep what is after the content: a packet with anything there stays raw. */
static size_t fold_packet(struct trace_bytes *source, const uint8_t *raw, uint32_t index,
                          uint8_t *out)
{
    static const uint8_t zeros[FOLDED_BLOCK];
    const uint32_t content = trace_codec_content(raw);
    uint32_t at = sizeof(struct trace_packet);
    size_t used = source->payload != NULL ? source->payload(source, index, out + 2) : 0;

    if (used > 0) { /* the very payload that is made below */
        bytes_put(out, used, 2);
        return 2 + used;
    }
    if (memcmp(raw + content, zeros, FOLDED_BLOCK - content) != 0) {
        return FOLDED_BLOCK;
    }
    do {
        const size_t size = trace_encode(&codec, raw, index, &at, out + used + 2, PAYLOAD_MAX);

        bytes_put(out + used, size, 2);
        used += 2 + size;
    } while (at < content && used < FOLDED_BLOCK);
    return at < content ? FOLDED_BLOCK : used;
}

static bool unfold_packet(const uint8_t *in, size_t length, uint8_t *raw, uint32_t index)
{
    struct trace_piece piece = {.to = sizeof(struct trace_packet)};

    memset(raw, 0, FOLDED_BLOCK);
    for (size_t size; !piece.last; in += size, length -= size) {
        const uint32_t from = piece.to;

        size = length > 2 ? 2u + bytes_get16(in) : SIZE_MAX;
        if (size > length || !trace_decode(&codec, in + 2, size - 2, raw, &piece) ||
            piece.index != index || piece.from != from) {
            return false;
        }
    }
    return length == 0;
}

/* ---- folding ---- */

/* Writes a block. Returns its bytes. */
static size_t fold(struct trace_bytes *source, enum folded_kind kind, const uint8_t *raw,
                   size_t length, uint64_t index, uint8_t out[2 + FOLDED_ROOM])
{
    const size_t size = kind == FOLDED_SAMPLES
                            ? fold_samples(raw, length / sizeof(int64_t), out + 2)
                            : fold_packet(source, raw, (uint32_t)index, out + 2);

    bytes_put(out, size < length ? size : 0, 2);
    if (size < length) {
        return 2 + size;
    }
    memcpy(out + 2, raw, length);
    return 2 + length;
}

/* Appends to the last extent of the spool, and to its CRC. */
static bool append(struct spool *spool, const void *bytes, size_t size, struct spool_extent *extent,
                   uint32_t *crc)
{
    uint64_t at = 0;
    const bool ok = spool_append(spool, bytes, size, &at);

    extent->length += size;
    extent->at = at + size - extent->length;
    *crc = checksum_crc32c(*crc, bytes, size);
    return ok;
}

struct trace_bytes *folded_make(struct trace_bytes *raw, enum folded_kind kind, struct spool *spool)
{
    uint8_t block[FOLDED_BLOCK];
    uint8_t out[2 + FOLDED_ROOM];
    struct spool_extent extent = {0};
    uint32_t crc = 0, raw_crc = 0;
    bool ok = true;

    for (uint64_t at = 0, part; at < raw->length && ok; at += part) {
        part = raw->length - at < FOLDED_BLOCK ? raw->length - at : FOLDED_BLOCK;
        ok =
            raw->read(raw, at, block, part) &&
            append(spool, out, fold(raw, kind, block, part, at / FOLDED_BLOCK, out), &extent, &crc);
        raw_crc = checksum_crc32c(raw_crc, block, part);
    }
    bytes_put64(out, raw->length);
    bytes_put32(out + 8, raw_crc);
    bytes_put32(out + 12, checksum_crc32c(crc, out, TAIL - 4));
    return ok && append(spool, out, TAIL, &extent, &crc) ? spool_bytes(spool, &extent, 1) : NULL;
}

/* ---- unfolding ---- */

struct unfolded {
    struct trace_bytes bytes;
    struct trace_bytes *folded;
    enum folded_kind kind;
    uint64_t *places; /* where each block begins, and where the last one ends */
    size_t count, capacity;
    uint64_t held; /* 1 + number of the block in `raw`; 0: none */
    uint8_t raw[FOLDED_BLOCK];
};

static size_t block_length(const struct unfolded *unfolded, uint64_t index)
{
    const uint64_t left = unfolded->bytes.length - index * FOLDED_BLOCK;

    return left < FOLDED_BLOCK ? (size_t)left : FOLDED_BLOCK;
}

/* Makes `raw` the block. */
static bool unfold(struct unfolded *unfolded, uint64_t index)
{
    uint8_t in[2 + FOLDED_BLOCK + sizeof(uint64_t)] = {0};
    const uint64_t at = unfolded->places[index];
    const size_t size = (size_t)(unfolded->places[index + 1] - at - 2);
    const size_t length = block_length(unfolded, index);
    bool ok = unfolded->folded->read(unfolded->folded, at, in, 2 + size);

    if (bytes_get16(in) == 0) {
        memcpy(unfolded->raw, in + 2, length);
    } else if (unfolded->kind == FOLDED_SAMPLES) {
        ok = ok && unfold_samples(in + 2, size, unfolded->raw, length / sizeof(int64_t));
    } else {
        ok = ok && unfold_packet(in + 2, size, unfolded->raw, (uint32_t)index);
    }
    unfolded->held = ok ? index + 1 : 0;
    return ok;
}

static bool unfolded_read(struct trace_bytes *bytes, uint64_t offset, void *to, size_t size)
{
    struct unfolded *unfolded = (struct unfolded *)bytes;

    if (offset > bytes->length || size > bytes->length - offset) {
        return false;
    }
    for (size_t done = 0, part; done < size; done += part) {
        const uint64_t index = (offset + done) / FOLDED_BLOCK;
        const size_t from = (offset + done) % FOLDED_BLOCK;

        part = size - done < FOLDED_BLOCK - from ? size - done : FOLDED_BLOCK - from;
        if (unfolded->held != index + 1 && !unfold(unfolded, index)) {
            return false;
        }
        memcpy((char *)to + done, unfolded->raw + from, part);
    }
    return true;
}

static void unfolded_close(struct trace_bytes *bytes)
{
    struct unfolded *unfolded = (struct unfolded *)bytes;

    trace_bytes_close(unfolded->folded);
    free(unfolded->places);
    free(unfolded);
}

/* Checks the CRCs and finds the blocks. A length that is only claimed takes no memory. */
static bool find_blocks(struct unfolded *unfolded, const uint32_t *raw_crc)
{
    struct trace_bytes *folded = unfolded->folded;
    const uint64_t end = folded->length - TAIL;
    const unsigned unit = unfolded->kind == FOLDED_SAMPLES ? sizeof(int64_t) : FOLDED_BLOCK;
    uint8_t tail[TAIL];
    uint32_t crc;
    bool ok = folded->length >= TAIL && trace_bytes_crc(folded, &crc) && crc == CRC_OF_ALL &&
              folded->read(folded, end, tail, TAIL) && bytes_get64(tail) % unit == 0 &&
              (raw_crc == NULL || bytes_get32(tail + 8) == *raw_crc);
    uint64_t at = 0;

    unfolded->bytes.length = ok ? bytes_get64(tail) : 0;
    for (uint64_t i = 0; ok && i * FOLDED_BLOCK < unfolded->bytes.length; i++) {
        *ALLOC_NEXT(unfolded->places, unfolded->count, unfolded->capacity) = at;
        ok = end - at >= 2 && folded->read(folded, at, tail, 2);
        const size_t size = ok ? bytes_get16(tail) : 0;

        at += 2 + (size != 0 ? size : block_length(unfolded, i));
        ok = ok && size < FOLDED_BLOCK && at <= end;
    }
    *ALLOC_NEXT(unfolded->places, unfolded->count, unfolded->capacity) = at;
    return ok && at == end;
}

struct trace_bytes *folded_open(struct trace_bytes *folded, enum folded_kind kind,
                                const uint32_t *raw_crc)
{
    struct unfolded *unfolded = alloc_zeroed(sizeof(*unfolded));

    unfolded->bytes = (struct trace_bytes){.read = unfolded_read, .close = unfolded_close};
    unfolded->folded = folded;
    unfolded->kind = kind;
    if (find_blocks(unfolded, raw_crc)) {
        return &unfolded->bytes;
    }
    unfolded_close(&unfolded->bytes);
    return NULL;
}
