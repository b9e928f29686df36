/* SPDX-License-Identifier: BSD-2-Clause */
/* Codecs of the line: what is encoded is decoded, whatever it is and whatever the capacity; and
 * payloads that were changed decode to something within bounds. */
#include "kernel/link/encoding.h"
#include "kernel/link/series_codec.h"
#include "kernel/link/tests/packet_maker.h"
#include "kernel/link/text_codec.h"
#include "kernel/link/trace_codec.h"
#include "kernel/plan/bytes.h"
#include "tools/tests/support/unit.h"

#define MUTANTS 10000 /* of payloads, of all codecs together */

static const size_t capacities[] = {CODEC_CAPACITY_MIN, 256, 1024};

#define CAPACITIES (sizeof(capacities) / sizeof(*capacities))

/* Memory of the exact size, so that the sanitizer finds what goes beyond. */
static uint8_t *payload;
static struct text_codec text_codec;
static struct series_codec series_codec;
static struct trace_codec trace_codec;
static uint64_t random_state = 88172645463325252u;

static uint64_t any(void)
{
    return unit_random(&random_state);
}

/* A number of any length. */
static uint64_t any_length(void)
{
    const unsigned bits = (unsigned)(any() % 65);

    return bits == 0 ? 0 : any() >> (64 - bits);
}

static void use_capacity(size_t capacity)
{
    free(payload);
    payload = malloc(capacity);
}

static void check_text(const char *text, size_t length, size_t capacity)
{
    char *back = malloc(TEXT_CODEC_RAW_MAX);

    use_capacity(capacity);
    for (size_t at = 0; at < length;) {
        size_t taken;
        const size_t bytes =
            text_encode(&text_codec, text + at, length - at, payload, capacity, &taken);

        CHECK(taken > 0 && bytes > 0 && bytes <= capacity);
        if (taken == 0) {
            break;
        }
        CHECK(at + taken == length || text[at + taken - 1] == '\n');
        CHECK(bytes <= taken + 1);
        CHECK_EQUAL(text_decode(&text_codec, payload, bytes, back, taken), taken);
        CHECK(memcmp(text + at, back, taken) == 0);
        CHECK_EQUAL(text_decode(&text_codec, payload, bytes, back, taken - 1), -1);
        at += taken;
    }
    free(back);
}

/* Lines of random bytes, in which a line feed ends each. */
static void make_lines(char *text, size_t length, unsigned longest)
{
    unsigned left = 1;

    for (size_t i = 0; i < length; i++) {
        left--;
        text[i] = left == 0 ? '\n' : (char)any();
        left = left == 0 ? 1 + (unsigned)(any() % longest) : left;
    }
}

static void test_text(void)
{
    static const char lines[] = "tare version=0.1.0 format=1\nplan source=fw_cfg text=\"\"\n\n"
                                "machine name=cpu_vendor value=AuthenticAMD\nno end";
    static char text[TEXT_CODEC_RAW_MAX + 4096];
    size_t taken = 1;

    for (size_t i = 0; i < CAPACITIES; i++) {
        check_text(lines, sizeof(lines) - 1, capacities[i]);
        check_text("\n", 1, capacities[i]);
        make_lines(text, sizeof(text), 100);
        check_text(text, sizeof(text), capacities[i]);
        memset(text, 'a', sizeof(text));
        text[100] = '\n';
        check_text(text, 101, capacities[i]);
        check_text(text_dictionary, TEXT_DICTIONARY_BYTES, 1024);
    }
    /* A line that does not fit is not cut, compressed or not. */
    text[100] = 'a';
    use_capacity(256);
    CHECK_EQUAL(text_encode(&text_codec, text, sizeof(text), payload, 256, &taken), 0);
    CHECK_EQUAL(taken, 0);
    make_lines(text, 1000, 1);
    memset(text, 0, 999);
    for (unsigned i = 0; i < 999; i++) {
        text[i] = (char)(any() | 128);
    }
    CHECK_EQUAL(text_encode(&text_codec, text, 1000, payload, 256, &taken), 0);
    CHECK_EQUAL(taken, 0);
    CHECK_EQUAL(text_encode(&text_codec, text, 0, payload, 256, &taken), 0);
    CHECK_EQUAL(text_decode(&text_codec, payload, 0, NULL, 0), -1);
}

/* A log decodes only with the dictionary that it was made with: a change is a new CODEC_VERSION. */
static void test_dictionary(void)
{
    CHECK_EQUAL(CODEC_VERSION, 1);
    CHECK_EQUAL(strlen(text_dictionary), TEXT_DICTIONARY_BYTES);
    CHECK_EQUAL(crc32c(0, text_dictionary, TEXT_DICTIONARY_BYTES), 0xfc57b6c1u);
}

/* Numbers that count take next to nothing, with more digits as well; those that do not are not
 * taken for such. */
static void test_counting(void)
{
    static char text[TEXT_CODEC_RAW_MAX];
    size_t taken;

    for (unsigned step = 1; step <= 2; step++) {
        size_t length = 0;

        for (unsigned i = 0; i < 250; i++) {
            length += (size_t)sprintf(text + length, "object id=%u\n", 5 + step * i);
        }
        use_capacity(1024);
        const size_t bytes = text_encode(&text_codec, text, length, payload, 1024, &taken);

        CHECK_EQUAL(taken, length);
        CHECK(step == 1 ? bytes < 40 : bytes > 120);
        check_text(text, length, 256);
    }
}

/* Of a good and a bad probability the good one is trusted, and bits come back as they went in. */
static void test_mixer(void)
{
    static struct mixer mixer;
    static uint8_t bits[8000];
    struct range_coder coder;
    size_t bytes = 0;

    mixer_init(&mixer);
    for (size_t i = 0; i < sizeof(mixer.stretched) / sizeof(mixer.stretched[0]); i++) {
        CHECK(i == 0 || mixer.stretched[i - 1] <= mixer.stretched[i]);
    }
    use_capacity(1024);
    for (unsigned pass = 0; pass < 2; pass++) {
        range_probability good[2];
        range_probability bad;
        struct mixer_weights weights;

        range_forget(good, 2);
        range_forget(&bad, 1);
        mixer_forget(&weights);
        if (pass == 0) {
            range_encode(&coder, payload, 1024);
        } else {
            range_decode(&coder, payload, bytes);
        }
        for (size_t i = 0; i < sizeof(bits); i++) {
            range_probability *const inputs[] = {&bad, &good[i % 2]};
            const unsigned bit = pass > 0 ? 0 : (any() % 64 == 0 ? 1 : 0) ^ (unsigned)(i % 2);
            const unsigned coded = mixer_bit(&mixer, &coder, inputs, 2, &weights, bit);

            CHECK(pass == 0 || coded == bits[i]);
            bits[i] = (uint8_t)coded;
        }
        bytes = pass == 0 ? range_finish(&coder) : bytes;
        CHECK(!coder.overflow);
    }
    CHECK(bytes < sizeof(bits) / 8 / 6); /* the entropy is a ninth */
}

/* A probability that has learned n bits moves by 1 / (n + 2) of its way, rounded down. */
static void test_learning(void)
{
    for (unsigned before = 1u << 4; before <= UINT16_MAX; before++) {
        for (unsigned bit = 0; bit < 2; bit++) {
            const unsigned count = before & 15;
            const unsigned way = bit == 0 ? 4096 - (before >> 4) : before >> 4;
            const unsigned moved = way * (65536 / (count + 2)) / 65536 * 16;
            range_probability probability = (range_probability)before;

            range_learn(&probability, bit);
            CHECK_EQUAL(probability, (bit == 0 ? before + moved : before - moved) + (count < 15));
        }
    }
}

/* Behind the end of a payload are zeros, also where the coder reads several bytes at a time. */
static void test_end(void)
{
    static const uint8_t bytes[32] = {200, 100, 50, 25, 130, 77, 3, 211, 9, 91};

    for (size_t length = 0; length <= 20; length++) {
        range_probability trees[2][RANGE_NUMBER_TREE];
        struct range_coder coders[2];

        for (unsigned which = 0; which < 2; which++) {
            uint8_t *cut = malloc(which == 0 ? length : sizeof(bytes));

            memcpy(cut, bytes, which == 0 ? length : sizeof(bytes));
            memset(cut + length, 0, which == 0 ? 0 : sizeof(bytes) - length);
            range_forget(trees[which], RANGE_NUMBER_TREE);
            range_decode(&coders[which], cut, which == 0 ? length : sizeof(bytes));
            for (unsigned i = 0; i < 9; i++) {
                range_number(&coders[which], trees[which], 0);
            }
            free(cut);
        }
        CHECK_EQUAL(coders[0].code, coders[1].code);
        CHECK_EQUAL(coders[0].range, coders[1].range);
        CHECK(memcmp(trees[0], trees[1], sizeof(trees[0])) == 0);
    }
}

static struct series_part parts[SERIES_CODEC_PARTS_MAX];
static int64_t samples[SERIES_CODEC_SAMPLES_MAX];

static struct series_place behind_empty(const struct series_source *list, size_t count,
                                        struct series_place place)
{
    while (place.series < count && place.sample == list[place.series].count) {
        place = (struct series_place){place.series + 1, 0};
    }
    return place;
}

/* Holds a payload to what follows `next` in the list, and moves it. */
static void check_parts(const struct series_source *list, size_t count, struct series_place *next,
                        ptrdiff_t found)
{
    const int64_t *sample = samples;

    for (ptrdiff_t i = 0; i < found; i++) {
        *next = behind_empty(list, count, *next);
        const struct series_source *series = &list[next->series];

        CHECK_EQUAL(parts[i].stream, series->stream);
        CHECK_EQUAL(parts[i].first, next->sample);
        CHECK(parts[i].count > 0 && parts[i].count <= series->count - next->sample);
        CHECK(memcmp(sample, series->samples + next->sample, parts[i].count * sizeof(*sample)) ==
              0);
        sample += parts[i].count;
        next->sample += parts[i].count;
    }
}

static void check_series(const struct series_source *list, size_t count, size_t capacity)
{
    struct series_place place = {0, 0};
    struct series_place next = {0, 0};
    size_t bytes;

    use_capacity(capacity);
    while ((bytes = series_encode(&series_codec, list, count, &place, payload, capacity)) > 0) {
        const ptrdiff_t found = series_decode(&series_codec, payload, bytes, parts, samples);

        CHECK(bytes <= capacity && found > 0);
        check_parts(list, count, &next, found);
        if (bytes > capacity || found <= 0) {
            return;
        }
    }
    CHECK_EQUAL(place.series, count);
    CHECK_EQUAL(behind_empty(list, count, next).series, count);
}

static void test_series(void)
{
    static const int64_t extremes[] = {INT64_MIN, INT64_MAX, 0, -1, 1, INT64_MIN, INT64_MIN};
    static int64_t line[5000];
    static int64_t noise[3000];
    static int64_t lengths[3000];
    static int64_t zeros[9000];
    static const struct series_source list[] = {
        {1, 0, NULL},     {2, 7, extremes},   {3, 0, NULL}, {65535, 5000, line}, {4, 3000, noise},
        {5, 9000, zeros}, {6, 3000, lengths}, {0, 1, line}, {9, 0, NULL}};

    for (size_t i = 0; i < 5000; i++) {
        line[i] = (int64_t)i * 1000;
    }
    for (size_t i = 0; i < 3000; i++) {
        noise[i] = (int64_t)any();
        lengths[i] = (int64_t)any_length();
    }
    for (size_t i = 0; i < CAPACITIES; i++) {
        check_series(list, 9, capacities[i]);
        check_series(list, 1, capacities[i]);
        check_series(list, 0, capacities[i]);
    }
}

/* Each value has the same low zeros: 0 to 63 of them; and more series than a payload has parts. */
static void test_series_shapes(void)
{
    static int64_t values[64][10];
    static struct series_source list[600];

    for (unsigned shift = 0; shift < 64; shift++) {
        for (unsigned i = 0; i < 10; i++) {
            values[shift][i] = (int64_t)(any() << shift);
        }
    }
    for (unsigned i = 0; i < 600; i++) {
        list[i] = (struct series_source){(uint16_t)any(), i % 11, values[i % 64]};
    }
    for (size_t i = 0; i < CAPACITIES; i++) {
        check_series(list, 600, capacities[i]);
    }
}

/* A series that follows the one before it is coded by what they differ, also where that one is
 * shorter; and values that are as good as random take their width. */
static void test_series_bases(void)
{
    static int64_t at[1000];
    static int64_t behind[1200];
    static int64_t even[1000];
    static const struct series_source list[] = {{1, 1000, at}, {2, 1000, behind}, {3, 1000, even}};
    const struct series_source longer[] = {{1, 1000, at}, {2, 1200, behind}};
    struct series_place place = {0, 0};
    int64_t now = 0;

    for (size_t i = 0; i < 1200; i++) {
        now += (int64_t)(any() % 1000000);
        if (i < 1000) {
            at[i] = now;
            even[i] = (int64_t)(any() % 4096) * 8 - 77777 * 8;
        }
        behind[i] = now + 28000 + (int64_t)(any() % 4);
    }
    for (size_t i = 0; i < CAPACITIES; i++) {
        check_series(list, 3, capacities[i]);
        check_series(longer, 2, capacities[i]);
    }
    use_capacity(6000);
    const size_t first = series_encode(&series_codec, list, 1, &place, payload, 6000);

    place = (struct series_place){0, 0};
    CHECK(series_encode(&series_codec, list, 2, &place, payload, 6000) < first + 350);
    place = (struct series_place){2, 0};
    CHECK(series_encode(&series_codec, list, 3, &place, payload, 6000) < 1000 * 12 / 8 + 16);
}

/* Behind series whose heads have small numbers, one with large ones: it does not fit where many are
 * before it, and all is encoded again without it. */
static void test_series_surprise(void)
{
    static const int64_t small[] = {1, 1, 2, 2};
    static int64_t large[3000];
    static struct series_source list[257];

    for (unsigned i = 0; i < 3000; i++) {
        large[i] = i % 2 == 0 ? INT64_MIN + 1 : (int64_t)any();
    }
    for (unsigned before = 1; before < 256; before++) {
        list[before - 1] =
            (struct series_source){before % 2 == 0 ? 1 : 3, 1 + before % 2, &small[before % 3]};
        list[before] = (struct series_source){60000, 2999, large};
        check_series(list, before + 1, 256);
        check_series(list, before + 1, 1024);
    }
}

static void check_trace(const uint8_t *packet, uint32_t index, uint32_t records, size_t capacity)
{
    static uint8_t back[TRACE_PACKET_BYTES];
    const uint32_t content = trace_codec_content(packet);
    uint32_t at = sizeof(struct trace_packet);
    struct trace_piece piece;
    uint32_t found = 0;

    use_capacity(capacity);
    memset(back, 0, sizeof(back));
    do {
        const uint32_t from = at;
        const size_t bytes = trace_encode(&trace_codec, packet, index, &at, payload, capacity);

        CHECK(bytes > 0 && bytes <= capacity && (at > from || from == content));
        CHECK(trace_decode(&trace_codec, payload, bytes, back, &piece));
        CHECK(piece.index == index && piece.from == from && piece.to == at);
        CHECK_EQUAL(piece.last, at == content);
        found += piece.records;
        if (at == from) {
            break;
        }
    } while (at < content);
    CHECK(memcmp(packet, back, content) == 0);
    CHECK(records == UINT32_MAX || found == records);
}

static void check_all_capacities(const struct packet_maker *maker)
{
    for (size_t i = 0; i < CAPACITIES; i++) {
        check_trace(maker->bytes, (uint32_t)any(), maker->records, capacities[i]);
    }
}

/* Fills a packet with records of the ids [first, first + ids), `step` ticks or fewer apart. */
static void fill_packet(struct packet_maker *maker, uint64_t begin, unsigned first, unsigned ids,
                        unsigned shift, uint64_t step)
{
    uint64_t values[5] = {0};
    uint64_t stamp = begin;
    unsigned id;

    packet_maker_begin(maker, begin);
    do {
        do {
            id = first + (unsigned)(any() % ids);
        } while (!packet_maker_events[id].known);
        stamp += any() % step << shift;
        for (unsigned i = 0; i < 5; i++) {
            values[i] = any() % 4 == 0 ? any_length() : values[i] + 1;
        }
    } while (packet_maker_add(maker, id, stamp, values));
    packet_maker_end(maker, stamp + 1);
}

static void test_trace(void)
{
    static struct packet_maker maker;

    packet_maker_begin(&maker, 5);
    packet_maker_end(&maker, 5);
    check_all_capacities(&maker);
    for (unsigned id = 0; id < PACKET_MAKER_IDS; id++) {
        if (packet_maker_events[id].known) {
            fill_packet(&maker, any(), id, 1, 0, 1000);
            check_all_capacities(&maker);
        }
    }
    for (unsigned shift = 0; shift < 64; shift++) {
        fill_packet(&maker, UINT64_MAX - any() % 100000, 0, 64, shift, 3);
        check_all_capacities(&maker);
        fill_packet(&maker, any_length(), 0, 64, shift % 8, UINT64_C(1) << shift % 40);
        check_all_capacities(&maker);
    }
    fill_packet(&maker, UINT64_MAX - 1000, 5, 2, 0, 10);
    check_all_capacities(&maker);
}

/* A compact header whose stamp is before that of the record before. */
static void test_trace_goes_back(void)
{
    static struct packet_maker maker;
    const uint64_t values[5] = {1, 2, 3, 4, 5};

    packet_maker_begin(&maker, 1000000);
    for (unsigned i = 0; i < 500; i++) {
        packet_maker_add(&maker, 5 + i % 2, 1000000 + (i % 3) * 1000, values);
    }
    packet_maker_end(&maker, 0);
    check_all_capacities(&maker);
}

/* An extended header that the recorder would not have written comes back as it was. */
static void test_trace_needless_header(void)
{
    static struct packet_maker maker;
    const uint64_t values[5] = {1};
    const uint64_t stamp = 1000;
    const uint32_t id = 5;

    packet_maker_begin(&maker, stamp);
    packet_maker_add(&maker, id, stamp, values);
    maker.bytes[maker.used] = TRACE_ID_EXTENDED;
    memcpy(maker.bytes + maker.used + 1, &id, sizeof(id));
    memcpy(maker.bytes + maker.used + 5, &stamp, sizeof(stamp));
    maker.bytes[maker.used + TRACE_HEADER_EXTENDED] = 1;
    maker.used += TRACE_HEADER_EXTENDED + 1;
    packet_maker_end(&maker, stamp);
    for (size_t i = 0; i < CAPACITIES; i++) {
        check_trace(maker.bytes, 0, UINT32_MAX, capacities[i]);
    }
}

/* What is no content of records, or no header of the recorder: it goes as it is. */
static void test_trace_stored(void)
{
    static struct packet_maker maker;
    struct trace_packet head = {.magic = TRACE_PACKET_MAGIC, .uuid = TRACE_UUID};

    for (size_t i = 0; i < sizeof(maker.bytes); i++) {
        maker.bytes[i] = (uint8_t)any();
    }
    for (uint64_t bits = 0; bits <= UINT64_C(8) * TRACE_PACKET_BYTES + 800; bits += 808) {
        head.content_bits = bits;
        head.packet_bits = bits % 3 == 0 ? UINT64_C(8) * TRACE_PACKET_BYTES : bits;
        memcpy(maker.bytes, &head, sizeof(head));
        for (size_t i = 0; i < CAPACITIES; i++) {
            check_trace(maker.bytes, UINT32_MAX, UINT32_MAX, capacities[i]);
        }
    }
    fill_packet(&maker, 1, 0, 31, 0, 100);
    for (unsigned i = 0; i < 300; i++) {
        maker.bytes[any() % maker.used] ^= (uint8_t)(1 + any() % 255);
        check_trace(maker.bytes, 1, UINT32_MAX, capacities[i % CAPACITIES]);
    }
}

/* Payloads that were changed --------------------------------------------------------------- */

/* Decodes a payload by each codec into memory of the exact size. */
static void decode_by_all(size_t length)
{
    static uint8_t packet[TRACE_PACKET_BYTES];
    char *text = malloc(TEXT_CODEC_RAW_MAX);
    struct trace_piece piece = {0};
    uint64_t counted = 0;

    const ptrdiff_t read = text_decode(&text_codec, payload, length, text, TEXT_CODEC_RAW_MAX);
    const ptrdiff_t found = series_decode(&series_codec, payload, length, parts, samples);

    CHECK(read >= -1 && read <= TEXT_CODEC_RAW_MAX);
    CHECK(found >= -1 && found <= SERIES_CODEC_PARTS_MAX);
    for (ptrdiff_t i = 0; i < found; i++) {
        CHECK(parts[i].count > 0 && parts[i].first <= UINT32_MAX - parts[i].count);
        counted += parts[i].count;
    }
    CHECK(counted <= SERIES_CODEC_SAMPLES_MAX);
    if (trace_decode(&trace_codec, payload, length, packet, &piece)) {
        CHECK(piece.from >= sizeof(struct trace_packet) && piece.from <= piece.to &&
              piece.to <= TRACE_PACKET_BYTES && piece.records <= TRACE_CODEC_RECORDS_MAX);
        CHECK_EQUAL(piece.last, piece.to == trace_codec_content(packet));
    }
    free(text);
}

static size_t make_payload(unsigned kind, const struct packet_maker *maker)
{
    static const int64_t values[] = {5, 5, 5, 6, 7, 8, 9, 5, 5, 6, 100000, -1, INT64_MIN, 64};
    const struct series_source list[] = {{7, 14, values}, {8, 14, values}, {30, 5, values}};
    struct series_place place = {0, 0};
    uint32_t at = sizeof(struct trace_packet);
    size_t taken;

    use_capacity(1024);
    if (kind == 0) {
        return text_encode(&text_codec, text_dictionary, 2000, payload, 1024, &taken);
    }
    if (kind == 1) {
        return series_encode(&series_codec, list, 3, &place, payload, 1024);
    }
    return trace_encode(&trace_codec, maker->bytes, 3, &at, payload, 1024);
}

/* One byte changed, or the payload cut: nothing but bounds is promised (the CRC of frames finds
 * damage), and it is the mode that each codec refuses first. */
static void test_mutants(void)
{
    static struct packet_maker maker;

    fill_packet(&maker, 1, 0, 31, 3, 100);
    for (unsigned kind = 0; kind < 3; kind++) {
        const size_t length = make_payload(kind, &maker);
        uint8_t *whole = payload;

        payload = NULL;
        for (unsigned i = 0; i < MUTANTS / 3; i++) {
            const size_t cut = any() % 10 == 0 ? any() % (length + 1) : length;

            use_capacity(cut);
            memcpy(payload, whole, cut);
            if (cut > 0) {
                payload[any() % (i % 2 == 0 && cut > 8 ? 8 : cut)] ^= (uint8_t)(1 + any() % 255);
            }
            decode_by_all(cut);
        }
        free(whole);
    }
}

/* Short payloads that claim the most there can be decode in bounds, or not at all. */
static void test_hostile_lengths(void)
{
    use_capacity(8);
    for (unsigned mode = 0; mode < 3; mode++) {
        for (unsigned count = 0; count <= UINT16_MAX; count += 511) {
            for (unsigned i = 0; i < 8; i++) {
                payload[i] = (uint8_t)any();
            }
            payload[0] = (uint8_t)mode;
            bytes_put(payload + 1, count, 2);
            decode_by_all(8);
        }
    }
}

int main(void)
{
    RUN(test_text());
    RUN(test_dictionary());
    RUN(test_counting());
    RUN(test_mixer());
    RUN(test_learning());
    RUN(test_end());
    RUN(test_series());
    RUN(test_series_shapes());
    RUN(test_series_bases());
    RUN(test_series_surprise());
    RUN(test_trace());
    RUN(test_trace_goes_back());
    RUN(test_trace_needless_header());
    RUN(test_trace_stored());
    RUN(test_mutants());
    RUN(test_hostile_lengths());
    free(payload);
    return unit_finish("unit_codec");
}
