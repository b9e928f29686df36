/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/document/text.h"

#include <string.h>

/* FNV-1a (Fowler, Noll, Vo; draft-eastlake-fnv, section 5). */
#define HASH_BEGIN 0x811c9dc5u
#define HASH_PRIME 0x01000193u

void text_begin(struct text *text, char *bytes, size_t capacity)
{
    *text = (struct text){.bytes = bytes, .capacity = capacity, .gap_end = capacity};
}

size_t text_length(const struct text *text)
{
    return text->capacity - (text->gap_end - text->gap);
}

char text_at(const struct text *text, size_t at)
{
    return text->bytes[at < text->gap ? at : at - text->gap + text->gap_end];
}

static void move_gap(struct text *text, size_t to)
{
    while (text->gap > to) {
        text->bytes[--text->gap_end] = text->bytes[--text->gap];
    }
    while (text->gap < to) {
        text->bytes[text->gap++] = text->bytes[text->gap_end++];
    }
}

bool text_insert(struct text *text, size_t at, char character)
{
    if (text->gap == text->gap_end || at > text_length(text)) {
        return false;
    }
    move_gap(text, at);
    text->bytes[text->gap++] = character;
    return true;
}

bool text_erase(struct text *text, size_t at)
{
    if (at == 0 || at > text_length(text)) {
        return false;
    }
    move_gap(text, at);
    text->gap--;
    return true;
}

uint32_t text_checksum(const struct text *text, size_t from)
{
    const size_t length = text_length(text);
    uint32_t hash = HASH_BEGIN;

    for (size_t at = from; at < length; at++) {
        hash = (hash ^ (uint8_t)text_at(text, at)) * HASH_PRIME;
    }
    return hash;
}

void text_copy(const struct text *text, char *to)
{
    memcpy(to, text->bytes, text->gap);
    memcpy(to + text->gap, text->bytes + text->gap_end, text->capacity - text->gap_end);
}
