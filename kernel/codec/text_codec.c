/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/codec/text_codec.h"

/* Bytes of the whole lines in text[0..length), at most `limit`. */
static size_t whole_lines(const char *text, size_t length, size_t limit)
{
    if (length <= limit) {
        return length;
    }
    while (limit > 0 && text[limit - 1] != '\n') {
        limit--;
    }
    return limit;
}

size_t text_encode(struct text_codec *codec, const char *text, size_t length, uint8_t *payload,
                   size_t capacity, size_t *taken)
{
    const size_t room = capacity - 1 < TEXT_CODEC_RAW_MAX ? capacity - 1 : TEXT_CODEC_RAW_MAX;

    (void)codec;
    *taken = whole_lines(text, length, room);
    if (*taken == 0) {
        return 0;
    }
    payload[0] = CODEC_STORED;
    memcpy(payload + 1, text, *taken);
    return *taken + 1;
}

ptrdiff_t text_decode(struct text_codec *codec, const uint8_t *payload, size_t length, char *text,
                      size_t capacity)
{
    (void)codec;
    if (length < 1 || payload[0] != CODEC_STORED || length - 1 > capacity ||
        length - 1 > TEXT_CODEC_RAW_MAX) {
        return -1;
    }
    memcpy(text, payload + 1, length - 1);
    return (ptrdiff_t)length - 1;
}
