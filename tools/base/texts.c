/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/texts.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/base/number.h"

#define KIB      1024
#define CELL_END '\x1f' /* a separator that no text of a run contains; a text may contain a tab */

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
    char *text;
    va_list values;

    va_start(values, format);
    alloc_checked(vasprintf(&text, format, values) < 0 ? NULL : text);
    va_end(values);
    return text;
}

bool text_ends(const char *text, const char *ending)
{
    const size_t length = strlen(text);
    const size_t end = strlen(ending);

    return length >= end && strcmp(text + length - end, ending) == 0;
}

bool text_first_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "re");
    const bool good = file != NULL && fgets(line, (int)size, file) != NULL;

    if (file != NULL) {
        fclose(file);
    }
    if (good) {
        line[strcspn(line, "\n")] = '\0';
    }
    return good;
}

void text_append(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

void file_end_text(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    size_t length = 0;

    if (file != NULL) {
        if (fseek(file, -(long)(size - 1), SEEK_END) != 0) {
            rewind(file);
        }
        length = fread(text, 1, size - 1, file);
        fclose(file);
    }
    text[length] = '\0';
}

char *cells_text(const char *format, va_list values, size_t *count)
{
    char *separated = alloc_checked(strdup(format));
    char *text;

    for (char *c = separated; *c != '\0'; c++) {
        *c = (char)(*c == '\t' ? CELL_END : *c);
    }
    alloc_checked(vasprintf(&text, separated, values) < 0 ? NULL : text);
    free(separated);
    *count = 1;
    for (char *c = text; (c = strchr(c, CELL_END)) != NULL; c++) {
        *c = '\0';
        ++*count;
    }
    return text;
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
    char number[NUMBER_MAX];

    snprintf(text, SIZE_TEXT_MAX, "%s %s", number_text(value, number), units[unit]);
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
