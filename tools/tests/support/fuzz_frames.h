/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fuzzer's bytes as the contents of frames, each {type, stream, seq, words, payload}: they are
 * sent with correct CRCs, so that the fuzzer reaches the code after the checks of CRCs. The two
 * highest bits of the stream are the number of bytes by which the payload is shorter than its words
 * of four bytes. The payload of a coded frame does not contain the tag of its run. Type
 * FUZZ_RECORDS is a META frame whose payload is given as text, so that the fuzzer can change its
 * letters.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernel/link/coded.h"
#include "kernel/link/frame.h"
#include "tools/tests/support/log_builder.h"
#include "tools/wire/decoder.h"

#define FUZZ_FRAME_HEADER 4
#define FUZZ_RECORDS      1

/* The run has no id. */
static inline void fuzz_frame_tag(struct frame *frame)
{
    const size_t room = sizeof(frame->payload) - CODED_TAG_BYTES;
    const size_t length = frame->length < room ? frame->length : room;

    memmove(frame->payload + CODED_TAG_BYTES, frame->payload, length);
    coded_put_tag(frame->payload, coded_tag(""));
    frame->length = (uint16_t)(CODED_TAG_BYTES + length);
}

/* Makes the next frame from the bytes; returns the number of bytes used, 0 if none is left. */
static inline size_t fuzz_frame_take(struct frame *frame, const uint8_t *data, size_t size)
{
    if (size < FUZZ_FRAME_HEADER) {
        return 0;
    }
    frame->type = data[0];
    frame->stream = data[1] % 64;
    frame->seq = data[2];
    const size_t less = data[3] > 0 ? data[1] / 64 : 0;
    const size_t wanted = (size_t)data[3] * 4 - less;
    const size_t left = size - FUZZ_FRAME_HEADER;
    const size_t given = wanted < left ? wanted : left;
    const char *const payload = (const char *)data + FUZZ_FRAME_HEADER;

    if (frame->type == FUZZ_RECORDS) {
        log_meta_frame(frame, frame->seq, payload, given);
        frame->stream = data[1] % 64;
        return FUZZ_FRAME_HEADER + given;
    }
    memcpy(frame->payload, payload, given);
    frame->length = (uint16_t)given;
    if (coded_type(frame->type)) {
        fuzz_frame_tag(frame);
    }
    return FUZZ_FRAME_HEADER + given;
}

/* Passes all frames in the bytes to the decoder; returns the number of bytes of the log. */
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

/* Returns the run in the frames; the caller frees it. */
static inline void fuzz_frames_run(struct run *run, const uint8_t *data, size_t size)
{
    struct decoder *decoder = decoder_create();

    run_init(run);
    fuzz_frames_push(decoder, data, size);
    decoder_finish(decoder, run);
    decoder_destroy(decoder);
}
