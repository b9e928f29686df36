/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pairs of logs of different machines, plans and boots, put together in every way that captures and
 * files can be, and logs with one digit changed in a frame whose CRC is right: no run that is valid
 * is of two, and no run that is whole is lost.
 *
 *     SEAL_PAIRS=N     how many pairs (default 500)
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/coded.h"
#include "kernel/link/names.h"
#include "kernel/link/seal.h"
#include "kernel/link/text_codec.h"
#include "tools/base/sha256.h"
#include "tools/tests/support/log_builder.h"
#include "tools/tests/support/unit.h"
#include "tools/wire/decoder.h"

#define PAIRS   1000
#define BENCHES 4
#define SAMPLES 40
#define FACTS   3

/* What tells the runs apart. */
struct boot {
    uint64_t machine, plan, boot;
    char id[17];
    struct log_builder log;
};

static struct {
    uint64_t pairs, valid, chimeras, lost;
    uint64_t changed; /* logs with a changed digit */
} counts;

static int64_t fact_of(const struct boot *boot, unsigned bench, unsigned fact)
{
    return (int64_t)(1000 + boot->machine * 37 + boot->plan * 11 + bench * 5 + fact);
}

/* `same`: the run number does not depend on the machine, as in exact time before it had its
 * fingerprint. */
static void make_boot(struct boot *boot, uint64_t *seed, bool same)
{
    struct log_builder *log = &boot->log;

    boot->machine = unit_random(seed) % 50;
    boot->plan = same ? 0 : unit_random(seed) % 5;
    boot->boot = unit_random(seed);
    snprintf(boot->id, sizeof(boot->id), "%016" PRIx64, same ? 0xaa : boot->boot);
    log_init(log, unit_random(seed) % 4 == 0 ? FRAME_TEXT : FRAME_BINARY);
    log->run = boot->id;
    log_record(log, "tare version=0.0 format=1 codec=1 seal.hash=sha256");
    log_record(log, "run kind=exact ticks_per_instruction=8 date=2024-01-01T00:00:00");
    log_recordf(log, "plan source=file text=\"plan %" PRIu64 "\"", boot->plan);
    log_recordf(log, "machine name=cpu_brand value=\"processor %" PRIu64 "\"", boot->machine);
    log_record(log, "source name=hpet hz=100000000 from=\"capability register\"");
    log_record(log, "verdict ok=1 hz=1000000000 by=hpet reason=\"they agree\"");
    for (unsigned i = 0; i < BENCHES; i++) {
        int64_t samples[SAMPLES];
        char bench[8];

        snprintf(bench, sizeof(bench), "b%u", i);
        log_recordf(log, "bench name=%s group=idle summary=\"bench\" unit=tick", bench);
        for (unsigned k = 0; k < FACTS; k++) {
            log_recordf(log, "fact bench=%s name=f%u value=%" PRId64 " unit=tick", bench, k,
                        fact_of(boot, i, k));
        }
        for (unsigned k = 0; k < SAMPLES; k++) {
            samples[k] = 1000 + (int64_t)(boot->machine * 8 + unit_random(seed) % 3);
        }
        log_series(log, bench, "cost", "tick", samples, SAMPLES);
        log_recordf(log, "status bench=%s state=OK reason=\"\"", bench);
    }
    log_end(log);
}

/* Is the run exactly that of the boot? */
static bool is_of(const struct run *run, const struct boot *boot)
{
    const char *brand = run_pair_value(&run->machine, FACT_CPU_BRAND);
    char text[32];
    bool same = run->bench_count == BENCHES && log_is_whole(&boot->log, run);

    snprintf(text, sizeof(text), "processor %" PRIu64, boot->machine);
    same = same && brand != NULL && strcmp(brand, text) == 0;
    snprintf(text, sizeof(text), "plan %" PRIu64, boot->plan);
    same = same && run->plan_text != NULL && strcmp(run->plan_text, text) == 0;
    for (unsigned i = 0; same && i < BENCHES; i++) {
        for (unsigned k = 0; k < FACTS; k++) {
            same = same && run->benches[i].fact_count == FACTS &&
                   run->benches[i].facts[k].value == fact_of(boot, i, k);
        }
    }
    return same;
}

static void push_frame(struct decoder *decoder, const struct log_builder *log, size_t index)
{
    uint8_t wire[FRAME_WIRE_MAX];

    decoder_push(decoder, wire, frame_encode(&log->frames[index], log->format, wire));
}

/* Frames [from, to). */
static void push(struct decoder *decoder, const struct boot *boot, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        push_frame(decoder, &boot->log, i);
    }
}

/* Ends and judges a log. A valid run must be that of `a` or `b`. `good` is the boot whose run is
 * whole in the log, NULL if there is none. */
static void judge(struct decoder *decoder, const struct boot *a, const struct boot *b,
                  const struct boot *good)
{
    struct run_texts reasons = {0};
    struct run run;

    run_init(&run);
    decoder_finish(decoder, &run);
    const bool valid = run_valid(&run, &reasons);
    const bool of_one = is_of(&run, a) || (b != NULL && is_of(&run, b));

    counts.pairs++;
    counts.valid += valid;
    counts.chimeras += valid && !of_one;
    counts.lost += good != NULL && !(valid && is_of(&run, good));
    run_texts_free(&reasons);
    run_free(&run);
    decoder_destroy(decoder);
}

/* The beginning of one run, then the rest or all of the other. */
static void try_halves(const struct boot *a, const struct boot *b, bool all, uint64_t *seed)
{
    const size_t cut = 1 + unit_random(seed) % (a->log.frame_count - 1);
    struct decoder *first = decoder_create();
    struct decoder *second = decoder_create();
    struct decoder *joined = decoder_create();
    const size_t from = all ? 0 : cut;

    push(first, a, 0, cut);
    push(second, b, from, b->log.frame_count);
    push(joined, a, 0, cut);
    decoder_break(joined);
    push(joined, b, from, b->log.frame_count);
    /* Neither `tare decode A B` nor `tare capture` joins logs of other numbers. */
    CHECK_EQUAL(decoder_compare(first, second),
                strcmp(a->id, b->id) == 0 ? DECODER_SAME_RUN : DECODER_OTHER_RUN);
    decoder_destroy(first);
    judge(joined, a, b, NULL);
    /* A capture goes on with the second, whose bytes are the end of the log. */
    judge(second, a, b, all ? b : NULL);
}

/* Both whole, one after the other or in turns. */
static void try_both(const struct boot *a, const struct boot *b, bool turns)
{
    struct decoder *decoder = decoder_create();

    for (size_t i = 0; turns && i < a->log.frame_count; i++) {
        push_frame(decoder, &a->log, i);
        if (i < b->log.frame_count) {
            push_frame(decoder, &b->log, i);
        }
    }
    if (!turns) {
        push(decoder, a, 0, a->log.frame_count);
        push(decoder, b, 0, b->log.frame_count);
    }
    judge(decoder, a, b, a);
}

static bool change_digit(char *text, size_t length, uint64_t *seed)
{
    for (unsigned tries = 0; tries < 1000; tries++) {
        char *at = text + unit_random(seed) % length;

        if (*at >= '0' && *at <= '9') {
            *at = (char)('0' + (*at - '0' + 1 + unit_random(seed) % 9) % 10);
            return true;
        }
    }
    return false;
}

/* One digit of a META frame or of END is another, and the CRC is right. */
static void try_digit(struct boot *a, uint64_t *seed)
{
    static struct text_codec codec;
    static char text[TEXT_CODEC_RAW_MAX];
    struct frame *frame;
    size_t taken = 0;

    do {
        frame = &a->log.frames[unit_random(seed) % a->log.frame_count];
    } while (frame->type == FRAME_SERIES);
    const struct frame before = *frame;

    if (frame->type == FRAME_END) {
        CHECK(change_digit((char *)frame->payload, frame->length, seed));
    } else {
        uint8_t *payload = frame->payload + CODED_TAG_BYTES;
        const ptrdiff_t length =
            text_decode(&codec, payload, frame->length - CODED_TAG_BYTES, text, sizeof(text));

        CHECK(length > 0 && change_digit(text, (size_t)length, seed));
        const size_t size = text_encode(&codec, text, (size_t)length, payload,
                                        FRAME_PAYLOAD_MAX - CODED_TAG_BYTES, &taken);

        CHECK_EQUAL(taken, length);
        frame->length = (uint16_t)(CODED_TAG_BYTES + size);
    }
    struct decoder *decoder = decoder_create();

    counts.changed++;
    push(decoder, a, 0, a->log.frame_count);
    *frame = before; /* what is_of() compares with; no valid run may come of the changed one */
    struct run_texts reasons = {0};
    struct run run;

    run_init(&run);
    decoder_finish(decoder, &run);
    counts.pairs++;
    if (run_valid(&run, &reasons)) {
        counts.chimeras++;
        printf("valid with a changed digit: frame %" PRIu32 ": %s\n", frame->seq, text);
    }
    run_texts_free(&reasons);
    run_free(&run);
    decoder_destroy(decoder);
}

static void try_pair(uint64_t number)
{
    uint64_t seed = 1 + number * 7919;
    const unsigned kind = number % 6;
    const bool same = kind == 1;
    struct boot a;
    struct boot b;

    make_boot(&a, &seed, same);
    do {
        make_boot(&b, &seed, same);
        if (b.machine == a.machine) {
            log_free(&b.log);
        }
    } while (b.machine == a.machine);
    switch (kind) {
    case 0:
    case 1:
        try_halves(&a, &b, false, &seed);
        break;
    case 2:
        try_halves(&a, &b, true, &seed);
        break;
    case 3:
    case 4:
        try_both(&a, &b, kind == 4);
        break;
    default:
        try_digit(&a, &seed);
    }
    log_free(&a.log);
    log_free(&b.log);
}

static void test_pairs(void)
{
    const char *wanted = getenv("SEAL_PAIRS");
    const uint64_t pairs = wanted != NULL ? strtoull(wanted, NULL, 10) : PAIRS;

    for (uint64_t i = 0; i < pairs; i++) {
        try_pair(i);
    }
    printf("%" PRIu64 " pairs, %" PRIu64 " logs: %" PRIu64 " valid, %" PRIu64
           " chimeras valid, %" PRIu64 " good runs lost; %" PRIu64 " with a changed digit\n",
           pairs, counts.pairs, counts.valid, counts.chimeras, counts.lost, counts.changed);
    CHECK_EQUAL(counts.chimeras, 0);
    CHECK_EQUAL(counts.lost, 0);
    CHECK(counts.valid > 0 && counts.changed > 0);
}

/* The image's hash against that of another library, over every length around a block. */
static void test_hash(void)
{
    uint8_t bytes[4 * SEAL_BLOCK];

    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (uint8_t)(i * 89 + 7);
    }
    for (size_t length = 0; length <= sizeof(bytes); length++) {
        struct sha256 other;
        struct seal seal;
        char expected[SHA256_TEXT];
        char text[SEAL_TEXT];

        sha256_begin(&other);
        sha256_put(&other, bytes, length);
        sha256_end(&other, expected);
        seal_begin(&seal);
        seal_put(&seal, bytes, length / 3);
        seal_put(&seal, bytes + length / 3, length - length / 3);
        seal_text(&seal, text);
        CHECK_TEXT(text, expected);
    }
}

/* A log whose first record states a seal, and whose END has none. */
static void test_missing(void)
{
    struct decoder *decoder = decoder_create();
    uint64_t seed = 3;
    struct boot boot;
    struct run run;

    make_boot(&boot, &seed, false);
    log_unseal(&boot.log);
    push(decoder, &boot, 0, boot.log.frame_count);
    run_init(&run);
    decoder_finish(decoder, &run);
    CHECK_EQUAL(run.losses.count, 1);
    CHECK(strstr(run.losses.item[0], "seal: expected one in END") != NULL);
    run_free(&run);
    decoder_destroy(decoder);

    /* One that was killed before END is not sealed. */
    decoder = decoder_create();
    push(decoder, &boot, 0, boot.log.frame_count - 1);
    run_init(&run);
    decoder_finish(decoder, &run);
    CHECK_TEXT(run_pair_value(&run.info, INFO_SEAL_STATE), "not verified: the log has no END");
    run_free(&run);
    decoder_destroy(decoder);
    log_free(&boot.log);
}

int main(void)
{
    RUN(test_hash());
    RUN(test_pairs());
    RUN(test_missing());
    return unit_finish("unit_seal");
}
