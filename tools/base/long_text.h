/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A text that is written piece by piece and may become of any length: for lists of which a run can
 * hold thousands, none of which is to be cut off in silence.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

struct long_text {
    FILE *out; /* to write to */
    char *text;
    size_t length;
};

/* Begins an empty one; ends the program where there is no memory for it. */
void long_text_open(struct long_text *text);
/* Ends the writing; what was written stays until long_text_free(). */
const char *long_text_close(struct long_text *text);
void long_text_free(struct long_text *text);
