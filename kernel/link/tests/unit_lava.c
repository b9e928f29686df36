/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines for LAVA: their form, extremes, and names that would end a field. */
#include <string.h>

#include "kernel/link/lava.h"
#include "tools/tests/support/unit.h"

static const char *line_of(const struct lava_case *of)
{
    static char line[LAVA_LINE_MAX];

    const size_t length = lava_line(of, line);

    CHECK_EQUAL(length, strlen(line));
    return line;
}

static void test_forms(void)
{
    CHECK_TEXT(line_of(&(struct lava_case){.bench = "idle", .result = LAVA_PASS}),
               "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=idle RESULT=pass>");
    CHECK_TEXT(line_of(&(struct lava_case){.bench = "idle", .pass = 2, .result = LAVA_SKIP}),
               "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=idle.2 RESULT=skip>");
    CHECK_TEXT(line_of(&(struct lava_case){.bench = "idle",
                                           .series = "floor",
                                           .result = LAVA_FAIL,
                                           .measured = true,
                                           .value = INT64_MIN,
                                           .unit = "MB/s"}),
               "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=idle.floor RESULT=fail "
               "MEASUREMENT=-9223372036854775808 UNITS=MB/s>");
}

static void test_names(void)
{
    char name[1000];

    CHECK_TEXT(line_of(&(struct lava_case){.bench = "a b>c\n<d=", .result = LAVA_PASS}),
               "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=a_b_c__d_ RESULT=pass>");
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    const char *line = line_of(&(struct lava_case){.bench = name,
                                                   .series = name,
                                                   .pass = UINT32_MAX,
                                                   .result = LAVA_PASS,
                                                   .measured = true,
                                                   .value = INT64_MAX,
                                                   .unit = "ticks"});

    CHECK(strstr(line, " RESULT=pass MEASUREMENT=9223372036854775807 UNITS=ticks>") != NULL);
}

int main(void)
{
    RUN(test_forms());
    RUN(test_names());
    return unit_finish("unit_lava");
}
