/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Colours of a terminal, on standard output and standard error only, never in a file.
 *
 * By default a stream is coloured if it is a terminal, unless NO_COLOR is not empty (no-color.org)
 * or TERM is "dumb"; CLICOLOR_FORCE, if not "0", colours a stream that is no terminal. --color
 * overrides both.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

enum colour_when {
    COLOUR_AUTO,
    COLOUR_ALWAYS,
    COLOUR_NEVER,
};

enum colour {
    COLOUR_PLAIN,
    COLOUR_GOOD,     /* green: valid, better */
    COLOUR_BAD,      /* red: invalid, worse */
    COLOUR_DOUBTFUL, /* yellow: unclear, to be read with care */
    COLOUR_HEAD,     /* bold: heads of tables and of parts */
    COLOUR_DIM,      /* less important text */
};

/* "auto", "always" or "never"; false: none of them. */
bool colour_read(const char *text, enum colour_when *when);
/* Sets the choice of --color. */
void colour_use(enum colour_when when);
bool colour_on(FILE *out);

/* Text written between them has the colour. They write nothing if colours are off. */
void colour_begin(FILE *out, enum colour colour);
void colour_end(FILE *out, enum colour colour);
void colour_text(FILE *out, enum colour colour, const char *text);

/* The colour of a bench's state: OK is good, SKIP is neither, all else is bad. */
enum colour colour_of_state(const char *state);
