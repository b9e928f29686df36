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
