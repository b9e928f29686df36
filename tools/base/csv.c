/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/csv.h"

#include <string.h>

void csv_field(FILE *out, const char *text)
{
    if (text == NULL) {
        return;
    }
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"') {
            fputc('"', out);
        }
        fputc(*text, out);
    }
    fputc('"', out);
}
