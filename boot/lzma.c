/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/lzma.h"

#define PROBABILITY_BITS 11
#define PROBABILITY_HALF (1u << (PROBABILITY_BITS - 1))
#define MOVE_BITS        5 /* how far a bit seen moves its probability */
#define RANGE_TOP        (1u << 24)
#define CODE_BYTES       5 /* at the start of a stream; the first is 0 */

#define STATES               12
#define STATE_AFTER_LITERALS 7 /* below it, what came last was a literal */

#define LITERAL_BITS  8
#define LITERAL_SIZE  0x300 /* one tree for a byte, two for one where a match just ended */
#define MATCH_MIN     2
#define LOW_BITS      3
#define MID_BITS      3
#define HIGH_BITS     8
#define LENGTH_STATES 4
#define SLOT_BITS     6
#define SLOTS_DIRECT  4  /* below it a slot is the distance itself */
#define SLOTS_MODELED 14 /* below it all further bits have probabilities of their own */
#define ALIGN_BITS    4
#define END_MARKER    UINT32_MAX /* as a distance */

_Static_assert(LZMA_LITERAL_POSITION_BITS == 0 && LZMA_POSITION_BITS == 0,
               "no probability depends on the position");

struct length_model {
    uint16_t not_low;
    uint16_t not_mid;
    uint16_t low[1 << LOW_BITS];
    uint16_t mid[1 << MID_BITS];
    uint16_t high[1 << HIGH_BITS];
};

/* Probabilities that a bit is 0, in 1/2048: nothing else, so that one loop sets them all. */
struct model {
    uint16_t match[STATES];
    uint16_t repeat[STATES];
    uint16_t not_repeat_0[STATES];
    uint16_t not_repeat_1[STATES];
    uint16_t not_repeat_2[STATES];
    uint16_t long_repeat_0[STATES];
    uint16_t slot[LENGTH_STATES][1 << SLOT_BITS];
    uint16_t distance[1 + (1 << (SLOTS_MODELED / 2)) - SLOTS_MODELED];
    uint16_t align[1 << ALIGN_BITS];
    struct length_model match_length;
    struct length_model repeat_length;
    uint16_t literal[1 << LZMA_LITERAL_CONTEXT_BITS][LITERAL_SIZE];
};

struct decoder {
    const uint8_t *in;
    const uint8_t *in_end;
    bool ran_out; /* of input: zeroes were read behind its end */
    uint32_t range;
    uint32_t code;

    uint8_t *out;
    size_t size;
    size_t position;

    unsigned state;        /* what the last packets were */
    uint32_t distances[4]; /* minus one; the last used comes first */
    struct model model;
};

static uint8_t next_byte(struct decoder *decoder)
{
    if (decoder->in == decoder->in_end) {
        decoder->ran_out = true;
        return 0;
    }
    return *decoder->in++;
}

static void refill(struct decoder *decoder)
{
    decoder->range <<= 8;
    decoder->code = decoder->code << 8 | next_byte(decoder);
}

/* After every bit: a call that mostly does nothing would cost a tenth of all unpacking. */
static inline __attribute__((always_inline)) void normalize(struct decoder *decoder)
{
    if (decoder->range < RANGE_TOP) {
        refill(decoder);
    }
}

static unsigned decode_bit(struct decoder *decoder, uint16_t *probability)
{
    const uint32_t bound = (decoder->range >> PROBABILITY_BITS) * *probability;
    const unsigned bit = decoder->code >= bound;

    if (bit == 0) {
        decoder->range = bound;
        *probability += ((1u << PROBABILITY_BITS) - *probability) >> MOVE_BITS;
    } else {
        decoder->range -= bound;
        decoder->code -= bound;
        *probability -= *probability >> MOVE_BITS;
    }
    normalize(decoder);
    return bit;
}

/* Bits of even odds, the highest first. */
static uint32_t decode_direct(struct decoder *decoder, unsigned count)
{
    uint32_t value = 0;

    for (; count > 0; count--) {
        decoder->range >>= 1;
        const uint32_t bit = decoder->code >= decoder->range;

        decoder->code -= bit * decoder->range;
        value = value << 1 | bit;
        normalize(decoder);
    }
    return value;
}

/* A number whose bits have their probabilities in a tree: node n leads to 2n and 2n+1. */
static unsigned decode_tree(struct decoder *decoder, uint16_t *tree, unsigned bits)
{
    unsigned node = 1;

    for (unsigned i = 0; i < bits; i++) {
        node = node << 1 | decode_bit(decoder, &tree[node]);
    }
    return node - (1u << bits);
}

/* The same, the lowest bit first. */
static uint32_t decode_tree_reversed(struct decoder *decoder, uint16_t *tree, unsigned bits)
{
    unsigned node = 1;
    uint32_t value = 0;

    for (unsigned i = 0; i < bits; i++) {
        const unsigned bit = decode_bit(decoder, &tree[node]);

        node = node << 1 | bit;
        value |= bit << i;
    }
    return value;
}

/* After a match the byte is likely none that the match would have gone on with: as long as their
 * bits agree, that byte's bit chooses the tree. */
static uint8_t decode_literal(struct decoder *decoder)
{
    const uint8_t before = decoder->position > 0 ? decoder->out[decoder->position - 1] : 0;
    uint16_t *tree = decoder->model.literal[before >> (LITERAL_BITS - LZMA_LITERAL_CONTEXT_BITS)];
    unsigned node = 1;

    if (decoder->state >= STATE_AFTER_LITERALS) {
        unsigned matched = decoder->out[decoder->position - decoder->distances[0] - 1];
        unsigned expected;
        unsigned bit;

        do {
            matched <<= 1;
            expected = matched >> LITERAL_BITS & 1;
            bit = decode_bit(decoder, &tree[((1 + expected) << LITERAL_BITS) + node]);
            node = node << 1 | bit;
        } while (bit == expected && node < 1u << LITERAL_BITS);
    }
    while (node < 1u << LITERAL_BITS) {
        node = node << 1 | decode_bit(decoder, &tree[node]);
    }
    return (uint8_t)node;
}

static bool put_literal(struct decoder *decoder)
{
    if (decoder->position == decoder->size) {
        return false;
    }
    decoder->out[decoder->position] = decode_literal(decoder);
    decoder->position++;
    if (decoder->state < 4) {
        decoder->state = 0;
    } else {
        decoder->state -= decoder->state < 10 ? 3 : 6;
    }
    return true;
}

static uint32_t decode_length(struct decoder *decoder, struct length_model *model)
{
    if (decode_bit(decoder, &model->not_low) == 0) {
        return MATCH_MIN + decode_tree(decoder, model->low, LOW_BITS);
    }
    if (decode_bit(decoder, &model->not_mid) == 0) {
        return MATCH_MIN + (1u << LOW_BITS) + decode_tree(decoder, model->mid, MID_BITS);
    }
    return MATCH_MIN + (1u << LOW_BITS) + (1u << MID_BITS) +
           decode_tree(decoder, model->high, HIGH_BITS);
}

/* Minus one. A slot gives the highest two bits and the number of those below. */
static uint32_t decode_distance(struct decoder *decoder, uint32_t length)
{
    struct model *model = &decoder->model;
    const uint32_t length_state =
        length - MATCH_MIN < LENGTH_STATES ? length - MATCH_MIN : LENGTH_STATES - 1;
    const unsigned slot = decode_tree(decoder, model->slot[length_state], SLOT_BITS);

    if (slot < SLOTS_DIRECT) {
        return slot;
    }
    const unsigned bits = (slot >> 1) - 1;
    const uint32_t distance = (2 | (slot & 1)) << bits;

    if (slot < SLOTS_MODELED) {
        return distance + decode_tree_reversed(decoder, &model->distance[distance - slot], bits);
    }
    return distance + (decode_direct(decoder, bits - ALIGN_BITS) << ALIGN_BITS) +
           decode_tree_reversed(decoder, model->align, ALIGN_BITS);
}

/* Moves the distance at `index` of those last used to the front. */
static void use_distance(struct decoder *decoder, unsigned index)
{
    const uint32_t distance = decoder->distances[index];

    for (; index > 0; index--) {
        decoder->distances[index] = decoder->distances[index - 1];
    }
    decoder->distances[0] = distance;
}

/* A match at a distance used before. Returns its length. */
static uint32_t decode_repeat(struct decoder *decoder)
{
    struct model *model = &decoder->model;
    const unsigned state = decoder->state;
    const bool after_literal = state < STATE_AFTER_LITERALS;

    if (decode_bit(decoder, &model->not_repeat_0[state]) == 0) {
        if (decode_bit(decoder, &model->long_repeat_0[state]) == 0) {
            decoder->state = after_literal ? 9 : 11;
            return 1;
        }
    } else if (decode_bit(decoder, &model->not_repeat_1[state]) == 0) {
        use_distance(decoder, 1);
    } else {
        use_distance(decoder, 2 + decode_bit(decoder, &model->not_repeat_2[state]));
    }
    decoder->state = after_literal ? 8 : 11;
    return decode_length(decoder, &model->repeat_length);
}

static uint32_t decode_match(struct decoder *decoder)
{
    const uint32_t length = decode_length(decoder, &decoder->model.match_length);

    decoder->state = decoder->state < STATE_AFTER_LITERALS ? 7 : 10;
    use_distance(decoder, 3);
    decoder->distances[0] = decode_distance(decoder, length);
    return length;
}

static bool copy_match(struct decoder *decoder, uint32_t length)
{
    const uint32_t distance = decoder->distances[0];

    if (distance >= decoder->position || length > decoder->size - decoder->position) {
        return false;
    }
    for (; length > 0; length--) {
        decoder->out[decoder->position] = decoder->out[decoder->position - distance - 1];
        decoder->position++;
    }
    return true;
}

/* False: a packet that cannot be, or the end marker. */
static bool decode_packet(struct decoder *decoder)
{
    struct model *model = &decoder->model;

    if (decode_bit(decoder, &model->match[decoder->state]) == 0) {
        return put_literal(decoder);
    }
    const uint32_t length = decode_bit(decoder, &model->repeat[decoder->state]) != 0
                                ? decode_repeat(decoder)
                                : decode_match(decoder);

    return copy_match(decoder, length);
}

static void start(struct decoder *decoder)
{
    uint16_t *probabilities = (uint16_t *)&decoder->model;

    for (size_t i = 0; i < sizeof(decoder->model) / sizeof(*probabilities); i++) {
        probabilities[i] = PROBABILITY_HALF;
    }
    decoder->range = UINT32_MAX;
    for (unsigned i = 0; i < CODE_BYTES; i++) {
        decoder->code = decoder->code << 8 | next_byte(decoder);
    }
}

bool lzma_unpack(const uint8_t *in, size_t in_size, uint8_t *out, size_t out_size)
{
    static struct decoder decoder; /* too large for a stack */

    decoder = (struct decoder){.in = in, .in_end = in + in_size, .out = out, .size = out_size};
    if (in_size == 0 || in[0] != 0) {
        return false;
    }
    start(&decoder);
    while (!decoder.ran_out && decode_packet(&decoder)) {
    }
    return decoder.distances[0] == END_MARKER && decoder.code == 0 && !decoder.ran_out &&
           decoder.in == decoder.in_end && decoder.position == out_size;
}
