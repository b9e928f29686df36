/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/size_text.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define KIB 1024

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
