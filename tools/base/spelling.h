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
