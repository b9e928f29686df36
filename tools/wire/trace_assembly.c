/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/wire/trace_assembly.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/coded.h"
#include "kernel/link/frame.h"
#include "kernel/link/names.h"
#include "kernel/link/trace_codec.h"
#include "kernel/trace/packet.h"
#include "tools/base/alloc.h"
#include "tools/base/trace_bytes.h"

#define HOLES_NAMED 8 /* holes listed in a line of losses; of further ones only the number */
#define HOLES_TEXT  256

/* A frame holds at least one byte of a packet. */
#define PACKET_FRAMES_MAX TRACE_PACKET_BYTES

bool claim_number(const struct record *record, const char *key, uint32_t *number)
{
    uint64_t value = 0;
    const bool fits = record_value_up_to(record, key, UINT32_MAX, &value);

    *number = (uint32_t)value;
    return fits;
}

bool claim_stream(const struct record *record, const char *key, uint16_t *stream)
{
    uint64_t value = 0;
    const bool fits = record_value_up_to(record, key, UINT16_MAX, &value);

    *stream = (uint16_t)value;
    return fits && value > 0;
}

bool trace_claim_read(const struct record *record, struct trace_claim *claim)
{
    uint64_t packet_bytes;

    if (!claim_stream(record, FIELD_STREAM, &claim->stream) ||
        !claim_number(record, FIELD_FRAMES, &claim->frames) ||
        !record_value_unsigned(record, FIELD_PACKET_BYTES, &packet_bytes) ||
        !record_value_unsigned(record, FIELD_BYTES, &claim->bytes) ||
        packet_bytes != TRACE_PACKET_BYTES || claim->bytes % TRACE_PACKET_BYTES != 0 ||
        !claim_number(record, FIELD_CONTENT_CRC, &claim->crc)) {
        return false;
    }
    const uint64_t packets = claim->bytes / TRACE_PACKET_BYTES;

    return claim->frames >= packets && claim->frames / PACKET_FRAMES_MAX <= packets;
}

/* Progress of the assembly of one trace. */
struct builder {
    const struct trace_claim *claim;
    struct spool_extent *extents;
    size_t extent_count, extent_capacity;
    uint64_t held; /* bytes of complete packets */
    /* The payload of each of them that came in one frame; of others the length is 0. */
    struct spool_extent *payloads;
    size_t payload_count, payload_capacity;
    char holes[HOLES_TEXT];
    size_t holes_length;
    size_t hole_count;
};

/* Adds the missing frames [from, to). */
static void add_hole(struct builder *builder, uint64_t from, uint64_t to)
{
    char *text = builder->holes + builder->holes_length;
    const size_t room = sizeof(builder->holes) - builder->holes_length;
    const char *comma = builder->hole_count > 0 ? ", " : "";

    if (from == to || builder->hole_count++ >= HOLES_NAMED) {
        return;
    }
    builder->holes_length +=
        (size_t)(to - from == 1
                     ? snprintf(text, room, "%s%" PRIu64, comma, from)
                     : snprintf(text, room, "%s%" PRIu64 "..%" PRIu64, comma, from, to - 1));
}

static void add_extent(struct builder *builder, uint64_t at, uint64_t length)
{
    struct spool_extent *last =
        builder->extent_count > 0 ? &builder->extents[builder->extent_count - 1] : NULL;

    builder->held += length;
    if (last != NULL && last->at + last->length == at) {
        last->length += length;
        return;
    }
    *ALLOC_NEXT(builder->extents, builder->extent_count, builder->extent_capacity) =
        (struct spool_extent){at, length};
}

static void name_lost_packets(const struct builder *builder, struct run *run, const char *name)
{
    const uint64_t packets = builder->claim->bytes / TRACE_PACKET_BYTES;
    char more[48] = "";

    if (builder->hole_count == 0) {
        return;
    }
    if (builder->hole_count > HOLES_NAMED) {
        snprintf(more, sizeof(more), " and %zu more holes", builder->hole_count - HOLES_NAMED);
    }
    run_add_loss(run, "%s: %" PRIu64 " of %" PRIu64 " packets lost (frames %s%s)", name,
                 packets - builder->held / TRACE_PACKET_BYTES, packets, builder->holes, more);
}

/* Checks the CRC of a complete trace. */
static void check_crc(struct run *run, struct run_trace *trace, const char *name, uint32_t claimed)
{
    uint32_t crc;
    const bool readable = trace_bytes_crc(trace->packets, &crc);

    if (readable && crc == claimed) {
        return;
    }
    run_add_loss(run, "%s: %s: all left out", name,
                 readable ? "CRC of the packets is wrong" : "the packets cannot be read back");
    trace_bytes_close(trace->packets);
    trace->packets = trace_bytes_memory(NULL, 0);
}

/* The packet that is being assembled. */
struct packet {
    uint8_t bytes[TRACE_PACKET_BYTES];
    uint32_t index;
    uint32_t at; /* offset of the next bytes in the packet */
    bool whole;  /* no byte before `at` is missing */
    bool ended;  /* `at` is the end of the packet */
};

/* Decoder state for the frames of a trace. */
struct unpacking {
    struct trace_codec codec;
    struct packet packet;
    uint8_t decoded[TRACE_PACKET_BYTES];
    struct trace_piece piece; /* place in `decoded` of the current frame's piece */
    uint64_t next;            /* frames before this one are handled */
    bool full;                /* the spool takes no more */
};

static bool decode_frame(struct unpacking *unpacking, const struct builder *builder,
                         struct spool *spool, const struct trace_frame *frame)
{
    uint8_t payload[FRAME_PAYLOAD_MAX];

    return frame->seq < builder->claim->frames && frame->length > CODED_TAG_BYTES &&
           spool_read(spool, frame->at, payload, frame->length) &&
           trace_decode(&unpacking->codec, payload + CODED_TAG_BYTES,
                        frame->length - CODED_TAG_BYTES, unpacking->decoded, &unpacking->piece);
}

/* Returns whether the piece can follow the current packet. If no frame between them is lost, the
 * piece must follow without a gap. */
static bool follows(const struct unpacking *unpacking, const struct builder *builder, bool lost)
{
    const struct trace_piece *piece = &unpacking->piece;
    const struct packet *packet = &unpacking->packet;
    const uint32_t next = packet->index + (packet->ended ? 1 : 0);
    const uint32_t from = packet->ended ? sizeof(struct trace_packet) : packet->at;

    if (piece->index >= builder->claim->bytes / TRACE_PACKET_BYTES || piece->index < next) {
        return false;
    }
    return lost || (piece->index == next && piece->from == from);
}

static void keep_packet(struct unpacking *unpacking, struct builder *builder, struct spool *spool,
                        const struct trace_frame *frame)
{
    const bool alone = unpacking->piece.from == sizeof(struct trace_packet) &&
                       unpacking->piece.index == builder->held / TRACE_PACKET_BYTES;
    uint64_t at;

    if (!spool_append(spool, unpacking->packet.bytes, TRACE_PACKET_BYTES, &at)) {
        unpacking->full = true;
        return;
    }
    add_extent(builder, at, TRACE_PACKET_BYTES);
    *ALLOC_NEXT(builder->payloads, builder->payload_count, builder->payload_capacity) =
        (struct spool_extent){frame->at + CODED_TAG_BYTES,
                              alone ? frame->length - CODED_TAG_BYTES : 0};
}

/* Adds a piece. A packet with a missing piece is left out, because its reader could not see that
 * records are missing. */
static void add_piece(struct unpacking *unpacking, struct builder *builder, struct spool *spool,
                      const struct trace_frame *frame, bool lost)
{
    const struct trace_piece *piece = &unpacking->piece;
    struct packet *packet = &unpacking->packet;

    if (piece->from == sizeof(struct trace_packet)) {
        memset(packet->bytes, 0, sizeof(packet->bytes));
        memcpy(packet->bytes, unpacking->decoded, sizeof(struct trace_packet));
        packet->whole = true;
    } else {
        packet->whole = packet->whole && !lost;
    }
    memcpy(packet->bytes + piece->from, unpacking->decoded + piece->from, piece->to - piece->from);
    packet->index = piece->index;
    packet->at = piece->to;
    packet->ended = piece->last;
    if (packet->ended && packet->whole) {
        keep_packet(unpacking, builder, spool, frame);
    }
}

static void assemble_frames(struct builder *builder, struct run *run, const char *name,
                            struct spool *spool, const struct trace_frame *frames, size_t count)
{
    struct unpacking *unpacking = alloc_zeroed(sizeof(*unpacking));

    unpacking->packet.at = sizeof(struct trace_packet);
    for (size_t i = 0; i < count; i++) {
        const bool lost = frames[i].seq > unpacking->next;

        if (!decode_frame(unpacking, builder, spool, &frames[i]) ||
            !follows(unpacking, builder, lost)) {
            run_add_loss(run, "%s: frame %" PRIu32 " contradicts the trace: left out", name,
                         frames[i].seq);
            continue;
        }
        add_hole(builder, unpacking->next, frames[i].seq);
        add_piece(unpacking, builder, spool, &frames[i], lost);
        unpacking->next = (uint64_t)frames[i].seq + 1;
    }
    add_hole(builder, unpacking->next, builder->claim->frames);
    if (unpacking->full) {
        run_add_loss(run,
                     "%s: %s: packets are left out: decode the log again, with TMPDIR naming a "
                     "folder with more free space",
                     name, spool_error(spool));
    }
    free(unpacking);
}

void trace_assemble(struct run *run, struct run_trace *trace, const char *name,
                    const struct trace_claim *claim, struct spool *spool,
                    const struct trace_frame *frames, size_t count, bool mixed)
{
    struct builder builder = {.claim = claim};

    if (mixed && count < claim->frames) {
        run_add_loss(run, "%s: incomplete in a log of two runs: all left out", name);
        add_hole(&builder, 0, claim->frames);
    } else {
        assemble_frames(&builder, run, name, spool, frames, count);
    }
    name_lost_packets(&builder, run, name);
    trace->packets = spool_bytes(spool, builder.extents, builder.extent_count);
    spool_bytes_payloads(trace->packets, builder.payloads, builder.payload_count);
    if (builder.held == claim->bytes) {
        check_crc(run, trace, name, claim->crc);
    }
    free(builder.extents);
}
