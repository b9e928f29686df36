/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/codec/series_codec.h"

#include <stdbool.h>

#define STORED_PART   8u /* bytes before the samples of a part */
#define STORED_SAMPLE 8u

/* Series without samples take no part. False where nothing is left. */
static bool skip_empty(const struct series_source *list, size_t count, struct series_place *place)
{
    while (place->series < count && place->sample >= list[place->series].count) {
        place->series++;
        place->sample = 0;
    }
    return place->series < count;
}

/* Moves *place behind `taken` samples of its series. */
static void advance(const struct series_source *list, size_t count, struct series_place *place,
                    uint32_t taken)
{
    place->sample += taken;
    skip_empty(list, count, place);
}

static size_t encode_stored(const struct series_source *list, size_t count,
                            struct series_place *place, uint8_t *payload, size_t capacity)
{
    size_t at = 1;
    size_t parts = 0;

    payload[0] = CODEC_STORED;
    while (place->series < count && parts < SERIES_CODEC_PARTS_MAX &&
           at + STORED_PART + STORED_SAMPLE <= capacity) {
        const struct series_source *series = &list[place->series];
        const size_t room = (capacity - at - STORED_PART) / STORED_SAMPLE;
        const uint32_t left = series->count - place->sample;
        const uint32_t taken = left < room ? left : (uint32_t)room;

        codec_put(payload + at, series->stream, 2);
        codec_put(payload + at + 2, place->sample, 4);
        codec_put(payload + at + 6, taken, 2);
        at += STORED_PART;
        for (uint32_t i = 0; i < taken; i++) {
            codec_put(payload + at, (uint64_t)series->samples[place->sample + i], 8);
            at += STORED_SAMPLE;
        }
        parts++;
        advance(list, count, place, taken);
    }
    return at;
}

size_t series_encode(struct series_codec *codec, const struct series_source *list, size_t count,
                     struct series_place *place, uint8_t *payload, size_t capacity)
{
    (void)codec;
    if (!skip_empty(list, count, place)) {
        return 0;
    }
    return encode_stored(list, count, place, payload, capacity);
}

static ptrdiff_t decode_stored(const uint8_t *payload, size_t length, struct series_part *parts,
                               int64_t *samples)
{
    size_t at = 1;
    size_t sample = 0;
    ptrdiff_t part = 0;

    while (at < length) {
        if (length - at < STORED_PART || part == SERIES_CODEC_PARTS_MAX) {
            return -1;
        }
        const uint32_t taken = codec_get16(payload + at + 6);

        parts[part] = (struct series_part){.stream = codec_get16(payload + at),
                                           .first = codec_get32(payload + at + 2),
                                           .count = taken};
        at += STORED_PART;
        if (taken == 0 || taken > (length - at) / STORED_SAMPLE ||
            taken > SERIES_CODEC_SAMPLES_MAX - sample || parts[part].first > UINT32_MAX - taken) {
            return -1;
        }
        for (uint32_t i = 0; i < taken; i++) {
            samples[sample++] = (int64_t)codec_get64(payload + at);
            at += STORED_SAMPLE;
        }
        part++;
    }
    return part;
}

ptrdiff_t series_decode(struct series_codec *codec, const uint8_t *payload, size_t length,
                        struct series_part *parts, int64_t *samples)
{
    (void)codec;
    if (length < 1 || payload[0] != CODEC_STORED) {
        return -1;
    }
    return decode_stored(payload, length, parts, samples);
}
