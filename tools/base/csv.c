/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/csv.h"

#include <stdbool.h>
#include <string.h>

/* Skips digits with at most one decimal point among them. Returns the end, or NULL if there are no
 * digits. */
static const char *skip_digits(const char *text)
{
    const size_t whole = strspn(text, "0123456789");
    const char *end = text + whole;
    size_t fraction = 0;

    if (*end == '.') {
        fraction = strspn(end + 1, "0123456789");
        end += 1 + fraction;
    }
    return whole + fraction > 0 ? end : NULL;
}

/* Is the text a decimal number? It may have a sign, a fraction and an exponent. */
static bool is_number(const char *text)
{
    const char *end = skip_digits(text + (*text == '-' || *text == '+' ? 1 : 0));

    if (end != NULL && (*end == 'e' || *end == 'E')) {
        end += end[1] == '-' || end[1] == '+' ? 2 : 1;
        end = *end >= '0' && *end <= '9' ? end + strspn(end, "0123456789") : NULL;
    }
    return end != NULL && *end == '\0';
}

/* Would a spreadsheet take the text, or the text without leading apostrophes, for a formula? */
static bool is_formula(const char *text)
{
    const char first = text[strspn(text, "'")];

    return first != '\0' && strchr("=+-@\t\r\n", first) != NULL && !is_number(text);
}

void csv_field(FILE *out, const char *text)
{
    if (text == NULL) {
        return;
    }
    const char *apostrophe = is_formula(text) ? "'" : "";

    if (strpbrk(text, ",\"\r\n") == NULL) {
        fprintf(out, "%s%s", apostrophe, text);
        return;
    }
    fprintf(out, "\"%s", apostrophe);
    for (; *text != '\0'; text++) {
        if (*text == '"') {
            fputc('"', out);
        }
        fputc(*text, out);
    }
    fputc('"', out);
}
