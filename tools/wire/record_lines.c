/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/wire/record_lines.h"

#include <string.h>

#include "kernel/link/names.h"
#include "tools/base/clean_text.h"

void record_lines_open(struct record_lines *lines, const uint8_t *text, size_t length)
{
    memcpy(lines->text, text, length);
    lines->text[length] = '\0';
    lines->next = lines->text;
    lines->end = lines->text + length;
}

/* Values as they may be shown, before any two are compared. A plan comes in parts, which may end
 * within a character: it is cleaned when it is whole. Its text in braces, such as a model's
 * program, may have lines. */
static void clean_values(struct record_lines *lines, const struct record *record)
{
    const bool has_lines = strcmp(record->name, RECORD_PARAM) == 0;

    for (size_t i = 0; i < record->count && strcmp(record->name, RECORD_PLAN) != 0; i++) {
        clean_text(lines->text + (record->fields[i].value - lines->text), has_lines);
    }
}

bool record_lines_next(struct record_lines *lines, struct record *record, bool *parsed)
{
    if (lines->next >= lines->end) {
        return false;
    }
    char *const line = lines->next;
    char *const lf = memchr(line, '\n', (size_t)(lines->end - line));
    char *const stop = lf != NULL ? lf : lines->end;

    lines->next = stop + 1;
    *parsed = record_parse(line, (size_t)(stop - line), record);
    if (*parsed) {
        clean_values(lines, record);
    }
    return true;
}
