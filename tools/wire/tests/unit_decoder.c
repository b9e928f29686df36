/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole logs through the decoder: clean, with each frame lost, damaged at random, and lying. */
#include <stdbool.h>
#include <stdlib.h>

#include "bench/noise/names.h"
#include "kernel/link/coded.h"
#include "kernel/link/live_gaps.h"
#include "kernel/link/names.h"
#include "kernel/link/series_codec.h"
#include "kernel/link/trace_codec.h"
#include "kernel/trace/packet.h"
#include "tools/base/alloc.h"
#include "tools/base/trace_bytes.h"
#include "tools/tests/support/log_builder.h"
#include "tools/tests/support/unit.h"
#include "tools/wire/batch_assembly.h"
#include "tools/wire/decoder.h"
#include "tools/wire/live_noise.h"

#define SAMPLES     1500
#define CORRUPTIONS 400

static void push_frame(struct decoder *decoder, const struct log_builder *log, size_t index)
{
    uint8_t wire[FRAME_WIRE_MAX];

    decoder_push(decoder, wire, frame_encode(&log->frames[index], log->format, wire));
}

/* All frames but those for which skip[i], in order. */
static void push_frames(struct decoder *decoder, const struct log_builder *log, const bool *skip)
{
    for (size_t i = 0; i < log->frame_count; i++) {
        if (skip == NULL || !skip[i]) {
            push_frame(decoder, log, i);
        }
    }
}

/* Answers as the block server does, until nothing is missing. */
static void repair(struct decoder *decoder, const struct log_builder *log)
{
    struct decoder_range missing[8];
    size_t count;

    if (!decoder_ended(decoder)) {
        push_frame(decoder, log, log->frame_count - 1);
    }
    for (unsigned round = 0; round < 1000; round++) {
        count = decoder_missing(decoder, missing, 8);
        if (count == 0) {
            return;
        }
        for (size_t i = 0; i + 1 < log->frame_count; i++) {
            for (size_t k = 0; k < count; k++) {
                if (log->frames[i].stream == missing[k].stream &&
                    log->frames[i].seq - missing[k].first < missing[k].count) {
                    push_frame(decoder, log, i);
                }
            }
        }
    }
}

static size_t find_loss(const struct run *run, const char *start)
{
    size_t found = 0;

    for (size_t i = 0; i < run->losses.count; i++) {
        found += strncmp(run->losses.item[i], start, strlen(start)) == 0;
    }
    return found;
}

struct seen {
    char text[65536];
    size_t length;
    size_t records;
};

static void collect_text(void *context, const char *text, size_t length)
{
    struct seen *seen = context;

    memcpy(seen->text + seen->length, text, length);
    seen->length += length;
}

static void count_record(void *context, const struct record *record)
{
    struct seen *seen = context;

    seen->records += record->name[0] != '\0';
}

/* Text between the frames comes out as it went in, and the run is exact. */
static void test_clean(enum frame_format format)
{
    static struct seen seen;
    struct log_builder log;
    struct run run;
    struct run_texts reasons = {0};
    struct decoder_counts counts;
    struct decoder *decoder = decoder_create();
    size_t length;

    log_init(&log, format);
    log_plausible(&log, SAMPLES, 31);
    uint8_t *wire = log_wire(&log, true, &length);

    memset(&seen, 0, sizeof(seen));
    decoder_listen(decoder, &(struct decoder_listener){.context = &seen,
                                                       .on_text = collect_text,
                                                       .on_record = count_record});
    for (size_t at = 0, part; at < length; at += part) { /* in pieces, as a line gives them */
        part = 1 + at % 700 < length - at ? 1 + at % 700 : length - at;
        decoder_push(decoder, wire + at, part);
    }
    run_init(&run);
    CHECK(decoder_ended(decoder));
    CHECK_EQUAL(decoder_missing(decoder, &(struct decoder_range){0}, 1), 0);
    decoder_finish(decoder, &run);
    decoder_get_counts(decoder, &counts);
    CHECK(log_is_whole(&log, &run));
    CHECK(run_valid(&run, &reasons));
    CHECK_EQUAL(reasons.count, 0);
    CHECK_EQUAL(counts.frames, log.frame_count);
    CHECK_EQUAL(counts.bytes, length);
    CHECK_EQUAL(counts.damaged + counts.duplicates + counts.conflicts, 0);
    CHECK_EQUAL(counts.text_bytes, seen.length);
    CHECK(seen.records > 40);
    char expected[64];
    size_t at = 0;

    for (size_t i = 0; i < log.frame_count; i++) {
        const size_t size = (size_t)sprintf(expected, "line %zu of progress\r\n", i);

        CHECK(memcmp(seen.text + at, expected, size) == 0);
        at += size;
    }
    CHECK_EQUAL(seen.length, at);
    CHECK_TEXT(run_pair_value(&run.info, "kind"), "exact");
    CHECK_TEXT(run.plan_text, "bench=idle,load,gap,clock\nidle.ms=2000");
    CHECK(run.verdict.present && run.verdict.ok && run.verdict.hz == 1000000000);
    CHECK_EQUAL(run.bench_count, 4);
    CHECK_EQUAL(run.estimate_count, 3);
    CHECK(run.estimates[0].has_error_ppb && !run.estimates[2].has_error_ppb);
    CHECK_EQUAL(run.source_count, 3);
    CHECK_EQUAL(run.interrupt_count, 2);
    CHECK_EQUAL(run_find_fact(run_find_bench(&run, "gap"), "elapsed")->value, 2000000000);
    CHECK_TEXT(run_find_param(run_find_bench(&run, "idle"), "tick_hz"), "100");
    run_texts_free(&reasons);
    run_free(&run);
    decoder_destroy(decoder);
    free(wire);
    log_free(&log);
}

static void check_counts(const struct run_bench *bench, const char *of, const char *event)
{
    const struct run_series *series = run_find_series(bench, of);
    const struct run_series *counts = run_find_counts(bench, of, event);

    CHECK(series != NULL && counts != NULL && counts->n == series->n && counts->n > 0);
    for (size_t i = 0; series != NULL && counts != NULL && i < counts->received; i++) {
        CHECK_EQUAL(counts->samples[i], log_count(event, series->samples[i]));
    }
}

/* Passes of a bench stand apart, and each has its own counts. */
static void test_counted(void)
{
    struct log_builder log;
    struct run run;
    struct run_texts reasons = {0};
    struct decoder *decoder = decoder_create();

    log_init(&log, FRAME_BINARY);
    log_counted(&log, SAMPLES, 38);
    push_frames(decoder, &log, NULL);
    run_init(&run);
    decoder_finish(decoder, &run);
    CHECK(log_is_whole(&log, &run));
    CHECK(run_valid(&run, &reasons));
    CHECK_EQUAL(run.bench_count, 4);
    CHECK_EQUAL(run_pass_count(&run, "idle"), 2);
    CHECK_EQUAL(run_pass_count(&run, "gap"), 1);
    CHECK_EQUAL(run_pass_count(&run, "none"), 0);
    const struct run_bench *first = run_find_bench(&run, "idle");
    const struct run_bench *second = run_find_pass(&run, "idle", 2);

    CHECK(first == run_find_pass(&run, "idle", 1) && first != second);
    CHECK(run_find_pass(&run, "idle", 3) == NULL);
    CHECK_EQUAL(first->pass, 1);
    CHECK_EQUAL(second->pass, 2);
    check_counts(first, "floor", "cycles");
    check_counts(first, "ticking", "interrupts");
    check_counts(first, "handler", "instructions");
    check_counts(second, "ticking", "dtlb-misses");
    check_counts(second, "handler", "branches");
    CHECK(run_find_counts(second, "ticking", "cycles") == NULL);
    CHECK(run_find_counts(first, "handler_start", "cycles") == NULL);
    CHECK(run_find_series(first, "ticking")->event == NULL);
    CHECK_EQUAL(run.counter_count, 4);
    CHECK_TEXT(run.counters[1].found, "0x0000000000530076");
    CHECK_TEXT(run.counters[2].state, "wrong");
    CHECK_TEXT(run.counters[2].reason, "0 of 4000 instructions");
    CHECK(run.counters[2].width == 48 && run.counters[3].width == 0);
    CHECK(run.counters[3].found == NULL);
    CHECK_EQUAL(run.event_count, 6);
    CHECK(run.events[0].pass == 1 && run.events[3].pass == 2 && run.events[5].pass == 0);
    CHECK_TEXT(run.events[2].note, "virtual interrupts are not counted");
    CHECK_TEXT(run.events[5].state, "absent");
    CHECK_TEXT(run.events[5].reason, "no such event since Nehalem");
    CHECK_EQUAL(run_find_bench(&run, "counters")->absent_count, 1);
    CHECK_TEXT(run_find_bench(&run, "counters")->absents[0].name, "segment-loads");
    run_texts_free(&reasons);
    run_free(&run);
    decoder_destroy(decoder);
    log_free(&log);
}

/* A lost frame of samples: a line for each series of which it had some names which, and where the
 * hole is. */
static void check_batch_loss(const struct log_builder *log, const struct frame *lost,
                             const struct run *run)
{
    static struct series_codec codec;
    static struct series_part parts[SERIES_CODEC_PARTS_MAX];
    static int64_t samples[SERIES_CODEC_SAMPLES_MAX];
    const ptrdiff_t count = series_decode(&codec, lost->payload + CODED_TAG_BYTES,
                                          lost->length - CODED_TAG_BYTES, parts, samples);

    CHECK(count > 0);
    CHECK_EQUAL(run->losses.count, count);
    for (ptrdiff_t i = 0; i < count; i++) {
        const uint32_t end = parts[i].first + parts[i].count;
        const struct log_truth *truth = log_truth_of(log, parts[i].stream);
        const struct run_bench *bench = run_find_pass(run, truth->bench, truth->pass);
        const struct run_series *series = run_find_series(bench, truth->name);
        char label[RUN_LABEL_MAX];
        char range[SERIES_RANGE_TEXT];
        char expected[256];

        snprintf(expected, sizeof(expected),
                 "stream %u (%s/%s): frame %" PRIu32 " of batch %u lost: %s missing",
                 parts[i].stream, run_bench_label(run, bench, label), truth->name, lost->seq,
                 lost->stream, series_range_text(range, "sample", parts[i].first, end));
        CHECK_TEXT(run->losses.item[i], expected);
        CHECK_EQUAL(series->received, truth->n - parts[i].count);
        for (uint32_t k = 0; k < truth->n; k++) {
            int64_t value = 0;
            const bool there = run_series_sample(series, k, &value);

            CHECK_EQUAL(there, k < parts[i].first || k >= end);
            CHECK(!there || value == truth->samples[k]);
        }
    }
}

/* The packet of which a frame of a trace has records. */
static size_t packet_of(const struct frame *frame)
{
    static struct trace_codec codec;
    static uint8_t packet[TRACE_PACKET_BYTES];
    struct trace_piece piece = {0};

    CHECK(trace_decode(&codec, frame->payload + CODED_TAG_BYTES, frame->length - CODED_TAG_BYTES,
                       packet, &piece));
    return piece.index;
}

/* The same of a trace: it costs the packet that it was a part of, and that only. */
static void check_trace_loss(const struct log_builder *log, const struct frame *lost,
                             const struct run *run)
{
    const struct log_truth *truth = log_truth_of(log, lost->stream);
    const struct run_bench *bench = run_find_pass(run, truth->bench, truth->pass);
    const size_t packet = packet_of(lost);
    struct trace_bytes *packets = bench->traces[truth->part - 1].packets;
    uint8_t bytes[TRACE_PACKET_BYTES];
    char expected[256];

    snprintf(expected, sizeof(expected),
             "%s: trace part %" PRIu32 ": 1 of %zu packets lost (frames %" PRIu32 ")", truth->bench,
             truth->part, truth->n, lost->seq);
    CHECK_EQUAL(run->losses.count, 1);
    CHECK_TEXT(run->losses.item[0], expected);
    CHECK_EQUAL(packets->length, (truth->n - 1) * TRACE_PACKET_BYTES);
    for (size_t i = 0; i + 1 < truth->n; i++) {
        const size_t at = i < packet ? i : i + 1;

        CHECK(packets->read(packets, i * sizeof(bytes), bytes, sizeof(bytes)));
        CHECK(memcmp(bytes, truth->packets + at * sizeof(bytes), sizeof(bytes)) == 0);
    }
}

static void check_meta_loss(const struct frame *lost, const struct run *run)
{
    char expected[80];

    snprintf(expected, sizeof(expected), "META frame %" PRIu32 " lost: ", lost->seq);
    CHECK_EQUAL(find_loss(run, "META frame"), 1);
    CHECK_EQUAL(find_loss(run, expected), 1);
    /* Orphans, if any, and samples of a batch whose record is lost. */
    CHECK_EQUAL(find_loss(run, "stream") + 1, run->losses.count);
}

/* Each frame lost in turn: exactly that one is named, all else is right, and with it all is. */
static void test_each_lost(enum frame_format format,
                           void (*make)(struct log_builder *log, size_t samples, uint64_t seed))
{
    struct log_builder log;

    log_init(&log, format);
    make(&log, SAMPLES, 32);
    for (size_t lost = 0; lost < log.frame_count; lost++) {
        const struct frame *frame = &log.frames[lost];
        bool *skip = calloc(log.frame_count, sizeof(*skip));
        struct decoder *decoder = decoder_create();
        struct decoder_range missing[4];
        struct run_texts reasons = {0};
        struct run run;

        skip[lost] = true;
        push_frames(decoder, &log, skip);
        run_init(&run);
        decoder_finish(decoder, &run);
        CHECK(log_samples_are_true(&log, &run));
        CHECK(!run_valid(&run, &reasons) && reasons.count > 0);
        if (frame->type == FRAME_END) {
            CHECK(!run.ended && run.losses.count == 0);
        } else {
            CHECK_EQUAL(decoder_missing(decoder, missing, 4), 1);
            CHECK(missing[0].stream == frame->stream && missing[0].first == frame->seq &&
                  missing[0].count == 1);
            if (frame->type == FRAME_SERIES) {
                check_batch_loss(&log, frame, &run);
            } else if (frame->type == FRAME_TRACE) {
                check_trace_loss(&log, frame, &run);
            } else {
                check_meta_loss(frame, &run);
            }
        }
        run_free(&run);
        run_init(&run);
        push_frame(decoder, &log, lost);
        decoder_finish(decoder, &run);
        CHECK(log_is_whole(&log, &run));
        run_texts_free(&reasons);
        run_free(&run);
        decoder_destroy(decoder);
        free(skip);
    }
    log_free(&log);
}

/* A few faults: bytes dropped, bits flipped, stretches doubled, the end cut off. */
static size_t corrupt(uint8_t *wire, size_t length, uint64_t *seed)
{
    const unsigned faults = 1 + (unsigned)(unit_random(seed) % 8);

    for (unsigned i = 0; i < faults && length > 100; i++) {
        const size_t at = unit_random(seed) % (length - 64);
        const size_t size = 1 + unit_random(seed) % 64;

        switch (unit_random(seed) % 8) {
        case 0:
        case 1:
            memmove(wire + at, wire + at + 1, length - at - 1);
            length--;
            break;
        case 2:
            memmove(wire + at, wire + at + size, length - at - size);
            length -= size;
            break;
        case 3:
        case 4:
            wire[at] ^= (uint8_t)(1u << unit_random(seed) % 8);
            break;
        case 5:
        case 6:
            memmove(wire + at + size, wire + at, length - at);
            length += size;
            break;
        default:
            if (unit_random(seed) % 4 == 0) {
                length = at;
            }
            break;
        }
    }
    return length;
}

static void test_corrupted(enum frame_format format,
                           void (*make)(struct log_builder *log, size_t samples, uint64_t seed))
{
    struct log_builder log;
    uint64_t seed = 33;
    size_t length;
    unsigned damaged = 0;

    log_init(&log, format);
    make(&log, SAMPLES / 3, 34);
    uint8_t *clean = log_wire(&log, true, &length);
    uint8_t *wire = malloc(length + 8 * 64);

    for (unsigned round = 0; round < CORRUPTIONS; round++) {
        struct decoder *decoder = decoder_create();
        struct run run;

        memcpy(wire, clean, length);
        decoder_push(decoder, wire, corrupt(wire, length, &seed));
        run_init(&run);
        decoder_finish(decoder, &run);
        CHECK(log_samples_are_true(&log, &run));
        damaged += !log_is_whole(&log, &run);
        CHECK(log_is_whole(&log, &run) || run.losses.count > 0 || !run.ended);
        run_free(&run);
        run_init(&run);
        repair(decoder, &log);
        decoder_finish(decoder, &run);
        CHECK(log_is_whole(&log, &run));
        run_free(&run);
        decoder_destroy(decoder);
    }
    CHECK(damaged > CORRUPTIONS / 2); /* the test does damage */
    free(wire);
    free(clean);
    log_free(&log);
}

/* In any order and twice: the same run. */
static void test_shuffled(void (*make)(struct log_builder *log, size_t samples, uint64_t seed))
{
    struct log_builder log;
    uint64_t seed = 35;

    log_init(&log, FRAME_BINARY);
    make(&log, SAMPLES, 36);
    for (unsigned round = 0; round < 20; round++) {
        struct decoder *decoder = decoder_create();
        struct decoder_counts counts;
        struct run run;

        for (size_t i = 0; i < log.frame_count * 4; i++) {
            push_frame(decoder, &log, unit_random(&seed) % log.frame_count);
        }
        push_frames(decoder, &log, NULL);
        run_init(&run);
        decoder_finish(decoder, &run);
        decoder_get_counts(decoder, &counts);
        CHECK(log_is_whole(&log, &run));
        CHECK_EQUAL(counts.frames, log.frame_count);
        CHECK_EQUAL(counts.duplicates, log.frame_count * 4);
        run_free(&run);
        decoder_destroy(decoder);
    }
    log_free(&log);
}

/* A small log to put lies in: one bench and one series of 8 samples in 2 frames. Its END frame
 * is its second. */
static void set_end(struct log_builder *log, const char *text)
{
    log->frames[1].length = (uint16_t)strlen(text);
    memcpy(log->frames[1].payload, text, strlen(text));
}

/* A frame of the batch of the small log, of samples [first, first + count). */
static void sample_frame(struct frame *frame, uint32_t seq, uint32_t first, uint32_t count)
{
    static const int64_t samples[] = {10, 11, 12, 13, 14, 15, 16, 17};
    static struct series_codec codec;
    const struct series_source source = {2, first + count, samples};
    struct series_place place = {0, first};

    *frame = (struct frame){.type = FRAME_SERIES, .stream = 1, .seq = seq};
    coded_put_tag(frame->payload, coded_tag(""));
    frame->length =
        (uint16_t)(CODED_TAG_BYTES + series_encode(&codec, &source, 1, &place,
                                                   frame->payload + CODED_TAG_BYTES,
                                                   FRAME_PAYLOAD_MAX - CODED_TAG_BYTES));
}

static void small_log(struct log_builder *log, const char *claim)
{
    log_init(log, FRAME_BINARY);
    log_record(log, "tare version=0.1.0 format=1");
    log_record(log, "run kind=real");
    log_record(log, "verdict ok=1 hz=1000");
    log_record(log, "bench name=b");
    log_record(log, claim);
    log_record(log, "status bench=b state=OK");
    log_end(log);
    log->frames = realloc(log->frames, 4 * sizeof(*log->frames));
    for (uint32_t i = 0; i < 2; i++) {
        sample_frame(&log->frames[log->frame_count++], i, 4 * i, 4);
    }
    set_end(log, "end meta=1 frames=3\n");
}

static uint32_t small_crc(void)
{
    static int64_t samples[] = {10, 11, 12, 13, 14, 15, 16, 17};
    const struct run_series series = {.samples = samples, .received = 8};

    return run_series_crc(&series);
}

/* Decodes the small log; its one loss must start so (NULL: none at all). */
static void check_small(struct log_builder *log, const char *loss, size_t received)
{
    struct decoder *decoder = decoder_create();
    struct run run;

    push_frames(decoder, log, NULL);
    run_init(&run);
    decoder_finish(decoder, &run);
    const struct run_bench *bench = run_find_bench(&run, "b");
    const struct run_series *series = bench != NULL ? run_find_series(bench, "s") : NULL;

    CHECK(loss != NULL ? find_loss(&run, loss) >= 1 : run.losses.count == 0);
    CHECK_EQUAL(series != NULL ? series->received : 0, received);
    for (size_t i = 0; i < received; i++) {
        CHECK(series != NULL && series->samples[i] >= 10 && series->samples[i] <= 17);
    }
    run_free(&run);
    decoder_destroy(decoder);
    log_free(log);
}

/* The records of the small log, which claim `n` samples in `frames` frames. */
static void claim(char *line, size_t size, const char *n, const char *frames, uint32_t crc)
{
    snprintf(line, size,
             "series stream=2 bench=b name=s unit=tick n=%s batch=1 crc=%u\n"
             "batch stream=1 series=1 frames=%s crc=%u",
             n, crc, frames, coded_batch_crc(0, small_crc()));
}

/* Numbers that cannot be are refused, and cost neither memory nor a wrong sample. */
static void test_lies(void)
{
    /* The last is none for its CRC alone: that of no samples is 0. */
    static const char *const absurd[] = {"4294967296", "18446744073709551615", "-1", "x", "0"};
    char line[200];
    struct log_builder log;

    claim(line, sizeof(line), "8", "2", small_crc());
    small_log(&log, line);
    check_small(&log, NULL, 8);
    for (size_t i = 0; i < sizeof(absurd) / sizeof(absurd[0]); i++) {
        claim(line, sizeof(line), absurd[i], "2", small_crc());
        small_log(&log, line);
        check_small(&log, "META frame 0: record \"series\"", 0);
    }
    for (size_t i = 0; i + 1 < sizeof(absurd) / sizeof(absurd[0]); i++) {
        claim(line, sizeof(line), "8", absurd[i], small_crc());
        small_log(&log, line);
        check_small(&log, "META frame 0: record \"batch\"", 8); /* known by its series alone */
    }
    claim(line, sizeof(line), "4000000000", "4000000", small_crc()); /* possible, but lost */
    small_log(&log, line);
    check_small(&log,
                "stream 2 (b/s): frames 2..3999999 of batch 1 lost: samples 8..3999999999 missing",
                8);
    claim(line, sizeof(line), "8", "2", small_crc() + 1);
    small_log(&log, line);
    check_small(&log, "stream 2 (b/s): CRC of the samples", 0);
    small_log(&log, "series stream=2 bench=b name=s unit=tick n=8 batch=1\n"
                    "batch stream=1 series=1 frames=2 crc=1");
    check_small(&log, "stream 2 (b/s): CRC of the batch", 0);
    small_log(&log, "series stream=0 bench=b name=s unit=tick n=8 batch=1");
    check_small(&log, "META frame 0: record \"series\"", 0);
    small_log(&log, "series stream=1 bench=b name=s unit=tick n=8 batch=1");
    check_small(&log, "META frame 0: record \"series\"", 0);
    small_log(&log, "series stream=2 bench=b name=s unit=tick n=8");
    check_small(&log, "META frame 0: record \"series\"", 0);
    claim(line, sizeof(line), "8", "2", small_crc());
    small_log(&log, line);
    set_end(&log, "end meta=1 frames=3 records_lost=2\n");
    check_small(&log, "the image had no space for 2 records", 8);
    small_log(&log, line);
    set_end(&log, "end meta=1 frames=9\n");
    check_small(&log, "END reports 9 frames, but the records claim 3", 8);
    small_log(&log, "machine name=x");
    check_small(&log, "stream 1: no batch record describes it: 2 frames (0..1)", 0);
}

/* Frames of the small log that contradict it: the first that fits is kept. */
static void test_contradictions(void)
{
    char line[200];
    struct log_builder log;

    claim(line, sizeof(line), "8", "2", small_crc());
    small_log(&log, line);
    sample_frame(&log.frames[3], 1, 3, 5); /* overlaps the first frame */
    check_small(&log, "batch 1: frame 1 contradicts", 4);
    small_log(&log, line);
    sample_frame(&log.frames[3], 1, 5, 3); /* leaves a hole */
    check_small(&log, "batch 1: frame 1 contradicts", 4);
    small_log(&log, line);
    sample_frame(&log.frames[3], 1, 4, 3); /* ends before the last sample */
    check_small(&log, "stream 2 (b/s): no frame of batch 1 has sample 7", 7);
    small_log(&log, line);
    log.frames[3].seq = 7;
    check_small(&log, "batch 1: frame 7 contradicts", 4);
    small_log(&log, line);
    log.frames[2].length = CODED_TAG_BYTES; /* of no codec */
    check_small(&log, "batch 1: frame 0 contradicts", 4);
    small_log(&log, line);
    log.frames[3].seq = 0;                                   /* twice frame 0, with other content */
    check_small(&log, "stream 1: frame 0 arrived twice", 0); /* what is left may be of two runs */
    small_log(&log, "series stream=2 bench=b name=s unit=tick n=8 batch=1\n"
                    "series stream=2 bench=b name=t unit=tick n=8 batch=1");
    check_small(&log, "META frame 0: record \"series\"", 8);
}

/* A stream that two records claim is asked for by the first of them, and once. */
static void test_claimed_twice(void)
{
    struct decoder_range missing[4];
    struct decoder *decoder = decoder_create();
    struct log_builder log;

    small_log(&log, "batch stream=2 series=1 frames=2 crc=0\n"
                    "batch stream=1 series=1 frames=2 crc=0\n"
                    "batch stream=1 series=1 frames=9 crc=0\n"
                    "batch stream=2 series=1 frames=9 crc=0");
    push_frame(decoder, &log, 0);
    push_frame(decoder, &log, 1);
    CHECK_EQUAL(decoder_missing(decoder, missing, 4), 2);
    for (uint16_t i = 0; i < 2; i++) {
        CHECK_EQUAL(missing[i].stream, i + 1);
        CHECK_EQUAL(missing[i].first, 0);
        CHECK_EQUAL(missing[i].count, 2);
    }
    decoder_destroy(decoder);
    log_free(&log);
}

/* What makes a run invalid, apart from losses. */
static void check_reason(const char *records, const char *expected)
{
    struct log_builder log;
    struct decoder *decoder = decoder_create();
    struct run_texts reasons = {0};
    struct run run;

    log_init(&log, FRAME_BINARY);
    log_record(&log, records);
    log_end(&log);
    push_frames(decoder, &log, NULL);
    run_init(&run);
    decoder_finish(decoder, &run);
    const bool valid = run_valid(&run, &reasons);

    CHECK_EQUAL(valid, expected == NULL);
    CHECK_TEXT(reasons.count > 0 ? reasons.item[0] : NULL, expected);
    run_texts_free(&reasons);
    run_free(&run);
    decoder_destroy(decoder);
    log_free(&log);
}

static void test_reasons(void)
{
#define HEAD "run kind=real\nverdict ok=1 hz=5\nbench name=b\n"
    check_reason(HEAD "status bench=b state=OK", NULL);
    check_reason(HEAD "status bench=b state=SKIP reason=\"no HPET\"", NULL);
    check_reason(HEAD "later x=1\nstatus bench=b state=OK new=1", NULL);
    check_reason(HEAD "status bench=b state=FAIL reason=why", "b: FAIL, why");
    check_reason(HEAD "status bench=b state=CRASH", "b: CRASH");
    check_reason("run kind=real\nverdict ok=1 hz=5\nbench name=b", "b: ERROR, did not report");
    check_reason("run kind=real\nbench name=b\nstatus bench=b state=OK", "no clock verdict");
    check_reason("run kind=real\nverdict ok=0 hz=5 reason=\"2 % apart\"\nbench name=b\n"
                 "status bench=b state=OK",
                 "clock not verified: 2 % apart");
    check_reason("run kind=real\nerror text=\"unknown plan key x\"", "unknown plan key x");
    check_reason("run kind=real\nverdict ok=1 hz=5", "no bench ran");
    check_reason("verdict ok=1 hz=5\nbench name=b\nstatus bench=b state=OK", "time base unknown");
    check_reason("tare format=2\n" HEAD "status bench=b state=OK",
                 "log format 2: this tare knows formats up to 1");
    check_reason(HEAD "status bench=b state=GOOD",
                 "META frame 0: record \"status\" is damaged or contradicts an earlier record");
    check_reason(HEAD "status bench=b state=OK\nbench name=b pass=2\n"
                      "status bench=b pass=2 state=FAIL reason=why",
                 "b, run 2: FAIL, why");
    check_reason(HEAD "status bench=b state=OK\nstatus bench=b state=OK pass=2", NULL);
#undef HEAD
}

/* One of the counting records, among others that are right. */
static void check_record(const char *record, bool good)
{
    char records[1000];
    char expected[120];

    snprintf(records, sizeof(records),
             "run kind=real\nverdict ok=1 hz=5\ncounter name=c state=dead width=64\n"
             "event name=e state=counted pass=1\nbench name=b\nbench name=b pass=7\n"
             "series stream=2 bench=b name=t unit=tick n=0 batch=1\n"
             "series stream=3 bench=b name=t.e n=0 batch=1 of=t event=e\n"
             "status bench=b state=OK\nstatus bench=b pass=7 state=OK\n%s",
             record);
    snprintf(expected, sizeof(expected),
             "META frame 0: record \"%.*s\" is damaged or contradicts an earlier record",
             (int)strcspn(record, " "), record);
    check_reason(records, good ? NULL : expected);
}

/* Pushes an ANSWER frame with the progress of bench b: 20 of 50 ticks. */
static void push_progress(struct decoder *decoder, uint32_t processor, uint64_t longest)
{
    const struct live_gaps gaps = {.processor = processor,
                                   .elapsed = 20,
                                   .total = 50,
                                   .over = longest > 0 ? 2 : 0,
                                   .stolen = 2 * longest,
                                   .largest = longest,
                                   .largest_at = longest > 0 ? 15 : 0};
    struct frame frame = {.type = FRAME_ANSWER};
    struct record_writer writer;
    uint8_t wire[FRAME_WIRE_MAX];

    CHECK(live_gaps_write(&writer, "b", 0, &gaps));
    frame.length = (uint16_t)record_finish(&writer);
    memcpy(frame.payload, writer.line, frame.length);
    decoder_push(decoder, wire, frame_encode(&frame, FRAME_BINARY, wire));
}

/* Pushes a log of run `id` with bench b and `more` records, and progress of two processors. */
static void push_watch(struct decoder *decoder, const char *id, const char *more, uint64_t longest)
{
    struct log_builder log;

    log_init(&log, FRAME_BINARY);
    log.run = id;
    log_record(&log, "tare version=0.2.0 format=1");
    log_recordf(&log, "run kind=real\nverdict ok=1 hz=5\nbench name=b\n%s", more);
    log_end(&log);
    push_frame(decoder, &log, 0); /* without END, as a boot that was stopped */
    push_progress(decoder, 0, 0);
    push_progress(decoder, 1, longest);
    log_free(&log);
}

static void check_partial(struct decoder *decoder, const char *reason, size_t facts)
{
    struct run run;

    run_init(&run);
    decoder_finish(decoder, &run);
    CHECK_EQUAL(run.bench_count, 1);
    CHECK_TEXT(run.benches[0].reason, reason);
    CHECK_EQUAL(run.benches[0].fact_count, facts);
    CHECK_EQUAL(run_fact_or(&run.benches[0], PARTIAL_WATCHED, -1), facts > 0 ? 20 : -1);
    CHECK_EQUAL(run_fact_or(&run.benches[0], PARTIAL_LONGEST ".1", -1), facts > 6 ? 3 : -1);
    run_free(&run);
    decoder_destroy(decoder);
}

/* The progress of a bench that did not end is its partial result, and that of no other run or pass.
 */
static void test_partial(void)
{
    struct decoder *decoder = decoder_create();
    struct run run;

    run_init(&run);
    push_watch(decoder, "one", "", 3);
    push_watch(decoder, "two", "", 9);
    check_partial(decoder,
                  "cut short: partial result, 4 s of 10 s watched: Something unknown took up to "
                  "600 ms, up to 2 times in 4 s: 15.0 % of all CPUs",
                  8);
    decoder = decoder_create();
    push_watch(decoder, "one", "", 0);
    check_partial(
        decoder,
        "cut short: partial result, 4 s of 10 s watched: Nothing took a CPU for longer than "
        "the threshold in 4 s",
        6);
    decoder = decoder_create();
    push_watch(decoder, "one", "status bench=b state=OK", 3);
    check_partial(decoder, NULL, 0);
    decoder = decoder_create();
    push_watch(decoder, "one", "status bench=b state=OK\nbench name=b pass=2", 3);
    decoder_finish(decoder, &run);
    CHECK_EQUAL(run.bench_count, 2);
    CHECK_TEXT(run.benches[1].reason, "did not report");
    CHECK_EQUAL(run.benches[1].fact_count, 0);
    run_free(&run);
    decoder_destroy(decoder);
}

static void test_counting_records(void)
{
#define EMPTY "n=0 batch=1 crc=0"
    check_record("later x=1", true);
    check_record("counter name=d state=usable width=48 found=0x0 reason=\"\"", true);
    check_record("counter name=d", false);
    check_record("counter state=usable", false);
    check_record("counter name=d state=usable width=65", false);
    check_record("counter name=d state=usable width=x", false);
    check_record("event name=e state=counted pass=2", true);
    check_record("event name=f state=absent", true);
    check_record("event name=e state=counted pass=1", false); /* sent twice */
    check_record("event name=f state=maybe", false);
    check_record("event name=f", false);
    check_record("event name=f state=counted pass=0", false);
    check_record("event name=f state=counted pass=4294967296", false);
    check_record("absent bench=b name=smi reason=none", true);
    check_record("absent bench=b name=smi pass=7", true);
    check_record("absent bench=b", false);
    check_record("absent bench=b name=smi pass=0", false);
    check_record("bench name=b pass=7", false);
    check_record("bench name=b pass=-1", false);
    check_record("fact bench=b name=f value=1 pass=x", false);
    check_record("series stream=4 bench=b name=u " EMPTY " of=t event=f", true);
    check_record("series stream=4 bench=b name=t " EMPTY " pass=7", true);
    check_record("series stream=4 bench=b name=u " EMPTY " of=none event=e", true);
    check_record("series stream=4 bench=b name=u " EMPTY " of=t event=e", false);
    check_record("series stream=4 bench=b name=u " EMPTY " of=t", false);
    check_record("series stream=4 bench=b name=u " EMPTY " event=e", false);
    check_record("series stream=2 bench=b name=u " EMPTY " pass=7", false);
#undef EMPTY
    check_reason("run kind=real\nverdict ok=1 hz=5\nbench name=b\nstatus bench=b state=OK\n"
                 "series stream=2 bench=b name=t n=0 batch=1\n"
                 "series stream=3 bench=b name=t.e n=1 batch=1 of=t event=e",
                 "b: series t.e counts 1 samples, but t has 0 (and more losses)");
}

/* What was expected of a series, and what is kept of it. */
static void test_expect_records(void)
{
    check_record("expect bench=b series=t instructions=13 value=40 unit=cycle because=parts", true);
    check_record("expect bench=b series=t because=parts", true);
    check_record("expect bench=b series=t value=-9223372036854775808 unit=ns pass=7", true);
    check_record("expect bench=b series=t value=40", false);
    check_record("expect bench=b series=t unit=ns", false);
    check_record("expect bench=b because=parts", false);
    check_record("expect series=t because=parts", false);
    check_record("expect bench=b series=t instructions=many", false);
    check_record("expect bench=b series=t value=9223372036854775808 unit=ns", false);
    check_record("expect bench=b series=t pass=0", false);
    check_record("expect bench=b series=t\nexpect bench=b series=t", false);
    check_record("expect bench=b series=t\nexpect bench=b series=u", true);
    check_record("expect bench=b series=t\nexpect bench=b series=t pass=7", true);
}

/* Nothing at all, and nothing but noise. */
/* What the image leaves to the tables, where name and code are theirs. */
static void test_event_texts(void)
{
    static const char records[] =
        "machine name=pmu_events value=skylake\n"
        "event name=loads state=counted pass=1 source=pmu code=0xd0:0x81\n"
        "event name=misaligned state=counted pass=1 source=pmu code=0xd0:0x41+0xd0:0x42\n"
        "event name=stores state=counted pass=1 source=pmu code=0xd0:0x81\n"
        "event name=cycles state=counted pass=1 source=pmu code=0x3c:0x00 manual=given";
    struct decoder *decoder = decoder_create();
    struct log_builder log;
    struct run run;

    log_init(&log, FRAME_BINARY);
    log_record(&log, "tare version=0.1.0 format=1");
    log_record(&log, records);
    log_end(&log);
    push_frames(decoder, &log, NULL);
    run_init(&run);
    decoder_finish(decoder, &run);
    CHECK_EQUAL(run.event_count, 4);
    CHECK_TEXT(run.events[0].manual, "MEM_INST_RETIRED.ALL_LOADS");
    CHECK(run.events[1].manual != NULL && run.events[1].note != NULL);
    CHECK(run.events[2].manual == NULL); /* another code than the table's */
    CHECK_TEXT(run.events[3].manual, "given");
    run_free(&run);
    decoder_destroy(decoder);
    log_free(&log);
}

static void test_noise(void)
{
    static uint8_t noise[4096];
    uint64_t seed = 37;

    for (unsigned round = 0; round < 100; round++) {
        struct decoder *decoder = decoder_create();
        struct decoder_counts counts;
        struct run run;

        for (size_t i = 0; i < sizeof(noise); i++) {
            noise[i] = (uint8_t)(unit_random(&seed) >> 20);
        }
        decoder_push(decoder, noise, round == 0 ? 0 : sizeof(noise));
        run_init(&run);
        decoder_finish(decoder, &run);
        decoder_get_counts(decoder, &counts);
        CHECK_EQUAL(counts.frames, 0);
        CHECK(!run.ended && run.bench_count == 0);
        CHECK_EQUAL(decoder_missing(decoder, &(struct decoder_range){0}, 1), 0);
        run_free(&run);
        decoder_destroy(decoder);
    }
}

/* So many samples that they do not stay in memory, in two series, of which the second lost a frame
 * in its middle. They are the same where there is no temporary file. */
static void check_many(const struct log_builder *log, size_t lost)
{
    struct decoder *decoder = decoder_create();
    struct run run;

    run_init(&run);
    decoder_note(decoder, "emulator", "none");
    for (size_t i = 0; i < log->frame_count; i++) {
        if (i != lost) {
            push_frame(decoder, log, i);
        }
        if (i % 100 == 0 && i != lost) {
            push_frame(decoder, log, i);
        }
    }
    decoder_finish(decoder, &run);
    decoder_destroy(decoder);
    CHECK(log_samples_are_true(log, &run));
    CHECK(run_series_whole(&run.benches[0].series[0]));
    CHECK(!run_series_whole(&run.benches[0].series[1]));
    CHECK_EQUAL(run.losses.count, 1);
    CHECK(run.losses.count == 1 && strstr(run.losses.item[0], "lost: samples") != NULL);
    CHECK_TEXT(run_pair_value(&run.info, "emulator"), "none");
    CHECK_TEXT(run_pair_value(&run.info, "version"), "0.1.0");
    CHECK((run.benches[0].series[1].mapped > 0) == (getenv("TMPDIR") == NULL));
    run_free(&run);
}

static void test_many(void)
{
    enum { MANY = 600000 };
    int64_t *samples = alloc_zeroed(MANY * sizeof(*samples));
    struct log_builder log;
    uint64_t seed = 3;

    log_init(&log, FRAME_BINARY);
    log_record(&log, "tare version=0.1.0 format=1");
    log_record(&log, "bench name=b group=idle summary=s unit=tick");
    for (unsigned series = 0; series < 2; series++) {
        for (size_t i = 0; i < MANY; i++) {
            samples[i] = (int64_t)(unit_random(&seed) >> 20);
        }
        log_series(&log, "b", series == 0 ? "first" : "second", "tick", samples, MANY);
    }
    log_record(&log, "status bench=b state=OK");
    log_end(&log);
    unsetenv("TMPDIR");
    check_many(&log, log.frame_count * 3 / 4);
    setenv("TMPDIR", "/dev/null", 1);
    check_many(&log, log.frame_count * 3 / 4);
    unsetenv("TMPDIR");
    log_free(&log);
    free(samples);
}

/* A log of run `id` of four META frames and END. Fact `value` of bench bN in each. */
static void identified_log(struct log_builder *log, const char *id, int value)
{
    log_init(log, FRAME_BINARY);
    log->run = id;
    log_record(log, "tare version=0.1.0 format=1");
    log_record(log, "verdict ok=1 hz=1000");
    for (unsigned i = 0; i < 3; i++) {
        const int64_t samples[] = {value, value + 1};

        log_recordf(log, "bench name=b%u summary=\"%*s\"", i, 700, "");
        log_recordf(log, "fact bench=b%u name=f value=%d unit=tick", i, value);
        log_series(log, "b", i == 0 ? "first" : i == 1 ? "second" : "third", "tick", samples, 2);
        log_recordf(log, "status bench=b%u state=OK", i);
    }
    log_end(log);
}

static size_t find_meta(const struct log_builder *log, uint32_t seq)
{
    size_t at = 0;

    while (log->frames[at].stream != 0 || log->frames[at].type == FRAME_END ||
           log->frames[at].seq != seq) {
        at++;
    }
    return at;
}

/* Facts of benches b0 to b2, as "5-5": 'x' is neither there nor of value 5. Of a run whose seal is
 * right, another run in the log is no loss. */
static void check_facts(struct decoder *decoder, const char *expected, const char *loss)
{
    char found[4] = "---";
    struct run run;

    run_init(&run);
    decoder_finish(decoder, &run);
    for (size_t i = 0; i < run.bench_count; i++) {
        const struct run_bench *bench = &run.benches[i];

        if (bench->fact_count > 0) {
            found[bench->name[1] - '0'] = bench->facts[0].value == 5 ? '5' : 'x';
        }
    }
    const char *other = run_pair_value(&run.info, INFO_OTHER_RUN);

    CHECK_TEXT(found, expected);
    CHECK_EQUAL(find_loss(&run, loss) + (other != NULL), 1);
    CHECK(other == NULL || (strncmp(other, loss, strlen(loss)) == 0 && run.losses.count == 0));
    CHECK(other != NULL || run.losses.count > 0);
    run_free(&run);
    decoder_destroy(decoder);
}

/* Behind a run comes another: it fills no hole of the first, and the log can be cut there. */
static void test_two_runs(void)
{
    static const char reported[] =
        "the log is of two runs, one and two: 6 frames of the second are "
        "left out; its first frame is after byte ";
    struct decoder *decoder = decoder_create();
    bool skip[16] = {false};
    struct log_builder one;
    struct log_builder two;
    char loss[256];

    identified_log(&one, "one", 5);
    identified_log(&two, "two", 6);
    skip[find_meta(&one, 2)] = true;
    push_frames(decoder, &one, skip);
    struct decoder_counts counts;

    decoder_get_counts(decoder, &counts);
    snprintf(loss, sizeof(loss), "%s%u", reported, (unsigned)counts.bytes);
    push_frames(decoder, &two, NULL);
    CHECK(decoder_ended(decoder) && decoder_other_ended(decoder));
    CHECK(!decoder_complete(decoder) && decoder_holds(decoder, 0, 1));
    CHECK(!decoder_holds(decoder, 0, 2));
    check_facts(decoder, "55-", loss);

    /* The first comes back, as its answers do: what it lacked it takes. */
    decoder = decoder_create();
    push_frames(decoder, &one, skip);
    push_frames(decoder, &two, NULL);
    push_frames(decoder, &one, NULL);
    CHECK(decoder_complete(decoder));
    check_facts(decoder, "555", loss);

    /* The machine went over to another run before the first was over. */
    decoder = decoder_create();
    for (size_t i = 0; i <= find_meta(&one, 1); i++) {
        push_frame(decoder, &one, i);
    }
    push_frames(decoder, &two, NULL);
    CHECK(!decoder_ended(decoder) && decoder_other_ended(decoder));
    check_facts(decoder, "55-", "the log is of two runs, one and two: 6 frames");
    log_free(&one);
    log_free(&two);
}

/* Behind a run of which not all came, another one: then a log of the first, which is known only at
 * its end which it is. What that has fills the holes. */
static void test_next_log(void)
{
    struct decoder *decoder = decoder_create();
    bool skip[16] = {false};
    bool headless[16] = {false};
    struct log_builder one;
    struct log_builder two;

    identified_log(&one, "one", 5);
    identified_log(&two, "two", 6);
    skip[find_meta(&one, 2)] = true;
    headless[find_meta(&one, 0)] = true;
    push_frames(decoder, &one, skip);
    push_frame(decoder, &two, find_meta(&two, 0));
    decoder_break(decoder);
    push_frames(decoder, &one, headless);
    CHECK(decoder_complete(decoder));
    check_facts(decoder, "555", "the log is of two runs, one and two: 1 frames");
    log_free(&one);
    log_free(&two);
}

/* Of three runs the message names the first two, and where the second begins. */
static void test_three_runs(void)
{
    struct decoder *decoder = decoder_create();
    struct log_builder logs[3];
    struct decoder_counts counts;
    char loss[256];

    identified_log(&logs[0], "one", 5);
    identified_log(&logs[1], "two", 6);
    identified_log(&logs[2], "three", 7);
    push_frames(decoder, &logs[0], NULL);
    decoder_get_counts(decoder, &counts);
    push_frames(decoder, &logs[1], NULL);
    push_frames(decoder, &logs[2], NULL);
    snprintf(loss, sizeof(loss),
             "the log is of two runs, one and two: 12 frames of the second are left out; its first "
             "frame "
             "is after byte %u",
             (unsigned)counts.bytes);
    check_facts(decoder, "555", loss);
    for (size_t i = 0; i < 3; i++) {
        log_free(&logs[i]);
    }
}

/* END is sent again, and claims frames that the line did not take since: the same run, whole.
 */
static void test_end_again(void)
{
    struct decoder *decoder = decoder_create();
    struct decoder_counts counts;
    struct log_builder log;
    struct run run;

    identified_log(&log, "one", 5);
    push_frames(decoder, &log, NULL);
    struct frame *end = &log.frames[log.frame_count - 1];

    end->length = (uint16_t)(end->length - 1);
    end->length += (uint16_t)snprintf((char *)end->payload + end->length,
                                      sizeof(end->payload) - end->length, " skipped=7\n");
    push_frame(decoder, &log, log.frame_count - 1);
    decoder_get_counts(decoder, &counts);
    CHECK_EQUAL(counts.conflicts, 0);
    CHECK_EQUAL(counts.duplicates, 1);
    run_init(&run);
    decoder_finish(decoder, &run);
    CHECK_EQUAL(find_loss(&run, "END arrived twice"), 0);
    run_free(&run);
    end->payload[9]++; /* another number of META frames: this is no repetition */
    push_frame(decoder, &log, log.frame_count - 1);
    decoder_get_counts(decoder, &counts);
    CHECK_EQUAL(counts.conflicts, 1);
    decoder_destroy(decoder);
    log_free(&log);
}

/* Which of two META frames of the same number and run is right cannot be known while the run goes
 * on: neither is taken. Behind END the first is. */
static void test_disputed(void)
{
    struct decoder *decoder = decoder_create();
    struct log_builder one;
    struct log_builder two;

    identified_log(&one, "one", 5);
    identified_log(&two, "one", 6);
    push_frame(decoder, &two, find_meta(&two, 2));
    push_frames(decoder, &one, NULL);
    check_facts(decoder, "55-",
                "stream 0: frame 2 arrived twice with different contents: neither is kept");
    decoder = decoder_create();
    push_frames(decoder, &one, NULL);
    push_frame(decoder, &two, find_meta(&two, 2));
    check_facts(decoder, "555",
                "stream 0: frame 2 arrived twice with different contents: the first");
    log_free(&one);
    log_free(&two);
}

/* Each fact and sample of the run is of the log of its id, and the others of the other are not
 * there. */
static void check_one_run(const struct log_builder *logs, const struct decoder *decoder,
                          const struct run *run)
{
    const char *id = decoder_run_id(decoder);
    const struct log_builder *log = id != NULL && strcmp(id, "two") == 0 ? &logs[1] : &logs[0];
    const int64_t value = log == &logs[1] ? 6 : 5;

    CHECK(id != NULL || run->bench_count == 0 || !decoder_holds(decoder, 0, 0));
    for (size_t i = 0; i < run->bench_count && id != NULL; i++) {
        for (size_t k = 0; k < run->benches[i].fact_count; k++) {
            CHECK_EQUAL(run->benches[i].facts[k].value, value);
        }
    }
    CHECK(id == NULL || log_samples_are_true(log, run));
}

/* Two machines on one line, or two loggers in one file: pieces of two logs take turns, down to
 * single bytes, and what comes out is of one run. */
static void test_interleaved(size_t piece_max)
{
    struct log_builder logs[2];
    uint8_t *wire[2];
    size_t length[2];
    uint64_t seed = 71;
    unsigned mixed = 0;

    identified_log(&logs[0], "one", 5);
    identified_log(&logs[1], "two", 6);
    for (unsigned i = 0; i < 2; i++) {
        wire[i] = log_wire(&logs[i], false, &length[i]);
    }
    for (unsigned round = 0; round < 150; round++) {
        struct decoder *decoder = decoder_create();
        size_t at[2] = {0};
        struct run run;

        while (at[0] < length[0] || at[1] < length[1]) {
            const size_t which = unit_random(&seed) % 2;
            const size_t left = length[which] - at[which];
            const size_t wanted = 1 + unit_random(&seed) % piece_max;
            const size_t size = wanted < left ? wanted : left;

            decoder_push(decoder, wire[which] + at[which], size);
            at[which] += size;
        }
        run_init(&run);
        decoder_finish(decoder, &run);
        check_one_run(logs, decoder, &run);
        mixed += find_loss(&run, "the log is of two runs") > 0;
        run_free(&run);
        decoder_destroy(decoder);
    }
    CHECK(piece_max == 1 || mixed > 20); /* frames of both come through */
    for (unsigned i = 0; i < 2; i++) {
        free(wire[i]);
        log_free(&logs[i]);
    }
}

/* Whole frames of two runs take turns, and the run is that of the first. */
static void test_turns(void)
{
    struct decoder *decoder = decoder_create();
    struct log_builder one;
    struct log_builder two;

    identified_log(&one, "one", 5);
    identified_log(&two, "two", 6);
    for (size_t i = 0; i < one.frame_count; i++) {
        push_frame(decoder, &one, i);
        push_frame(decoder, &two, i);
    }
    CHECK(decoder_complete(decoder) && decoder_other_ended(decoder));
    check_facts(decoder, "555", "the log is of two runs, one and two: 6 frames");
    log_free(&one);
    log_free(&two);
}

/* Records of code that hold more than a run can: memory and time stay small. */
static void test_much_text(void)
{
    struct decoder *decoder = decoder_create();
    struct decoder_counts counts;
    struct log_builder log;
    struct run run;

    log_init(&log, FRAME_BINARY);
    for (unsigned i = 0; i < 2000; i++) {
        log_recordf(&log, "later text=\"%*s\"", 900, "");
    }
    log_end(&log);
    push_frames(decoder, &log, NULL);
    decoder_get_counts(decoder, &counts);
    run_init(&run);
    decoder_finish(decoder, &run);
    CHECK(counts.damaged > 0);
    CHECK(find_loss(&run, "META frames") == 1);
    run_free(&run);
    decoder_destroy(decoder);
    log_free(&log);
}

/* Each kind of frame of a later codec: the run states so, once. */
static void test_later_codec(unsigned version, size_t reported)
{
    struct decoder *decoder = decoder_create();
    struct log_builder log;
    struct run run;
    int64_t samples[4] = {1, 2, 3, 4};

    log_init(&log, FRAME_BINARY);
    log_series(&log, "a", "b", "count", samples, 4);
    log_end(&log);
    for (size_t i = 0; i < log.frame_count; i++) {
        if (coded_type(log.frames[i].type)) {
            log.frames[i].payload[CODED_TAG_BYTES] = (uint8_t)version;
        }
    }
    push_frames(decoder, &log, NULL);
    run_init(&run);
    decoder_finish(decoder, &run);
    CHECK_EQUAL(find_loss(&run, "frames of codec 9: this tare knows codecs up to"), reported);
    run_free(&run);
    decoder_destroy(decoder);
    log_free(&log);
}

/* No text of a log reaches a terminal that obeys it; two that differ only there are the same. */
static void test_control_characters(void)
{
    struct decoder *decoder = decoder_create();
    struct log_builder log;
    struct run run;

    log_init(&log, FRAME_BINARY);
    log_record(&log, "tare version=0.1.0 format=1 run=\"a\\x1b[2J\"");
    log_record(&log, "plan source=a text=\"a\\nb\\x07\"");
    log_record(&log, "bench name=\"a\\x1b\\n\\x7f\" summary=\"\xc2\x9b\xc3\xa9\xff\xe2\x82\"");
    log_record(&log, "fact bench=\"a\\x1b\\n\\x7f\" name=\"\\x01\" value=1 unit=\"\\xe2\x82\xac\"");
    log_record(&log, "status bench=\"a\\x1b\\n\\x7f\" state=OK");
    log_end(&log);
    push_frames(decoder, &log, NULL);
    run_init(&run);
    decoder_finish(decoder, &run);
    CHECK_EQUAL(run.bench_count, 1);
    CHECK_TEXT(run.benches[0].name, "a???");
    CHECK_TEXT(run.benches[0].summary, "??\xc3\xa9???");
    CHECK_TEXT(run.benches[0].state, "OK");
    CHECK_EQUAL(run.benches[0].fact_count, 1);
    CHECK_TEXT(run.benches[0].facts[0].name, "?");
    CHECK_TEXT(run.benches[0].facts[0].unit, "\xe2\x82\xac");
    CHECK_TEXT(run_pair_value(&run.info, "run"), "a?[2J");
    CHECK_TEXT(run.plan_text, "a\nb?");
    run_free(&run);
    decoder_destroy(decoder);
    log_free(&log);
}

int main(void)
{
    RUN(test_clean(FRAME_BINARY));
    RUN(test_clean(FRAME_TEXT));
    RUN(test_counted());
    RUN(test_each_lost(FRAME_BINARY, log_plausible));
    RUN(test_each_lost(FRAME_TEXT, log_plausible));
    RUN(test_each_lost(FRAME_BINARY, log_counted));
    RUN(test_each_lost(FRAME_BINARY, log_traced));
    RUN(test_each_lost(FRAME_TEXT, log_traced));
    RUN(test_corrupted(FRAME_BINARY, log_plausible));
    RUN(test_corrupted(FRAME_TEXT, log_plausible));
    RUN(test_corrupted(FRAME_BINARY, log_traced));
    RUN(test_corrupted(FRAME_TEXT, log_traced));
    RUN(test_shuffled(log_plausible));
    RUN(test_shuffled(log_traced));
    RUN(test_many());
    RUN(test_two_runs());
    RUN(test_next_log());
    RUN(test_three_runs());
    RUN(test_end_again());
    RUN(test_control_characters());
    RUN(test_lies());
    RUN(test_contradictions());
    RUN(test_claimed_twice());
    RUN(test_reasons());
    RUN(test_partial());
    RUN(test_counting_records());
    RUN(test_expect_records());
    RUN(test_event_texts());
    RUN(test_noise());
    RUN(test_disputed());
    RUN(test_interleaved(1));
    RUN(test_interleaved(60));
    RUN(test_interleaved(400));
    RUN(test_turns());
    RUN(test_much_text());
    RUN(test_later_codec(9, 1));
    RUN(test_later_codec(CODEC_VERSION, 0));
    return unit_finish("unit_decoder");
}
