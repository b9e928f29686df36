/* SPDX-License-Identifier: BSD-2-Clause */
/* What code under test writes to a stream, compared with what it has to be. */
#pragma once

#include <stdlib.h>

#include "tools/tests/support/unit.h"

/* Collects what is written to a stream. */
struct capture {
    FILE *out;
    char *text;
    size_t length;
};

static inline void capture_start(struct capture *capture)
{
    memset(capture, 0, sizeof(*capture));
    capture->out = open_memstream(&capture->text, &capture->length);
}

static inline void capture_check(struct capture *capture, const char *expected, int line)
{
    fclose(capture->out);
    unit_same_text(capture->text, expected, __FILE__, line, "the text that was written");
    free(capture->text);
}
