/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/codec/text_codec.h"

#define STORED_PREFIX 1u
#define CODED_PREFIX  3u

#define GUESSES     2
#define LENGTH_MOST 8u /* of a context that is compared */

/* Bytes of the contexts, the longest first. */
static const uint8_t orders[TEXT_CODEC_ORDERS] = {6, 4, 3};

struct guess {
    uint32_t pointer; /* what stands there in history is guessed */
    unsigned length;  /* bytes before it that are those before the next byte, or digits before it */
    bool behind_value;
};

/* The eight bytes before `at`, the latest in the highest place. */
static uint64_t bytes_before(const struct text_codec *codec, uint32_t at)
{
    uint64_t bytes = 0;

    if (at >= sizeof(bytes)) {
        memcpy(&bytes, &codec->history[at - sizeof(bytes)], sizeof(bytes));
    }
    return bytes;
}

/* Where the context of this order was last; the next byte becomes its latest. */
static uint32_t last_place(struct text_codec *codec, unsigned order, uint64_t context)
{
    const uint64_t mixed = (context >> (64 - 8 * orders[order])) * UINT64_C(0x9e3779b97f4a7c15);
    uint16_t *place = &codec->model.places[order][mixed >> (64 - TEXT_CODEC_PLACE_BITS)];
    const uint32_t last = *place;

    *place = (uint16_t)codec->at;
    return last;
}

/* Where what is behind the last value with this before it was. */
static uint16_t *value_place(struct text_codec *codec, uint32_t context)
{
    return &codec->model.values[context * 2654435761u >> (32 - TEXT_CODEC_VALUE_BITS)];
}

/* Within a number, what followed the last number that had the same before it; behind a blank, what
 * followed the last value of this key. 0: nothing did. */
static uint32_t behind_value(struct text_codec *codec)
{
    if (codec->digits > 0) {
        return *value_place(codec, codec->words);
    }
    if (codec->history[codec->at - 1] != ' ') {
        return 0;
    }
    uint16_t *place = value_place(codec, ~codec->key);
    const uint32_t last = *place;

    *place = (uint16_t)codec->at;
    return last;
}

static bool is_new(const struct text_codec *codec, const struct guess *guesses, unsigned found,
                   uint32_t place)
{
    return place != 0 && found < GUESSES &&
           (found == 0 || codec->history[place] != codec->history[guesses[0].pointer]);
}

/* Two guesses at most, that differ: what follows where the last guess came true; what followed the
 * last value; and what followed the longest contexts. */
static unsigned find_guesses(struct text_codec *codec, struct guess guesses[GUESSES])
{
    const uint64_t context = bytes_before(codec, codec->at);
    const uint32_t behind = behind_value(codec);
    unsigned found = 0;

    if (codec->pointer != 0) {
        guesses[found++] = (struct guess){.pointer = codec->pointer, .length = LENGTH_MOST};
    }
    if (is_new(codec, guesses, found, behind)) {
        guesses[found++] =
            (struct guess){.pointer = behind,
                           .length = codec->digits < LENGTH_MOST ? codec->digits : LENGTH_MOST,
                           .behind_value = true};
    }
    for (unsigned order = 0; order < TEXT_CODEC_ORDERS; order++) {
        const uint32_t place = last_place(codec, order, context);

        if (!is_new(codec, guesses, found, place)) {
            continue;
        }
        const uint64_t differs = context ^ bytes_before(codec, place);
        const unsigned length = differs == 0 ? LENGTH_MOST : (unsigned)__builtin_clzll(differs) / 8;

        if (length >= orders[order]) {
            guesses[found++] = (struct guess){.pointer = place, .length = length};
        }
    }
    return found;
}

/* Digits are of one class, so are capitals: what follows them is alike. */
static unsigned class_of(uint8_t byte)
{
    if (byte >= '0' && byte <= '9') {
        return 0;
    }
    if (byte >= 'A' && byte <= 'Z') {
        return 1;
    }
    return byte >= 'a' && byte <= 'z' ? byte - 'a' + 2u : 28 + byte % 16u;
}

/* How sure a guess is depends on its kind: digit, letter, end of a word, other. */
static unsigned kind_of(uint8_t byte)
{
    const unsigned class = class_of(byte);

    if (class == 0) {
        return 0;
    }
    return class < 28 ? 1 : byte == ' ' || byte == '\n' ? 2 : 3;
}

static uint8_t code_literal(struct text_codec *codec, uint8_t byte)
{
    range_probability *tree = codec->model.literal[class_of(codec->history[codec->at - 1])];
    const unsigned high = range_bit(&codec->coder, &codec->model.high, byte >> 7);

    return (uint8_t)(high << 7 | (range_tree(&codec->coder, tree, 7, byte & 127u) & 127));
}

/* Which probability a guess has: by what made it, and how often that was right of late. */
static range_probability *hit_of(struct text_codec *codec, const struct guess *guess, bool is_first,
                                 unsigned kind)
{
    unsigned source = codec->run < TEXT_CODEC_RUNS ? codec->run : TEXT_CODEC_RUNS - 1;

    if (guess->behind_value) {
        source = TEXT_CODEC_RUNS + 1;
    } else if (!is_first) {
        source = TEXT_CODEC_RUNS;
    }
    return &codec->model.hit[source][guess->length][kind];
}

static uint8_t append(struct text_codec *codec, uint8_t byte)
{
    if (class_of(byte) == 0) {
        codec->digits++;
    } else {
        if (codec->digits > 0) {
            *value_place(codec, codec->words) = (uint16_t)codec->at;
        }
        if (byte == '=' || byte == '\n') {
            codec->key = codec->words;
        }
        codec->words = codec->words << 8 | byte;
        codec->digits = 0;
    }
    codec->history[codec->at++] = byte;
    return byte;
}

/* The byte that comes next, which a decoder finds out. */
static uint8_t code_byte(struct text_codec *codec, uint8_t byte)
{
    struct guess guesses[GUESSES];
    const unsigned found = find_guesses(codec, guesses);

    for (unsigned i = 0; i < found; i++) {
        const uint8_t guessed = codec->history[guesses[i].pointer];
        range_probability *hit = hit_of(codec, &guesses[i], i == 0, kind_of(guessed));

        if (range_bit(&codec->coder, hit, byte == guessed ? 0 : 1) == 0) {
            codec->run = i == 0 ? codec->run + 1 : 0;
            codec->pointer = guesses[i].pointer + 1;
            return append(codec, guessed);
        }
    }
    codec->run = 0;
    codec->pointer = 0;
    return append(codec, code_literal(codec, byte));
}

static void forget_text(struct text_codec *codec)
{
    codec->pointer = 0;
    codec->run = 0;
    codec->words = 0;
    codec->digits = 0;
    codec->key = 0;
}

/* The model learns the dictionary: encoded into no bytes. */
static void prime(struct text_codec *codec)
{
    memset(codec->model.places, 0, sizeof(codec->model.places));
    memset(codec->model.values, 0, sizeof(codec->model.values));
    range_forget(&codec->model.high, TEXT_CODEC_PROBABILITIES);
    range_encode(&codec->coder, codec->history, 0);
    codec->history[0] = (uint8_t)text_dictionary[0];
    codec->at = 1;
    forget_text(codec);
    while (codec->at < TEXT_DICTIONARY_BYTES) {
        code_byte(codec, (uint8_t)text_dictionary[codec->at]);
    }
    codec->fresh = codec->model;
    codec->primed = true;
}

static void start(struct text_codec *codec)
{
    if (!codec->primed) {
        prime(codec);
    }
    codec->model = codec->fresh;
    codec->at = TEXT_DICTIONARY_BYTES;
    forget_text(codec);
}

/* Bytes of the whole lines in text[0..length), at most `limit`. */
static size_t whole_lines(const char *text, size_t length, size_t limit)
{
    if (length <= limit) {
        return length;
    }
    while (limit > 0 && text[limit - 1] != '\n') {
        limit--;
    }
    return limit;
}

/* Encodes text[0..limit) as far as it fits. Returns the bytes of its whole lines that fit; where
 * these are not all that was encoded, the payload is to be made again. */
static size_t encode_pass(struct text_codec *codec, const char *text, size_t limit,
                          uint8_t *payload, size_t capacity)
{
    struct range_coder *coder = &codec->coder;
    size_t whole = 0;
    size_t at = 0;

    start(codec);
    range_encode(coder, payload + CODED_PREFIX, capacity - CODED_PREFIX);
    while (at < limit) {
        code_byte(codec, (uint8_t)text[at++]);
        if (range_bytes(coder) > coder->end) {
            return whole;
        }
        if (text[at - 1] == '\n') {
            whole = at;
        }
    }
    return at;
}

static size_t encode_stored(const char *text, size_t length, uint8_t *payload, size_t capacity,
                            size_t *taken)
{
    *taken = whole_lines(text, length, capacity - STORED_PREFIX);
    if (*taken == 0) {
        return 0;
    }
    payload[0] = CODEC_STORED;
    memcpy(payload + STORED_PREFIX, text, *taken);
    return STORED_PREFIX + *taken;
}

size_t text_encode(struct text_codec *codec, const char *text, size_t length, uint8_t *payload,
                   size_t capacity, size_t *taken)
{
    size_t limit = whole_lines(text, length, TEXT_CODEC_RAW_MAX);
    size_t fit = encode_pass(codec, text, limit, payload, capacity);

    while (fit != limit) {
        limit = fit;
        fit = encode_pass(codec, text, limit, payload, capacity);
    }
    const size_t bytes = CODED_PREFIX + range_finish(&codec->coder);

    if (fit == 0 || bytes > STORED_PREFIX + fit) {
        return encode_stored(text, length, payload, capacity, taken);
    }
    payload[0] = CODEC_CODED;
    codec_put(payload + 1, fit, 2);
    *taken = fit;
    return bytes;
}

ptrdiff_t text_decode(struct text_codec *codec, const uint8_t *payload, size_t length, char *text,
                      size_t capacity)
{
    const size_t most = capacity < TEXT_CODEC_RAW_MAX ? capacity : TEXT_CODEC_RAW_MAX;

    if (length >= STORED_PREFIX && payload[0] == CODEC_STORED && length - STORED_PREFIX <= most) {
        memcpy(text, payload + STORED_PREFIX, length - STORED_PREFIX);
        return (ptrdiff_t)(length - STORED_PREFIX);
    }
    if (length < CODED_PREFIX || payload[0] != CODEC_CODED || codec_get16(payload + 1) > most) {
        return -1;
    }
    const size_t count = codec_get16(payload + 1);

    start(codec);
    range_decode(&codec->coder, payload + CODED_PREFIX, length - CODED_PREFIX);
    for (size_t i = 0; i < count; i++) {
        text[i] = (char)code_byte(codec, 0);
    }
    return (ptrdiff_t)count;
}
