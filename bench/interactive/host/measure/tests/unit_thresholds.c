/* SPDX-License-Identifier: BSD-2-Clause */
/* Thresholds as a person gives them. */
#include <string.h>

#include "bench/interactive/host/measure/thresholds.h"
#include "tools/tests/support/unit.h"

/* Measures by name, and the one that is chosen. */

static void test_names(void)
{
    CHECK_TEXT(measure_name(MEASURE_IDLE), "idle");
    CHECK_TEXT(measure_name(MEASURE_SERVICE), "service");
    CHECK_TEXT(measure_name(MEASURE_RESPONSE), "response");
    CHECK(measure_name(MEASURES) == NULL);
}

static void test_chosen(void)
{
    CHECK(measure_chosen() == MEASURE_RESPONSE && !measure_choice()->given);
    measure_choose(&(struct measure_choice){.measure = MEASURE_IDLE, .by_class = true});
    CHECK(measure_chosen() == MEASURE_IDLE && measure_choice()->by_class);
    CHECK_TEXT(measure_label(measure_chosen()), "latency by the idle loop");
}

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

    check_refused("", "\"\": must be milliseconds, such as 100, or a time with unit, such as 50us");
    check_refused("1,,2",
                  "\"\": must be milliseconds, such as 100, or a time with unit, such as 50us");
    check_refused("1,",
                  "\"\": must be milliseconds, such as 100, or a time with unit, such as 50us");
    check_refused("1,-2",
                  "\"-2\": must be milliseconds, such as 100, or a time with unit, such as 50us");
    check_refused("1 ",
                  "\"1 \": must be milliseconds, such as 100, or a time with unit, such as 50us");
    check_refused("5m",
                  "\"5m\": must be milliseconds, such as 100, or a time with unit, such as 50us");
    check_refused("nan",
                  "\"nan\": must be milliseconds, such as 100, or a time with unit, such as 50us");
    check_refused(".",
                  "\".\": must be milliseconds, such as 100, or a time with unit, such as 50us");
    check_refused(
        "1000001s",
        "\"1000001s\": must be milliseconds, such as 100, or a time with unit, such as 50us");
    check_refused(
        "111111111111111111111111111111111111111111111",
        "\"1111111111111111111111111111111111111111\": must be milliseconds, such as 100, "
        "or a time with unit, such as 50us");
    for (size_t i = 0; i < THRESHOLDS_MAX; i++) {
        strcat(many, ",1");
    }
    check_refused(many, "more than 64 thresholds");
    many[strlen(many) - 2] = '\0';
    double ms[THRESHOLDS_MAX];
    char error[THRESHOLDS_ERROR_MAX];
    size_t count;

    CHECK(thresholds_read(many, ms, &count, error));
    CHECK_EQUAL(count, THRESHOLDS_MAX);
}

static void test_set(void)
{
    char error[THRESHOLDS_ERROR_MAX];
    struct threshold_set set;

    thresholds_init(&set);
    CHECK(thresholds_of(&set, INPUT_MOVE, "move") == THRESHOLD_DEFAULT_MS);
    CHECK(thresholds_read_set("key_down=50,move=1s,newline=2", &set, error));
    CHECK(thresholds_of(&set, INPUT_KEY_DOWN, "printable") == 50);
    CHECK(thresholds_of(&set, INPUT_KEY_DOWN, "newline") == 2);
    CHECK(thresholds_of(&set, INPUT_MOVE, "move") == 1000);
    CHECK(thresholds_of(&set, INPUT_KEY_UP, "printable") == 100);
    CHECK(thresholds_read_set("all=2,button_up=0.5,newline=3", &set, error));
    CHECK(thresholds_of(&set, INPUT_KEY_DOWN, "printable") == 2);
    CHECK(thresholds_of(&set, INPUT_KEY_DOWN, "newline") == 3);
    CHECK(thresholds_of(&set, INPUT_BUTTON_UP, "click") == 0.5);
    CHECK_EQUAL(set.class_count, 1);
}

static void test_set_refused(void)
{
    static const char *const bad[] = {"",   "key=",        "key_down",
                                      "=5", "key_down=5,", "a_name_that_no_class_can_have=5"};
    char error[THRESHOLDS_ERROR_MAX];
    struct threshold_set set;

    thresholds_init(&set);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK(!thresholds_read_set(bad[i], &set, error));
        CHECK(strstr(error, "must be CLASS=MS, or KIND=MS with key_down, key_up,") != NULL);
    }
}

static void test_one(void)
{
    char error[THRESHOLDS_ERROR_MAX];
    double ms = 0;

    CHECK(thresholds_read_one("50ms", &ms, error) && ms == 50);
    CHECK(thresholds_read_one("0.5s", &ms, error) && ms == 500);
    CHECK(!thresholds_read_one("50,60", &ms, error));
    CHECK(!thresholds_read_one("", &ms, error) && strstr(error, "must be milliseconds") != NULL);
}

int main(void)
{
    RUN(test_list());
    RUN(test_refused());
    RUN(test_set());
    RUN(test_set_refused());
    RUN(test_one());
    RUN(test_names());
    RUN(test_chosen());
    return unit_finish("unit_thresholds");
}
