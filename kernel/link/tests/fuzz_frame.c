/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer: the parser of records, which random bytes would hardly get at behind the CRC; and
 * every frame that the input makes must survive its round trip. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/frame.h"
#include "kernel/link/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_round_trip(const struct frame *frame, enum frame_format format)
{
    static struct frame_reader reader;
    static struct frame back;
    uint8_t wire[FRAME_WIRE_MAX];
    const size_t length = frame_encode(frame, format, wire);
    int found = 0;

    frame_reader_init(&reader);
    for (size_t i = 0; i < length; i++) {
        found += frame_reader_push(&reader, wire[i], &back) == FRAME_READER_FRAME ? 1 : 0;
    }
    if (found != 1 || back.length != frame->length || back.seq != frame->seq ||
        memcmp(back.payload, frame->payload, frame->length) != 0) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct frame frame;
    char line[RECORD_LINE_MAX + 1];
    struct record record;

    frame.type = FRAME_SERIES;
    frame.stream = 1;
    frame.seq = (uint32_t)size;
    frame.length = (uint16_t)(size < FRAME_PAYLOAD_MAX ? size : FRAME_PAYLOAD_MAX);
    memcpy(frame.payload, data, frame.length);
    check_round_trip(&frame, FRAME_BINARY);
    check_round_trip(&frame, FRAME_TEXT);

    const size_t length = size < RECORD_LINE_MAX ? size : RECORD_LINE_MAX;

    memcpy(line, data, length);
    if (record_parse(line, length, &record)) {
        uint64_t value;

        for (size_t i = 0; i < record.count; i++) {
            record_value_unsigned(&record, record.fields[i].key, &value);
        }
    }
    return 0;
}
