/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of a document: characters with a gap where the last change was, so that typing moves
 * none. Its memory is the caller's. Pure: for ring 0, ring 3 and the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    char *bytes;
    size_t capacity;
    size_t gap;     /* characters before it */
    size_t gap_end; /* index in bytes of the first one behind it */
};

/* Empty. */
void text_begin(struct text *text, char *bytes, size_t capacity);
size_t text_length(const struct text *text);
/* `at` below the length. */
char text_at(const struct text *text, size_t at);
/* Before the character at `at`, which is at most the length. False: there is no room. */
bool text_insert(struct text *text, size_t at, char character);
/* Takes out the character before `at`. False: there is none. */
bool text_erase(struct text *text, size_t at);
/* FNV-1a, 32 bits, of the characters from `from` on. */
uint32_t text_checksum(const struct text *text, size_t from);
/* All characters, one behind the other. */
void text_copy(const struct text *text, char *to);

/*
 * Rows of an editor's window: a row ends behind a newline, or after so many characters. Pure.
 */

#define ROWS_NONE SIZE_MAX

/* Where the row behind the one that begins at `start` begins; ROWS_NONE: that is the last. */
size_t rows_next(const struct text *text, size_t start, size_t columns);
/* Where the row before it begins; `start` is the begin of a row; ROWS_NONE: that is the first. */
size_t rows_before(const struct text *text, size_t start, size_t columns);
/* Characters of the row that begins at `start`, without a newline. */
size_t rows_length(const struct text *text, size_t start, size_t columns);

/*
 * Spelling, by a small list of words. Pure.
 */

/* The word that ends before `end`: letters; how many there are. */
size_t spelling_word(const char *text, size_t end);
/* Is it in the list? Capitals are as good. */
bool spelling_knows(const char *word, size_t length);

/*
 * From keys to characters and commands, with what is held. Pure.
 */

#define TYPING_NONE      '\0'
#define TYPING_BACKSPACE '\b'

struct typing {
    bool shift;
    bool control;
};

/* A key goes down or up. The character that it types, '\n' and TYPING_BACKSPACE among them;
 * TYPING_NONE: it types none, as it comes up, is held with ctrl, or is a command. */
char typing_key(struct typing *typing, uint16_t code, bool down);
