/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/shell_text.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/base/clean_text.h"

/* Characters that mean nothing to a shell, wherever they are in a word. */
static const char plain[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,-";

char *shell_text(const char *name)
{
    char *clean = alloc_text(name);
    char *text = alloc_zeroed(4 * strlen(name) + sizeof("./''"));
    char *to = stpcpy(text, name[0] == '-' ? "./" : "");

    clean_text(clean, false);
    if (clean[0] != '\0' && clean[strspn(clean, plain)] == '\0') {
        strcpy(to, clean);
        free(clean);
        return text;
    }
    *to++ = '\'';
    for (const char *at = clean; *at != '\0'; at++) {
        if (*at == '\'') {
            to = stpcpy(to, "'\\''");
        } else {
            *to++ = *at;
        }
    }
    *to = '\'';
    free(clean);
    return text;
}
