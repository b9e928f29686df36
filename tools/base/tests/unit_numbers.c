/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers and lists as text: each parses back to the same number, and none is cut. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/texts.h"
#include "tools/tests/support/unit.h"

static void test_shortest(void)
{
    static const double values[] = {1.0 / 3, 1e-10, 5e-324, DBL_MAX, -0.1, 1e15 + 1, 0x1p53};
    char text[SHORTEST_MAX];

    CHECK_TEXT(shortest_digits(0.1, text), "0.1");
    CHECK_TEXT(shortest_digits(0, text), "0");
    CHECK_TEXT(shortest_digits(1e-10, text), "1e-10");
    CHECK_TEXT(shortest_digits(1000001466, text), "1000001466");
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        CHECK(strtod(shortest_digits(values[i], text), NULL) == values[i]);
    }
}

static void test_table_digits(void)
{
    char text[SHORTEST_MAX];

    CHECK_TEXT(table_digits(2501467, text), "2501467");
    CHECK_TEXT(table_digits(1000000.34, text), "1000000.3");
    CHECK_TEXT(table_digits(0.1234567, text), "0.123457");
    CHECK_TEXT(table_digits(99999.44, text), "99999.4");
    CHECK_TEXT(table_digits(-7, text), "-7");
    CHECK_TEXT(table_digits(1e300, text), "1e+300");
}

static void test_long_text(void)
{
    struct long_text text;

    long_text_open(&text);
    CHECK_TEXT(long_text_close(&text), "");
    long_text_free(&text);
    long_text_open(&text);
    for (int i = 0; i < 10000; i++) {
        fprintf(text.out, "%04d ", i);
    }
    CHECK(strlen(long_text_close(&text)) == 50000);
    CHECK(strncmp(text.text + 49990, "9998 9999 ", 10) == 0);
    long_text_free(&text);
}

int main(void)
{
    RUN(test_shortest());
    RUN(test_table_digits());
    RUN(test_long_text());
    return unit_finish("unit_numbers");
}
