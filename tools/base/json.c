/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tools/base/texts.h"

void json_start(struct json *json, FILE *out)
{
    memset(json, 0, sizeof(*json));
    json->out = out;
}

size_t json_utf8_length(const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text;
    const unsigned char c = bytes[0];
    const size_t length = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : 4;

    if (c >= 0x80 && (c < 0xc2 || c > 0xf4)) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    /* Overlong forms, surrogates, and code points above U+10FFFF are invalid. */
    if ((c == 0xe0 && bytes[1] < 0xa0) || (c == 0xed && bytes[1] > 0x9f) ||
        (c == 0xf0 && bytes[1] < 0x90) || (c == 0xf4 && bytes[1] > 0x8f)) {
        return 0;
    }
    return length;
}

/* Returns the length of the leading part that can be written without escapes; for most texts, that
 * is everything. */
static size_t plain_length(const struct json *json, const char *text)
{
    size_t length = 0;

    for (char c; (c = text[length]) >= ' ' && c < 0x7f && c != '"' && c != '\\' &&
                 (c != '<' || !json->in_html);) {
        length++;
    }
    return length;
}

/* Is it one of U+0080 to U+009F, which terminals treat as control characters? */
static bool is_control(const char *text)
{
    return (unsigned char)text[0] == 0xc2 && (unsigned char)text[1] < 0xa0;
}

static void put_string(const struct json *json, const char *text)
{
    FILE *out = json->out;

    fputc('"', out);
    while (*text != '\0') {
        const size_t plain = plain_length(json, text);
        const size_t length = plain > 0 ? plain : json_utf8_length(text);

        if (length == 0) {
            fputs("\\ufffd", out);
        } else if (plain == 0 && (*text == '"' || *text == '\\')) {
            fprintf(out, "\\%c", *text);
        } else if (*text == '\n') {
            fputs("\\n", out);
        } else if (plain == 0 && length == 1) {
            fprintf(out, "\\u%04x", (unsigned)*text);
        } else if (is_control(text)) {
            fprintf(out, "\\u%04x", (unsigned)(unsigned char)text[1]);
        } else {
            fwrite(text, 1, length, out);
        }
        text += length > 0 ? length : 1;
    }
    fputc('"', out);
}

/* Writes what comes before a value: comma, line end, indentation and key. */
static void lead_in(struct json *json, const char *key)
{
    if (json->depth > 0 && json->flat) {
        fputs(json->filled[json->depth - 1] ? ", " : "", json->out);
        json->filled[json->depth - 1] = true;
    } else if (json->depth > 0) {
        fputs(json->filled[json->depth - 1] ? ",\n" : "\n", json->out);
        fprintf(json->out, "%*s", (int)(2 * json->depth), "");
        json->filled[json->depth - 1] = true;
    }
    if (key != NULL) {
        put_string(json, key);
        fputs(": ", json->out);
    }
}

static void open_value(struct json *json, const char *key, char opener, char closer)
{
    lead_in(json, key);
    assert(json->depth < JSON_DEPTH_MAX);
    fputc(opener, json->out);
    json->filled[json->depth] = false;
    json->closer[json->depth++] = closer;
}

void json_object(struct json *json, const char *key)
{
    open_value(json, key, '{', '}');
}

void json_array(struct json *json, const char *key)
{
    open_value(json, key, '[', ']');
}

void json_flat_array(struct json *json, const char *key)
{
    open_value(json, key, '[', ']');
    json->flat = true;
}

void json_close(struct json *json)
{
    assert(json->depth > 0);
    json->depth--;
    if (json->filled[json->depth] && !json->flat) {
        fprintf(json->out, "\n%*s", (int)(2 * json->depth), "");
    }
    json->flat = false;
    fputc(json->closer[json->depth], json->out);
    if (json->depth == 0) {
        fputc('\n', json->out);
    }
}

void json_text(struct json *json, const char *key, const char *text)
{
    if (text == NULL) {
        json_null(json, key);
        return;
    }
    lead_in(json, key);
    put_string(json, text);
}

void json_texts(struct json *json, const char *key, const char *const *texts, size_t count)
{
    json_array(json, key);
    for (size_t i = 0; i < count; i++) {
        json_text(json, NULL, texts[i]);
    }
    json_close(json);
}

void json_signed(struct json *json, const char *key, int64_t value)
{
    lead_in(json, key);
    fprintf(json->out, "%" PRId64, value);
}

void json_unsigned(struct json *json, const char *key, uint64_t value)
{
    lead_in(json, key);
    fprintf(json->out, "%" PRIu64, value);
}

void json_counts(struct json *json, const struct json_count *counts)
{
    for (; counts->key != NULL; counts++) {
        json_unsigned(json, counts->key, counts->value);
    }
}

void json_pairs(struct json *json, const struct json_pair *pairs)
{
    for (; pairs->key != NULL; pairs++) {
        json_text(json, pairs->key, pairs->text);
    }
}

void json_numbers(struct json *json, int decimals, const struct json_value *values)
{
    for (; values->key != NULL; values++) {
        json_number(json, values->key, values->value, decimals);
    }
}

void json_number(struct json *json, const char *key, double value, int decimals)
{
    if (!isfinite(value)) {
        json_null(json, key);
        return;
    }
    lead_in(json, key);
    fprintf(json->out, "%.*f", decimals, value);
}

void json_real(struct json *json, const char *key, double value)
{
    char text[SHORTEST_MAX];

    if (!isfinite(value)) {
        json_null(json, key);
        return;
    }
    lead_in(json, key);
    fputs(shortest_digits(value, text), json->out);
}

void json_bool(struct json *json, const char *key, bool value)
{
    lead_in(json, key);
    fputs(value ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *key)
{
    lead_in(json, key);
    fputs("null", json->out);
}
