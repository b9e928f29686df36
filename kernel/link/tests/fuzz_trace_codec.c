/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: packets of traces. The lower two bits of the first byte: 0: the rest is a payload,
 * which decodes within bounds or not at all. 1: it makes records, 2: it is the content, 3: it is
 * the whole packet, which are encoded and must come back; bits 2-7 are the capacity in units of 16
 * bytes, beyond the least.
 */
#include <string.h>

#include "kernel/link/tests/packet_maker.h"
#include "kernel/link/trace_codec.h"
#include "tools/tests/support/demand.h"
#include "tools/tests/support/fuzz_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct trace_codec codec;
static struct packet_maker maker;
static uint8_t decoded[TRACE_PACKET_BYTES];

static void decode(const uint8_t *data, size_t size)
{
    struct trace_piece piece;

    if (trace_decode(&codec, data, size, decoded, &piece)) {
        demand(piece.from >= sizeof(struct trace_packet) && piece.from <= piece.to);
        demand(piece.to <= TRACE_PACKET_BYTES && piece.records <= TRACE_CODEC_RECORDS_MAX);
        demand(piece.last == (piece.to == trace_codec_content(decoded)));
    }
}

static void make_records(struct bytes bytes)
{
    uint64_t stamp = take_many(&bytes, 8);
    uint64_t values[5] = {0};
    bool fits = true;

    packet_maker_begin(&maker, stamp);
    while (fits && bytes.left > 0) {
        const uint8_t first = take(&bytes);
        const unsigned id = first % PACKET_MAKER_IDS;

        stamp += first < 128 ? 64 : take_number(&bytes);
        for (unsigned i = 0; i < 5 && first % 3 != 0; i++) {
            values[i] = first % 3 == 1 ? take_number(&bytes) : values[i] + 1;
        }
        fits = !packet_maker_events[id].known || packet_maker_add(&maker, id, stamp, values);
    }
    packet_maker_end(&maker, take_many(&bytes, 8));
}

static void make_content(struct bytes bytes)
{
    packet_maker_begin(&maker, take_many(&bytes, 8));
    const size_t room = sizeof(maker.bytes) - maker.used;
    const size_t length = bytes.left < room ? bytes.left : room;

    memcpy(maker.bytes + maker.used, bytes.at, length);
    maker.used += (uint32_t)length;
    packet_maker_end(&maker, maker.stamp);
}

static void encode(uint32_t index, size_t capacity)
{
    uint8_t *payload = malloc(capacity);
    const uint32_t content = trace_codec_content(maker.bytes);
    uint32_t at = sizeof(struct trace_packet);
    struct trace_piece piece;

    do {
        const uint32_t from = at;
        const size_t length = trace_encode(&codec, maker.bytes, index, &at, payload, capacity);

        demand(length > 0 && length <= capacity && (at > from || from == content));
        demand(trace_decode(&codec, payload, length, decoded, &piece));
        demand(piece.index == index && piece.from == from && piece.to == at);
        demand(piece.last == (at == content));
    } while (at < content);
    demand(memcmp(decoded, maker.bytes, content) == 0);
    free(payload);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    const struct bytes bytes = {data + 1, size - 1};

    switch (data[0] % 4) {
    case 0:
        decode(bytes.at, bytes.left);
        return 0;
    case 1:
        make_records(bytes);
        break;
    case 2:
        make_content(bytes);
        break;
    default:
        memset(maker.bytes, 0, sizeof(maker.bytes));
        memcpy(maker.bytes, bytes.at,
               bytes.left < sizeof(maker.bytes) ? bytes.left : sizeof(maker.bytes));
        break;
    }
    encode((uint32_t)size, CODEC_CAPACITY_MIN + data[0] / 4 * 16u);
    return 0;
}
