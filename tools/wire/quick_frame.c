/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/wire/quick_frame.h"

#include <string.h>

#include "tools/base/checksum.h"

#define WORD    16 /* bytes that are copied at once; most runs of a trace are shorter */
#define RUN_MAX 254

/* Is the byte a current frame type? These are neither text nor the last byte of a mark. */
static bool is_type(uint8_t byte)
{
    return (byte >= FRAME_END && byte <= FRAME_ANSWER) ||
           (byte >= FRAME_META && byte <= FRAME_TRACE);
}

/* Decodes `size` bytes without a 00h, like cobs_decode(), into `raw`, which has WORD bytes more
 * than FRAME_COBS_MAX. `room` is the number of bytes that may be read. Returns the bytes written,
 * or 0 if malformed. */
static size_t decode(const uint8_t *in, size_t size, size_t room, uint8_t *raw)
{
    size_t written = 0;
    size_t i = 0;

    while (i < size) {
        const size_t run = (size_t)in[i++] - 1;

        if (run > size - i) {
            return 0;
        }
        if (run <= WORD && room - i >= WORD) {
            memcpy(raw + written, in + i, WORD);
        } else {
            memcpy(raw + written, in + i, run);
        }
        written += run;
        i += run;
        if (run != RUN_MAX && i < size) {
            raw[written++] = 0;
        }
    }
    return written;
}

/* May a frame in text format end here? */
static bool has_closing_mark(const uint8_t *bytes, size_t size)
{
    const uint8_t *end = bytes + size;
    const uint8_t *at = bytes;

    while ((at = memchr(at, ']', (size_t)(end - at))) != NULL) {
        if (at > bytes && at[-1] == '#') {
            return true;
        }
        at++;
    }
    return false;
}

size_t quick_frame(const struct frame_reader *reader, const uint8_t *bytes, size_t length,
                   struct frame *frame)
{
    uint8_t raw[FRAME_COBS_MAX + WORD];
    const size_t most = length < FRAME_COBS_MAX + 1 ? length : FRAME_COBS_MAX + 1;

    if (reader->length != reader->other || reader->behind_text_frame || length < 2 ||
        bytes[0] == 0 || !is_type(bytes[1])) {
        return 0;
    }
    const uint8_t *end = memchr(bytes, 0, most);

    if (end == NULL) {
        return 0;
    }
    const size_t size = (size_t)(end - bytes);

    if (has_closing_mark(bytes, size)) {
        return 0;
    }
    const size_t decoded = decode(bytes, size, length, raw);

    return frame_parse(raw, decoded, checksum_crc32c, frame) ? size + 1 : 0;
}
