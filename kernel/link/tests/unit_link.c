/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32C, COBS, base 64, frames, and the frame reader. */
#include <stdbool.h>
#include <stdlib.h>

#include "kernel/link/coded.h"
#include "kernel/link/encoding.h"
#include "kernel/link/frame.h"
#include "kernel/link/series_codec.h"
#include "tools/tests/support/unit.h"

static void fill(uint8_t *bytes, size_t length, uint64_t *seed, unsigned zeros_in_16)
{
    for (size_t i = 0; i < length; i++) {
        const uint64_t r = unit_random(seed);

        bytes[i] = (r >> 32) % 16 < zeros_in_16 ? 0 : (uint8_t)r;
    }
}

static void test_crc(void)
{
    uint8_t zeros[32] = {0};
    uint8_t ones[32];
    uint8_t rising[32];

    memset(ones, 0xff, sizeof(ones));
    for (size_t i = 0; i < sizeof(rising); i++) {
        rising[i] = (uint8_t)i;
    }
    /* RFC 3720 appendix B.4, and the check value of the polynomial. */
    CHECK_EQUAL(crc32c(0, "123456789", 9), 0xe3069283u);
    CHECK_EQUAL(crc32c(0, zeros, sizeof(zeros)), 0x8a9136aau);
    CHECK_EQUAL(crc32c(0, ones, sizeof(ones)), 0x62a8ab43u);
    CHECK_EQUAL(crc32c(0, rising, sizeof(rising)), 0x46dd794eu);
    CHECK_EQUAL(crc32c(0, "", 0), 0);
    for (size_t cut = 0; cut <= 9; cut++) {
        CHECK_EQUAL(crc32c(crc32c(0, "123456789", cut), &"123456789"[cut], 9 - cut), 0xe3069283u);
    }
}

static void test_cobs(void)
{
    static uint8_t in[2048];
    static uint8_t code[COBS_ENCODED_MAX(sizeof(in))];
    static uint8_t out[sizeof(code)];
    uint64_t seed = 1;

    for (unsigned round = 0; round < 2000; round++) {
        const size_t length = round < 600 ? round : unit_random(&seed) % sizeof(in);

        fill(in, length, &seed, round % 17);
        const size_t coded = cobs_encode(in, length, code);

        CHECK(coded <= COBS_ENCODED_MAX(length));
        CHECK(memchr(code, 0, coded) == NULL);
        CHECK_EQUAL(cobs_decode(code, coded, out), length);
        CHECK(memcmp(in, out, length) == 0);
        CHECK_EQUAL(cobs_decode(code, coded, code), length); /* in place */
        CHECK(memcmp(in, code, length) == 0);
    }
    CHECK_EQUAL(cobs_decode((const uint8_t *)"\x03\x01", 2, out), -1);
    CHECK_EQUAL(cobs_decode((const uint8_t *)"\x02\x00", 2, out), -1);
    CHECK_EQUAL(cobs_decode((const uint8_t *)"\x00", 1, out), -1);
    CHECK_EQUAL(cobs_decode((const uint8_t *)"\x01", 1, out), 0);
}

static void check_base64(const char *plain, const char *code)
{
    char text[64];
    uint8_t bytes[64];
    const size_t length = base64_encode((const uint8_t *)plain, strlen(plain), text);

    text[length] = '\0';
    CHECK_TEXT(text, code);
    CHECK_EQUAL(base64_decode(code, strlen(code), bytes), strlen(plain));
    CHECK(memcmp(bytes, plain, strlen(plain)) == 0);
}

static void test_base64(void)
{
    static const char *const bad[] = {"A",    "AB",   "ABC",      "AB=C",  "=ABC", "A===",
                                      "====", "AB C", "AB==CDEF", "AB\nC", "AB-_", "AB=\xff"};
    uint8_t in[300];
    uint8_t out[300];
    char text[BASE64_ENCODED(sizeof(in))];
    uint64_t seed = 2;

    /* RFC 4648 section 10. */
    check_base64("", "");
    check_base64("f", "Zg==");
    check_base64("fo", "Zm8=");
    check_base64("foo", "Zm9v");
    check_base64("foob", "Zm9vYg==");
    check_base64("fooba", "Zm9vYmE=");
    check_base64("foobar", "Zm9vYmFy");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK_EQUAL(base64_decode(bad[i], strlen(bad[i]), out), -1);
    }
    for (size_t length = 0; length < sizeof(in); length++) {
        fill(in, length, &seed, 1);
        const size_t coded = base64_encode(in, length, text);

        CHECK_EQUAL(coded, BASE64_ENCODED(length));
        CHECK_EQUAL(base64_decode(text, coded, out), length);
        CHECK(memcmp(in, out, length) == 0);
    }
}

static struct frame random_frame(uint64_t *seed, size_t length)
{
    struct frame frame = {
        .type = (uint8_t)(FRAME_META + unit_random(seed) % 3),
        .stream = (uint16_t)(unit_random(seed) >> unit_random(seed) % 64),
        .seq = (uint32_t)(unit_random(seed) >> unit_random(seed) % 64),
        .length = (uint16_t)length,
    };

    fill(frame.payload, length, seed, (unsigned)(unit_random(seed) % 8));
    return frame;
}

static bool frames_equal(const struct frame *a, const struct frame *b)
{
    return a->type == b->type && a->stream == b->stream && a->seq == b->seq &&
           a->length == b->length && memcmp(a->payload, b->payload, a->length) == 0;
}

/* What comes out of the reader for some bytes: the number of frames, the last of them, and the
 * number of other bytes. */
struct read {
    size_t frames;
    struct frame frame;
    size_t other;
};

static struct read read_bytes(const uint8_t *bytes, size_t length)
{
    static struct frame_reader reader;
    struct read read = {0};
    struct frame frame;

    frame_reader_init(&reader);
    for (size_t i = 0; i < length; i++) {
        const enum frame_reader_event event = frame_reader_push(&reader, bytes[i], &frame);

        if (event == FRAME_READER_FRAME) {
            read.frames++;
            read.frame = frame;
        } else if (event == FRAME_READER_OTHER) {
            read.other += reader.other;
        }
    }
    if (frame_reader_finish(&reader) == FRAME_READER_OTHER) {
        read.other += reader.other;
    }
    return read;
}

static void test_frame_round_trip(enum frame_format format)
{
    static uint8_t wire[FRAME_WIRE_MAX];
    uint64_t seed = 3;

    for (size_t length = 0; length <= FRAME_PAYLOAD_MAX; length++) {
        const struct frame frame = random_frame(&seed, length);
        const size_t size = frame_encode(&frame, format, wire);
        const struct read read = read_bytes(wire, size);

        CHECK(size <= FRAME_WIRE_MAX);
        CHECK_EQUAL(read.frames, 1);
        CHECK(frames_equal(&read.frame, &frame));
        CHECK_EQUAL(read.other, 0);
    }
}

/* A truncated frame is none; what follows it is still read. */
static void test_frame_truncated(enum frame_format format)
{
    static uint8_t wire[3 * FRAME_WIRE_MAX];
    static uint8_t next_wire[FRAME_WIRE_MAX];
    uint64_t seed = 4;
    const size_t delimiter = format == FRAME_BINARY ? 1 : 2;

    for (size_t length = 0; length <= 200; length += 25) {
        const struct frame frame = random_frame(&seed, length);
        const struct frame next = random_frame(&seed, 30);
        const size_t size = frame_encode(&frame, format, wire);
        const size_t next_size = frame_encode(&next, format, next_wire);

        for (size_t cut = 0; cut + delimiter < size; cut++) {
            CHECK_EQUAL(read_bytes(wire, cut).frames, 0);
        }
        for (size_t cut = 0; cut + delimiter < size; cut++) {
            memcpy(wire + cut, next_wire, next_size);
            const struct read read = read_bytes(wire, cut + next_size);

            CHECK_EQUAL(read.frames, 1);
            CHECK(frames_equal(&read.frame, &next));
            frame_encode(&frame, format, wire);
        }
    }
}

/* Every single-bit flip is rejected, or leaves the frame as it was. */
static void test_frame_flipped(enum frame_format format)
{
    static uint8_t wire[FRAME_WIRE_MAX];
    uint64_t seed = 5;

    for (size_t length = 0; length <= 256; length += 32) {
        const struct frame frame = random_frame(&seed, length);
        const size_t size = frame_encode(&frame, format, wire);

        for (size_t bit = 0; bit < size * 8; bit++) {
            wire[bit / 8] ^= (uint8_t)(1u << bit % 8);
            const struct read read = read_bytes(wire, size);

            CHECK(read.frames == 0 || (read.frames == 1 && frames_equal(&read.frame, &frame)));
            wire[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
    }
}

static void test_frame_claims(void)
{
    static struct frame frame = {.type = FRAME_REQUEST, .stream = 1, .length = 4};
    uint8_t raw[FRAME_RAW_MAX];
    uint8_t coded[FRAME_COBS_MAX + 8] = {0};
    uint8_t wire[FRAME_WIRE_MAX];
    struct frame decoded;
    const size_t size = frame_encode(&frame, FRAME_BINARY, wire);
    const ptrdiff_t raw_size = cobs_decode(wire + 1, size - 2, raw);

    CHECK_EQUAL(raw_size, FRAME_HEADER_SIZE + 4 + FRAME_CRC_SIZE);
    /* Whole and with a right CRC, but of another version, or of a length that is not its own. */
    for (size_t at = 1; at < FRAME_HEADER_SIZE; at += 7) {
        uint8_t other[FRAME_RAW_MAX];

        memcpy(other, raw, (size_t)raw_size);
        other[at]++;
        const uint32_t crc = crc32c(0, other, (size_t)raw_size - FRAME_CRC_SIZE);

        for (size_t i = 0; i < FRAME_CRC_SIZE; i++) {
            other[(size_t)raw_size - FRAME_CRC_SIZE + i] = (uint8_t)(crc >> (8 * i));
        }
        const size_t length = cobs_encode(other, (size_t)raw_size, coded);

        CHECK(!frame_decode_binary(coded, length, &decoded));
    }
    memset(coded, 1, sizeof(coded));
    CHECK(!frame_decode_binary(coded, sizeof(coded), &decoded));
    CHECK(!frame_decode_binary(coded, 0, &decoded));
    CHECK(!frame_decode_text("", 0, &decoded));
}

/* Does a header of `size` bytes, with a right CRC and 2 bytes behind it, make a frame? */
static bool is_header(const uint8_t *header, size_t size, struct frame *frame)
{
    uint8_t raw[16 + FRAME_CRC_SIZE] = {0};
    uint8_t coded[64];

    memcpy(raw, header, size);
    size += 2;
    const uint32_t crc = crc32c(0, raw, size);

    for (size_t i = 0; i < FRAME_CRC_SIZE; i++) {
        raw[size + i] = (uint8_t)(crc >> (8 * i));
    }
    return frame_decode_binary(coded, cobs_encode(raw, size + FRAME_CRC_SIZE, coded), frame);
}

/* Of coded frames stream and seq take as many bytes as they need, and no more. */
static void test_coded_headers(void)
{
    static const struct {
        uint8_t bytes[12];
        size_t size;
        bool ok;
        uint16_t stream;
        uint32_t seq;
    } cases[] = {
        {{FRAME_META, 0, 0}, 3, true, 0, 0},
        {{FRAME_TRACE, 127, 1}, 3, true, 127, 1},
        {{FRAME_TRACE, 128, 1, 2}, 4, true, 128, 2},
        {{FRAME_SERIES, 255, 255, 3, 255, 255, 255, 255, 15}, 9, true, 65535, UINT32_MAX},
        {{FRAME_SERIES, 128, 128, 4, 0}, 5, false, 0, 0},
        {{FRAME_META, 0, 255, 255, 255, 255, 31}, 7, false, 0, 0},
        {{FRAME_META, 0, 255, 255, 255, 255, 143, 0}, 8, false, 0, 0},
        {{FRAME_META, 128, 0, 0}, 4, false, 0, 0},
        {{FRAME_META, 0, 129, 0}, 4, false, 0, 0},
    };
    struct frame frame;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        CHECK_EQUAL(is_header(cases[i].bytes, cases[i].size, &frame), cases[i].ok);
        if (cases[i].ok) {
            CHECK_EQUAL(frame.type, cases[i].bytes[0]);
            CHECK_EQUAL(frame.stream, cases[i].stream);
            CHECK_EQUAL(frame.seq, cases[i].seq);
            CHECK_EQUAL(frame.length, 2);
        }
    }
}

/* Text comes out by lines as it went in, and never swallows a frame. */
static void test_reader_text(void)
{
    static uint8_t bytes[8192];
    uint64_t seed = 6;

    for (unsigned round = 0; round < 500; round++) {
        const enum frame_format format = round % 2 == 0 ? FRAME_BINARY : FRAME_TEXT;
        const struct frame frame = random_frame(&seed, unit_random(&seed) % 200);
        size_t length = (size_t)sprintf((char *)bytes, "BdsDxe: starting\r\n\033[2Jtare\r\n");
        const size_t text = length;

        length += frame_encode(&frame, format, bytes + length);
        memcpy(bytes + length, "bye\r\n", 5);
        const struct read read = read_bytes(bytes, length + 5);

        CHECK_EQUAL(read.frames, 1);
        CHECK(frames_equal(&read.frame, &frame));
        CHECK_EQUAL(read.other, text + 5);
    }
}

/* Text of any length without a line end, or with what makes it none, takes no frame with it. */
static void test_reader_long_lines(void)
{
    static uint8_t bytes[4 * FRAME_WIRE_MAX];
    uint64_t seed = 8;

    for (size_t text = 0; text < 2 * FRAME_WIRE_MAX; text++) {
        const struct frame frame = random_frame(&seed, text % (FRAME_PAYLOAD_MAX + 1));

        memset(bytes, text % 3 == 0 ? '[' : 'x', text);
        if (text % 3 == 1) {
            bytes[text / 2] = 0x0e;
            bytes[text - 1] = '\n';
        }
        const size_t size = frame_encode(&frame, FRAME_TEXT, bytes + text);
        const struct read read = read_bytes(bytes, text + size);

        CHECK_EQUAL(read.frames, 1);
        CHECK(frames_equal(&read.frame, &frame));
    }
}

static void test_reader_noise(void)
{
    static uint8_t bytes[6000];
    uint64_t seed = 7;

    for (unsigned round = 0; round < 200; round++) {
        fill(bytes, sizeof(bytes), &seed, round % 2);
        const struct read read = read_bytes(bytes, sizeof(bytes));

        CHECK_EQUAL(read.frames, 0);
        CHECK(read.other <= sizeof(bytes));
    }
    memset(bytes, 'x', sizeof(bytes)); /* a line longer than any frame */
    CHECK_EQUAL(read_bytes(bytes, sizeof(bytes)).other, sizeof(bytes));
}

/* A minute of 1 ms samples on a machine of 2.5 GHz with jitter of +-50 ticks and a clock interrupt
 * of some 10,000 ticks every tenth sample: whole frames, as they travel. */
static void test_cost_of_noise(void)
{
    static int64_t samples[60000];
    const size_t count = sizeof(samples) / sizeof(samples[0]);
    static struct series_codec codec;
    static struct frame frame = {.type = FRAME_SERIES, .stream = 1};
    const struct series_source source = {2, (uint32_t)count, samples};
    struct series_place place = {0};
    uint8_t wire[FRAME_WIRE_MAX];
    uint64_t seed = 60;
    size_t bytes = 0;

    for (size_t i = 0; i < count; i++) {
        samples[i] = 2500000 + (int64_t)(unit_random(&seed) % 101) - 50;
        samples[i] += i % 10 == 9 ? 10000 + (int64_t)(unit_random(&seed) % 500) : 0;
    }
    for (; place.series == 0; frame.seq++) {
        frame.length =
            (uint16_t)(CODED_TAG_BYTES + series_encode(&codec, &source, 1, &place,
                                                       frame.payload + CODED_TAG_BYTES,
                                                       FRAME_PAYLOAD_MAX - CODED_TAG_BYTES));
        bytes += frame_encode(&frame, FRAME_BINARY, wire);
    }
    CHECK(bytes * 10 <= count * 11); /* 1.1 a sample */
    printf("noisy trace: %zu bytes for %zu samples\n", bytes, count);
}

int main(void)
{
    RUN(test_crc());
    RUN(test_cobs());
    RUN(test_base64());
    RUN(test_frame_round_trip(FRAME_BINARY));
    RUN(test_frame_round_trip(FRAME_TEXT));
    RUN(test_frame_truncated(FRAME_BINARY));
    RUN(test_frame_truncated(FRAME_TEXT));
    RUN(test_frame_flipped(FRAME_BINARY));
    RUN(test_frame_flipped(FRAME_TEXT));
    RUN(test_frame_claims());
    RUN(test_coded_headers());
    RUN(test_reader_text());
    RUN(test_reader_long_lines());
    RUN(test_reader_noise());
    RUN(test_cost_of_noise());
    return unit_finish("unit_link");
}
