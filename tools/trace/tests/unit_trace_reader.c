/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader of traces: stamps, gaps, and packets that are not as they must be. */
#include <stdlib.h>
#include <string.h>

#include "kernel/trace/account.h"
#include "kernel/trace/recorder.h"
#include "kernel/trace/trace.h"
#include "tools/base/trace_bytes.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/tests/support/unit.h"
#include "tools/trace/trace_reader.h"

#define PACKET       256 /* bytes: small, so that there are many */
#define FIELD_EVENTS 500

/* What a test has at hand. */
struct bed {
    struct run run;
    struct run_bench *bench;
    struct trace_builder builder;
    struct trace_reader *reader;
    struct trace_event event;
    struct trace_gap gap;
};

static void bed_open(struct bed *bed, uint64_t begin)
{
    memset(bed, 0, sizeof(*bed));
    run_init(&bed->run);
    bed->bench = build_bench(&bed->run, "b", 1);
    trace_builder_init(&bed->builder, begin, PACKET);
}

static struct run_trace *bed_finish(struct bed *bed, uint64_t end)
{
    struct run_trace *trace = trace_builder_finish(&bed->builder, end, bed->bench);

    bed->reader = trace_reader_open(trace, 1);
    return trace;
}

/* Another look, at what is there now. */
static void bed_again(struct bed *bed)
{
    trace_reader_close(bed->reader);
    bed->reader = trace_reader_open(&bed->bench->traces[0], 1);
}

static void bed_close(struct bed *bed)
{
    trace_reader_close(bed->reader);
    run_free(&bed->run);
}

static enum trace_reader_status next(struct bed *bed)
{
    return trace_reader_next(bed->reader, &bed->event, &bed->gap);
}

/* The next is an event with this stamp and first field. */
static void check_event(struct bed *bed, uint64_t tsc, uint64_t field)
{
    CHECK_EQUAL(next(bed), TRACE_EVENT);
    CHECK_EQUAL(bed->event.tsc, tsc);
    CHECK_EQUAL(bed->event.field[0], field);
}

static void check_gap(struct bed *bed, uint64_t from, uint64_t to, uint64_t packets,
                      uint64_t discarded)
{
    CHECK_EQUAL(next(bed), TRACE_GAP);
    CHECK_EQUAL(bed->gap.from, from);
    CHECK_EQUAL(bed->gap.to, to);
    CHECK_EQUAL(bed->gap.packets, packets);
    CHECK_EQUAL(bed->gap.discarded, discarded);
}

static void check_end(struct bed *bed)
{
    CHECK_EQUAL(next(bed), TRACE_END);
    CHECK_EQUAL(next(bed), TRACE_END); /* and stays so */
}

static void test_table(void)
{
    CHECK_TEXT(trace_class_of(2)->name, "thread_switch");
    CHECK_EQUAL(trace_class_of(2)->field_count, 3);
    CHECK_TEXT(trace_class_of(2)->field_name[1], "new");
    CHECK_EQUAL(trace_class_of(2)->field_bytes[2], 1);
    CHECK_EQUAL(trace_class_of(23)->bytes, 33);
    CHECK(trace_class_of(TRACE_ID_io_status + 1) == NULL);
    CHECK(trace_class_of(31) == NULL);
    CHECK_TEXT(trace_class_of(32)->name, "block_issue");
    CHECK(trace_class_of(TRACE_ID_quantum + 1) == NULL);
    CHECK(trace_class_of(TRACE_ID_LIMIT) == NULL);
    CHECK(trace_class_of(UINT32_MAX) == NULL);
    for (uint32_t id = 0; id < TRACE_ID_LIMIT; id++) {
        const struct trace_class *class = trace_class_of(id);

        /* The recorder's own table agrees. */
        CHECK(recorder_field_bytes(id) == (class != NULL ? class->bytes : SIZE_MAX));
    }
}

/* Each event there is, one after the other, over and over. */
static uint32_t next_id(uint32_t id)
{
    do {
        id = (id + 1) % TRACE_ID_LIMIT;
    } while (trace_class_of(id) == NULL);
    return id;
}

/* Every event comes back as it went in, whatever its fields. An id above 31 has an extended header
 * without having gone the long way. */
static void test_fields(void)
{
    uint32_t id = 0;
    uint64_t seed = 1;
    struct bed bed;

    bed_open(&bed, 1000);
    for (unsigned i = 0; i < FIELD_EVENTS; i++) {
        const uint64_t fields[TRACE_FIELDS_MAX] = {unit_random(&seed), unit_random(&seed),
                                                   unit_random(&seed), unit_random(&seed),
                                                   unit_random(&seed)};

        trace_builder_add(&bed.builder, 1000 + i, id, fields, i % 7 == 0);
        id = next_id(id);
    }
    bed_finish(&bed, 5000);
    seed = 1;
    id = 0;
    for (unsigned i = 0; i < FIELD_EVENTS; i++) {
        const struct trace_class *class = trace_class_of(id);

        CHECK_EQUAL(next(&bed), TRACE_EVENT);
        CHECK_EQUAL(bed.event.id, id);
        CHECK_EQUAL(bed.event.tsc, 1000 + i);
        CHECK_EQUAL(bed.event.extended, i % 7 == 0 && id < TRACE_ID_EXTENDED);
        for (size_t k = 0; k < TRACE_FIELDS_MAX; k++) {
            const unsigned bits = k < class->field_count ? class->field_bytes[k] * 8u : 0;
            const uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;

            CHECK_EQUAL(bed.event.field[k], unit_random(&seed) & mask);
        }
        id = next_id(id);
    }
    check_end(&bed);
    bed_close(&bed);
}

/* A stamp takes its upper bits from the record before; 27 bits later a header is extended. */
static void test_wrap(void)
{
    const uint64_t wrap = UINT64_C(1) << TRACE_STAMP_BITS;
    struct bed bed;

    bed_open(&bed, 5 * wrap - 10);
    TRACE_ADD(&bed.builder, 5 * wrap - 2, tick, 1);
    TRACE_ADD(&bed.builder, 5 * wrap + 1, tick, 2); /* extended */
    TRACE_ADD(&bed.builder, 5 * wrap + 1, tick, 3); /* at the same moment */
    TRACE_ADD(&bed.builder, 9 * wrap + 5, tick, 4); /* several wraps later */
    trace_builder_turn(&bed.builder, 9 * wrap + 6, 11 * wrap, 7);
    TRACE_ADD(&bed.builder, 11 * wrap + 1, tick, 5); /* from the packet's begin */
    TRACE_ADD(&bed.builder, 11 * wrap + 2, tick, 6);
    bed_finish(&bed, 11 * wrap + 100);
    check_event(&bed, 5 * wrap - 2, 1);
    CHECK(!bed.event.extended);
    check_event(&bed, 5 * wrap + 1, 2);
    CHECK(bed.event.extended);
    check_event(&bed, 5 * wrap + 1, 3);
    CHECK(!bed.event.extended);
    check_event(&bed, 9 * wrap + 5, 4);
    CHECK(bed.event.extended);
    CHECK_EQUAL(bed.event.tracer_ticks, 0);
    check_event(&bed, 11 * wrap + 1, 5);
    CHECK(!bed.event.extended);
    CHECK_EQUAL(bed.event.tracer_ticks, 7);
    check_event(&bed, 11 * wrap + 2, 6);
    CHECK_EQUAL(bed.event.tracer_ticks, 0);
    check_end(&bed);
    bed_close(&bed);
}

/* Packets of one event each: 0, 1, ... at 100, 200, ...; some are lost. */
static void build_packets(struct bed *bed, unsigned count, unsigned lost)
{
    bed_open(bed, 50);
    for (unsigned i = 0; i < count; i++) {
        TRACE_ADD(&bed->builder, 100 + 100 * i, tick, i);
        if ((lost >> i & 1) != 0) {
            trace_builder_lose(&bed->builder);
        }
        if (i + 1 < count) {
            trace_builder_turn(&bed->builder, 140 + 100 * i, 150 + 100 * i, 0);
        }
    }
}

static void test_lost(void)
{
    struct bed bed;

    build_packets(&bed, 5, 1u << 1 | 1u << 2);
    bed_finish(&bed, 600);
    check_event(&bed, 100, 0);
    check_gap(&bed, 100, 350, 2, 0);
    check_event(&bed, 400, 3);
    check_event(&bed, 500, 4);
    check_end(&bed);
    bed_close(&bed);

    build_packets(&bed, 3, 1u << 0 | 1u << 2);
    bed_finish(&bed, 600);
    check_gap(&bed, 50, 150, 1, 0);
    check_event(&bed, 200, 1);
    check_gap(&bed, 200, 600, 1, 0);
    check_end(&bed);
    bed_close(&bed);

    build_packets(&bed, 3, 7);
    bed_finish(&bed, 600);
    check_gap(&bed, 50, 600, 3, 0);
    check_end(&bed);
    bed_close(&bed);
}

/* Records without room: behind the last that was kept, or counted by a later packet. */
static void test_discarded(void)
{
    struct bed bed;

    build_packets(&bed, 2, 0);
    bed_finish(&bed, 600);
    bed.bench->traces[0].discarded = 12;
    bed_again(&bed);
    check_event(&bed, 100, 0);
    check_event(&bed, 200, 1);
    check_gap(&bed, 200, 600, 0, 12);
    check_end(&bed);
    bed_close(&bed);

    build_packets(&bed, 2, 0);
    trace_builder_discard(&bed.builder, 3); /* counted by the second */
    trace_builder_turn(&bed.builder, 250, 260, 0);
    TRACE_ADD(&bed.builder, 300, tick, 2);
    trace_builder_lose(&bed.builder);
    trace_builder_discard(&bed.builder, 4); /* counted by the fourth, with the third lost */
    trace_builder_turn(&bed.builder, 340, 350, 0);
    TRACE_ADD(&bed.builder, 400, tick, 3);
    bed_finish(&bed, 600);
    check_event(&bed, 100, 0);
    check_gap(&bed, 100, 150, 0, 3);
    check_event(&bed, 200, 1);
    check_gap(&bed, 200, 350, 1, 4);
    check_event(&bed, 400, 3);
    check_end(&bed);
    bed_close(&bed);
}

static void test_overwritten(void)
{
    struct bed bed;

    build_packets(&bed, 3, 0);
    trace_builder_overwrite(&bed.builder);
    trace_builder_turn(&bed.builder, 350, 360, 0);
    TRACE_ADD(&bed.builder, 400, tick, 3);
    trace_builder_turn(&bed.builder, 450, 460, 0);
    TRACE_ADD(&bed.builder, 500, tick, 4);
    const struct run_trace *trace = bed_finish(&bed, 600);

    CHECK_EQUAL(trace->claimed, 2 * PACKET);
    check_gap(&bed, 50, 360, 0, 3);
    check_event(&bed, 400, 3);
    check_event(&bed, 500, 4);
    check_end(&bed);
    bed_close(&bed);
}

/* The first and the last of those that were not overwritten are lost on the line: whether the first
 * was is known only if the last arrived. */
static void test_overwritten_and_lost(void)
{
    for (unsigned lost = 0; lost < 2; lost++) {
        struct bed bed;

        build_packets(&bed, 3, 0);
        trace_builder_overwrite(&bed.builder);
        trace_builder_turn(&bed.builder, 350, 360, 0);
        TRACE_ADD(&bed.builder, 400, tick, 3);
        trace_builder_lose(&bed.builder);
        trace_builder_turn(&bed.builder, 450, 460, 0);
        TRACE_ADD(&bed.builder, 500, tick, 4);
        trace_builder_turn(&bed.builder, 550, 560, 0);
        TRACE_ADD(&bed.builder, 570, tick, 5);
        if (lost != 0) {
            trace_builder_lose(&bed.builder);
        }
        bed_finish(&bed, 600);
        check_gap(&bed, 50, 460, 1 - lost, 3);
        check_event(&bed, 500, 4);
        if (lost != 0) {
            check_gap(&bed, 500, 600, 2, 0);
        } else {
            check_event(&bed, 570, 5);
        }
        check_end(&bed);
        bed_close(&bed);
    }
}

/* Writes into the middle one of three packets of two events each, which must then be skipped. */
static void check_damage(const char *what, size_t offset, uint64_t value, size_t bytes)
{
    uint8_t packets[3 * PACKET];
    struct bed bed;

    bed_open(&bed, 50);
    for (unsigned i = 0; i < 3; i++) {
        TRACE_ADD(&bed.builder, 100 + 100 * i, tick, 2 * i);
        TRACE_ADD(&bed.builder, 110 + 100 * i, tick, 2 * i + 1);
        if (i < 2) {
            trace_builder_turn(&bed.builder, 140 + 100 * i, 150 + 100 * i, 0);
        }
    }
    struct run_trace *trace = bed_finish(&bed, 600);
    const unsigned long failed = unit_failed_checks;

    CHECK(trace->packets->read(trace->packets, 0, packets, sizeof(packets)));
    CHECK(memcmp(packets + PACKET + offset, &value, bytes) != 0);
    memcpy(packets + PACKET + offset, &value, bytes);
    trace_bytes_close(trace->packets);
    trace->packets = trace_bytes_memory(packets, sizeof(packets));
    bed_again(&bed);
    check_event(&bed, 100, 0);
    check_event(&bed, 110, 1);
    check_gap(&bed, 110, 250, 1, 0);
    check_event(&bed, 300, 4);
    check_event(&bed, 310, 5);
    check_end(&bed);
    if (failed != unit_failed_checks) {
        fprintf(stderr, "    where the damage was: %s\n", what);
    }
    bed_close(&bed);
}

#define DAMAGE(what, field, value)                                    \
    check_damage(what, offsetof(struct trace_packet, field), (value), \
                 sizeof(((struct trace_packet *)NULL)->field))

static void test_damaged(void)
{
    const size_t record = sizeof(struct trace_packet);
    const size_t records = 2 * 6;

    DAMAGE("magic", magic, 0xc1fc1fc0);
    check_damage("uuid", offsetof(struct trace_packet, uuid) + 15, 0, 1);
    DAMAGE("packet size", packet_bits, PACKET * 8 + 8);
    DAMAGE("content beyond the packet", content_bits, PACKET * 8 + 8);
    DAMAGE("content within the header", content_bits, (record - 1) * 8);
    DAMAGE("content of half a byte", content_bits, (record + records) * 8 + 4);
    DAMAGE("content that cuts a record", content_bits, (record + records - 1) * 8);
    DAMAGE("content with a piece of a record", content_bits, (record + records + 1) * 8);
    DAMAGE("begin before the end of the one before", begin, 139);
    DAMAGE("begin before the trace's", begin, 0);
    DAMAGE("begin behind the first stamp", begin, 201);
    DAMAGE("end before the last stamp", end, 209);
    DAMAGE("end before the begin", end, 149);
    DAMAGE("end behind the trace's", end, 601);
    DAMAGE("the number of the one before", sequence, 0);
    DAMAGE("a number beyond the trace", sequence, 3);
    DAMAGE("any number", sequence, UINT64_MAX);
    DAMAGE("more discarded than in all", discarded, 1);
    check_damage("an id without event", record, 200 << 5 | 30, 4);
    check_damage("a stamp that goes back", record + 6, 199 << 5 | TRACE_ID_tick, 4);
    check_damage("an extended id without event", record, UINT64_C(0x20000001f), 5);
    check_damage("an extended header beyond the content", record + 6, 31, 1);
}

/* Sizes and ends that make no sense: nothing is read, all is reported as lost. */
static void test_nonsense(void)
{
    struct bed bed;

    build_packets(&bed, 2, 0);
    struct run_trace *trace = bed_finish(&bed, 600);

    trace->packet_bytes = 0;
    bed_again(&bed);
    check_gap(&bed, 50, 600, 0, 0);
    check_end(&bed);
    trace->packet_bytes = sizeof(struct trace_packet) - 1;
    bed_again(&bed);
    check_gap(&bed, 50, 600, 0, 0);
    check_end(&bed);
    trace->packet_bytes = UINT32_MAX;
    bed_again(&bed);
    check_gap(&bed, 50, 600, 0, 0);
    check_end(&bed);
    trace->packet_bytes = PACKET - 8;
    bed_again(&bed);
    check_gap(&bed, 50, 600, 2 * PACKET / (PACKET - 8), 0);
    check_end(&bed);
    trace->packet_bytes = PACKET;
    trace->end = 40; /* before its begin */
    bed_again(&bed);
    check_gap(&bed, 50, 50, 2, 0);
    check_end(&bed);
    bed_close(&bed);
}

static bool read_nothing(struct trace_bytes *bytes, uint64_t offset, void *to, size_t size)
{
    (void)bytes;
    (void)offset;
    (void)to;
    (void)size;
    return false;
}

static void test_unreadable(void)
{
    struct bed bed;

    build_packets(&bed, 2, 0);
    struct run_trace *trace = bed_finish(&bed, 600);

    trace->packets->read = read_nothing;
    CHECK_EQUAL(next(&bed), TRACE_ERROR);
    CHECK_EQUAL(next(&bed), TRACE_ERROR);
    bed_close(&bed);
}

/* What the recorder writes is read whole, with nothing between. */
static void test_recorder(void)
{
    const size_t packets = 8;
    uint8_t *memory = aligned_alloc(4096, packets * TRACE_PACKET_BYTES);
    struct recorder_result result;
    struct bed bed;
    uint64_t last = 0;

    memset(memory, 0, packets * TRACE_PACKET_BYTES);
    recorder_start(memory, packets, RECORDER_STOP, 0);
    for (uint16_t i = 0; i < 3000; i++) {
        trace_thread_switch(i, i % ACCOUNT_THREADS, 7);
        trace_counters(4, i, 2, 3, 4);
    }
    recorder_stop();
    recorder_result(&result);
    CHECK_EQUAL(result.kept + result.discarded, 6000);
    CHECK(result.discarded > 0);

    bed_open(&bed, 0);
    struct run_trace *trace = bed_finish(&bed, 0);

    trace->begin = result.begin;
    trace->end = result.end;
    trace->packet_bytes = TRACE_PACKET_BYTES;
    trace->claimed = result.count * TRACE_PACKET_BYTES;
    trace->discarded = result.discarded;
    trace_bytes_close(trace->packets);
    trace->packets = trace_bytes_memory(memory, trace->claimed);
    bed_again(&bed);
    for (uint64_t i = 0; i < result.kept; i++) {
        CHECK_EQUAL(next(&bed), TRACE_EVENT);
        CHECK_EQUAL(bed.event.id, i % 2 == 0 ? TRACE_ID_thread_switch : TRACE_ID_counters);
        CHECK_EQUAL(bed.event.field[i % 2], i / 2);
        CHECK(bed.event.tsc >= last);
        last = bed.event.tsc;
    }
    check_gap(&bed, last, result.end, 0, result.discarded);
    check_end(&bed);
    bed_close(&bed);
    free(memory);
}

/* The traces of three processors: in order of stamps, the lower processor first; a gap belongs to
 * one of them. */
static void test_merged(void)
{
    static const struct {
        enum trace_reader_status status;
        uint64_t tsc;
        uint32_t cpu;
    } expected[] = {{TRACE_EVENT, 1000, 0}, {TRACE_EVENT, 1000, 5}, {TRACE_EVENT, 1001, 5},
                    {TRACE_EVENT, 1002, 2}, {TRACE_EVENT, 1003, 0}, {TRACE_GAP, 1003, 0},
                    {TRACE_EVENT, 1004, 2}, {TRACE_EVENT, 1005, 2}};
    static const uint64_t stamps[3][3] = {{1000, 1003}, {1002, 1004, 1005}, {1000, 1001}};
    static const uint32_t cpus[3] = {0, 2, 5};
    struct bed bed;

    bed_open(&bed, 1000);
    free(bed.builder.bytes);
    for (unsigned i = 0; i < 3; i++) {
        trace_builder_init(&bed.builder, 1000, PACKET);
        bed.builder.cpu = cpus[i];
        bed.builder.part = 1;
        for (unsigned k = 0; k < 3 && stamps[i][k] > 0; k++) {
            TRACE_ADD(&bed.builder, stamps[i][k], mark, i, k);
        }
        if (i == 0) {
            trace_builder_turn(&bed.builder, 1003, 1010, 0);
            bed.builder.discarded = 1;
        }
        trace_builder_finish(&bed.builder, 1010, bed.bench);
    }
    CHECK_EQUAL(run_part_processors(bed.bench, 0), 3);
    bed.reader = trace_reader_open(bed.bench->traces, 3);
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        const enum trace_reader_status status = next(&bed);

        CHECK_EQUAL(status, expected[i].status);
        CHECK_EQUAL(status == TRACE_GAP ? bed.gap.from : bed.event.tsc, expected[i].tsc);
        CHECK_EQUAL(status == TRACE_GAP ? bed.gap.cpu : bed.event.cpu, expected[i].cpu);
    }
    check_end(&bed);
    bed_close(&bed);
}

/* A packet of another processor is not read as one of this. */
static void test_other_processor(void)
{
    struct bed bed;

    bed_open(&bed, 1000);
    TRACE_ADD(&bed.builder, 1001, mark, 1, 2);
    bed_finish(&bed, 1010)->cpu = 1;
    check_gap(&bed, 1000, 1010, 1, 0);
    check_end(&bed);
    bed_close(&bed);
}

int main(void)
{
    RUN(test_table());
    RUN(test_fields());
    RUN(test_wrap());
    RUN(test_lost());
    RUN(test_discarded());
    RUN(test_overwritten());
    RUN(test_overwritten_and_lost());
    RUN(test_damaged());
    RUN(test_nonsense());
    RUN(test_unreadable());
    RUN(test_recorder());
    RUN(test_merged());
    RUN(test_other_processor());
    return unit_finish("unit_trace_reader");
}
