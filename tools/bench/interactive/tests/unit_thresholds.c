/* SPDX-License-Identifier: BSD-2-Clause */
/* Thresholds as a person gives them. */
#include "tools/bench/interactive/thresholds.h"

#include <string.h>

#include "tools/tests/support/unit.h"

static void check_list(const char *text, size_t wanted, const double *values)
{
    double ms[THRESHOLDS_MAX];
    char error[THRESHOLDS_ERROR_MAX];
    size_t count;

    CHECK(thresholds_read(text, ms, &count, error));
    CHECK_EQUAL(count, wanted);
    for (size_t i = 0; i < count && i < wanted; i++) {
        CHECK(ms[i] == values[i]);
    }
}

static void check_refused(const char *text, const char *message)
{
    double ms[THRESHOLDS_MAX];
    char error[THRESHOLDS_ERROR_MAX];
    size_t count;

    CHECK(!thresholds_read(text, ms, &count, error));
    CHECK_TEXT(error, message);
}

static void test_list(void)
{
    check_list("100,110,120", 3, (const double[]){100, 110, 120});
    check_list("0.05", 1, (const double[]){0.05});
    check_list("500us,1s,2ms,0", 4, (const double[]){0.5, 1000, 2, 0});
    check_list("1000000s", 1, (const double[]){1e9});
}

static void test_refused(void)
{
    char many[4 * THRESHOLDS_MAX + 8] = "1";

    check_refused("", "\"\": must be milliseconds, such as 100 or 0.05, or 50us");
    check_refused("1,,2", "\"\": must be milliseconds, such as 100 or 0.05, or 50us");
    check_refused("1,", "\"\": must be milliseconds, such as 100 or 0.05, or 50us");
    check_refused("1,-2", "\"-2\": must be milliseconds, such as 100 or 0.05, or 50us");
    check_refused("1 ", "\"1 \": must be milliseconds, such as 100 or 0.05, or 50us");
    check_refused("5m", "\"5m\": must be milliseconds, such as 100 or 0.05, or 50us");
    check_refused("nan", "\"nan\": must be milliseconds, such as 100 or 0.05, or 50us");
    check_refused(".", "\".\": must be milliseconds, such as 100 or 0.05, or 50us");
    check_refused("1000001s", "\"1000001s\": must be milliseconds, such as 100 or 0.05, or 50us");
    check_refused("111111111111111111111111111111111111111111111",
                  "\"1111111111111111111111111111111111111111\": must be milliseconds, such as 100 "
                  "or 0.05, or 50us");
    for (size_t i = 0; i < THRESHOLDS_MAX; i++) {
        strcat(many, ",1");
    }
    check_refused(many, "more than 64 of them");
    many[strlen(many) - 2] = '\0';
    double ms[THRESHOLDS_MAX];
    char error[THRESHOLDS_ERROR_MAX];
    size_t count;

    CHECK(thresholds_read(many, ms, &count, error));
    CHECK_EQUAL(count, THRESHOLDS_MAX);
}

static void test_kinds(void)
{
    double ms[INPUT_KINDS] = {100, 100, 100, 100, 100};
    char error[THRESHOLDS_ERROR_MAX];

    CHECK(thresholds_read_kinds("key_down=50,move=1s", ms, error));
    CHECK(ms[INPUT_KEY_DOWN] == 50 && ms[INPUT_MOVE] == 1000);
    CHECK(ms[INPUT_KEY_UP] == 100 && ms[INPUT_BUTTON_DOWN] == 100 && ms[INPUT_BUTTON_UP] == 100);
    CHECK(thresholds_read_kinds("all=2,button_up=0.5", ms, error));
    CHECK(ms[INPUT_KEY_DOWN] == 2 && ms[INPUT_BUTTON_UP] == 0.5);
}

static void test_kinds_refused(void)
{
    static const char *const bad[] = {"",   "key=5",       "key_down",    "key_down=", "key_down=x",
                                      "=5", "key_down=5,", "key_down5=5", "al=5"};
    char error[THRESHOLDS_ERROR_MAX];
    double ms[INPUT_KINDS];

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK(!thresholds_read_kinds(bad[i], ms, error));
        CHECK(strstr(error, "must be KIND=MS, of key_down, key_up,") != NULL);
    }
}

int main(void)
{
    RUN(test_list());
    RUN(test_refused());
    RUN(test_kinds());
    RUN(test_kinds_refused());
    return unit_finish("unit_thresholds");
}
