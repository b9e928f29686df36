/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: any bytes as a serial log, through decoder, assembly and verdict.
 *
 * An odd first byte says that the rest is the content of frames, each {type, stream, seq, length /
 * 4, payload}: they are wrapped with right CRCs, so that the fuzzer gets at what stands behind
 * those. Of a TRACE frame only the first four bytes of the payload are given and repeat; it is four
 * bytes longer. So a packet fits.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/frame.h"
#include "tools/lib/decoder.h"
#include "tools/lib/run.h"
#include "tools/lib/trace_bytes.h"

#define CONTENT_HEADER 4
#define REPEATED       4 /* bytes of a TRACE frame's payload */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Fills the payload from what follows the header; returns how much of that it took. */
static size_t fill_payload(struct frame *frame, const uint8_t *data, size_t left, size_t wanted)
{
    if (frame->type != FRAME_TRACE) {
        frame->length = (uint16_t)(wanted < left ? wanted : left);
        memcpy(frame->payload, data, frame->length);
        return frame->length;
    }
    const size_t taken = left < REPEATED ? left : REPEATED;

    frame->length = (uint16_t)(wanted + REPEATED);
    for (size_t i = 0; i < frame->length; i++) {
        frame->payload[i] = taken > 0 ? data[i % taken] : 0;
    }
    return taken;
}

static void push_frames(struct decoder *decoder, const uint8_t *data, size_t size)
{
    static struct frame frame;
    static uint8_t wire[FRAME_WIRE_MAX];

    while (size >= CONTENT_HEADER) {
        frame.type = data[0];
        frame.stream = data[1];
        frame.seq = data[2];
        const size_t taken =
            fill_payload(&frame, data + CONTENT_HEADER, size - CONTENT_HEADER, (size_t)data[3] * 4);

        decoder_push(decoder, wire, frame_encode(&frame, FRAME_BINARY, wire));
        data += CONTENT_HEADER + taken;
        size -= CONTENT_HEADER + taken;
    }
}

static void demand(bool true_always)
{
    if (!true_always) {
        abort();
    }
}

/* Whole packets, no more than are claimed, that can all be read. */
static void check_traces(const struct run_bench *bench)
{
    uint8_t packet[8192];

    for (size_t i = 0; i < bench->trace_count; i++) {
        struct trace_bytes *packets = bench->traces[i].packets;

        demand(packets->length % sizeof(packet) == 0);
        demand(packets->length <= bench->traces[i].claimed);
        for (uint64_t at = 0; at < packets->length; at += sizeof(packet)) {
            demand(packets->read(packets, at, packet, sizeof(packet)));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct decoder *decoder = decoder_create();
    struct decoder_range ranges[16];
    struct run run;

    run_init(&run);
    if (size > 0 && data[0] % 2 == 1) {
        push_frames(decoder, data + 1, size - 1);
    } else {
        decoder_push(decoder, data, size);
    }
    decoder_missing(decoder, ranges, sizeof(ranges) / sizeof(ranges[0]));
    decoder_finish(decoder, &run);
    for (size_t i = 0; i < run.bench_count; i++) {
        check_traces(&run.benches[i]);
    }
    run_free(&run);
    decoder_destroy(decoder);
    return 0;
}
