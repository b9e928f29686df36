/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/tests/corpus_text.h"

#include <stdarg.h>
#include <string.h>

#define TEXT_WIDTH 100 /* a line ends after this many characters: an escape may pass it by 6 */
#define ESCAPE_MAX 4   /* characters of \xNN */
#define HEX_BYTES  32  /* of a line */
#define HEX_GROUP  4
#define HEX        16

static bool is_printable(int byte)
{
    return byte >= ' ' && byte <= '~';
}

static bool is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

bool corpus_name_valid(const char *name)
{
    const size_t length = strlen(name);

    for (size_t i = 0; i < length; i++) {
        if (!is_name_character(name[i])) {
            return false;
        }
    }
    return length > 0 && length <= CORPUS_NAME_MAX && name[0] != '.' && name[0] != '-';
}

/* Writing ------------------------------------------------------------------------------------ */

void corpus_write_begin(FILE *file)
{
    fputs("# SPDX-License-Identifier: BSD-2-Clause\n"
          "#\n"
          "# Inputs of a fuzzer; corpus_text.h describes the form, `make corpus` adds findings.\n",
          file);
}

/* Appends the byte to the line; returns its characters. */
static size_t escape(char *to, uint8_t byte)
{
    if (byte == '\\') {
        return (size_t)snprintf(to, ESCAPE_MAX + 1, "\\\\");
    }
    return (size_t)snprintf(to, ESCAPE_MAX + 1, is_printable(byte) ? "%c" : "\\x%02x", byte);
}

static void write_text(FILE *file, const uint8_t *bytes, size_t size)
{
    size_t at = 0;

    while (at < size) {
        char line[CORPUS_LINE_MAX + 1] = "";
        size_t width = 0;

        while (at < size && bytes[at] != '\n' && width < TEXT_WIDTH) {
            width += escape(line + width, bytes[at++]);
        }
        const bool ends = at < size && bytes[at] == '\n';

        at += ends ? 1 : 0;
        /* Editors strip blanks at the end of a line. */
        if (width > 0 && line[width - 1] == ' ') {
            snprintf(line + width - 1, ESCAPE_MAX + 1, "\\x20");
        }
        fprintf(file, "%c%s\n", ends ? '|' : '>', line);
    }
}

static void write_hex(FILE *file, const uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size; at++) {
        if (at % HEX_BYTES == 0) {
            fputs(at > 0 ? "\n:" : ":", file);
        }
        fprintf(file, at % HEX_GROUP == 0 ? " %02x" : "%02x", bytes[at]);
    }
    fputc('\n', file);
}

/* Whether more than half of the bytes are no text. */
static bool is_binary(const uint8_t *bytes, size_t size)
{
    size_t text = 0;

    for (size_t i = 0; i < size; i++) {
        text += is_printable(bytes[i]) || bytes[i] == '\n' ? 1 : 0;
    }
    return 2 * text < size;
}

void corpus_write(FILE *file, const char *name, const uint8_t *bytes, size_t size)
{
    fprintf(file, "\ninput %s %zu\n", name, size);
    if (is_binary(bytes, size)) {
        write_hex(file, bytes, size);
    } else {
        write_text(file, bytes, size);
    }
}

/* Reading ------------------------------------------------------------------------------------ */

void corpus_read_begin(struct corpus_reader *reader, FILE *file)
{
    *reader = (struct corpus_reader){.file = file};
}

__attribute__((format(printf, 2, 3))) static bool damaged(struct corpus_reader *reader,
                                                          const char *format, ...)
{
    va_list values;

    va_start(values, format);
    vsnprintf(reader->error, sizeof(reader->error), format, values);
    va_end(values);
    return false;
}

/* Reads the next line to reader->text, without its newline. At the end of the file *end is set. */
static bool read_line(struct corpus_reader *reader, bool *end)
{
    size_t length = 0;
    int byte = getc(reader->file);

    *end = byte == EOF && !ferror(reader->file);
    if (*end) {
        return true;
    }
    reader->line++;
    for (; byte != '\n'; byte = getc(reader->file)) {
        if (byte == EOF) {
            return damaged(reader, ferror(reader->file) ? "cannot be read" : "has no newline");
        }
        if (!is_printable(byte)) {
            return damaged(reader, "byte 0x%02x is not printable ASCII", (unsigned)byte);
        }
        if (length == CORPUS_LINE_MAX) {
            return damaged(reader, "longer than %d characters", CORPUS_LINE_MAX);
        }
        reader->text[length++] = (char)byte;
    }
    reader->text[length] = '\0';
    return true;
}

/* Appends one byte to the input. */
static bool append(struct corpus_reader *reader, uint8_t byte)
{
    struct corpus_input *input = &reader->input;

    if (input->size == reader->stated) {
        return damaged(reader, "input %s has more than the %zu bytes that its head states",
                       input->name, reader->stated);
    }
    input->bytes[input->size++] = byte;
    return true;
}

static int digit_value(char digit)
{
    const char *const digits = "0123456789abcdef";
    const char *found = digit != '\0' ? strchr(digits, digit) : NULL;

    return found != NULL ? (int)(found - digits) : -1;
}

/* The byte of two hexadecimal digits, or -1. */
static int hex_byte(const char *digits)
{
    const int high = digit_value(digits[0]);
    const int low = high >= 0 ? digit_value(digits[1]) : -1;

    return low >= 0 ? high * HEX + low : -1;
}

static bool read_hex(struct corpus_reader *reader)
{
    const char *at = reader->text + 1;

    while (*at != '\0') {
        if (*at == ' ') {
            at++;
            continue;
        }
        const int byte = hex_byte(at);

        if (byte < 0) {
            return damaged(reader, "\"%.2s\" is not a byte in hexadecimal (0-9, a-f)", at);
        }
        if (!append(reader, (uint8_t)byte)) {
            return false;
        }
        at += 2;
    }
    return true;
}

static bool read_text(struct corpus_reader *reader)
{
    const char *at = reader->text + 1;

    while (*at != '\0') {
        int byte = (unsigned char)*at;
        size_t length = 1;

        if (at[0] == '\\' && at[1] == '\\') {
            length = 2;
        } else if (at[0] == '\\') {
            byte = at[1] == 'x' ? hex_byte(at + 2) : -1;
            length = ESCAPE_MAX;
        }
        if (byte < 0) {
            return damaged(reader, "\"%.4s\" is neither \\xNN nor \\\\", at);
        }
        if (!append(reader, (uint8_t)byte)) {
            return false;
        }
        at += length;
    }
    return reader->text[0] != '|' || append(reader, '\n');
}

/* Reads a line of the input's body. */
static bool read_body(struct corpus_reader *reader)
{
    bool end;

    if (!read_line(reader, &end)) {
        return false;
    }
    if (!end && reader->text[0] == ':') {
        return read_hex(reader);
    }
    if (!end && (reader->text[0] == '|' || reader->text[0] == '>')) {
        return read_text(reader);
    }
    return damaged(reader, "input %s ends after %zu of %zu bytes", reader->input.name,
                   reader->input.size, reader->stated);
}

/* Takes the name and the size from the head of an input. */
static bool read_head(struct corpus_reader *reader)
{
    struct corpus_input *input = &reader->input;
    char name[CORPUS_LINE_MAX + 1];
    unsigned size;
    int length = 0;

    if (sscanf(reader->text, "input %120s %6u%n", name, &size, &length) != 2 ||
        reader->text[length] != '\0') {
        return damaged(reader, "\"%.40s\" is not \"input NAME SIZE\"", reader->text);
    }
    if (!corpus_name_valid(name)) {
        return damaged(reader, "\"%.80s\" is not a valid name of an input", name);
    }
    if (size > CORPUS_SIZE_MAX) {
        return damaged(reader, "%u bytes: an input has at most %d", size, CORPUS_SIZE_MAX);
    }
    if (strcmp(name, input->name) <= 0) {
        return damaged(reader, "input %s must not follow input %s: names ascend", name,
                       input->name);
    }
    memcpy(input->name, name, strlen(name) + 1);
    input->size = 0;
    reader->stated = size;
    return true;
}

enum corpus_result corpus_read(struct corpus_reader *reader)
{
    bool end;

    do {
        if (!read_line(reader, &end)) {
            return CORPUS_DAMAGED;
        }
        if (end) {
            return CORPUS_END;
        }
    } while (reader->text[0] == '\0' || reader->text[0] == '#');
    if (!read_head(reader)) {
        return CORPUS_DAMAGED;
    }
    while (reader->input.size < reader->stated) {
        if (!read_body(reader)) {
            return CORPUS_DAMAGED;
        }
    }
    return CORPUS_INPUT;
}
