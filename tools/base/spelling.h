/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much two words differ.
 */
#pragma once

#include <stddef.h>

/* A word that is no further away may have been meant. */
#define SPELLING_NEAR 2

/* How many letters must be put in, taken out or replaced to make one of the other (Levenshtein's
 * distance). Of words above SPELLING_WORD_MAX characters: SIZE_MAX. */
#define SPELLING_WORD_MAX 63
size_t spelling_distance(const char *one, const char *other);
