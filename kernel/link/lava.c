/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/link/lava.h"

#include <stdio.h>
#include <string.h>

#define NAME_MAX_SHOWN 64

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-' || c == '/';
}

static const char *plain(const char *name, char to[NAME_MAX_SHOWN + 1])
{
    size_t length = 0;

    for (; length < NAME_MAX_SHOWN && name[length] != '\0'; length++) {
        to[length] = is_plain(name[length]) ? name[length] : '_';
    }
    to[length] = '\0';
    return to;
}

size_t lava_line(const struct lava_case *of, char line[LAVA_LINE_MAX])
{
    char bench[NAME_MAX_SHOWN + 1], series[NAME_MAX_SHOWN + 1] = "", unit[NAME_MAX_SHOWN + 1];
    size_t used = (size_t)snprintf(line, LAVA_LINE_MAX, "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=%s",
                                   plain(of->bench, bench));

    if (of->pass > 0) {
        used += (size_t)snprintf(line + used, LAVA_LINE_MAX - used, ".%u", of->pass);
    }
    if (of->series != NULL) {
        used +=
            (size_t)snprintf(line + used, LAVA_LINE_MAX - used, ".%s", plain(of->series, series));
    }
    used += (size_t)snprintf(line + used, LAVA_LINE_MAX - used, " RESULT=%s", of->result);
    if (of->measured) {
        used += (size_t)snprintf(line + used, LAVA_LINE_MAX - used, " MEASUREMENT=%ld UNITS=%s",
                                 (long)of->value, plain(of->unit, unit));
    }
    return used + (size_t)snprintf(line + used, LAVA_LINE_MAX - used, ">");
}
