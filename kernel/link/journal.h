/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order in which the parts of a log were created, for a log that is written later
 * (link_save()), and the text among them, which the serial line does not keep.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum journal_kind {
    JOURNAL_TEXT,
    JOURNAL_META,   /* META frame; `number` is the frame's */
    JOURNAL_STREAM, /* all frames of a stream; `number` is the stream's */
    JOURNAL_END,
};

struct journal_entry {
    enum journal_kind kind;
    uint32_t number; /* number of a frame or stream; for text, its offset in the journal's text */
    uint32_t length; /* length of text in characters */
};

/* Allocates memory; until then nothing is kept. Returns false if there is not enough. */
bool journal_open(void);
bool journal_is_open(void);

void journal_note(enum journal_kind kind, uint32_t number);

/* Appends text and a line end. Text that does not fit is dropped; journal_text_lost() returns how
 * many characters were. */
void journal_text(const char *text, size_t length);
uint64_t journal_text_lost(void);

/* Returns entry `index`, counted from 0, or NULL if there is none yet. An entry that was returned
 * once does not change any more: later text begins a new entry. */
const struct journal_entry *journal_at(size_t index);
const uint8_t *journal_characters(const struct journal_entry *entry);
