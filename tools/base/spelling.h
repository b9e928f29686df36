/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spelling suggestions: edit distance of two words.
 */
#pragma once

#include <stddef.h>

/* Largest distance at which a word is suggested. */
#define SPELLING_NEAR 2

/* Returns the number of letters to insert, remove or replace to turn one word into the other
 * (Levenshtein distance), or SIZE_MAX if a word is longer than SPELLING_WORD_MAX characters. */
#define SPELLING_WORD_MAX 63
size_t spelling_distance(const char *one, const char *other);

/* Search for the known word nearest to a given one. The first of several equally near words is
 * kept. */
struct spelling {
    const char *given;
    const char *nearest;
    size_t distance;
};
void spelling_begin(struct spelling *spelling, const char *given);
void spelling_offer(struct spelling *spelling, const char *known);
/* Returns the word that may have been meant, or NULL if there is none. It is at most SPELLING_NEAR
 * away and has a letter in common with the given word. */
const char *spelling_nearest(const struct spelling *spelling);
