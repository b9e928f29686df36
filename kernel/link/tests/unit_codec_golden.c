/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The codecs are frozen: tools/tests/corpus/codec_VERSION.golden has inputs and what a codec
 * version makes of them. They must decode, and encode again to the same bytes. An encoder and its
 * decoder share their model, so that only such a file notices a constant that was changed in both.
 *
 * For each input NAME.raw, NAME.coded has its payloads of at most 1 KiB, each with its length, u16,
 * in front. The first letters of the name say what it is:
 *
 *     text     lines of records
 *     series   of each series the number of its samples, u64, and the samples, i64
 *     trace    the content of a packet
 *
 * With the argument `write` the program prints the file with the payloads of this build, for a new
 * CODEC_VERSION: the files of older versions stay as they are.
 */
#include "kernel/link/codec.h"
#include "kernel/link/series_codec.h"
#include "kernel/link/text_codec.h"
#include "kernel/link/trace_codec.h"
#include "kernel/trace/packet.h"
#include "tools/tests/fuzz/corpus_text.h"
#include "tools/tests/support/unit.h"

#define PAYLOAD     1024
#define SERIES_MAX  16
#define SAMPLES_MAX (CORPUS_SIZE_MAX / 8)

static struct text_codec text_codec;
static struct series_codec series_codec;
static struct trace_codec trace_codec;

/* Payloads one after the other, each behind its length. */
struct coded {
    uint8_t bytes[CORPUS_SIZE_MAX];
    size_t size;
};

static void add_payload(struct coded *coded, const uint8_t *payload, size_t size)
{
    const uint16_t length = (uint16_t)size;

    if (coded->size + sizeof(length) + size > sizeof(coded->bytes)) {
        fputs("the payloads do not fit\n", stderr);
        exit(1);
    }
    memcpy(coded->bytes + coded->size, &length, sizeof(length));
    memcpy(coded->bytes + coded->size + sizeof(length), payload, size);
    coded->size += sizeof(length) + size;
}

/* Takes the next payload from *at on. Returns its length, or 0 after the last. */
static size_t next_payload(const struct corpus_input *coded, size_t *at, const uint8_t **payload)
{
    uint16_t length;

    if (*at + sizeof(length) > coded->size) {
        return 0;
    }
    memcpy(&length, coded->bytes + *at, sizeof(length));
    *payload = coded->bytes + *at + sizeof(length);
    *at += sizeof(length) + length;
    return *at <= coded->size ? length : 0;
}

/* ---- encoding ---- */

static void encode_text(const struct corpus_input *raw, struct coded *coded)
{
    uint8_t payload[PAYLOAD];

    for (size_t at = 0, taken; at < raw->size; at += taken) {
        const size_t size = text_encode(&text_codec, (const char *)raw->bytes + at, raw->size - at,
                                        payload, PAYLOAD, &taken);

        CHECK(size > 0 && taken > 0);
        if (taken == 0) {
            return;
        }
        add_payload(coded, payload, size);
    }
}

/* Reads the series; returns their number. */
static size_t read_series(const struct corpus_input *raw, struct series_source *list)
{
    static int64_t samples[SAMPLES_MAX];
    size_t count = 0;

    memcpy(samples, raw->bytes, raw->size);
    for (size_t at = 0; at < raw->size / 8 && count < SERIES_MAX; count++) {
        list[count] =
            (struct series_source){(uint16_t)(count + 1), (uint32_t)samples[at], samples + at + 1};
        at += 1 + (size_t)samples[at];
    }
    return count;
}

static void encode_series(const struct corpus_input *raw, struct coded *coded)
{
    struct series_source list[SERIES_MAX];
    struct series_place place = {0, 0};
    const size_t count = read_series(raw, list);
    uint8_t payload[PAYLOAD];
    size_t size;

    while ((size = series_encode(&series_codec, list, count, &place, payload, PAYLOAD)) > 0) {
        add_payload(coded, payload, size);
    }
}

static void encode_trace(const struct corpus_input *raw, struct coded *coded)
{
    uint8_t packet[TRACE_PACKET_BYTES] = {0};
    uint8_t payload[PAYLOAD];
    uint32_t at = sizeof(struct trace_packet);

    memcpy(packet, raw->bytes, raw->size);
    do {
        const size_t size = trace_encode(&trace_codec, packet, 3, &at, payload, PAYLOAD);

        add_payload(coded, payload, size);
    } while (at < trace_codec_content(packet));
}

/* ---- decoding ---- */

static void decode_text(const struct corpus_input *coded, const struct corpus_input *raw)
{
    char *text = malloc(TEXT_CODEC_RAW_MAX);
    const uint8_t *payload;
    size_t done = 0;

    for (size_t at = 0, size; (size = next_payload(coded, &at, &payload)) > 0;) {
        const ptrdiff_t length = text_decode(&text_codec, payload, size, text, TEXT_CODEC_RAW_MAX);
        const bool same = length > 0 && done + (size_t)length <= raw->size &&
                          memcmp(raw->bytes + done, text, (size_t)length) == 0;

        CHECK(same);
        if (!same) {
            break;
        }
        done += (size_t)length;
    }
    CHECK_EQUAL(done, raw->size);
    free(text);
}

static void decode_series(const struct corpus_input *coded, const struct corpus_input *raw)
{
    static int64_t samples[SERIES_CODEC_SAMPLES_MAX];
    struct series_part parts[SERIES_CODEC_PARTS_MAX];
    struct series_source list[SERIES_MAX];
    const size_t count = read_series(raw, list);
    const uint8_t *payload;
    size_t done = 0, all = 0;

    for (size_t i = 0; i < count; i++) {
        all += list[i].count;
    }
    for (size_t at = 0, size; (size = next_payload(coded, &at, &payload)) > 0;) {
        const ptrdiff_t found = series_decode(&series_codec, payload, size, parts, samples);

        CHECK(found > 0);
        for (size_t i = 0, used = 0; found > 0 && i < (size_t)found; used += parts[i++].count) {
            const struct series_source *source = &list[parts[i].stream - 1];
            const bool fits = parts[i].stream >= 1 && parts[i].stream <= count &&
                              parts[i].first + parts[i].count <= source->count;

            CHECK(fits && memcmp(source->samples + parts[i].first, samples + used,
                                 8 * parts[i].count) == 0);
            done += parts[i].count;
        }
    }
    CHECK_EQUAL(done, all);
}

static void decode_trace(const struct corpus_input *coded, const struct corpus_input *raw)
{
    uint8_t packet[TRACE_PACKET_BYTES] = {0};
    struct trace_piece piece = {.to = sizeof(struct trace_packet)};
    const uint8_t *payload;

    for (size_t at = 0, size; (size = next_payload(coded, &at, &payload)) > 0;) {
        const uint32_t end = piece.to;

        CHECK(trace_decode(&trace_codec, payload, size, packet, &piece));
        CHECK(piece.index == 3 && piece.from == end);
    }
    CHECK(piece.last && piece.to == raw->size);
    CHECK(memcmp(packet, raw->bytes, raw->size) == 0);
}

static const struct codec {
    const char *name;
    void (*encode)(const struct corpus_input *raw, struct coded *coded);
    void (*decode)(const struct corpus_input *coded, const struct corpus_input *raw);
} codecs[] = {
    {"text", encode_text, decode_text},
    {"series", encode_series, decode_series},
    {"trace", encode_trace, decode_trace},
};

static const struct codec *codec_of(const struct corpus_input *input)
{
    for (size_t i = 0; i < sizeof(codecs) / sizeof(codecs[0]); i++) {
        if (strncmp(input->name, codecs[i].name, strlen(codecs[i].name)) == 0) {
            return &codecs[i];
        }
    }
    return NULL;
}

/* ---- the file ---- */

/* Reads the next input and its payloads, which stand before it. Returns false after the last. */
static bool next_pair(struct corpus_reader *reader, struct corpus_input *coded)
{
    if (corpus_read(reader) != CORPUS_INPUT) {
        CHECK_TEXT(reader->error, "");
        return false;
    }
    *coded = reader->input;
    CHECK_EQUAL(corpus_read(reader), CORPUS_INPUT);
    const size_t stem = strcspn(coded->name, ".");

    CHECK_TEXT(coded->name + stem, ".coded");
    CHECK_TEXT(reader->input.name + stem, ".raw");
    CHECK(strncmp(coded->name, reader->input.name, stem) == 0);
    return codec_of(coded) != NULL;
}

static struct corpus_reader reader;
static struct corpus_input payloads;
static struct coded anew;

static FILE *open_golden(unsigned version)
{
    char path[64];

    snprintf(path, sizeof(path), "tools/tests/corpus/codec_%u.golden", version);
    FILE *file = fopen(path, "r");

    CHECK(file != NULL);
    if (file == NULL) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(1);
    }
    corpus_read_begin(&reader, file);
    return file;
}

/* Payloads of every version decode; those of the newest are also what the encoders write. */
static void test_version(unsigned version)
{
    unsigned seen[sizeof(codecs) / sizeof(codecs[0])] = {0};
    FILE *file = open_golden(version);

    while (next_pair(&reader, &payloads)) {
        const struct codec *codec = codec_of(&payloads);

        seen[codec - codecs]++;
        codec->decode(&payloads, &reader.input);
        if (version == CODEC_VERSION) {
            anew.size = 0;
            codec->encode(&reader.input, &anew);
            const bool same =
                anew.size == payloads.size && memcmp(anew.bytes, payloads.bytes, anew.size) == 0;

            if (!same) {
                fprintf(stderr,
                        "%s: expected the %zu bytes of the file, got %zu: a change of the "
                        "codec needs a new CODEC_VERSION, or no other build reads its logs\n",
                        payloads.name, payloads.size, anew.size);
            }
            CHECK(same);
        }
    }
    for (size_t i = 0; i < sizeof(codecs) / sizeof(codecs[0]); i++) {
        CHECK(seen[i] >= 2);
    }
    fclose(file);
}

static void write_golden(void)
{
    FILE *file = open_golden(CODEC_VERSION);

    printf("# SPDX-License-Identifier: BSD-2-Clause\n#\n"
           "# Payloads of codec version %u, never to change: unit_codec_golden.c describes them.\n",
           (unsigned)CODEC_VERSION);
    while (next_pair(&reader, &payloads)) {
        anew.size = 0;
        codec_of(&payloads)->encode(&reader.input, &anew);
        corpus_write(stdout, payloads.name, anew.bytes, anew.size);
        corpus_write(stdout, reader.input.name, reader.input.bytes, reader.input.size);
    }
    fclose(file);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "write") == 0) {
        write_golden();
        return 0;
    }
    for (unsigned version = 1; version <= CODEC_VERSION; version++) {
        RUN(test_version(version));
    }
    return unit_finish("unit_codec_golden");
}
