/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The image's side of the line (kernel/link/link.c and serve.c) on stubs of the machine below it:
 * what it sends goes to the decoder, with frames taken out, and what the decoder lacks is asked
 * for.
 */
#include <stdlib.h>

#include "tools/base/alloc.h"
#include "tools/base/trace_bytes.h"
#include "tools/tests/support/log_builder.h"
#include "tools/tests/support/unit.h"
#include "tools/wire/decoder.h"

/* The units under test: they touch hardware through other files only. */
#include "kernel/link/journal.c" /* NOLINT(bugprone-suspicious-include) */
#include "kernel/link/link.c"    /* NOLINT(bugprone-suspicious-include) */
#include "kernel/link/serve.c"   /* NOLINT(bugprone-suspicious-include) */

#define ALL    SIZE_MAX
#define VALUES 3000
#define NOISE  400000000ull /* ticks of it: a tenth of a second or more */

static struct {
    struct decoder *decoder;
    void **memory; /* what was taken */
    size_t memory_count, memory_capacity;
    size_t writes;
    size_t dropped; /* which of them does not arrive */
    uint8_t requests[8 * FRAME_WIRE_MAX];
    size_t request_bytes, request_next;
    bool leaves;         /* sends bye once all is answered */
    uint64_t noise_ends; /* TSC; 0: there is none */
} machine;

void *memory_allocate(size_t bytes, size_t alignment)
{
    void *memory = alloc_zeroed(bytes);

    CHECK((uintptr_t)memory % alignment == 0);
    machine.memory = alloc_append(machine.memory, &machine.memory_count, &machine.memory_capacity,
                                  sizeof(*machine.memory));
    machine.memory[machine.memory_count - 1] = memory;
    return memory;
}

static void free_memory(void)
{
    while (machine.memory_count > 0) {
        free(machine.memory[--machine.memory_count]);
    }
}

bool uart_write(struct uart *uart, const uint8_t *bytes, size_t length)
{
    (void)uart;
    if (machine.writes++ != machine.dropped) {
        decoder_push(machine.decoder, bytes, length);
    }
    return true;
}

int uart_read(struct uart *uart)
{
    (void)uart;
    if (tsc_read() < machine.noise_ends) {
        return 0x55;
    }
    return machine.request_next < machine.request_bytes ? machine.requests[machine.request_next++]
                                                        : -1;
}

void uart_drain(struct uart *uart)
{
    (void)uart;
}

uint16_t uart_divisor(const struct uart *uart, uint32_t baud)
{
    (void)uart;
    return (uint16_t)(115200 / baud);
}

uint32_t uart_rate(const struct uart *uart, uint16_t divisor)
{
    (void)uart;
    return 115200u / divisor;
}

void uart_set_divisor(struct uart *uart, uint16_t divisor)
{
    uart->divisor = divisor;
}

void screen_print(const char *text)
{
    (void)text;
}

const struct clock_state *clock_state(void)
{
    static const struct clock_state state = {.verdict = {.hz = 1000000000}};

    return &state;
}

static void start(enum frame_format format, size_t dropped)
{
    static struct uart uart;

    machine.decoder = decoder_create();
    machine.writes = 0;
    machine.dropped = dropped;
    CHECK(link_init(&uart));
    link_set_format(format);
}

static void ask(const char *text)
{
    struct frame frame = {.type = FRAME_REQUEST, .length = (uint16_t)strlen(text)};

    memcpy(frame.payload, text, strlen(text));
    machine.request_bytes +=
        frame_encode(&frame, FRAME_BINARY, machine.requests + machine.request_bytes);
}

/* The image has nothing to answer. */
void idle_loop_spin(uint64_t iterations)
{
    (void)iterations;
    if (machine.leaves) {
        machine.leaves = false;
        ask("bye\n");
    }
}

/* As a capture does: asks for what is missing until nothing is, and sends bye. */
static void serve(void)
{
    struct decoder_range missing[4];
    char text[80];

    machine.request_bytes = 0;
    machine.request_next = 0;
    if (!decoder_ended(machine.decoder)) {
        ask("status_request\n");
    }
    const size_t count = decoder_missing(machine.decoder, missing, 4);

    for (size_t i = 0; i < count; i++) {
        snprintf(text, sizeof(text), "get stream=%u first=%" PRIu32 " count=%" PRIu32 "\n",
                 missing[i].stream, missing[i].first, missing[i].count);
        ask(text);
    }
    machine.leaves = true;
    link_serve(1000);
}

/* Closes the log and repairs it; a lost META frame may hide more. */
static void finish(struct run *run)
{
    struct decoder_counts counts;

    link_end();
    for (int round = 0; round < 3; round++) {
        serve();
    }
    run_init(run);
    decoder_finish(machine.decoder, run);
    decoder_get_counts(machine.decoder, &counts);
    CHECK_EQUAL(counts.conflicts + counts.damaged, 0);
    CHECK_EQUAL(decoder_missing(machine.decoder, &(struct decoder_range){0}, 1), 0);
    decoder_destroy(machine.decoder);
    free_memory();
}

static void send_text(const char *name, const char *key, const char *value)
{
    struct record_writer record;

    record_begin(&record, name);
    record_text(&record, key, value);
    link_record(&record);
}

static void send_status(const char *bench, unsigned pass)
{
    struct record_writer record;

    begin_record(&record, "status", bench, pass);
    record_text(&record, "state", "OK");
    link_record(&record);
}

static struct link_trace trace_of(const void *ring, size_t ring_packets, uint64_t first,
                                  size_t count)
{
    return (struct link_trace){
        .bench = "b",
        .part = 1,
        .mode = "overwrite",
        .cpu = 2,
        .begin = 1000,
        .end = UINT64_MAX,
        .memory = ring,
        .ring_packets = ring_packets,
        .first = first,
        .count = count,
        .kept = count * LOG_PACKET_RECORDS,
        .discarded = 5,
        .overwritten = UINT64_MAX,
        .record = 11,
        .lead = 12,
        .extended = 13,
        .isr_lead = 14,
        .isr_trail = 15,
        .dpc_trail = 16,
        .switch_trail = UINT32_MAX,
    };
}

/* Packets of these sequence numbers at their places in a ring. */
static uint8_t *make_ring(size_t ring_packets, uint64_t first, size_t count, uint8_t **in_order)
{
    uint8_t *ring = alloc_zeroed(ring_packets * TRACE_PACKET_BYTES);

    *in_order = log_packets(first, count, 61);
    for (size_t i = 0; i < count; i++) {
        memcpy(ring + (first + i) % ring_packets * TRACE_PACKET_BYTES,
               *in_order + i * TRACE_PACKET_BYTES, TRACE_PACKET_BYTES);
    }
    return ring;
}

static void check_packets(const struct run_trace *trace, const uint8_t *expected, size_t count)
{
    uint8_t *held = alloc_zeroed(count * TRACE_PACKET_BYTES);

    CHECK_EQUAL(trace->packets->length, count * TRACE_PACKET_BYTES);
    CHECK(trace->packets->length == count * TRACE_PACKET_BYTES &&
          trace->packets->read(trace->packets, 0, held, trace->packets->length) &&
          memcmp(held, expected, trace->packets->length) == 0);
    free(held);
}

static void check_ring(enum frame_format format, size_t ring_packets, uint64_t first, size_t count)
{
    uint8_t *in_order;
    uint8_t *ring = make_ring(ring_packets, first, count, &in_order);
    const struct link_trace trace = trace_of(ring, ring_packets, first, count);
    struct run run;

    start(format, ALL);
    CHECK(link_trace(&trace));
    send_status("b", 0);
    finish(&run);
    CHECK_EQUAL(run.losses.count, 0);
    CHECK_EQUAL(run.bench_count, 1);
    CHECK_EQUAL(run.benches[0].trace_count, 1);
    check_packets(&run.benches[0].traces[0], in_order, count);
    run_free(&run);
    free(ring);
    free(in_order);
}

/* Sent in order of sequence wherever in the ring the first packet lies. */
static void test_ring(enum frame_format format)
{
    for (size_t count = 0; count <= 4; count++) {
        for (uint64_t first = 0; first < 9; first++) {
            check_ring(format, 4, first, count);
        }
    }
    check_ring(format, 3, UINT64_C(1) << 40, 3);
}

/* All numbers arrive as they were given. */
static void test_record(void)
{
    uint8_t *in_order;
    uint8_t *ring = make_ring(2, 9, 2, &in_order);
    struct link_trace trace = trace_of(ring, 2, 9, 2);
    struct run run;

    trace.pass = 3;
    trace.part = 7;
    start(FRAME_BINARY, ALL);
    link_object(&(struct link_object){.bench = "b", .kind = "mark", .id = 4, .name = "a \"b\""});
    link_object(&(struct link_object){.bench = "b",
                                      .pass = 3,
                                      .kind = "thread",
                                      .id = UINT32_MAX,
                                      .name = "t",
                                      .has_process = true,
                                      .process = 8,
                                      .has_priority = true,
                                      .priority = 9});
    CHECK(link_trace(&trace));
    send_status("b", 0);
    send_status("b", 3);
    finish(&run);
    CHECK_EQUAL(run.losses.count, 0);
    CHECK_TEXT(run_object_name(run_find_pass(&run, "b", 1), "mark", 4), "a \"b\"");
    CHECK(!run.benches[0].objects[0].has_process && !run.benches[0].objects[0].has_priority);
    const struct run_bench *bench = run_find_pass(&run, "b", 3);

    CHECK_TEXT(run_object_name(bench, "thread", UINT32_MAX), "t");
    CHECK(bench->objects[0].has_process && bench->objects[0].process == 8);
    CHECK(bench->objects[0].has_priority && bench->objects[0].priority == 9);
    const struct run_trace *held = &bench->traces[0];

    CHECK(held->stream == 1 && held->part == 7 && held->cpu == 2);
    CHECK_TEXT(held->mode, "overwrite");
    CHECK(held->begin == 1000 && held->end == UINT64_MAX && held->packet_bytes == 8192);
    CHECK(held->kept == 2 * LOG_PACKET_RECORDS && held->discarded == 5 &&
          held->overwritten == UINT64_MAX && held->claimed == 2 * TRACE_PACKET_BYTES);
    CHECK(held->costs.record == 11 && held->costs.lead == 12 && held->costs.extended == 13 &&
          held->costs.isr_lead == 14 && held->costs.isr_trail == 15 &&
          held->costs.dpc_trail == 16 && held->costs.switch_trail == UINT32_MAX);
    run_free(&run);
    free(ring);
    free(in_order);
}

/* Two series, a trace and a series, which are two batches; returns how many frames they are. */
static size_t send_all(const struct link_trace *trace, const int64_t *values)
{
    struct link_series series = {
        .bench = "b", .name = "s", .unit = "tick", .samples = values, .count = VALUES};

    send_text("bench", "name", "b");
    link_series(&series);
    series.name = "r";
    link_series(&series);
    link_trace(trace);
    series.name = "t";
    series.count = 7;
    link_series(&series);
    send_status("b", 0);
    link_flush();
    return machine.writes;
}

/* Any frame is sent again as it was, and nothing else is. */
static void test_resent(enum frame_format format)
{
    static int64_t values[VALUES];
    uint8_t *in_order;
    uint8_t *ring = make_ring(3, 5, 3, &in_order);
    const struct link_trace trace = trace_of(ring, 3, 5, 3);
    uint64_t seed = 62;
    size_t frames = 1;

    for (size_t i = 0; i < VALUES; i++) {
        values[i] = (int64_t)(unit_random(&seed) % 1000);
    }
    for (size_t dropped = 0; dropped <= frames; dropped++) { /* at last END */
        struct run run;

        start(format, dropped);
        frames = send_all(&trace, values);
        finish(&run);
        CHECK_EQUAL(run.losses.count, 0);
        CHECK_EQUAL(machine.writes, frames + 2); /* END, and the one that was lost */
        check_packets(&run.benches[0].traces[0], in_order, 3);
        CHECK_EQUAL(run.benches[0].traces[0].stream, 4);
        CHECK_EQUAL(run_find_series(&run.benches[0], "s")->received, VALUES);
        CHECK_EQUAL(run_find_series(&run.benches[0], "r")->received, VALUES);
        CHECK_EQUAL(run_find_series(&run.benches[0], "t")->received, 7);
        run_free(&run);
    }
    CHECK(frames > 6);
    free(ring);
    free(in_order);
}

/* Requests for what there is not are left unanswered. */
static void test_absurd_requests(void)
{
    struct run run;

    start(FRAME_BINARY, ALL);
    send_status("b", 0);
    link_flush();
    const size_t before = machine.writes;

    machine.request_bytes = 0;
    machine.request_next = 0;
    ask("get stream=1 first=0 count=1\n");
    ask("get stream=65536 first=0 count=1\n");
    ask("get stream=0 first=1 count=9\n");
    ask("get stream=0\n");
    machine.leaves = true;
    link_serve(1000);
    CHECK_EQUAL(machine.writes, before);
    finish(&run);
    run_free(&run);
}

/* A line that is never silent, without a request, is left: here after 10 ms of a GHz, ten times.
 */
static void test_noise(void)
{
    start(FRAME_BINARY, ALL);
    machine.request_bytes = 0;
    machine.noise_ends = tsc_read() + NOISE;
    link_serve(10);
    CHECK(tsc_read() < machine.noise_ends);
    machine.noise_ends = 0;
    decoder_destroy(machine.decoder);
    free_memory();
}

/* One stream too many is reported, and what was sent before is whole. */
static void test_too_many(void)
{
    static const int64_t value = 1;
    uint8_t *in_order;
    uint8_t *ring = make_ring(1, 0, 1, &in_order);
    struct link_trace trace = trace_of(ring, 1, 0, 1);
    struct link_series series = {.bench = "b", .unit = "tick", .samples = &value, .count = 1};
    char name[16];
    struct run run;

    start(FRAME_BINARY, ALL);
    for (unsigned i = 1; i + 1 < STREAMS_MAX; i++) { /* and their batch */
        snprintf(name, sizeof(name), "s%u", i);
        series.name = name;
        CHECK(link_series(&series));
    }
    CHECK(link_trace(&trace));
    trace.part = 2;
    CHECK(!link_trace(&trace));
    series.name = "late";
    CHECK(!link_series(&series));
    send_status("b", 0);
    finish(&run);
    CHECK_EQUAL(run.losses.count, 1);
    CHECK_TEXT(run.losses.item[0],
               "the image had no space for 2 records: their contents are missing");
    CHECK_EQUAL(run.benches[0].series_count, STREAMS_MAX - 2);
    CHECK_EQUAL(run.benches[0].trace_count, 1);
    check_packets(&run.benches[0].traces[0], in_order, 1);
    run_free(&run);
    free(ring);
    free(in_order);
}

/* What the image reads of the log that it keeps: records whole and in order, samples by their
 * stream. */
static void test_kept(void)
{
    static const int64_t values[] = {4, 5};
    const struct link_series series = {
        .bench = "b", .name = "s", .unit = "tick", .samples = values, .count = 2};
    uint8_t *in_order;
    uint8_t *ring = make_ring(1, 0, 1, &in_order);
    const struct link_trace trace = trace_of(ring, 1, 0, 1);
    size_t length;
    size_t count = 0;
    struct run run;

    start(FRAME_BINARY, ALL);
    link_records(&length);
    CHECK_EQUAL(length, 0);
    send_text("machine", "name", "cpu");
    CHECK(memcmp(link_records(&length), "machine name=cpu\n", 17) == 0);
    CHECK_EQUAL(length, 17);
    CHECK(link_series(&series));
    CHECK(link_trace(&trace));
    CHECK(link_samples(2, &count) == values);
    CHECK_EQUAL(count, 2);
    CHECK(link_samples(0, &count) == NULL); /* the records */
    CHECK(link_samples(1, &count) == NULL); /* a batch */
    CHECK(link_samples(3, &count) == NULL); /* a trace */
    CHECK(link_samples(4, &count) == NULL);
    CHECK(link_samples(UINT64_MAX, &count) == NULL);
    send_status("b", 0);
    CHECK(link_records(&length)[length - 1] == '\n');
    finish(&run);
    CHECK_EQUAL(run.losses.count, 0);
    run_free(&run);
    free(ring);
    free(in_order);
}

static void keep_text(void *context, const char *text, size_t length)
{
    strncat(context, text, length);
}

/* A text that waits for the records goes behind them, in order, and before any other. */
static void test_text_behind(void)
{
    char texts[200] = "";
    struct decoder_counts counts;
    struct run run;

    start(FRAME_BINARY, ALL);
    decoder_listen(machine.decoder,
                   &(struct decoder_listener){.context = texts, .on_text = keep_text});
    link_text_behind("one %d", 1);
    send_status("b", 0);
    link_text_behind("two");
    CHECK_TEXT(texts, "");
    link_flush();
    decoder_get_counts(machine.decoder, &counts);
    CHECK_EQUAL(counts.frames, 1);
    CHECK_TEXT(texts, "one 1\r\ntwo\r\n");
    link_text_behind("three");
    link_text("four");
    for (unsigned i = 0; i < TEXTS_BEHIND + 1; i++) {
        link_text_behind("%u", i);
    }
    link_flush();
    CHECK_TEXT(texts, "one 1\r\ntwo\r\nthree\r\nfour\r\n0\r\n1\r\n2\r\n3\r\n4\r\n");
    decoder_listen(machine.decoder, NULL);
    finish(&run);
    run_free(&run);
}

int main(void)
{
    RUN(test_ring(FRAME_BINARY));
    RUN(test_ring(FRAME_TEXT));
    RUN(test_record());
    RUN(test_kept());
    RUN(test_resent(FRAME_BINARY));
    RUN(test_resent(FRAME_TEXT));
    RUN(test_absurd_requests());
    RUN(test_noise());
    RUN(test_too_many());
    RUN(test_text_behind());
    return unit_finish("unit_image_line");
}
