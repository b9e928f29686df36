/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/codec/trace_codec.h"

#define HEAD          ((uint32_t)sizeof(struct trace_packet))
#define STORED_PREFIX 12u /* bytes before the header of the packet */

uint32_t trace_codec_content(const uint8_t *packet)
{
    const uint64_t bits = codec_get64(packet + offsetof(struct trace_packet, content_bits));

    if (bits / 8 < HEAD) {
        return HEAD;
    }
    return bits / 8 > TRACE_PACKET_BYTES ? TRACE_PACKET_BYTES : (uint32_t)(bits / 8);
}

static size_t encode_stored(const uint8_t *packet, uint32_t index, uint32_t *at, uint8_t *payload,
                            size_t capacity)
{
    const uint32_t content = trace_codec_content(packet);
    const size_t room = capacity - STORED_PREFIX - HEAD;
    const uint32_t taken = content - *at < room ? content - *at : (uint32_t)room;

    payload[0] = CODEC_STORED;
    codec_put(payload + 1, index, 4);
    codec_put(payload + 5, *at, 2);
    codec_put(payload + 7, *at + taken, 2);
    codec_put(payload + 9, 0, 2);
    payload[11] = *at + taken == content ? 1 : 0;
    memcpy(payload + STORED_PREFIX, packet, HEAD);
    memcpy(payload + STORED_PREFIX + HEAD, packet + *at, taken);
    *at += taken;
    return STORED_PREFIX + HEAD + taken;
}

size_t trace_encode(struct trace_codec *codec, const uint8_t *packet, uint32_t index, uint32_t *at,
                    uint8_t *payload, size_t capacity)
{
    (void)codec;
    return encode_stored(packet, index, at, payload, capacity);
}

static bool decode_stored(const uint8_t *payload, size_t length, uint8_t *packet,
                          struct trace_piece *piece)
{
    if (length < STORED_PREFIX + HEAD) {
        return false;
    }
    *piece = (struct trace_piece){.index = codec_get32(payload + 1),
                                  .from = codec_get16(payload + 5),
                                  .to = codec_get16(payload + 7),
                                  .records = codec_get16(payload + 9),
                                  .last = payload[11] == 1};
    if (payload[11] > 1 || piece->from < HEAD || piece->from > piece->to ||
        piece->to > TRACE_PACKET_BYTES || piece->records > TRACE_CODEC_RECORDS_MAX ||
        length - STORED_PREFIX - HEAD != piece->to - piece->from) {
        return false;
    }
    memcpy(packet, payload + STORED_PREFIX, HEAD);
    memcpy(packet + piece->from, payload + STORED_PREFIX + HEAD, piece->to - piece->from);
    return piece->last == (piece->to == trace_codec_content(packet));
}

bool trace_decode(struct trace_codec *codec, const uint8_t *payload, size_t length, uint8_t *packet,
                  struct trace_piece *piece)
{
    (void)codec;
    return length >= 1 && payload[0] == CODEC_STORED &&
           decode_stored(payload, length, packet, piece);
}
