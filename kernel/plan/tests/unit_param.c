/* SPDX-License-Identifier: BSD-2-Clause */
/* Typed values: each type with what it takes and what it refuses, and by which words. */
#include "kernel/plan/param.h"

#include "tools/tests/support/unit.h"

static const struct bench_param number = {"count", "3", "", PARAM_NUMBER(2, 9)};
static const struct bench_param numbers = {"sizes", "512", "", PARAM_NUMBERS(512, 4096, 3)};
static const struct bench_param maybe = {"caches", "", "", PARAM_NUMBERS(4, 64, 3)};
static const struct bench_param ms = {"round_ms", "0", "", PARAM_TIME(0, 100000)};
static const struct bench_param ns = {"ns", "0", "", PARAM_TIME(0, UINT64_MAX)};
static const struct bench_param word = {"load", "none", "", PARAM_WORD("none,memory,ipi")};
static const struct bench_param words = {"orders", "random", "",
                                         PARAM_WORDS("forward,backward,random")};
static const struct bench_param text = {"script", "", "", PARAM_TEXT()};

static void accepted(const struct bench_param *param, const char *value)
{
    char error[PLAN_ERROR_MAX] = "";

    CHECK(param_check(param, "bench.key", value, error));
    CHECK_TEXT(error, "");
}

static void refused(const struct bench_param *param, const char *value, const char *message)
{
    char error[PLAN_ERROR_MAX] = "";

    CHECK(!param_check(param, "bench.key", value, error));
    CHECK_TEXT(error, message);
}

static void test_number(void)
{
    accepted(&number, "2");
    accepted(&number, "0x9");
    CHECK_EQUAL(param_number(&number, "0x9"), 9);
    refused(&number, "1", "bench.key: expected a number from 2 to 9, got \"1\"");
    refused(&number, "10", "bench.key: expected a number from 2 to 9, got \"10\"");
    refused(&number, "3,4", "bench.key: expected a number from 2 to 9, got \"3,4\"");
    refused(&number, "", "bench.key: expected a number from 2 to 9, got \"\"");
    refused(&number, "99999999999999999999999999",
            "bench.key: expected a number from 2 to 9, got \"99999999999999999999999999\"");
}

static void test_numbers(void)
{
    uint64_t read[3] = {0};

    accepted(&numbers, "512,1024, 4096");
    CHECK_EQUAL(param_numbers("512,1024, 4096", read, 3), 3);
    CHECK(read[0] == 512 && read[1] == 1024 && read[2] == 4096);
    CHECK_EQUAL(param_numbers("512,1024, 4096", read, 2), 2);
    refused(&numbers, "512,abc", "bench.key: expected numbers from 512 to 4096, got \"abc\"");
    refused(&numbers, "1,600", "bench.key: expected numbers from 512 to 4096, got \"1\"");
    refused(&numbers, "512,600,700,800", "bench.key: expected at most 3 numbers, got 4");
    refused(&numbers, "", "bench.key: expected numbers from 512 to 4096, got \"\"");
    accepted(&maybe, "");
}

static void test_time(void)
{
    char shown[PARAM_SHOWN_MAX];

    accepted(&ms, "250");
    CHECK_EQUAL(param_number(&ms, "250"), 250);
    CHECK_EQUAL(param_number(&ms, "3s"), 3000);
    CHECK_EQUAL(param_number(&ms, "1min"), 60000);
    CHECK_EQUAL(param_number(&ms, "2000us"), 2);
    CHECK_EQUAL(param_number(&ns, "2d"), 172800000000000);
    CHECK_TEXT(param_shown(&ms, "3s", shown), "3000");
    CHECK_TEXT(param_shown(&number, "0x9", shown), "0x9");
    refused(&ms, "2500us", "bench.key: expected a time from 0 to 100000 ms, got \"2500us\"");
    refused(&ms, "101s", "bench.key: expected a time from 0 to 100000 ms, got \"101s\"");
    refused(&ms, "3 s", "bench.key: expected a time from 0 to 100000 ms, got \"3 s\"");
    refused(&ms, "soon", "bench.key: expected a time from 0 to 100000 ms, got \"soon\"");
    refused(&ms, "s", "bench.key: expected a time from 0 to 100000 ms, got \"s\"");
    refused(&ms, "999999999999d",
            "bench.key: expected a time from 0 to 100000 ms, got \"999999999999d\"");
}

static void test_words(void)
{
    accepted(&word, "ipi");
    CHECK_EQUAL(param_words(&word, "ipi"), 4);
    refused(&word, "none,ipi", "bench.key: expected one of none, memory, ipi, got \"none,ipi\"");
    refused(&word, "all", "bench.key: expected one of none, memory, ipi, got \"all\"");
    accepted(&words, "random,forward");
    accepted(&words, "random forward,");
    accepted(&words, "all");
    CHECK_EQUAL(param_words(&words, "random,forward"), 5);
    CHECK_EQUAL(param_words(&words, "random forward"), 5);
    CHECK_EQUAL(param_words(&words, "all") & 7, 7);
    refused(&words, "random,foo",
            "bench.key: expected one or more of forward, backward, random, got \"foo\"");
    refused(&words, "rand",
            "bench.key: expected one or more of forward, backward, random, got \"rand\"");
    refused(&words, ",", "bench.key: expected one or more of forward, backward, random, got \"\"");
}

static void test_text(void)
{
    accepted(&text, "");
    accepted(&text, "key a; pause 3s");
}

int main(void)
{
    RUN(test_number());
    RUN(test_numbers());
    RUN(test_time());
    RUN(test_words());
    RUN(test_text());
    return unit_finish("unit_param");
}
