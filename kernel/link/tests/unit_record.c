/* SPDX-License-Identifier: BSD-2-Clause */
/* Text records and the plan. */
#include <stdbool.h>
#include <stdlib.h>

#include "kernel/link/record.h"
#include "kernel/plan/number.h"
#include "kernel/plan/plan.h"
#include "tools/tests/support/unit.h"

static bool parse(const char *text, struct record *record)
{
    static char line[2 * RECORD_LINE_MAX];

    snprintf(line, sizeof(line), "%s", text);
    return record_parse(line, strlen(line), record);
}

static void test_round_trip(void)
{
    uint64_t seed = 11;

    for (unsigned round = 0; round < 3000; round++) {
        struct record_writer writer;
        struct record record;
        char text[40];
        size_t length = unit_random(&seed) % (sizeof(text) - 1);
        const uint64_t number = unit_random(&seed) >> round % 64;

        for (size_t i = 0; i < length; i++) {
            text[i] = (char)(1 + unit_random(&seed) % (round % 3 == 0 ? 127 : 255));
        }
        text[length] = '\0';
        record_begin(&writer, "fact");
        record_text(&writer, "text", text);
        record_unsigned(&writer, "u", number);
        record_signed(&writer, "s", (int64_t)number);
        record_hex(&writer, "h", number);
        const size_t size = record_finish(&writer);

        CHECK(!writer.truncated);
        CHECK(writer.line[size - 1] == '\n' && memchr(writer.line, '\n', size - 1) == NULL);
        CHECK(record_parse(writer.line, size - 1, &record));
        uint64_t u = 0;
        uint64_t h = 0;
        int64_t s = 0;

        CHECK_TEXT(record.name, "fact");
        CHECK_TEXT(record_value(&record, "text"), text);
        CHECK(record_value_unsigned(&record, "u", &u) && u == number);
        CHECK(record_value_signed(&record, "s", &s) && s == (int64_t)number);
        CHECK(record_value_unsigned(&record, "h", &h) && h == number);
        CHECK(record_value(&record, "x") == NULL);
    }
}

/* What does not fit is cut or left out, with a note; the line stays a record. */
static void test_truncation(void)
{
    static char text[2000];

    for (size_t length = 940; length < sizeof(text); length += 7) {
        struct record_writer writer;
        struct record record;

        memset(text, length % 2 == 0 ? 'a' : '"', length);
        text[length] = '\0';
        record_begin(&writer, "machine");
        record_text(&writer, "value", text);
        record_unsigned(&writer, "n", UINT64_MAX);
        const size_t size = record_finish(&writer);

        CHECK(size <= RECORD_LINE_MAX);
        CHECK(record_parse(writer.line, size - 1, &record));
        CHECK_EQUAL(strncmp(record_value(&record, "value"), text, 400), 0);
        CHECK(writer.truncated || strlen(record_value(&record, "value")) == length);
    }
}

/* A name out of a hostile log is cut as well. */
static void test_long_names(void)
{
    static char name[1100];

    for (size_t length = RECORD_LINE_MAX - 5; length < sizeof(name); length++) {
        struct record_writer writer;

        memset(name, 'a', length);
        record_begin(&writer, name);
        record_text(&writer, "key", "value");
        const size_t size = record_finish(&writer);

        CHECK_EQUAL(size, length < RECORD_LINE_MAX ? length + 1 : RECORD_LINE_MAX);
        CHECK(writer.truncated);
        CHECK_EQUAL(writer.line[size - 1], '\n');
    }
}

static void test_numbers(void)
{
    static const char *const bad[] = {"",
                                      "-",
                                      "+1",
                                      "1x",
                                      "0x",
                                      "0xg",
                                      "18446744073709551616",
                                      "1.0",
                                      " 1",
                                      "0x1ffffffffffffffff",
                                      "--1"};
    struct record record;
    uint64_t u = 0;
    int64_t s = 0;

    CHECK(parse_unsigned("18446744073709551615", &u) && u == UINT64_MAX);
    CHECK(parse_unsigned("0xFFFFffffFFFFffff", &u) && u == UINT64_MAX);
    CHECK(parse_unsigned("007", &u) && u == 7);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK(!parse_unsigned(bad[i], &u));
    }
    CHECK(parse("r a=-9223372036854775808 b=9223372036854775807 c=9223372036854775808 "
                "d=-9223372036854775809 e=-",
                &record));
    CHECK(record_value_signed(&record, "a", &s) && s == INT64_MIN);
    CHECK(record_value_signed(&record, "b", &s) && s == INT64_MAX);
    CHECK(!record_value_signed(&record, "c", &s));
    CHECK(!record_value_signed(&record, "d", &s));
    CHECK(!record_value_signed(&record, "e", &s));
    CHECK(!record_value_unsigned(&record, "a", &u));
}

static void test_malformed(void)
{
    static const char *const bad[] = {
        "",         " a=1",      "A=1",           "r a",    "r a=",
        "r =1",     "r  a=1",    "r a=1 ",        "r a=\"", "r a=\"x",
        "r a=\"\\", "r a=\"\\x", "r a=\"\\xg0\"", "r a=b$", "r a=\"x\"y"};
    struct record record;
    char many[512] = "r";

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK(!parse(bad[i], &record));
    }
    CHECK(parse("end", &record) && record.count == 0);
    CHECK(parse("r a=\"\"", &record) && strcmp(record_value(&record, "a"), "") == 0);
    for (size_t i = 0; i < RECORD_FIELDS_MAX; i++) {
        strcat(many, " a=1");
    }
    CHECK(parse(many, &record) && record.count == RECORD_FIELDS_MAX);
    strcat(many, " a=1");
    CHECK(!parse(many, &record));
}

/* Any bytes at all: no crash, and what is accepted lies inside the line. */
static void test_record_noise(void)
{
    static const char alphabet[] = "ab =\"\\xn0\n\001.";
    uint64_t seed = 12;

    for (unsigned round = 0; round < 20000; round++) {
        const size_t length = unit_random(&seed) % 40;
        char *line = malloc(length + 1);
        struct record record;

        for (size_t i = 0; i < length; i++) {
            line[i] = alphabet[unit_random(&seed) % (sizeof(alphabet) - 1)];
        }
        if (record_parse(line, length, &record)) {
            for (size_t i = 0; i < record.count; i++) {
                CHECK(record.fields[i].value + strlen(record.fields[i].value) <= line + length);
            }
        }
        free(line);
    }
}

static void check_plan_error(const char *text, const char *expected)
{
    static struct plan plan;
    char error[PLAN_ERROR_MAX] = "";

    CHECK(!plan_parse(&plan, text, strlen(text), error));
    CHECK_TEXT(error, expected);
}

static void test_plan(void)
{
    static struct plan plan;
    static const char text[] = "# a plan\nbench=idle,load  idle.ms=100 # ten\r\n\tidle.ms=200";
    char error[PLAN_ERROR_MAX] = "";

    CHECK(plan_parse(&plan, text, strlen(text), error));
    CHECK_EQUAL(plan.count, 2);
    CHECK_TEXT(plan_value(&plan, "bench"), "idle,load");
    CHECK_TEXT(plan_value(&plan, "idle.ms"), "200");
    CHECK(plan_value(&plan, "idle") == NULL);
    CHECK(plan.settings[0].used && plan.settings[1].used);
    CHECK(plan_parse(&plan, "", 0, error) && plan.count == 0);
    CHECK(plan_parse(&plan, "a=b=c", 5, error));
    CHECK_TEXT(plan_value(&plan, "a"), "b=c");
    CHECK(!plan.settings[0].used || plan.count == 1);
    check_plan_error("a=1\nb", "plan line 2: \"b\" is not key=value");
    check_plan_error("a=1\n# x\n\n b=", "plan line 4: \"b=\" is not key=value");
    check_plan_error("=1", "plan line 1: \"=1\" is not key=value");
    check_plan_error("x=1 A=1", "plan line 1: \"A=1\" is not key=value");
    check_plan_error("a=1\n\nb=\x01", "plan line 3: control character 01h");
    CHECK(plan_parse(&plan,
                     "\xef\xbb\xbf"
                     "a=1\r\nb=2",
                     11, error));
    CHECK_TEXT(plan_value(&plan, "a"), "1");
    CHECK_TEXT(plan_value(&plan, "b"), "2");
    CHECK(plan_parse(&plan, "\xef\xbb\xbf", 3, error) && plan.count == 0);
    check_plan_error("\xef\xbb\xbf"
                     "a=1\n\nb",
                     "plan line 3: \"b\" is not key=value");
    check_plan_error("\xff\xfe"
                     "a",
                     "the plan is UTF-16: save it as UTF-8");
    check_plan_error("\xfe\xff", "the plan is UTF-16: save it as UTF-8");
    CHECK(plan_list_holds("idle,load", "load") && plan_list_holds("all", "load"));
    CHECK(!plan_list_holds("idle,loads", "load") && !plan_list_holds("", "load"));
    CHECK(!plan_list_holds("idle", "idl") && plan_list_holds("x,all", "gap"));
}

/* The one setting's value. */
static void check_plan_value(const char *text, const char *expected)
{
    static struct plan plan;
    char error[PLAN_ERROR_MAX] = "";

    CHECK(plan_parse(&plan, text, strlen(text), error));
    CHECK_TEXT(error, "");
    CHECK_EQUAL(plan.count, 1);
    CHECK_TEXT(plan.count == 1 ? plan.settings[0].value : NULL, expected);
}

static void test_plan_braces(void)
{
    static struct plan plan;
    static const char text[] = "a={\n x # {{\n} b={}#}\nc=1 d={2}\n\ne";
    char error[PLAN_ERROR_MAX] = "";

    check_plan_value("k={at 1ms key a; b}", "at 1ms key a; b");
    check_plan_value("k={}", "");
    check_plan_value("k={ {a{b}}{} } ", " {a{b}}{} ");
    check_plan_value("k={\"}\"}", "\"}\"");
    check_plan_value("k={\"\\\"}\\\\\"}", "\"\\\"}\\\\\"");
    check_plan_value("k={\"#\"}", "\"#\"");
    check_plan_value("k={a # } \" {\n}", "a # } \" {\n");
    check_plan_value("k={a}# b", "a");
    check_plan_value("k={a}\n", "a");
    check_plan_value("k=1 k={2 3}", "2 3");
    check_plan_value("k={1 2} k=3", "3");
    check_plan_value("k=a{b}", "a{b}");
    check_plan_value("k=a#b={", "a");
    check_plan_error("a=1\nk={x", "plan line 2: the { of k is not closed; a } in double quotes or "
                                  "after # does not count");
    check_plan_error("k={x # }", "plan line 1: the { of k is not closed; a } in double quotes or "
                                 "after # does not count");
    check_plan_error("k={\"}", "plan line 1: the { of k is not closed; a } in double quotes or "
                               "after # does not count");
    check_plan_error("k={\"\\", "plan line 1: the { of k is not closed; a } in double quotes or "
                                "after # does not count");
    check_plan_error("k={1}2", "plan line 1: k: expected a blank or # after its }");
    check_plan_error("k={1}}", "plan line 1: k: expected a blank or # after its }");
    check_plan_error("k ={1}", "plan line 1: \"k\" is not key=value");
    CHECK(!plan_parse(&plan, text, strlen(text), error));
    CHECK_TEXT(error, "plan line 6: \"e\" is not key=value");
    CHECK(plan.count == 4 && strcmp(plan_value(&plan, "d"), "2") == 0);
}

static void test_plan_limits(void)
{
    static struct plan plan;
    static char text[PLAN_TEXT_MAX + 2];
    char error[PLAN_ERROR_MAX] = "";
    size_t length = 0;

    memset(text, ' ', sizeof(text));
    CHECK(plan_parse(&plan, text, PLAN_TEXT_MAX, error));
    CHECK(!plan_parse(&plan, text, PLAN_TEXT_MAX + 1, error));
    for (unsigned i = 0; i < PLAN_SETTINGS_MAX; i++) {
        length += (size_t)sprintf(text + length, "k%u=1\n", i);
    }
    CHECK(plan_parse(&plan, text, length, error) && plan.count == PLAN_SETTINGS_MAX);
    length += (size_t)sprintf(text + length, "more=1\n");
    CHECK(!plan_parse(&plan, text, length, error));
    CHECK_TEXT(error, "plan line 97: expected at most 96 settings");
}

int main(void)
{
    RUN(test_round_trip());
    RUN(test_truncation());
    RUN(test_long_names());
    RUN(test_numbers());
    RUN(test_malformed());
    RUN(test_record_noise());
    RUN(test_plan());
    RUN(test_plan_braces());
    RUN(test_plan_limits());
    return unit_finish("unit_record");
}
