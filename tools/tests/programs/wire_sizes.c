/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a log of coded frames takes on the line, by what its frames hold: one line of
 * `KIND FRAMES BYTES ITEMS NANOSECONDS` each, the last being the processor's time to decode them.
 * Items of meta are bytes of text, of series samples, of traces records. `all` has the bytes of the
 * log. Frames that came twice count twice.
 *
 *     wire_sizes LOG
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernel/link/coded.h"
#include "kernel/link/frame.h"
#include "kernel/link/series_codec.h"
#include "kernel/link/text_codec.h"
#include "kernel/link/trace_codec.h"

enum kind { KIND_META, KIND_SERIES, KIND_TRACES, KIND_OTHER, KINDS };

static struct {
    uint64_t frames, bytes, items, ns;
} sums[KINDS];

static size_t text_items(const uint8_t *payload, size_t length)
{
    static struct text_codec codec;
    static char text[TEXT_CODEC_RAW_MAX];
    const ptrdiff_t bytes = text_decode(&codec, payload, length, text, sizeof(text));

    return bytes > 0 ? (size_t)bytes : 0;
}

static size_t series_items(const uint8_t *payload, size_t length)
{
    static struct series_codec codec;
    static struct series_part parts[SERIES_CODEC_PARTS_MAX];
    static int64_t samples[SERIES_CODEC_SAMPLES_MAX];
    const ptrdiff_t count = series_decode(&codec, payload, length, parts, samples);
    size_t items = 0;

    for (ptrdiff_t i = 0; i < count; i++) {
        items += parts[i].count;
    }
    return items;
}

static size_t trace_items(const uint8_t *payload, size_t length)
{
    static struct trace_codec codec;
    static uint8_t packet[TRACE_PACKET_BYTES];
    struct trace_piece piece = {0};

    return trace_decode(&codec, payload, length, packet, &piece) ? piece.records : 0;
}

static uint64_t cpu_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void add_frame(const struct frame *frame, enum frame_format format)
{
    uint8_t wire[FRAME_WIRE_MAX];
    enum kind kind = KIND_OTHER;
    size_t items = 1;
    const uint64_t begin = cpu_ns();

    if (coded_type(frame->type) && frame->length >= CODED_TAG_BYTES) {
        const uint8_t *payload = frame->payload + CODED_TAG_BYTES;
        const size_t length = frame->length - CODED_TAG_BYTES;

        if (frame->type == FRAME_META) {
            kind = KIND_META;
            items = text_items(payload, length);
        } else if (frame->type == FRAME_SERIES) {
            kind = KIND_SERIES;
            items = series_items(payload, length);
        } else {
            kind = KIND_TRACES;
            items = trace_items(payload, length);
        }
    }
    sums[kind].ns += cpu_ns() - begin;
    sums[kind].frames++;
    sums[kind].bytes += frame_encode(frame, format, wire);
    sums[kind].items += items;
}

int main(int argc, char **argv)
{
    static const char *const names[KINDS] = {"meta", "series", "traces", "other"};
    static struct frame_reader reader;
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    struct frame frame;
    uint64_t bytes = 0;
    uint64_t frames = 0;
    int byte;

    if (file == NULL) {
        fprintf(stderr, "usage: wire_sizes LOG\n");
        return 2;
    }
    frame_reader_init(&reader);
    while ((byte = fgetc(file)) != EOF) {
        bytes++;
        if (frame_reader_push(&reader, (uint8_t)byte, &frame) == FRAME_READER_FRAME) {
            add_frame(&frame, reader.behind_text_frame ? FRAME_TEXT : FRAME_BINARY);
            frames++;
        }
    }
    fclose(file);
    for (unsigned i = 0; i < KINDS; i++) {
        printf("%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", names[i], sums[i].frames,
               sums[i].bytes, sums[i].items, sums[i].ns);
    }
    printf("all %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", frames, bytes, bytes);
    return 0;
}
