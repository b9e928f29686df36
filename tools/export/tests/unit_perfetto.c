/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The wire format of Protocol Buffers, against the examples of its specification, and what events
 * become in a Perfetto trace. protoc's word on the latter is in test_export_formats.sh.
 */
#include <stdlib.h>
#include <string.h>

#include "kernel/trace/trace.h"
#include "tools/export/perfetto_trace.h"
#include "tools/export/perfetto_writer.h"
#include "tools/export/trace_export.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/tests/support/unit.h"

#define GHZ UINT64_C(1000000000)

static struct run run;
static struct run_bench *bench;

static void begin(const char *name)
{
    run_init(&run);
    run.verdict = (struct run_verdict){.present = true, .ok = true, .hz = GHZ};
    bench = build_bench(&run, name, 1);
}

/* ---- the wire ---- */

static void check_bytes(const struct protobuf *buffer, const char *bytes, size_t length)
{
    CHECK_EQUAL(buffer->length, length);
    CHECK(buffer->length == length && memcmp(buffer->bytes, bytes, length) == 0);
}

/* The examples of protobuf.dev/programming-guides/encoding. */
static void test_wire(void)
{
    struct protobuf buffer = {0};

    protobuf_number(&buffer, 1, 150);
    check_bytes(&buffer, "\x08\x96\x01", 3);
    protobuf_clear(&buffer);
    protobuf_text(&buffer, 2, "testing");
    check_bytes(&buffer, "\x12\x07testing", 9);
    protobuf_clear(&buffer);
    protobuf_begin(&buffer, 3);
    protobuf_number(&buffer, 1, 150);
    protobuf_end(&buffer);
    check_bytes(&buffer, "\x1a\x03\x08\x96\x01", 5);
    protobuf_clear(&buffer);
    protobuf_number(&buffer, 1, (uint64_t)-2);
    check_bytes(&buffer, "\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
    protobuf_clear(&buffer);
    protobuf_number(&buffer, 60, 0);
    check_bytes(&buffer, "\xe0\x03\x00", 3);
    protobuf_free(&buffer);
}

/* A message whose length takes more bytes moves, with the one around it. */
static void test_long_messages(void)
{
    struct protobuf buffer = {0};
    char text[301];

    memset(text, 'x', 300);
    text[300] = '\0';
    protobuf_begin(&buffer, 1);
    protobuf_begin(&buffer, 2);
    protobuf_text(&buffer, 3, text);
    protobuf_end(&buffer);
    protobuf_number(&buffer, 4, 5);
    protobuf_end(&buffer);
    CHECK_EQUAL(buffer.length, 3 + 3 + 3 + 300 + 2);
    CHECK(memcmp(buffer.bytes, "\x0a\xb4\x02\x12\xaf\x02\x1a\xac\x02xxx", 12) == 0);
    CHECK(memcmp(buffer.bytes + buffer.length - 3, "x\x20\x05", 3) == 0);
    protobuf_clear(&buffer);
    protobuf_begin(&buffer, 1);
    protobuf_end(&buffer);
    check_bytes(&buffer, "\x0a\x00", 2);
    protobuf_free(&buffer);
}

/* ---- a reader ---- */

struct bytes {
    const uint8_t *at;
    size_t length;
};

static uint64_t read_varint(struct bytes *bytes)
{
    uint64_t value = 0;

    for (unsigned shift = 0; bytes->length > 0 && shift < 64; shift += 7) {
        const uint8_t byte = *bytes->at++;

        bytes->length--;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            break;
        }
    }
    return value;
}

struct field {
    uint32_t number;
    uint64_t value;       /* of a number */
    struct bytes content; /* else */
};

static bool next_field(struct bytes *bytes, struct field *field)
{
    if (bytes->length == 0) {
        return false;
    }
    const uint64_t key = read_varint(bytes);

    *field = (struct field){.number = (uint32_t)(key >> 3)};
    CHECK((key & 7) == 0 || (key & 7) == 2);
    field->value = read_varint(bytes);
    if ((key & 7) == 2) {
        CHECK(field->value <= bytes->length);
        field->content = (struct bytes){bytes->at, field->value};
        bytes->at += field->value;
        bytes->length -= field->value;
    }
    return true;
}

/* The field of a message, or one of zeroes. */
static struct field find(struct bytes bytes, uint32_t number)
{
    struct field field;

    while (next_field(&bytes, &field)) {
        if (field.number == number) {
            return field;
        }
    }
    return (struct field){0};
}

/* The trace in a few characters an event: "B", "E", "I" with the low bits of the track,
 * "S" and "W" of ftrace, "L" of a bundle behind a loss, each with its ns. */
static void print_track_event(FILE *out, struct bytes packet, struct bytes event)
{
    static const char types[] = "?BEI";
    const uint64_t type = find(event, 9).value;

    fprintf(out, "%c%" PRIx64 "%s@%" PRIu64 " ", types[type & 3], find(event, 11).value & 0x3ffff,
            type == 2 && find(event, 10).number != 0 ? "!" : "", find(packet, 8).value);
}

static void print_bundle(FILE *out, struct bytes bundle)
{
    struct field field;

    if (find(bundle, 3).value != 0) {
        fputs("L ", out);
    }
    while (next_field(&bundle, &field)) {
        if (field.number != 2) {
            continue;
        }
        const struct field change = find(field.content, 4);
        const struct field waking = find(field.content, 20);

        if (change.number != 0) {
            fprintf(out, "S%" PRId64 "-%" PRId64 "/%" PRId64,
                    (int64_t)find(change.content, 2).value, (int64_t)find(change.content, 6).value,
                    (int64_t)find(change.content, 4).value);
        } else {
            fprintf(out, "W%" PRId64, (int64_t)find(waking.content, 2).value);
        }
        fprintf(out, "@%" PRIu64 " ", find(field.content, 1).value);
    }
}

static char *report(const char *trace, size_t length)
{
    struct bytes bytes = {(const uint8_t *)trace, length};
    struct field packet;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    while (next_field(&bytes, &packet)) {
        const struct field event = find(packet.content, 11);
        const struct field bundle = find(packet.content, 1);

        CHECK_EQUAL(packet.number, 1);
        if (event.number != 0) {
            print_track_event(out, packet.content, event.content);
        } else if (bundle.number != 0) {
            print_bundle(out, bundle.content);
        }
    }
    fclose(out);
    return text;
}

/* The bench's traces, as that. To be freed. */
static char *trace_of(uint32_t index, struct trace_export_counts *counts)
{
    char error[TRACE_EXPORT_ERROR_MAX];
    char *trace = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&trace, &length);
    struct perfetto_writer *writer = perfetto_create(out);

    CHECK(trace_export_perfetto(&run, bench, writer, NULL, index, counts, error));
    perfetto_destroy(writer);
    fclose(out);
    char *reported = report(trace, length);

    free(trace);
    return reported;
}

/* ---- events ---- */

static void test_events(void)
{
    struct trace_builder builder;
    struct trace_export_counts counts;

    begin("b");
    trace_builder_name(bench, "thread", 2, "A");
    trace_builder_init(&builder, 0, TRACE_PACKET_BYTES);
    TRACE_ADD(&builder, 1, thread_is, 2, 0, 5, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&builder, 2, syscall_entry, 4);
    TRACE_ADD(&builder, 3, isr_entry, 32);
    TRACE_ADD(&builder, 4, isr_entry, 49);
    TRACE_ADD(&builder, 5, tick, 2);
    TRACE_ADD(&builder, 6, isr_exit, 49);
    TRACE_ADD(&builder, 7, isr_exit, 32);
    TRACE_ADD(&builder, 8, dpc_entry, 1);
    TRACE_ADD(&builder, 9, thread_ready, 3, TRACE_BY(TRACE_BY_DPC, 1));
    TRACE_ADD(&builder, 10, dpc_exit, 1);
    TRACE_ADD(&builder, 11, thread_switch, 2, 3, TRACE_WHY(WAIT_PREEMPTED, THREAD_READY));
    TRACE_ADD(&builder, 12, mark, 1, 7);
    TRACE_ADD(&builder, 13, thread_switch, 3, 2, TRACE_WHY(WAIT_SLEEP, THREAD_WAITING));
    TRACE_ADD(&builder, 14, fault_entry, 4096, FAULT_MINOR);
    TRACE_ADD(&builder, 15, fault_exit, FAULT_MINOR);
    TRACE_ADD(&builder, 16, syscall_exit, 4);
    TRACE_ADD(&builder, 17, thread_switch, 2, 0, TRACE_WHY(WAIT_EXIT, THREAD_ENDED));
    TRACE_ADD(&builder, 18, mark, 1, 7);
    trace_builder_finish(&builder, 20, bench);
    char *reported = trace_of(0, &counts);

    CHECK_EQUAL(counts.events, 18);
    CHECK_TEXT(reported,
               "I2@1 B2@2 B20000@3 B20000@4 I20000@5 E20000@6 E20000@7 B20001@8 E20001@10 "
               "I3@12 B2@14 E2@15 E2@16 I20002@18 "
               "W3@9 S2-3/0@11 S3-2/1@13 S2-0/64@17 ");
    free(reported);
    reported = trace_of(3, &counts);
    CHECK(strstr(reported, "S393219-393218/1@13 S393218-0/64@17 ") != NULL);
    free(reported);
    run_free(&run);
}

/* A track for each request that is outstanding at once; what has no issue is an instant. */
static void test_disks(void)
{
    struct trace_builder builder;
    struct trace_export_counts counts;

    begin("b");
    trace_builder_init(&builder, 0, TRACE_PACKET_BYTES);
    TRACE_ADD(&builder, 1, block_issue, 4, 0, 0, 1, 1);
    TRACE_ADD(&builder, 2, block_issue, 4, 1, 0, 1, 2);
    TRACE_ADD(&builder, 3, block_complete, 4, 0, BLOCK_GOOD, 1);
    TRACE_ADD(&builder, 4, block_issue, 4, 2, 0, 1, 2);
    TRACE_ADD(&builder, 5, block_complete, 4, 1, BLOCK_GONE, 1);
    TRACE_ADD(&builder, 6, block_complete, 5, 2, BLOCK_GOOD, 0);
    TRACE_ADD(&builder, 7, block_issue, 5, 3, 0, 1, 1);
    trace_builder_finish(&builder, 8, bench);
    char *reported = trace_of(0, &counts);

    CHECK_TEXT(reported, "B20100@1 B20101@2 E20100@3 B20100@4 I20101@5 E20101@5 I20002@6 B20102@7 "
                         "E20100!@8 E20102!@8 ");
    free(reported);
    run_free(&run);
}

/* Slices that are open at a gap and at the end are closed there; what a gap took the entry of is an
 * instant. */
static void test_gaps(void)
{
    struct trace_builder builder;
    struct trace_export_counts counts;

    begin("b");
    trace_builder_init(&builder, 0, 256);
    TRACE_ADD(&builder, 1, thread_switch, 0, 3, TRACE_WHY(WAIT_PREEMPTED, THREAD_READY));
    TRACE_ADD(&builder, 2, syscall_entry, 4);
    TRACE_ADD(&builder, 3, isr_entry, 32);
    TRACE_ADD(&builder, 4, isr_entry, 33);
    trace_builder_turn(&builder, 4, 5, 0);
    TRACE_ADD(&builder, 6, isr_exit, 33);
    trace_builder_lose(&builder);
    trace_builder_turn(&builder, 7, 8, 0);
    TRACE_ADD(&builder, 9, isr_exit, 32);
    TRACE_ADD(&builder, 10, thread_switch, 3, 4, TRACE_WHY(WAIT_PREEMPTED, THREAD_READY));
    TRACE_ADD(&builder, 11, fault_entry, 1, FAULT_MINOR);
    TRACE_ADD(&builder, 12, syscall_entry, 5);
    TRACE_ADD(&builder, 13, fault_exit, FAULT_MINOR);
    TRACE_ADD(&builder, 14, dpc_entry, 2);
    trace_builder_finish(&builder, 15, bench);
    char *reported = trace_of(0, &counts);

    CHECK_EQUAL(counts.packets, 1);
    CHECK_EQUAL(counts.events, 10);
    CHECK_TEXT(reported, "B3@2 B20000@3 B20000@4 E20000!@4 E20000!@4 E3!@4 S0-3/0@1 "
                         "I20000@9 B4@11 B4@12 E4!@13 E4@13 B20001@14 E20001!@15 L S3-4/0@10 ");
    free(reported);
    run_free(&run);
}

/* Names are written once, however many there are. */
static void test_names(void)
{
    char *trace = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&trace, &length);
    struct perfetto_writer *writer = perfetto_create(out);
    char name[32];
    size_t before = 0;

    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 3000; i++) {
            snprintf(name, sizeof(name), "a rather long name %u", i);
            const struct perfetto_event event = {
                .ns = i, .track = 1, .type = PERFETTO_INSTANT, .category = name, .name = name};

            perfetto_event(writer, &event);
        }
        fflush(out);
        if (round == 0) {
            before = length;
        }
    }
    perfetto_destroy(writer);
    fclose(out);
    CHECK(before > 3000 * 2 * 20);
    CHECK(length - before < 3000 * 24);
    free(trace);
}

/* More slices one in the other than are remembered. */
static void test_depth(void)
{
    struct trace_builder builder;
    struct trace_export_counts counts;
    size_t slices = 0;

    begin("b");
    trace_builder_init(&builder, 0, TRACE_PACKET_BYTES);
    for (unsigned i = 0; i < 100; i++) {
        TRACE_ADD(&builder, i, isr_entry, i);
    }
    for (unsigned i = 100; i-- > 0;) {
        TRACE_ADD(&builder, 200 - i, isr_exit, i);
    }
    trace_builder_finish(&builder, 300, bench);
    char *reported = trace_of(0, &counts);

    for (const char *at = reported; (at = strpbrk(at, "BE")) != NULL; at++) {
        slices += *at == 'B' ? 1 : (size_t)-1;
    }
    CHECK_EQUAL(slices, 0);
    CHECK_EQUAL(counts.events, 200);
    free(reported);
    run_free(&run);
}

int main(void)
{
    RUN(test_wire());
    RUN(test_long_messages());
    RUN(test_events());
    RUN(test_disks());
    RUN(test_gaps());
    RUN(test_names());
    RUN(test_depth());
    return unit_finish("unit_perfetto");
}
