/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A writer of JSON (RFC 8259), indented. Keys are given inside objects and NULL inside arrays.
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
    bool filled[JSON_DEPTH_MAX]; /* has the value at this depth an item already? */
    char closer[JSON_DEPTH_MAX];
    bool flat;    /* the innermost value is a flat array */
    bool in_html; /* inside <script>: "<" is written as \u003c, so that no text ends it */
};

void json_start(struct json *json, FILE *out);
void json_object(struct json *json, const char *key);
void json_array(struct json *json, const char *key);
/* An array on one line, without arrays and objects in it. */
void json_flat_array(struct json *json, const char *key);
/* Closes the innermost object or array; the outermost with a line end. */
void json_close(struct json *json);

/* NULL becomes null. Bytes that are no UTF-8 become U+FFFD each. */
void json_text(struct json *json, const char *key, const char *text);
/* An array of texts. */
void json_texts(struct json *json, const char *key, const char *const *texts, size_t count);
void json_signed(struct json *json, const char *key, int64_t value);
void json_unsigned(struct json *json, const char *key, uint64_t value);
/* With `decimals` digits after the point. Infinite or NaN: null. */
void json_number(struct json *json, const char *key, double value, int decimals);
/* With the fewest digits that parse back to this number. Infinite or NaN: null. */
void json_real(struct json *json, const char *key, double value);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

/* Length in bytes of the UTF-8 character (RFC 3629) that `text` starts with; 0: it is none. */
size_t json_utf8_length(const char *text);
