/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Input made to hurt: one kind of record, line or row over and over. The memory that a reader takes
 * stays below what its header states, and its time does not grow with the square of the input.
 */
#include <stdlib.h>
#include <time.h>

#include "kernel/link/coded.h"
#include "kernel/link/frame.h"
#include "kernel/link/record.h"
#include "kernel/link/series_codec.h"
#include "kernel/link/trace_codec.h"
#include "tools/base/alloc.h"
#include "tools/sim/model/model.h"
#include "tools/tests/support/log_builder.h"
#include "tools/tests/support/peak_memory.h"
#include "tools/tests/support/unit.h"
#include "tools/wire/decoder.h"

#define LOG_BYTES      (256u << 10)
#define LOG_START      (512u << 10)
#define LOG_BYTE_BYTES 64         /* for each byte: tools/wire/decoder.h */
#define TEXT_MOST      (1u << 20) /* in coded frames */
#define SAMPLES_MOST   (8u << 20) /* bytes of samples in memory */
/* Of processor time, with sanitizers, on a processor that others use as well. A coded log holds
 * four times the records of a plain one of its length; lookups among RUN_SERIES_MAX of them take 4
 * s. */
#define SECONDS_MAX 10

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- logs ---- */

struct log {
    uint8_t *wire;
    size_t length;
    struct frame meta;
};

static void add_frame(struct log *log, const struct frame *frame)
{
    log->length += frame_encode(frame, FRAME_BINARY, log->wire + log->length);
}

static void decode(const struct log *log)
{
    struct decoder *decoder = decoder_create();
    struct decoder_range range;
    struct run run;

    decoder_push(decoder, log->wire, log->length);
    decoder_missing(decoder, &range, 1);
    run_init(&run);
    decoder_finish(decoder, &run);
    run_free(&run);
    decoder_destroy(decoder);
}

/* `more`: beyond what the bytes of the log may take. */
static void check_log(const char *what, const struct log *log, size_t more)
{
    const size_t most = LOG_START + log->length * LOG_BYTE_BYTES + more;
    const double start = seconds();

    peak_memory_start();
    decode(log);
    const size_t peak = peak_memory();
    const double took = seconds() - start;

    if (getenv("HOSTILE_PRINT") != NULL || peak > most || took > SECONDS_MAX) {
        fprintf(stderr, "%s: %zu bytes take %zu, %.1f a byte, and %.2f s\n", what, log->length,
                peak, (double)peak / (double)log->length, took);
    }
    CHECK(peak <= most);
    CHECK(took <= SECONDS_MAX);
}

static const char *const records[] = {
    "plan text=a",
    "machine name=%x",
    "run %x=a",
    "tare format=9",
    "source name=a",
    "estimate clock=a reference=a hz=1 windows=0",
    "counter name=a state=b",
    "event name=%x state=absent",
    "event name=a state=absent pass=%u",
    "bench name=%x",
    "bench name=a pass=%u",
    "status bench=%x state=OK",
    "param bench=%x name=a",
    "param bench=a name=a",
    "fact bench=a name=%x value=0",
    "absent bench=a name=%x",
    "expect bench=a series=%x",
    "object bench=a kind=b name=c id=%u",
    "batch stream=%u series=1 frames=0",
    "series bench=a name=%x stream=%u n=0 batch=1 crc=0",
    "series bench=a name=%x stream=%u n=1 batch=1 of=a event=%1$x",
    ("trace bench=a part=%u stream=%u frames=0 packet_bytes=8192 bytes=0 content_crc=0 mode=a "
     "cpu=0 begin=0 end=0 kept=0 discarded=0 overwritten=0 record=0 lead=0 extended=0 isr_lead=0 "
     "isr_trail=0 switch_trail=0"),
    "crash a=a",
    "frame depth=1",
    "interrupt vector=0 count=0",
    "error",
    "?",
};

static uint8_t *begin_coded(struct frame *frame, uint8_t type, uint16_t stream, uint32_t seq)
{
    *frame = (struct frame){.type = type, .stream = stream, .seq = seq};
    coded_put_tag(frame->payload, coded_tag(""));
    return frame->payload + CODED_TAG_BYTES;
}

#define CODED_ROOM (FRAME_PAYLOAD_MAX - CODED_TAG_BYTES)

/* Records as many as the decoder takes and more, in as few bytes as the codec can. `form` takes a
 * number that counts, twice where it wants. */
static void make_log(struct log *log, const char *form)
{
    const size_t size = TEXT_MOST + TEXT_MOST / 4;
    char *text = alloc_zeroed(size + RECORD_LINE_MAX);
    size_t length = 0;
    uint32_t seq = 0;

    for (unsigned i = 1; length < size; i++) {
        length += (size_t)snprintf(text + length, RECORD_LINE_MAX, form, i, i);
        text[length++] = '\n';
    }
    *log = (struct log){.wire = alloc_zeroed(2 * size)};
    for (size_t at = 0; at < length;) {
        at += log_meta_frame(&log->meta, seq++, text + at, length - at);
        add_frame(log, &log->meta);
    }
    free(text);
}

static void test_records(void)
{
    struct log log;

    for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
        make_log(&log, records[i]);
        check_log(records[i], &log, LOG_BYTE_BYTES * (size_t)TEXT_MOST);
        free(log.wire);
    }
}

static void add_record(struct log *log, const char *line)
{
    log_meta_frame(&log->meta, 0, line, strlen(line));
    add_frame(log, &log->meta);
}

/* As many samples as a codec can put into few bytes: all the same. */
static void test_samples(void)
{
    const uint32_t count = 8 << 20;
    static struct series_codec codec;
    int64_t *samples = alloc_zeroed(count * sizeof(*samples));
    const struct series_source source = {2, count, samples};
    struct series_place place = {0};
    struct log log = {.wire = alloc_zeroed(2 * count * sizeof(*samples))};
    char line[200];
    uint32_t seq = 0;

    while (place.series == 0) {
        uint8_t *payload = begin_coded(&log.meta, FRAME_SERIES, 1, seq++);

        log.meta.length = (uint16_t)(CODED_TAG_BYTES + series_encode(&codec, &source, 1, &place,
                                                                     payload, CODED_ROOM));
        add_frame(&log, &log.meta);
    }
    snprintf(
        line, sizeof(line),
        "batch stream=1 series=1 frames=%u\nseries stream=2 bench=a name=b n=%u batch=1 crc=0\n",
        seq, count);
    add_record(&log, line);
    free(samples);
    check_log("samples that are all the same", &log, SAMPLES_MOST);
    free(log.wire);
}

/* Packets without records take next to nothing. */
static void test_packets(void)
{
    static struct trace_codec codec;
    static uint8_t packet[TRACE_PACKET_BYTES];
    const struct trace_packet header = {.magic = TRACE_PACKET_MAGIC,
                                        .uuid = TRACE_UUID,
                                        .content_bits = 8 * sizeof(header),
                                        .packet_bits = 8ull * TRACE_PACKET_BYTES};
    struct log log = {.wire = alloc_zeroed(LOG_BYTES + 2 * FRAME_WIRE_MAX)};
    char line[400];
    uint32_t seq = 0;

    memcpy(packet, &header, sizeof(header));
    for (; log.length < LOG_BYTES; seq++) {
        uint32_t at = sizeof(header);
        uint8_t *payload = begin_coded(&log.meta, FRAME_TRACE, 1, seq);

        log.meta.length = (uint16_t)(CODED_TAG_BYTES +
                                     trace_encode(&codec, packet, seq, &at, payload, CODED_ROOM));
        add_frame(&log, &log.meta);
    }
    snprintf(line, sizeof(line),
             "trace bench=a part=1 stream=1 frames=%u packet_bytes=8192 bytes=%llu content_crc=0 "
             "mode=a cpu=0 begin=0 end=0 kept=0 discarded=0 overwritten=0 record=0 lead=0 "
             "extended=0 isr_lead=0 isr_trail=0 switch_trail=0\n",
             seq, (unsigned long long)seq * TRACE_PACKET_BYTES);
    add_record(&log, line);
    check_log("packets without records", &log, 0);
    free(log.wire);
}

/* Each in its own frame, with one missing between them. */
static void test_frames(void)
{
    static const char *const lines[] = {"?", "bench name=%x", "error"};

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        struct log log = {.wire = alloc_zeroed(LOG_BYTES + FRAME_WIRE_MAX)};
        size_t text = 0;

        for (unsigned k = 0; log.length < LOG_BYTES; k++) {
            char line[RECORD_LINE_MAX];
            const size_t length = (size_t)snprintf(line, sizeof(line), lines[i], k);

            text += log_meta_frame(&log.meta, 2 * k, line, length);
            add_frame(&log, &log.meta);
        }
        check_log(lines[i], &log, LOG_BYTE_BYTES * text);
        free(log.wire);
    }
}

/* ---- models ---- */

#define MODEL_BYTES 200000

/* `begin`, then lines of `form`, which takes a number that counts. */
static char *make_model(const char *begin, const char *form)
{
    char *text = alloc_zeroed(2 * MODEL_BYTES);
    size_t length = (size_t)sprintf(text, "%s", begin);

    for (unsigned i = 1; length < MODEL_BYTES; i++) {
        length += (size_t)sprintf(text + length, form, i);
    }
    return text;
}

/* It is refused in time, for a reason that holds `why`. */
static void check_model(const char *begin, const char *form, size_t most, const char *why)
{
    char *text = make_model(begin, form);
    struct sim_model_error error;
    struct sim_model model;
    const double start = seconds();

    peak_memory_start();
    CHECK(!sim_model_read(&model, text, strlen(text), NULL, NULL, 0, &error));
    const size_t peak = peak_memory();
    const double took = seconds() - start;

    if (getenv("HOSTILE_PRINT") != NULL || peak > most || strstr(error.text, why) == NULL) {
        fprintf(stderr, "%s: %zu bytes, %.2f s: %s\n", form, peak, took, error.text);
    }
    CHECK(strstr(error.text, why) != NULL);
    CHECK(peak <= most);
    CHECK(took <= SECONDS_MAX);
    free(text);
}

/* A list of many values that many loads use: each has a copy. */
static void test_list_used_often(void)
{
    char *begin = alloc_zeroed(100000);
    size_t length = (size_t)sprintf(begin, "levels a\n");

    for (unsigned i = 0; i < 40; i++) {
        length += (size_t)sprintf(begin + length, "values v");
        for (unsigned k = 0; k < 1000; k++) {
            length += (size_t)sprintf(begin + length, " 1");
        }
        length += (size_t)sprintf(begin + length, "\n");
    }
    check_model(begin, "load l%u at a service values v occupancy 0.0001%%\n", 256u << 20,
                "in total");
    free(begin);
}

static void test_models(void)
{
    check_model("levels a\n", "values v%u 1\n", 8u << 20, "more than 10000 lists");
    test_list_used_often();
}

int main(void)
{
    RUN(test_models());
    RUN(test_records());
    RUN(test_samples());
    RUN(test_packets());
    RUN(test_frames());
    return unit_finish("unit_hostile");
}
