/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/tests/support/log_builder.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/coded.h"
#include "kernel/link/encoding.h"
#include "kernel/link/series_codec.h"
#include "kernel/link/text_codec.h"
#include "kernel/link/trace_codec.h"
#include "kernel/trace/packet.h"
#include "tools/base/alloc.h"
#include "tools/base/trace_bytes.h"
#include "tools/tests/support/unit.h"

#define FLOOR_TICKS     1000008
#define TICK_PERIOD     10000000
#define BRACKET_TICKS   64 /* overhead outside the bracket */
#define ITERATION_TICKS 24
#define LOAD_EVENTS     12
#define BATCH_SERIES    4

#define FINGERPRINT " fingerprint=00000000000000f0"

#define SWITCH_ID    2 /* thread_switch: u16 old, u16 new, u8 why */
#define SWITCH_BYTES (TRACE_HEADER_COMPACT + 5)
#define SWITCH_TICKS 400
_Static_assert((TRACE_PACKET_BYTES - sizeof(struct trace_packet)) / SWITCH_BYTES ==
                   LOG_PACKET_RECORDS,
               "a packet is full");

void log_init(struct log_builder *log, enum frame_format format)
{
    memset(log, 0, sizeof(*log));
    log->format = format;
    seal_begin(&log->meta_seal);
    log->payload_max = format == FRAME_TEXT ? FRAME_TEXT_PAYLOAD_MAX : FRAME_PAYLOAD_MAX;
}

void log_free(struct log_builder *log)
{
    for (size_t i = 0; i < log->truth_count; i++) {
        free(log->truths[i].samples);
        free(log->truths[i].packets);
    }
    free(log->truths);
    free(log->frames);
    free(log->text);
}

static struct frame *add_frame(struct log_builder *log)
{
    log->frames =
        alloc_append(log->frames, &log->frame_count, &log->frame_capacity, sizeof(*log->frames));
    return &log->frames[log->frame_count - 1];
}

static uint8_t *begin_coded(struct frame *frame, const struct log_builder *log, uint8_t type,
                            uint16_t stream, uint32_t seq)
{
    *frame = (struct frame){.type = type, .stream = stream, .seq = seq};
    coded_put_tag(frame->payload, coded_tag(log->run != NULL ? log->run : ""));
    return frame->payload + CODED_TAG_BYTES;
}

static void end_coded(struct frame *frame, size_t size)
{
    frame->length = (uint16_t)(CODED_TAG_BYTES + size);
}

static struct text_codec text_codec;

size_t log_meta_frame(struct frame *frame, uint32_t seq, const char *text, size_t length)
{
    const struct log_builder nameless = {0};
    uint8_t *payload = begin_coded(frame, &nameless, FRAME_META, 0, seq);
    size_t taken;

    end_coded(frame, text_encode(&text_codec, text, length, payload,
                                 FRAME_PAYLOAD_MAX - CODED_TAG_BYTES, &taken));
    return taken;
}

static void flush_meta(struct log_builder *log)
{
    seal_put(&log->meta_seal, log->text, log->text_length);
    for (size_t at = 0, taken; at < log->text_length; at += taken) {
        struct frame *frame = add_frame(log);
        uint8_t *payload = begin_coded(frame, log, FRAME_META, 0, log->meta_frames++);
        size_t size = text_encode(&text_codec, log->text + at, log->text_length - at, payload,
                                  log->payload_max - CODED_TAG_BYTES, &taken);

        if (taken == 0) {
            size = text_encode(&text_codec, log->text + at, log->text_length - at, payload,
                               FRAME_PAYLOAD_MAX - CODED_TAG_BYTES, &taken);
        }
        end_coded(frame, size);
    }
    log->text_length = 0;
}

void log_record(struct log_builder *log, const char *line)
{
    const size_t length = strlen(line);

    if (log->run != NULL && strncmp(line, "tare ", 5) == 0 && strstr(line, " run=") == NULL) {
        log_recordf(log, "%s run=%s", line, log->run);
        return;
    }
    log->text = alloc_grow(log->text, &log->text_capacity, log->text_length + length + 1, 1);
    memcpy(log->text + log->text_length, line, length);
    log->text[log->text_length + length] = '\n';
    log->text_length += length + 1;
}

void log_recordf(struct log_builder *log, const char *format, ...)
{
    char line[RECORD_LINE_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    log_record(log, line);
}

static uint32_t samples_crc(const int64_t *samples, size_t n)
{
    const struct run_series series = {.samples = (int64_t *)samples, .received = n};

    return run_series_crc(&series);
}

/* Adds the truth of the next stream, without its contents. */
static struct log_truth *add_truth(struct log_builder *log, const char *bench, const char *name,
                                   size_t n)
{
    log->truths =
        alloc_append(log->truths, &log->truth_count, &log->truth_capacity, sizeof(*log->truths));
    struct log_truth *truth = &log->truths[log->truth_count - 1];

    snprintf(truth->bench, sizeof(truth->bench), "%s", bench);
    truth->pass = log->pass > 0 ? log->pass : 1;
    snprintf(truth->name, sizeof(truth->name), "%s", name);
    truth->stream = ++log->stream_count;
    truth->n = n;
    return truth;
}

static void *copy_of(const void *bytes, size_t size)
{
    void *copy = alloc_zeroed(size);

    return size > 0 ? memcpy(copy, bytes, size) : copy;
}

/* " pass=2", or nothing. */
static const char *pass_text(const struct log_builder *log, char text[24])
{
    text[0] = '\0';
    if (log->pass > 0) {
        snprintf(text, 24, " pass=%" PRIu32, log->pass);
    }
    return text;
}

/* Adds the frames of the series from `first` on, which are all of a batch. */
static uint32_t code_batch(struct log_builder *log, const struct log_truth *first, size_t count)
{
    static struct series_codec codec;
    struct series_source *sources = alloc_zeroed(count * sizeof(*sources));
    struct series_place place = {0};
    uint32_t frames = 0;

    for (size_t i = 0; i < count; i++) {
        sources[i] =
            (struct series_source){first[i].stream, (uint32_t)first[i].n, first[i].samples};
    }
    for (;; frames++) {
        struct frame frame;
        uint8_t *payload = begin_coded(&frame, log, FRAME_SERIES, log->batch, frames);
        const size_t size = series_encode(&codec, sources, count, &place, payload,
                                          log->payload_max - CODED_TAG_BYTES);

        if (size == 0) {
            break;
        }
        end_coded(&frame, size);
        *add_frame(log) = frame;
    }
    free(sources);
    return frames;
}

static uint32_t batch_crc(const struct log_truth *first, size_t count)
{
    uint32_t crc = 0;

    for (size_t i = 0; i < count; i++) {
        crc =
            first[i].n > 0 ? coded_batch_crc(crc, samples_crc(first[i].samples, first[i].n)) : crc;
    }
    return crc;
}

static void close_batch(struct log_builder *log)
{
    if (log->batch == 0) {
        return;
    }
    const struct log_truth *first = log->truths + log->truth_count - log->batch_size;
    const uint32_t frames = code_batch(log, first, log->batch_size);

    log_recordf(log, "batch stream=%u series=%u frames=%" PRIu32 " crc=%" PRIu32, log->batch,
                log->batch_size, frames, batch_crc(first, log->batch_size));
    log->batch = 0;
    log->batch_size = 0;
}

/* `more` is written at the end of the record. */
static void put_series(struct log_builder *log, const char *bench, const char *name,
                       const char *unit, const char *more, const int64_t *samples, size_t n)
{
    char pass[24];

    flush_meta(log);
    if (log->batch_size == BATCH_SERIES) {
        close_batch(log);
    }
    if (log->batch == 0) {
        log->batch = ++log->stream_count;
    }
    struct log_truth *truth = add_truth(log, bench, name, n);

    truth->batch = log->batch;
    truth->samples = copy_of(samples, n * sizeof(*samples));
    log->batch_size++;
    log_recordf(log, "series stream=%u bench=%s name=%s unit=%s n=%zu batch=%u%s%s", truth->stream,
                bench, name, unit, n, log->batch, pass_text(log, pass), more);
}

void log_series(struct log_builder *log, const char *bench, const char *name, const char *unit,
                const int64_t *samples, size_t n)
{
    put_series(log, bench, name, unit, "", samples, n);
}

void log_counts(struct log_builder *log, const char *bench, const char *of, const char *event,
                const int64_t *samples, size_t n)
{
    char name[64];
    char more[96];

    snprintf(name, sizeof(name), "%s.%s", of, event);
    snprintf(more, sizeof(more), " of=%s event=%s", of, event);
    put_series(log, bench, name, "count", more, samples, n);
}

/* The records of one packet, from `tsc` on. */
static void fill_packet(uint8_t *packet, uint64_t tsc, uint64_t *seed)
{
    uint8_t *at = packet + sizeof(struct trace_packet);

    for (unsigned i = 0; i < LOG_PACKET_RECORDS; i++, tsc += SWITCH_TICKS) {
        const uint64_t draw = unit_random(seed);
        const uint8_t fields[] = {(uint8_t)(i & 1), 0, (uint8_t)(~i & 1), 0, (uint8_t)(draw % 13)};

        for (unsigned k = 0; k < TRACE_HEADER_COMPACT; k++) {
            *at++ = (uint8_t)((tsc << TRACE_ID_BITS | SWITCH_ID) >> (8 * k));
        }
        memcpy(at, fields, sizeof(fields));
        at += sizeof(fields);
    }
}

uint8_t *log_packets(uint64_t first, size_t n, uint64_t seed)
{
    const uint64_t ticks = (uint64_t)LOG_PACKET_RECORDS * SWITCH_TICKS;
    uint8_t *packets = alloc_zeroed(n * TRACE_PACKET_BYTES);

    for (size_t i = 0; i < n; i++) {
        const struct trace_packet header = {
            .magic = TRACE_PACKET_MAGIC,
            .uuid = TRACE_UUID,
            .begin = (first + i) * ticks,
            .end = (first + i + 1) * ticks,
            .content_bits = 8 * (sizeof(header) + (uint64_t)LOG_PACKET_RECORDS * SWITCH_BYTES),
            .packet_bits = 8ull * TRACE_PACKET_BYTES,
            .sequence = first + i,
        };

        memcpy(packets + i * TRACE_PACKET_BYTES, &header, sizeof(header));
        fill_packet(packets + i * TRACE_PACKET_BYTES, header.begin, &seed);
    }
    return packets;
}

static struct trace_packet header_of(const uint8_t *packet)
{
    struct trace_packet header;

    memcpy(&header, packet, sizeof(header));
    return header;
}

/* Returns the coded frames of the packets; the caller frees them. */
static struct frame *code_packets(const struct log_builder *log, uint16_t stream,
                                  const uint8_t *packets, size_t n, size_t *count)
{
    static struct trace_codec codec;
    struct frame *frames = NULL;
    size_t capacity = 0;

    *count = 0;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *packet = packets + i * TRACE_PACKET_BYTES;
        uint32_t at = sizeof(struct trace_packet);

        do {
            frames = alloc_append(frames, count, &capacity, sizeof(*frames));
            struct frame *frame = &frames[*count - 1];
            uint8_t *payload = begin_coded(frame, log, FRAME_TRACE, stream, (uint32_t)(*count - 1));

            end_coded(frame, trace_encode(&codec, packet, (uint32_t)i, &at, payload,
                                          log->payload_max - CODED_TAG_BYTES));
        } while (at < trace_codec_content(packet));
    }
    return frames;
}

void log_trace(struct log_builder *log, const char *bench, uint32_t part, const uint8_t *packets,
               size_t n, uint64_t kept)
{
    close_batch(log);
    const size_t size = n * TRACE_PACKET_BYTES;
    struct log_truth *truth = add_truth(log, bench, "", n);
    size_t count;
    struct frame *frames = code_packets(log, truth->stream, packets, n, &count);
    const uint64_t begin = n > 0 ? header_of(packets).begin : 0;
    const uint64_t end = n > 0 ? header_of(packets + size - TRACE_PACKET_BYTES).end : 0;
    char pass[24];

    truth->part = part;
    truth->packets = copy_of(packets, size);
    log_recordf(log,
                "trace stream=%u bench=%s part=%" PRIu32 " mode=stop cpu=%" PRIu32 " begin=%" PRIu64
                " end=%" PRIu64 " "
                "bytes=%zu packet_bytes=%d frames=%zu content_crc=%" PRIu32 " kept=%" PRIu64
                " discarded=0 overwritten=0 record=176 lead=88 extended=240 "
                "isr_lead=40 isr_trail=48 dpc_trail=52 switch_trail=56%s",
                truth->stream, bench, part, log->cpu, begin, end, size, TRACE_PACKET_BYTES, count,
                crc32c(0, packets, size), kept, pass_text(log, pass));
    flush_meta(log);
    for (size_t i = 0; i < count; i++) {
        *add_frame(log) = frames[i];
    }
    free(frames);
}

int64_t log_count(const char *event, int64_t ticks)
{
    const bool interrupted = ticks >= FLOOR_TICKS + 1000;

    if (strcmp(event, "cycles") == 0) {
        return ticks + ticks / 4;
    }
    if (strcmp(event, "instructions") == 0) {
        return ticks / 2;
    }
    if (strcmp(event, "branches") == 0) {
        return ticks / 4;
    }
    if (strcmp(event, "interrupts") == 0) {
        return interrupted;
    }
    return interrupted ? 5 : ticks / FLOOR_TICKS;
}

/* Adds a series, and the counts of the log's events in it. */
static void counted_series(struct log_builder *log, const char *bench, const char *name,
                           const int64_t *samples, size_t n)
{
    int64_t *counts = alloc_zeroed(n * sizeof(*counts));

    log_series(log, bench, name, "tick", samples, n);
    for (size_t e = 0; log->events != NULL && log->events[e] != NULL; e++) {
        for (size_t i = 0; i < n; i++) {
            counts[i] = log_count(log->events[e], samples[i]);
        }
        log_counts(log, bench, name, log->events[e], counts, n);
    }
    free(counts);
}

const struct log_truth *log_truth_of(const struct log_builder *log, uint16_t stream)
{
    for (size_t i = 0; i < log->truth_count; i++) {
        if (log->truths[i].stream == stream) {
            return &log->truths[i];
        }
    }
    return NULL;
}

/* Writes the seal of a log whose END is `end` so far. */
static void write_seal(const struct log_builder *log, const char *end, char text[SEAL_TEXT])
{
    struct seal data;

    seal_begin(&data);
    for (size_t i = 0; i < log->truth_count; i++) {
        const struct log_truth *truth = &log->truths[i];

        if (truth->samples != NULL) {
            seal_put(&data, truth->samples, truth->n * sizeof(truth->samples[0]));
        } else {
            seal_put(&data, truth->packets, truth->n * TRACE_PACKET_BYTES);
        }
    }
    seal_run(&data, &log->meta_seal, end, text);
}

void log_end(struct log_builder *log)
{
    char seal[SEAL_TEXT];

    close_batch(log);
    flush_meta(log);
    const size_t frames = log->frame_count;
    struct frame *end = add_frame(log);
    char *text = (char *)end->payload;
    size_t length = (size_t)snprintf(
        text, sizeof(end->payload), "end meta=%" PRIu32 " frames=%zu%s%s%s", log->meta_frames,
        frames, log->run != NULL ? " run=" : "", log->run != NULL ? log->run : "", FINGERPRINT);

    write_seal(log, text, seal);
    length += (size_t)snprintf(text + length, sizeof(end->payload) - length, " seal=%s\n", seal);
    end->type = FRAME_END;
    end->length = (uint16_t)length;
}

void log_unseal(struct log_builder *log)
{
    struct frame *end = &log->frames[log->frame_count - 1];
    char *seal = strstr((char *)end->payload, FINGERPRINT);

    memcpy(seal, "\n", sizeof("\n"));
    end->length = (uint16_t)(seal + 1 - (char *)end->payload);
}

/* Contents of an idle loop: samples and interrupts. */
struct scene {
    int64_t *samples;
    size_t n;
    int64_t now;
    int64_t intended[1024], entry[1024], work[1024];
    size_t events;
};

static void add_sample(struct scene *scene, uint64_t *seed, int64_t next, int64_t work)
{
    int64_t length = FLOOR_TICKS + (int64_t)(unit_random(seed) % 3) * 8;

    if (next < scene->now + length && scene->events < 1024) {
        scene->intended[scene->events] = next;
        scene->entry[scene->events] = next + 16;
        scene->work[scene->events++] = work;
        length += work + BRACKET_TICKS;
    }
    scene->samples[scene->n++] = length;
    scene->now += length;
}

static void add_idle_facts(struct log_builder *log, const char *bench)
{
    char pass[24];

    pass_text(log, pass);
    log_recordf(log, "fact bench=%s name=inner_iterations value=41667 unit=count%s", bench, pass);
    log_recordf(log, "fact bench=%s name=sample_ticks value=%d unit=tick%s", bench, FLOOR_TICKS,
                pass);
    log_recordf(log, "fact bench=%s name=iteration_millitick value=%d unit=millitick%s", bench,
                ITERATION_TICKS * 1000, pass);
    log_recordf(log, "fact bench=%s name=tick_hz value=100 unit=hz%s", bench, pass);
}

static void add_idle(struct log_builder *log, struct scene *scene, size_t samples, uint64_t *seed)
{
    int64_t next = TICK_PERIOD / 2;
    char pass[24];

    pass_text(log, pass);
    log_recordf(log,
                "bench name=idle group=idle summary=\"the idle loop without and with a clock "
                "interrupt\" unit=tick estimate=\"1 ms a sample, as calibrated; a handler "
                "takes 3 us\"%s",
                pass);
    log_recordf(log, "param bench=idle name=ms value=%zu origin=plan%s", samples, pass);
    log_recordf(log, "param bench=idle name=tick_hz value=100 origin=default%s", pass);
    add_idle_facts(log, "idle");
    memset(scene, 0, offsetof(struct scene, intended));
    scene->events = 0;
    scene->samples = alloc_zeroed(samples * sizeof(int64_t));
    for (size_t i = 0; i < samples; i++) {
        add_sample(scene, seed, INT64_MAX, 0);
    }
    counted_series(log, "idle", "floor", scene->samples, samples);
    scene->n = 0;
    scene->now = 0;
    for (size_t i = 0; i < samples; i++) {
        const size_t before = scene->events;

        add_sample(scene, seed, next, 3000 + (int64_t)(unit_random(seed) % 40) * 8);
        next += scene->events > before ? TICK_PERIOD : 0;
    }
    counted_series(log, "idle", "ticking", scene->samples, samples);
    counted_series(log, "idle", "handler", scene->work, scene->events);
    log_series(log, "idle", "handler_start", "tick", scene->entry, scene->events);
    log_recordf(log, "status bench=idle state=OK%s", pass);
    free(scene->samples);
}

static void add_load(struct log_builder *log, struct scene *scene, size_t samples, uint64_t *seed)
{
    const int64_t step = (int64_t)samples * FLOOR_TICKS / (LOAD_EVENTS + 1);
    int64_t asked[LOAD_EVENTS];

    log_record(log, "bench name=load group=idle summary=\"work of known length, recovered from "
                    "the idle loop\" unit=tick estimate=\"error below one iteration and 64 "
                    "ticks\"");
    log_recordf(log, "param bench=load name=random value=%d:7:50:20000 origin=plan", LOAD_EVENTS);
    add_idle_facts(log, "load");
    memset(scene, 0, offsetof(struct scene, intended));
    scene->events = 0;
    scene->samples = alloc_zeroed(samples * sizeof(int64_t));
    for (size_t i = 0; i < samples; i++) {
        const int64_t next =
            scene->events < LOAD_EVENTS ? step * ((int64_t)scene->events + 1) : INT64_MAX;
        const int64_t us = 50 + (int64_t)(unit_random(seed) % 3000);
        const size_t before = scene->events;

        add_sample(scene, seed, next, us * 1000 + 8);
        if (scene->events > before) {
            asked[before] = us;
        }
    }
    log_series(log, "load", "samples", "tick", scene->samples, samples);
    log_series(log, "load", "intended", "tick", scene->intended, scene->events);
    log_series(log, "load", "entry", "tick", scene->entry, scene->events);
    log_series(log, "load", "work", "tick", scene->work, scene->events);
    log_series(log, "load", "asked_us", "us", asked, scene->events);
    log_record(log, "status bench=load state=OK");
    free(scene->samples);
}

static void add_gap(struct log_builder *log, bool smis)
{
    const int64_t times[] = {1200340, 500200300, 1999000111};
    const int64_t lengths[] = {1800, 44000, 2200};
    const int64_t bounds[] = {16, 24, 32, 1024, 32768};
    const int64_t counts[] = {11, 80123456, 4711, 2, 1};
    const int64_t smi[] = {0, 2, 1};

    log_record(log, "bench name=gap group=noise summary=\"gaps between TSC reads back to back\" "
                    "unit=tick estimate=\"24 ticks, as three instructions\"");
    log_record(log, "param bench=gap name=ms value=2000 origin=default");
    log_record(log, "fact bench=gap name=reads value=80128181 unit=count");
    log_record(log, "fact bench=gap name=elapsed value=2000000000 unit=tick");
    log_record(log, "fact bench=gap name=dead value=400000 unit=tick");
    log_record(log, "fact bench=gap name=threshold value=1000 unit=tick");
    log_record(log, "fact bench=gap name=smallest value=16 unit=tick");
    log_series(log, "gap", "gap_time", "tick", times, 3);
    log_series(log, "gap", "gap_length", "tick", lengths, 3);
    if (smis) {
        log_record(log, "fact bench=gap name=smi value=3 unit=count");
        log_record(log, "fact bench=gap name=smi_provoked value=2 unit=count");
        log_series(log, "gap", "gap_smi", "count", smi, 3);
    }
    log_series(log, "gap", "histogram_bound", "tick", bounds, 5);
    log_series(log, "gap", "histogram_count", "count", counts, 5);
    log_record(log, "status bench=gap state=OK");
}

static void add_clock(struct log_builder *log, uint64_t *seed)
{
    int64_t cost[1200];
    int64_t windows[7];

    log_record(log, "bench name=clock group=clock summary=\"cost and step of reading each clock\" "
                    "unit=tick");
    for (size_t i = 0; i < 1200; i++) {
        cost[i] = 40 + (int64_t)(unit_random(seed) % 100 == 0) * 5000;
    }
    for (size_t i = 0; i < 7; i++) {
        windows[i] = 1000000000 + (int64_t)(unit_random(seed) % 21) - 10;
    }
    log_record(log, "fact bench=clock name=hpet.step value=1 unit=step");
    log_series(log, "clock", "empty.cost", "tick", cost, 0);
    log_series(log, "clock", "hpet.cost", "tick", cost, 1200);
    log_series(log, "clock", "estimate.hpet", "hz", windows, 7);
    log_record(log, "status bench=clock state=OK");
}

static void add_kernels(struct log_builder *log)
{
    static const char *const events[] = {"instructions", "mispredicts"};
    const int64_t ticks[] = {1000, 1010, 1020};
    const int64_t counts[][3] = {{4004, 4004, 4005}, {512, 499, 480}};

    log_record(log, "bench name=counters group=counters summary=\"kernels of known counts\" "
                    "unit=tick");
    log_record(log, "fact bench=counters name=branch.iterations value=1000 unit=count");
    log_record(log, "fact bench=counters name=branch.instructions.expected value=4004 unit=count");
    log_record(log, "fact bench=counters name=branch.mispredicts.expected value=500 unit=count");
    log_record(log, "fact bench=counters name=aperf value=3000 unit=count");
    log_record(log, "fact bench=counters name=mperf value=2400 unit=count");
    log_series(log, "counters", "branch", "tick", ticks, 3);
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        log_counts(log, "counters", "branch", events[i], counts[i], 3);
    }
    log_record(log, "absent bench=counters name=segment-loads reason=\"no such event since "
                    "Nehalem\"");
    log_record(log, "status bench=counters state=OK");
}

static void add_events(struct log_builder *log)
{
    log_record(log, "machine name=pmu value=\"Intel architectural\"");
    log_record(log, "counter name=\"general 0\" state=usable width=48 found=0x0000000000000000");
    log_record(log, "counter name=\"general 1\" state=usable width=48 found=0x0000000000530076");
    log_record(log, "counter name=\"general 2\" state=wrong width=48 found=0x0000000000000000 "
                    "reason=\"0 of 4000 instructions\"");
    log_record(log, "counter name=\"fixed 0\" state=faults width=0 reason=\"exception 13\"");
    log_record(log, "event name=instructions state=counted pass=1 source=pmu counter=\"fixed 0\" "
                    "code=0xc0:0x00 manual=INST_RETIRED.ANY");
    log_record(log, "event name=cycles state=counted pass=1 source=pmu counter=\"general 0\" "
                    "code=0x3c:0x00 manual=CPU_CLK_UNHALTED.THREAD");
    log_record(log, "event name=interrupts state=counted pass=1 source=pmu counter=\"general 1\" "
                    "code=0xcb:0x01 manual=HW_INTERRUPTS.RECEIVED note=\"virtual interrupts are "
                    "not counted\"");
    log_record(log, "event name=instructions state=counted pass=2 source=pmu counter=\"fixed 0\" "
                    "code=0xc0:0x00 manual=INST_RETIRED.ANY");
    log_record(log, "event name=dtlb-misses state=counted pass=2 source=pmu "
                    "counter=\"general 0+general 1\" code=0x08:0x0e+0x49:0x0e "
                    "manual=\"DTLB_LOAD_MISSES.WALK_COMPLETED\"");
    log_record(log, "event name=segment-loads state=absent reason=\"no such event since "
                    "Nehalem\"");
}

void log_counted(struct log_builder *log, size_t samples, uint64_t seed)
{
    static const char *const events[][5] = {
        {"cycles", "instructions", "interrupts", NULL},
        {"instructions", "dtlb-misses", "branches", "mispredicts", NULL}};
    struct scene *scene = alloc_zeroed(sizeof(*scene));

    log_record(log, "tare version=0.1.0 format=1");
    log_record(log, "run kind=real hypervisor=none");
    log_record(log, "verdict ok=1 hz=1000000000 by=\"hpet,pm_timer\"");
    add_events(log);
    for (uint32_t pass = 1; pass <= 2; pass++) {
        log->pass = pass;
        log->events = events[pass - 1];
        add_idle(log, scene, samples, &seed);
    }
    log->pass = 0;
    log->events = NULL;
    add_gap(log, true);
    add_kernels(log);
    log_end(log);
    free(scene);
}

static void traced_part(struct log_builder *log, uint32_t part, uint64_t first, size_t n,
                        uint64_t seed)
{
    uint8_t *packets = log_packets(first, n, seed);

    log_trace(log, "switches", part, packets, n, n * LOG_PACKET_RECORDS);
    free(packets);
}

void log_traced(struct log_builder *log, size_t samples, uint64_t seed)
{
    int64_t *latency = alloc_zeroed(samples * sizeof(*latency));

    for (size_t i = 0; i < samples; i++) {
        latency[i] = 800 + (int64_t)(unit_random(&seed) % 100);
    }
    log_record(log, "tare version=0.1.0 format=1");
    log_record(log, "run kind=exact ticks_per_instruction=8");
    log_record(log, "verdict ok=1 hz=1000000000 by=\"hpet,pm_timer\"");
    log_record(log, "bench name=switches group=tasks summary=\"threads that take turns\" "
                    "unit=tick");
    log_record(log, "expect bench=switches series=latency instructions=40 value=120 unit=cycle "
                    "because=\"two switches\"");
    log_record(log, "expect bench=switches series=later because=nothing");
    log_record(log, "object bench=switches kind=process id=0 name=kernel");
    log_record(log, "object bench=switches kind=thread id=0 name=idle process=0 priority=0");
    log_record(log, "object bench=switches kind=thread id=1 name=\"ping 1\" process=0 priority=8");
    log_record(log, "object bench=switches kind=vector id=1 name=clock");
    traced_part(log, 1, 0, 5, seed);
    log_series(log, "switches", "latency", "tick", latency, samples);
    log_record(log, "object bench=switches kind=thread id=1 name=\"ping 1\" process=0 priority=8");
    log_record(log, "object bench=switches kind=mark id=0 name=end");
    traced_part(log, 2, 7, 3, seed + 1);
    log_record(log, "status bench=switches state=OK");
    log_end(log);
    free(latency);
}

void log_plausible(struct log_builder *log, size_t samples, uint64_t seed)
{
    struct scene *scene = alloc_zeroed(sizeof(*scene));

    log_record(log, "tare version=0.1.0 format=1");
    log_record(log, "run kind=exact ticks_per_instruction=8 hypervisor=\"TCGTCGTCGTCG\" "
                    "date=\"2026-11-21T12:00:00Z\"");
    log_record(log, "plan source=fw_cfg text=\"bench=idle,load,gap,clock\\nidle.ms=2000\"");
    log_record(log, "machine name=cpu value=\"QEMU TCG CPU version 2.5+\"");
    log_record(log, "machine name=memory value=\"126 MiB usable\"");
    log_record(log, "source name=tsc hz=1000000000 from=\"CPUID 40000010h\"");
    log_record(log, "source name=pit from=\"absent: no port answers\"");
    log_record(log, "source name=hpet hz=100000000 from=\"its period register\"");
    log_record(log, "estimate clock=tsc reference=hpet hz=1000000120 error_ppb=350 windows=7");
    log_record(log, "estimate clock=tsc reference=pm_timer hz=999999000 error_ppb=1200 windows=7");
    log_record(log, "estimate clock=tsc reference=cpuid hz=1000000000 windows=0");
    log_record(log, "verdict ok=1 hz=1000000000 by=\"hpet,pm_timer\" reason=\"agree within "
                    "2 ppm\"");
    add_idle(log, scene, samples, &seed);
    add_load(log, scene, samples, &seed);
    add_gap(log, false);
    add_clock(log, &seed);
    log_record(log, "interrupt vector=48 name=clock count=200 expected=1");
    log_record(log, "interrupt vector=255 name=spurious count=0 expected=1");
    log_end(log);
    free(scene);
}

uint8_t *log_wire(const struct log_builder *log, bool text, size_t *length)
{
    uint8_t *wire = NULL;
    size_t capacity = 0;

    *length = 0;
    for (size_t i = 0; i < log->frame_count; i++) {
        wire = alloc_grow(wire, &capacity, *length + FRAME_WIRE_MAX + 64, 1);
        if (text) {
            *length += (size_t)sprintf((char *)wire + *length, "line %zu of progress\r\n", i);
        }
        *length += frame_encode(&log->frames[i], log->format, wire + *length);
    }
    return wire;
}

/* Returns the truth of the series with this name, or of this part of the trace. */
static const struct log_truth *find_truth(const struct log_builder *log,
                                          const struct run_bench *bench, const char *name,
                                          uint32_t part)
{
    for (size_t i = 0; i < log->truth_count; i++) {
        const struct log_truth *truth = &log->truths[i];

        if (strcmp(truth->bench, bench->name) == 0 && truth->pass == bench->pass &&
            strcmp(truth->name, name) == 0 && truth->part == part) {
            return truth;
        }
    }
    return NULL;
}

static bool series_is_true(const struct log_truth *truth, const struct run_series *series)
{
    size_t at = 0;

    if (truth == NULL || series->n != truth->n) {
        return false;
    }
    for (size_t r = 0; r < series->range_count; r++) {
        const struct run_range range = series->ranges[r];

        for (uint32_t i = 0; i < range.count; i++, at++) {
            if ((size_t)range.first + i >= truth->n ||
                series->samples[at] != truth->samples[range.first + i]) {
                return false;
            }
        }
    }
    return at == series->received;
}

static bool trace_is_true(const struct log_truth *truth, const struct run_trace *trace)
{
    uint8_t packet[TRACE_PACKET_BYTES];
    uint64_t offset = 0;

    if (truth == NULL || trace->claimed != truth->n * TRACE_PACKET_BYTES ||
        trace->packets->length % TRACE_PACKET_BYTES != 0) {
        return false;
    }
    for (size_t i = 0; i < truth->n && offset < trace->packets->length; i++) {
        if (!trace->packets->read(trace->packets, offset, packet, sizeof(packet))) {
            return false;
        }
        if (memcmp(packet, truth->packets + i * sizeof(packet), sizeof(packet)) == 0) {
            offset += sizeof(packet);
        }
    }
    return offset == trace->packets->length;
}

bool log_samples_are_true(const struct log_builder *log, const struct run *run)
{
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];

        for (size_t k = 0; k < bench->series_count; k++) {
            const struct run_series *series = &bench->series[k];

            if (!series_is_true(find_truth(log, bench, series->name, 0), series)) {
                return false;
            }
        }
        for (size_t k = 0; k < bench->trace_count; k++) {
            const struct run_trace *trace = &bench->traces[k];

            if (!trace_is_true(find_truth(log, bench, "", trace->part), trace)) {
                return false;
            }
        }
    }
    return true;
}

static bool bench_is_whole(const struct run_bench *bench)
{
    for (size_t i = 0; i < bench->series_count; i++) {
        if (!run_series_whole(&bench->series[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < bench->trace_count; i++) {
        if (bench->traces[i].packets->length != bench->traces[i].claimed) {
            return false;
        }
    }
    return true;
}

bool log_is_whole(const struct log_builder *log, const struct run *run)
{
    size_t streams = 0;

    for (size_t i = 0; i < run->bench_count; i++) {
        streams += run->benches[i].series_count + run->benches[i].trace_count;
        if (!bench_is_whole(&run->benches[i])) {
            return false;
        }
    }
    return streams == log->truth_count && run->losses.count == 0 && run->ended &&
           log_samples_are_true(log, run);
}
