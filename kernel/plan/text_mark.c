/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/plan/text_mark.h"

#include <string.h>

bool text_take_mark(char *text, size_t *length)
{
    const bool is_wide = *length >= 2 && (text[0] == '\0') != (text[1] == '\0');

    if (is_wide || (*length > 0 && (unsigned char)text[0] >= MARK_UTF_16)) {
        return false;
    }
    if (*length >= MARK_UTF_8_LENGTH && memcmp(text, MARK_UTF_8, MARK_UTF_8_LENGTH) == 0) {
        *length -= MARK_UTF_8_LENGTH;
        memmove(text, text + MARK_UTF_8_LENGTH, *length);
    }
    return true;
}
