/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Colours on a terminal: used only on standard output and standard error, never in a file.
 *
 * By default a stream is coloured if it is a terminal, unless NO_COLOR is not empty (no-color.org)
 * or TERM is "dumb". CLICOLOR_FORCE, if not "0", also colours a stream that is not a terminal.
 * Option --color overrides these variables.
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
    COLOUR_DOUBTFUL, /* yellow: unclear, read with care */
    COLOUR_HEAD,     /* bold: heads of tables and sections */
    COLOUR_DIM,      /* less important text */
};

/* Parses "auto", "always" or "never". Returns false for any other text. */
bool colour_read(const char *text, enum colour_when *when);
/* Sets the choice that was made with --color. */
void colour_use(enum colour_when when);
bool colour_on(FILE *out);

/* colour_begin() starts a coloured text and colour_end() ends it. They write nothing if colours are
 * off for the stream. */
void colour_begin(FILE *out, enum colour colour);
void colour_end(FILE *out, enum colour colour);
void colour_text(FILE *out, enum colour colour, const char *text);

/* Returns the colour of a bench's state: good for OK, dim for SKIP, bad for any other. */
enum colour colour_of_state(const char *state);
