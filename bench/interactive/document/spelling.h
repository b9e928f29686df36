/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spelling, by a small list of words. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The word that ends before `end`: letters; how many there are. */
size_t spelling_word(const char *text, size_t end);
/* Is it in the list? Capitals are as good. */
bool spelling_knows(const char *word, size_t length);
