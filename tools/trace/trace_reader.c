/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/trace/trace_reader.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/plan/bytes.h"
#include "tools/base/alloc.h"
#include "tools/base/trace_bytes.h"

#define PACKET_BYTES_MAX (1u << 20)

/* Longest record plus the 8 bytes that may be loaded at its end, so that loads beyond the last
 * record of a packet stay within the buffer. */
#define SLACK 64

/* ---- the table ---- */

static const struct trace_class classes[TRACE_ID_LIMIT] = {
#define TRACE_EVENT0(id, name)         [id] = {#name, 0, {NULL}, {0}, 0},
#define TRACE_EVENT1(id, name, t0, f0) [id] = {#name, 1, {#f0}, {sizeof(t0)}, sizeof(t0)},
#define TRACE_EVENT2(id, name, t0, f0, t1, f1) \
    [id] = {#name, 2, {#f0, #f1}, {sizeof(t0), sizeof(t1)}, sizeof(t0) + sizeof(t1)},
#define TRACE_EVENT3(id, name, t0, f0, t1, f1, t2, f2) \
    [id] = {#name,                                     \
            3,                                         \
            {#f0, #f1, #f2},                           \
            {sizeof(t0), sizeof(t1), sizeof(t2)},      \
            sizeof(t0) + sizeof(t1) + sizeof(t2)},
#define TRACE_EVENT4(id, name, t0, f0, t1, f1, t2, f2, t3, f3) \
    [id] = {#name,                                             \
            4,                                                 \
            {#f0, #f1, #f2, #f3},                              \
            {sizeof(t0), sizeof(t1), sizeof(t2), sizeof(t3)},  \
            sizeof(t0) + sizeof(t1) + sizeof(t2) + sizeof(t3)},
#define TRACE_EVENT5(id, name, t0, f0, t1, f1, t2, f2, t3, f3, t4, f4)    \
    [id] = {#name,                                                        \
            5,                                                            \
            {#f0, #f1, #f2, #f3, #f4},                                    \
            {sizeof(t0), sizeof(t1), sizeof(t2), sizeof(t3), sizeof(t4)}, \
            sizeof(t0) + sizeof(t1) + sizeof(t2) + sizeof(t3) + sizeof(t4)},
#include "kernel/trace/events.def"
};

const struct trace_class *trace_class_of(uint32_t id)
{
    return id < TRACE_ID_LIMIT && classes[id].name != NULL ? &classes[id] : NULL;
}

/* Layout of a class for decoding without branches: each field is loaded as 8 bytes of the record,
 * and a mask keeps the field, or nothing if there is no such field. */
struct layout {
    uint8_t compact; /* bytes of a record with a compact header; 0: no such event */
    uint8_t offset[TRACE_FIELDS_MAX];
    uint64_t mask[TRACE_FIELDS_MAX];
};

static struct layout layouts[TRACE_ID_LIMIT];

__attribute__((constructor)) static void make_layouts(void)
{
    for (size_t id = 0; id < TRACE_ID_LIMIT; id++) {
        struct layout *layout = &layouts[id];
        uint8_t at = 0;

        for (size_t i = 0; i < classes[id].field_count; i++) {
            layout->offset[i] = at;
            layout->mask[i] = UINT64_MAX >> (64 - 8 * classes[id].field_bytes[i]);
            at += classes[id].field_bytes[i];
        }
        layout->compact = classes[id].name != NULL ? TRACE_HEADER_COMPACT + at : 0;
    }
}

/* ---- packets ---- */

/* Reads the trace of one processor. */
struct stream {
    const struct run_trace *trace;
    uint8_t *buffer;            /* one packet and SLACK */
    uint64_t offset;            /* offset of the next packet */
    uint64_t claimed;           /* number of packets that should exist */
    struct trace_packet packet; /* header of the last valid packet */
    bool any;                   /* there was a valid packet */
    bool ended;
    bool opens;         /* the next event is the first of its packet */
    uint64_t stamp;     /* stamp of the last event, or earliest possible stamp of the next */
    const uint8_t *at;  /* next record in `buffer` */
    const uint8_t *end; /* end of the records */
    uint64_t sequence;  /* sequence number that the next packet should have */
    bool sequence_known;
    uint64_t sequence_limit; /* all sequence numbers are below this */
    uint64_t good;           /* number of packets read */
    /* `lost`, `discarded`, `overwritten`: what gaps have reported so far */
    uint64_t lost;
    uint64_t discarded;
    uint64_t overwritten;
    /* what it gives next, if `fetched` */
    bool fetched;
    enum trace_reader_status status;
    struct trace_event event;
    struct trace_gap gap;
};

struct trace_reader {
    size_t count;
    struct stream streams[];
};

/* Can packets of this size be read at all? */
static bool is_readable(const struct run_trace *trace)
{
    return trace->packets != NULL && trace->packet_bytes >= sizeof(struct trace_packet) &&
           trace->packet_bytes <= PACKET_BYTES_MAX;
}

/* Finds the number of the first packet that was kept. It is 0, unless the oldest packets were
 * overwritten; then it follows from the number of the last packet, if that ends the trace. */
static void find_first_sequence(struct stream *reader)
{
    const struct run_trace *trace = reader->trace;
    const uint64_t count = trace->packets->length / trace->packet_bytes;
    struct trace_packet last;

    reader->sequence_limit = UINT64_MAX;
    if (trace->overwritten == 0) {
        reader->sequence_known = true;
        reader->sequence_limit = reader->claimed;
        return;
    }
    if (count == 0 || !trace->packets->read(trace->packets, (count - 1) * trace->packet_bytes,
                                            &last, sizeof(last))) {
        return;
    }
    if (last.end == trace->end && last.sequence != UINT64_MAX &&
        last.sequence + 1 >= reader->claimed) {
        reader->sequence_known = true;
        reader->sequence = last.sequence + 1 - reader->claimed;
        reader->sequence_limit = last.sequence + 1;
    }
}

static void open_stream(struct stream *reader, const struct run_trace *trace)
{
    reader->trace = trace;
    reader->stamp = trace->begin;
    if (!is_readable(trace)) {
        return;
    }
    const uint64_t length = trace->packets->length;

    reader->buffer = alloc_zeroed(trace->packet_bytes + SLACK);
    reader->claimed = (trace->claimed > length ? trace->claimed : length) / trace->packet_bytes;
    find_first_sequence(reader);
}

struct trace_reader *trace_reader_open(const struct run_trace *traces, size_t processors)
{
    struct trace_reader *reader =
        alloc_zeroed(sizeof(*reader) + processors * sizeof(reader->streams[0]));

    reader->count = processors;
    for (size_t i = 0; i < processors; i++) {
        open_stream(&reader->streams[i], &traces[i]);
    }
    return reader;
}

void trace_reader_close(struct trace_reader *reader)
{
    for (size_t i = 0; i < reader->count; i++) {
        free(reader->streams[i].buffer);
    }
    free(reader);
}

static bool is_header_good(const struct stream *reader, const struct trace_packet *packet)
{
    static const uint8_t uuid[] = TRACE_UUID;
    const struct run_trace *trace = reader->trace;
    const uint64_t size = (uint64_t)trace->packet_bytes * 8;

    return packet->magic == TRACE_PACKET_MAGIC && memcmp(packet->uuid, uuid, sizeof(uuid)) == 0 &&
           packet->packet_bits == size && packet->content_bits <= size &&
           packet->cpu == trace->cpu && packet->content_bits >= sizeof(*packet) * 8 &&
           packet->content_bits % 8 == 0 &&
           packet->begin >= (reader->any ? reader->packet.end : trace->begin) &&
           packet->end >= packet->begin && packet->end <= trace->end &&
           packet->sequence < reader->sequence_limit &&
           (!reader->sequence_known || packet->sequence >= reader->sequence) &&
           packet->discarded <= trace->discarded &&
           packet->discarded >= (reader->any ? reader->packet.discarded : 0);
}

/* Checks whether the records end where the content does, and whether stamps ascend up to the end of
 * the packet. Decoding then needs no further checks. */
static bool are_records_good(const uint8_t *at, const uint8_t *end, uint64_t begin, uint64_t limit)
{
    const uint64_t low_bits = (UINT64_C(1) << TRACE_STAMP_BITS) - 1;
    uint64_t stamp = begin;

    while (at < end) {
        const uint32_t header = bytes_get32(at);
        uint32_t id = header & TRACE_ID_EXTENDED;
        uint64_t next = (stamp & ~low_bits) | header >> TRACE_ID_BITS;

        if (id == TRACE_ID_EXTENDED) {
            id = bytes_get32(at + 1);
            next = bytes_get64(at + 5);
            at += TRACE_HEADER_EXTENDED - TRACE_HEADER_COMPACT;
            id = id < TRACE_ID_LIMIT ? id : TRACE_ID_EXTENDED;
        }
        if (next < stamp || layouts[id].compact == 0) {
            return false;
        }
        stamp = next;
        at += layouts[id].compact;
    }
    return at == end && stamp <= limit;
}

static bool is_packet_good(const struct stream *reader, const struct trace_packet *packet)
{
    return is_header_good(reader, packet) &&
           are_records_good(reader->buffer + sizeof(*packet),
                            reader->buffer + packet->content_bits / 8, packet->begin, packet->end);
}

/* Continues with a valid packet. Returns true if something is missing before it. */
static bool take_packet(struct stream *reader, const struct trace_packet *packet,
                        struct trace_gap *gap)
{
    const struct run_trace *trace = reader->trace;
    const uint64_t expected = reader->sequence_known ? reader->sequence : packet->sequence;
    const uint64_t overwritten = reader->any ? 0 : trace->overwritten;

    *gap = (struct trace_gap){
        .cpu = trace->cpu,
        .from = reader->stamp,
        .to = packet->begin,
        .packets = packet->sequence - expected,
        .discarded = packet->discarded - reader->discarded + overwritten,
    };
    reader->lost += gap->packets;
    reader->discarded = packet->discarded;
    reader->overwritten += overwritten;
    reader->packet = *packet;
    reader->any = true;
    reader->good++;
    reader->sequence_known = true;
    reader->sequence = packet->sequence + 1;
    reader->opens = true;
    reader->stamp = packet->begin;
    reader->at = reader->buffer + sizeof(*packet);
    reader->end = reader->buffer + packet->content_bits / 8;
    return gap->packets > 0 || gap->discarded > 0;
}

/* Called after the last packet. Returns whether anything is missing there. */
static bool take_end(struct stream *reader, struct trace_gap *gap)
{
    const struct run_trace *trace = reader->trace;
    const uint64_t reported = reader->good + reader->lost;

    *gap = (struct trace_gap){
        .cpu = trace->cpu,
        .from = reader->stamp,
        .to = trace->end > reader->stamp ? trace->end : reader->stamp,
        .packets = reader->claimed > reported ? reader->claimed - reported : 0,
        .discarded =
            trace->discarded - reader->discarded + trace->overwritten - reader->overwritten,
    };
    reader->ended = true;
    return gap->packets > 0 || gap->discarded > 0 || !reader->any;
}

/* ---- events ---- */

static void decode(struct stream *reader, struct trace_event *event)
{
    const uint64_t low_bits = (UINT64_C(1) << TRACE_STAMP_BITS) - 1;
    const uint8_t *at = reader->at;
    const uint32_t header = bytes_get32(at);
    uint32_t id = header & TRACE_ID_EXTENDED;

    event->extended = id == TRACE_ID_EXTENDED;
    if (event->extended) {
        id = bytes_get32(at + 1);
        reader->stamp = bytes_get64(at + 5);
        at += TRACE_HEADER_EXTENDED - TRACE_HEADER_COMPACT;
    } else {
        reader->stamp = (reader->stamp & ~low_bits) | header >> TRACE_ID_BITS;
    }
    const struct layout *layout = &layouts[id];

    event->extended = event->extended && id < TRACE_ID_EXTENDED;
    event->tsc = reader->stamp;
    event->cpu = reader->trace->cpu;
    event->id = id;
    event->tracer_ticks = reader->opens ? reader->packet.tracer_ticks : 0;
    reader->opens = false;
    for (size_t i = 0; i < TRACE_FIELDS_MAX; i++) {
        event->field[i] =
            bytes_get64(at + TRACE_HEADER_COMPACT + layout->offset[i]) & layout->mask[i];
    }
    reader->at = at + layout->compact;
}

static enum trace_reader_status next_of(struct stream *reader, struct trace_event *event,
                                        struct trace_gap *gap)
{
    const struct run_trace *trace = reader->trace;
    struct trace_packet packet;

    while (reader->at == reader->end) {
        if (reader->buffer == NULL ||
            trace->packets->length - reader->offset < trace->packet_bytes) {
            return !reader->ended && take_end(reader, gap) ? TRACE_GAP : TRACE_END;
        }
        if (!trace->packets->read(trace->packets, reader->offset, reader->buffer,
                                  trace->packet_bytes)) {
            return TRACE_ERROR;
        }
        reader->offset += trace->packet_bytes;
        memcpy(&packet, reader->buffer, sizeof(packet));
        if (is_packet_good(reader, &packet) && take_packet(reader, &packet, gap)) {
            return TRACE_GAP;
        }
    }
    decode(reader, event);
    return TRACE_EVENT;
}

/* ---- all processors ---- */

/* A stream that cannot be read comes first. */
static uint64_t stamp_of(const struct stream *stream)
{
    if (stream->status == TRACE_ERROR) {
        return 0;
    }
    return stream->status == TRACE_EVENT ? stream->event.tsc : stream->gap.from;
}

enum trace_reader_status trace_reader_next(struct trace_reader *reader, struct trace_event *event,
                                           struct trace_gap *gap)
{
    struct stream *first = NULL;

    if (reader->count == 1) {
        return next_of(&reader->streams[0], event, gap);
    }
    for (size_t i = 0; i < reader->count; i++) {
        struct stream *stream = &reader->streams[i];

        if (!stream->fetched) {
            stream->status = next_of(stream, &stream->event, &stream->gap);
            stream->fetched = true;
        }
        if (stream->status != TRACE_END && (first == NULL || stamp_of(stream) < stamp_of(first))) {
            first = stream;
        }
    }
    if (first == NULL) {
        return TRACE_END;
    }
    first->fetched = first->status == TRACE_ERROR;
    *event = first->event;
    *gap = first->gap;
    return first->status;
}
