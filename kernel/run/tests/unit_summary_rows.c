/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of the summary on the screen: names outlive the memory that they were published from. */
#include <stdio.h>

#include "kernel/run/summary_rows.h"
#include "tools/tests/support/unit.h"

static const struct bench chase = {.name = "chase", .unit = "tick"};
static const struct bench echo = {.name = "echo", .unit = "tick"};
static const int64_t samples[] = {7, 5, 9};

/* Publishes from memory that is something else afterwards, as a stack is. */
static void publish(const struct bench *bench, const char *name, const char *unit)
{
    char reused[24];

    snprintf(reused, sizeof(reused), "%s", name);
    summary_row_series(bench, reused, unit, samples, 3);
    memset(reused, '?', sizeof(reused) - 1);
    reused[sizeof(reused) - 1] = '\0';
    CHECK(reused[0] == '?');
}

static void test_name_is_kept(void)
{
    char line[SUMMARY_LINE_MAX];

    summary_row_begin(&chase);
    publish(&chase, "random.4k.wb.x", "byte");
    publish(&chase, "empty.chase", "tick");
    publish(&chase, "gap_time", "tick");
    publish(&chase, "random.4k.wb", "tick");
    publish(&chase, "random.4k.wb.twice", "tick");
    summary_row_end(&chase, BENCH_OK);
    summary_row_text(summary_rows() - 1, line);
    CHECK_TEXT(line, "chase random.4k.wb       OK        3          5          7          9 tick");
}

/* A series of another bench, and a bench without any. */
static void test_without_series(void)
{
    char line[SUMMARY_LINE_MAX];

    summary_row_begin(&echo);
    publish(&chase, "late", "tick");
    summary_row_end(&echo, BENCH_FAIL);
    summary_row_end(&echo, BENCH_OK);
    summary_row_text(summary_rows() - 1, line);
    CHECK_TEXT(line, "echo                     FAIL ");
    summary_states_text(line);
    CHECK_TEXT(line, "2 benches 1 OK 1 FAIL");
}

/* Beyond the last row benches are only counted. */
static void test_many(void)
{
    char line[SUMMARY_LINE_MAX];

    for (size_t i = 0; i < 100; i++) {
        summary_row_begin(i % 2 == 0 ? &chase : &echo);
        publish(i % 2 == 0 ? &chase : &echo, "round", "tick");
    }
    CHECK_EQUAL(summary_benches(), 102);
    CHECK_EQUAL(summary_rows(), 64);
    summary_row_text(63, line);
    CHECK(strncmp(line, "echo round", 10) == 0);
}

int main(void)
{
    RUN(test_name_is_kept());
    RUN(test_without_series());
    RUN(test_many());
    return unit_finish("unit_summary_rows");
}
