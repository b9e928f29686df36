/* SPDX-License-Identifier: BSD-2-Clause */
/* SHA-256 in stretches, against another library; and the set of contents. */
#include "tools/store/content_hash.h"

#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/tests/support/unit.h"

#define BYTES_MAX (3 * CONTENT_HASH_BUFFER + 5)
#define COUNT     5000

static uint8_t bytes[BYTES_MAX];

static void check_length(size_t length, size_t stretch)
{
    char text[CONTENT_HASH_TEXT], known[SHA256_DIGEST_STRING_LENGTH];
    struct content_hash hash;

    content_hash_begin(&hash);
    for (size_t at = 0; at < length; at += stretch) {
        content_hash_put(&hash, bytes + at, length - at < stretch ? length - at : stretch);
    }
    content_hash_end(&hash, text);
    CHECK_TEXT(text, SHA256_Data(bytes, length, known));
}

static void test_lengths(void)
{
    for (size_t i = 0; i < BYTES_MAX; i++) {
        bytes[i] = (uint8_t)(i * i + (i >> 8));
    }
    for (size_t length = 0; length < 300; length++) {
        check_length(length, 1 + length / 3);
    }
    for (size_t length = CONTENT_HASH_BUFFER - 70; length < CONTENT_HASH_BUFFER + 70; length++) {
        check_length(length, 8);
    }
    check_length(BYTES_MAX, BYTES_MAX);
}

/* A set of contents has all that were put in, and of others as good as none. */

/* 64 digits, of which those behind the first 16 do not count. */
static const char *content_of(uint64_t number, char text[65])
{
    const uint64_t mixed = number * UINT64_C(0x9e3779b97f4a7c15);

    snprintf(text, 65, "%016" PRIx64 "%048" PRIx64, mixed, number);
    return text;
}

static void test_known(void)
{
    struct known_contents known = {0};
    char text[65];
    size_t wrong = 0;

    CHECK(!known_contents_have(&known, content_of(1, text)));
    for (uint64_t i = 0; i < COUNT; i++) {
        wrong += known_contents_have(&known, content_of(i, text));
        known_contents_add(&known, content_of(i, text));
        known_contents_add(&known, text);
        wrong += !known_contents_have(&known, text);
    }
    CHECK_EQUAL(wrong, 0);
    CHECK_EQUAL(known.count, COUNT);
    for (uint64_t i = 0; i < 2 * (uint64_t)COUNT; i++) {
        wrong += known_contents_have(&known, content_of(i, text)) != (i < COUNT);
    }
    CHECK_EQUAL(wrong, 0);
    known_contents_free(&known);
    CHECK(!known_contents_have(&known, content_of(1, text)));
}

/* In one text, as the database gives them. */
static void test_one_text(void)
{
    struct known_contents known = {0};

    known_contents_add(&known, "0123456789abcdefffffffffffffffff");
    CHECK(known_contents_have(&known, "0123456789abcdef"));
    CHECK(!known_contents_have(&known, "ffffffffffffffff"));
    known_contents_free(&known);
}

int main(void)
{
    RUN(test_lengths());
    RUN(test_known());
    RUN(test_one_text());
    return unit_finish("unit_content_hash");
}
