/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Distance of two words, to suggest the one that was meant.
 */
#pragma once

#include <stddef.h>

/* A word at most this far away may have been meant. */
#define SPELLING_NEAR 2

/* Number of letters to insert, remove or replace to turn one word into the other (Levenshtein's
 * distance). SIZE_MAX for words longer than SPELLING_WORD_MAX characters. */
#define SPELLING_WORD_MAX 63
size_t spelling_distance(const char *one, const char *other);

/* The nearest of the words offered to the one that was given; the earlier of equals. */
struct spelling {
    const char *given;
    const char *nearest;
    size_t distance;
};
void spelling_begin(struct spelling *spelling, const char *given);
void spelling_offer(struct spelling *spelling, const char *known);
/* The word that may have been meant: at most SPELLING_NEAR away, and with a letter in common. NULL:
 * none. */
const char *spelling_nearest(const struct spelling *spelling);
