/* SPDX-License-Identifier: BSD-2-Clause */
/* What the codecs take for data of known distributions, against its entropy: what a change of the
 * models costs shows here. The figures are printed. */
#include <math.h>

#include "kernel/link/series_codec.h"
#include "kernel/link/tests/packet_maker.h"
#include "kernel/link/text_codec.h"
#include "kernel/link/trace_codec.h"
#include "tools/tests/support/unit.h"

#define SAMPLES 10000
#define PAYLOAD 1024

static uint64_t random_state = 88172645463325252u;
static int64_t samples[SAMPLES];

/* In (0, 1). */
static double uniform(void)
{
    return ((double)(unit_random(&random_state) >> 11) + 0.5) / 9007199254740992.0;
}

/* Bits a sample, payloads alone. */
static double bits_a_sample(void)
{
    static struct series_codec codec;
    static uint8_t payload[PAYLOAD];
    const struct series_source list[] = {{1, SAMPLES, samples}};
    struct series_place place = {0, 0};
    size_t sum = 0;
    size_t bytes;

    while ((bytes = series_encode(&codec, list, 1, &place, payload, PAYLOAD)) > 0) {
        sum += bytes;
    }
    return 8.0 * (double)sum / SAMPLES;
}

/* At most `bound` of the entropy, and not less than it can be. */
static void check_bits(const char *name, double entropy, double bound)
{
    const double bits = bits_a_sample();

    printf("%s: %.3f bits a sample, entropy %.3f: %+.1f %%\n", name, bits, entropy,
           100 * (bits / entropy - 1));
    CHECK(bits <= entropy * bound);
    CHECK(bits >= entropy * 0.97);
}

/* Entropy of a rounded normal distribution: log2(deviation * sqrt(2 pi e)), where the deviation is
 * not small (Cover and Thomas, Elements of Information Theory, 8.3). */
static void check_gaussian(double deviation)
{
    char name[40];

    for (size_t i = 0; i < SAMPLES; i++) {
        const double radius = sqrt(-2 * log(uniform()));

        samples[i] = 100000 + lround(deviation * radius * cos(2 * M_PI * uniform()));
    }
    snprintf(name, sizeof(name), "gaussian, deviation %.0f", deviation);
    check_bits(name, log2(deviation * sqrt(2 * M_PI * exp(1))), 1.09);
}

static void test_gaussian(void)
{
    check_gaussian(8);
    check_gaussian(50);
    check_gaussian(3000);
}

/* A loop that takes one of three times, and one of 64 others where a tick falls into it. */
static void test_idle_loop(void)
{
    static const double shares[] = {0.7, 0.2, 0.1};
    const double tick = 0.02;
    double entropy = -tick * log2(tick / 64) - (1 - tick) * log2(1 - tick);

    for (size_t i = 0; i < 3; i++) {
        entropy -= (1 - tick) * shares[i] * log2(shares[i]);
    }
    for (size_t i = 0; i < SAMPLES; i++) {
        const double which = uniform();
        const int64_t loop = which < shares[0] ? 1000 : which < shares[0] + shares[1] ? 1001 : 999;

        samples[i] = uniform() < tick ? 1500 + (int64_t)(64 * uniform()) : loop;
    }
    check_bits("idle loop with ticks", entropy, 1.25);
}

static void test_uniform(void)
{
    for (size_t i = 0; i < SAMPLES; i++) {
        samples[i] = (int64_t)(unit_random(&random_state) % 32768);
    }
    check_bits("uniform, 15 bits", 15, 1.06);
    for (size_t i = 0; i < SAMPLES; i++) {
        samples[i] = (int64_t)unit_random(&random_state);
    }
    check_bits("uniform, 64 bits", 64, 1.03);
}

/* What has no entropy: constants, steps and turns. */
static void test_certain(void)
{
    double bits;

    for (unsigned kind = 0; kind < 3; kind++) {
        for (size_t i = 0; i < SAMPLES; i++) {
            samples[i] = kind == 0 ? 7 : kind == 1 ? (int64_t)i * 64 : (int64_t)(i % 5 * i % 5);
        }
        bits = bits_a_sample();
        printf("certain series %u: %.4f bits a sample\n", kind, bits);
        CHECK(bits < 0.05);
    }
}

/* A tick with its records, over and over: a record takes a hundredth of its 6 to 13 bytes. */
static void test_certain_trace(void)
{
    static struct packet_maker maker;
    static struct trace_codec codec;
    static uint8_t payload[PAYLOAD];
    static const unsigned ids[] = {5, 10, 11, 6, 2};
    uint32_t at = sizeof(struct trace_packet);
    uint64_t stamp = 1000000000000;
    unsigned i = 0;

    packet_maker_begin(&maker, stamp);
    do {
        const uint64_t deadline = stamp - 40 * 64;
        const uint64_t values[5] = {ids[i % 5] == 10 ? deadline : i % 5, 3, 33, 0, 0};

        stamp += i % 5 == 0 ? 64000000 : 64 * (20 + i % 5);
        i++;
        if (!packet_maker_add(&maker, ids[(i - 1) % 5], stamp, values)) {
            break;
        }
    } while (true);
    packet_maker_end(&maker, stamp);
    size_t bytes = 0;

    while (at < maker.used) {
        bytes += trace_encode(&codec, maker.bytes, 0, &at, payload, PAYLOAD);
    }
    printf("certain trace: %u records in %zu bytes\n", maker.records, bytes);
    CHECK(bytes < 200);
}

/* Records as the image writes them. */
static void test_text(void)
{
    static struct text_codec codec;
    static uint8_t payload[PAYLOAD];
    static char text[TEXT_CODEC_RAW_MAX];
    size_t length = 0;
    size_t taken;

    for (unsigned i = 0; length < TEXT_CODEC_RAW_MAX - 100; i++) {
        length += (size_t)snprintf(text + length, 100,
                                   "fact bench=load name=value_%u value=%u unit=tick\n", i % 7,
                                   (unsigned)(unit_random(&random_state) % 100000));
    }
    const size_t bytes = text_encode(&codec, text, length, payload, PAYLOAD, &taken);

    printf("records: %zu bytes of %zu\n", bytes, taken);
    CHECK_EQUAL(taken, length);
    CHECK(bytes * 5 < taken);
}

int main(void)
{
    RUN(test_gaussian());
    RUN(test_idle_loop());
    RUN(test_uniform());
    RUN(test_certain());
    RUN(test_certain_trace());
    RUN(test_text());
    return unit_finish("unit_codec_entropy");
}
