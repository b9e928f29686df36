/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/link/text_codec.h"
#include "kernel/plan/bytes.h"

#define STORED_PREFIX 1u
#define CODED_PREFIX  3u

#define GUESSES     2
#define LENGTH_MOST 8u /* number of bytes of a context that are compared */

/* Length in bytes of each context, the longest first. */
static const uint8_t orders[TEXT_CODEC_ORDERS] = {6, 4, 3};

/* Where a guess comes from. SOURCE_RUN stands for several sources, one for each number of correct
 * first guesses in a row. */
enum source {
    SOURCE_RUN = 0,
    SOURCE_SECOND = TEXT_CODEC_RUNS,
    SOURCE_BEHIND,
    SOURCE_COUNT,
};

struct guess {
    uint32_t pointer; /* position in history of the guessed byte */
    uint8_t byte;
    uint8_t source;
    /* For SOURCE_BEHIND, the number of digits of the current number so far. For other sources, the
     * length of the match: how many bytes before `pointer` equal those before the next byte. */
    unsigned length;
};

/* Returns the eight bytes before `at`, the latest in the most significant byte. */
static uint64_t bytes_before(const struct text_codec *codec, uint32_t at)
{
    uint64_t bytes = 0;

    if (at >= sizeof(bytes)) {
        memcpy(&bytes, &codec->history[at - sizeof(bytes)], sizeof(bytes));
    }
    return bytes;
}

/* Returns the position after this context's last occurrence; the next byte becomes its latest. */
static uint32_t last_place(struct text_codec *codec, unsigned order, uint64_t context)
{
    const uint64_t mixed = (context >> (64 - 8 * orders[order])) * UINT64_C(0x9e3779b97f4a7c15);
    uint16_t *place = &codec->model.places[order][mixed >> (64 - TEXT_CODEC_PLACE_BITS)];
    const uint32_t last = *place;

    *place = (uint16_t)codec->at;
    return last;
}

static uint32_t value_slot(uint32_t context)
{
    return context * 2654435761u >> (32 - TEXT_CODEC_VALUE_BITS);
}

/* Returns the entry for values that have `context` before them. */
static uint16_t *value_place(struct text_codec *codec, uint32_t context)
{
    return &codec->model.values[value_slot(context)];
}

static bool is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

/* Returns digit `at` of the number that is 1 more than the one ending at `end`, with as many
 * digits, or 0 if that number has no such digit. */
static uint8_t counted_digit(const struct text_codec *codec, uint32_t end, uint32_t at)
{
    uint32_t begin = end;
    bool carry = true;

    while (begin > 0 && is_digit(codec->history[begin - 1])) {
        begin--;
    }
    if (at >= end - begin) {
        return 0;
    }
    for (uint32_t i = begin + at + 1; i < end; i++) {
        carry = carry && codec->history[i] == '9';
    }
    const uint8_t digit = codec->history[begin + at];

    return !carry ? digit : digit == '9' ? '0' : digit + 1;
}

/* Returns the position in the earlier text whose continuation predicts the next bytes, or 0 if
 * there is none. Within a number: the end of the last number that followed the same text. After a
 * blank: the end of the last value of the current key. */
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

struct guesses {
    struct guess list[GUESSES];
    unsigned found;
};

/* Adds a guess unless there are already two or it is the same as the first. */
static void add_guess(struct text_codec *codec, struct guesses *guesses, struct guess guess)
{
    if (guesses->found == GUESSES || (guesses->found > 0 && guesses->list[0].byte == guess.byte)) {
        return;
    }
    if (guess.source == SOURCE_RUN) {
        const uint32_t run = codec->run < TEXT_CODEC_RUNS ? codec->run : TEXT_CODEC_RUNS - 1;

        guess.source = (uint8_t)(guesses->found > 0 ? SOURCE_SECOND : SOURCE_RUN + run);
    }
    guesses->list[guesses->found++] = guess;
}

static void add_place(struct text_codec *codec, struct guesses *guesses, uint32_t place,
                      enum source source, unsigned length)
{
    if (place != 0) {
        add_guess(codec, guesses,
                  (struct guess){.pointer = place,
                                 .byte = codec->history[place],
                                 .source = (uint8_t)source,
                                 .length = length < LENGTH_MOST ? length : LENGTH_MOST});
    }
}

/* Adds the next digit of a number that counts up, if its digits so far fit. */
static void add_count(struct text_codec *codec, struct guesses *guesses)
{
    const uint32_t slot = value_slot(codec->words);
    const uint32_t end = codec->model.values[slot];

    if (codec->counted && end != 0 && codec->model.counts[slot] != 0) {
        const uint8_t digit = counted_digit(codec, end, codec->digits);

        if (digit != 0) {
            add_guess(codec, guesses, (struct guess){.byte = digit, .source = SOURCE_COUNT});
        }
    }
}

/* Collects guesses in this order: the next digit of a number that counts up, what follows the last
 * correct guess, what followed the last value, and what followed the longest contexts. */
static void find_guesses(struct text_codec *codec, struct guesses *guesses)
{
    const uint64_t context = bytes_before(codec, codec->at);
    const uint32_t behind = behind_value(codec);

    guesses->found = 0;
    add_count(codec, guesses);
    add_place(codec, guesses, codec->pointer, SOURCE_RUN, LENGTH_MOST);
    add_place(codec, guesses, behind, SOURCE_BEHIND, codec->digits);
    for (unsigned order = 0; order < TEXT_CODEC_ORDERS; order++) {
        const uint32_t place = last_place(codec, order, context);
        const uint64_t differs = context ^ bytes_before(codec, place);
        const unsigned length = differs == 0 ? LENGTH_MOST : (unsigned)__builtin_clzll(differs) / 8;

        if (length >= orders[order]) {
            add_place(codec, guesses, place, SOURCE_RUN, length);
        }
    }
}

/* Returns the class of a byte as a context. All digits are one class, and all capitals another,
 * because what follows them is alike. */
static unsigned class_of(uint8_t byte)
{
    if (is_digit(byte)) {
        return 0;
    }
    if (byte >= 'A' && byte <= 'Z') {
        return 1;
    }
    return byte >= 'a' && byte <= 'z' ? byte - 'a' + 2u : 28 + byte % 16u;
}

/* Returns the kind of a byte, on which a guess's reliability depends: digit, letter, end, other. */
static unsigned kind_of(uint8_t byte)
{
    const unsigned class = class_of(byte);

    if (class == 0) {
        return 0;
    }
    return class < 28 ? 1 : byte == ' ' || byte == '\n' ? 2 : 3;
}

/* Returns the probability of the bit at `node` of a byte that has `before` before it. */
static range_probability *hashed_bit(struct text_codec *codec, unsigned which, uint32_t before,
                                     unsigned node)
{
    uint32_t mixed = (before + node * 2246822519u) * 2654435761u;

    mixed = (mixed ^ mixed >> 15) * 3266489917u;
    return &codec->model.hashed[which][mixed >> (32 - TEXT_CODEC_BYTE_BITS)];
}

static uint8_t code_literal(struct text_codec *codec, uint8_t byte)
{
    range_probability *tree = codec->model.literal[class_of(codec->history[codec->at - 1])];
    const unsigned high = range_bit(&codec->coder, &codec->model.high, byte >> 7);
    const uint64_t before = bytes_before(codec, codec->at);
    unsigned node = 1;

    for (unsigned bits = 7; bits-- > 0;) {
        range_probability *inputs[MIXER_INPUTS] = {&tree[node]};
        unsigned known = 0;

        for (unsigned i = 0; i < TEXT_CODEC_HASHED; i++) {
            inputs[1 + i] = hashed_bit(codec, i, (uint32_t)(before >> (48 - 8 * i)), node);
            known += range_is_known(inputs[1 + i]) ? 1 : 0;
        }
        node = node << 1 | mixer_bit(&codec->mixer, &codec->coder, inputs, 1 + TEXT_CODEC_HASHED,
                                     &codec->model.weights[known], byte >> bits & 1);
    }
    return (uint8_t)(high << 7 | (node & 127));
}

/* Updates the model at the end of a number. */
static void end_number(struct text_codec *codec)
{
    const uint32_t slot = value_slot(codec->words);
    const uint32_t last = codec->model.values[slot];
    const bool counted =
        codec->counted && last != 0 && counted_digit(codec, last, codec->digits) == 0;

    codec->model.counts[slot] = counted ? 1 : 0;
    codec->model.values[slot] = (uint16_t)codec->at;
}

static uint8_t append(struct text_codec *codec, uint8_t byte)
{
    if (is_digit(byte)) {
        codec->counted =
            codec->counted &&
            byte == counted_digit(codec, *value_place(codec, codec->words), codec->digits);
        codec->digits++;
    } else {
        if (codec->digits > 0) {
            end_number(codec);
        }
        if (byte == '=' || byte == '\n') {
            codec->key = codec->words;
        }
        codec->words = codec->words << 8 | byte;
        codec->digits = 0;
        codec->counted = true;
    }
    codec->history[codec->at++] = byte;
    return byte;
}

/* Codes the next byte. A decoder ignores `byte`. Returns the byte. */
static uint8_t code_byte(struct text_codec *codec, uint8_t byte)
{
    struct guesses guesses;

    find_guesses(codec, &guesses);
    for (unsigned i = 0; i < guesses.found; i++) {
        const struct guess *guess = &guesses.list[i];
        range_probability *hit =
            &codec->model.hit[guess->source][guess->length][kind_of(guess->byte)];

        if (range_bit(&codec->coder, hit, byte == guess->byte ? 0 : 1) == 0) {
            codec->run = i == 0 ? codec->run + 1 : 0;
            codec->pointer = guess->source == SOURCE_COUNT ? 0 : guess->pointer + 1;
            return append(codec, guess->byte);
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
    codec->counted = true;
    codec->key = 0;
}

/* Lets the model learn the dictionary, by encoding it without output. */
static void prime(struct text_codec *codec)
{
    memset(codec->model.places, 0, sizeof(codec->model.places));
    memset(codec->model.values, 0, sizeof(codec->model.values));
    memset(codec->model.counts, 0, sizeof(codec->model.counts));
    mixer_init(&codec->mixer);
    for (unsigned i = 0; i <= TEXT_CODEC_HASHED; i++) {
        mixer_forget(&codec->model.weights[i]);
    }
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

/* Returns the number of bytes of the whole lines in text[0..length), at most `limit`. */
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

/* Encodes text[0..limit) as far as it fits. Returns the number of bytes of its whole lines that
 * fit. If that is less than `limit`, the payload must be encoded again with this limit. */
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
    bytes_put(payload + 1, fit, 2);
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
    if (length < CODED_PREFIX || payload[0] != CODEC_CODED || bytes_get16(payload + 1) > most) {
        return -1;
    }
    const size_t count = bytes_get16(payload + 1);

    start(codec);
    range_decode(&codec->coder, payload + CODED_PREFIX, length - CODED_PREFIX);
    for (size_t i = 0; i < count; i++) {
        text[i] = (char)code_byte(codec, 0);
    }
    return (ptrdiff_t)count;
}
