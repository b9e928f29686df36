/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Colours of a terminal, on standard output and standard error only: a file never holds any.
 *
 * Without a wish a stream is coloured if it is a terminal, unless NO_COLOR holds anything
 * (no-color.org) or TERM is "dumb"; CLICOLOR_FORCE, if not "0", colours one that is no terminal.
 * A wish, --color, goes before both.
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
    COLOUR_DIM,      /* what can be passed over */
};

/* "auto", "always" or "never"; false: neither of them. */
bool colour_read(const char *text, enum colour_when *when);
/* The wish, from now on. */
void colour_use(enum colour_when when);
bool colour_on(FILE *out);

/* What is written between them has the colour. Nothing is written where colours are off. */
void colour_begin(FILE *out, enum colour colour);
void colour_end(FILE *out, enum colour colour);
void colour_text(FILE *out, enum colour colour, const char *text);

/* Of a bench's state: OK is good, SKIP is neither, all else is bad. */
enum colour colour_of_state(const char *state);
