/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: samples. An even first byte: the rest is a payload, which decodes within bounds or not
 * at all. An odd one: the rest makes series, which are encoded and must come back; bits 1-7 are the
 * capacity in units of 8 bytes, beyond the least.
 */
#include <string.h>

#include "kernel/link/series_codec.h"
#include "tools/tests/support/demand.h"
#include "tools/tests/support/fuzz_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SERIES_MAX  300
#define SAMPLES_MAX 6000

static struct series_codec codec;
static struct series_part parts[SERIES_CODEC_PARTS_MAX];
static int64_t decoded[SERIES_CODEC_SAMPLES_MAX];
static int64_t samples[SAMPLES_MAX];
static struct series_source list[SERIES_MAX];

static void decode(const uint8_t *data, size_t size)
{
    const ptrdiff_t count = series_decode(&codec, data, size, parts, decoded);
    uint64_t sum = 0;

    demand(count >= -1 && count <= SERIES_CODEC_PARTS_MAX);
    for (ptrdiff_t i = 0; i < count; i++) {
        demand(parts[i].count > 0 && parts[i].first <= UINT32_MAX - parts[i].count);
        sum += parts[i].count;
    }
    demand(sum <= SERIES_CODEC_SAMPLES_MAX);
}

/* Samples of a series: each one from the input, or a step, again and again. */
static uint32_t make_samples(struct bytes *bytes, int64_t *at, uint32_t room)
{
    const uint32_t count = (uint32_t)(take_number(bytes) % (room + 1u));
    const uint8_t kind = take(bytes);
    const uint64_t step = take_number(bytes) << (kind >> 2);
    uint64_t sample = take_number(bytes);

    for (uint32_t i = 0; i < count; i++) {
        if ((kind & 3) == 0 || (kind & 3) > i % 4) {
            sample = kind % 2 == 0 ? take_number(bytes) : sample - take_number(bytes) * step;
        } else {
            sample += step;
        }
        at[i] = (int64_t)sample;
    }
    return count;
}

/* Holds a payload to the samples from *place on, and moves it. */
static void check(ptrdiff_t count, size_t series, struct series_place *place)
{
    const int64_t *sample = decoded;

    demand(count > 0);
    for (ptrdiff_t i = 0; i < count; i++) {
        while (place->series < series && place->sample == list[place->series].count) {
            *place = (struct series_place){place->series + 1, 0};
        }
        demand(place->series < series);
        const struct series_source *source = &list[place->series];

        demand(parts[i].stream == source->stream && parts[i].first == place->sample);
        demand(parts[i].count <= source->count - place->sample);
        demand(memcmp(sample, source->samples + place->sample, parts[i].count * sizeof(*sample)) ==
               0);
        sample += parts[i].count;
        place->sample += parts[i].count;
    }
}

static void encode(struct bytes bytes, size_t capacity)
{
    uint8_t *payload = malloc(capacity);
    struct series_place place = {0, 0};
    struct series_place next = {0, 0};
    uint32_t used = 0;
    size_t series = 0;
    size_t length;

    while (bytes.left > 0 && series < SERIES_MAX) {
        const uint32_t count = make_samples(&bytes, samples + used, SAMPLES_MAX - used);

        list[series++] =
            (struct series_source){(uint16_t)take_number(&bytes), count, samples + used};
        used += count;
    }
    while ((length = series_encode(&codec, list, series, &place, payload, capacity)) > 0) {
        demand(length <= capacity);
        check(series_decode(&codec, payload, length, parts, decoded), series, &next);
    }
    demand(place.series == series);
    while (next.series < series) {
        demand(next.sample == list[next.series].count);
        next = (struct series_place){next.series + 1, 0};
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
        encode((struct bytes){data + 1, size - 1}, CODEC_CAPACITY_MIN + data[0] / 2 * 8u);
    }
    return 0;
}
