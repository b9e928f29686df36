/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fuzzer's bytes as the content of frames, each {type, stream, seq, words, payload}: they are
 * wrapped with right CRCs, so that the fuzzer gets at what stands behind those. The two highest
 * bits of the stream are how many bytes the payload is shorter than its words of four bytes. Of a
 * TRACE frame only the first four bytes of the payload are given and repeat; it is four bytes
 * longer. So a packet fits. A coded frame begins with the tag of a run without an id.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernel/link/coded.h"
#include "kernel/link/frame.h"
#include "tools/wire/decoder.h"

#define FUZZ_FRAME_HEADER   4
#define FUZZ_FRAME_REPEATED 4 /* bytes of a TRACE frame's payload */

/* Fills the payload from what follows the header; returns how much of that it took. */
static inline size_t fuzz_frame_payload(struct frame *frame, const uint8_t *data, size_t left,
                                        size_t wanted, unsigned variant)
{
    const bool sparse = frame->type == FRAME_TRACE && variant == 1;

    if (frame->type != FRAME_TRACE || sparse) {
        const size_t less = wanted > 0 && !sparse ? variant : 0;
        const size_t given = wanted - less < left ? wanted - less : left;

        memcpy(frame->payload, data, given);
        memset(frame->payload + given, 0, sizeof(frame->payload) - given);
        frame->length = (uint16_t)(sparse ? sizeof(frame->payload) : given);
        return given;
    }
    const size_t taken = left < FUZZ_FRAME_REPEATED ? left : FUZZ_FRAME_REPEATED;

    frame->length = (uint16_t)(wanted + FUZZ_FRAME_REPEATED);
    for (size_t i = 0; i < frame->length; i++) {
        frame->payload[i] = taken > 0 ? data[i % taken] : 0;
    }
    return taken;
}

static inline void fuzz_frame_tag(struct frame *frame)
{
    const size_t room = sizeof(frame->payload) - CODED_TAG_BYTES;
    const size_t length = frame->length < room ? frame->length : room;

    memmove(frame->payload + CODED_TAG_BYTES, frame->payload, length);
    coded_put_tag(frame->payload, coded_tag(""));
    frame->length = (uint16_t)(CODED_TAG_BYTES + length);
}

/* Makes the next frame of the bytes; returns how many it took, 0 where there is none left. */
static inline size_t fuzz_frame_take(struct frame *frame, const uint8_t *data, size_t size)
{
    if (size < FUZZ_FRAME_HEADER) {
        return 0;
    }
    frame->type = data[0];
    frame->stream = data[1] % 64;
    frame->seq = data[2];
    const size_t taken =
        fuzz_frame_payload(frame, data + FUZZ_FRAME_HEADER, size - FUZZ_FRAME_HEADER,
                           (size_t)data[3] * 4, data[1] / 64);

    if (coded_type(frame->type)) {
        fuzz_frame_tag(frame);
    }
    return FUZZ_FRAME_HEADER + taken;
}

/* All frames of the bytes to the decoder; returns how many bytes of a log that was. */
static inline size_t fuzz_frames_push(struct decoder *decoder, const uint8_t *data, size_t size)
{
    static struct frame frame;
    static uint8_t wire[FRAME_WIRE_MAX];
    size_t pushed = 0;
    size_t taken;

    while ((taken = fuzz_frame_take(&frame, data, size)) > 0) {
        const size_t length = frame_encode(&frame, FRAME_BINARY, wire);

        decoder_push(decoder, wire, length);
        pushed += length;
        data += taken;
        size -= taken;
    }
    return pushed;
}

/* The run that the frames hold; the caller frees it. */
static inline void fuzz_frames_run(struct run *run, const uint8_t *data, size_t size)
{
    struct decoder *decoder = decoder_create();

    run_init(run);
    fuzz_frames_push(decoder, data, size);
    decoder_finish(decoder, run);
    decoder_destroy(decoder);
}
