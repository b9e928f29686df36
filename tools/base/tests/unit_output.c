/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON, CSV, tables and charts, as text; and signals. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/base/csv.h"
#include "tools/base/interrupt.h"
#include "tools/base/json.h"
#include "tools/base/table.h"
#include "tools/base/texts.h"
#include "tools/tests/support/unit.h"

static void test_json(void)
{
    struct capture capture;
    struct json json;

    capture_start(&capture);
    json_start(&json, capture.out);
    json_object(&json, NULL);
    json_text(&json, "a\"b", "x\\\n\001\x7f\"");
    json_text(&json, "utf8", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    json_text(&json, "bad", "\xff\xc0\x80\xed\xa0\x80z\xe2\x82");
    json_text(&json, "absent", NULL);
    JSON_COUNTS(&json, {"one", 1}, {"two", 2});
    json_array(&json, "empty");
    json_close(&json);
    json_array(&json, "numbers");
    json_signed(&json, NULL, INT64_MIN);
    json_unsigned(&json, NULL, UINT64_MAX);
    json_number(&json, NULL, 1.0 / 3, 3);
    json_number(&json, NULL, NAN, 3);
    json_bool(&json, NULL, true);
    json_close(&json);
    json_close(&json);
    capture_check(&capture,
                  "{\n"
                  "  \"a\\\"b\": \"x\\\\\\n\\u0001\\u007f\\\"\",\n"
                  "  \"utf8\": \"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\",\n"
                  "  \"bad\": \"\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffdz\\ufffd\\ufffd\",\n"
                  "  \"absent\": null,\n"
                  "  \"one\": 1,\n"
                  "  \"two\": 2,\n"
                  "  \"empty\": [],\n"
                  "  \"numbers\": [\n"
                  "    -9223372036854775808,\n"
                  "    18446744073709551615,\n"
                  "    0.333,\n"
                  "    null,\n"
                  "    true\n"
                  "  ]\n"
                  "}\n",
                  __LINE__);
}

static void test_table(void)
{
    struct capture capture;
    struct table table;

    capture_start(&capture);
    table_init(&table, "lrl");
    table_row(&table);
    table_text(&table, "name");
    table_text(&table, "n");
    table_row(&table);
    table_text(&table, "gr\xc3\xbc\xc3\x9f"
                       "e");
    table_signed(&table, -1234567);
    table_text(&table, "a\nb");
    table_row(&table);
    table_text(&table, NULL);
    table_text(&table, "");
    table_text(&table, "x");
    table_print(&table, capture.out, 2);
    capture_check(&capture,
                  "  name            n\n"
                  "  gr\xc3\xbc\xc3\x9f"
                  "e  -1,234,567  a?b\n"
                  "  -                  x\n",
                  __LINE__);
}

/* Columns move together before the terminal is left, and numbers are never cut: a column that has
 * no room stands below. */
static void test_table_width(void)
{
    struct capture capture;
    struct table table;

    capture_start(&capture);
    table_init(&table, "rrrrl");
    table_row(&table);
    for (int i = 0; i < 4; i++) {
        table_text(&table, "123456789012345678");
    }
    table_text(&table, "abcdefgh");
    table_print(&table, capture.out, 0);
    capture_check(&capture,
                  "123,456,789,012,345,678 123,456,789,012,345,678 123,456,789,012,345,678\n"
                  "\n"
                  "123,456,789,012,345,678 123,456,789,012,345,678 abcdefgh\n",
                  __LINE__);
}

static void test_wrapped(void)
{
    struct capture capture;

    capture_start(&capture);
    print_wrapped(capture.out,
                  "one two\nthree \001four five six seven eight nine ten eleven twelve thirteen "
                  "fourteen fifteen",
                  4, 2);
    print_wrapped(capture.out, "", 0, 0);
    capture_check(&capture,
                  "one two three ?four five six seven eight nine ten eleven twelve thirteen\n"
                  "  fourteen fifteen\n\n",
                  __LINE__);
}

static void check_duration(double ns, const char *expected)
{
    char text[DURATION_MAX];

    CHECK_TEXT(duration_text(ns, text), expected);
}

static void test_duration(void)
{
    check_duration(0, "0");
    check_duration(1, "1.000 ns");
    check_duration(0.333333, "0.333 ns");
    check_duration(999.94, "999.9 ns");
    check_duration(999.96, "1.000 us");
    check_duration(9999.6, "10.00 us");
    check_duration(99996, "100.0 us");
    check_duration(-1500000, "-1.500 ms");
    check_duration(2e9, "2.000 s");
    check_duration(86400e9, "86,400 s");
}

static void test_charts(void)
{
    static const double fractions[] = {0, 0.001, 0.25, 0.5, 1, 2};
    struct capture capture;

    capture_start(&capture);
    chart_use_blocks(false);
    chart_columns(capture.out, fractions, 6, 1, 2);
    chart_bar(capture.out, 0.5, 4);
    chart_bar(capture.out, 1e-9, 4);
    chart_bar(capture.out, 0, 4);
    chart_bar(capture.out, 7, 4);
    capture_check(&capture,
                  "      100 % |    ##\n"
                  "       50 % | .:###\n"
                  "        0 % +------\n"
                  "##-####",
                  __LINE__);
}

/* Reads a field back, by RFC 4180 and by the rule of csv.h. */
static void read_back(const char *field, char *text)
{
    const bool quoted = field[0] == '"';
    const size_t end = strlen(field) - (quoted ? 1 : 0);
    size_t count = 0;

    for (size_t i = quoted ? 1 : 0; i < end; i++) {
        i += quoted && field[i] == '"' ? 1 : 0;
        text[count++] = field[i];
    }
    text[count] = '\0';
    const char first = text[strspn(text, "'")];

    if (text[0] == '\'' && first != '\0' && strchr("=+-@\t\r\n", first) != NULL) {
        memmove(text, text + 1, count);
    }
}

static void check_field(const char *text, const char *expected)
{
    struct capture capture;
    char back[200];

    read_back(expected, back);
    CHECK_TEXT(back, text);
    capture_start(&capture);
    csv_field(capture.out, text);
    capture_check(&capture, expected, __LINE__);
}

static void test_csv(void)
{
    static const char *const plain[] = {"",
                                        "idle",
                                        "a b",
                                        "\xc3\xa9",
                                        "1",
                                        "-1",
                                        "+1",
                                        "-0.5",
                                        "+.5",
                                        "-3.",
                                        "1e9",
                                        "-1.5e-07",
                                        "+2E+3",
                                        "'",
                                        "'a",
                                        "a=b",
                                        "1-2",
                                        " =1",
                                        "18446744073709551615"};
    static const char *const formulas[][2] = {
        {"=1+1", "'=1+1"},
        {"=HYPERLINK(\"http://x\",\"y\")", "\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\""},
        {"+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"},
        {"-2+3", "'-2+3"},
        {"@SUM(A1)", "'@SUM(A1)"},
        {"\t=1", "'\t=1"},
        {"\r=1", "\"'\r=1\""},
        {"\n=1", "\"'\n=1\""},
        {"-", "'-"},
        {"+", "'+"},
        {"-.", "'-."},
        {"-1e", "'-1e"},
        {"-1e+", "'-1e+"},
        {"-1 ", "'-1 "},
        {"--1", "'--1"},
        {"-inf", "'-inf"},
        {"-0x10", "'-0x10"},
        {"-1.2.3", "'-1.2.3"},
        {"'=1", "''=1"},
    };

    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
        check_field(plain[i], plain[i]);
    }
    for (size_t i = 0; i < sizeof(formulas) / sizeof(formulas[0]); i++) {
        check_field(formulas[i][0], formulas[i][1]);
    }
    check_field("a,b", "\"a,b\"");
    check_field("a\"b", "\"a\"\"b\"");
}

/* The end of a file that may be longer or shorter than the buffer, or not there. */
static void test_file_end(void)
{
    char path[] = "/tmp/tare-unit-XXXXXX";
    const int descriptor = mkstemp(path);
    char text[8] = "unread";

    CHECK(descriptor >= 0 && write(descriptor, "abc", 3) == 3);
    file_end_text(path, text, sizeof(text));
    CHECK_TEXT(text, "abc");
    CHECK(write(descriptor, "defghijk", 8) == 8);
    file_end_text(path, text, sizeof(text));
    CHECK_TEXT(text, "efghijk");
    close(descriptor);
    unlink(path);
    file_end_text(path, text, sizeof(text));
    CHECK_TEXT(text, "");
}

/* A command that undoes it may go on to write to a pipe without a reader, and may have been started
 * by nohup. */
static void test_interrupt(void)
{
    int ends[2];

    interrupt_none_by_writing();
    signal(SIGHUP, SIG_IGN);
    interrupt_release(); /* nothing to undo */
    raise(SIGHUP);
    for (int i = 0; i < 2; i++) {
        interrupt_catch();
        interrupt_catch(); /* changes nothing */
        interrupt_release();
        raise(SIGHUP);
        CHECK(!interrupt_seen());
        CHECK(pipe(ends) == 0 && close(ends[0]) == 0 && write(ends[1], "a", 1) < 0);
        close(ends[1]);
    }
    interrupt_catch();
    raise(SIGHUP);
    CHECK(interrupt_seen());
    interrupt_release();
}

int main(void)
{
    RUN(test_file_end());
    RUN(test_json());
    RUN(test_csv());
    RUN(test_table());
    RUN(test_table_width());
    RUN(test_wrapped());
    RUN(test_duration());
    RUN(test_charts());
    RUN(test_interrupt());
    return unit_finish("unit_output");
}
