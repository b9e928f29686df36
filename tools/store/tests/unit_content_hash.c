/* SPDX-License-Identifier: BSD-2-Clause */
/* SHA-256 in stretches, against another library. */
#include "tools/store/content_hash.h"

#include <sha256.h>
#include <stdlib.h>

#include "tools/tests/support/unit.h"

#define BYTES_MAX (3 * CONTENT_HASH_BUFFER + 5)

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

int main(void)
{
    RUN(test_lengths());
    return unit_finish("unit_content_hash");
}
