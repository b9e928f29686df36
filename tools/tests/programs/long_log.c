/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a log with a trace of EVENTS records, of any number, to standard output as it is made: a
 * clock that wakes eight threads in turn, each of which takes a lock and sleeps again. The same
 * number gives the same bytes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/coded.h"
#include "kernel/link/encoding.h"
#include "kernel/link/frame.h"
#include "kernel/link/trace_codec.h"
#include "kernel/trace/packet.h"
#include "kernel/trace/trace.h"
#include "tools/tests/support/log_builder.h"

#define BEGIN        UINT64_C(5000000000)
#define PERIOD       100000 /* ticks from wake-up to wake-up */
#define THREADS      8
#define STREAM       1
#define OUTPUT_BYTES (1 << 20)

static const char usage[] = "usage: long_log EVENTS > LOG\n";

struct long_log {
    struct trace_packet packet;
    uint8_t bytes[TRACE_PACKET_BYTES];
    size_t used;
    uint64_t stamp;
    uint64_t events, wanted;
    uint32_t frames; /* of the trace */
    uint32_t meta_frames;
    uint32_t crc; /* of all packets */
};

static void send(const struct frame *frame)
{
    uint8_t wire[FRAME_WIRE_MAX] = {0};

    fwrite(wire, 1, frame_encode(frame, FRAME_BINARY, wire), stdout);
}

static void send_records(struct long_log *log, const char *text)
{
    struct frame frame;

    log_meta_frame(&frame, log->meta_frames++, text, strlen(text));
    send(&frame);
}

/* ---- packets ---- */

static void open_packet(struct long_log *log, uint64_t tsc)
{
    static const uint8_t uuid[] = TRACE_UUID;
    const uint64_t sequence = log->packet.sequence;

    log->packet = (struct trace_packet){
        .magic = TRACE_PACKET_MAGIC,
        .begin = tsc,
        .packet_bits = (uint64_t)TRACE_PACKET_BYTES * 8,
        .sequence = sequence,
    };
    memcpy(log->packet.uuid, uuid, sizeof(uuid));
    log->used = sizeof(log->packet);
    log->stamp = tsc;
}

static void send_packet(struct long_log *log, uint32_t index)
{
    static struct trace_codec codec;
    uint32_t at = sizeof(struct trace_packet);

    do {
        struct frame frame = {.type = FRAME_TRACE, .stream = STREAM, .seq = log->frames++};

        coded_put_tag(frame.payload, coded_tag(""));
        frame.length =
            (uint16_t)(CODED_TAG_BYTES + trace_encode(&codec, log->bytes, index, &at,
                                                      frame.payload + CODED_TAG_BYTES,
                                                      FRAME_PAYLOAD_MAX - CODED_TAG_BYTES));
        send(&frame);
    } while (at < log->used);
}

static void close_packet(struct long_log *log, uint64_t end)
{
    log->packet.end = end;
    log->packet.content_bits = log->used * 8;
    memcpy(log->bytes, &log->packet, sizeof(log->packet));
    memset(log->bytes + log->used, 0, sizeof(log->bytes) - log->used);
    log->packet.sequence++;
    log->crc = crc32c(log->crc, log->bytes, sizeof(log->bytes));
    send_packet(log, (uint32_t)(log->packet.sequence - 1));
}

static void put(struct long_log *log, uint64_t value, size_t bytes)
{
    memcpy(log->bytes + log->used, &value, bytes);
    log->used += bytes;
}

/* `fields`: their bytes, one behind the other, at most 8. */
static void add(struct long_log *log, uint64_t tsc, uint32_t id, uint64_t fields, size_t bytes)
{
    if (log->events == log->wanted) {
        return;
    }
    if (log->used + TRACE_HEADER_EXTENDED + bytes > sizeof(log->bytes)) {
        close_packet(log, tsc);
        open_packet(log, tsc);
    }
    if (tsc >> TRACE_STAMP_BITS != log->stamp >> TRACE_STAMP_BITS) {
        put(log, TRACE_ID_EXTENDED, 1);
        put(log, id, 4);
        put(log, tsc, 8);
    } else {
        put(log, (uint32_t)(tsc << TRACE_ID_BITS) | id, TRACE_HEADER_COMPACT);
    }
    put(log, fields, bytes);
    log->stamp = tsc;
    log->events++;
}

/* ---- what happens ---- */

static void begin(struct long_log *log)
{
    for (uint64_t thread = 0; thread <= THREADS; thread++) {
        const uint64_t priority = thread > 0 ? 10 : 0;
        const uint64_t state = thread > 0 ? THREAD_WAITING : THREAD_RUNNING;
        const uint64_t why = thread > 0 ? WAIT_SLEEP : WAIT_NONE;

        add(log, BEGIN, TRACE_ID_thread_is, thread | priority << 32 | state << 40 | why << 48, 7);
    }
}

static void wake(struct long_log *log, uint64_t number)
{
    const uint64_t at = BEGIN + (number + 1) * PERIOD;
    const uint64_t thread = 1 + number % THREADS;
    const uint64_t work = 2000 + number * 2654435761u % 20000;

    add(log, at, TRACE_ID_isr_entry, 64, 1);
    add(log, at + 300, TRACE_ID_timer_expire, at - 500, 8);
    add(log, at + 600, TRACE_ID_thread_ready,
        thread | (uint64_t)TRACE_BY(TRACE_BY_VECTOR, 64) << 16, 4);
    add(log, at + 900, TRACE_ID_isr_exit, 64, 1);
    add(log, at + 1200, TRACE_ID_thread_switch,
        thread << 16 | (uint64_t)TRACE_WHY(WAIT_PREEMPTED, THREAD_READY) << 32, 5);
    add(log, at + 1500, TRACE_ID_lock_acquire, 0, 2);
    add(log, at + 1500 + work, TRACE_ID_lock_release, 0, 2);
    add(log, at + 1800 + work, TRACE_ID_queue_call, 0, 5);
    add(log, at + 2100 + work, TRACE_ID_queue_call, 0, 5);
    add(log, at + 2400 + work, TRACE_ID_thread_switch,
        thread | (uint64_t)TRACE_WHY(WAIT_SLEEP, THREAD_WAITING) << 32, 5);
}

static void send_head(struct long_log *log)
{
    send_records(log,
                 "tare version=0.1.0 format=1\n"
                 "run kind=real date=\"2026-11-21T12:00:00Z\"\n"
                 "machine name=cpu_brand value=\"made by long_log\"\n"
                 "source name=tsc hz=1000000000 from=\"CPUID 15h\"\n"
                 "verdict ok=1 hz=1000000000 by=\"hpet,pm_timer\"\n"
                 "bench name=long group=tasks summary=\"threads that take turns\" unit=tick\n");
    for (int thread = 0; thread <= THREADS; thread++) {
        char text[128];

        snprintf(text, sizeof(text), "object bench=long kind=thread id=%d name=\"worker %d\"\n",
                 thread, thread);
        send_records(log, text);
    }
}

static void send_tail(struct long_log *log, uint64_t end)
{
    const uint64_t bytes = log->packet.sequence * TRACE_PACKET_BYTES;
    char text[FRAME_PAYLOAD_MAX];

    snprintf(text, sizeof(text),
             "trace stream=%d bench=long part=1 mode=stop cpu=0 begin=%" PRIu64 " end=%" PRIu64
             " bytes=%" PRIu64 " packet_bytes=%d frames=%" PRIu32 " content_crc=%" PRIu32
             " kept=%" PRIu64 " discarded=0 overwritten=0 record=100 lead=50 extended=140 "
             "isr_lead=40 isr_trail=48 dpc_trail=52 switch_trail=56\n"
             "status bench=long state=OK\n",
             STREAM, BEGIN, end, bytes, TRACE_PACKET_BYTES, log->frames, log->crc, log->events);
    send_records(log, text);
    snprintf(text, sizeof(text), "end meta=%" PRIu32 " frames=%" PRIu64 " records_lost=0\n",
             log->meta_frames, (uint64_t)log->meta_frames + log->frames);
    struct frame frame = {.type = FRAME_END, .length = (uint16_t)strlen(text)};

    memcpy(frame.payload, text, frame.length);
    send(&frame);
}

int main(int argc, char **argv)
{
    static struct long_log log;
    char *rest;

    log.wanted = argc == 2 ? strtoull(argv[1], &rest, 10) : 0;
    if (argc != 2 || *argv[1] < '0' || *argv[1] > '9' || *rest != '\0') {
        fputs(usage, stderr);
        return EXIT_FAILURE;
    }
    setvbuf(stdout, NULL, _IOFBF, OUTPUT_BYTES);
    send_head(&log);
    open_packet(&log, BEGIN);
    begin(&log);
    uint64_t number = 0;

    for (; log.events < log.wanted; number++) {
        wake(&log, number);
    }
    const uint64_t end = BEGIN + (number + 2) * PERIOD;

    close_packet(&log, end);
    send_tail(&log, end);
    return fflush(stdout) == 0 && !ferror(stdout) ? EXIT_SUCCESS : EXIT_FAILURE;
}
