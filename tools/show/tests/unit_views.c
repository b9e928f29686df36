/* SPDX-License-Identifier: BSD-2-Clause */
/* What is shown of a run that counts, as text. */
#include <stdio.h>

#include "bench/counters/host/view_counts.h"
#include "bench/noise/host/view_noise.h"
#include "kernel/run/names.h"
#include "tools/present/view.h"
#include "tools/show/run_json.h"
#include "tools/show/view_run.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define SERIES(bench, name, of, event, ...)                                \
    build_series((bench), (name), (of), (event), (int64_t[]){__VA_ARGS__}, \
                 sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* A view that writes into memory. */
struct page {
    struct view view;
    char *text;
    size_t length;
};

static void page_open(struct page *page, const struct run *run)
{
    page->text = NULL;
    view_init(&page->view, open_memstream(&page->text, &page->length), run);
}

/* From `start` on (NULL: all), the page must read so. */
static void page_check(struct page *page, const char *start, const char *expected)
{
    fclose(page->view.out);
    const char *from = start != NULL ? strstr(page->text, start) : page->text;

    CHECK_TEXT(from, expected);
    free(page->text);
}

static void start_run(struct run *run)
{
    run_init(run);
    run->verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
}

static void test_no_events(void)
{
    struct page page;
    struct run run;

    start_run(&run);
    page_open(&page, &run);
    view_events(&page.view);
    page_check(&page, NULL, "");
    run_free(&run);
}

/* Counts of phases are a table, not facts among others; what was not counted is no 0. */
static void test_phase_counts(void)
{
    static const struct run_event events[] = {
        {.name = "loads", .state = "counted", .pass = 1, .source = "plugin"},
        {.name = "dtlb-misses", .state = "counted", .pass = 1, .source = "plugin-model"},
        {.name = "itlb-misses", .state = "counted", .pass = 1, .source = "plugin-model"},
    };
    struct page page;
    struct run run;

    start_run(&run);
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        *run_add_event(&run) = events[i];
    }
    struct run_bench *bench = build_bench(&run, "b", 1);

    build_fact(bench, "loads.in_kernel.hand", 7000);
    build_fact(bench, "dtlb-misses.in_kernel.hand", 100);
    build_fact(bench, "itlb-misses.in_kernel.hand", 1);
    build_fact(bench, "flushes.in_kernel.hand", 9);
    build_fact(bench, "loads.server.hand", 8000);
    page_open(&page, &run);
    view_phase_counts(&page.view, bench);
    page_check(&page, NULL,
               "\n"
               "  counted in phase  loads  dTLB  iTLB\n"
               "  in_kernel.hand     7000   100     1\n"
               "  server.hand        8000     -     -\n");

    run_free(&run);
}

static void test_events(void)
{
    static const struct run_counter counters[] = {
        {"general 0", "usable", 48, "0x0", NULL},
        {"general 1", "usable", 48, "0x530076", NULL},
        {"general 2", "wrong", 48, "what is this", "7 of 4000 instructions"},
        {"general 3", "dead", 0, NULL, NULL},
        {"fixed 0", "dead", 0, NULL, NULL},
    };
    static const struct run_event events[] = {
        {"instructions", "counted", 1, NULL, NULL, "icount", NULL, NULL, NULL},
        {"smi", "counted", 1, NULL, NULL, "msr34", NULL, NULL, NULL},
        {"cycles", "counted", 1, "general 0", "0x76:0x00", "pmu", "Cycles not in Halt",
         "also in SMM", NULL},
        {"cycles", "counted", 2, "general 1", "0x76:0x00", "pmu", "Cycles not in Halt", NULL, NULL},
        {"dtlb", "counted", 0, NULL, "0x45:0xff", NULL, NULL, "over-counts", NULL},
        {"loads", "absent", 0, NULL, NULL, NULL, NULL, NULL, "the processor lacks it"},
        {"stores", "absent", 0, NULL, NULL, NULL, NULL, NULL, NULL},
        {"branches", "absent", 0, NULL, NULL, NULL, NULL, NULL, "the processor lacks it"},
    };
    struct page page;
    struct run run;

    start_run(&run);
    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
        *run_add_counter(&run) = counters[i];
    }
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        *run_add_event(&run) = events[i];
    }
    page_open(&page, &run);
    view_events(&page.view);
    page_check(&page, NULL,
               "\n"
               "event counters\n"
               "  usable     2 of 5 counters\n"
               "  wrong      general 2: it counts another event than it is set to; 7 of 4000\n"
               "             instructions\n"
               "  dead       general 3, fixed 0: it never counts\n"
               "  firmware   general 1: left it programmed with 0x530076\n"
               "  firmware   general 2: left it programmed with what is this\n"
               "  n/a        loads, branches: the processor lacks it\n"
               "  n/a        stores: no reason given\n"
               "\n"
               "  event         pass  counted by    code\n"
               "  instructions     1  virtual time  -\n"
               "  smi              1  MSR 34h       -\n"
               "  cycles           1  general 0     0x76:0x00\n"
               "  cycles           2  general 1     0x76:0x00\n"
               "  dtlb             -  -             0x45:0xff\n"
               "\n"
               "  instructions from virtual time, in which the TSC counts instructions\n"
               "  cycles       Cycles not in Halt; also in SMM\n"
               "  dtlb         over-counts\n");
    run_free(&run);
}

static void test_absents(void)
{
    struct page page;
    struct run run;

    start_run(&run);
    struct run_bench *bench = build_bench(&run, "b", 1);

    *run_add_absent(bench) = (struct run_absent){"loads", "no counter"};
    *run_add_absent(bench) = (struct run_absent){"smi", NULL};
    *run_add_absent(bench) = (struct run_absent){"stores", "no counter"};
    page_open(&page, &run);
    view_absents(&page.view, bench);
    page_check(&page, NULL,
               "  n/a        loads, stores: no counter\n"
               "  n/a        smi: no reason given\n");
    run_free(&run);
}

static void test_counts(void)
{
    struct page page;
    struct run run;

    start_run(&run);
    *run_add_event(&run) = (struct run_event){
        .name = "instructions", .state = "counted", .pass = 1, .source = "icount"};
    struct run_bench *bench = build_bench(&run, "b", 1);

    SERIES(bench, "s", NULL, NULL, 100, 100);
    SERIES(bench, "s.instructions", "s", "instructions", 300, 200);
    SERIES(bench, "s.cycles", "s", "cycles", 100, 300);
    SERIES(bench, "s.itlb-misses", "s", "itlb-misses", 0, 0);
    build_series(bench, "t.cycles", "t", "cycles", NULL, 0);
    page_open(&page, &run);
    view_counts(&page.view, bench);
    view_ratios(&page.view, bench);
    page_check(&page, NULL,
               "\n"
               "  counts during   n  min  median  p99  p99.9  max  total\n"
               "  s\n"
               "    instructions  2  200     200    -      -  300    500\n"
               "    cycles        2  100     100    -      -  300    400\n"
               "    itlb-misses   2    0       0    -      -    0      0\n"
               "  t\n"
               "    cycles        0    -       -    -      -    -      -\n"
               "  instructions, from virtual time: no counter was read\n"
               "\n"
               "  ratios of totals\n"
               "  s                 instructions per cycle             1.250\n"
               "                    cycles per tick                    2.000\n"
               "                    itlb-misses per 1000 instructions  0.000\n");
    run_free(&run);
}

/* A sum that 64 bits do not hold is marked as such, not shown wrapped. */
static void test_total(void)
{
    struct page page;
    struct run run;

    start_run(&run);
    struct run_bench *bench = build_bench(&run, "b", 1);

    SERIES(bench, "t.loads", "t", "loads", INT64_MAX, INT64_MAX);
    page_open(&page, &run);
    view_counts(&page.view, bench);
    page_check(&page, "    loads",
               "    loads       2 9,223,372,036,854,775,807 9,223,372,036,854,775,807   -     -\n"
               "\n"
               "  counts during                       max          total\n"
               "  t\n"
               "    loads       9,223,372,036,854,775,807 beyond 64 bits\n");
    run_free(&run);
}

/* Two passes of one bench: the counts of each, and no ratio across them. */
static void test_passes(void)
{
    struct page page;
    struct run run;

    start_run(&run);
    SERIES(build_bench(&run, "b", 1), "s.instructions", "s", "instructions", 1000000000);
    SERIES(run_find_bench(&run, "b"), "s.llc-misses", "s", "llc-misses", 1);
    struct run_bench *bench = build_bench(&run, "b", 2);

    SERIES(bench, "s.mispredicts", "s", "mispredicts", 1);
    page_open(&page, &run);
    view_ratios(&page.view, run_find_bench(&run, "b"));
    page_check(&page, NULL,
               "\n"
               "  ratios of totals\n"
               "  s                 llc-misses per 1000 instructions  < 0.0001\n");
    page_open(&page, &run);
    view_counts(&page.view, bench);
    view_ratios(&page.view, bench);
    page_check(&page, NULL,
               "\n"
               "  counts during  n  min  median  p99  p99.9  max  total\n"
               "  s\n"
               "    mispredicts  1    1       1    -      -    1      1\n"
               "\n"
               "  not computed, counted in different passes: mispredicts per 1000 instructions\n"
               "    (instructions were counted in pass 1)\n");
    build_bench(&run, "none", 1);
    page_open(&page, &run);
    view_counts(&page.view, run_find_bench(&run, "none"));
    view_ratios(&page.view, run_find_bench(&run, "none"));
    page_check(&page, NULL, "");
    run_free(&run);
}

static struct run_bench *idle_bench(struct run *run)
{
    struct run_bench *bench = build_bench(run, "idle", 1);

    SERIES(bench, "floor", NULL, NULL, 100, 100, 100);
    SERIES(bench, "ticking", NULL, NULL, 100, 140, 100, 140, 100);
    SERIES(bench, "handler", NULL, NULL, 20, 20);
    SERIES(bench, "handler_start", NULL, NULL, 150, 350);
    return bench;
}

static void test_idle(void)
{
    struct page page;
    struct run run;

    start_run(&run);
    struct run_bench *bench = idle_bench(&run);

    page_open(&page, &run);
    view_idle(&page.view, bench);
    page_check(&page, "\n  samples by", NULL); /* not a word of it where nothing is counted */
    SERIES(bench, "ticking.cycles", "ticking", "cycles", 7, 9, 6, 9, 7);
    page_open(&page, &run);
    view_idle(&page.view, bench);
    page_check(&page, "\n  samples by",
               "\n"
               "  samples by entries of the handler, because event interrupts is not counted\n"
               "  in this run; lengths in ticks\n"
               "\n"
               "  interrupts in a sample    0    1\n"
               "  samples                   3    2\n"
               "  median length           100  140\n"
               "  median excess             0   40\n"
               "  median cycles             7    9\n"
               "\n"
               "  correlation of excess with interrupts: 1.0000 (Pearson, 5 samples)\n");
    SERIES(bench, "ticking.interrupts", "ticking", "interrupts", 0, 0, 0, 0, 0);
    page_open(&page, &run);
    view_idle(&page.view, bench);
    page_check(&page, "\n  samples by",
               "\n"
               "  samples by the count of event interrupts; lengths in ticks\n"
               "\n"
               "  interrupts in a sample    0\n"
               "  samples                   5\n"
               "  median length           100\n"
               "  median excess             0\n"
               "  median cycles             7\n"
               "\n"
               "  correlation of excess with interrupts: undefined, because one of them never\n"
               "  varies\n");
    run_free(&run);
}

/* More classes than there are columns. */
static void test_idle_classes(void)
{
    struct page page;
    struct run run;

    start_run(&run);
    struct run_bench *bench = build_bench(&run, "idle", 1);

    SERIES(bench, "floor", NULL, NULL, 100);
    SERIES(bench, "ticking", NULL, NULL, 100, 110, 120, 130, 140, 150, 160);
    SERIES(bench, "ticking.interrupts", "ticking", "interrupts", 0, 1, 2, 3, 4, 5, -9);
    page_open(&page, &run);
    view_idle(&page.view, bench);
    page_check(&page, "  interrupts in a sample",
               "  interrupts in a sample   -9    0    1    2    3\n"
               "  samples                   1    1    1    1    1\n"
               "  median length           160  100  110  120  130\n"
               "  median excess            60    0   10   20   30\n"
               "  ... and 2 more\n"
               "\n"
               "  correlation of excess with interrupts: -0.2808 (Pearson, 7 samples)\n");
    run_free(&run);
}

static void test_counters(void)
{
    struct page page;
    struct run run;

    start_run(&run);
    struct run_bench *bench = build_bench(&run, "counters", 1);

    page_open(&page, &run);
    view_counters(&page.view, bench);
    page_check(&page, NULL, "\n  no kernel was counted\n");
    SERIES(bench, "adds", NULL, NULL, 9, 9, 9);
    SERIES(bench, "adds.instructions", "adds", "instructions", 104, 104, 105);
    SERIES(bench, "adds.smi", "adds", "smi", 2, 0, 2);
    SERIES(bench, "stores.stores", "stores", "stores", 198, 199, 204);
    SERIES(bench, "stores.loads", "stores", "loads", 3);
    build_series(bench, "stores.cycles", "stores", "cycles", NULL, 0);
    build_fact(bench, "adds.instructions.expected", 104);
    build_fact(bench, "adds.smi.expected", 0);
    build_fact(bench, "stores.stores.expected", 200);
    build_fact(bench, "stores.cycles.expected", 1);
    page_open(&page, &run);
    view_counters(&page.view, bench);
    page_check(&page, "  kernel",
               "  kernel  event         expected  median  min..max     error\n"
               "  adds    instructions       104     104  104..105     exact\n"
               "          smi                  0       2      0..2        +2\n"
               "  stores  stores             200     199  198..204  -0.500 %\n"
               "          loads                -       3      3..3         -\n"
               "          cycles               1       -         -         -\n");
    run_free(&run);
}

static void check_gap(const struct run *run, const char *start, const char *expected)
{
    struct page page;

    page_open(&page, run);
    view_gap(&page.view, run_find_bench(run, "gap"));
    page_check(&page, start, expected);
}

/* The lines of a whole bench must hold these. */
static void check_bench_has(const struct run *run, const char *lines)
{
    struct page page;

    page_open(&page, run);
    view_bench(&page.view, run_find_bench(run, "gap"));
    fclose(page.view.out);
    CHECK(strstr(page.text, lines) != NULL);
    free(page.text);
}

static void test_gap(void)
{
    struct run run;

    start_run(&run);
    struct run_bench *bench = build_bench(&run, "gap", 1);

    SERIES(bench, "gap_time", NULL, NULL, 1000, 5000, 7000);
    SERIES(bench, "gap_length", NULL, NULL, 40, 90, 60);
    check_gap(&run, "\n  largest",
              "\n"
              "  largest at  ticks    length\n"
              "    5.000 us     90  90.00 ns\n"
              "    7.000 us     60  60.00 ns\n"
              "    1.000 us     40  40.00 ns\n"
              "\n"
              "  no histogram: samples are missing\n");
    struct run_series *smis = SERIES(bench, "gap_smi", NULL, NULL, 0, 2, 1);

    build_fact(bench, "smi", 3);
    build_fact(bench, "smi_provoked", 2);
    check_gap(&run, "\n  largest",
              "\n"
              "  largest at  ticks    length  SMIs\n"
              "    5.000 us     90  90.00 ns     2\n"
              "    7.000 us     60  60.00 ns     1\n"
              "    1.000 us     40  40.00 ns     0\n"
              "\n"
              "  SMIs: 3 by MSR 34h, 2 provoked; 2 gaps hold one or more (longest 90.00 ns)\n"
              "\n"
              "  no histogram: samples are missing\n");
    build_hole(smis, 1);
    bench->fact_count = 0;
    check_gap(&run, "    5.000 us",
              "    5.000 us     90  90.00 ns     -\n"
              "    7.000 us     60  60.00 ns     1\n"
              "    1.000 us     40  40.00 ns     0\n"
              "\n"
              "  SMIs: their number is not in the log; at least 1 gap holds one or more\n"
              "    (longest 60.00 ns)\n"
              "\n"
              "  no histogram: samples are missing\n");
    smis->samples[1] = 0;
    check_gap(&run, "  SMIs:",
              "  SMIs: their number is not in the log; no gap that arrived holds one\n"
              "\n"
              "  no histogram: samples are missing\n");
    run_free(&run);
}

static void check_holds(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fprintf(stderr, "not in the text: %s\n", part);
    }
    CHECK(strstr(text, part) != NULL);
}

static void test_json(void)
{
    const struct run_texts none = {0};
    struct page page;
    struct run run;

    start_run(&run);
    *run_add_counter(&run) = (struct run_counter){.name = "general 0", .state = "dead"};
    *run_add_event(&run) = (struct run_event){.name = "loads", .state = "absent", .reason = "why"};
    struct run_bench *bench = idle_bench(&run);

    bench->pass = 3;
    *run_add_absent(bench) = (struct run_absent){"smi", "no MSR 34h"};
    build_fact(bench, "aperf", 3);
    build_fact(bench, "mperf", 2);
    SERIES(bench, "ticking.instructions", "ticking", "instructions", 8, 8, 8, 8, 8);
    SERIES(bench, "ticking.cycles", "ticking", "cycles", 7, 9, 6, 9, 7);
    bench = build_bench(&run, "counters", 1);
    SERIES(bench, "adds.loads", "adds", "loads", 98);
    build_fact(bench, "adds.loads.expected", 100);
    build_fact(bench, "adds.iterations", 10);
    bench = build_bench(&run, "gap", 1);
    SERIES(bench, "gap_length", NULL, NULL, 40, 90);
    SERIES(bench, "gap_smi", NULL, NULL, 0, 1);
    page_open(&page, &run);
    run_json(page.view.out, &run, &none);
    fflush(page.view.out);
    check_holds(page.text, "\"name\": \"general 0\",\n        \"state\": \"dead\",\n"
                           "        \"width\": null,");
    check_holds(page.text, "\"name\": \"loads\",\n        \"state\": \"absent\",\n"
                           "        \"pass\": null,");
    check_holds(page.text, "\"name\": \"idle\",\n      \"pass\": 3,");
    check_holds(page.text, "\"absent\": [\n        {\n          \"name\": \"smi\",\n"
                           "          \"reason\": \"no MSR 34h\"");
    check_holds(page.text, "\"effective_clock\": 1.500000");
    check_holds(page.text, "\"effective_clock\": null");
    check_holds(page.text, "\"of\": \"ticking\",\n          \"event\": \"cycles\"");
    check_holds(page.text, "\"total\": 38,");
    check_holds(page.text, "\"ratios\": {\n        \"ticking\": {\n"
                           "          \"ipc\": 1.052631579,\n"
                           "          \"cycles_per_tick\": 0.065517241\n        }");
    check_holds(page.text, "\"correlation\": {\n        \"interrupts_by\": \"handler\",\n"
                           "        \"samples\": 5,\n        \"floor\": 100,\n"
                           "        \"coefficient\": 1.000000,");
    check_holds(page.text, "\"interrupts\": 1,\n            \"samples\": 2,\n"
                           "            \"length\": 140,\n            \"elongation\": 40,\n"
                           "            \"events\": {\n              \"instructions\": 8,\n"
                           "              \"cycles\": 9\n");
    check_holds(page.text, "\"kernels\": [\n        {\n          \"name\": \"adds\",\n"
                           "          \"iterations\": 10,");
    check_holds(page.text, "\"error_percent\": -2.000000");
    check_holds(page.text, "\"smis\": {\n        \"counted\": null,\n"
                           "        \"per_second\": null,\n        \"provoked\": null,\n"
                           "        \"gaps\": 1,\n        \"longest_ticks\": 90\n");
    fclose(page.view.out);
    free(page.text);
    run_free(&run);
}

/* The estimate is of a device: it names what stands for one. */
static void check_device_estimate(struct run *run, struct run_bench *bench)
{
    struct page page;

    *run_add_param(bench) = (struct run_param){FOUND_INPUT, FROM_TIMER "no i8042", "found"};
    page_open(&page, run);
    view_bench(&page.view, bench);
    fflush(page.view.out);
    check_holds(page.text, "expected   0.1 ms; input from a timer: no i8042\n");
    fclose(page.view.out);
    free(page.text);
}

/* What a bench found out is no parameter. */
static void test_found(void)
{
    const struct run_texts none = {0};
    struct page page;
    struct run run;

    start_run(&run);
    struct run_bench *bench = build_bench(&run, "disklatency", 1);

    *run_add_param(bench) = (struct run_param){"reads", "100", "plan"};
    *run_add_param(bench) = (struct run_param){"disk", "model", "found"};
    *run_add_param(bench) = (struct run_param){"seed", "1", "default"};
    bench->estimate = "0.1 ms";
    page_open(&page, &run);
    run_json(page.view.out, &run, &none);
    view_bench(&page.view, bench);
    fflush(page.view.out);
    check_holds(page.text, "\"params\": {\n        \"reads\": \"100\",\n"
                           "        \"seed\": \"1\"\n      },\n"
                           "      \"found\": {\n        \"disk\": \"model\"\n      },");
    check_holds(page.text, "reads=100 (plan), disk=model (found), seed=1\n");
    check_holds(page.text, "expected   0.1 ms\n");
    fclose(page.view.out);
    free(page.text);
    check_device_estimate(&run, bench);
    run_free(&run);
}

/* What bench gap reports of all gaps, whatever it kept. */
static struct run_bench *gaps_in_part(struct run *run)
{
    struct run_bench *bench = build_bench(run, "gap", 1);

    SERIES(bench, "gap_time", NULL, NULL, 1000, 5000);
    SERIES(bench, "gap_length", NULL, NULL, 40, 90);
    SERIES(bench, "worst_time", NULL, NULL, 700000);
    SERIES(bench, "worst_length", NULL, NULL, 8500);
    SERIES(bench, "gap_smi", NULL, NULL, 0, 0);
    SERIES(bench, "worst_smi", NULL, NULL, 1);
    build_fact(bench, "elapsed", 1000000);
    build_fact(bench, "dead", 0);
    build_fact(bench, "threshold", 39);
    build_fact(bench, "smallest", 10);
    build_fact(bench, "over", 13);
    build_fact(bench, "stolen", 9130);
    build_fact(bench, "largest", 8500);
    build_fact(bench, "largest_at", 700000);
    build_fact(bench, "dead_largest", 30);
    build_fact(bench, "dead_smallest", 20);
    build_fact(bench, "unkept", 11);
    build_fact(bench, "rest", 10);
    build_fact(bench, "rest_sum", 500);
    return bench;
}

/* What was kept of gaps_in_part(), however much was missed. */
#define KEPT_IN_PART                                                                    \
    "  kept: the first 2 (gap.keep) and the 1 largest of the others\n"                  \
    "  (gap.keep_largest). The rest, 10 shorter gaps, is 500.0 ns in total; numbers,\n" \
    "  rates and the largest gap cover all gaps\n"                                      \
    "\n"                                                                                \
    "  largest at  ticks    length  SMIs\n"                                             \
    "    700.0 us   8500  8.500 us     1\n"                                             \
    "\n"                                                                                \
    "  SMIs: their number is not in the log; at least 1 gap holds one or more\n"        \
    "    (longest 8.500 us)\n"                                                          \
    "\n"                                                                                \
    "  no histogram: samples are missing\n"

static void test_largest_is_late(void)
{
    struct run run;

    start_run(&run);
    struct run_bench *bench = gaps_in_part(&run);

    check_gap(&run, "\n  kept: ", "\n" KEPT_IN_PART);
    check_bench_has(
        &run, "  answer     gaps above the threshold: 13 in 1.000 ms: 13,000 per s; 0.9130 % of\n"
              "             the time lost (9.130 ms a second)\n");
    for (size_t i = 0; i < bench->fact_count; i++) {
        if (strcmp(bench->facts[i].name, "dead_largest") == 0) {
            bench->facts[i].value = 9000;
        }
    }
    check_gap(&run, "\n  a gap of up to",
              "\n"
              "  a gap of up to 8.980 us may have been missed while another gap was written\n"
              "  down; that exceeds the largest gap, so a longer one is possible\n"
              "\n" KEPT_IN_PART);
    run_free(&run);
}

static void test_noise_json(void)
{
    const struct run_texts none = {0};
    struct page page;
    struct run run;

    start_run(&run);
    struct run_bench *bench = gaps_in_part(&run);

    build_fact(bench, "smi", 4);
    bench = build_bench(&run, "idle", 1);
    SERIES(bench, "floor", NULL, NULL, 100, 100, 100, 100, 120);
    page_open(&page, &run);
    run_json(page.view.out, &run, &none);
    fflush(page.view.out);
    check_holds(page.text, "\"gaps\": {\n        \"count\": 13,\n        \"per_second\": 13000,\n"
                           "        \"longest_ticks\": 8500,\n"
                           "        \"longest_at_ticks\": 700000,\n"
                           "        \"longest_unseen_ticks\": 10,\n"
                           "        \"stolen_ppm\": 9130,\n        \"rest\": 10,\n"
                           "        \"rest_ticks\": 500\n");
    check_holds(page.text, "\"counted\": 4,\n        \"per_second\": 4000,\n");
    check_holds(page.text, "\"stolen_ppm\": {\n        \"floor\": 38461.53846153846,\n"
                           "        \"ticking\": null\n");
    fclose(page.view.out);
    free(page.text);
    run_free(&run);
}

int main(void)
{
    chart_use_blocks(false);
    RUN(test_no_events());
    RUN(test_phase_counts());
    RUN(test_events());
    RUN(test_absents());
    RUN(test_counts());
    RUN(test_total());
    RUN(test_passes());
    RUN(test_idle());
    RUN(test_idle_classes());
    RUN(test_counters());
    RUN(test_gap());
    RUN(test_json());
    RUN(test_found());
    RUN(test_largest_is_late());
    RUN(test_noise_json());
    return unit_finish("unit_views");
}
