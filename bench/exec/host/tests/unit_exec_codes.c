/* SPDX-License-Identifier: BSD-2-Clause */
/* Codes of bench exec: costs of both forms, counts, sources from the plan, and what is missing. */
#include "bench/exec/host/exec_codes.h"

#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define SERIES(bench, name, of, event, ...)                            \
    build_series((bench), (name), of, event, (int64_t[]){__VA_ARGS__}, \
                 sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static struct run_bench *start_run(struct run *run, const char *plan)
{
    run_init(run);
    run->plan_text = plan;
    struct run_bench *bench = build_bench(run, "exec", 1);

    build_fact(bench, "repetitions", 10);
    build_fact(bench, "codes", 2);
    return bench;
}

static void test_costs(void)
{
    struct exec_cost cost;
    struct run run;
    struct run_bench *bench = start_run(&run, NULL);

    SERIES(bench, "unrolled.1", NULL, NULL, 100, 110, 120);
    SERIES(bench, "unrolled.1.twice", NULL, NULL, 200, 190, 225);
    SERIES(bench, "looped.1", NULL, NULL, 100, 110);
    SERIES(bench, "looped.1.twice", NULL, NULL, 100);
    CHECK(exec_cost_read(bench, EXEC_UNROLLED, 1, NULL, &cost));
    CHECK_EQUAL(cost.n, 3);
    CHECK(cost.min == 8 && cost.median == 10 && cost.max == 10.5);
    CHECK(!exec_cost_read(bench, EXEC_LOOPED, 1, NULL, &cost)); /* halves differ */
    CHECK(!exec_cost_read(bench, EXEC_UNROLLED, 2, NULL, &cost));
    CHECK(!exec_cost_read(bench, EXEC_UNROLLED, 1, "cycles", &cost));
    run_free(&run);
}

static void test_counts(void)
{
    const char *events[EXEC_EVENTS_MAX];
    struct exec_cost cost;
    struct run run;
    struct run_bench *bench = start_run(&run, NULL);

    SERIES(bench, "unrolled.0.cycles", "unrolled.0", "cycles", 1);
    SERIES(bench, "unrolled.2.cycles", "unrolled.2", "cycles", 50);
    SERIES(bench, "unrolled.2.twice.cycles", "unrolled.2.twice", "cycles", 75);
    CHECK_EQUAL(exec_events(bench, events), 1);
    CHECK(strcmp(events[0], "cycles") == 0);
    CHECK(exec_cost_read(bench, EXEC_UNROLLED, 2, "cycles", &cost) && cost.median == 2.5);
    run_free(&run);
}

static void test_left(void)
{
    struct exec_value left[EXEC_VALUES_MAX];
    struct run run;
    struct run_bench *bench = start_run(&run, NULL);

    CHECK_EQUAL(exec_left(bench, 1, left), 0);
    SERIES(bench, "registers.1", NULL, NULL, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, -1,
           0x246);
    CHECK_EQUAL(exec_left(bench, 1, left), 0);
    SERIES(bench, "memory.1", NULL, NULL, -2, 1, 0x1000, 77, 0, 0);
    CHECK_EQUAL(exec_left(bench, 1, left), EXEC_REGISTERS + 3);
    CHECK_TEXT(left[14].name, "rax");
    CHECK_EQUAL(left[14].value, 1);
    CHECK_TEXT(left[EXEC_REGISTERS - 1].name, "rflags");
    CHECK_EQUAL(left[EXEC_REGISTERS - 1].value, 0x246);
    CHECK(left[15].value == UINT64_MAX && left[17].value == UINT64_MAX - 1);
    CHECK_TEXT(left[19].name, "0x1000");
    CHECK_EQUAL(left[19].value, 77);
    SERIES(bench, "registers.2", NULL, NULL, 1, 2);
    SERIES(bench, "memory.2", NULL, NULL, 1);
    CHECK_EQUAL(exec_left(bench, 2, left), 0);
    run_free(&run);
}

static void test_sources(void)
{
    struct exec_sources sources;
    char text[EXEC_SOURCE_MAX];
    struct run run;

    start_run(&run, "exec.code=90,4801c3 exec.text={ nop \n\n}");
    exec_sources_open(&run, &sources);
    CHECK(strcmp(exec_source(&sources, 1, text), "nop") == 0);
    CHECK(strcmp(exec_source(&sources, 2, text), "4801c3") == 0);
    CHECK(strcmp(exec_source(&sources, 3, text), "") == 0);
    exec_sources_free(&sources);
    run_free(&run);
    start_run(&run, NULL);
    exec_sources_open(&run, &sources);
    CHECK(strcmp(exec_source(&sources, 1, text), "") == 0);
    exec_sources_free(&sources);
    run_free(&run);
}

static void test_missing(void)
{
    struct run run;
    struct run_bench *bench = start_run(&run, NULL);

    *run_add_absent(bench) = (struct run_absent){"looped.2", "HLT is refused"};
    CHECK(exec_missing(bench, 1) == NULL);
    CHECK(strcmp(exec_missing(bench, 2), "HLT is refused") == 0);
    run_free(&run);
}

int main(void)
{
    RUN(test_costs());
    RUN(test_counts());
    RUN(test_left());
    RUN(test_sources());
    RUN(test_missing());
    return unit_finish("unit_exec_codes");
}
