/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writer of indented JSON (RFC 8259). Pass a key for values inside objects, and NULL inside arrays.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH_MAX 16

struct json {
    FILE *out;
    size_t depth;
    bool filled[JSON_DEPTH_MAX]; /* whether the value at this depth already has an item */
    char closer[JSON_DEPTH_MAX];
    bool flat; /* whether the innermost value is a flat array */
    /* inside <script>: "<" is written as \u003c, so that no text can end the script */
    bool in_html;
};

void json_start(struct json *json, FILE *out);
void json_object(struct json *json, const char *key);
void json_array(struct json *json, const char *key);
/* Begins an array on one line, which must not contain arrays or objects. */
void json_flat_array(struct json *json, const char *key);
/* Closes the innermost object or array, and writes a line end after the outermost. */
void json_close(struct json *json);

/* Writes a text, or null if it is NULL. Each byte that is not part of valid UTF-8 becomes U+FFFD.
 */
void json_text(struct json *json, const char *key, const char *text);
/* Writes an array of texts. */
void json_texts(struct json *json, const char *key, const char *const *texts, size_t count);
void json_signed(struct json *json, const char *key, int64_t value);
void json_unsigned(struct json *json, const char *key, uint64_t value);
/* Writes a number with `decimals` digits after the point, or null if it is infinite or NaN. */
void json_number(struct json *json, const char *key, double value, int decimals);
/* Writes a number with the fewest digits that parse back to it, or null if it is infinite or NaN.
 */
void json_real(struct json *json, const char *key, double value);
/* Writes each pair with json_unsigned(): JSON_COUNTS(json, {"kept", kept}, {"lost", lost}). */
#define JSON_COUNTS(json, ...) \
    json_counts((json), (const struct json_count[]){__VA_ARGS__, {NULL, 0}})
struct json_count {
    const char *key;
    uint64_t value;
};
/* Writes counts up to the first whose key is NULL. */
void json_counts(struct json *json, const struct json_count *counts);
/* Do the same with json_text(), and with json_number() and `decimals` for all. */
#define JSON_TEXTS(json, ...) \
    json_pairs((json), (const struct json_pair[]){__VA_ARGS__, {NULL, NULL}})
#define JSON_NUMBERS(json, decimals, ...) \
    json_numbers((json), (decimals), (const struct json_value[]){__VA_ARGS__, {NULL, 0}})
struct json_pair {
    const char *key, *text;
};
struct json_value {
    const char *key;
    double value;
};
void json_pairs(struct json *json, const struct json_pair *pairs);
void json_numbers(struct json *json, int decimals, const struct json_value *values);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

/* Returns the length in bytes of the UTF-8 character (RFC 3629) at the start of `text`, or 0 if
 * there is no valid one. */
size_t json_utf8_length(const char *text);
