/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: texts. An even first byte: the rest is a payload, which decodes within bounds or not
 * at all. An odd one: the rest is text, which is encoded and must come back; bits 1-7 are the
 * capacity in units of 8 bytes, beyond the least.
 */
#include <string.h>

#include "kernel/link/text_codec.h"
#include "tools/tests/support/demand.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct text_codec codec;

static void decode(const uint8_t *data, size_t size)
{
    const size_t capacity = size % 2 == 0 ? TEXT_CODEC_RAW_MAX : size;
    char *text = malloc(capacity + 1);
    const ptrdiff_t length = text_decode(&codec, data, size, text, capacity);

    demand(length >= -1 && (length < 0 || (size_t)length <= capacity));
    free(text);
}

static void encode(const char *text, size_t length, size_t capacity)
{
    uint8_t *payload = malloc(capacity);
    static char back[TEXT_CODEC_RAW_MAX];
    size_t taken;

    while (length > 0) {
        const size_t bytes = text_encode(&codec, text, length, payload, capacity, &taken);

        demand(taken <= length && bytes <= capacity && (bytes == 0) == (taken == 0));
        if (taken == 0) {
            break;
        }
        demand(taken == length || text[taken - 1] == '\n');
        demand(text_decode(&codec, payload, bytes, back, sizeof(back)) == (ptrdiff_t)taken);
        demand(memcmp(back, text, taken) == 0);
        text += taken;
        length -= taken;
    }
    free(payload);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    if (data[0] % 2 == 0) {
        decode(data + 1, size - 1);
    } else {
        encode((const char *)data + 1, size - 1, CODEC_CAPACITY_MIN + data[0] / 2 * 8u);
    }
    return 0;
}
