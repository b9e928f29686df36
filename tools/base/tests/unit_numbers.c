/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers and lists as text: what a person reads, and what parses back to the same number. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/number.h"
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

static void test_number(void)
{
    char text[NUMBER_MAX];

    CHECK_TEXT(number_text(0, text), "0");
    CHECK_TEXT(number_text(0.1234567, text), "0.1235");
    CHECK_TEXT(number_text(14.625, text), "14.62");
    CHECK_TEXT(number_text(9.99996, text), "10");
    CHECK_TEXT(number_text(7812, text), "7812");
    CHECK_TEXT(number_text(36073.03125, text), "36,073");
    CHECK_TEXT(number_text(-2501467, text), "-2,501,467");
    CHECK_TEXT(number_text(999999999999999, text), "999,999,999,999,999");
    CHECK_TEXT(number_text(1.5e15, text), "1.5 P");
    CHECK_TEXT(number_text(2e-8, text), "20 n");
    CHECK_TEXT(number_text(0.000001, text), "0.000001");
    CHECK_TEXT(number_text((double)NAN, text), "n/a");
    CHECK_TEXT(number_text((double)INFINITY, text), "n/a");
    CHECK_TEXT(number_real(50, text), "50.00");
    CHECK_TEXT(number_real(0, text), "0");
    CHECK_TEXT(number_real(9.99996, text), "10.00");
    CHECK_TEXT(number_whole(INT64_MIN, text), "-9,223,372,036,854,775,808");
    CHECK_TEXT(number_whole(INT64_MAX, text), "9,223,372,036,854,775,807");
    CHECK_TEXT(number_whole(-7812, text), "-7812");
    CHECK_TEXT(number_real(36073.03125, text), "36,073");
    CHECK_TEXT(number_signed(14.625, text), "+14.62");
    CHECK_TEXT(number_signed(-3, text), "-3");
    CHECK_TEXT(number_signed(0, text), "0");
    /* whatever its size, it has no exponent and ends */
    CHECK(strpbrk(number_text(DBL_MAX, text), "e+") == NULL);
    CHECK(strlen(number_text(-DBL_MAX, text)) < NUMBER_MAX - 1);
    CHECK(strpbrk(number_text(5e-324, text), "e-") == NULL);
}

static void test_units(void)
{
    char text[NUMBER_MAX];

    CHECK_TEXT(number_si(50, "Hz", text), "50 Hz");
    CHECK_TEXT(number_si((double)NAN, "Hz", text), "n/a");
    CHECK_TEXT(number_si(9999, "", text), "9999");
    CHECK_TEXT(number_si(9999.9, "Hz", text), "10 kHz");
    CHECK_TEXT(number_si(999999, "Hz", text), "1 MHz");
    CHECK_TEXT(number_si(7142856, "", text), "7.143 M");
    CHECK_TEXT(share_text(0, text), "0");
    CHECK_TEXT(share_text(1, text), "100.0 %");
    CHECK_TEXT(share_text(0.505658, text), "50.57 %");
    CHECK_TEXT(share_text(0.001, text), "0.1000 %");
    CHECK_TEXT(share_text(0.00006238, text), "62.38 ppm");
    CHECK_TEXT(share_signed(-0.00002, text), "-20.00 ppm");
    CHECK_TEXT(share_signed(0.015, text), "+1.500 %");
    CHECK_TEXT(share_text((double)NAN, text), "n/a");
}

/* Checks what a text becomes, and that a buffer of any size holds the start of it. */
static void check_copy(const char *from, const char *plain, const char *rounded)
{
    char text[128];

    number_copy(text, sizeof(text), from, false);
    CHECK_TEXT(text, plain);
    for (size_t size = 1; size < sizeof(text); size++) {
        char *exact = malloc(size);

        number_copy(exact, size, from, false);
        CHECK(strlen(exact) < size);
        free(exact);
    }
    number_copy(text, sizeof(text), from, true);
    CHECK_TEXT(text, rounded);
}

static void test_copy(void)
{
    static const char *const kept[] = {"",
                                       "9999",
                                       "0",
                                       "sequential.4096[32768]",
                                       "ms=20000",
                                       "4096,16384,65536",
                                       "/a/12345",
                                       "2026-11-30",
                                       "00012345",
                                       "0x12345678",
                                       "12345h",
                                       "1.12345.2",
                                       "a-12345",
                                       "MAC 525400aa",
                                       "TSC 20000000b",
                                       "#12345"};

    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        check_copy(kept[i], kept[i], kept[i]);
    }
    check_copy("12345", "12,345", "12,345");
    check_copy("-1234567 ticks", "-1,234,567 ticks", "-1,234,567 ticks");
    check_copy("13.625", "13.625", "13.62");
    check_copy("0.0123456", "0.0123456", "0.01235");
    check_copy("50.5658 %", "50.5658 %", "50.57 %");
    check_copy("36073.03125", "36,073.03125", "36,073");
    check_copy("2..26801", "2..26,801", "2..26,801");
    check_copy("of 30000, 40000. (50000) 60000/s;", "of 30,000, 40,000. (50,000) 60,000/s;",
               "of 30,000, 40,000. (50,000) 60,000/s;");
    check_copy("99999.6", "99,999.6", "100,000");
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
    RUN(test_number());
    RUN(test_units());
    RUN(test_copy());
    RUN(test_long_text());
    return unit_finish("unit_numbers");
}
