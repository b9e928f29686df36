/* SPDX-License-Identifier: BSD-2-Clause */
/* The matrix of cache lines, contention and interrupts from processor to processor, as numbers and
 * as text. */
#include "bench/system/host/processors.h"

#include <stdio.h>

#include "tools/present/report_plugin.h"
#include "tools/present/view.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define SERIES(bench, name, ...)                                        \
    build_series((bench), (name), NULL, NULL, (int64_t[]){__VA_ARGS__}, \
                 sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static struct run_bench *start_run(struct run *run, const char *name, const char *hypervisor)
{
    run_init(run);
    run->verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
    run_add_pair(run, &run->info, "kind", "real");
    if (hypervisor != NULL) {
        run_add_pair(run, &run->info, "hypervisor", hypervisor);
    }
    return build_bench(run, name, 0);
}

/* Three processors: 0 and 4 are threads of one core, 7 sits in another package. 10 round trips, two
 * trials: 100 ns and 110 ns within the core, 400 ns and up to the other package. */
static void build_lines(struct run_bench *bench, const char *name)
{
    build_fact(bench, "repetitions", 10);
    build_fact(bench, "trials", 2);
    SERIES(bench, "number", 0, 4, 7);
    SERIES(bench, "package", 0, 0, 1);
    SERIES(bench, "core", 2, 2, 2);
    SERIES(bench, "thread", 0, 1, 0);
    SERIES(bench, name, 0, 0, 1000, 1200, 4000, 4400, 1100, 1300, 0, 0, 5000, 5000, 4000, 4000,
           5000, 6000, 0, 0);
}

static void test_matrix(void)
{
    struct line_matrix matrix;
    struct line_summary summary;
    struct run run;
    struct run_bench *bench = start_run(&run, "lines", NULL);

    build_lines(bench, "store");
    CHECK(!line_matrix_read(bench, "cas", &matrix));
    CHECK(line_matrix_read(bench, "store", &matrix));
    CHECK_EQUAL(matrix.count, 3);
    CHECK_EQUAL(matrix.trials, 2);
    CHECK_EQUAL(line_trip(&matrix, 0, 1)->median, 100);
    CHECK_EQUAL(line_trip(&matrix, 0, 1)->max, 120);
    CHECK_EQUAL(line_trip(&matrix, 1, 0)->median, 110);
    CHECK_EQUAL(line_relation(&matrix, 0, 1), LINE_SAME_CORE);
    CHECK_EQUAL(line_relation(&matrix, 2, 1), LINE_OTHER_PACKAGE);
    CHECK(line_asymmetry(&matrix, 0, 1) == 0.1 && line_asymmetry(&matrix, 1, 0) == 0.1);
    CHECK(line_asymmetry(&matrix, 0, 2) == 0);
    line_summary(&matrix, LINE_OTHER_PACKAGE, &summary);
    CHECK_EQUAL(summary.pairs, 2);
    CHECK_EQUAL(summary.min, 400);
    CHECK_EQUAL(summary.max, 500);
    line_summary(&matrix, LINE_SAME_PACKAGE, &summary);
    CHECK_EQUAL(summary.pairs, 0);
    line_matrix_free(&matrix);
    run_free(&run);
}

static void test_bad_matrix(void)
{
    struct line_matrix matrix;
    struct run run;
    struct run_bench *bench = start_run(&run, "lines", NULL);

    build_fact(bench, "repetitions", 10);
    build_fact(bench, "trials", 2);
    SERIES(bench, "number", 0, 1);
    SERIES(bench, "package", 0, 0);
    SERIES(bench, "core", 0);
    SERIES(bench, "store", 0, 0, 1, 1, 1, 1, 0, 0);
    SERIES(bench, "cas", 0, 0, 1, 1, 1, 1, 0);
    CHECK(!line_matrix_read(bench, "store", &matrix));
    CHECK(!line_matrix_read(bench, "cas", &matrix));
    run_free(&run);
}

static void build_ipi(struct run_bench *bench)
{
    SERIES(bench, "number", 0, 1, 2);
    SERIES(bench, "skew.1", 900, 40, 500);
    SERIES(bench, "skew_bound.1", 800, 60, 700);
    SERIES(bench, "round.1", 2000, 2100, 2200);
    SERIES(bench, "round_halted.1", 3000, 3000, 3000);
    SERIES(bench, "there.1", 1040, 1040, 1040);
    SERIES(bench, "skew.2", 5000, 5000, 5000);
    SERIES(bench, "skew_bound.2", 9000, 9000, 9000);
    SERIES(bench, "round.2", 2000, 2100, 2200);
    SERIES(bench, "there.2", 6000, 6000, 6000);
}

static void test_skew(void)
{
    struct skew skew;
    struct run run;
    struct run_bench *bench = start_run(&run, "ipi", NULL);

    build_ipi(bench);
    CHECK(skew_read(bench, 1, &skew));
    CHECK(skew.ticks == 40 && skew.bound == 60);
    CHECK(!skew_read(bench, 3, &skew));
    run_free(&run);
}

/* What the view writes must hold `expected`. */
static void check_view(struct run *run, const char *name, const char *expected)
{
    struct view view;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    view_init(&view, out, run);
    run->benches[0].name = name;
    report_plugin_shown(&run->benches[0])->show(&view, &run->benches[0]);
    fclose(out);
    if (strstr(text, expected) == NULL) {
        CHECK_TEXT(text, expected);
    } else {
        CHECK(strstr(text, expected) != NULL);
    }
    free(text);
}

static void test_views(void)
{
    struct run run;
    struct run_bench *bench = start_run(&run, "lines", "TCGTCGTCGTCG");

    build_lines(bench, "store");
    check_view(&run, "lines", "the values show the emulator");
    check_view(&run, "lines",
               "  from CPU  to CPU 0  to CPU 4  to CPU 7\n"
               "         0         -  100.0 ns  400.0 ns\n"
               "         4  110.0 ns         -  500.0 ns\n"
               "         7  400.0 ns  500.0 ns         -\n");
    check_view(&run, "lines",
               "  0, 4  of one core      100.0 ns  100.0 ns  130.0 ns  110.0 ns      10.0 %\n");
    check_view(&run, "lines", "  the samples of series cas are incomplete\n");
    run_free(&run);

    bench = start_run(&run, "ipi", NULL);
    build_ipi(bench);
    check_view(&run, "ipi",
               "  CPU     round  from HLT     there   skew    +-\n"
               "    1  2.100 us  3.000 us  1.000 us    +40    60\n"
               "    2  2.100 us         -         -  +5000  9000\n");
    run_free(&run);

    bench = start_run(&run, "contention", NULL);
    SERIES(bench, "spin_lock.x", 1, 2);
    SERIES(bench, "spin_lock.n", 10, 20);
    SERIES(bench, "spin_lock", 200, 220, 2000, 2200);
    SERIES(bench, "barrier.x", 1, 2);
    SERIES(bench, "barrier.n", 10, 10);
    SERIES(bench, "barrier", 300, 300, 3000, 3000);
    check_view(&run, "contention", "           2  100.0 ns 100.0 ns..110.0 ns           - -\n");
    check_view(&run, "contention", "           2 300.0 ns 300.0 ns..300.0 ns\n");
    run_free(&run);
}

/* Efficient cores first by their numbers: performance ones are listed first, as the run lists
 * kinds, and each trip stays with its pair. */
static void test_kinds(void)
{
    struct line_matrix matrix;
    char text[KINDS_TEXT_MAX];
    char label[PROCESSOR_LABEL_MAX];
    struct run run;
    struct run_bench *bench = start_run(&run, "lines", NULL);

    build_lines(bench, "store");
    run_add_pair(&run, &run.machine, "kind.P", "performance");
    run_add_pair(&run, &run.machine, "kind.E", "efficient");
    run_add_pair(&run, &run.machine, "processor_kind.0", "E");
    run_add_pair(&run, &run.machine, "processor_kind.4", "E");
    run_add_pair(&run, &run.machine, "processor_kind.7", "P");
    CHECK(line_matrix_read(bench, "store", &matrix));
    processors_kinds_text(&run, matrix.number, matrix.count, text);
    CHECK_TEXT(text, "2 E, 1 P");
    line_matrix_sort(&matrix, &run);
    CHECK_EQUAL(matrix.number[0], 7);
    CHECK_EQUAL(matrix.number[1], 0);
    CHECK_EQUAL(matrix.package[0], 1);
    CHECK_EQUAL(line_trip(&matrix, 1, 2)->median, 100);
    CHECK_EQUAL(line_trip(&matrix, 2, 1)->median, 110);
    CHECK_EQUAL(line_relation(&matrix, 0, 1), LINE_OTHER_PACKAGE);
    CHECK_TEXT(processor_label(&run, 7, label), "7 P");
    CHECK_TEXT(processor_label(&run, 9, label), "9");
    line_matrix_free(&matrix);
    run_free(&run);

    bench = start_run(&run, "lines", NULL);
    build_lines(bench, "store");
    CHECK(line_matrix_read(bench, "store", &matrix));
    processors_kinds_text(&run, matrix.number, matrix.count, text);
    CHECK_TEXT(text, "");
    line_matrix_sort(&matrix, &run);
    CHECK_EQUAL(matrix.number[2], 7);
    line_matrix_free(&matrix);
    run_free(&run);
}

static void test_at_node(void)
{
    static const char *const others[] = {
        "store",       "cas",           "store.node.",           "store.node.1x",
        "cas.nodes.1", "xstore.node.1", "store.node.12345678901"};
    char what[LINE_WHAT_MAX];
    struct run run;
    struct run_bench *bench = start_run(&run, "lines", NULL);

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        run_add_series(bench)->name = others[i];
    }
    CHECK_TEXT(line_matrix_at(bench, 0, what), "store");
    CHECK_TEXT(what, "store and load");
    CHECK_TEXT(line_matrix_at(bench, 1, what), "cas");
    CHECK(line_matrix_at(bench, 2, what) == NULL);
    run_add_series(bench)->name = "store.node.1";
    run_add_series(bench)->name = "cas.node.4294967295";
    CHECK_TEXT(line_matrix_at(bench, 2, what), "store.node.1");
    CHECK_TEXT(what, "store and load, with the line in memory of node 1");
    CHECK_TEXT(line_matrix_at(bench, 3, what), "cas.node.4294967295");
    CHECK_TEXT(what, "LOCK CMPXCHG, with the line in memory of node 4294967295");
    CHECK(line_matrix_at(bench, 4, what) == NULL);
    run_free(&run);
}

int main(void)
{
    RUN(test_matrix());
    RUN(test_bad_matrix());
    RUN(test_skew());
    RUN(test_views());
    RUN(test_at_node());
    RUN(test_kinds());
    return unit_finish("unit_processors");
}
