/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of the summary on the screen: names outlive the memory that they were published from. */
#include <stdio.h>

#include "kernel/run/summary_rows.h"
#include "tools/tests/support/unit.h"

static const struct bench chase = {.name = "chase", .unit = "tick"};
static const struct bench echo = {.name = "echo", .unit = "tick"};
static const struct bench order = {.name = "order", .unit = "count"};
static const struct bench timer = {.name = "timer", .unit = "tick", .main_series = "whole.0"};
static const int64_t samples[] = {7000, 5000, 9000};
static const int64_t larger[] = {90000};
static const struct finding_source no_clock;

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

static struct page_bench last_row(const struct finding_source *clock)
{
    struct page_bench row;

    summary_row(summary_rows() - 1, clock, &row);
    return row;
}

static void test_name_is_kept(void)
{
    summary_row_begin(&chase);
    publish(&chase, "random.4k.wb.x", "byte");
    publish(&chase, "empty.chase", "tick");
    publish(&chase, "gap_time", "tick");
    publish(&chase, "idle", "tick");
    publish(&chase, "stamp_from", "tick");
    publish(&chase, "histogram_bound", "tick");
    publish(&chase, "random.4k.wb", "tick");
    publish(&chase, "random.4k.wb.twice", "tick");
    CHECK_TEXT(last_row(&no_clock).state, "runs");
    CHECK(last_row(&no_clock).must_show);
    summary_row_end(&chase, BENCH_OK, "");
    const struct page_bench row = last_row(&no_clock);

    CHECK_TEXT(row.name, "chase");
    CHECK_TEXT(row.series, "random.4k.wb");
    CHECK_TEXT(row.state, "OK");
    CHECK(!row.must_show);
    CHECK_TEXT(row.count, "3");
    CHECK_TEXT(row.min, "5,000");
    CHECK_TEXT(row.median, "7,000");
    CHECK_TEXT(row.max, "9,000");
    CHECK_TEXT(row.unit, "tick");
}

/* Ticks are instructions in exact time, and durations where the rate is known. */
static void test_units(void)
{
    const struct finding_source exact = {
        .time = FINDING_TIME_EXACT, .hz = 1000000000, .ticks_per_instruction = 8};
    const struct finding_source real = {.time = FINDING_TIME_REAL, .hz = 2000000000};
    struct page_bench row = last_row(&exact);

    CHECK_TEXT(row.median, "875");
    CHECK_TEXT(row.unit, "instr");
    row = last_row(&real);
    CHECK_TEXT(row.median, "3.50 us");
    CHECK_TEXT(row.unit, "");
    summary_row_begin(&order);
    publish(&order, "fcfs", "count");
    summary_row_end(&order, BENCH_OK, "");
    row = last_row(&real);
    CHECK_TEXT(row.median, "7,000");
    CHECK_TEXT(row.unit, "count");
}

/* The series that the bench names, and no other. */
static void test_main_series(void)
{
    summary_row_begin(&timer);
    publish(&timer, "handler.0", "tick");
    CHECK_TEXT(last_row(&no_clock).series, "");
    publish(&timer, "whole.0", "tick");
    publish(&timer, "dpc.0", "tick");
    summary_row_end(&timer, BENCH_OK, "");
    summary_row_series(&timer, "worst_dpc.0", "tick", larger, 1);
    CHECK_TEXT(last_row(&no_clock).max, "9,000");
    summary_row_begin(&timer);
    publish(&timer, "whole.0", "tick");
    summary_row_series(&timer, "worst_whole.0", "tick", larger, 1);
    summary_row_end(&timer, BENCH_OK, "");
    CHECK_TEXT(last_row(&no_clock).series, "whole.0");
    CHECK_TEXT(last_row(&no_clock).count, "3");
    CHECK_TEXT(last_row(&no_clock).max, "90,000");
}

/* A series of another bench, and a bench without any. */
static void test_without_series(void)
{
    char line[SUMMARY_LINE_MAX];

    summary_row_begin(&echo);
    publish(&chase, "late", "tick");
    summary_row_end(&echo, BENCH_FAIL, "it was late");
    summary_row_end(&echo, BENCH_OK, "");
    const struct page_bench row = last_row(&no_clock);

    CHECK_TEXT(row.name, "echo");
    CHECK_TEXT(row.series, "");
    CHECK_TEXT(row.state, "FAIL");
    CHECK_TEXT(row.reason, "it was late");
    CHECK_TEXT(row.median, "");
    CHECK(row.must_show);
    CHECK_EQUAL(summary_states_text(line), BENCH_FAIL);
    CHECK_TEXT(line, "4 OK  1 FAIL: echo");
}

static void test_crash(void)
{
    char line[SUMMARY_LINE_MAX];

    CHECK(!summary_row_crash()); /* none ran */
    summary_row_begin(&chase);
    CHECK(summary_row_crash());
    CHECK(!summary_row_crash());
    CHECK_EQUAL(summary_states_text(line), BENCH_CRASH);
    CHECK_TEXT(line, "4 OK  1 FAIL: echo  1 CRASH: chase");
}

/* Beyond the last row benches are only counted. */
static void test_many(void)
{
    char line[SUMMARY_LINE_MAX];

    for (size_t i = 0; i < 200; i++) {
        const struct bench *bench = i % 2 == 0 ? &chase : &echo;

        summary_row_begin(bench);
        publish(bench, "round", "tick");
        summary_row_end(bench, BENCH_FAIL, "");
    }
    CHECK_EQUAL(summary_benches(), 206);
    CHECK_EQUAL(summary_rows(), SUMMARY_ROWS_MAX);
    CHECK_TEXT(last_row(&no_clock).series, "round");
    summary_states_text(line); /* the names that have room */
    CHECK(strlen(line) == SUMMARY_LINE_MAX - 1);
}

int main(void)
{
    RUN(test_name_is_kept());
    RUN(test_units());
    RUN(test_main_series());
    RUN(test_without_series());
    RUN(test_crash());
    RUN(test_many());
    return unit_finish("unit_summary_rows");
}
