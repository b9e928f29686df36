/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/link/link.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/dev/screen.h"
#include "kernel/idle/idle_loop.h"
#include "kernel/link/crc32c.h"
#include "kernel/link/residual.h"
#include "kernel/mem/memory.h"

#define META_STREAM     0
#define META_BYTES_MAX  (256u << 10)
#define META_FRAMES_MAX 2048
#define SERIES_MAX      512
#define TEXT_MAX        900
/* Between two looks at the receiver: some 10 us of spinning, so that waiting costs emulated time
 * and not emulator time; its FIFO takes 1.4 ms to fill at 115200 baud. */
#define POLL_SPIN 4000
/* Where no rate could be measured: a wait that is somewhat off still ends. */
#define ASSUMED_HZ 1000000000ull

struct series_state {
    struct link_series series;
    int64_t nominal;
    uint32_t frames;
};

static struct {
    struct uart *uart;
    enum frame_format format;
    char *meta; /* all records, in order */
    size_t meta_length;
    size_t meta_sent;                         /* bytes of meta that are in frames */
    uint32_t meta_start[META_FRAMES_MAX + 1]; /* where each META frame begins */
    uint32_t meta_frames;
    struct series_state series[SERIES_MAX];
    uint16_t series_count;
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
static size_t fill_series_frame(const struct series_state *state, size_t first)
{
    size_t taken;

    line.frame.length =
        (uint16_t)residual_encode(state->series.samples, first, state->series.count, state->nominal,
                                  line.frame.payload, payload_max(), &taken);
    return taken;
}

static uint32_t count_series_frames(const struct series_state *state)
{
    uint32_t frames = 0;

    for (size_t first = 0; first < state->series.count; frames++) {
        first += fill_series_frame(state, first);
    }
    return frames;
}

/* Sends the frames [from, from + count) of a stream. Where a frame begins is found by encoding all
 * before it: repairs are rare, and an index would cost memory always. */
static void send_series_frames(uint16_t stream, uint32_t from, uint32_t count)
{
    const struct series_state *state = &line.series[stream - 1];
    size_t first = 0;

    for (uint32_t seq = 0; seq < state->frames && (seq < from || seq - from < count); seq++) {
        line.frame = (struct frame){.type = FRAME_SERIES, .stream = stream, .seq = seq};
        first += fill_series_frame(state, first);
        if (seq >= from && seq - from < count) {
            send_frame();
        }
    }
}

bool link_series(const struct link_series *series)
{
    struct record_writer record;

    if (line.series_count == SERIES_MAX) {
        line.records_lost++;
        return false;
    }
    struct series_state *state = &line.series[line.series_count++];

    state->series = *series;
    state->nominal = residual_nominal(series->samples, series->count);
    state->frames = count_series_frames(state);
    record_begin(&record, "series");
    record_unsigned(&record, "stream", line.series_count);
    record_text(&record, "bench", series->bench);
    if (series->pass != 0) {
        record_unsigned(&record, "pass", series->pass);
    }
    record_text(&record, "name", series->name);
    if (series->of != NULL) {
        record_text(&record, "of", series->of);
        record_text(&record, "event", series->event);
    }
    record_text(&record, "unit", series->unit);
    record_unsigned(&record, "n", series->count);
    record_unsigned(&record, "frames", state->frames);
    record_signed(&record, "nominal", state->nominal);
    record_unsigned(&record, "crc",
                    crc32c(0, series->samples, series->count * sizeof(series->samples[0])));
    link_record(&record);
    line.frames_total += state->frames;
    send_series_frames(line.series_count, 0, state->frames);
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
        !record_value_unsigned(request, "count", &count) || stream > line.series_count) {
        return;
    }
    if (stream != META_STREAM) {
        send_series_frames((uint16_t)stream, (uint32_t)first, (uint32_t)count);
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
