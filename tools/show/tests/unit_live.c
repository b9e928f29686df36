/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `tare watch` knows: the window's sums, and that the accounts of a log that comes in pieces,
 * whole or damaged, are those of the run that it decodes to.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/coded.h"
#include "kernel/link/frame.h"
#include "kernel/link/trace_codec.h"
#include "kernel/trace/packet.h"
#include "tools/base/alloc.h"
#include "tools/show/live.h"
#include "tools/tests/support/log_builder.h"
#include "tools/tests/support/unit.h"
#include "tools/trace/accounting.h"
#include "tools/trace/trace_write.h"

#define LONG_WINDOW_S 1000 /* longer than any trace here */

/* ---- the window ---- */

static void add(struct live_window *window, uint32_t bench, uint32_t thread, uint64_t from,
                uint64_t to)
{
    const struct account_segment segment = {from, to, ACCOUNT_THREAD, thread};

    window_add(window, bench, 0, &segment);
}

static uint64_t ticks_of(const struct live_window *window, uint32_t bench, uint32_t thread)
{
    uint64_t ticks = 0;

    for (size_t i = 0; i < window->row_count; i++) {
        const struct window_row *row = &window->rows[i];

        if (row->bench == bench && row->kind == ACCOUNT_THREAD && row->id == thread) {
            ticks += window_row_sum(row);
        }
    }
    return ticks;
}

static void test_window_sums(void)
{
    struct live_window window;

    window_init(&window, 6000); /* steps of 100 */
    add(&window, 0, 1, 50, 350);
    add(&window, 0, 2, 350, 351);
    add(&window, 0, 1, 351, 400);
    window_count(&window, 0, WINDOW_SWITCHES, 0, 350, 1);
    window_count(&window, 0, WINDOW_SWITCHES, 1, 351, 1);
    CHECK_EQUAL(ticks_of(&window, 0, 1), 349);
    CHECK_EQUAL(ticks_of(&window, 0, 2), 1);
    CHECK_EQUAL(window_sum(&window, WINDOW_ANY, WINDOW_SWITCHES, WINDOW_ANY, WINDOW_ALL), 2);
    CHECK_EQUAL(window_sum(&window, 0, WINDOW_SWITCHES, 1, WINDOW_ALL), 1);
    CHECK_EQUAL(window_sum(&window, 0, WINDOW_BUSY, 0, WINDOW_ALL), 350);
    CHECK_EQUAL(window_sum(&window, 0, WINDOW_BUSY, 0, 4), 0);
    CHECK_EQUAL(window_sum(&window, 0, WINDOW_BUSY, 0, 3), 100);
    CHECK_EQUAL(window_sum(&window, 0, WINDOW_BUSY, 0, 0), 50);
    CHECK_EQUAL(window_sum(&window, 0, WINDOW_BUSY, 0, 60), 0);
    CHECK_EQUAL(window.latest, 400);
    CHECK_EQUAL(window.row_count, 6);
    add(&window, 1, 1, 400, 500);
    add(&window, 0, 1, 500, 600);
    CHECK_EQUAL(ticks_of(&window, 1, 1), 100);
    CHECK_EQUAL(ticks_of(&window, 0, 1), 449);
    CHECK_EQUAL(window.row_count, 9);
    window_free(&window);
}

/* What is 60 steps old and the step at hand is in it, and nothing older. */
static void test_window_moves(void)
{
    struct live_window window;

    window_init(&window, 6000);
    add(&window, 0, 1, 0, 100);
    add(&window, 0, 1, 100, 150);
    add(&window, 0, 2, 150, 6050);
    CHECK_EQUAL(ticks_of(&window, 0, 1), 150);
    add(&window, 0, 2, 6050, 6150);
    CHECK_EQUAL(ticks_of(&window, 0, 1), 50);
    CHECK_EQUAL(ticks_of(&window, 0, 2), 6000);
    add(&window, 0, 2, 6150, 6250);
    CHECK_EQUAL(ticks_of(&window, 0, 1), 0);
    add(&window, 0, 3, 1000, 1100);
    CHECK_EQUAL(ticks_of(&window, 0, 3), 100);
    add(&window, 0, 4, 100, 150);
    CHECK_EQUAL(ticks_of(&window, 0, 4), 0);
    window_free(&window);
}

/* A stretch far longer than the window, and one far behind the last: no more than the window. */
static void test_window_jumps(void)
{
    const uint64_t far = UINT64_C(1) << 61;
    struct live_window window;

    window_init(&window, 60);
    add(&window, 0, 1, 0, far + 10);
    CHECK_EQUAL(ticks_of(&window, 0, 1), 60);
    CHECK_EQUAL(window.latest, far + 10);
    window_count(&window, 0, WINDOW_SWITCHES, 0, 0, 1);
    CHECK_EQUAL(window_sum(&window, WINDOW_ANY, WINDOW_SWITCHES, WINDOW_ANY, WINDOW_ALL), 0);
    window_free(&window);
    window_init(&window, 1);
    add(&window, 0, 1, 5, 7);
    add(&window, 0, 1, 1000, 1001);
    CHECK_EQUAL(ticks_of(&window, 0, 1), 1);
    window_free(&window);
}

/* ---- a log in pieces ---- */

struct feed {
    const uint8_t *bytes;
    size_t length;
    size_t at;
    size_t piece;
    struct live *live;
};

static bool more(void *context)
{
    struct feed *feed = context;
    const size_t left = feed->length - feed->at;
    const size_t length = left < feed->piece ? left : feed->piece;

    live_push(feed->live, feed->bytes + feed->at, length);
    feed->at += length;
    return length > 0;
}

static uint64_t row_ticks(const struct live_state *state, uint32_t kind, uint32_t id)
{
    for (size_t i = 0; state->has_window && i < state->window->row_count; i++) {
        const struct window_row *row = &state->window->rows[i];

        if (row->kind == kind && row->id == id) {
            return window_row_sum(row);
        }
    }
    return 0;
}

/* All accounts of the run's one bench are those of the window. */
static void check_accounts(const struct live_state *state, const struct run *run)
{
    struct accounting accounting;
    uint64_t all = 0;

    CHECK_EQUAL(run->bench_count, 1);
    CHECK(accounting_read(&accounting, &run->benches[0], NULL, 0));
    for (size_t i = 0; i < accounting.thread_count; i++) {
        const struct account_thread *thread = accounting.threads[i];

        CHECK_EQUAL(row_ticks(state, ACCOUNT_THREAD, thread->id), thread->running);
    }
    CHECK_EQUAL(row_ticks(state, ACCOUNT_TRACER, 0), accounting.tracer);
    CHECK_EQUAL(row_ticks(state, ACCOUNT_DISPATCH, 0), accounting.dispatch);
    CHECK_EQUAL(row_ticks(state, ACCOUNT_UNKNOWN, 0), accounting.unknown);
    for (size_t i = 0; state->has_window && i < state->window->row_count; i++) {
        const struct window_row *row = &state->window->rows[i];

        all += row->kind < ACCOUNT_KINDS ? window_row_sum(row) : 0;
    }
    CHECK_EQUAL(all, accounting.elapsed);
    CHECK_EQUAL(state->events, accounting.events);
    CHECK_EQUAL(state->packets, accounting.lost_packets);
    accounting_free(&accounting);
}

/* A part of `n` packets from the time of packet `first` on. */
static void add_part(struct log_builder *log, uint32_t part, uint64_t first, size_t n)
{
    uint8_t *packets = log_packets(first, n, part);

    for (uint64_t i = 0; i < n; i++) {
        memcpy(packets + i * TRACE_PACKET_BYTES + offsetof(struct trace_packet, sequence), &i,
               sizeof(i));
    }
    log_trace(log, "switches", part, packets, n, n * LOG_PACKET_RECORDS);
    free(packets);
}

/* Bench switches with three parts, and something else between them. */
static void make_log(struct log_builder *log, enum frame_format format)
{
    static const int64_t samples[100] = {1, 2, 3};

    log_init(log, format);
    log_record(log, "tare version=0.1.0 format=1");
    log_record(log, "run kind=exact ticks_per_instruction=8");
    log_record(log, "verdict ok=1 hz=1000000000");
    log_record(log, "bench name=switches group=tasks summary=text unit=tick");
    log_record(log, "object bench=switches kind=thread id=1 name=\"ping 1\"");
    add_part(log, 1, 0, 5);
    log_series(log, "switches", "latency", "tick", samples, 100);
    log_record(log, "object bench=switches kind=mark id=0 name=end");
    add_part(log, 2, 7, 3);
    add_part(log, 3, 20, 1);
    log_record(log, "status bench=switches state=OK");
    log_end(log);
}

static void decode(struct run *run, const uint8_t *bytes, size_t length)
{
    struct decoder *decoder = decoder_create();

    run_init(run);
    decoder_push(decoder, bytes, length);
    decoder_finish(decoder, run);
    decoder_destroy(decoder);
}

/* Of these bytes, piece by piece, `live` knows what the run knows. */
static void check_bytes(const uint8_t *bytes, size_t length, size_t piece)
{
    struct feed feed = {.bytes = bytes, .length = length, .piece = piece};
    struct live_state state;
    struct run run;

    feed.live = live_create(LONG_WINDOW_S, more, &feed);
    live_run(feed.live);
    live_look(feed.live, &state);
    decode(&run, bytes, length);
    CHECK(state.ended);
    check_accounts(&state, &run);
    CHECK_TEXT(state.run->benches[0].state, run.benches[0].state);
    run_free(&run);
    live_destroy(feed.live);
}

static void test_pieces(void)
{
    static const size_t pieces[] = {1, 97, 4096, SIZE_MAX};
    struct log_builder log;
    size_t length;

    for (size_t format = 0; format < 2; format++) {
        make_log(&log, format == 0 ? FRAME_BINARY : FRAME_TEXT);
        uint8_t *wire = log_wire(&log, true, &length);

        for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
            check_bytes(wire, length, pieces[i]);
        }
        free(wire);
        log_free(&log);
    }
}

/* Some bytes are wrong: frames are lost, and the packets of which they were parts; of the frames
 * that hold records, and of END, none. */
static void damage(const struct log_builder *log, uint8_t *wire, uint64_t *seed)
{
    uint8_t one[FRAME_WIRE_MAX];
    size_t at = 0;

    for (size_t i = 0; i < log->frame_count; i++) {
        const size_t length = frame_encode(&log->frames[i], log->format, one);

        const uint8_t type = log->frames[i].type;

        if (type == FRAME_TRACE && unit_random(seed) % 16 == 0) {
            wire[at + 20] ^= 0x55;
        }
        at += length;
    }
}

static void test_losses(void)
{
    struct log_builder log;
    uint64_t seed = 12345;
    size_t length;

    make_log(&log, FRAME_BINARY);
    for (int i = 0; i < 20; i++) {
        uint8_t *wire = log_wire(&log, false, &length);

        damage(&log, wire, &seed);
        check_bytes(wire, length, 300);
        free(wire);
    }
    log_free(&log);
}

/* A log that ends anywhere: what came counts, and nothing that did not. */
static void test_cut(void)
{
    struct log_builder log;
    size_t length;

    make_log(&log, FRAME_BINARY);
    uint8_t *wire = log_wire(&log, false, &length);
    uint64_t before = 0;

    for (size_t cut = 0; cut < length; cut += 2000) {
        struct feed feed = {.bytes = wire, .length = cut, .piece = 1000};
        struct live_state state;

        feed.live = live_create(LONG_WINDOW_S, more, &feed);
        live_run(feed.live);
        live_look(feed.live, &state);
        CHECK(!state.ended);
        CHECK(state.events >= before);
        CHECK_EQUAL(row_ticks(&state, ACCOUNT_UNKNOWN, 0), 0);
        before = state.events;
        live_destroy(feed.live);
    }
    CHECK(before > 0);
    free(wire);
    log_free(&log);
}

/* A frame of a packet without records. */
static void empty_packet(struct frame *frame, uint32_t seq, uint32_t index)
{
    static struct trace_codec codec;
    static uint8_t packet[TRACE_PACKET_BYTES];
    uint32_t at = sizeof(struct trace_packet);

    *frame = (struct frame){.type = FRAME_TRACE, .stream = 1, .seq = seq};
    coded_put_tag(frame->payload, coded_tag(""));
    frame->length = (uint16_t)(CODED_TAG_BYTES + trace_encode(&codec, packet, index, &at,
                                                              frame->payload + CODED_TAG_BYTES,
                                                              FRAME_PAYLOAD_MAX - CODED_TAG_BYTES));
}

/* Records longer than the image writes them, and a trace that claims to be of 4 TiB, of which the
 * first frame came, and perhaps one far behind. */
static void test_hostile(void)
{
    static char name[1025];
    struct log_builder log;
    size_t length;

    memset(name, 'a', sizeof(name) - 1);
    for (size_t frames = 1; frames <= 2; frames++) {
        log_init(&log, FRAME_BINARY);
        log_record(&log, "verdict ok=1 hz=1000000000");
        log_record(&log, "bench name=switches group=tasks summary=text unit=tick");
        log_record(&log, "trace stream=1 bench=switches part=1 mode=stop cpu=0 begin=0 end=1000 "
                         "bytes=4398046502912 packet_bytes=8192 frames=4294967288 "
                         "content_crc=0 kept=0 discarded=0 overwritten=0 record=0 lead=0 "
                         "extended=0 isr_lead=0 isr_trail=0 switch_trail=0");
        log_end(&log);
        uint8_t *whole = log_wire(&log, false, &length);
        uint8_t *wire = malloc(length + 3 * FRAME_WIRE_MAX);
        struct frame frame;
        const size_t begin = frame_encode(&log.frames[0], FRAME_BINARY, wire);
        size_t at = begin;

        log_meta_frame(&frame, 1, name, sizeof(name) - 1);
        at += frame_encode(&frame, FRAME_BINARY, wire + at);
        empty_packet(&frame, 0, 0);
        at += frame_encode(&frame, FRAME_BINARY, wire + at);
        empty_packet(&frame, 4294967280, 4398046502912 / TRACE_PACKET_BYTES - 2);
        at += frames == 2 ? frame_encode(&frame, FRAME_BINARY, wire + at) : 0;
        memcpy(wire + at, whole + begin, length - begin);
        struct feed feed = {.bytes = wire, .length = at + length - begin, .piece = 300};
        struct live_state state;

        feed.live = live_create(LONG_WINDOW_S, more, &feed);
        live_run(feed.live);
        live_look(feed.live, &state);
        CHECK(state.ended);
        CHECK_EQUAL(state.packets, 4398046502912 / TRACE_PACKET_BYTES);
        live_destroy(feed.live);
        free(wire);
        free(whole);
        log_free(&log);
    }
}

/* ---- the view ---- */

static char *view_of(const struct live_state *state, const char *name, size_t rows)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    live_view(out, state, name, 60, rows);
    fclose(out);
    return text;
}

static size_t lines(const char *text)
{
    size_t count = 0;

    for (; *text != '\0'; text++) {
        count += *text == '\n';
    }
    return count;
}

static void test_view(void)
{
    struct log_builder log;
    struct feed feed = {.piece = 5000};
    struct live_state state;
    char *text;

    make_log(&log, FRAME_BINARY);
    uint8_t *wire = log_wire(&log, false, &feed.length);

    feed.bytes = wire;
    feed.live = live_create(60, more, &feed);
    live_look(feed.live, &state);
    text = view_of(&state, "a\033[2Jname", 24);
    CHECK(strstr(text, "tare watch: a?[2Jname\n") == text);
    CHECK(strstr(text, "no trace data yet") != NULL);
    free(text);
    live_run(feed.live);
    live_look(feed.live, &state);
    text = view_of(&state, "log", SIZE_MAX);
    CHECK(strstr(text, "tare watch: log, ended, exact time\nswitches OK\n") == text);
    CHECK(strstr(text, "             thread ping 1 ") != NULL);
    CHECK(strstr(text, "disk       no event of a request\n") != NULL);
    CHECK(strstr(text, "network    not traced; a bench") != NULL);
    free(text);
    for (size_t rows = LIVE_VIEW_LEAST; rows < 40; rows++) {
        text = view_of(&state, "log", rows);
        CHECK(lines(text) <= rows);
        free(text);
    }
    text = view_of(&state, "log", 1);
    CHECK(strstr(text, "and        others ") != NULL);
    free(text);
    live_destroy(feed.live);
    free(wire);
    log_free(&log);
}

/* ---- several processors, processes, disks ---- */

#define MS UINT64_C(1000000) /* of the TSC, at 1 GHz */

/* Adds what a processor recorded as its trace of part 1. */
static void add_trace(struct log_builder *log, struct trace_builder *trace, uint32_t cpu,
                      uint64_t end)
{
    trace_builder_close(trace, end);
    log->cpu = cpu;
    log_trace(log, "many", 1, trace->bytes, trace->length / TRACE_PACKET_BYTES, trace->kept);
    free(trace->bytes);
}

/* Processor 0 runs its thread for 1 of 2 s, and processor 1 that of a process for 1.5 s, which asks
 * the disk twice; processor 0 sees the first answer. Each has its own idle thread. */
static void add_processors(struct log_builder *log)
{
    struct trace_builder trace;

    trace_builder_init(&trace, 0, TRACE_PACKET_BYTES);
    TRACE_ADD(&trace, 0, thread_is, 1, 0, 8, THREAD_RUNNING, 0);
    TRACE_ADD(&trace, 0, thread_is, 0, 0, 0, THREAD_READY, WAIT_PREEMPTED);
    TRACE_ADD(&trace, 110 * MS, block_complete, 2, 0, BLOCK_GOOD, 0);
    TRACE_ADD(&trace, 1000 * MS, thread_switch, 1, 0, TRACE_WHY(WAIT_SLEEP, THREAD_WAITING));
    add_trace(log, &trace, 0, 2000 * MS);
    trace_builder_init(&trace, 0, TRACE_PACKET_BYTES);
    trace.cpu = 1;
    trace.packet.cpu = 1;
    TRACE_ADD(&trace, 0, thread_is, 5, 3, 8, THREAD_RUNNING, 0);
    TRACE_ADD(&trace, 0, thread_is, 0, 0, 0, THREAD_READY, WAIT_PREEMPTED);
    TRACE_ADD(&trace, 100 * MS, io_status, 2, IO_SYNCHRONOUS, 1);
    TRACE_ADD(&trace, 100 * MS, block_issue, 2, 0, 64, 8, 1);
    TRACE_ADD(&trace, 200 * MS, block_issue, 2, 1, 72, 8, 1);
    TRACE_ADD(&trace, 1500 * MS, thread_switch, 5, 0, TRACE_WHY(WAIT_SLEEP, THREAD_WAITING));
    add_trace(log, &trace, 1, 2000 * MS);
}

static const char *const shown_of_two[] = {
    "up to TSC second 2.000: 2.000 s of them traced\n",
    "busy 62.50 %   idle 37.50 %   unknown 0.00 %   1 switches per second\n",
    "CPU  0  50.00 % |",
    "CPU  1  75.00 % |",
    "\nmany       process 3 writer, threads: 1         37.50 %        2  #",
    "\n             thread typist                      37.50 %        2  #",
    "\nmany       process 0 kernel, threads: 1         25.00 %           #",
    "\n             thread bench                       25.00 %           #",
    "many   model         2       0     1        1    4      2  10.00 ms\n",
};

static void begin_processors(struct log_builder *log, const char *group, const char *plan)
{
    log_init(log, FRAME_BINARY);
    log_record(log, "tare version=0.1.0 format=1");
    log_record(log, "run kind=exact ticks_per_instruction=8");
    log_recordf(log, "plan source=file text=\"%s\"", plan);
    log_record(log, "verdict ok=1 hz=1000000000");
    log_recordf(log, "bench name=many group=%s summary=text unit=tick", group);
    log_record(log, "object bench=many kind=process id=3 name=writer");
    log_record(log, "object bench=many kind=thread id=1 name=bench");
    log_record(log, "object bench=many kind=thread id=5 name=typist");
    log_record(log, "object bench=many kind=device id=2 name=model");
    add_processors(log);
}

static void check_processors(const char *group, const char *plan)
{
    struct log_builder log;
    struct feed feed = {.piece = 100};
    struct live_state state;

    begin_processors(&log, group, plan);
    log_record(&log, "status bench=many state=OK");
    log_end(&log);
    uint8_t *wire = log_wire(&log, false, &feed.length);

    feed.bytes = wire;
    feed.live = live_create(60, more, &feed);
    live_run(feed.live);
    live_look(feed.live, &state);
    /* the tracer works on after the switch: extended - lead of log_trace() */
    CHECK_EQUAL(row_ticks(&state, WINDOW_BUSY, 1), 1500 * MS + 240 - 88);
    CHECK_EQUAL(row_ticks(&state, WINDOW_IDLE, 0), 1000 * MS - 240 + 88);
    char *text = view_of(&state, "log", 24);

    for (size_t i = 0; i < sizeof(shown_of_two) / sizeof(shown_of_two[0]); i++) {
        if (strstr(text, shown_of_two[i]) == NULL) {
            CHECK_TEXT(text, shown_of_two[i]);
        }
    }
    free(text);
    live_destroy(feed.live);
    free(wire);
    log_free(&log);
}

/* The frame of processor 1 is lost: its time is unknown, that of processor 0 is not. A log that
 * ends after the trace of processor 0 shows that. */
static void test_processor_lost(void)
{
    for (unsigned cut = 0; cut < 2; cut++) {
        struct log_builder log;
        struct feed feed = {.piece = 1};
        struct live_state state;
        size_t length = 0;
        size_t traces = 0;
        uint8_t one[FRAME_WIRE_MAX];

        begin_processors(&log, "smp", "");
        log_record(&log, "status bench=many state=OK");
        log_end(&log);
        uint8_t *wire = log_wire(&log, false, &feed.length);

        for (size_t i = 0; i < log.frame_count; i++) {
            const size_t size = frame_encode(&log.frames[i], log.format, one);

            traces += log.frames[i].type == FRAME_TRACE;
            if (log.frames[i].type == FRAME_TRACE && traces == 2) {
                wire[length + 20] ^= 0x55;
                feed.length = cut == 1 ? length : feed.length;
            }
            length += size;
        }
        feed.bytes = wire;
        feed.live = live_create(60, more, &feed);
        live_run(feed.live);
        live_look(feed.live, &state);
        CHECK_EQUAL(traces, 2);
        CHECK_EQUAL(row_ticks(&state, WINDOW_IDLE, 0), 1000 * MS - 240 + 88);
        CHECK_EQUAL(row_ticks(&state, WINDOW_BUSY, 1), 0);
        CHECK_EQUAL(row_ticks(&state, WINDOW_TRACED, 1), 2000 * MS);
        live_destroy(feed.live);
        free(wire);
        log_free(&log);
    }
}

static void test_processors(void)
{
    check_processors("smp", "bench=many");
    check_processors("tasks", "bench=many tasks.cpus=2");
}

/* A bench without a trace sends its account as it grows: the latest is shown. */
static void test_account(void)
{
    struct log_builder log;
    struct feed feed = {.piece = 5000};
    struct live_state state;

    log_init(&log, FRAME_BINARY);
    log_record(&log, "tare version=0.1.0 format=1");
    log_record(&log, "run kind=exact ticks_per_instruction=8");
    log_record(&log, "verdict ok=1 hz=1000000000");
    log_record(&log, "bench name=switches group=tasks summary=text unit=tick");
    log_record(&log, "object bench=switches kind=thread id=1 name=\"ping 1\"");
    log_record(&log, "fact bench=switches name=account_elapsed value=1000 unit=tick");
    log_record(&log, "fact bench=switches name=account_thread_1 value=1000 unit=tick");
    log_record(&log, "fact bench=switches name=account_elapsed value=4000000000 unit=tick");
    log_record(&log, "fact bench=switches name=account_thread_1 value=1000000000 unit=tick");
    log_record(&log, "fact bench=switches name=account_vector_64 value=3000000000 unit=tick");
    log_record(&log, "fact bench=switches name=rounds value=1 unit=count");
    log_record(&log, "fact bench=switches name=rounds value=2 unit=count");
    log_end(&log);
    uint8_t *wire = log_wire(&log, false, &feed.length);

    feed.bytes = wire;
    feed.live = live_create(60, more, &feed);
    live_run(feed.live);
    live_look(feed.live, &state);
    CHECK_EQUAL(state.run->benches[0].fact_count, 5); /* others stay as they are */
    char *text = view_of(&state, "log", 24);

    CHECK(strstr(text, "CPU time of switches, 4.000 s so far, without a trace\n") != NULL);
    CHECK(strstr(text, "thread ping 1                   25.00 %") != NULL);
    CHECK(strstr(text, "interrupt vector 40h            75.00 %") != NULL);
    CHECK(strstr(text, "vector 40h") < strstr(text, "thread ping 1"));
    free(text);
    live_destroy(feed.live);
    free(wire);
    log_free(&log);
}

int main(void)
{
    RUN(test_window_sums());
    RUN(test_window_moves());
    RUN(test_window_jumps());
    RUN(test_pieces());
    RUN(test_losses());
    RUN(test_cut());
    RUN(test_hostile());
    RUN(test_view());
    RUN(test_processors());
    RUN(test_processor_lost());
    RUN(test_account());
    return unit_finish("unit_live");
}
