/* SPDX-License-Identifier: BSD-2-Clause */
/* Codecs of the line: what is encoded is decoded, whatever it is and whatever the capacity. */
#include "kernel/codec/series_codec.h"
#include "kernel/codec/text_codec.h"
#include "kernel/codec/trace_codec.h"
#include "tools/tests/support/unit.h"

static const size_t capacities[] = {CODEC_CAPACITY_MIN, 256, 1024};

#define CAPACITIES (sizeof(capacities) / sizeof(*capacities))

static struct text_codec text_codec;
static struct series_codec series_codec;
static struct trace_codec trace_codec;
static uint8_t payload[1024];

static void check_text(const char *text, size_t length, size_t capacity)
{
    static char back[TEXT_CODEC_RAW_MAX];

    for (size_t at = 0; at < length;) {
        size_t taken;
        const size_t bytes =
            text_encode(&text_codec, text + at, length - at, payload, capacity, &taken);

        CHECK(taken > 0 && bytes > 0 && bytes <= capacity);
        if (taken == 0) {
            return;
        }
        CHECK_EQUAL(text_decode(&text_codec, payload, bytes, back, taken), taken);
        CHECK(memcmp(text + at, back, taken) == 0);
        CHECK_EQUAL(text_decode(&text_codec, payload, bytes, back, taken - 1), -1);
        at += taken;
    }
}

static void test_text(void)
{
    static const char lines[] = "tare version=0.1.0 format=1\nplan source=fw_cfg text=\"\"\n\n"
                                "machine name=cpu_vendor value=AuthenticAMD\nno end";

    for (size_t i = 0; i < CAPACITIES; i++) {
        check_text(lines, sizeof(lines) - 1, capacities[i]);
        check_text("\n", 1, capacities[i]);
    }
    CHECK_EQUAL(text_decode(&text_codec, payload, 0, NULL, 0), -1);
}

static void check_series(const struct series_source *list, size_t count, size_t capacity)
{
    static struct series_part parts[SERIES_CODEC_PARTS_MAX];
    static int64_t samples[SERIES_CODEC_SAMPLES_MAX];
    struct series_place place = {0, 0};
    struct series_place next = {0, 0};
    size_t bytes;

    while ((bytes = series_encode(&series_codec, list, count, &place, payload, capacity)) > 0) {
        const ptrdiff_t found = series_decode(&series_codec, payload, bytes, parts, samples);
        const int64_t *sample = samples;

        CHECK(bytes <= capacity && found > 0);
        for (ptrdiff_t i = 0; i < found; i++) {
            while (next.sample == list[next.series].count) {
                next = (struct series_place){next.series + 1, 0};
            }
            const struct series_source *series = &list[next.series];

            CHECK_EQUAL(parts[i].stream, series->stream);
            CHECK_EQUAL(parts[i].first, next.sample);
            CHECK(parts[i].count > 0 && parts[i].count <= series->count - next.sample);
            CHECK(memcmp(sample, series->samples + next.sample, parts[i].count * sizeof(*sample)) ==
                  0);
            sample += parts[i].count;
            next.sample += parts[i].count;
        }
    }
    CHECK_EQUAL(place.series, count);
    while (next.series < count && next.sample == list[next.series].count) {
        next = (struct series_place){next.series + 1, 0};
    }
    CHECK_EQUAL(next.series, count);
}

static void test_series(void)
{
    static const int64_t extremes[] = {INT64_MIN, INT64_MAX, 0, -1, 1, INT64_MIN, INT64_MIN};
    static int64_t many[5000];
    const struct series_source list[] = {
        {1, 0, NULL}, {2, 7, extremes}, {3, 0, NULL}, {65535, 5000, many}, {4, 0, NULL}};

    for (size_t i = 0; i < sizeof(many) / sizeof(*many); i++) {
        many[i] = (int64_t)i * 1000;
    }
    for (size_t i = 0; i < CAPACITIES; i++) {
        check_series(list, 5, capacities[i]);
        check_series(list, 1, capacities[i]);
        check_series(list, 0, capacities[i]);
    }
}

static void check_trace(const uint8_t *packet, uint32_t index, size_t capacity)
{
    static uint8_t back[TRACE_PACKET_BYTES];
    const uint32_t content = trace_codec_content(packet);
    uint32_t at = sizeof(struct trace_packet);
    struct trace_piece piece;

    memset(back, 0, sizeof(back));
    do {
        const uint32_t from = at;
        const size_t bytes = trace_encode(&trace_codec, packet, index, &at, payload, capacity);

        CHECK(bytes > 0 && bytes <= capacity && (at > from || at == content));
        CHECK(trace_decode(&trace_codec, payload, bytes, back, &piece));
        CHECK(piece.index == index && piece.from == from && piece.to == at);
        CHECK_EQUAL(piece.last, at == content);
        if (at == from) {
            break;
        }
    } while (at < content);
    CHECK(memcmp(packet, back, content) == 0);
}

static void test_trace(void)
{
    static uint8_t packet[TRACE_PACKET_BYTES];
    struct trace_packet head = {.magic = TRACE_PACKET_MAGIC, .uuid = TRACE_UUID};
    uint64_t random = 1;

    for (size_t i = 0; i < sizeof(packet); i++) {
        packet[i] = (uint8_t)unit_random(&random);
    }
    for (size_t i = 0; i < CAPACITIES; i++) {
        for (uint64_t bits = 0; bits <= UINT64_C(8) * TRACE_PACKET_BYTES + 800; bits += 808) {
            head.content_bits = bits;
            memcpy(packet, &head, sizeof(head));
            check_trace(packet, UINT32_MAX, capacities[i]);
        }
    }
}

int main(void)
{
    RUN(test_text());
    RUN(test_series());
    RUN(test_trace());
    return unit_finish("unit_codec");
}
