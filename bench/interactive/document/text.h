/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of a document: characters with a gap at the last change, so that typing does not move
 * characters. The caller provides the memory. Pure: for ring 0, ring 3 and the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    char *bytes;
    size_t capacity;
    size_t gap;     /* number of characters before the gap */
    size_t gap_end; /* index in `bytes` of the first character after the gap */
};

/* Starts an empty text in the given memory. */
void text_begin(struct text *text, char *bytes, size_t capacity);
size_t text_length(const struct text *text);
/* Returns a character; `at` must be below the length. */
char text_at(const struct text *text, size_t at);
/* Inserts a character before the one at `at`, which is at most the length. Returns false if there
 * is no room. */
bool text_insert(struct text *text, size_t at, char character);
/* Removes the character before `at`. Returns false if there is none. */
bool text_erase(struct text *text, size_t at);
/* Returns the FNV-1a hash (32 bits) of the characters from `from` on. */
uint32_t text_checksum(const struct text *text, size_t from);
/* Copies all characters, without the gap. */
void text_copy(const struct text *text, char *to);

/*
 * Rows of an editor's window: a row ends after a newline, or after `columns` characters. Pure.
 */

#define ROWS_NONE SIZE_MAX

/* Returns where the row after the one at `start` begins, or ROWS_NONE if that is the last row. */
size_t rows_next(const struct text *text, size_t start, size_t columns);
/* Returns where the row before the one at `start` begins, or ROWS_NONE if that is the first row.
 * `start` must be the start of a row. */
size_t rows_before(const struct text *text, size_t start, size_t columns);
/* Returns the number of characters in the row that begins at `start`, without a newline. */
size_t rows_length(const struct text *text, size_t start, size_t columns);

/*
 * Spelling by a small list of words. Pure.
 */

/* Returns the number of letters in the word that ends before `end`. */
size_t spelling_word(const char *text, size_t end);
/* Returns whether the word is in the list. Capitals do not matter. */
bool spelling_knows(const char *word, size_t length);

/*
 * Turns keys into characters, given the modifiers that are held. Pure.
 */

#define TYPING_NONE      '\0'
#define TYPING_BACKSPACE '\b'

struct typing {
    bool shift;
    bool control;
};

/* Handles a key that goes down or up. Returns the character that it types, which may be '\n' or
 * TYPING_BACKSPACE. Returns TYPING_NONE if it types nothing: when it goes up, while ctrl is held,
 * or if the key is a command. */
char typing_key(struct typing *typing, uint16_t code, bool down);
