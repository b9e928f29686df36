/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/link/trace_codec.h"

#include "kernel/plan/bytes.h"

#define HEAD          ((uint32_t)sizeof(struct trace_packet))
#define STORED_PREFIX 12u /* bytes before the packet's header */
#define CODED_PREFIX  3u

/* A record is added only if this many bytes are left. If one takes more, which is rare, everything
 * is encoded again without it. */
#define RECORD_ROOM 24u

/* Widest field, in bytes, that is treated as a name rather than an amount. */
#define SHORT_WIDTH 2u
/* Two intervals count as the same if they differ by at most 1 / (2 * ABOUT) of their length;
 * range_folded() doubles the difference. */
#define ABOUT 64u

#define TIMES_BITS  3
#define ID_BITS     6
#define STAMP_MASK  ((UINT64_C(1) << TRACE_STAMP_BITS) - 1)
#define HEAD_NUMBER (TRACE_CODEC_NUMBERS - 1)

struct shape {
    bool known;
    uint8_t count;                     /* number of fields of the event */
    uint8_t width[TRACE_CODEC_FIELDS]; /* width of each field in bytes */
};

static const struct shape shapes[TRACE_CODEC_IDS] = {
#define TRACE_EVENT0(id, name)                 [id] = {true, 0, {0}},
#define TRACE_EVENT1(id, name, t0, n0)         [id] = {true, 1, {sizeof(t0)}},
#define TRACE_EVENT2(id, name, t0, n0, t1, n1) [id] = {true, 2, {sizeof(t0), sizeof(t1)}},
#define TRACE_EVENT3(id, name, t0, n0, t1, n1, t2, n2) \
    [id] = {true, 3, {sizeof(t0), sizeof(t1), sizeof(t2)}},
#define TRACE_EVENT4(id, name, t0, n0, t1, n1, t2, n2, t3, n3) \
    [id] = {true, 4, {sizeof(t0), sizeof(t1), sizeof(t2), sizeof(t3)}},
#define TRACE_EVENT5(id, name, t0, n0, t1, n1, t2, n2, t3, n3, t4, n4) \
    [id] = {true, 5, {sizeof(t0), sizeof(t1), sizeof(t2), sizeof(t3), sizeof(t4)}},
#include "kernel/trace/events.def"
};

/* Counts the numbers that all events need: one for each field, and one for the delay. */
enum {
    NUMBERS_USED = 0
#define TRACE_EVENT0(...) +1
#define TRACE_EVENT1(...) +2
#define TRACE_EVENT2(...) +3
#define TRACE_EVENT3(...) +4
#define TRACE_EVENT4(...) +5
#define TRACE_EVENT5(...) +6
#include "kernel/trace/events.def"
};
_Static_assert(TRACE_CODEC_TIMES == 1u << TIMES_BITS, "range_tree() codes which time it is");
_Static_assert(NUMBERS_USED <= HEAD_NUMBER, "TRACE_CODEC_NUMBERS is less than events.def needs");

/* Fields that contain a time shortly before the timestamp, by the ids of events.def. */
enum {
    ID_TIMER_EXPIRE = 10, /* the event's only such field is the deadline */
    ID_INPUT = 24,        /* the event's field FIELD_ARRIVAL is the time of the arrival */
    FIELD_ARRIVAL = 3,
};

/* Returns the field of the event that is a time, or TRACE_CODEC_FIELDS if none is. */
static unsigned time_field(unsigned id)
{
    return id == ID_TIMER_EXPIRE ? 0 : id == ID_INPUT ? FIELD_ARRIVAL : TRACE_CODEC_FIELDS;
}

struct record {
    unsigned id;
    /* Delay from the timestamp of the record before, without its low zero bits. */
    uint64_t delay;
    /* Values of the record's fields. A field that is a time is stored as its distance from the
     * timestamp. */
    uint64_t values[TRACE_CODEC_FIELDS];
};

/* Records as bytes -------------------------------------------------------------------------- */

uint32_t trace_codec_content(const uint8_t *packet)
{
    const uint64_t bytes = bytes_get64(packet + offsetof(struct trace_packet, content_bits)) / 8;

    if (bytes < HEAD) {
        return HEAD;
    }
    return bytes > TRACE_PACKET_BYTES ? TRACE_PACKET_BYTES : (uint32_t)bytes;
}

static uint64_t narrowed(uint64_t value, unsigned width)
{
    return width == sizeof(value) ? value : value & ((UINT64_C(1) << 8 * width) - 1);
}

/* Returns where the fields of a record end if they begin at `fields`. */
static uint32_t record_end(unsigned id, uint32_t fields)
{
    for (unsigned i = 0; i < shapes[id].count; i++) {
        fields += shapes[id].width[i];
    }
    return fields;
}

/* Returns whether the recorder gives a record an extended header (packet.h). */
static bool needs_extended(unsigned id, uint64_t before, uint64_t stamp)
{
    return id > TRACE_ID_EXTENDED || before >> TRACE_STAMP_BITS != stamp >> TRACE_STAMP_BITS;
}

/* A record found in a packet. */
struct found {
    unsigned id;
    uint64_t stamp;
    uint32_t fields;
    uint32_t end;
};

/* Finds the record at `at`; `before` is the timestamp of the record before it. Returns false if
 * there is no complete record of events.def with the header that the recorder would give it. */
static bool find_record(const uint8_t *packet, uint32_t at, uint32_t end, uint64_t before,
                        struct found *found)
{
    if (end - at < TRACE_HEADER_COMPACT) {
        return false;
    }
    const uint32_t head = bytes_get32(packet + at);

    found->id = head % (1u << TRACE_ID_BITS);
    found->stamp = (before & ~STAMP_MASK) | head >> TRACE_ID_BITS;
    found->fields = at + TRACE_HEADER_COMPACT;
    if (found->id == TRACE_ID_EXTENDED) {
        if (end - at < TRACE_HEADER_EXTENDED || packet[at] != TRACE_ID_EXTENDED) {
            return false;
        }
        found->id = bytes_get32(packet + at + 1);
        found->stamp = bytes_get64(packet + at + 5);
        found->fields = at + TRACE_HEADER_EXTENDED;
        if (!needs_extended(found->id, before, found->stamp)) {
            return false;
        }
    }
    if (found->id >= TRACE_CODEC_IDS || !shapes[found->id].known) {
        return false;
    }
    found->end = record_end(found->id, found->fields);
    return found->end <= end;
}

/* Reads the eight bytes that end with a field and shifts out those before it, so that no branch
 * depends on the width. There are always eight, because the packet's header precedes all fields. */
static void read_values(const uint8_t *packet, uint32_t at, unsigned id, uint64_t stamp,
                        uint64_t *values)
{
    for (unsigned i = 0; i < shapes[id].count; i++) {
        at += shapes[id].width[i];
        const uint64_t value =
            bytes_get64(packet + at - sizeof(value)) >> (64 - 8 * shapes[id].width[i]);

        values[i] = i == time_field(id) ? stamp - value : value;
    }
}

/* Stored payloads --------------------------------------------------------------------------- */

static size_t encode_stored(const uint8_t *packet, uint32_t index, uint32_t *at, uint8_t *payload,
                            size_t capacity)
{
    const uint32_t content = trace_codec_content(packet);
    const size_t room = capacity - STORED_PREFIX - HEAD;
    const uint32_t taken = content - *at < room ? content - *at : (uint32_t)room;

    payload[0] = CODEC_STORED;
    bytes_put(payload + 1, index, 4);
    bytes_put(payload + 5, *at, 2);
    bytes_put(payload + 7, *at + taken, 2);
    bytes_put(payload + 9, 0, 2);
    payload[11] = *at + taken == content ? 1 : 0;
    memcpy(payload + STORED_PREFIX, packet, HEAD);
    memcpy(payload + STORED_PREFIX + HEAD, packet + *at, taken);
    *at += taken;
    return STORED_PREFIX + HEAD + taken;
}

static bool decode_stored(const uint8_t *payload, size_t length, uint8_t *packet,
                          struct trace_piece *piece)
{
    if (length < STORED_PREFIX + HEAD) {
        return false;
    }
    *piece = (struct trace_piece){.index = bytes_get32(payload + 1),
                                  .from = bytes_get16(payload + 5),
                                  .to = bytes_get16(payload + 7),
                                  .last = payload[11] == 1};
    if (bytes_get16(payload + 9) != 0 || payload[11] > 1 || piece->from < HEAD ||
        piece->from > piece->to || piece->to > TRACE_PACKET_BYTES ||
        length - STORED_PREFIX - HEAD != piece->to - piece->from) {
        return false;
    }
    memcpy(packet, payload + STORED_PREFIX, HEAD);
    memcpy(packet + piece->from, payload + STORED_PREFIX + HEAD, piece->to - piece->from);
    return piece->last == (piece->to == trace_codec_content(packet));
}

/* Prediction -------------------------------------------------------------------------------- */

static void start(struct trace_codec *codec)
{
    unsigned number = 0;

    codec->count = 0;
    codec->outcomes = 0;
    memset(codec->contexts, 0, sizeof(codec->contexts));
    memset(codec->latest, 0, sizeof(codec->latest));
    memset(codec->clocks, 0, sizeof(codec->clocks));
    memset(&codec->times, 0, sizeof(codec->times));
    memset(codec->places, 0, sizeof(codec->places));
    memset(codec->pairs, 0, sizeof(codec->pairs));
    for (unsigned id = 0; id < TRACE_CODEC_IDS; id++) {
        codec->numbers[id] = (uint8_t)number;
        number += shapes[id].known ? shapes[id].count + 1u : 0;
    }
    range_forget(&codec->whole[0][0][0], TRACE_CODEC_PROBABILITIES);
}

/* Returns the timestamp of the last record. */
static uint64_t stamp_before(const struct trace_codec *codec)
{
    return codec->stamps[codec->count];
}

static void read_past(const struct trace_codec *codec, const uint8_t *packet, unsigned past,
                      uint64_t *values)
{
    read_values(packet, codec->fields[past], codec->ids[past], codec->stamps[past + 1], values);
}

/* Predicts a record like the past record `model`, with the same id and delay. Its fields differ
 * from those of the last record of that id as the fields of `model` differ from those of the record
 * of that id before `model`. */
static void predict_like(const struct trace_codec *codec, const uint8_t *packet, unsigned model,
                         struct record *record)
{
    const unsigned id = codec->ids[model];
    const unsigned last = codec->latest[id] - 1u;
    uint64_t now[TRACE_CODEC_FIELDS] = {0};
    uint64_t then[TRACE_CODEC_FIELDS] = {0};

    record->id = id;
    record->delay = (codec->stamps[model + 1] - codec->stamps[model]) >> codec->shift;
    read_past(codec, packet, last, record->values);
    if (last == model || codec->same[model] == 0) {
        return;
    }
    read_past(codec, packet, model, now);
    read_past(codec, packet, codec->same[model] - 1u, then);
    for (unsigned i = 0; i < shapes[id].count; i++) {
        const uint64_t value = record->values[i] + now[i] - then[i];

        record->values[i] = i == time_field(id) ? value : narrowed(value, shapes[id].width[i]);
    }
}

static struct trace_place *place_of(struct trace_codec *codec, unsigned order)
{
    return &codec->places[order][codec->contexts[order] >> (32 - TRACE_CODEC_PLACE_BITS)];
}

/* Returns the entry of `pairs` for this id after a record like the last one. */
static uint16_t *pair_of(struct trace_codec *codec, unsigned id)
{
    const uint32_t mixed = (codec->contexts[0] + id * 2246822519u) * 2654435761u;

    return &codec->pairs[mixed >> (32 - TRACE_CODEC_PLACE_BITS)];
}

/* Predicts the next record from one of the contexts. Each context has a number of correct
 * predictions in a row; the one that has been right most often after that number is used. Sets
 * *order to its order minus 1. Returns its entry in `places`, or NULL if no context has occurred
 * before. */
static const struct trace_place *predict(struct trace_codec *codec, const uint8_t *packet,
                                         unsigned *order, struct record *record)
{
    unsigned best = 0;

    /* Each context's trust and order are joined in one number, whose maximum needs no branches. A
     * trust is never 0. */
#pragma GCC unroll 5
    for (unsigned i = 0; i < TRACE_CODEC_ORDERS; i++) {
        const struct trace_place *place = place_of(codec, i);
        const unsigned trust = place->record != 0 ? codec->trust[i][place->proofs] : 0u;
        const unsigned known = trust * TRACE_CODEC_ORDERS + i;

        best = known > best ? known : best;
    }
    if (best < TRACE_CODEC_ORDERS) {
        return NULL;
    }
    *order = best % TRACE_CODEC_ORDERS;
    const struct trace_place *place = place_of(codec, *order);

    predict_like(codec, packet, place->record - 1u, record);
    return place;
}

/* Updates the trust in a context, depending on whether it predicted this record. It learns twice:
 * whether the id was right, and whether both id and delay were right. */
RANGE_INLINE void prove(struct trace_codec *codec, unsigned order, const struct record *record)
{
    struct trace_place *place = place_of(codec, order);
    range_probability *trust = &codec->trust[order][place->proofs];

    if (place->record == 0) {
        return;
    }
    const unsigned last = place->record - 1u;
    const unsigned other = codec->ids[last] != record->id;
    const uint64_t delay = (codec->stamps[last + 1] - codec->stamps[last]) >> codec->shift;
    const unsigned missed = other | (delay != record->delay);

    *trust = range_learned(range_learned(*trust, other - 1), missed - 1);
    place->proofs =
        (uint8_t)((place->proofs + (place->proofs < TRACE_CODEC_PROOFS - 1)) * (1 - missed));
}

/* Hashes the id and the first field, unless that field is a time. */
static uint32_t kind_of(const struct record *record)
{
    const bool marked = shapes[record->id].count > 0 && time_field(record->id) != 0;

    return (record->id * 64u + (marked ? (uint32_t)record->values[0] : 0) + 1) * 2654435761u;
}

/* Hashes what distinguishes records in contexts: kind_of(), and the second field if it is short. */
static uint32_t mark_of(const struct record *record)
{
    const bool marked = shapes[record->id].count > 1 && shapes[record->id].width[1] <= SHORT_WIDTH;

    return marked ? (kind_of(record) + (uint32_t)record->values[1]) * 2246822519u : kind_of(record);
}

static struct trace_clock *clock_of(struct trace_codec *codec, const struct record *record)
{
    return &codec->clocks[kind_of(record) >> (32 - TRACE_CODEC_CLOCK_BITS)];
}

/* Puts a value first in the list. It replaces the value that is about the same or, if there is
 * none, the last value. */
RANGE_INLINE void to_front(uint64_t *recent, uint64_t value, uint64_t about)
{
    unsigned i = 0;

    while (i < TRACE_CODEC_RECENT - 1 && range_folded(value - recent[i]) > recent[i] / about) {
        i++;
    }
    for (; i > 0; i--) {
        recent[i] = recent[i - 1];
    }
    recent[0] = value;
}

static void move_clock(struct trace_clock *clock, uint64_t time, uint64_t amount)
{
    to_front(clock->intervals, time - clock->latest, ABOUT);
    to_front(clock->amounts, amount, UINT64_MAX);
    clock->latest = time;
}

/* Adds the record to the past ones and updates all contexts. */
static void remember(struct trace_codec *codec, const struct record *record, uint32_t fields)
{
    const uint64_t stamp = stamp_before(codec) + (record->delay << codec->shift);
    const uint32_t mark = mark_of(record);
    const unsigned time = time_field(record->id);

    codec->ids[codec->count] = (uint8_t)record->id;
    codec->fields[codec->count] = (uint16_t)fields;
    codec->same[codec->count] = codec->latest[record->id];
    codec->count++;
    codec->stamps[codec->count] = stamp;
    codec->latest[record->id] = (uint16_t)codec->count;
    move_clock(clock_of(codec, record), stamp, record->delay);
    if (time < TRACE_CODEC_FIELDS) {
        move_clock(&codec->times, stamp - record->values[time], record->values[time]);
    }
    *pair_of(codec, record->id) = (uint16_t)codec->count;
#pragma GCC unroll 5
    for (unsigned order = TRACE_CODEC_ORDERS; order-- > 0;) {
        prove(codec, order, record);
        place_of(codec, order)->record = (uint16_t)codec->count;
    }
    for (unsigned order = TRACE_CODEC_ORDERS - 1; order > 0; order--) {
        codec->contexts[order] = (codec->contexts[order - 1] + mark) * 3266489917u;
    }
    codec->contexts[0] = mark;
}

/* Coding ------------------------------------------------------------------------------------ */

static uint64_t code_difference(struct trace_codec *codec, range_probability *tree, uint64_t from,
                                uint64_t value)
{
    return from + range_unfolded(range_number(&codec->coder, tree, range_folded(value - from)));
}

/* Codes a field that is not a time. Short fields are names rather than amounts, so they are coded
 * as values and not as differences from the guess. Short fields that were guessed as 0 share one
 * tree. */
static uint64_t code_value(struct trace_codec *codec, unsigned number, unsigned width,
                           uint64_t guess, uint64_t value)
{
    if (range_bit(&codec->coder, &codec->missed[number], value == guess ? 0 : 1) == 0) {
        return guess;
    }
    if (width <= SHORT_WIDTH) {
        range_probability *tree = guess == 0 ? codec->first_seen : codec->number[number];

        return narrowed(range_number(&codec->coder, tree, value), width);
    }
    return narrowed(code_difference(codec, codec->number[number], guess, value), width);
}

/* Codes a delay, or the distance of a time from the timestamp. The value is coded as equal to the
 * guess, as a distance from the guess, or as a distance from one of `times`. */
static uint64_t code_time(struct trace_codec *codec, unsigned number, uint64_t guess,
                          const uint64_t times[TRACE_CODEC_TIMES], uint64_t value)
{
    struct range_coder *coder = &codec->coder;
    unsigned best = 0;

    if (range_bit(coder, &codec->missed[number], value == guess ? 0 : 1) == 0) {
        return guess;
    }
    for (unsigned i = 1; i < TRACE_CODEC_TIMES; i++) {
        best = range_folded(value - times[i]) < range_folded(value - times[best]) ? i : best;
    }
    const bool nearer = range_folded(value - times[best]) < range_folded(value - guess);

    if (range_bit(coder, &codec->seen[number], nearer ? 1 : 0) == 0) {
        return code_difference(codec, codec->number[number], guess, value);
    }
    best = range_tree(coder, codec->which[number], TIMES_BITS, best) % TRACE_CODEC_TIMES;
    return code_difference(codec, codec->beside[best / TRACE_CODEC_RECENT], times[best], value);
}

static void code_delay(struct trace_codec *codec, const struct record *guess, struct record *record)
{
    const struct trace_clock *clock = clock_of(codec, record);
    uint64_t times[TRACE_CODEC_TIMES];

    for (unsigned i = 0; i < TRACE_CODEC_RECENT; i++) {
        const uint64_t delay = clock->latest + clock->intervals[i] - stamp_before(codec);

        times[i] = delay >> 63 != 0 ? 0 : delay >> codec->shift;
        times[TRACE_CODEC_RECENT + i] = clock->amounts[i];
    }
    record->delay = code_time(codec, codec->numbers[record->id] + shapes[record->id].count,
                              guess->delay, times, record->delay);
}

static void code_time_field(struct trace_codec *codec, unsigned number, uint64_t guess,
                            const struct record *record, uint64_t *value)
{
    const uint64_t stamp = stamp_before(codec) + (record->delay << codec->shift);
    uint64_t times[TRACE_CODEC_TIMES];

    for (unsigned i = 0; i < TRACE_CODEC_RECENT; i++) {
        times[i] = stamp - codec->times.latest - codec->times.intervals[i];
        times[TRACE_CODEC_RECENT + i] = codec->times.amounts[i];
    }
    *value = code_time(codec, number, guess, times, *value);
}

static void code_field(struct trace_codec *codec, unsigned field, const struct record *guess,
                       struct record *record)
{
    const unsigned number = codec->numbers[record->id] + field;
    uint64_t *value = &record->values[field];

    if (field == time_field(record->id)) {
        code_time_field(codec, number, guess->values[field], record, value);
    } else {
        *value = code_value(codec, number, shapes[record->id].width[field], guess->values[field],
                            *value);
    }
}

static bool equal(const struct record *left, const struct record *right)
{
    if (left->id != right->id || left->delay != right->delay) {
        return false;
    }
    for (unsigned i = 0; i < shapes[left->id].count; i++) {
        if (left->values[i] != right->values[i]) {
            return false;
        }
    }
    return true;
}

/* Codes the id of a record that was not predicted: as the id that a shorter context predicts, or as
 * any id. */
static unsigned code_other_id(struct trace_codec *codec, unsigned order, unsigned guess,
                              unsigned id)
{
    const unsigned before = codec->count > 0 ? codec->ids[codec->count - 1] : 0;

    while (order > 0) {
        const struct trace_place *place = place_of(codec, --order);
        const unsigned other = place->record != 0 ? codec->ids[place->record - 1u] : guess;

        if (other == guess) {
            continue;
        }
        if (range_bit(&codec->coder, &codec->other_missed[order], id == other ? 0 : 1) == 0) {
            return other;
        }
        break;
    }
    return range_tree(&codec->coder, codec->id[before], ID_BITS, id) % TRACE_CODEC_IDS;
}

/* Predicts a record of this id. It is like the last record of this id that followed a record like
 * the last one; if there is none, it is like the last record of this id. */
static void guess_again(struct trace_codec *codec, const uint8_t *packet, unsigned id,
                        struct record *guess)
{
    const unsigned pair = *pair_of(codec, id);
    const bool fits = pair != 0 && codec->ids[pair - 1] == id;
    const unsigned like = fits ? pair : codec->latest[id];

    *guess = (struct record){0};
    if (like != 0) {
        predict_like(codec, packet, like - 1, guess);
    }
}

/* Codes a record piece by piece; `order` is as predict() set it. Returns false if a decoder finds
 * an id that no event has. */
static bool code_pieces(struct trace_codec *codec, const uint8_t *packet, bool guessed,
                        unsigned order, struct record *guess, struct record *record)
{
    const unsigned missed = record->id == guess->id ? 0 : 1;

    if (guessed && range_bit(&codec->coder, &codec->id_missed[order], missed) == 0) {
        record->id = guess->id;
    } else {
        record->id = code_other_id(codec, order, guess->id, record->id);
        guess_again(codec, packet, record->id, guess);
    }
    if (!shapes[record->id].known) {
        return false;
    }
    /* The delay depends on the first field. If the first field is a time, it depends on the delay.
     */
    const unsigned first = shapes[record->id].count > 0 && time_field(record->id) != 0 ? 1 : 0;

    if (first == 1) {
        code_field(codec, 0, guess, record);
    }
    code_delay(codec, guess, record);
    for (unsigned i = first; i < shapes[record->id].count; i++) {
        code_field(codec, i, guess, record);
    }
    return true;
}

static bool code_record(struct trace_codec *codec, const uint8_t *packet, struct record *record)
{
    struct record guess = {0};
    unsigned order = 0;
    const struct trace_place *place = predict(codec, packet, &order, &guess);
    const bool decodes = codec->coder.out == NULL;

    if (place != NULL) {
        range_probability *whole = &codec->whole[order][place->proofs][codec->outcomes];
        const unsigned missed =
            range_bit(&codec->coder, whole, !decodes && equal(record, &guess) ? 0 : 1);

        codec->outcomes = (codec->outcomes << 1 | missed) % TRACE_CODEC_OUTCOMES;
        if (missed == 0) {
            *record = guess;
            return true;
        }
    }
    return code_pieces(codec, packet, place != NULL, order, &guess, record);
}

/* Values of the packet's header that differ between packets, and the position of the piece. */
enum head_value {
    HEAD_INDEX,
    HEAD_SEQUENCE, /* the packet's sequence number, minus its index in the trace */
    HEAD_DISCARDED,
    HEAD_CPU,
    HEAD_FROM, /* start of the piece, minus the size of the header */
    HEAD_CONTENT,
    HEAD_SHIFT,
    HEAD_TRACER,
    HEAD_STAMP, /* timestamp before the first record of the piece, minus the packet's start */
    HEAD_END,   /* end of the packet's time, minus its start */
    HEAD_BEGIN,
    HEAD_VALUES,
};

static void code_head(struct trace_codec *codec, uint64_t head[HEAD_VALUES])
{
    for (unsigned i = 0; i < HEAD_VALUES; i++) {
        head[i] = range_number(&codec->coder, codec->number[HEAD_NUMBER], head[i]);
    }
    codec->shift = (unsigned)head[HEAD_SHIFT];
    codec->stamps[0] = head[HEAD_BEGIN] + head[HEAD_STAMP];
}

/* The header fields that are the same in all packets of the recorder. */
static const struct trace_packet usual = {.magic = TRACE_PACKET_MAGIC,
                                          .uuid = TRACE_UUID,
                                          .packet_bits = UINT64_C(8) * TRACE_PACKET_BYTES};

static bool is_usual(const struct trace_packet *packet)
{
    return packet->magic == usual.magic &&
           memcmp(packet->uuid, usual.uuid, sizeof(usual.uuid)) == 0 &&
           packet->stream == usual.stream && packet->packet_bits == usual.packet_bits &&
           packet->content_bits % 8 == 0 && packet->content_bits / 8 >= HEAD &&
           packet->content_bits <= packet->packet_bits;
}

/* Encoding ---------------------------------------------------------------------------------- */

/* Walks through the content. Sets the timestamp before the record at `at`, and the shift. Returns
 * false if the content does not parse or no record begins at `at`. */
static bool survey(const uint8_t *packet, uint32_t at, uint32_t content, uint64_t begin,
                   uint64_t head[HEAD_VALUES])
{
    struct found found = {.stamp = begin, .end = HEAD};
    uint32_t left = TRACE_CODEC_RECORDS_MAX;
    bool reached = false;
    uint64_t all = 0;

    while (true) {
        const uint64_t before = found.stamp;

        if (found.end == at) {
            head[HEAD_STAMP] = before - begin;
            reached = true;
        }
        if (found.end == content) {
            break;
        }
        if (!find_record(packet, found.end, content, before, &found)) {
            return false;
        }
        if (reached && left > 0) {
            all |= found.stamp - before;
            left--;
        }
    }
    head[HEAD_SHIFT] = all != 0 ? (uint64_t)__builtin_ctzll(all) : 0;
    return reached;
}

/* Encodes at most `most` records. Returns the bytes of the payload; see coder.overflow. */
static size_t encode_pass(struct trace_codec *codec, const uint8_t *packet,
                          uint64_t head[HEAD_VALUES], uint32_t *at, uint8_t *payload,
                          size_t capacity, uint32_t most)
{
    struct range_coder *coder = &codec->coder;
    const uint32_t content = (uint32_t)head[HEAD_CONTENT];

    start(codec);
    range_encode(coder, payload + CODED_PREFIX, capacity - CODED_PREFIX);
    code_head(codec, head);
    *at = HEAD + (uint32_t)head[HEAD_FROM];
    while (codec->count < most && *at < content &&
           (codec->count == 0 || range_bytes(coder) + RECORD_ROOM <= coder->end)) {
        struct record record = {0};
        struct found found = {0};

        find_record(packet, *at, content, stamp_before(codec), &found);
        record.id = found.id;
        record.delay = (found.stamp - stamp_before(codec)) >> codec->shift;
        read_values(packet, found.fields, found.id, found.stamp, record.values);
        code_record(codec, packet, &record);
        remember(codec, &record, found.fields);
        *at = found.end;
    }
    payload[0] = CODEC_CODED;
    bytes_put(payload + 1, codec->count, 2);
    return CODED_PREFIX + range_finish(coder);
}

size_t trace_encode(struct trace_codec *codec, const uint8_t *packet, uint32_t index, uint32_t *at,
                    uint8_t *payload, size_t capacity)
{
    const uint32_t content = trace_codec_content(packet);
    uint32_t most = TRACE_CODEC_RECORDS_MAX;
    const uint32_t from = *at;
    struct trace_packet header;

    memcpy(&header, packet, sizeof(header));
    uint64_t head[HEAD_VALUES] = {
        [HEAD_INDEX] = index,
        [HEAD_SEQUENCE] = header.sequence - index,
        [HEAD_DISCARDED] = header.discarded,
        [HEAD_CPU] = header.cpu,
        [HEAD_FROM] = from - HEAD,
        [HEAD_CONTENT] = content,
        [HEAD_TRACER] = header.tracer_ticks,
        [HEAD_END] = header.end - header.begin,
        [HEAD_BEGIN] = header.begin,
    };

    if (!is_usual(&header) || !survey(packet, from, content, header.begin, head)) {
        return encode_stored(packet, index, at, payload, capacity);
    }
    while (true) {
        const size_t bytes = encode_pass(codec, packet, head, at, payload, capacity, most);

        if (!codec->coder.overflow) {
            return bytes;
        }
        if (codec->count <= 1) {
            *at = from;
            return encode_stored(packet, index, at, payload, capacity);
        }
        most = codec->count - 1;
    }
}

/* Decoding ---------------------------------------------------------------------------------- */

/* Writes a record at `at` and sets *fields to where its fields begin. Returns where it ends, or 0
 * if that would be after `end`. */
static uint32_t write_record(const struct trace_codec *codec, const struct record *record,
                             uint8_t *packet, uint32_t at, uint32_t end, uint32_t *fields)
{
    const uint64_t before = stamp_before(codec);
    const uint64_t stamp = before + (record->delay << codec->shift);
    const bool extended = needs_extended(record->id, before, stamp);
    const struct shape *shape = &shapes[record->id];
    uint8_t bytes[TRACE_HEADER_EXTENDED + TRACE_CODEC_FIELDS * sizeof(uint64_t)];
    uint32_t length = extended ? TRACE_HEADER_EXTENDED : TRACE_HEADER_COMPACT;

    *fields = at + length;
    if (record_end(record->id, *fields) > end) {
        return 0;
    }
    if (extended) {
        bytes[0] = TRACE_ID_EXTENDED;
        bytes_put32(bytes + 1, record->id);
        bytes_put64(bytes + 5, stamp);
    } else {
        bytes_put32(bytes, (uint32_t)(record->id | (stamp & STAMP_MASK) << TRACE_ID_BITS));
    }
    for (unsigned i = 0; i < shape->count; i++) {
        const uint64_t value = record->values[i];

        bytes_put64(bytes + length, i == time_field(record->id) ? stamp - value : value);
        length += shape->width[i];
    }
    memcpy(packet + at, bytes, length);
    return at + length;
}

static bool is_possible(const uint64_t head[HEAD_VALUES])
{
    return head[HEAD_INDEX] <= UINT32_MAX && head[HEAD_CPU] <= UINT32_MAX &&
           head[HEAD_TRACER] <= UINT32_MAX && head[HEAD_SHIFT] < 64 && head[HEAD_CONTENT] >= HEAD &&
           head[HEAD_CONTENT] <= TRACE_PACKET_BYTES && head[HEAD_FROM] <= head[HEAD_CONTENT] - HEAD;
}

static void write_header(const uint64_t head[HEAD_VALUES], uint8_t *packet)
{
    struct trace_packet header = usual;

    header.begin = head[HEAD_BEGIN];
    header.end = head[HEAD_BEGIN] + head[HEAD_END];
    header.content_bits = head[HEAD_CONTENT] * 8;
    header.sequence = head[HEAD_INDEX] + head[HEAD_SEQUENCE];
    header.discarded = head[HEAD_DISCARDED];
    header.cpu = (uint32_t)head[HEAD_CPU];
    header.tracer_ticks = (uint32_t)head[HEAD_TRACER];
    memcpy(packet, &header, sizeof(header));
}

static bool decode_coded(struct trace_codec *codec, const uint8_t *payload, size_t length,
                         uint8_t *packet, struct trace_piece *piece)
{
    const uint32_t count = bytes_get16(payload + 1);
    uint64_t head[HEAD_VALUES] = {0};

    start(codec);
    range_decode(&codec->coder, payload + CODED_PREFIX, length - CODED_PREFIX);
    code_head(codec, head);
    if (count > TRACE_CODEC_RECORDS_MAX || !is_possible(head)) {
        return false;
    }
    const uint32_t content = (uint32_t)head[HEAD_CONTENT];
    uint32_t at = HEAD + (uint32_t)head[HEAD_FROM];

    *piece = (struct trace_piece){.index = (uint32_t)head[HEAD_INDEX], .from = at};
    write_header(head, packet);
    while (codec->count < count) {
        struct record record = {0};
        uint32_t fields;

        if (!code_record(codec, packet, &record)) {
            return false;
        }
        at = write_record(codec, &record, packet, at, content, &fields);
        if (at == 0) {
            return false;
        }
        remember(codec, &record, fields);
    }
    piece->to = at;
    piece->records = count;
    piece->last = at == content;
    return true;
}

bool trace_decode(struct trace_codec *codec, const uint8_t *payload, size_t length, uint8_t *packet,
                  struct trace_piece *piece)
{
    if (length < CODED_PREFIX) {
        return false;
    }
    if (payload[0] == CODEC_CODED) {
        return decode_coded(codec, payload, length, packet, piece);
    }
    return payload[0] == CODEC_STORED && decode_stored(payload, length, packet, piece);
}
