/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects the output to a stream as a text, and checks that JSON output is valid. */
#pragma once

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tests/support/demand.h"

struct fuzz_text {
    FILE *out;
    char *text; /* valid after text_end(); the caller frees it */
    size_t length;
};

/* Returns the stream. The structure must not be moved while it is open. */
static inline FILE *text_begin(struct fuzz_text *text)
{
    text->out = open_memstream(&text->text, &text->length);
    demand(text->out != NULL);
    return text->out;
}

static inline char *text_end(struct fuzz_text *text)
{
    fclose(text->out);
    demand(strlen(text->text) == text->length);
    return text->text;
}

static inline void check_json(const char *text, size_t length)
{
    json_error_t error;
    json_t *json = json_loadb(text, length, 0, &error);

    if (json == NULL) {
        fprintf(stderr, "line %d: %s\n", error.line, error.text);
    }
    demand(json_is_object(json));
    json_decref(json);
}
