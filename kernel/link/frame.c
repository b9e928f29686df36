/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/link/frame.h"

#include <string.h>

#include "kernel/link/encoding.h"
#include "kernel/link/varint.h"
#include "kernel/plan/bytes.h"

static const char text_open[] = "[#";
static const char text_close[] = "#]";
#define TEXT_MARK 2 /* length of each of the two marks, in characters */

/* Reads a LEB128 number. Returns its length in bytes, or 0 if there is none, if it is above `most`,
 * or if it is longer than necessary. */
static size_t get_number(const uint8_t *at, size_t size, uint32_t most, uint32_t *value)
{
    uint64_t number;
    const size_t used = varint_get(at, size, &number);

    *value = (uint32_t)number;
    return used > 0 && number <= most && (used == 1 || at[used - 1] != 0) ? used : 0;
}

/* Writes the header. Returns its size in bytes. */
static size_t put_header(const struct frame *frame, uint8_t *raw)
{
    raw[0] = frame->type;
    if (frame->type >= FRAME_META) {
        const size_t size = 1 + varint_put(frame->stream, raw + 1);

        return size + varint_put(frame->seq, raw + size);
    }
    raw[1] = FRAME_VERSION;
    bytes_put(raw + 2, frame->stream, 2);
    bytes_put32(raw + 4, frame->seq);
    bytes_put(raw + 8, frame->length, 2);
    return FRAME_HEADER_SIZE;
}

/* Parses the header at the start of `size` bytes, which exclude the CRC. Returns the header's size,
 * or 0 if it is malformed or its length field does not match `size`. */
static size_t get_header(const uint8_t *raw, size_t size, struct frame *frame)
{
    size_t header = FRAME_HEADER_SIZE;
    uint32_t stream = 0;

    if (size == 0) {
        return 0;
    }
    frame->type = raw[0];
    if (frame->type >= FRAME_META) {
        const size_t of_stream = get_number(raw + 1, size - 1, UINT16_MAX, &stream);
        const size_t of_seq =
            get_number(raw + 1 + of_stream, size - 1 - of_stream, UINT32_MAX, &frame->seq);

        header = 1 + of_stream + of_seq;
        frame->stream = (uint16_t)stream;
        frame->length = (uint16_t)(size - header);
        return of_stream > 0 && of_seq > 0 && size - header <= FRAME_PAYLOAD_MAX ? header : 0;
    }
    if (size < header || raw[1] != FRAME_VERSION) {
        return 0;
    }
    frame->stream = bytes_get16(raw + 2);
    frame->seq = bytes_get32(raw + 4);
    frame->length = bytes_get16(raw + 8);
    return frame->length <= FRAME_PAYLOAD_MAX && frame->length == size - header ? header : 0;
}

/* Writes header, payload and CRC to `raw`. Returns their size in bytes. */
static size_t frame_serialise(const struct frame *frame, uint8_t *raw)
{
    const size_t header = put_header(frame, raw);
    const size_t covered = header + frame->length;

    memcpy(raw + header, frame->payload, frame->length);
    bytes_put32(raw + covered, crc32c(0, raw, covered));
    return covered + FRAME_CRC_SIZE;
}

bool frame_parse(const uint8_t *raw, size_t size,
                 uint32_t (*crc)(uint32_t crc, const void *bytes, size_t length),
                 struct frame *frame)
{
    if (size < FRAME_CRC_SIZE) {
        return false;
    }
    const size_t covered = size - FRAME_CRC_SIZE;
    const size_t header = get_header(raw, covered, frame);

    if (header == 0 || bytes_get32(raw + covered) != crc(0, raw, covered)) {
        return false;
    }
    memcpy(frame->payload, raw + header, frame->length);
    return true;
}

size_t frame_encode(const struct frame *frame, enum frame_format format, uint8_t *wire)
{
    uint8_t raw[FRAME_RAW_MAX];
    const size_t size = frame_serialise(frame, raw);
    size_t written = 0;

    if (format == FRAME_BINARY) {
        wire[written++] = 0;
        written += cobs_encode(raw, size, wire + written);
        wire[written++] = 0;
        return written;
    }
    memcpy(wire, text_open, TEXT_MARK);
    written = TEXT_MARK;
    written += base64_encode(raw, size, (char *)wire + written);
    memcpy(wire + written, text_close, TEXT_MARK);
    written += TEXT_MARK;
    wire[written++] = '\r';
    wire[written++] = '\n';
    return written;
}

bool frame_decode_binary(const uint8_t *bytes, size_t length, struct frame *frame)
{
    uint8_t raw[FRAME_COBS_MAX];

    if (length > sizeof(raw)) {
        return false;
    }
    const ptrdiff_t size = cobs_decode(bytes, length, raw);

    return size >= 0 && frame_parse(raw, (size_t)size, crc32c, frame);
}

bool frame_decode_text(const char *text, size_t length, struct frame *frame)
{
    uint8_t raw[FRAME_RAW_MAX + 2];

    if (length > BASE64_ENCODED(FRAME_RAW_MAX)) {
        return false;
    }
    const ptrdiff_t size = base64_decode(text, length, raw);

    return size >= 0 && frame_parse(raw, (size_t)size, crc32c, frame);
}

void frame_reader_init(struct frame_reader *reader)
{
    memset(reader, 0, sizeof(*reader));
}

/* Hands out the first `length` bytes of the chunk; forget_handed_out() removes them later. */
static enum frame_reader_event hand_out(struct frame_reader *reader, size_t length)
{
    reader->other = length;
    return length > 0 ? FRAME_READER_OTHER : FRAME_READER_MORE;
}

static void forget_handed_out(struct frame_reader *reader)
{
    if (reader->other > 0) {
        reader->length -= reader->other;
        memmove(reader->chunk, reader->chunk + reader->other, reader->length);
        reader->other = 0;
    }
}

/* The chunk is full. Returns how many of its bytes cannot belong to a frame: all before the last
 * opening mark or, if the last byte is the first half of a mark, all before that. A mark at the
 * very start of the chunk does not count, because a frame would have ended by now. */
static size_t before_frame(const struct frame_reader *reader)
{
    const char *text = (const char *)reader->chunk;
    size_t open = reader->length - 1;

    if (text[open] != text_open[0]) {
        do {
            open--;
        } while (open > 0 && memcmp(text + open, text_open, TEXT_MARK) != 0);
    }
    return open > 0 ? open : reader->length;
}

/* Returns whether the chunk ends with a closing mark and the text from the last opening mark on is
 * an intact frame; fills *frame. Other characters before the opening mark, as terminals and their
 * loggers add them, are ignored. */
static bool text_frame_ends(const struct frame_reader *reader, struct frame *frame)
{
    const char *text = (const char *)reader->chunk;

    if (reader->length < 2 * TEXT_MARK ||
        memcmp(text + reader->length - TEXT_MARK, text_close, TEXT_MARK) != 0) {
        return false;
    }
    const size_t close = reader->length - TEXT_MARK;

    for (size_t open = close - TEXT_MARK + 1; open-- > 0;) {
        if (memcmp(text + open, text_open, TEXT_MARK) == 0) {
            const size_t body = open + TEXT_MARK;

            return frame_decode_text(text + body, close - body, frame);
        }
    }
    return false;
}

bool frame_is_text(const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const bool control = bytes[i] < ' ' || bytes[i] == 0x7f;

        if (control && memchr("\a\b\t\n\f\r\033", bytes[i], 7) == NULL) {
            return false;
        }
    }
    return true;
}

enum frame_reader_event frame_reader_push(struct frame_reader *reader, uint8_t byte,
                                          struct frame *frame)
{
    const bool is_line_end = byte == '\r' || byte == '\n';

    forget_handed_out(reader);
    reader->behind_text_frame = reader->behind_text_frame && is_line_end;
    if (reader->behind_text_frame) {
        return FRAME_READER_MORE;
    }
    if (byte == 0) {
        if (reader->length > 0 && frame_decode_binary(reader->chunk, reader->length, frame)) {
            reader->length = 0;
            return FRAME_READER_FRAME;
        }
        return hand_out(reader, reader->length);
    }
    reader->chunk[reader->length++] = byte;
    if (byte == (uint8_t)text_close[1] && text_frame_ends(reader, frame)) {
        reader->length = 0;
        reader->behind_text_frame = true;
        return FRAME_READER_FRAME;
    }
    /* Hand out a whole line of text at once, so that a person sees it as it arrives. A line feed by
     * itself is not yet text, because it may be the first byte of an encoded frame. */
    if (byte == '\n' && reader->length > 1 && frame_is_text(reader->chunk, reader->length)) {
        return hand_out(reader, reader->length);
    }
    return reader->length == sizeof(reader->chunk) ? hand_out(reader, before_frame(reader))
                                                   : FRAME_READER_MORE;
}

enum frame_reader_event frame_reader_finish(struct frame_reader *reader)
{
    forget_handed_out(reader);
    return hand_out(reader, reader->length);
}
