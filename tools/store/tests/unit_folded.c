/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples and packets come back as they were, in any order, and take few bytes; damaged ones do
 * not come back. */
#include "tools/store/folded.h"

#include "kernel/link/coded.h"
#include "kernel/link/frame.h"
#include "kernel/link/tests/packet_maker.h"
#include "kernel/link/trace_codec.h"
#include "kernel/plan/bytes.h"
#include "tools/base/checksum.h"
#include "tools/base/spool.h"
#include "tools/tests/support/unit.h"

#define TAIL    16
#define SAMPLES 3000
#define PACKETS 9

static int64_t samples[SAMPLES];
static uint8_t packets[PACKETS][TRACE_PACKET_BYTES];

static struct trace_bytes *folded_of(const void *raw, size_t length, enum folded_kind kind)
{
    struct trace_bytes *bytes = trace_bytes_memory(raw, length);
    struct spool *spool = spool_create();
    struct trace_bytes *folded = folded_make(bytes, kind, spool);

    trace_bytes_close(bytes);
    spool_release(spool);
    return folded;
}

/* Reads [offset, offset + size) and compares. */
static bool holds(struct trace_bytes *bytes, const uint8_t *raw, uint64_t offset, size_t size)
{
    uint8_t *to = malloc(size + 1);
    const bool same = bytes->read(bytes, offset, to, size) && memcmp(to, raw + offset, size) == 0;

    free(to);
    return same;
}

/* Folds, reads all, then backwards, across blocks and drawn places. Returns the folded bytes. */
static size_t check(const void *raw, size_t length, enum folded_kind kind)
{
    struct trace_bytes *folded = folded_of(raw, length, kind);
    const size_t size = folded->length;
    const uint32_t crc = checksum_crc32c(0, raw, length);
    struct trace_bytes *bytes = folded_open(folded, kind, &crc);
    uint64_t seed = length + 1;
    bool same = true;
    uint8_t byte;

    CHECK(bytes != NULL);
    if (bytes == NULL) {
        return 0;
    }
    CHECK_EQUAL(bytes->length, length);
    CHECK(holds(bytes, raw, 0, length));
    for (size_t at = length / FOLDED_BLOCK; at-- > 0;) {
        same = same && holds(bytes, raw, at * FOLDED_BLOCK, FOLDED_BLOCK);
    }
    for (unsigned i = 0; i < 50 && length > 0; i++) {
        const size_t from = unit_random(&seed) % length;

        same = same && holds(bytes, raw, from, unit_random(&seed) % (length - from + 1));
    }
    CHECK(same);
    CHECK(!bytes->read(bytes, length, &byte, 1) && !bytes->read(bytes, UINT64_MAX, &byte, 1));
    trace_bytes_close(bytes);
    return size;
}

/* ---- samples ---- */

static int64_t usual(size_t i)
{
    return 1000000 + (int64_t)(i % 3) * 16;
}

static size_t check_samples(size_t n)
{
    return check(samples, n * sizeof(*samples), FOLDED_SAMPLES);
}

static void test_lengths(void)
{
    const size_t lengths[] = {0, 1, 2, 1023, 1024, 1025, 2048, SAMPLES};

    for (size_t i = 0; i < SAMPLES; i++) {
        samples[i] = usual(i);
    }
    for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
        check_samples(lengths[i]);
    }
    /* Two bits a sample, once the multiples of 16 are shifted; a head for each of 3 blocks. */
    CHECK_EQUAL(check_samples(SAMPLES), SAMPLES / 4 + 3 * (2 + 10) + TAIL);
}

/* A few samples that are far off do not widen the others. */
static void test_outliers(void)
{
    for (size_t i = 0; i < SAMPLES; i++) {
        samples[i] = i % 100 == 99 ? INT64_MAX - (int64_t)i : usual(i);
    }
    CHECK_EQUAL(check_samples(SAMPLES), SAMPLES / 4 + 3 * (2 + 10) + SAMPLES / 100 * 10 + TAIL);
    samples[0] = INT64_MIN; /* now the others are far off */
    samples[1023] = INT64_MAX;
    check_samples(SAMPLES);
    samples[1] = 1000001; /* no shift */
    check_samples(SAMPLES);
}

static void test_widths(void)
{
    uint64_t seed = 1;

    for (unsigned width = 0; width <= 64; width++) {
        for (size_t i = 0; i < SAMPLES; i++) {
            samples[i] = width > 0 ? (int64_t)(unit_random(&seed) >> (64 - width)) : -7;
        }
        const size_t size = check_samples(1024);

        CHECK(size <= 2 + 10 + 128 * (width <= 56 ? width + 1 : 64) + TAIL);
        for (size_t i = 0; i < SAMPLES; i++) {
            samples[i] = (int64_t) - ((uint64_t)samples[i] << (width % 20));
        }
        check_samples(SAMPLES);
    }
}

/* ---- packets ---- */

/* Fills packets with records, few or many a packet, and checks that their payloads are those of
 * binary frames. */
static void make_packets(uint64_t seed, bool usual_ones)
{
    const unsigned ids[] = {1, 2, 3, 4};
    uint64_t stamp = 1000;

    for (size_t p = 0; p < PACKETS; p++) {
        struct packet_maker maker;
        const size_t most = p % 3 == 2 ? 10 : SIZE_MAX;
        bool fits = true;

        packet_maker_begin(&maker, stamp);
        for (size_t i = 0; fits && i < most; i++) {
            uint64_t values[5];

            for (unsigned v = 0; v < 5; v++) {
                values[v] = usual_ones ? (uint64_t)i % 4 : unit_random(&seed);
            }
            const unsigned id = usual_ones ? ids[i % 4] : (unsigned)(unit_random(&seed) % 60);

            stamp += usual_ones ? 640 : unit_random(&seed) % 1000000000;
            fits = !packet_maker_events[id].known || packet_maker_add(&maker, id, stamp, values);
        }
        packet_maker_end(&maker, stamp);
        memcpy(packets[p], maker.bytes, sizeof(maker.bytes));
    }
}

/* Bytes of a packet as binary frames carry it: payloads with their lengths. */
static size_t wire_bytes(const uint8_t *packet, uint32_t index, uint8_t *out)
{
    static struct trace_codec codec;
    uint32_t at = sizeof(struct trace_packet);
    size_t used = 0;

    do {
        const size_t size = trace_encode(&codec, packet, index, &at, out + used + 2,
                                         FRAME_PAYLOAD_MAX - CODED_TAG_BYTES);

        bytes_put(out + used, size, 2);
        used += 2 + size;
    } while (at < trace_codec_content(packet));
    return used;
}

static void test_packets(void)
{
    uint8_t out[2 * TRACE_PACKET_BYTES];
    uint8_t folded[2 * TRACE_PACKET_BYTES];

    for (size_t n = 1; n <= PACKETS; n++) {
        make_packets(n, true);
        const size_t size = check(packets, n * TRACE_PACKET_BYTES, FOLDED_PACKETS);

        CHECK(size < n * 600 + TAIL);
        make_packets(n, false);
        check(packets, n * TRACE_PACKET_BYTES, FOLDED_PACKETS);
    }
    make_packets(1, true);
    struct trace_bytes *bytes = folded_of(packets[0], TRACE_PACKET_BYTES, FOLDED_PACKETS);
    const size_t wire = wire_bytes(packets[0], 0, out);

    CHECK_EQUAL(bytes->length, 2 + wire + TAIL);
    CHECK(bytes->read(bytes, 0, folded, bytes->length) && memcmp(folded + 2, out, wire) == 0);
    trace_bytes_close(bytes);
}

/* Garbage, a content that no packet has, and bytes after the content. */
static void test_odd_packets(void)
{
    uint64_t seed = 5;

    for (size_t i = 0; i < sizeof(packets); i++) {
        packets[i / TRACE_PACKET_BYTES][i % TRACE_PACKET_BYTES] = (uint8_t)unit_random(&seed);
    }
    check(packets, sizeof(packets), FOLDED_PACKETS);
    make_packets(1, true);
    packets[2][TRACE_PACKET_BYTES - 1] = 1;
    bytes_put64(packets[5] + offsetof(struct trace_packet, content_bits), 7);
    bytes_put64(packets[8] + offsetof(struct trace_packet, content_bits), UINT64_MAX);
    check(packets, sizeof(packets), FOLDED_PACKETS);
    memset(packets, 0, sizeof(packets));
    check(packets, sizeof(packets), FOLDED_PACKETS);
}

/* ---- damage ---- */

/* Opens bytes whose CRC is made right again if asked, and reads all. */
static bool opens(uint8_t *folded, size_t size, enum folded_kind kind, bool mend)
{
    const uint32_t raw_crc = size >= TAIL ? bytes_get32(folded + size - 8) : 0;
    uint8_t byte[FOLDED_BLOCK];

    if (mend) {
        bytes_put32(folded + size - 4, checksum_crc32c(0, folded, size - 4));
    }
    struct trace_bytes *bytes = folded_open(trace_bytes_memory(folded, size), kind, &raw_crc);
    bool ok = bytes != NULL;

    for (uint64_t at = 0; ok && at < bytes->length; at += FOLDED_BLOCK) {
        const uint64_t left = bytes->length - at;

        ok = bytes->read(bytes, at, byte, left < FOLDED_BLOCK ? left : FOLDED_BLOCK);
    }
    trace_bytes_close(bytes);
    return ok;
}

static void damage(const void *raw, size_t length, enum folded_kind kind)
{
    struct trace_bytes *bytes = folded_of(raw, length, kind);
    const size_t size = bytes->length;
    uint8_t *whole = malloc(size + 1);
    uint8_t *copy = malloc(size + 1);
    size_t taken = 0;

    CHECK(bytes->read(bytes, 0, whole, size));
    whole[size] = 0;
    for (size_t i = 0; i < size; i++) {
        memcpy(copy, whole, size + 1);
        copy[i] ^= (uint8_t)(1u << i % 8);
        taken += opens(copy, size, kind, false);
        opens(copy, size, kind, true); /* may hold anything, but stays within bounds */
        memcpy(copy, whole, size + 1);
        taken += opens(copy, i, kind, false);
    }
    taken += opens(copy, size + 1, kind, false);
    CHECK_EQUAL(taken, 0);
    memcpy(copy, whole, size);
    CHECK(opens(copy, size, kind, true));
    /* Claims: more raw bytes than there are blocks, and far more. */
    bytes_put64(copy + size - TAIL, length + FOLDED_BLOCK);
    CHECK(!opens(copy, size, kind, true));
    bytes_put64(copy + size - TAIL, UINT64_MAX / FOLDED_BLOCK * FOLDED_BLOCK);
    CHECK(!opens(copy, size, kind, true));
    bytes_put64(copy + size - TAIL, length - FOLDED_BLOCK);
    CHECK(!opens(copy, size, kind, true));
    bytes_put64(copy + size - TAIL, length - 1);
    CHECK(!opens(copy, size, kind, true));
    free(copy);
    free(whole);
    trace_bytes_close(bytes);
}

static void test_damage(void)
{
    const uint32_t other = 1;

    for (size_t i = 0; i < SAMPLES; i++) {
        samples[i] = i % 100 == 99 ? 61009020 : usual(i);
    }
    damage(samples, sizeof(samples), FOLDED_SAMPLES);
    make_packets(3, true);
    damage(packets, (size_t)3 * TRACE_PACKET_BYTES, FOLDED_PACKETS);
    CHECK(folded_open(folded_of(samples, 80, FOLDED_SAMPLES), FOLDED_SAMPLES, &other) == NULL);
}

/* Each field of a block of samples out of its range. */
static void test_fields(void)
{
    uint8_t one[2 + 10 + 10 + TAIL] = {20, 0, 1, 63};
    uint8_t *tail = one + 2 + 10 + 10;

    /* One byte holds 8 samples of a bit; 9 bytes are no patch, 10 are one. */
    bytes_put64(tail, 64);
    CHECK(!opens(one, sizeof(one), FOLDED_SAMPLES, true));
    one[2] = 0;
    CHECK(opens(one, sizeof(one), FOLDED_SAMPLES, true));
    one[3] = 64; /* shift */
    CHECK(!opens(one, sizeof(one), FOLDED_SAMPLES, true));
    one[3] = 63;
    one[2 + 10] = 7; /* place of the patch */
    CHECK(opens(one, sizeof(one), FOLDED_SAMPLES, true));
    one[2 + 10] = 8;
    CHECK(!opens(one, sizeof(one), FOLDED_SAMPLES, true));
    one[2 + 10] = 0;
    one[2] = 57; /* width */
    CHECK(!opens(one, sizeof(one), FOLDED_SAMPLES, true));
}

int main(void)
{
    RUN(test_lengths());
    RUN(test_outliers());
    RUN(test_widths());
    RUN(test_packets());
    RUN(test_odd_packets());
    RUN(test_damage());
    RUN(test_fields());
    return unit_finish("unit_folded");
}
