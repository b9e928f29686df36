/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces in a log: names and numbers, holes, contradictions, and a temporary file that fails. */
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "kernel/link/coded.h"
#include "kernel/link/encoding.h"
#include "kernel/link/trace_codec.h"
#include "kernel/trace/packet.h"
#include "tools/base/trace_bytes.h"
#include "tools/show/run_json.h"
#include "tools/tests/support/log_builder.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"
#include "tools/wire/decoder.h"

static void push(struct decoder *decoder, const struct frame *frame)
{
    uint8_t wire[FRAME_WIRE_MAX];

    decoder_push(decoder, wire, frame_encode(frame, FRAME_BINARY, wire));
}

static void push_all(struct decoder *decoder, const struct log_builder *log)
{
    for (size_t i = 0; i < log->frame_count; i++) {
        push(decoder, &log->frames[i]);
    }
}

static bool has_loss(const struct run *run, const char *line)
{
    for (size_t i = 0; i < run->losses.count; i++) {
        if (strcmp(run->losses.item[i], line) == 0) {
            return true;
        }
    }
    return false;
}

/* Trace frames as a decoder_listener gets them. */
struct received {
    const struct log_builder *log;
    size_t next; /* frame of the log to expect */
    size_t count;
    bool right;
};

static void receive_frame(void *context, const struct decoder_trace_frame *frame)
{
    struct received *received = context;

    while (received->next < received->log->frame_count &&
           received->log->frames[received->next].type != FRAME_TRACE) {
        received->next++;
    }
    const struct frame *sent = &received->log->frames[received->next];

    received->right = received->right && received->next < received->log->frame_count &&
                      frame->stream == sent->stream && frame->seq == sent->seq &&
                      frame->length + CODED_TAG_BYTES == sent->length &&
                      memcmp(frame->payload, sent->payload + CODED_TAG_BYTES, frame->length) == 0;
    received->next++;
    received->count++;
}

static void check_objects(const struct run_bench *bench)
{
    CHECK_EQUAL(bench->object_count, 5);
    CHECK_TEXT(bench->objects[0].kind, "process");
    CHECK(!bench->objects[0].has_process && !bench->objects[0].has_priority);
    CHECK_TEXT(run_object_name(bench, "thread", 0), "idle");
    CHECK_TEXT(run_object_name(bench, "thread", 1), "ping 1");
    CHECK_TEXT(run_object_name(bench, "vector", 1), "clock");
    CHECK_TEXT(run_object_name(bench, "mark", 0), "end");
    CHECK(run_object_name(bench, "mark", 1) == NULL);
    CHECK(run_object_name(bench, "lock", 0) == NULL);
    CHECK(bench->objects[2].has_process && bench->objects[2].process == 0);
    CHECK(bench->objects[2].has_priority && bench->objects[2].priority == 8);
}

static uint32_t frames_of(const struct log_builder *log)
{
    uint32_t count = 0;

    for (size_t i = 0; i < log->frame_count; i++) {
        count += log->frames[i].type == FRAME_TRACE;
    }
    return count;
}

/* The run holds what the log holds, and each frame is reported once, as it arrives. */
static void test_clean(void)
{
    struct log_builder log;
    struct received received = {.log = &log, .right = true};
    struct decoder *decoder = decoder_create();
    struct run run;

    log_init(&log, FRAME_BINARY);
    log_traced(&log, 100, 51);
    decoder_listen(
        decoder, &(struct decoder_listener){.context = &received, .on_trace_frame = receive_frame});
    push_all(decoder, &log);
    push_all(decoder, &log);
    CHECK(received.right);
    CHECK_EQUAL(received.count, frames_of(&log));
    run_init(&run);
    CHECK_EQUAL(decoder_missing(decoder, &(struct decoder_range){0}, 1), 0);
    decoder_finish(decoder, &run);
    decoder_destroy(decoder); /* the run holds what it needs */
    CHECK(log_is_whole(&log, &run));
    const struct run_bench *bench = run_find_bench(&run, "switches");

    check_objects(bench);
    CHECK_EQUAL(bench->trace_count, 2);
    const struct run_trace *second = &bench->traces[1];

    CHECK(second->stream == 4 && second->part == 2 && second->cpu == 0);
    CHECK_TEXT(second->mode, "stop");
    CHECK_EQUAL(second->begin, 7 * LOG_PACKET_RECORDS * 400);
    CHECK_EQUAL(second->end, 10 * LOG_PACKET_RECORDS * 400);
    CHECK_EQUAL(second->packet_bytes, 8192);
    CHECK_EQUAL(second->kept, 3 * LOG_PACKET_RECORDS);
    CHECK(second->discarded == 0 && second->overwritten == 0);
    CHECK_EQUAL(second->claimed, 3 * 8192);
    CHECK(second->costs.record == 176 && second->costs.lead == 88 &&
          second->costs.extended == 240 && second->costs.isr_lead == 40 &&
          second->costs.isr_trail == 48 && second->costs.dpc_trail == 52 &&
          second->costs.switch_trail == 56);
    run_free(&run);
    log_free(&log);
}

#define PACKETS 20

/* A log of one trace: META, the frames of its packets, END. */
static void packets_log_of(struct log_builder *log, size_t count, uint64_t seed, size_t payload_max)
{
    uint8_t *packets = log_packets(3, count, seed);

    log_init(log, FRAME_BINARY);
    log->payload_max = payload_max;
    log_record(log, "run kind=real");
    log_record(log, "verdict ok=1 hz=1000");
    log_record(log, "bench name=b");
    log_record(log, "status bench=b state=OK");
    log_trace(log, "b", 1, packets, count, count * LOG_PACKET_RECORDS);
    log_end(log);
    free(packets);
}

/* Several frames for each packet. */
static void packets_log(struct log_builder *log, size_t count, uint64_t seed)
{
    packets_log_of(log, count, seed, CODED_TAG_BYTES + CODEC_CAPACITY_MIN);
}

/* The packet of which a frame has records. */
static uint32_t packet_of(const struct frame *frame)
{
    static struct trace_codec codec;
    static uint8_t packet[TRACE_PACKET_BYTES];
    struct trace_piece piece = {0};

    CHECK(trace_decode(&codec, frame->payload + CODED_TAG_BYTES, frame->length - CODED_TAG_BYTES,
                       packet, &piece));
    return piece.index;
}

/* Frames of a trace of 20 packets, by `lost`, are lost, and reported as `frames`. */
static void check_holes(const bool *lost, const char *frames)
{
    struct log_builder log;
    struct decoder *decoder = decoder_create();
    bool packets[PACKETS] = {false};
    size_t packets_lost = 0;
    char loss[200];
    struct run run;

    packets_log(&log, PACKETS, 52);
    for (size_t i = 0; i < log.frame_count; i++) {
        if (log.frames[i].type != FRAME_TRACE || !lost[log.frames[i].seq]) {
            push(decoder, &log.frames[i]);
        } else {
            packets[packet_of(&log.frames[i])] = true;
        }
    }
    for (size_t i = 0; i < PACKETS; i++) {
        packets_lost += packets[i];
    }
    run_init(&run);
    decoder_finish(decoder, &run);
    snprintf(loss, sizeof(loss), "b: trace part 1: %zu of 20 packets lost (frames %s)",
             packets_lost, frames);
    CHECK(log_samples_are_true(&log, &run));
    CHECK_EQUAL(run.losses.count, 1);
    CHECK_TEXT(run.losses.count > 0 ? run.losses.item[0] : NULL, loss);
    CHECK_EQUAL(run.benches[0].traces[0].packets->length,
                (PACKETS - packets_lost) * TRACE_PACKET_BYTES);
    run_free(&run);
    decoder_destroy(decoder);
    log_free(&log);
}

static void test_holes(void)
{
    static bool lost[1000];
    struct log_builder log;
    char frames[100];

    packets_log(&log, PACKETS, 52);
    const uint32_t last = frames_of(&log) - 1;

    CHECK(last > 3 * PACKETS && last < sizeof(lost));
    log_free(&log);
    lost[17] = lost[18] = lost[19] = true;
    check_holes(lost, "17..19");
    lost[0] = true;
    lost[last] = true;
    snprintf(frames, sizeof(frames), "0, 17..19, %" PRIu32, last);
    check_holes(lost, frames);
    for (size_t i = 30; i < 50; i += 2) {
        lost[i] = true;
    }
    check_holes(lost, "0, 17..19, 30, 32, 34, 36, 38, 40 and 5 more holes");
    memset(lost, true, sizeof(lost));
    snprintf(frames, sizeof(frames), "0..%" PRIu32, last);
    check_holes(lost, frames);
}

/* Each payload that a packet has is the one that its records are encoded to, given its place.
 * Frames hold `payload_max` bytes, and one of them is lost. Returns the number of such packets. */
static unsigned check_payloads(size_t payload_max, uint32_t lost)
{
    static struct trace_codec codec;
    uint8_t packet[TRACE_PACKET_BYTES];
    uint8_t given[FRAME_PAYLOAD_MAX];
    uint8_t made[FRAME_PAYLOAD_MAX];
    struct decoder *decoder = decoder_create();
    struct log_builder log;
    unsigned found = 0;
    struct run run;

    packets_log_of(&log, PACKETS, 52, payload_max);
    for (size_t i = 0; i < log.frame_count; i++) {
        if (log.frames[i].type != FRAME_TRACE || log.frames[i].seq != lost) {
            push(decoder, &log.frames[i]);
        }
    }
    run_init(&run);
    decoder_finish(decoder, &run);
    struct trace_bytes *packets = run.benches[0].traces[0].packets;

    for (uint32_t i = 0; i < packets->length / sizeof(packet); i++) {
        const size_t length = packets->payload(packets, i, given);
        uint32_t at = sizeof(struct trace_packet);

        CHECK(packets->read(packets, i * sizeof(packet), packet, sizeof(packet)));
        if (length > 0) {
            CHECK_EQUAL(length, trace_encode(&codec, packet, i, &at, made,
                                             FRAME_PAYLOAD_MAX - CODED_TAG_BYTES));
            CHECK(memcmp(given, made, length) == 0 && at == trace_codec_content(packet));
            found++;
        }
    }
    CHECK_EQUAL(packets->payload(packets, packets->length / sizeof(packet), given), 0);
    run_free(&run);
    decoder_destroy(decoder);
    log_free(&log);
    return found;
}

static void test_payloads(void)
{
    CHECK_EQUAL(check_payloads(CODED_TAG_BYTES + CODEC_CAPACITY_MIN, UINT32_MAX), 0);
    CHECK_EQUAL(check_payloads(FRAME_PAYLOAD_MAX, UINT32_MAX), PACKETS);
    CHECK_EQUAL(check_payloads(FRAME_PAYLOAD_MAX, 5), 5); /* later ones have another place */
}

/* META, frames 0 to 3 or more of a trace, END. */
static void small_log(struct log_builder *log)
{
    packets_log(log, 1, 54);
}

/* Decodes and frees the log. It must report this loss (NULL: none), and hold so many bytes. */
static void check_small(struct log_builder *log, const char *loss, uint64_t held)
{
    struct decoder *decoder = decoder_create();
    struct run_texts reasons = {0};
    struct run run;

    push_all(decoder, log);
    run_init(&run);
    decoder_finish(decoder, &run);
    const struct run_bench *bench = run_find_bench(&run, "b");

    CHECK(bench != NULL && bench->trace_count <= 1);
    CHECK_EQUAL(bench->trace_count > 0 ? bench->traces[0].packets->length : 0, held);
    CHECK_EQUAL(run_valid(&run, &reasons), loss == NULL);
    CHECK(loss != NULL ? has_loss(&run, loss) : run.losses.count == 0);
    for (size_t i = 0; loss != NULL && !has_loss(&run, loss) && i < run.losses.count; i++) {
        printf("loss: %s\n", run.losses.item[i]);
    }
    run_texts_free(&reasons);
    run_free(&run);
    decoder_destroy(decoder);
    log_free(log);
}

/* Frames that contradict each other or the record. */
static void test_contradictions(void)
{
    struct log_builder log;

    small_log(&log);
    check_small(&log, NULL, 8192);
    small_log(&log);
    log.frames[3].length = CODED_TAG_BYTES;
    check_small(&log, "b: trace part 1: frame 2 contradicts the trace: left out", 0);
    small_log(&log);
    log.frames[3].length = CODED_TAG_BYTES;
    check_small(&log, "b: trace part 1: 1 of 1 packets lost (frames 2)", 0);
    small_log(&log);
    CHECK(frames_of(&log) > 3);
    log.frames[4].seq = 99;
    check_small(&log, "b: trace part 1: frame 99 contradicts the trace: left out", 0);
    small_log(&log);
    log.frames[4].type = FRAME_SERIES;
    check_small(&log, "stream 1: frame 3 has an unexpected type: left out", 0);
    small_log(&log);
    log.frames[4].stream = 2;
    check_small(&log, "stream 2: no trace record describes it: 1 frames (3..3) left out", 0);
    small_log(&log);
    log.frames[4].stream = 0;
    check_small(&log, "b: trace part 1: 1 of 1 packets lost (frames 3)", 0);
    small_log(&log);
    log.frames[4].seq = 2; /* twice, and the first is right */
    check_small(&log, "stream 1: frame 2 arrived twice with different contents: the first is kept",
                0);
    small_log(&log);
    const uint32_t count = frames_of(&log);
    char loss[120];

    log_meta_frame(&log.frames[0], 0, "bench name=b\nstatus bench=b state=OK\n", 37);
    snprintf(loss, sizeof(loss),
             "stream 1: no trace record describes it: %" PRIu32 " frames (0..%" PRIu32 ") left out",
             count, count - 1);
    check_small(&log, loss, 0);
}

/* Of a trace that lacks a frame the whole packets are held; but not if frames of another run came,
 * as one of them may stand in a whole packet. */
static void test_mixed(void)
{
    struct log_builder log;

    packets_log(&log, 2, 54);
    log.frames[4].stream = 0; /* frame 3 is lost */
    check_small(&log, "b: trace part 1: 1 of 2 packets lost (frames 3)", 8192);
    packets_log(&log, 2, 54);
    log.frames[4].seq = 2; /* frame 3 is lost, and another frame 2 came */
    check_small(&log, "b: trace part 1: incomplete in a log of two runs: all left out", 0);
}

#define RECORD_HEAD  "trace stream=1 bench=b part=1 mode=stop cpu=0 begin=5 end=6"
#define RECORD_SIZE  " bytes=8192 packet_bytes=8192"
#define RECORD_KEPT  " kept=901 discarded=0 overwritten=0"
#define RECORD_COSTS " record=1 lead=1 extended=1 isr_lead=1 isr_trail=1 switch_trail=1"

/* The small log with another record about its trace, whose frames and CRC are right unless `size`
 * states others. `loss`: NULL: none. */
static void check_record(const char *head, const char *size, const char *kept, const char *costs,
                         const char *loss)
{
    struct log_builder small;
    uint8_t *packets = log_packets(3, 1, 54);
    char line[RECORD_LINE_MAX];

    small_log(&small);
    log_unseal(&small); /* only the record is judged here */
    const int length = snprintf(
        line, sizeof(line),
        "run kind=real\nverdict ok=1 hz=1000\nbench name=b\nstatus bench=b state=OK\n"
        "%s%s frames=%" PRIu32 " content_crc=%" PRIu32 "%s%s\n",
        head, size, frames_of(&small), crc32c(0, packets, TRACE_PACKET_BYTES), kept, costs);

    log_meta_frame(&small.frames[0], 0, line, (size_t)length);
    check_small(&small, loss, loss == NULL ? TRACE_PACKET_BYTES : 0);
    free(packets);
}

/* Numbers that cannot be. */
static const char *const bad_heads[] = {
    "trace stream=0 bench=b part=1 mode=stop cpu=0 begin=5 end=6",
    "trace stream=65536 bench=b part=1 mode=stop cpu=0 begin=5 end=6",
    "trace stream=1 part=1 mode=stop cpu=0 begin=5 end=6",
    "trace stream=1 bench=b part=0 mode=stop cpu=0 begin=5 end=6",
    "trace stream=1 bench=b part=4294967296 mode=stop cpu=0 begin=5 end=6",
    "trace stream=1 bench=b part=1 cpu=0 begin=5 end=6",
    "trace stream=1 bench=b part=1 mode=\"\" cpu=0 begin=5 end=6",
    "trace stream=1 bench=b part=1 mode=stop begin=5 end=6",
    "trace stream=1 bench=b part=1 mode=stop cpu=0 begin=7 end=6",
    "trace stream=1 bench=b part=1 mode=stop cpu=0 begin=x end=6",
    "trace stream=1 bench=b part=1 mode=stop cpu=0 begin=5",
    "trace stream=1 bench=b pass=0 part=1 mode=stop cpu=0 begin=5 end=6",
};
static const char *const bad_sizes[] = {
    " bytes=8191 packet_bytes=8192",
    " bytes=8192000 packet_bytes=8192", /* more packets than frames */
    " bytes=18446744073709543424 packet_bytes=8192",
    " bytes=8192 packet_bytes=4096",
    " bytes=8192 packet_bytes=0",
    " bytes=8192 packet_bytes=8192 frames=0",
    " bytes=8192 packet_bytes=8192 frames=16384", /* more frames than bytes */
    " bytes=8192 packet_bytes=8192 frames=4294967304",
    " bytes=8192 packet_bytes=8192 content_crc=4294967296",
    " bytes=8192 packet_bytes=8192 content_crc=x",
    " bytes=-1 packet_bytes=8192",
};
static const char *const bad_kepts[] = {
    " kept=2049 discarded=0 overwritten=0", /* more than bytes for their headers */
    " kept=901 discarded=-1 overwritten=0", " kept=901 discarded=0", " discarded=0"};
static const char *const bad_costs[] = {
    " record=4294967296 lead=1 extended=1 isr_lead=1 isr_trail=1 switch_trail=1",
    " record=1 lead=1 extended=1 isr_lead=1 isr_trail=1",
    " record=1 lead=1 extended=1 isr_lead=1 isr_trail=1 dpc_trail=-1 switch_trail=1", ""};

/* They are refused. */
static void test_lies(void)
{
    static const char bad[] =
        "META frame 0: record \"trace\" is damaged or contradicts an earlier record";

    check_record(RECORD_HEAD, RECORD_SIZE, RECORD_KEPT, RECORD_COSTS, NULL);
    check_record(RECORD_HEAD, RECORD_SIZE, " kept=2048 discarded=9 overwritten=9",
                 RECORD_COSTS " later=1", NULL);
    check_record(RECORD_HEAD, RECORD_SIZE, RECORD_KEPT, RECORD_COSTS " dpc_trail=2", NULL);
    check_record(RECORD_HEAD, RECORD_SIZE " content_crc=7", RECORD_KEPT, RECORD_COSTS,
                 "b: trace part 1: CRC of the packets is wrong: all left out");
    for (size_t i = 0; i < sizeof(bad_heads) / sizeof(bad_heads[0]); i++) {
        check_record(bad_heads[i], RECORD_SIZE, RECORD_KEPT, RECORD_COSTS, bad);
    }
    for (size_t i = 0; i < sizeof(bad_sizes) / sizeof(bad_sizes[0]); i++) {
        check_record(RECORD_HEAD, bad_sizes[i], RECORD_KEPT, RECORD_COSTS, bad);
    }
    for (size_t i = 0; i < sizeof(bad_kepts) / sizeof(bad_kepts[0]); i++) {
        check_record(RECORD_HEAD, RECORD_SIZE, bad_kepts[i], RECORD_COSTS, bad);
    }
    for (size_t i = 0; i < sizeof(bad_costs) / sizeof(bad_costs[0]); i++) {
        check_record(RECORD_HEAD, RECORD_SIZE, RECORD_KEPT, bad_costs[i], bad);
    }
}

/* A claim that may be true, of a trace that did not come: it costs nothing. */
static void test_huge_claim(void)
{
    struct decoder *decoder = decoder_create();
    struct decoder_range missing[2];
    struct log_builder log;
    struct run run;

    log_init(&log, FRAME_BINARY);
    log_record(&log, "bench name=b");
    log_record(&log, RECORD_HEAD " bytes=4398046502912 packet_bytes=8192 frames=4294967288 "
                                 "content_crc=0" RECORD_KEPT RECORD_COSTS);
    log_record(&log, "status bench=b state=OK");
    log_end(&log);
    push_all(decoder, &log);
    CHECK_EQUAL(decoder_missing(decoder, missing, 2), 1);
    CHECK(missing[0].stream == 1 && missing[0].first == 0 && missing[0].count == 4294967288u);
    run_init(&run);
    decoder_finish(decoder, &run);
    CHECK(has_loss(&run, "b: trace part 1: 536870911 of 536870911 packets lost (frames "
                         "0..4294967287)"));
    CHECK_EQUAL(run.benches[0].traces[0].packets->length, 0);
    CHECK_EQUAL(run.benches[0].traces[0].claimed, 4398046502912);
    run_free(&run);
    decoder_destroy(decoder);
    log_free(&log);
}

/* Records beside others that are right. */
static void check_other(const char *record, const char *loss)
{
    struct decoder *decoder = decoder_create();
    struct log_builder log;
    struct run run;

    log_init(&log, FRAME_BINARY);
    log_record(&log, "bench name=b");
    log_record(&log, "object bench=b kind=thread id=1 name=one process=2 priority=3");
    log_record(&log, "trace stream=1 bench=b part=1 mode=stop cpu=0 begin=5 end=6 bytes=0 "
                     "packet_bytes=8192 frames=0 content_crc=0 kept=0 discarded=0 "
                     "overwritten=0" RECORD_COSTS);
    log_record(&log, record);
    log_record(&log, "status bench=b state=OK");
    log_end(&log);
    push_all(decoder, &log);
    run_init(&run);
    decoder_finish(decoder, &run);
    CHECK_TEXT(run.losses.count > 0 ? run.losses.item[0] : NULL, loss);
    CHECK(run.benches[0].trace_count >= 1 && run.benches[0].traces[0].packets->length == 0);
    run_free(&run);
    decoder_destroy(decoder);
    log_free(&log);
}

static void test_other_records(void)
{
    static const char bad_object[] =
        "META frame 0: record \"object\" is damaged or contradicts an earlier record";
    static const char bad_trace[] =
        "META frame 0: record \"trace\" is damaged or contradicts an earlier record";
    static const char bad_series[] =
        "META frame 0: record \"series\" is damaged or contradicts an earlier record";

#define EMPTY                                                                      \
    " cpu=0 begin=6 end=7 bytes=0 packet_bytes=8192 frames=0 content_crc=0 kept=0" \
    " discarded=0 overwritten=0" RECORD_COSTS
    check_other("later x=1", NULL);
    check_other("object bench=b kind=thread id=1 name=one", NULL); /* given again */
    check_other("object bench=b kind=process id=1 name=two", NULL);
    check_other("object bench=b kind=thread id=1 name=two pass=2\nstatus bench=b state=OK pass=2",
                NULL);
    check_other("object bench=b kind=later id=4294967295 name=\"a b\"", NULL);
    check_other("object bench=b kind=thread id=1 name=two", bad_object);
    check_other("object bench=b kind=thread id=4294967296 name=two", bad_object);
    check_other("object bench=b kind=thread id=2 name=\"\"", bad_object);
    check_other("object bench=b kind=thread name=two", bad_object);
    check_other("object bench=b id=2 name=two", bad_object);
    check_other("object kind=thread id=2 name=two", bad_object);
    check_other("object bench=b kind=thread id=2 name=two process=x", bad_object);
    check_other("object bench=b kind=thread id=2 name=two priority=4294967296", bad_object);
    check_other("trace stream=2 bench=b part=2 mode=drain" EMPTY, NULL);
    check_other("trace stream=2 bench=b pass=2 part=1 mode=drain" EMPTY
                "\nstatus bench=b state=OK pass=2",
                NULL);
    check_other("trace stream=1 bench=b part=2 mode=stop" EMPTY, bad_trace);
    check_other("trace stream=2 bench=b part=1 mode=stop" EMPTY, bad_trace);
    /* A part that begins before the end of the one before it. */
    check_other("trace stream=2 bench=b part=2 mode=stop cpu=0 begin=5 end=7 bytes=0 "
                "packet_bytes=8192 frames=0 content_crc=0 kept=0 discarded=0 "
                "overwritten=0" RECORD_COSTS,
                bad_trace);
    check_other("series stream=2 bench=b name=s n=0 batch=1\n"
                "series stream=2 bench=b name=t n=0 batch=1",
                bad_series);
#undef EMPTY
}

/* TMPDIR that is no folder, a file that cannot grow: reported, and the rest of the run is kept. */
static void check_spool(const char *loss, uint64_t held)
{
    struct decoder *decoder = decoder_create();
    struct decoder_counts counts;
    struct log_builder log;
    struct run_texts reasons = {0};
    struct run run;

    log_init(&log, FRAME_BINARY);
    log_traced(&log, 100, 55);
    push_all(decoder, &log);
    push_all(decoder, &log);
    CHECK_EQUAL(decoder_missing(decoder, &(struct decoder_range){0}, 1), 0);
    run_init(&run);
    decoder_finish(decoder, &run);
    decoder_get_counts(decoder, &counts);
    CHECK_EQUAL(counts.conflicts, 0);
    CHECK_EQUAL(counts.duplicates, log.frame_count);
    CHECK_TEXT(run.losses.count > 0 ? run.losses.item[run.losses.count - 1] : NULL, loss);
    CHECK(!run_valid(&run, &reasons));
    CHECK(log_samples_are_true(&log, &run));
    CHECK(run_series_whole(run_find_series(&run.benches[0], "latency")));
    CHECK_EQUAL(run.benches[0].traces[0].packets->length + run.benches[0].traces[1].packets->length,
                held);
    run_texts_free(&reasons);
    run_free(&run);
    decoder_destroy(decoder);
    log_free(&log);
}

static void test_spool(void)
{
    const struct rlimit small = {20 * 1024 + 100,
                                 RLIM_INFINITY}; /* what the first block does not fit into */
    const struct rlimit any = {RLIM_INFINITY, RLIM_INFINITY};

    setenv("TMPDIR", "/no/such/folder", 1);
    check_spool("cannot make a temporary file in /no/such/folder: No such file or directory: 8 "
                "frames of traces were not kept: decode the log again, with TMPDIR naming a folder "
                "with more free space",
                0);
    setenv("TMPDIR", "/tmp", 1);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    check_spool("switches: trace part 2: cannot write a temporary file in /tmp: File too large: "
                "packets are left out: decode the log again, with TMPDIR naming a folder with more "
                "free space",
                3 * TRACE_PACKET_BYTES);
    setrlimit(RLIMIT_FSIZE, &any);
}

static const char traced_json[] = "      \"objects\": [\n"
                                  "        {\n"
                                  "          \"kind\": \"lock\",\n"
                                  "          \"id\": 7,\n"
                                  "          \"name\": \"the pipe\",\n"
                                  "          \"process\": null,\n"
                                  "          \"priority\": 4\n"
                                  "        }\n"
                                  "      ],\n"
                                  "      \"traces\": [\n"
                                  "        {\n"
                                  "          \"stream\": 9,\n"
                                  "          \"part\": 1,\n"
                                  "          \"mode\": \"stop\",\n"
                                  "          \"cpu\": 1,\n"
                                  "          \"begin\": 100,\n"
                                  "          \"end\": 18446744073709551615,\n"
                                  "          \"kept\": 1802,\n"
                                  "          \"discarded\": 3,\n"
                                  "          \"overwritten\": 4,\n"
                                  "          \"claimed\": 24576,\n"
                                  "          \"bytes\": 16384\n"
                                  "        }\n"
                                  "      ],\n";

static void test_json(void)
{
    uint8_t *packets = log_packets(0, 2, 56);
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    struct run run;

    run_init(&run);
    struct run_bench *bench = build_bench(&run, "switches", 1);
    struct run_trace *trace = build_trace(bench, packets, 2);

    build_object(bench, "lock", 7, "the pipe");
    bench->objects[0].has_priority = true;
    bench->objects[0].priority = 4;
    trace->stream = 9;
    trace->cpu = 1;
    trace->begin = 100;
    trace->end = UINT64_MAX;
    trace->kept = 2 * LOG_PACKET_RECORDS;
    trace->discarded = 3;
    trace->overwritten = 4;
    trace->claimed += TRACE_PACKET_BYTES; /* one is lost */
    run_json(out, &run, &(struct run_texts){0});
    fclose(out);
    CHECK(strstr(text, traced_json) != NULL);
    free(text);
    free(packets);
    run_free(&run);
}

int main(void)
{
    RUN(test_clean());
    RUN(test_holes());
    RUN(test_payloads());
    RUN(test_contradictions());
    RUN(test_mixed());
    RUN(test_lies());
    RUN(test_huge_claim());
    RUN(test_other_records());
    RUN(test_spool());
    RUN(test_json());
    return unit_finish("unit_trace_log");
}
