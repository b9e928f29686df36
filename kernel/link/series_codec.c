/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/link/series_codec.h"
#include "kernel/plan/bytes.h"

#define CODED_PREFIX 3u

/* A part or a sample is begun only if this many bytes are left. If one takes more, which is rare,
 * everything is encoded again without it. */
#define PART_ROOM   48u
#define SAMPLE_ROOM 24u
/* A part that ends because the payload is full is the last one: the decoder gives it all remaining
 * samples. */
_Static_assert(PART_ROOM >= SAMPLE_ROOM, "a series could go on in a second part of a payload");

/* Number of samples of a part that decide how it is coded, and number of samples whose median is
 * its nominal value. */
#define LOOKED 64u
#define MIDDLE 15u
/* Fewest samples of a part that are coded as evenly distributed: fewer could seem so by chance. */
#define EVEN_LEAST 32u

/* The value from which a sample's residual is counted if no step is guessed. */
enum base {
    BASE_NOMINAL,  /* base is the same value for all samples */
    BASE_PREVIOUS, /* base is the previous sample */
    BASE_LINEAR,   /* base is the previous sample plus the step before it */
    /* base is the sample at the same index in the previous part plus the usual difference */
    BASE_BESIDE,
    BASE_EVEN, /* base is the smallest of all samples; all values above it are equally likely */
};

#define FORM_BITS 5
#define FORM_BASE 7u /* bits of a form that hold its enum base */
/* residuals repeat: each is coded as its index in the list of recent ones */
#define FORM_RECENCY 8u
#define FORM_GUESSES 16u /* sequences of steps repeat: the next step is guessed */

/* When a residual occurs, it moves ahead of all residuals whose count exceeds its own by at most
 * this number. Frequent residuals thus stay in front, and a residual that has only recently become
 * frequent soon moves forward. */
#define RECENCY_LEAD 4u

#define NOMINAL_BITS 3
#define NO_NOMINAL   SERIES_CODEC_NOMINALS

#define PLACE_BITS 3
#define NO_PLACE   SERIES_CODEC_RECENT

/* Description of a part, sent before its samples. Values lack the low bits that are always 0. */
struct part_head {
    uint64_t stream;
    uint64_t first;
    /* Number of samples from `first` to the end of the series; the payload may end earlier. */
    uint64_t count;
    uint64_t shift; /* number of low bits that are 0 in all samples */
    uint64_t nominal;
    unsigned form;
    uint64_t width; /* for BASE_EVEN: bits of a sample minus the nominal value */
};

static void start(struct series_codec *codec)
{
    memset(codec->known, 0, sizeof(codec->known));
    memset(codec->nominals, 0, sizeof(codec->nominals));
    codec->beside_count = 0;
    codec->state.outcomes = 0;
    range_forget(codec->usual, SERIES_CODEC_PROBABILITIES);
}

static void begin_part(struct series_codec *codec, const struct part_head *head)
{
    codec->form = head->form;
    codec->shift = (unsigned)head->shift;
    codec->width = (unsigned)head->width;
    codec->nominal = head->nominal;
    codec->state.last = 0;
    /* Series of equal length often begin alike, so the length is the first context. */
    codec->state.steps[0] = head->count << 32 | 1;
    codec->state.steps[1] = 0;
    codec->state.place = 0;
    codec->state.root = codec->places[0][1];
    memset(codec->recent, 0, sizeof(codec->recent));
    memset(codec->counts, 0, sizeof(codec->counts));
    codec->counts[0] = UINT32_MAX;
}

/* The functions below are part of the loop over a part's samples. `decodes` and `kind`, the bits
 * FORM_RECENCY and FORM_GUESSES of the form, are constants in a decoder's loops. */

RANGE_INLINE uint64_t base_value(const struct series_codec *codec, const struct series_state *state,
                                 uint32_t index)
{
    const unsigned base = codec->form & FORM_BASE;

    if (base == BASE_BESIDE && index < codec->beside_count) {
        return codec->nominal + (uint64_t)(codec->beside[index] >> codec->shift);
    }
    if (base == BASE_NOMINAL || base >= BASE_BESIDE || index == 0) {
        return codec->nominal;
    }
    return base == BASE_LINEAR && index > 1 ? state->last + state->steps[0] : state->last;
}

RANGE_INLINE uint64_t code_number(struct series_codec *codec, struct series_state *state,
                                  bool decodes, uint64_t residual)
{
    range_probability *tree = codec->number[codec->form & FORM_BASE];

    return range_unfolded(decodes ? range_decode_number(&state->coder, tree)
                                  : range_number(&state->coder, tree, range_folded(residual)));
}

/* Counts the residual at `place` once more and moves it forward. Returns it. The loop ends at
 * counts[0] at the latest: a second condition would be as random as the residual. So is the first
 * move, which is therefore made without a branch. */
RANGE_INLINE uint64_t move_forward(struct series_codec *codec, unsigned place)
{
    const uint64_t residual = codec->recent[place];
    const uint32_t count = codec->counts[1 + place] + 1;
    const unsigned moves = codec->counts[place] <= count + RECENCY_LEAD;

    codec->recent[place] = codec->recent[place - moves];
    codec->counts[1 + place] = codec->counts[1 + place - moves];
    place -= moves;
    for (; codec->counts[place] <= count + RECENCY_LEAD; place--) {
        codec->recent[place] = codec->recent[place - 1];
        codec->counts[1 + place] = codec->counts[place];
    }
    codec->recent[place] = residual;
    codec->counts[1 + place] = count;
    return residual;
}

RANGE_INLINE uint64_t code_residual(struct series_codec *codec, struct series_state *state,
                                    bool decodes, unsigned kind, uint64_t residual)
{
    range_probability *places = codec->places[state->place];
    unsigned place = 0;

    if ((kind & FORM_RECENCY) == 0 && (codec->form & FORM_BASE) == BASE_EVEN) {
        return decodes ? range_decode_even(&state->coder, codec->width)
                       : range_even(&state->coder, codec->width, residual);
    }
    if ((kind & FORM_RECENCY) == 0) {
        return code_number(codec, state, decodes, residual);
    }
    if (decodes) {
        place =
            range_decode_tree(&state->coder, places, PLACE_BITS, &state->root, codec->places[0]) -
            (1u << PLACE_BITS);
    } else {
        while (place < NO_PLACE && codec->recent[place] != residual) {
            place++;
        }
        range_tree(&state->coder, places, PLACE_BITS, place);
    }
    state->place = place;
    if (place == NO_PLACE) {
        place--;
        codec->recent[place] = code_number(codec, state, decodes, residual);
        codec->counts[1 + place] = 0;
    }
    return move_forward(codec, place);
}

/* Hashes the last step, and the last two steps, to contexts. */
RANGE_INLINE void find_contexts(const struct series_state *state,
                                unsigned contexts[SERIES_CODEC_ORDERS])
{
    const uint64_t one = state->steps[0] * UINT64_C(0x9e3779b97f4a7c15);
    const uint64_t two = (one ^ one >> 29) + state->steps[1] * UINT64_C(0xc2b2ae3d27d4eb4f);

    contexts[0] = (unsigned)(one >> (64 - SERIES_CODEC_CONTEXT_BITS));
    contexts[1] = (unsigned)(two >> (64 - SERIES_CODEC_CONTEXT_BITS));
}

/* Codes a sample. First guesses its step: the one that followed when the last two steps, or the
 * last step, were the same before. If the guess is wrong or there is none, codes the residual. A
 * part that does not guess `learns` its steps if a later one may. */
RANGE_INLINE uint64_t code_sample(struct series_codec *codec, struct series_state *state,
                                  bool decodes, unsigned kind, bool learns, uint32_t index,
                                  uint64_t sample)
{
    unsigned contexts[SERIES_CODEC_ORDERS] = {0};
    unsigned missed = 1;

    if (learns) {
        find_contexts(state, contexts);
    }
    const unsigned order = codec->known[1][contexts[1]] != 0 ? 1 : 0;
    const unsigned context = order != 0 ? contexts[1] : contexts[0];

    if ((kind & FORM_GUESSES) != 0 && codec->known[order][context] != 0) {
        const uint64_t guess = state->last + codec->guesses[order][context];
        range_probability *right = &codec->guess[order][codec->form][state->outcomes];

        missed = decodes ? range_decode_bit(&state->coder, right)
                         : range_bit(&state->coder, right, sample == guess ? 0 : 1);
        state->outcomes = (state->outcomes << 1 | missed) % SERIES_CODEC_OUTCOMES;
        sample = missed == 0 ? guess : sample;
    }
    if (missed != 0) {
        const uint64_t base = base_value(codec, state, index);

        sample = base + code_residual(codec, state, decodes, kind, sample - base);
    }
    state->steps[1] = state->steps[0];
    state->steps[0] = sample - state->last;
    state->last = sample;
    for (unsigned i = 0; i < SERIES_CODEC_ORDERS && learns; i++) {
        codec->known[i][contexts[i]] = 1;
        codec->guesses[i][contexts[i]] = state->steps[0];
    }
    return sample;
}

/* ---- heads ---- */

static uint64_t code_usual(struct series_codec *codec, unsigned which, uint64_t usual,
                           uint64_t value)
{
    if (range_bit(&codec->state.coder, &codec->usual[which], value == usual ? 0 : 1) == 0) {
        return usual;
    }
    return range_number(&codec->state.coder, codec->head[which], value);
}

/* Codes a nominal value. Parts of a bench often have the same one. */
static uint64_t code_nominal(struct series_codec *codec, uint64_t nominal)
{
    unsigned place = 0;

    while (place < NO_NOMINAL && codec->nominals[place] != nominal) {
        place++;
    }
    place = range_tree(&codec->state.coder, codec->same_nominal, NOMINAL_BITS, place) -
            (1u << NOMINAL_BITS);
    if (place < NO_NOMINAL) {
        nominal = codec->nominals[place];
    } else {
        place = NO_NOMINAL - 1;
        nominal = range_unfolded(
            range_number(&codec->state.coder, codec->nominal_number, range_folded(nominal)));
    }
    for (; place > 0; place--) {
        codec->nominals[place] = codec->nominals[place - 1];
    }
    codec->nominals[0] = nominal;
    return nominal;
}

static void code_head(struct series_codec *codec, const struct part_head *before,
                      struct part_head *head)
{
    head->stream = code_usual(codec, 0, before->stream + 1, head->stream);
    head->first = code_usual(codec, 1, 0, head->first);
    head->count = code_usual(codec, 2, before->count, head->count);
    head->shift = code_usual(codec, 3, before->shift, head->shift);
    head->form =
        range_tree(&codec->state.coder, codec->forms, FORM_BITS, head->form) % (1u << FORM_BITS);
    head->nominal = code_nominal(codec, head->nominal);
    if ((head->form & FORM_BASE) == BASE_EVEN) {
        head->width = range_number(&codec->state.coder, codec->widths, head->width);
    }
}

/* How a part is coded ------------------------------------------------------------------------ */

/* Samples of a part and of the part before. */
struct view {
    const int64_t *samples;
    uint32_t count;
    unsigned shift;
    const int64_t *beside; /* samples of the part before; NULL: that part has fewer samples */
};

static uint64_t sample_at(const struct view *view, uint32_t at)
{
    return (uint64_t)(view->samples[at] >> view->shift);
}

static uint64_t difference_at(const struct view *view, uint32_t at)
{
    return sample_at(view, at) - (uint64_t)(view->beside[at] >> view->shift);
}

static uint64_t middle_value(const struct view *view,
                             uint64_t (*value)(const struct view *view, uint32_t at))
{
    const uint32_t taken = view->count < MIDDLE ? view->count : MIDDLE;
    int64_t sorted[MIDDLE] = {0};

    for (uint32_t i = 0; i < taken; i++) {
        const int64_t sample = (int64_t)value(view, (uint32_t)((uint64_t)i * view->count / taken));
        uint32_t at = i;

        for (; at > 0 && sorted[at - 1] > sample; at--) {
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = sample;
    }
    return (uint64_t)sorted[taken / 2];
}

/* The approximate cost of a base: bits, and how many residuals repeat. */
struct trial {
    uint64_t bits;
    unsigned again;
    uint64_t recent[SERIES_CODEC_RECENT];
};

static void try_residual(struct trial *trial, uint64_t residual, uint32_t index)
{
    for (unsigned i = 0; i < SERIES_CODEC_RECENT; i++) {
        if (trial->recent[i] == residual) {
            trial->again++;
            trial->bits += 2;
            return;
        }
    }
    trial->recent[index % SERIES_CODEC_RECENT] = residual;
    trial->bits += 65u - (unsigned)__builtin_clzll(range_folded(residual) | 1);
}

/* Returns whether sequences of steps repeat. That is so if the last step predicts about as many of
 * the samples looked at as the nominal value does, and more than a few of them. */
static bool is_guessed(const struct view *view, uint32_t looked, uint64_t nominal)
{
    uint64_t steps[LOOKED];
    uint32_t missed = 0;
    uint32_t other = 0;

    for (uint32_t i = 1; i < looked; i++) {
        const uint64_t step = sample_at(view, i) - sample_at(view, i - 1);
        uint32_t at = i;

        steps[i] = step;
        while (at > 2 && steps[at - 2] != steps[i - 1]) {
            at--;
        }
        other += sample_at(view, i) != nominal ? 1 : 0;
        missed += at <= 2 || steps[at - 1] != step ? 1 : 0;
    }
    return missed <= 1 + other && missed <= looked - looked / 8;
}

/* Chooses how a part is coded if its samples are not evenly distributed. Sets *bits to the
 * approximate cost of the samples looked at. */
static void choose_form(const struct view *view, struct part_head *head, uint64_t *bits)
{
    const uint32_t looked = view->count < LOOKED ? view->count : LOOKED;
    const uint64_t nominal = head->nominal;
    const uint64_t differ = view->beside != NULL ? middle_value(view, difference_at) : 0;
    struct trial trials[SERIES_CODEC_BASES] = {0};
    unsigned best = BASE_NOMINAL;

    for (uint32_t i = 2; i < looked; i++) {
        const uint64_t sample = sample_at(view, i);
        const uint64_t last = sample_at(view, i - 1);

        try_residual(&trials[BASE_NOMINAL], sample - nominal, i);
        try_residual(&trials[BASE_PREVIOUS], sample - last, i);
        try_residual(&trials[BASE_LINEAR], sample - 2 * last + sample_at(view, i - 2), i);
        if (view->beside != NULL) {
            try_residual(&trials[BASE_BESIDE], difference_at(view, i) - differ, i);
        }
    }
    /* Costs are whole bits: a difference below a quarter of a bit for each sample does not count.
     */
    trials[BASE_NOMINAL].bits -= trials[BASE_NOMINAL].bits < looked / 4 ? 0 : looked / 4;
    for (unsigned base = BASE_PREVIOUS; base <= (view->beside != NULL ? BASE_BESIDE : BASE_LINEAR);
         base++) {
        best = trials[base].bits < trials[best].bits ? base : best;
    }
    if (best != BASE_NOMINAL) {
        head->nominal = best == BASE_BESIDE ? differ : sample_at(view, 0);
    }
    head->form = best | (trials[best].again >= looked / 2 ? FORM_RECENCY : 0) |
                 (is_guessed(view, looked, nominal) ? FORM_GUESSES : 0);
    *bits = trials[best].bits;
}

/* Chooses BASE_EVEN if the samples look random: then a fixed width costs less than the length of
 * each sample and the bits below it. */
static void try_even(const struct view *view, struct part_head *head, uint64_t bits)
{
    const uint32_t looked = view->count < LOOKED ? view->count : LOOKED;
    int64_t least = view->samples[0];
    int64_t most = view->samples[0];

    for (uint32_t i = 1; i < view->count; i++) {
        least = view->samples[i] < least ? view->samples[i] : least;
        most = view->samples[i] > most ? view->samples[i] : most;
    }
    const uint64_t span = (uint64_t)(most >> view->shift) - (uint64_t)(least >> view->shift);
    const unsigned width = 64u - (unsigned)__builtin_clzll(span | 1);

    if (view->count >= EVEN_LEAST && head->form == BASE_NOMINAL &&
        (uint64_t)width * looked < bits + looked + looked / 2) {
        head->form = BASE_EVEN;
        head->nominal = (uint64_t)(least >> view->shift);
        head->width = width;
    }
}

static struct part_head describe(const struct series_codec *codec,
                                 const struct series_source *series, uint32_t first)
{
    const uint32_t left = series->count - first;
    struct view view = {
        .samples = series->samples + first,
        .count = left < SERIES_CODEC_SAMPLES_MAX ? left : SERIES_CODEC_SAMPLES_MAX,
    };
    uint64_t all = 0;
    uint64_t bits;

    for (uint32_t i = 0; i < view.count; i++) {
        all |= (uint64_t)view.samples[i];
    }
    view.shift = all != 0 ? (unsigned)__builtin_ctzll(all) : 0;
    view.beside = view.count <= codec->beside_count ? codec->beside : NULL;
    struct part_head head = {.stream = series->stream,
                             .first = first,
                             .count = left,
                             .shift = view.shift,
                             .nominal = middle_value(&view, sample_at)};

    choose_form(&view, &head, &bits);
    try_even(&view, &head, bits);
    return head;
}

/* -------------------------------------------------------------------------------------------- */

/* Moves *place past ends of series and empty series. Returns false if nothing is left. */
static bool skip_empty(const struct series_source *list, size_t count, struct series_place *place)
{
    while (place->series < count && place->sample >= list[place->series].count) {
        place->series++;
        place->sample = 0;
    }
    return place->series < count;
}

static bool has_room(const struct series_codec *codec, size_t bytes)
{
    return range_bytes(&codec->state.coder) + bytes <= codec->state.coder.end;
}

/* Encodes at most `most` samples and moves *place past them. Returns how many were encoded. */
static uint32_t encode_pass(struct series_codec *codec, const struct series_source *list,
                            size_t count, struct series_place *place, uint32_t most)
{
    struct part_head before = {0};
    unsigned parts = 0;
    uint32_t taken = 0;

    while (taken < most && parts < SERIES_CODEC_PARTS_MAX &&
           (taken == 0 || has_room(codec, PART_ROOM)) && skip_empty(list, count, place)) {
        const struct series_source *series = &list[place->series];
        struct part_head head = describe(codec, series, place->sample);
        const int64_t *samples = &series->samples[place->sample];
        uint32_t index = 0;

        code_head(codec, &before, &head);
        begin_part(codec, &head);
        do {
            code_sample(codec, &codec->state, false, head.form, true, index,
                        (uint64_t)(samples[index] >> head.shift));
            index++;
            taken++;
        } while (place->sample + index < series->count && taken < most &&
                 has_room(codec, SAMPLE_ROOM));
        place->sample += index;
        codec->beside = samples;
        codec->beside_count = index;
        before = head;
        parts++;
    }
    skip_empty(list, count, place);
    return taken;
}

size_t series_encode(struct series_codec *codec, const struct series_source *list, size_t count,
                     struct series_place *place, uint8_t *payload, size_t capacity)
{
    const struct series_place begin = *place;
    uint32_t taken = SERIES_CODEC_SAMPLES_MAX + 1;
    size_t bytes;

    if (!skip_empty(list, count, place)) {
        return 0;
    }
    do {
        *place = begin;
        start(codec);
        range_encode(&codec->state.coder, payload + CODED_PREFIX, capacity - CODED_PREFIX);
        taken = encode_pass(codec, list, count, place, taken - 1);
        bytes = CODED_PREFIX + range_finish(&codec->state.coder);
    } while (codec->state.coder.overflow);
    payload[0] = CODEC_CODED;
    bytes_put(payload + 1, taken, 2);
    return bytes;
}

/* Nothing outside this function has the address of the state's copy, so it can be in registers. */
RANGE_INLINE void decode_samples(struct series_codec *codec, unsigned kind, bool learns,
                                 int64_t *samples, uint32_t count)
{
    struct series_state state = codec->state;

    for (uint32_t i = 0; i < count; i++) {
        samples[i] =
            (int64_t)(code_sample(codec, &state, true, kind, learns, i, 0) << codec->shift);
    }
    codec->state = state;
}

static void decode_part(struct series_codec *codec, bool learns, int64_t *samples, uint32_t count)
{
    const unsigned unused = (codec->form & FORM_BASE) == BASE_EVEN ? FORM_RECENCY : 0;

    switch (codec->form & (FORM_RECENCY | FORM_GUESSES) & ~unused) {
    case 0:
        decode_samples(codec, 0, learns, samples, count);
        break;
    case FORM_RECENCY:
        decode_samples(codec, FORM_RECENCY, learns, samples, count);
        break;
    case FORM_GUESSES:
        decode_samples(codec, FORM_GUESSES, true, samples, count);
        break;
    default:
        decode_samples(codec, FORM_RECENCY | FORM_GUESSES, true, samples, count);
    }
}

static bool is_possible(const struct part_head *head)
{
    return head->stream <= UINT16_MAX && head->shift < 64 && head->count > 0 &&
           head->count <= UINT32_MAX && head->first <= UINT32_MAX - head->count &&
           (head->form & FORM_BASE) < SERIES_CODEC_BASES && head->width <= 64;
}

ptrdiff_t series_decode(struct series_codec *codec, const uint8_t *payload, size_t length,
                        struct series_part *parts, int64_t *samples)
{
    const uint32_t count = length < CODED_PREFIX ? UINT32_MAX : bytes_get16(payload + 1);
    struct part_head before = {0};
    ptrdiff_t part = 0;
    uint32_t taken = 0;

    if (count == 0 || count > SERIES_CODEC_SAMPLES_MAX || payload[0] != CODEC_CODED) {
        return -1;
    }
    start(codec);
    range_decode(&codec->state.coder, payload + CODED_PREFIX, length - CODED_PREFIX);
    for (; taken < count; part++) {
        struct part_head head = {0};

        code_head(codec, &before, &head);
        if (part == SERIES_CODEC_PARTS_MAX || !is_possible(&head)) {
            return -1;
        }
        const uint32_t left = count - taken;

        parts[part] =
            (struct series_part){.stream = (uint16_t)head.stream,
                                 .first = (uint32_t)head.first,
                                 .count = head.count < left ? (uint32_t)head.count : left};
        begin_part(codec, &head);
        decode_part(codec, parts[part].count < left, &samples[taken], parts[part].count);
        codec->beside = &samples[taken];
        codec->beside_count = parts[part].count;
        taken += parts[part].count;
        before = head;
    }
    return part;
}
