/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/bench/interactive/thresholds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITEM_MAX 40 /* of a message */

/* The item at the text's begin, up to a comma or the end. */
static bool read_time(const char *text, size_t length, double *ms)
{
    static const struct {
        const char *unit;
        double ms;
    } units[] = {{"", 1}, {"us", 1e-3}, {"ms", 1}, {"s", 1e3}};
    char item[ITEM_MAX];
    char *unit;

    if (length == 0 || length >= sizeof(item) || strchr("0123456789.", text[0]) == NULL) {
        return false;
    }
    memcpy(item, text, length);
    item[length] = '\0';
    *ms = strtod(item, &unit);
    for (size_t i = 0; unit != item && i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(unit, units[i].unit) == 0) {
            *ms *= units[i].ms;
            return *ms >= 0 && *ms <= THRESHOLD_MS_MAX;
        }
    }
    return false;
}

static bool refuse(const char *text, size_t length, const char *wanted,
                   char error[THRESHOLDS_ERROR_MAX])
{
    snprintf(error, THRESHOLDS_ERROR_MAX, "\"%.*s\": must be %s",
             (int)(length < ITEM_MAX ? length : ITEM_MAX), text, wanted);
    return false;
}

bool thresholds_read(const char *text, double ms[THRESHOLDS_MAX], size_t *count,
                     char error[THRESHOLDS_ERROR_MAX])
{
    *count = 0;
    for (;;) {
        const size_t length = strcspn(text, ",");

        if (*count == THRESHOLDS_MAX) {
            snprintf(error, THRESHOLDS_ERROR_MAX, "more than %d of them", THRESHOLDS_MAX);
            return false;
        }
        if (!read_time(text, length, &ms[(*count)++])) {
            return refuse(text, length, "milliseconds, such as 100 or 0.05, or 50us", error);
        }
        if (text[length] == '\0') {
            return true;
        }
        text += length + 1;
    }
}

/* Sets the kinds that the name means; false: none. */
static bool set_kinds(const char *name, size_t length, double value, double ms[INPUT_KINDS])
{
    bool found = false;

    for (unsigned kind = 0; kind < INPUT_KINDS; kind++) {
        const char *known = input_kind_name(kind);

        if ((strlen(known) == length && strncmp(name, known, length) == 0) ||
            (length == strlen("all") && strncmp(name, "all", length) == 0)) {
            ms[kind] = value;
            found = true;
        }
    }
    return found;
}

bool thresholds_read_kinds(const char *text, double ms[INPUT_KINDS],
                           char error[THRESHOLDS_ERROR_MAX])
{
    for (;;) {
        const size_t length = strcspn(text, ",");
        const size_t name = strcspn(text, "=,");
        double value;

        if (text[name] != '=' || !read_time(text + name + 1, length - name - 1, &value) ||
            !set_kinds(text, name, value, ms)) {
            return refuse(text, length,
                          "KIND=MS, of key_down, key_up, button_down, button_up, move or all",
                          error);
        }
        if (text[length] == '\0') {
            return true;
        }
        text += length + 1;
    }
}
