/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A text of any length, written piece by piece: for lists of thousands of items, none of which may
 * be cut silently.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

struct long_text {
    FILE *out; /* to write to */
    char *text;
    size_t length;
};

/* Begins an empty text; ends the program if memory is short. */
void long_text_open(struct long_text *text);
/* Ends the writing; the text stays until long_text_free(). */
const char *long_text_close(struct long_text *text);
void long_text_free(struct long_text *text);
