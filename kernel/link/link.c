/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/link/link.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/idle/idle_loop.h"
#include "kernel/link/crc32c.h"
#include "kernel/link/residual.h"
#include "kernel/mem/memory.h"
#include "kernel/screen/screen.h"
#include "kernel/trace/packet.h"

#define META_STREAM     0
#define META_BYTES_MAX  (512u << 10)
#define META_FRAMES_MAX 4096
#define STREAMS_MAX     512
#define TEXT_MAX        900
/* Between two looks at the receiver: some 10 us of spinning, so that waiting costs emulated time
 * and not emulator time; its FIFO takes 1.4 ms to fill at 115200 baud. */
#define POLL_SPIN 4000
/* Where no rate could be measured: a wait that is somewhat off still ends. */
#define ASSUMED_HZ 1000000000ull

/* What it takes to send any frame of a series or a trace again. */
struct stream {
    enum frame_type type;
    uint32_t frames;
    const void *memory;
    size_t count;    /* samples, or packets in the ring */
    int64_t nominal; /* of a series */
    uint64_t first;  /* of a trace: the sequence number of its first packet */
};

/* A frame of a trace is a part of one packet, and all are full. */
_Static_assert(TRACE_PACKET_BYTES % FRAME_PAYLOAD_MAX == 0, "frames end with packets");
_Static_assert(TRACE_PACKET_BYTES % FRAME_TEXT_PAYLOAD_MAX == 0, "in text format as well");

static struct {
    struct uart *uart;
    enum frame_format format;
    char *meta; /* all records, in order */
    size_t meta_length;
    size_t meta_sent;                         /* bytes of meta that are in frames */
    uint32_t meta_start[META_FRAMES_MAX + 1]; /* where each META frame begins */
    uint32_t meta_frames;
    struct stream streams[STREAMS_MAX]; /* stream n at n - 1 */
    uint16_t stream_count;
    uint32_t frames_total;
    uint64_t records_lost;
    struct frame frame;           /* the one being sent */
    uint8_t wire[FRAME_WIRE_MAX]; /* the same, encoded */
    struct frame_reader reader;
    struct frame request;
} line;

bool link_init(struct uart *uart)
{
    memset(&line, 0, sizeof(line));
    line.uart = uart;
    line.meta = memory_allocate(META_BYTES_MAX, 16);
    return line.meta != NULL;
}

void link_set_format(enum frame_format format)
{
    line.format = format;
}

static size_t payload_max(void)
{
    return line.format == FRAME_TEXT ? FRAME_TEXT_PAYLOAD_MAX : FRAME_PAYLOAD_MAX;
}

static void send_frame(void)
{
    if (line.uart != NULL) {
        uart_write(line.uart, line.wire, frame_encode(&line.frame, line.format, line.wire));
    }
}

/* META frames hold whole lines, so that each can be read without its neighbours. A line is never
 * longer than a binary frame; in text format a long line has a longer frame of its own. */
static size_t meta_frame_length(size_t start)
{
    size_t length = 0;

    while (start + length < line.meta_length) {
        const char *line_feed =
            memchr(line.meta + start + length, '\n', line.meta_length - start - length);
        const size_t next = (size_t)(line_feed - (line.meta + start)) + 1;

        if (next > payload_max() && length > 0) {
            break;
        }
        length = next;
    }
    return length;
}

static void send_meta_frame(uint32_t seq)
{
    const uint32_t start = line.meta_start[seq];
    const uint32_t end = line.meta_start[seq + 1];

    line.frame = (struct frame){
        .type = FRAME_META, .stream = META_STREAM, .seq = seq, .length = (uint16_t)(end - start)};
    memcpy(line.frame.payload, line.meta + start, end - start);
    send_frame();
}

void link_flush(void)
{
    while (line.meta_sent < line.meta_length && line.meta_frames < META_FRAMES_MAX) {
        const size_t length = meta_frame_length(line.meta_sent);

        line.meta_start[line.meta_frames] = (uint32_t)line.meta_sent;
        line.meta_sent += length;
        line.meta_start[line.meta_frames + 1] = (uint32_t)line.meta_sent;
        line.meta_frames++;
        line.frames_total++;
        send_meta_frame(line.meta_frames - 1);
    }
}

void link_drain(void)
{
    link_flush();
    if (line.uart != NULL) {
        uart_drain(line.uart);
    }
}

void link_record(struct record_writer *writer)
{
    const size_t length = record_finish(writer);

    line.records_lost += writer->truncated ? 1 : 0;
    if (line.meta == NULL || length > META_BYTES_MAX - line.meta_length ||
        line.meta_frames == META_FRAMES_MAX) {
        line.records_lost++;
        return;
    }
    memcpy(line.meta + line.meta_length, writer->line, length);
    line.meta_length += length;
}

void link_text(const char *format, ...)
{
    char text[TEXT_MAX + 3];
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(text, TEXT_MAX, format, arguments);
    va_end(arguments);
    if (length < 0) {
        return;
    }
    if (length >= TEXT_MAX) {
        length = TEXT_MAX - 1;
    }
    if (line.uart == NULL || line.uart->dead) {
        screen_print(text);
        return;
    }
    link_flush();
    text[length++] = '\r';
    text[length++] = '\n';
    uart_write(line.uart, (const uint8_t *)text, (size_t)length);
}

/* Fills line.frame with the samples from `first` on; returns how many. */
static size_t fill_series_frame(const struct stream *stream, size_t first)
{
    size_t taken;

    line.frame.length =
        (uint16_t)residual_encode(stream->memory, first, stream->count, stream->nominal,
                                  line.frame.payload, payload_max(), &taken);
    return taken;
}

static uint32_t count_series_frames(const struct stream *stream)
{
    uint32_t frames = 0;

    for (size_t first = 0; first < stream->count; frames++) {
        first += fill_series_frame(stream, first);
    }
    return frames;
}

/* Packet `index` of a trace, counted from the first that is sent. */
static const uint8_t *packet_at(const struct stream *stream, uint64_t index)
{
    const uint64_t slot = (stream->first + index) % stream->count;

    return (const uint8_t *)stream->memory + slot * TRACE_PACKET_BYTES;
}

static void fill_trace_frame(const struct stream *stream, uint32_t seq)
{
    const uint64_t offset = (uint64_t)seq * payload_max();

    line.frame.length = (uint16_t)payload_max();
    memcpy(line.frame.payload,
           packet_at(stream, offset / TRACE_PACKET_BYTES) + offset % TRACE_PACKET_BYTES,
           payload_max());
}

/* Sends the frames [from, from + count) of a stream. Where a frame of a series begins is found by
 * encoding all before it: repairs are rare, and an index would cost memory always. */
static void send_frames(uint16_t number, uint32_t from, uint32_t count)
{
    const struct stream *stream = &line.streams[number - 1];
    const bool is_series = stream->type == FRAME_SERIES;
    size_t first = 0;

    for (uint32_t seq = is_series ? 0 : from;
         seq < stream->frames && (seq < from || seq - from < count); seq++) {
        line.frame = (struct frame){.type = (uint8_t)stream->type, .stream = number, .seq = seq};
        if (is_series) {
            first += fill_series_frame(stream, first);
        } else {
            fill_trace_frame(stream, seq);
        }
        if (seq >= from) {
            send_frame();
        }
    }
}

/* NULL where there are too many. */
static struct stream *add_stream(void)
{
    if (line.stream_count == STREAMS_MAX) {
        line.records_lost++;
        return NULL;
    }
    return &line.streams[line.stream_count++];
}

/* Starts the record of what belongs to a bench. */
static void begin_record(struct record_writer *record, const char *name, const char *bench,
                         unsigned pass)
{
    record_begin(record, name);
    record_text(record, "bench", bench);
    if (pass != 0) {
        record_unsigned(record, "pass", pass);
    }
}

bool link_series(const struct link_series *series)
{
    struct stream *stream = add_stream();
    struct record_writer record;

    if (stream == NULL) {
        return false;
    }
    stream->type = FRAME_SERIES;
    stream->memory = series->samples;
    stream->count = series->count;
    stream->nominal = residual_nominal(series->samples, series->count);
    stream->frames = count_series_frames(stream);
    begin_record(&record, "series", series->bench, series->pass);
    record_unsigned(&record, "stream", line.stream_count);
    record_text(&record, "name", series->name);
    if (series->of != NULL) {
        record_text(&record, "of", series->of);
        record_text(&record, "event", series->event);
    }
    record_text(&record, "unit", series->unit);
    record_unsigned(&record, "n", series->count);
    record_unsigned(&record, "frames", stream->frames);
    record_signed(&record, "nominal", stream->nominal);
    record_unsigned(&record, "crc",
                    crc32c(0, series->samples, series->count * sizeof(series->samples[0])));
    link_record(&record);
    line.frames_total += stream->frames;
    send_frames(line.stream_count, 0, stream->frames);
    return true;
}

void link_object(const struct link_object *object)
{
    struct record_writer record;

    begin_record(&record, "object", object->bench, object->pass);
    record_text(&record, "kind", object->kind);
    record_unsigned(&record, "id", object->id);
    record_text(&record, "name", object->name);
    if (object->has_process) {
        record_unsigned(&record, "process", object->process);
    }
    if (object->has_priority) {
        record_unsigned(&record, "priority", object->priority);
    }
    link_record(&record);
}

static uint32_t packets_crc(const struct stream *stream, size_t count)
{
    uint32_t crc = 0;

    for (size_t i = 0; i < count; i++) {
        crc = crc32c(crc, packet_at(stream, i), TRACE_PACKET_BYTES);
    }
    return crc;
}

static void add_costs(struct record_writer *record, const struct link_trace *trace)
{
    record_unsigned(record, "record", trace->record);
    record_unsigned(record, "lead", trace->lead);
    record_unsigned(record, "extended", trace->extended);
    record_unsigned(record, "isr_lead", trace->isr_lead);
    record_unsigned(record, "isr_trail", trace->isr_trail);
    record_unsigned(record, "dpc_trail", trace->dpc_trail);
    record_unsigned(record, "switch_trail", trace->switch_trail);
}

/* The record goes before the frames: who follows the line knows what they are. */
bool link_trace(const struct link_trace *trace)
{
    struct stream *stream = add_stream();
    struct record_writer record;

    if (stream == NULL) {
        return false;
    }
    stream->type = FRAME_TRACE;
    stream->memory = trace->memory;
    stream->count = trace->ring_packets;
    stream->first = trace->first;
    stream->frames = (uint32_t)(trace->count * (TRACE_PACKET_BYTES / payload_max()));
    begin_record(&record, "trace", trace->bench, trace->pass);
    record_unsigned(&record, "stream", line.stream_count);
    record_unsigned(&record, "part", trace->part);
    record_text(&record, "mode", trace->mode);
    record_unsigned(&record, "cpu", trace->cpu);
    record_unsigned(&record, "begin", trace->begin);
    record_unsigned(&record, "end", trace->end);
    record_unsigned(&record, "bytes", trace->count * (uint64_t)TRACE_PACKET_BYTES);
    record_unsigned(&record, "packet_bytes", TRACE_PACKET_BYTES);
    record_unsigned(&record, "frames", stream->frames);
    record_unsigned(&record, "frame_bytes", payload_max());
    record_unsigned(&record, "crc", packets_crc(stream, trace->count));
    record_unsigned(&record, "kept", trace->kept);
    record_unsigned(&record, "discarded", trace->discarded);
    record_unsigned(&record, "overwritten", trace->overwritten);
    add_costs(&record, trace);
    link_record(&record);
    link_flush();
    line.frames_total += stream->frames;
    send_frames(line.stream_count, 0, stream->frames);
    return true;
}

void link_end(void)
{
    struct record_writer record;

    link_flush();
    record_begin(&record, "end");
    record_unsigned(&record, "meta", line.meta_frames);
    record_unsigned(&record, "frames", line.frames_total);
    record_unsigned(&record, "records_lost", line.records_lost);
    line.frame = (struct frame){.type = FRAME_END, .stream = META_STREAM};
    line.frame.length = (uint16_t)record_finish(&record);
    memcpy(line.frame.payload, record.line, line.frame.length);
    send_frame();
}

static void answer_get(const struct record *request)
{
    uint64_t stream;
    uint64_t first;
    uint64_t count;

    if (!record_value_unsigned(request, "stream", &stream) ||
        !record_value_unsigned(request, "first", &first) ||
        !record_value_unsigned(request, "count", &count) || stream > line.stream_count) {
        return;
    }
    if (stream != META_STREAM) {
        send_frames((uint16_t)stream, (uint32_t)first, (uint32_t)count);
        return;
    }
    for (uint64_t seq = first; seq < line.meta_frames && seq - first < count; seq++) {
        send_meta_frame((uint32_t)seq);
    }
}

/* Returns false when the host has said bye. */
static bool answer(struct frame *frame)
{
    struct record request;

    if (frame->type != FRAME_REQUEST || frame->length == 0 || frame->length == FRAME_PAYLOAD_MAX ||
        frame->payload[frame->length - 1] != '\n' ||
        !record_parse((char *)frame->payload, frame->length - 1u, &request)) {
        return true;
    }
    if (strcmp(request.name, "get") == 0) {
        answer_get(&request);
    } else if (strcmp(request.name, "status_request") == 0) {
        link_end();
    }
    return strcmp(request.name, "bye") != 0;
}

void link_serve(uint64_t wait_ms)
{
    if (line.uart == NULL) {
        return;
    }
    const uint64_t hz = clock_state()->verdict.hz;
    const uint64_t patience = wait_ms * ((hz != 0 ? hz : ASSUMED_HZ) / 1000);
    uint64_t last_heard = tsc_read();

    frame_reader_init(&line.reader);
    while (tsc_read() - last_heard < patience && !line.uart->dead) {
        const int byte = uart_read(line.uart);

        if (byte < 0) {
            idle_loop_spin(POLL_SPIN);
            continue;
        }
        if (frame_reader_push(&line.reader, (uint8_t)byte, &line.request) == FRAME_READER_FRAME &&
            !answer(&line.request)) {
            break;
        }
        last_heard = tsc_read();
    }
}
