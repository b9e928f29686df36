/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/wire/repair.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"

#define RANGES_MAX 1024
/* A binary frame of 1 KiB arrives intact with probability 0.35 if one byte in 1000 is lost. */
#define TRIES_OF_A_FORMAT 8
/* This many frames show how well a format works; older ones count less. */
#define TRIED_ENOUGH 16
#define TRIED_MAX    64
#define HOPELESS     16 /* a format is hopeless if none of this many frames arrived intact */

struct tries {
    uint64_t key; /* stream and seq, plus 1; 0: a free slot */
    uint32_t count;
};

struct experience {
    unsigned tried, whole;
};

struct repair {
    const struct decoder *decoder;
    struct repair_request window[REPAIR_REQUESTS]; /* in the order in which they were sent */
    size_t outstanding;
    size_t limit;    /* largest number of outstanding requests */
    uint64_t pieces; /* pieces of the answer to the first outstanding request */

    struct decoder_range *ranges; /* what was missing when this round began */
    size_t range_count, range;
    uint32_t offset; /* offset in that range */
    bool stale;      /* something has changed since this round began */

    struct tries *slots; /* frames that did not arrive intact when requested */
    size_t slot_count, tries_count;
    struct experience experience[2]; /* by format */
    struct repair_counts counts;
};

struct repair *repair_create(const struct decoder *decoder)
{
    struct repair *repair = alloc_zeroed(sizeof(*repair));

    repair->decoder = decoder;
    repair->limit = REPAIR_REQUESTS;
    repair->ranges = alloc_zeroed(RANGES_MAX * sizeof(*repair->ranges));
    repair->stale = true;
    return repair;
}

void repair_destroy(struct repair *repair)
{
    if (repair == NULL) {
        return;
    }
    free(repair->ranges);
    free(repair->slots);
    free(repair);
}

static uint64_t key_of(uint16_t stream, uint32_t seq)
{
    return ((uint64_t)stream << 32 | seq) + 1;
}

static struct tries *find_tries(const struct repair *repair, uint64_t key)
{
    size_t at = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (repair->slot_count - 1);

    while (repair->slots[at].key != 0 && repair->slots[at].key != key) {
        at = (at + 1) & (repair->slot_count - 1);
    }
    return &repair->slots[at];
}

static uint32_t tries_of(const struct repair *repair, uint16_t stream, uint32_t seq)
{
    return repair->slot_count == 0 ? 0 : find_tries(repair, key_of(stream, seq))->count;
}

/* Keeps at least half of the table free. */
static void grow_tries(struct repair *repair)
{
    struct tries *old = repair->slots;
    const size_t old_count = repair->slot_count;

    if ((repair->tries_count + 1) * 2 <= old_count) {
        return;
    }
    repair->slot_count = old_count == 0 ? 64 : old_count * 2;
    repair->slots = alloc_zeroed(repair->slot_count * sizeof(*repair->slots));
    for (size_t i = 0; i < old_count; i++) {
        if (old[i].key != 0) {
            *find_tries(repair, old[i].key) = old[i];
        }
    }
    free(old);
}

static void add_try(struct repair *repair, uint16_t stream, uint32_t seq)
{
    grow_tries(repair);
    struct tries *tries = find_tries(repair, key_of(stream, seq));

    if (tries->key == 0) {
        tries->key = key_of(stream, seq);
        repair->tries_count++;
    }
    tries->count++;
}

static bool is_hopeless(const struct experience *experience)
{
    return experience->tried >= TRIED_ENOUGH && experience->whole * HOPELESS < experience->tried;
}

/* Chooses the format. A format that never works is abandoned. If both work poorly, the better
 * one is used; if neither is better, they take turns. */
static bool wants_text(const struct repair *repair, uint16_t stream, uint32_t seq)
{
    const bool binary_hopeless = is_hopeless(&repair->experience[false]);

    if (binary_hopeless != is_hopeless(&repair->experience[true])) {
        return binary_hopeless;
    }
    const struct experience *binary = &repair->experience[false];
    const struct experience *as_text = &repair->experience[true];
    const unsigned binary_worth = binary->whole * as_text->tried;
    const unsigned text_worth = as_text->whole * binary->tried;

    if (binary_hopeless && binary_worth != text_worth) {
        return text_worth > binary_worth;
    }
    return tries_of(repair, stream, seq) / TRIES_OF_A_FORMAT % 2 == 1;
}

static void remember(struct repair *repair, bool text, bool whole)
{
    struct experience *experience = &repair->experience[text];

    if (experience->tried == TRIED_MAX) {
        experience->tried /= 2;
        experience->whole /= 2;
    }
    experience->tried++;
    experience->whole += whole ? 1 : 0;
}

static bool is_in(const struct decoder_range *range, uint16_t stream, uint32_t seq)
{
    return range->stream == stream && seq >= range->first && seq - range->first < range->count;
}

/* Returns the first request that asks for this frame, or the number of requests if none does. */
static size_t find_request(const struct repair *repair, uint16_t stream, uint32_t seq)
{
    size_t at = 0;

    while (at < repair->outstanding && !is_in(&repair->window[at].range, stream, seq)) {
        at++;
    }
    return at;
}

/* Ends the first request. A request that was lost proves nothing about its frames. */
static void end_first(struct repair *repair, bool answered)
{
    const struct repair_request first = repair->window[0];

    for (uint32_t i = 0; i < first.range.count && answered; i++) {
        const uint32_t seq = first.range.first + i;
        const bool whole = decoder_holds(repair->decoder, first.range.stream, seq);

        remember(repair, first.text, whole);
        if (!whole) {
            add_try(repair, first.range.stream, seq);
        }
    }
    repair->outstanding--;
    memmove(repair->window, repair->window + 1, repair->outstanding * sizeof(repair->window[0]));
    repair->pieces = 0;
    repair->stale = true;
    repair->counts.in_vain++;
}

/* Allows more outstanding requests, because the machine answers. */
static void widen(struct repair *repair)
{
    repair->limit = repair->limit * 2 < REPAIR_REQUESTS ? repair->limit * 2 : REPAIR_REQUESTS;
}

void repair_piece(struct repair *repair, const struct decoder_piece *piece)
{
    if (!piece->intact) {
        repair->pieces++;
        if (repair->outstanding > 0 && repair->pieces >= repair->window[0].range.count) {
            end_first(repair, true);
            widen(repair);
        }
        return;
    }
    const size_t at = find_request(repair, piece->stream, piece->seq);

    repair->stale = repair->stale || piece->stream == 0; /* new records may claim further frames */
    if (piece->is_new) {
        repair->counts.in_vain = 0;
    }
    if (at == repair->outstanding) {
        return; /* belongs to a request that was considered over, or to none */
    }
    for (size_t i = 0; i < at; i++) {
        end_first(repair, i == 0 && repair->pieces > 0);
    }
    const struct decoder_range *range = &repair->window[0].range;

    repair->pieces = piece->seq - range->first + 1;
    widen(repair);
    if (repair->pieces == range->count) {
        end_first(repair, true);
    }
}

void repair_silence(struct repair *repair)
{
    while (repair->outstanding > 0) {
        end_first(repair, repair->pieces > 0);
    }
    repair->limit = 1;
}

size_t repair_outstanding(const struct repair *repair)
{
    return repair->outstanding;
}

void repair_get_counts(const struct repair *repair, struct repair_counts *counts)
{
    *counts = repair->counts;
}

static bool may_be_asked(const struct repair *repair, uint16_t stream, uint32_t seq)
{
    return !decoder_holds(repair->decoder, stream, seq) &&
           find_request(repair, stream, seq) == repair->outstanding;
}

/* Takes from the rest of the round what one request may ask for. */
static bool next_of_round(struct repair *repair, struct repair_request *request)
{
    for (; repair->range < repair->range_count; repair->range++, repair->offset = 0) {
        const struct decoder_range *missing = &repair->ranges[repair->range];

        while (repair->offset < missing->count &&
               !may_be_asked(repair, missing->stream, missing->first + repair->offset)) {
            repair->offset++;
        }
        if (repair->offset == missing->count) {
            continue;
        }
        const uint32_t first = missing->first + repair->offset;
        uint32_t count = 1;

        request->text = wants_text(repair, missing->stream, first);
        while (count < REPAIR_FRAMES && repair->offset + count < missing->count &&
               may_be_asked(repair, missing->stream, first + count) &&
               wants_text(repair, missing->stream, first + count) == request->text) {
            count++;
        }
        request->range = (struct decoder_range){missing->stream, first, count};
        repair->offset += count;
        return true;
    }
    return false;
}

static bool find_next(struct repair *repair, struct repair_request *request)
{
    if (next_of_round(repair, request)) {
        return true;
    }
    if (!repair->stale) {
        return false;
    }
    repair->stale = false;
    repair->range_count = decoder_missing(repair->decoder, repair->ranges, RANGES_MAX);
    repair->range = 0;
    repair->offset = 0;
    return next_of_round(repair, request);
}

bool repair_next(struct repair *repair, struct repair_request *request)
{
    if (repair->outstanding >= repair->limit || !find_next(repair, request)) {
        return false;
    }
    if (repair->outstanding == 0) {
        repair->pieces = 0;
    }
    repair->window[repair->outstanding++] = *request;
    repair->counts.requests++;
    repair->counts.frames += request->range.count;
    return true;
}
