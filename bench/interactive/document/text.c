/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/document/text.h"

#include <string.h>

#include "kernel/input/event.h"

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

size_t rows_length(const struct text *text, size_t start, size_t columns)
{
    const size_t length = text_length(text);
    size_t count = 0;

    while (count < columns && start + count < length && text_at(text, start + count) != '\n') {
        count++;
    }
    return count;
}

size_t rows_next(const struct text *text, size_t start, size_t columns)
{
    const size_t count = rows_length(text, start, columns);

    if (count == columns) {
        return start + count;
    }
    return start + count < text_length(text) ? start + count + 1 : ROWS_NONE;
}

size_t rows_before(const struct text *text, size_t start, size_t columns)
{
    if (start == 0) {
        return ROWS_NONE;
    }
    size_t row = start - 1;

    while (row > 0 && text_at(text, row - 1) != '\n') {
        row--;
    }
    for (size_t next = rows_next(text, row, columns); next < start;
         next = rows_next(text, row, columns)) {
        row = next;
    }
    return row;
}

/* Every word has a blank before and after it. */
static const char words[] =
    " a about after all also an and any are as at be because been before but by can come could day "
    "did do down each even find first for from get give go good great had has have he her here him "
    "his how i if in into is it its just know last like little long look made make man many may me "
    "men more most much must my new no not now number of on one only or other our out over own "
    "part people place right said same say see she should so some state still such take than that "
    "the their them then there these they thing think this those through time to too two under up "
    "us use very was way we well went were what when where which while who will with work world "
    "would write year you your ";

static bool is_letter(char character)
{
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
}

static char small(char character)
{
    return character >= 'A' && character <= 'Z' ? (char)(character - 'A' + 'a') : character;
}

size_t spelling_word(const char *text, size_t end)
{
    size_t length = 0;

    while (length < end && is_letter(text[end - length - 1])) {
        length++;
    }
    return length;
}

bool spelling_knows(const char *word, size_t length)
{
    size_t same = 0; /* number of characters compared in the current word of the list */
    bool equal = true;

    for (size_t at = 1; length > 0 && at < sizeof(words) - 1; at++) {
        if (words[at] != ' ') {
            equal = equal && same < length && words[at] == small(word[same]);
            same++;
            continue;
        }
        if (equal && same == length) {
            return true;
        }
        same = 0;
        equal = true;
    }
    return false;
}

char typing_key(struct typing *typing, uint16_t code, bool down)
{
    if (key_is_shift(code)) {
        typing->shift = down;
        return TYPING_NONE;
    }
    if (code == KEY_CTRL) {
        typing->control = down;
        return TYPING_NONE;
    }
    if (!down || typing->control) {
        return TYPING_NONE;
    }
    return code == KEY_BACKSPACE ? TYPING_BACKSPACE : key_character(code, typing->shift);
}
