/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/colour.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/run/names.h"

static enum colour_when wish;

bool colour_read(const char *text, enum colour_when *when)
{
    static const char *const names[] = {"auto", "always", "never"};

    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(text, names[i]) == 0) {
            *when = (enum colour_when)i;
            return true;
        }
    }
    return false;
}

void colour_use(enum colour_when when)
{
    wish = when;
}

static bool is_set(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && value[0] != '\0';
}

static bool has_value(const char *name, const char *value)
{
    const char *found = getenv(name);

    return found != NULL && strcmp(found, value) == 0;
}

bool colour_on(FILE *out)
{
    if (wish == COLOUR_NEVER || (out != stdout && out != stderr)) {
        return false;
    }
    if (wish == COLOUR_ALWAYS) {
        return true;
    }
    if (is_set("NO_COLOR")) {
        return false;
    }
    if (is_set("CLICOLOR_FORCE") && !has_value("CLICOLOR_FORCE", "0")) {
        return true;
    }
    return isatty(fileno(out)) == 1 && !has_value("TERM", "dumb");
}

void colour_begin(FILE *out, enum colour colour)
{
    static const char *const codes[] = {
        [COLOUR_PLAIN] = "",       [COLOUR_GOOD] = "\033[32m",
        [COLOUR_BAD] = "\033[31m", [COLOUR_DOUBTFUL] = "\033[33m",
        [COLOUR_HEAD] = "\033[1m", [COLOUR_DIM] = "\033[2m",
    };

    if (colour != COLOUR_PLAIN && colour_on(out)) {
        fputs(codes[colour], out);
    }
}

void colour_end(FILE *out, enum colour colour)
{
    if (colour != COLOUR_PLAIN && colour_on(out)) {
        fputs("\033[0m", out);
    }
}

void colour_text(FILE *out, enum colour colour, const char *text)
{
    colour_begin(out, colour);
    fputs(text, out);
    colour_end(out, colour);
}

enum colour colour_of_state(const char *state)
{
    if (state != NULL && strcmp(state, STATE_OK) == 0) {
        return COLOUR_GOOD;
    }
    return state != NULL && strcmp(state, STATE_SKIP) == 0 ? COLOUR_DIM : COLOUR_BAD;
}
