/* SPDX-License-Identifier: BSD-2-Clause */
/* A set of contents has all that were put in, and of others as good as none. */
#include "tools/store/known_contents.h"

#include <stdio.h>

#include "tools/tests/support/unit.h"

#define COUNT 5000

/* 64 digits, of which those behind the first 16 do not count. */
static const char *content_of(uint64_t number, char text[65])
{
    const uint64_t mixed = number * UINT64_C(0x9e3779b97f4a7c15);

    snprintf(text, 65, "%016" PRIx64 "%048" PRIx64, mixed, number);
    return text;
}

static void test_all(void)
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
    RUN(test_all());
    RUN(test_one_text());
    return unit_finish("unit_known_contents");
}
