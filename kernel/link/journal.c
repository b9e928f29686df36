/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/link/journal.h"

#include <string.h>

#include "kernel/mem/memory.h"

#define TEXT_BYTES   (256u << 10)
#define ENTRIES_MAX  12288 /* enough for META frames, streams, and text between any two of them */
#define PART_BYTES   4096  /* consecutive lines of text share an entry up to this size */
#define LINE_END     "\r\n"
#define LINE_END_LEN 2

static struct {
    struct journal_entry *entries; /* entries in order; NULL: nothing is kept */
    size_t count;
    size_t asked; /* entries below this index no longer change */
    char *text;
    uint32_t text_length;
    uint64_t lost;
} journal;

bool journal_open(void)
{
    journal.text = memory_allocate(TEXT_BYTES, 16);
    journal.entries =
        journal.text == NULL ? NULL : memory_allocate(ENTRIES_MAX * sizeof(*journal.entries), 16);
    return journal.entries != NULL;
}

bool journal_is_open(void)
{
    return journal.entries != NULL;
}

void journal_note(enum journal_kind kind, uint32_t number)
{
    if (journal.entries != NULL && journal.count < ENTRIES_MAX) {
        journal.entries[journal.count++] = (struct journal_entry){kind, number, 0};
    }
}

static struct journal_entry *text_entry(size_t more)
{
    struct journal_entry *last = journal.count > 0 ? &journal.entries[journal.count - 1] : NULL;

    if (last == NULL || last->kind != JOURNAL_TEXT || journal.count <= journal.asked ||
        last->length + more > PART_BYTES) {
        journal_note(JOURNAL_TEXT, journal.text_length);
        last = &journal.entries[journal.count - 1];
    }
    return last->kind == JOURNAL_TEXT ? last : NULL;
}

void journal_text(const char *text, size_t length)
{
    const size_t more = length + LINE_END_LEN;

    if (journal.entries == NULL) {
        return;
    }
    struct journal_entry *entry = more > TEXT_BYTES - journal.text_length ? NULL : text_entry(more);

    if (entry == NULL) {
        journal.lost += more;
        return;
    }
    memcpy(journal.text + journal.text_length, text, length);
    memcpy(journal.text + journal.text_length + length, LINE_END, LINE_END_LEN);
    journal.text_length += (uint32_t)more;
    entry->length += (uint32_t)more;
}

uint64_t journal_text_lost(void)
{
    return journal.lost;
}

const struct journal_entry *journal_at(size_t index)
{
    if (index >= journal.count) {
        return NULL;
    }
    journal.asked = index + 1 > journal.asked ? index + 1 : journal.asked;
    return &journal.entries[index];
}

const uint8_t *journal_characters(const struct journal_entry *entry)
{
    return (const uint8_t *)journal.text + entry->number;
}
