/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order in which the parts of a log came about, for a log that is written later (link_save()),
 * and the text among them, which the line would not keep.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum journal_kind {
    JOURNAL_TEXT,
    JOURNAL_META,   /* number: of the frame */
    JOURNAL_STREAM, /* number: of the stream, all of it */
    JOURNAL_END,
};

struct journal_entry {
    enum journal_kind kind;
    uint32_t number; /* of text: where it begins */
    uint32_t length; /* of text, in characters */
};

/* Takes memory; before that nothing is kept. False: there is none. */
bool journal_open(void);
bool journal_is_open(void);

void journal_note(enum journal_kind kind, uint32_t number);

/* Text and a line end behind it. What finds no room is lost, and counted. */
void journal_text(const char *text, size_t length);
uint64_t journal_text_lost(void);

/* An entry that is there does not change any more, once it was asked for. NULL: no more. */
const struct journal_entry *journal_at(size_t index);
const uint8_t *journal_characters(const struct journal_entry *entry);
