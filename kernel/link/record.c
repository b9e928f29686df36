/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/link/record.h"

#include <string.h>

#include "kernel/plan/number.h"

static const char hex_digits[] = "0123456789abcdef";

static bool is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

static bool is_bare_character(char c)
{
    return is_name_character(c) || (c >= 'A' && c <= 'Z') ||
           (c != '\0' && strchr(",:;+/-", c) != NULL);
}

/* Returns whether `bytes` more bytes fit. One byte stays free for the LF. */
static bool has_room(const struct record_writer *writer, size_t bytes)
{
    return bytes < sizeof(writer->line) - writer->length;
}

static void append(struct record_writer *writer, const char *bytes, size_t length)
{
    memcpy(writer->line + writer->length, bytes, length);
    writer->length += length;
}

void record_begin(struct record_writer *writer, const char *name)
{
    const size_t length = strnlen(name, sizeof(writer->line) - 1);

    writer->length = 0;
    writer->truncated = name[length] != '\0';
    append(writer, name, length);
}

/* Writes " key=" if it and `value_length` more bytes fit; otherwise sets `truncated`. */
static bool open_field(struct record_writer *writer, const char *key, size_t value_length)
{
    const size_t key_length = strlen(key);

    if (!has_room(writer, key_length + 2 + value_length)) {
        writer->truncated = true;
        return false;
    }
    append(writer, " ", 1);
    append(writer, key, key_length);
    append(writer, "=", 1);
    return true;
}

static bool is_bare(const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (!is_bare_character(*c)) {
            return false;
        }
    }
    return *text != '\0';
}

/* Writes the quoted form of one character to `out`. Returns its length, 1 to 4. */
static size_t escape(char c, char out[4])
{
    if (c == '"' || c == '\\' || c == '\n') {
        out[0] = '\\';
        out[1] = c == '\n' ? 'n' : c;
        return 2;
    }
    if ((unsigned char)c < ' ' || c == 0x7f) {
        out[0] = '\\';
        out[1] = 'x';
        out[2] = hex_digits[(unsigned char)c >> 4];
        out[3] = hex_digits[c & 15];
        return 4;
    }
    out[0] = c;
    return 1;
}

void record_text(struct record_writer *writer, const char *key, const char *text)
{
    const size_t length = strlen(text);

    if (is_bare(text) && has_room(writer, strlen(key) + 2 + length)) {
        open_field(writer, key, length);
        append(writer, text, length);
        return;
    }
    if (!open_field(writer, key, 2)) {
        return;
    }
    append(writer, "\"", 1);
    for (size_t i = 0; i < length; i++) {
        char code[4];
        const size_t code_length = escape(text[i], code);

        if (!has_room(writer, code_length + 1)) {
            writer->truncated = true;
            break;
        }
        append(writer, code, code_length);
    }
    append(writer, "\"", 1);
}

void record_unsigned(struct record_writer *writer, const char *key, uint64_t value)
{
    char digits[20];
    size_t at = sizeof(digits);

    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    if (open_field(writer, key, sizeof(digits) - at)) {
        append(writer, digits + at, sizeof(digits) - at);
    }
}

void record_signed(struct record_writer *writer, const char *key, int64_t value)
{
    if (value >= 0) {
        record_unsigned(writer, key, (uint64_t)value);
        return;
    }
    char digits[21];
    size_t at = sizeof(digits);
    uint64_t magnitude = 0 - (uint64_t)value;

    while (magnitude > 0) {
        digits[--at] = (char)('0' + magnitude % 10);
        magnitude /= 10;
    }
    digits[--at] = '-';
    if (open_field(writer, key, sizeof(digits) - at)) {
        append(writer, digits + at, sizeof(digits) - at);
    }
}

void record_hex(struct record_writer *writer, const char *key, uint64_t value)
{
    char digits[18] = "0x";

    for (int i = 0; i < 16; i++) {
        digits[2 + i] = hex_digits[value >> (60 - 4 * i) & 15];
    }
    if (open_field(writer, key, sizeof(digits))) {
        append(writer, digits, sizeof(digits));
    }
}

size_t record_finish(struct record_writer *writer)
{
    writer->line[writer->length++] = '\n';
    return writer->length;
}

/* Unescapes a quoted value in place; `in` is the first character after the opening quote. Returns
 * the character after the closing quote, or NULL if the value is malformed. */
static char *parse_quoted(char *in, char *end)
{
    char *out = in;

    while (in < end && *in != '"') {
        if (*in != '\\') {
            *out++ = *in++;
            continue;
        }
        if (end - in < 2) {
            return NULL;
        }
        if (in[1] == 'x') {
            if (end - in < 4 || hex_digit(in[2]) < 0 || hex_digit(in[3]) < 0) {
                return NULL;
            }
            *out++ = (char)((unsigned)hex_digit(in[2]) << 4 | (unsigned)hex_digit(in[3]));
            in += 4;
            continue;
        }
        *out++ = in[1] == 'n' ? '\n' : in[1];
        in += 2;
    }
    if (in >= end) {
        return NULL;
    }
    *out = '\0';
    return in + 1;
}

static char *skip_while(char *at, const char *end, bool (*matches)(char))
{
    while (at < end && matches(*at)) {
        at++;
    }
    return at;
}

bool record_parse(char *line, size_t length, struct record *record)
{
    char *const end = line + length;
    char *at = skip_while(line, end, is_name_character);

    if (at == line) {
        return false;
    }
    *end = '\0';
    record->name = line;
    record->count = 0;
    while (at < end) {
        if (*at != ' ' || record->count == RECORD_FIELDS_MAX) {
            return false;
        }
        *at++ = '\0';
        struct record_field *field = &record->fields[record->count++];

        field->key = at;
        at = skip_while(at, end, is_name_character);
        if (at == end || *at != '=' || at == field->key) {
            return false;
        }
        *at++ = '\0';
        if (at < end && *at == '"') {
            field->value = at + 1;
            at = parse_quoted(at + 1, end);
            if (at == NULL) {
                return false;
            }
            continue;
        }
        field->value = at;
        at = skip_while(at, end, is_bare_character);
        if (at == field->value) {
            return false;
        }
    }
    return true;
}

const char *record_value(const struct record *record, const char *key)
{
    for (size_t i = 0; i < record->count; i++) {
        if (strcmp(record->fields[i].key, key) == 0) {
            return record->fields[i].value;
        }
    }
    return NULL;
}

bool record_value_unsigned(const struct record *record, const char *key, uint64_t *value)
{
    const char *text = record_value(record, key);

    return text != NULL && parse_unsigned(text, value);
}

bool record_value_signed(const struct record *record, const char *key, int64_t *value)
{
    const char *text = record_value(record, key);
    uint64_t magnitude;

    if (text == NULL) {
        return false;
    }
    const bool negative = text[0] == '-';

    if (!parse_unsigned(text + (negative ? 1 : 0), &magnitude) ||
        magnitude > (uint64_t)INT64_MAX + (negative ? 1 : 0)) {
        return false;
    }
    *value = (int64_t)(negative ? 0 - magnitude : magnitude);
    return true;
}

bool record_value_up_to(const struct record *record, const char *key, uint64_t limit,
                        uint64_t *value)
{
    return record_value_unsigned(record, key, value) && *value <= limit;
}
