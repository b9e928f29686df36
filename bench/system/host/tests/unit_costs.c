/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of costs, as text. */
#include <stdio.h>

#include "bench/system/host/view_system.h"
#include "tools/present/view.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define SERIES(bench, name, ...)                                        \
    build_series((bench), (name), NULL, NULL, (int64_t[]){__VA_ARGS__}, \
                 sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static struct run_bench *start_run(struct run *run, bool exact)
{
    run_init(run);
    run->verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
    if (exact) {
        run_add_pair(run, &run->info, "kind", "exact");
        run_add_pair(run, &run->info, "ticks_per_instruction", "8");
    }
    struct run_bench *bench = build_bench(run, "call", 1);

    bench->group = "system";
    return bench;
}

/* The table of the bench must read so, below its heading. */
static void check_table(const struct run *run, const struct run_bench *bench, const char *heading,
                        const char *table)
{
    char *text = NULL;
    size_t length = 0;
    struct view view;

    view_init(&view, open_memstream(&text, &length), run);
    view_costs(&view, bench);
    fclose(view.out);
    CHECK(strncmp(text, heading, strlen(heading)) == 0);
    CHECK_TEXT(strlen(text) > strlen(heading) ? text + strlen(heading) : text, table);
    free(text);
}

/* 2 instructions the loop; 7 and 8 with a call, of which 5 and 6 are the call's. */
static void build_costs(struct run_bench *bench)
{
    build_fact(bench, "repetitions", 10);
    SERIES(bench, "loop", 180, 180);
    SERIES(bench, "loop.twice", 340, 340);
    SERIES(bench, "register0", 580, 580);
    SERIES(bench, "register0.twice", 1140, 1140);
    SERIES(bench, "register1", 660, 660, 660);
    SERIES(bench, "register1.twice", 1300, 1300, 1340);
    *run_add_expect(bench) = (struct run_expect){
        .series = "register0",
        .has_instructions = true,
        .instructions = 5,
        .has_value = true,
        .value = 20,
        .unit = "cycle",
    };
    *run_add_expect(bench) =
        (struct run_expect){.series = "register1", .has_instructions = true, .instructions = 4};
}

static void test_costs_in_instructions(void)
{
    struct run run;
    struct run_bench *bench = start_run(&run, true);

    build_costs(bench);
    CHECK(view_has_costs(bench));
    check_table(&run, bench, "\n  costs in instructions, less the median of `loop`:\n\n",
                "  cost       n  median  min..max  expected  difference\n"
                "  loop       2       2     exact         -           -\n"
                "  register0  2       5     exact         5        none\n"
                "  register1  3       6    6..6.5         4          +2\n");
    run_free(&run);
}

static void test_costs_in_ticks(void)
{
    struct run run;
    struct run_bench *bench = start_run(&run, false);

    build_costs(bench);
    check_table(
        &run, bench,
        "\n  costs in ticks of the TSC, expected in cycles of a processor, less the median\n"
        "  of `loop`:\n\n",
        "  cost       n  median      time  min..max  expected  difference\n"
        "  loop       2      16  16.00 ns  constant         -           -\n"
        "  register0  2      40  40.00 ns  constant        20      +100 %\n"
        "  register1  3      48  48.00 ns    48..52         -           -\n");
    run_free(&run);
}

/* A curve is not shown here; a plain series is one event a sample, whatever `repetitions` is. */
static void test_plain_series(void)
{
    struct run run;
    struct run_bench *bench = start_run(&run, true);

    build_fact(bench, "repetitions", 10);
    SERIES(bench, "empty", 40, 40, 48);
    CHECK(!view_has_costs(bench));
    SERIES(bench, "null", 216, 216, 216);
    SERIES(bench, "curve", 1, 2);
    SERIES(bench, "curve.x", 1, 2);
    SERIES(bench, "curve.n", 1, 2);
    CHECK(view_has_costs(bench));
    check_table(&run, bench, "\n  costs in instructions, less the median of `empty`:\n\n",
                "  cost   n  median  min..max  expected  difference\n"
                "  empty  3       5      5..6         -           -\n"
                "  null   3      22     exact         -           -\n");
    bench->group = "tasks";
    CHECK(!view_has_costs(bench)); /* those have tables of their own */
    run_free(&run);
}

/* Half of a pair is lost: no cost can be reported. */
static void test_holes(void)
{
    struct run run;
    struct run_bench *bench = start_run(&run, true);

    build_fact(bench, "repetitions", 10);
    SERIES(bench, "memory", 100, 100, 100);
    SERIES(bench, "memory.twice", 180, 180, 180);
    build_hole(run_find_series(bench, "memory.twice"), 1);
    check_table(&run, bench, "\n  costs in instructions:\n\n",
                "  cost  n  median  min..max  expected  difference\n");
    run_free(&run);
}

int main(void)
{
    RUN(test_costs_in_instructions());
    RUN(test_costs_in_ticks());
    RUN(test_plain_series());
    RUN(test_holes());
    return unit_finish("unit_costs");
}
