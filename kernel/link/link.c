/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/link/link.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernel/link/coded.h"
#include "kernel/link/encoding.h"
#include "kernel/link/journal.h"
#include "kernel/link/line.h"
#include "kernel/link/line_pattern.h"
#include "kernel/link/live_gaps.h"
#include "kernel/link/names.h"
#include "kernel/link/seal.h"
#include "kernel/link/series_codec.h"
#include "kernel/link/text_codec.h"
#include "kernel/link/trace_codec.h"
#include "kernel/mem/memory.h"
#include "kernel/screen/screen.h"
#include "kernel/trace/packet.h"

#define META_STREAM     0
#define META_BYTES_MAX  (512u << 10)
#define META_FRAMES_MAX 4096
#define STREAMS_MAX     2048
#define TEXT_MAX        900
#define TEXTS_BEHIND    4
#define LINE_END        "\r\n"

/* All that is needed to send any frame of a batch or a trace again, by coding it again. */
struct stream {
    enum frame_type type; /* type of its frames; 0: a series, whose samples leave with its batch */
    uint32_t frames;
    const void *memory; /* samples of a series, or packets of a trace */
    /* Number of samples of a series, of series in a batch, or of packets in a trace's ring. */
    size_t count;
    uint64_t first; /* for a trace: sequence number of its first packet */
    size_t packets; /* for a trace: number of packets that are sent */
    /* For a trace: number of frames of each packet; NULL: there was not enough memory. */
    uint8_t *per_packet;
    /* A frame and where its content begins, so that the frames after it are found quickly: in a
     * batch a place, in a trace a packet and a byte of it. */
    uint32_t known_frame;
    struct series_place known_place; /* start of the content of known_frame, in a batch */
    size_t known_packet;             /* packet of the content of known_frame, in a trace */
    uint32_t known_byte;
};

/* Working memory of the codecs, not shared because the text codec keeps its primed model. */
struct scratch {
    struct text_codec text;
    struct series_codec series;
    struct trace_codec trace;
};

static struct {
    struct uart *uart;
    enum frame_format format;
    char *meta; /* text of all records, in order */
    size_t meta_length;
    /* Number of bytes of meta that are already in frames. */
    size_t meta_sent;
    uint32_t meta_start[META_FRAMES_MAX + 1]; /* offset in meta at which each META frame begins */
    uint32_t meta_frames;
    struct stream streams[STREAMS_MAX]; /* all streams; stream n is at index n - 1 */
    /* Sources of series; that of stream n is at index n - 1. */
    struct series_source sources[STREAMS_MAX];
    uint16_t stream_count;
    uint16_t batch; /* stream number of the batch to which series are added; 0: no batch is open */
    struct scratch *scratch;
    uint32_t frames_total;
    uint64_t records_lost;
    /* Number of frames that the line did not accept. */
    uint64_t frames_skipped;
    char run[LINK_RUN_DIGITS + 1]; /* id of the run; "": not known yet */
    /* Tag of the run, in each coded frame. */
    uint32_t tag;
    char machine[LINK_RUN_DIGITS + 1]; /* fingerprint of the machine; "": not known yet */
    /* hashes of what has been sent so far (seal.h): series and traces, and the text of records */
    struct seal data_seal, meta_seal;
    char behind[TEXTS_BEHIND][TEXT_MAX + sizeof(LINE_END)]; /* texts to print after the records */
    unsigned behind_count;
    bool lava;                    /* lines for LAVA are printed between the frames */
    bool on_request;              /* samples and traces are sent only when the host asks for them */
    struct frame frame;           /* frame that is being sent */
    uint8_t wire[FRAME_WIRE_MAX]; /* frame that is being sent, encoded */
} line;

/* Way by which frames leave instead of the serial port; NULL: none. */
static const struct link_way *other_way;

/* The destination of frames while a log is saved. */
static struct {
    link_write *write; /* function that writes the log; NULL: frames go to the line */
    void *context;
    bool refused;   /* `write` has failed: no more can be written */
    size_t entry;   /* index of the next journal entry to write */
    uint32_t frame; /* first frame of that entry that is not written yet */
    bool ended;
    struct {
        const char *bench;
        unsigned pass;
        const struct live_lane *lanes;
        size_t count;
        size_t next; /* index of the first lane that is not written yet */
    } live;
} save;

bool link_init(struct uart *uart)
{
    memset(&line, 0, sizeof(line));
    line.uart = uart;
    line.tag = coded_tag(line.run);
    seal_begin(&line.data_seal);
    seal_begin(&line.meta_seal);
    line.meta = memory_allocate(META_BYTES_MAX, 16);
    line.scratch = memory_allocate(sizeof(*line.scratch), 16);
    return line.meta != NULL && line.scratch != NULL;
}

void link_set_format(enum frame_format format)
{
    line.format = format;
}

void link_set_lava(bool lava)
{
    line.lava = lava;
}

void link_set_on_request(bool on_request)
{
    line.on_request = on_request;
}

void link_set_run(uint64_t run, uint64_t machine)
{
    snprintf(line.run, sizeof(line.run), "%016lx", run);
    snprintf(line.machine, sizeof(line.machine), "%016lx", machine);
    line.tag = coded_tag(line.run);
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

/* Sends the first bytes of line.wire. What the line does not accept is counted as a frame. */
static void send_wire(size_t length)
{
    if (save.write != NULL) {
        write_saved(line.wire, length);
    } else if (other_way != NULL) {
        other_way->write(other_way->context, line.wire, length);
    } else if (line.uart != NULL && !uart_write(line.uart, line.wire, length)) {
        line.frames_skipped++;
    }
}

/* Sends line.frame. The host can ask for a frame that the line does not accept. */
static void send_frame(enum frame_format format)
{
    send_wire(frame_encode(&line.frame, format, line.wire));
}

void line_send_pattern(void)
{
    line_pattern_write(line.wire);
    send_wire(LINE_PATTERN_SIZE);
}

static uint8_t *coded_payload(void)
{
    return line.frame.payload + CODED_TAG_BYTES;
}

static void begin_frame(enum frame_type type, uint16_t stream, uint32_t seq)
{
    line.frame = (struct frame){.type = (uint8_t)type, .stream = stream, .seq = seq};
    coded_put_tag(line.frame.payload, line.tag);
}

static void end_frame(size_t coded)
{
    line.frame.length = (uint16_t)(CODED_TAG_BYTES + coded);
}

/* Fills line.frame with as many whole lines of meta[start..start + length) as fit. META frames hold
 * whole lines, so that each can be read by itself. A line is never longer than a binary frame; in
 * text format, a line that does not fit gets a longer frame. Returns how many bytes of text are in
 * the frame. */
static size_t fill_meta(uint32_t seq, size_t start, size_t length)
{
    size_t taken;

    begin_frame(FRAME_META, META_STREAM, seq);
    size_t coded = text_encode(&line.scratch->text, line.meta + start, length, coded_payload(),
                               payload_max() - CODED_TAG_BYTES, &taken);

    if (taken == 0) {
        coded = text_encode(&line.scratch->text, line.meta + start, length, coded_payload(),
                            FRAME_PAYLOAD_MAX - CODED_TAG_BYTES, &taken);
    }
    end_frame(coded);
    return taken;
}

static void send_meta_frame(uint32_t seq, enum frame_format format)
{
    fill_meta(seq, line.meta_start[seq], line.meta_start[seq + 1] - line.meta_start[seq]);
    send_frame(format);
}

/* Fills line.frame with the lines of the next META frame and returns how many bytes of text it
 * holds. The frame must be the same when it is later sent again from exactly these lines, without
 * text after them. For coded payloads the encoder ensures that; for stored ones, try again with
 * these lines alone until all of them fit. */
static size_t fill_next_meta(void)
{
    size_t length = line.meta_length - line.meta_sent;
    size_t taken;

    while ((taken = fill_meta(line.meta_frames, line.meta_sent, length)) < length &&
           coded_payload()[0] != CODEC_CODED) {
        length = taken;
    }
    return taken;
}

static void close_batch(void);

/* Prints a line of `length` characters; `text` must have room for a line end. */
static void put_text(char *text, size_t length)
{
    journal_text(text, length);
    if (line.uart != NULL) {
        memcpy(text + length, LINE_END, sizeof(LINE_END));
        if (uart_write(line.uart, (const uint8_t *)text, length + sizeof(LINE_END) - 1)) {
            return;
        }
        text[length] = '\0';
    }
    screen_print(text);
}

static void send_texts_behind(void)
{
    const unsigned count = line.behind_count;

    line.behind_count = 0;
    for (unsigned i = 0; i < count; i++) {
        put_text(line.behind[i], strlen(line.behind[i]));
    }
}

void link_flush(void)
{
    close_batch();
    while (line.meta_sent < line.meta_length && line.meta_frames < META_FRAMES_MAX) {
        const size_t length = fill_next_meta();

        line.meta_start[line.meta_frames] = (uint32_t)line.meta_sent;
        seal_put(&line.meta_seal, line.meta + line.meta_sent, length);
        line.meta_sent += length;
        line.meta_start[line.meta_frames + 1] = (uint32_t)line.meta_sent;
        line.meta_frames++;
        line.frames_total++;
        send_frame(line.format);
        journal_note(JOURNAL_META, line.meta_frames - 1);
    }
    send_texts_behind();
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

void link_machine(const char *name, const char *value)
{
    struct record_writer record;

    record_begin(&record, RECORD_MACHINE);
    record_text(&record, FIELD_NAME, name);
    record_text(&record, FIELD_VALUE, value);
    link_record(&record);
}

const char *link_records(size_t *length)
{
    *length = line.meta_length;
    return line.meta;
}

const int64_t *link_samples(uint64_t stream, size_t *count)
{
    if (stream == META_STREAM || stream > line.stream_count || line.streams[stream - 1].type != 0) {
        return NULL;
    }
    *count = line.streams[stream - 1].count;
    return line.streams[stream - 1].memory;
}

/* Formats a text. Returns its length in characters. */
static size_t format_text(char text[TEXT_MAX + sizeof(LINE_END)], const char *format,
                          va_list arguments)
{
    const int length = vsnprintf(text, TEXT_MAX, format, arguments);

    if (length < 0) {
        text[0] = '\0';
        return 0;
    }
    return length < TEXT_MAX ? (size_t)length : TEXT_MAX - 1;
}

void link_text(const char *format, ...)
{
    char text[TEXT_MAX + sizeof(LINE_END)];
    va_list arguments;

    va_start(arguments, format);
    const size_t length = format_text(text, format, arguments);
    va_end(arguments);
    if (journal_is_open() || line.uart != NULL || line.behind_count > 0) {
        link_flush();
    }
    put_text(text, length);
}

void link_text_behind(const char *format, ...)
{
    va_list arguments;

    if (line.behind_count == TEXTS_BEHIND) {
        link_flush();
    }
    va_start(arguments, format);
    format_text(line.behind[line.behind_count++], format, arguments);
    va_end(arguments);
}

void link_lava_text(const char *text)
{
    if (line.lava) {
        link_text("%s", text);
    }
}

void link_lava(const struct lava_case *of)
{
    char text[LAVA_LINE_MAX];

    if (line.lava) {
        lava_line(of, text);
        link_text("%s", text);
    }
}

void link_last_words(const char *text)
{
    if (line.uart != NULL) {
        uart_write(line.uart, (const uint8_t *)text, strlen(text));
    }
    screen_print(text);
}

/* Fills line.frame with samples of a batch, from *place on, and moves *place to the first sample
 * that is not in the frame. */
static void fill_batch(uint16_t number, uint32_t seq, struct series_place *place)
{
    const struct stream *batch = &line.streams[number - 1];

    begin_frame(FRAME_SERIES, number, seq);
    end_frame(series_encode(&line.scratch->series, &line.sources[number], batch->count, place,
                            coded_payload(), payload_max() - CODED_TAG_BYTES));
}

/* Returns whether *place is not yet at the end of the batch. Moves it past series that are finished
 * or have no samples. */
static bool goes_on(uint16_t number, struct series_place *place)
{
    const struct series_source *sources = &line.sources[number];
    const size_t count = line.streams[number - 1].count;

    while (place->series < count && place->sample == sources[place->series].count) {
        place->series++;
        place->sample = 0;
    }
    return place->series < count;
}

/* Returns packet `index` of a trace, counted from the first that is sent. */
static const uint8_t *packet_at(const struct stream *stream, uint64_t index)
{
    const uint64_t slot = (stream->first + index) % stream->count;

    return (const uint8_t *)stream->memory + slot * TRACE_PACKET_BYTES;
}

/* Fills line.frame with records of a packet, from byte *at on, and moves *at past them. Returns
 * whether this was the last frame of the packet. */
static bool fill_trace(uint16_t number, uint32_t seq, size_t packet, uint32_t *at)
{
    const uint8_t *bytes = packet_at(&line.streams[number - 1], packet);

    begin_frame(FRAME_TRACE, number, seq);
    end_frame(trace_encode(&line.scratch->trace, bytes, (uint32_t)packet, at, coded_payload(),
                           payload_max() - CODED_TAG_BYTES));
    return *at >= trace_codec_content(bytes);
}

static uint8_t frames_of_packet(uint16_t number, size_t packet)
{
    uint32_t at = sizeof(struct trace_packet);
    uint8_t frames = 1;

    while (!fill_trace(number, 0, packet, &at)) {
        frames++;
    }
    return frames;
}

static uint32_t count_trace_frames(uint16_t number)
{
    struct stream *stream = &line.streams[number - 1];
    uint32_t frames = 0;

    for (size_t i = 0; i < stream->packets; i++) {
        const uint8_t of_packet = frames_of_packet(number, i);

        frames += of_packet;
        if (stream->per_packet != NULL) {
            stream->per_packet[i] = of_packet;
        }
    }
    return frames;
}

static void forget_place(struct stream *stream)
{
    stream->known_frame = 0;
    stream->known_place = (struct series_place){0};
    stream->known_packet = 0;
    stream->known_byte = sizeof(struct trace_packet);
}

/* Fills line.frame with frame `seq` of a batch and remembers where the next begins: frames that are
 * asked for in order cost no more than when they were first sent. */
static void find_batch_frame(uint16_t number, uint32_t seq)
{
    struct stream *stream = &line.streams[number - 1];

    while (stream->known_frame <= seq) {
        fill_batch(number, stream->known_frame++, &stream->known_place);
    }
}

/* Skips packets all of whose frames come before frame `seq`. */
static void pass_packets(uint16_t number, uint32_t seq)
{
    struct stream *stream = &line.streams[number - 1];

    while (stream->known_byte == sizeof(struct trace_packet)) {
        const uint32_t frames = stream->per_packet != NULL
                                    ? stream->per_packet[stream->known_packet]
                                    : frames_of_packet(number, stream->known_packet);

        if (seq - stream->known_frame < frames) {
            return;
        }
        stream->known_frame += frames;
        stream->known_packet++;
    }
}

/* Fills line.frame with frame `seq` of a trace and remembers where the next begins. */
static void find_trace_frame(uint16_t number, uint32_t seq)
{
    struct stream *stream = &line.streams[number - 1];

    while (stream->known_frame <= seq) {
        pass_packets(number, seq);
        if (fill_trace(number, stream->known_frame++, stream->known_packet, &stream->known_byte)) {
            stream->known_packet++;
            stream->known_byte = sizeof(struct trace_packet);
        }
    }
}

/* Sends frame `seq` of a stream; `seq` must be below stream->frames. */
static void send_stream_frame(uint16_t number, uint32_t seq, enum frame_format format)
{
    struct stream *stream = &line.streams[number - 1];

    if (seq < stream->known_frame) {
        forget_place(stream);
    }
    if (stream->type == FRAME_SERIES) {
        find_batch_frame(number, seq);
    } else {
        find_trace_frame(number, seq);
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

static void note_stream(uint16_t number)
{
    journal_note(JOURNAL_STREAM, number);
    line.frames_total += line.streams[number - 1].frames;
}

/* Adds a stream. Returns NULL if there are too many. */
static struct stream *add_stream(void)
{
    if (line.stream_count == STREAMS_MAX) {
        line.records_lost++;
        return NULL;
    }
    struct stream *stream = &line.streams[line.stream_count++];

    forget_place(stream);
    return stream;
}

/* Starts a record that belongs to a bench. */
static void begin_record(struct record_writer *record, const char *name, const char *bench,
                         unsigned pass)
{
    record_begin(record, name);
    record_text(record, FIELD_BENCH, bench);
    if (pass != 0) {
        record_unsigned(record, FIELD_PASS, pass);
    }
}

/* Opens a batch if none is open. Returns false if there is no room for a batch and a series. */
static bool open_batch(void)
{
    if (line.batch != 0) {
        return true;
    }
    if (line.stream_count + 2 > STREAMS_MAX) {
        line.records_lost++;
        return false;
    }
    add_stream()->type = FRAME_SERIES;
    line.batch = line.stream_count;
    return true;
}

bool link_series(const struct link_series *series)
{
    struct record_writer record;
    struct stream *stream = open_batch() ? add_stream() : NULL;

    if (stream == NULL) {
        return false;
    }
    stream->memory = series->samples;
    stream->count = series->count;
    line.sources[line.stream_count - 1] = (struct series_source){
        .stream = line.stream_count,
        .count = (uint32_t)series->count,
        .samples = series->samples,
    };
    line.streams[line.batch - 1].count++;
    begin_record(&record, RECORD_SERIES, series->bench, series->pass);
    record_unsigned(&record, FIELD_STREAM, line.stream_count);
    record_text(&record, FIELD_NAME, series->name);
    if (series->of != NULL) {
        record_text(&record, FIELD_OF, series->of);
        record_text(&record, FIELD_EVENT, series->event);
    }
    record_text(&record, FIELD_UNIT, series->unit);
    record_unsigned(&record, FIELD_N, series->count);
    record_unsigned(&record, FIELD_BATCH, line.batch);
    link_record(&record);
    return true;
}

/* Seals the samples of a batch. Returns its CRC: over the CRCs of its series that have samples, in
 * their order. */
static uint32_t seal_batch(uint16_t number)
{
    uint32_t crc = 0;

    for (size_t i = 0; i < line.streams[number - 1].count; i++) {
        const struct series_source *source = &line.sources[number + i];

        if (source->count > 0) {
            const size_t size = source->count * sizeof(source->samples[0]);

            crc = coded_batch_crc(crc, crc32c(0, source->samples, size));
            seal_put(&line.data_seal, source->samples, size);
        }
    }
    return crc;
}

/* Ends the current batch and sends its frames. The number of frames is known only when all samples
 * are coded, so frames are sent while they are coded, and the batch's record follows them. */
static void close_batch(void)
{
    const uint16_t number = line.batch;
    struct record_writer record;

    if (number == 0) {
        return;
    }
    struct stream *batch = &line.streams[number - 1];

    line.batch = 0;
    while (goes_on(number, &batch->known_place)) {
        fill_batch(number, batch->known_frame++, &batch->known_place);
        batch->frames++;
        if (!line.on_request) {
            send_frame(line.format);
        }
    }
    record_begin(&record, RECORD_BATCH);
    record_unsigned(&record, FIELD_STREAM, number);
    record_unsigned(&record, FIELD_SERIES, batch->count);
    record_unsigned(&record, FIELD_FRAMES, batch->frames);
    record_unsigned(&record, FIELD_CRC, seal_batch(number));
    link_record(&record);
    note_stream(number);
}

void link_object(const struct link_object *object)
{
    struct record_writer record;

    begin_record(&record, RECORD_OBJECT, object->bench, object->pass);
    record_text(&record, RECORD_KEY(object, kind), object->kind);
    record_unsigned(&record, RECORD_KEY(object, id), object->id);
    record_text(&record, RECORD_KEY(object, name), object->name);
    if (object->has_process) {
        record_unsigned(&record, RECORD_KEY(object, process), object->process);
    }
    if (object->has_priority) {
        record_unsigned(&record, RECORD_KEY(object, priority), object->priority);
    }
    link_record(&record);
}

/* Seals a trace's packets, with zeros after each packet's content. Returns their CRC. */
static uint32_t seal_packets(const struct stream *stream)
{
    static const uint8_t zeroes[TRACE_PACKET_BYTES];
    uint32_t crc = 0;

    for (size_t i = 0; i < stream->packets; i++) {
        const uint32_t content = trace_codec_content(packet_at(stream, i));

        crc = crc32c(crc, packet_at(stream, i), content);
        crc = crc32c(crc, zeroes, TRACE_PACKET_BYTES - content);
        seal_put(&line.data_seal, packet_at(stream, i), content);
        seal_put(&line.data_seal, zeroes, TRACE_PACKET_BYTES - content);
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

static void announce_trace(const struct link_trace *trace, uint16_t number)
{
    const struct stream *stream = &line.streams[number - 1];
    struct record_writer record;

    begin_record(&record, RECORD_TRACE, trace->bench, trace->pass);
    record_unsigned(&record, FIELD_STREAM, number);
    record_unsigned(&record, FIELD_PART, trace->part);
    record_text(&record, FIELD_MODE, trace->mode);
    record_unsigned(&record, FIELD_CPU, trace->cpu);
    record_unsigned(&record, FIELD_BEGIN, trace->begin);
    record_unsigned(&record, FIELD_END, trace->end);
    record_unsigned(&record, FIELD_BYTES, trace->count * (uint64_t)TRACE_PACKET_BYTES);
    record_unsigned(&record, FIELD_PACKET_BYTES, TRACE_PACKET_BYTES);
    record_unsigned(&record, FIELD_FRAMES, stream->frames);
    record_unsigned(&record, FIELD_CONTENT_CRC, seal_packets(stream));
    record_unsigned(&record, FIELD_KEPT, trace->kept);
    record_unsigned(&record, FIELD_DISCARDED, trace->discarded);
    record_unsigned(&record, FIELD_OVERWRITTEN, trace->overwritten);
    add_costs(&record, trace);
    link_record(&record);
}

/* The record is sent first, so that a program that follows the line knows what the frames are. */
bool link_trace(const struct link_trace *trace)
{
    close_batch();
    struct stream *stream = add_stream();

    if (stream == NULL) {
        return false;
    }
    const uint16_t number = line.stream_count;

    stream->type = FRAME_TRACE;
    stream->memory = trace->memory;
    stream->count = trace->ring_packets;
    stream->first = trace->first;
    stream->packets = trace->count;
    stream->per_packet = trace->count > 0 ? memory_allocate(trace->count, 1) : NULL;
    stream->frames = count_trace_frames(number);
    announce_trace(trace, number);
    link_flush();
    note_stream(number);
    for (uint32_t seq = 0; seq < stream->frames && !line.on_request; seq++) {
        send_stream_frame(number, seq, line.format);
    }
    return true;
}

void line_answer(struct record_writer *record, enum frame_type type, enum frame_format format)
{
    line.frame = (struct frame){.type = (uint8_t)type, .stream = META_STREAM};
    line.frame.length = (uint16_t)record_finish(record);
    memcpy(line.frame.payload, record->line, line.frame.length);
    send_frame(format);
}

static void send_lane(size_t index)
{
    const struct live_lane *lane = &save.live.lanes[index];
    struct record_writer record;

    if (lane->is_news && live_gaps_write(&record, save.live.bench, save.live.pass, &lane->gaps)) {
        line_answer(&record, FRAME_ANSWER, line.format);
    }
}

void link_live(const char *bench, unsigned pass, const struct live_lane *lanes, size_t count)
{
    link_flush();
    save.live.bench = bench;
    save.live.pass = pass;
    save.live.lanes = lanes;
    save.live.count = count;
    save.live.next = 0;
    for (size_t i = 0; i < count; i++) {
        send_lane(i);
    }
}

void line_send_end(enum frame_format format)
{
    struct record_writer record;
    char seal[SEAL_TEXT];

    link_flush();
    record_begin(&record, RECORD_END);
    record_unsigned(&record, FIELD_META, line.meta_frames);
    record_unsigned(&record, FIELD_FRAMES, line.frames_total);
    record_unsigned(&record, FIELD_RECORDS_LOST, line.records_lost);
    if (line.run[0] != '\0') {
        record_text(&record, INFO_RUN, line.run);
        record_text(&record, INFO_FINGERPRINT, line.machine);
    }
    record.line[record.length] = '\0';
    seal_run(&line.data_seal, &line.meta_seal, record.line, seal);
    record_text(&record, INFO_SEAL, seal);
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

/* Writes END. If text was dropped for lack of room, a line first says how much. */
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

/* Writes the progress of a watch. It is no part of the journal. */
static void save_lanes(void)
{
    while (save.live.next < save.live.count && !save.refused) {
        send_lane(save.live.next);
        save.live.next += save.refused ? 0 : 1;
    }
    save.frame = 0;
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
    if (!save.refused) {
        save_lanes();
    }
    const bool complete = !save.refused;

    link_save_abandon();
    return complete;
}

void link_save_again(void)
{
    save.entry = 0;
    save.frame = 0;
}

void link_save_abandon(void)
{
    save.write = NULL;
    save.refused = false;
}
