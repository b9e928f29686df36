/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/texts.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"

#define WHOLE_MAX 0x1p53 /* every whole number below is a double */
#define KIB       1024

void long_text_open(struct long_text *text)
{
    *text = (struct long_text){0};
    text->out = alloc_checked(open_memstream(&text->text, &text->length));
}

const char *long_text_close(struct long_text *text)
{
    fclose(text->out);
    text->out = NULL;
    return alloc_checked(text->text);
}

void long_text_free(struct long_text *text)
{
    free(text->text);
    *text = (struct long_text){0};
}

char *text_format(const char *format, ...)
{
    struct long_text text;
    va_list values;

    long_text_open(&text);
    va_start(values, format);
    vfprintf(text.out, format, values);
    va_end(values);
    long_text_close(&text);
    return text.text;
}

const char *shortest_digits(double value, char text[SHORTEST_MAX])
{
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, SHORTEST_MAX, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    return text;
}

const char *table_digits(double value, char text[SHORTEST_MAX])
{
    if (value == round(value) && fabs(value) < WHOLE_MAX) {
        snprintf(text, SHORTEST_MAX, "%.0f", value);
    } else if (fabs(value) >= 1e5 && fabs(value) < WHOLE_MAX) {
        snprintf(text, SHORTEST_MAX, "%.1f", value);
    } else {
        snprintf(text, SHORTEST_MAX, "%.6g", value);
    }
    return text;
}

const char *size_text(int64_t bytes, char text[SIZE_TEXT_MAX])
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    const size_t last = sizeof(units) / sizeof(units[0]) - 1;
    double value = (double)bytes;
    size_t unit = 0;

    while (value >= KIB && unit < last) {
        value /= KIB;
        unit++;
    }
    snprintf(text, SIZE_TEXT_MAX, "%.4g %s", value, units[unit]);
    return text;
}

const char *size_text_short(int64_t bytes, char text[SIZE_TEXT_MAX])
{
    char *blank = strchr(size_text(bytes, text), ' ');

    if (blank != NULL) {
        blank[0] = bytes < KIB ? '\0' : blank[1];
        blank[1] = '\0';
    }
    return text;
}
