/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/link/link.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernel/link/crc32c.h"
#include "kernel/link/journal.h"
#include "kernel/link/line.h"
#include "kernel/link/live_gaps.h"
#include "kernel/link/names.h"
#include "kernel/link/residual.h"
#include "kernel/mem/memory.h"
#include "kernel/names.h"
#include "kernel/screen/screen.h"
#include "kernel/trace/packet.h"

#define META_STREAM     0
#define META_BYTES_MAX  (512u << 10)
#define META_FRAMES_MAX 4096
#define STREAMS_MAX     2048
#define TEXT_MAX        900

/* What it takes to send any frame of a series or a trace again. */
struct stream {
    enum frame_type type;
    uint32_t frames;
    const void *memory;
    size_t count;    /* samples, or packets in the ring */
    int64_t nominal; /* of a series */
    uint64_t first;  /* of a trace: the sequence number of its first packet */
    /* Of a series: a frame and its first sample, so that those behind it are soon found. */
    uint32_t known_frame;
    size_t known_sample;
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
    uint64_t frames_skipped;      /* that the line did not take */
    uint64_t run;                 /* 0: not known yet */
    bool on_request;              /* samples and traces leave only when they are asked for */
    struct frame frame;           /* the one being sent */
    uint8_t wire[FRAME_WIRE_MAX]; /* the same, encoded */
} line;

/* NULL: the serial port. */
static const struct link_way *other_way;

/* Where frames go while a log is saved. */
static struct {
    link_write *write; /* NULL: to the line */
    void *context;
    bool refused;   /* it takes no more */
    size_t entry;   /* of the journal: the next one */
    uint32_t frame; /* of that one's frames, the first that is not written */
    bool ended;
} save;

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

void link_set_on_request(bool on_request)
{
    line.on_request = on_request;
}

void link_set_run(uint64_t run)
{
    line.run = run;
}

void line_use_way(const struct link_way *way)
{
    other_way = way;
}

struct uart *line_uart(void)
{
    return line.uart;
}

enum frame_format line_format(void)
{
    return line.format;
}

static size_t payload_max(void)
{
    return line.format == FRAME_TEXT ? FRAME_TEXT_PAYLOAD_MAX : FRAME_PAYLOAD_MAX;
}

static void write_saved(const uint8_t *bytes, size_t length)
{
    save.refused = save.refused || !save.write(save.context, bytes, length);
    save.frame += save.refused ? 0 : 1;
}

/* What the line does not take can be asked for when it does again. */
static void send_frame(enum frame_format format)
{
    if (save.write != NULL) {
        write_saved(line.wire, frame_encode(&line.frame, format, line.wire));
    } else if (other_way != NULL) {
        other_way->write(other_way->context, line.wire,
                         frame_encode(&line.frame, format, line.wire));
    } else if (line.uart != NULL &&
               !uart_write(line.uart, line.wire, frame_encode(&line.frame, format, line.wire))) {
        line.frames_skipped++;
    }
}

/* META frames hold whole lines, so that each can be read without its neighbours. A line is never
 * longer than a binary frame; in text format a long line has a longer frame. */
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

static void send_meta_frame(uint32_t seq, enum frame_format format)
{
    const uint32_t start = line.meta_start[seq];
    const uint32_t end = line.meta_start[seq + 1];

    line.frame = (struct frame){
        .type = FRAME_META, .stream = META_STREAM, .seq = seq, .length = (uint16_t)(end - start)};
    memcpy(line.frame.payload, line.meta + start, end - start);
    send_frame(format);
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
        send_meta_frame(line.meta_frames - 1, line.format);
        journal_note(JOURNAL_META, line.meta_frames - 1);
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

const char *link_records(size_t *length)
{
    *length = line.meta_length;
    return line.meta;
}

const int64_t *link_samples(uint64_t stream, size_t *count)
{
    if (stream == META_STREAM || stream > line.stream_count ||
        line.streams[stream - 1].type != FRAME_SERIES) {
        return NULL;
    }
    *count = line.streams[stream - 1].count;
    return line.streams[stream - 1].memory;
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
    if (journal_is_open()) {
        link_flush();
        journal_text(text, (size_t)length);
    }
    if (line.uart != NULL) {
        link_flush();
        memcpy(text + length, "\r\n", 3);
        if (uart_write(line.uart, (const uint8_t *)text, (size_t)length + 2)) {
            return;
        }
        text[length] = '\0';
    }
    screen_print(text);
}

void link_last_words(const char *text)
{
    if (line.uart != NULL) {
        uart_write(line.uart, (const uint8_t *)text, strlen(text));
    }
    screen_print(text);
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

/* Fills line.frame with a frame of a series, and remembers where the next begins: frames that are
 * asked for in order cost no more than when they were sent first. */
static void fill_series(struct stream *stream, uint32_t seq)
{
    if (seq < stream->known_frame) {
        stream->known_frame = 0;
        stream->known_sample = 0;
    }
    size_t taken = fill_series_frame(stream, stream->known_sample);

    while (stream->known_frame < seq) {
        stream->known_frame++;
        stream->known_sample += taken;
        taken = fill_series_frame(stream, stream->known_sample);
    }
    stream->known_frame++;
    stream->known_sample += taken;
}

/* `seq` is below stream->frames. */
static void send_stream_frame(uint16_t number, uint32_t seq, enum frame_format format)
{
    struct stream *stream = &line.streams[number - 1];

    line.frame = (struct frame){.type = (uint8_t)stream->type, .stream = number, .seq = seq};
    if (stream->type == FRAME_SERIES) {
        fill_series(stream, seq);
    } else {
        fill_trace_frame(stream, seq);
    }
    send_frame(format);
}

bool line_send_again(uint16_t number, uint32_t seq, enum frame_format format)
{
    if (number > line.stream_count ||
        seq >= (number == META_STREAM ? line.meta_frames : line.streams[number - 1].frames)) {
        return false;
    }
    if (number == META_STREAM) {
        send_meta_frame(seq, format);
    } else {
        send_stream_frame(number, seq, format);
    }
    return true;
}

/* The newest stream, as it comes about. */
static void publish_stream(void)
{
    const uint32_t frames = line.streams[line.stream_count - 1].frames;

    if (journal_is_open()) {
        link_flush(); /* its record is before it in a log as well */
    }
    journal_note(JOURNAL_STREAM, line.stream_count);
    line.frames_total += frames;
    for (uint32_t seq = 0; seq < frames && !line.on_request; seq++) {
        send_stream_frame(line.stream_count, seq, line.format);
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
    record_text(record, FIELD_BENCH, bench);
    if (pass != 0) {
        record_unsigned(record, FIELD_PASS, pass);
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
    begin_record(&record, RECORD_SERIES, series->bench, series->pass);
    record_unsigned(&record, FIELD_STREAM, line.stream_count);
    record_text(&record, FIELD_NAME, series->name);
    if (series->of != NULL) {
        record_text(&record, FIELD_OF, series->of);
        record_text(&record, FIELD_EVENT, series->event);
    }
    record_text(&record, FIELD_UNIT, series->unit);
    record_unsigned(&record, FIELD_N, series->count);
    record_unsigned(&record, FIELD_FRAMES, stream->frames);
    record_signed(&record, FIELD_NOMINAL, stream->nominal);
    record_unsigned(&record, FIELD_CRC,
                    crc32c(0, series->samples, series->count * sizeof(series->samples[0])));
    link_record(&record);
    publish_stream();
    return true;
}

void link_object(const struct link_object *object)
{
    struct record_writer record;

    begin_record(&record, RECORD_OBJECT, object->bench, object->pass);
    record_text(&record, FIELD_KIND, object->kind);
    record_unsigned(&record, FIELD_ID, object->id);
    record_text(&record, FIELD_NAME, object->name);
    if (object->has_process) {
        record_unsigned(&record, FIELD_PROCESS, object->process);
    }
    if (object->has_priority) {
        record_unsigned(&record, FIELD_PRIORITY, object->priority);
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
    record_unsigned(record, FIELD_RECORD, trace->record);
    record_unsigned(record, FIELD_LEAD, trace->lead);
    record_unsigned(record, FIELD_EXTENDED, trace->extended);
    record_unsigned(record, FIELD_ISR_LEAD, trace->isr_lead);
    record_unsigned(record, FIELD_ISR_TRAIL, trace->isr_trail);
    record_unsigned(record, FIELD_DPC_TRAIL, trace->dpc_trail);
    record_unsigned(record, FIELD_SWITCH_TRAIL, trace->switch_trail);
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
    begin_record(&record, RECORD_TRACE, trace->bench, trace->pass);
    record_unsigned(&record, FIELD_STREAM, line.stream_count);
    record_unsigned(&record, FIELD_PART, trace->part);
    record_text(&record, FIELD_MODE, trace->mode);
    record_unsigned(&record, FIELD_CPU, trace->cpu);
    record_unsigned(&record, FIELD_BEGIN, trace->begin);
    record_unsigned(&record, FIELD_END, trace->end);
    record_unsigned(&record, FIELD_BYTES, trace->count * (uint64_t)TRACE_PACKET_BYTES);
    record_unsigned(&record, FIELD_PACKET_BYTES, TRACE_PACKET_BYTES);
    record_unsigned(&record, FIELD_FRAMES, stream->frames);
    record_unsigned(&record, FIELD_FRAME_BYTES, payload_max());
    record_unsigned(&record, FIELD_CRC, packets_crc(stream, trace->count));
    record_unsigned(&record, FIELD_KEPT, trace->kept);
    record_unsigned(&record, FIELD_DISCARDED, trace->discarded);
    record_unsigned(&record, FIELD_OVERWRITTEN, trace->overwritten);
    add_costs(&record, trace);
    link_record(&record);
    link_flush();
    publish_stream();
    return true;
}

void line_answer(struct record_writer *record, enum frame_type type, enum frame_format format)
{
    line.frame = (struct frame){.type = (uint8_t)type, .stream = META_STREAM};
    line.frame.length = (uint16_t)record_finish(record);
    memcpy(line.frame.payload, record->line, line.frame.length);
    send_frame(format);
}

void link_live(const char *bench, unsigned pass, const struct live_gaps *live)
{
    struct record_writer record;

    link_flush();
    if (live_gaps_write(&record, bench, pass, live)) {
        line_answer(&record, FRAME_ANSWER, line.format);
    }
}

void line_send_end(enum frame_format format)
{
    struct record_writer record;
    char run[LINK_RUN_DIGITS + 1];

    link_flush();
    record_begin(&record, RECORD_END);
    record_unsigned(&record, FIELD_META, line.meta_frames);
    record_unsigned(&record, FIELD_FRAMES, line.frames_total);
    record_unsigned(&record, FIELD_RECORDS_LOST, line.records_lost);
    if (line.run != 0) {
        snprintf(run, sizeof(run), "%016lx", line.run);
        record_text(&record, INFO_RUN, run);
    }
    if (line.frames_skipped != 0 && save.write == NULL) {
        record_unsigned(&record, "skipped", line.frames_skipped);
    }
    line_answer(&record, FRAME_END, format);
}

void link_end(void)
{
    line_send_end(line.format);
    if (!save.ended) {
        journal_note(JOURNAL_END, 0);
    }
    save.ended = true;
}

/* ---- saving ---- */

bool link_keep(void)
{
    return journal_open();
}

static void save_stream(uint16_t number)
{
    const uint32_t frames = line.streams[number - 1].frames;

    while (save.frame < frames && !save.refused) {
        send_stream_frame(number, save.frame, line.format);
    }
}

/* A text about it stands in for what found no room. */
static void save_end(void)
{
    char text[64];

    if (journal_text_lost() > 0 && save.frame == 0) {
        write_saved((const uint8_t *)text,
                    (size_t)snprintf(text, sizeof(text), "tare: %lu characters of text lost\r\n",
                                     journal_text_lost()));
    }
    line_send_end(line.format);
}

static void save_entry(const struct journal_entry *entry)
{
    switch (entry->kind) {
    case JOURNAL_TEXT:
        write_saved(journal_characters(entry), entry->length);
        break;
    case JOURNAL_META:
        send_meta_frame(entry->number, line.format);
        break;
    case JOURNAL_STREAM:
        save_stream((uint16_t)entry->number);
        break;
    case JOURNAL_END:
        save_end();
        break;
    }
}

bool link_save(link_write *write, void *context)
{
    const struct journal_entry *entry;

    link_flush();
    save.write = write;
    save.context = context;
    while (!save.refused && (entry = journal_at(save.entry)) != NULL) {
        save_entry(entry);
        if (!save.refused) {
            save.entry++;
            save.frame = 0;
        }
    }
    const bool complete = !save.refused;

    link_save_abandon();
    return complete;
}

void link_save_abandon(void)
{
    save.write = NULL;
    save.refused = false;
}
