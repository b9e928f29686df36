/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: any bytes as a serial log, through decoder, assembly and verdict.
 *
 * An odd first byte says that the rest is the content of frames, each {type, stream, seq, length /
 * 4, payload}: they are wrapped with right CRCs, so that the fuzzer gets at what stands behind
 * those.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernel/link/frame.h"
#include "tools/lib/decoder.h"
#include "tools/lib/run.h"

#define CONTENT_HEADER 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void push_frames(struct decoder *decoder, const uint8_t *data, size_t size)
{
    static struct frame frame;
    static uint8_t wire[FRAME_WIRE_MAX];

    while (size >= CONTENT_HEADER) {
        const size_t wanted = (size_t)data[3] * 4;
        const size_t left = size - CONTENT_HEADER;

        frame.type = data[0];
        frame.stream = data[1];
        frame.seq = data[2];
        frame.length = (uint16_t)(wanted < left ? wanted : left);
        memcpy(frame.payload, data + CONTENT_HEADER, frame.length);
        decoder_push(decoder, wire, frame_encode(&frame, FRAME_BINARY, wire));
        data += CONTENT_HEADER + frame.length;
        size = left - frame.length;
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
    run_free(&run);
    decoder_destroy(decoder);
    return 0;
}
