/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/clean_text.h"

#include <stddef.h>

#include "tools/base/json.h"

static bool is_clean(const unsigned char *c, size_t length, bool lines)
{
    if (length == 1) {
        return (*c >= ' ' && *c != 0x7f) || (lines && (*c == '\n' || *c == '\t'));
    }
    return length > 2 || (length == 2 && (c[0] != 0xc2 || c[1] >= 0xa0));
}

void clean_text(char *text, bool lines)
{
    while (*text != '\0') {
        const size_t length = json_utf8_length(text);

        if (is_clean((const unsigned char *)text, length, lines)) {
            text += length;
        } else {
            *text++ = '?';
        }
    }
}
