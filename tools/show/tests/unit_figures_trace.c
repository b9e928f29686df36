/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of threads, of noise and of counters, of runs that are made by hand. */
#include <math.h>

#include "bench/counters/host/view_counts.h"
#include "bench/noise/host/view_noise.h"
#include "tools/tests/support/drawn.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/tests/support/unit.h"
#include "tools/trace/view_trace.h"

#define PACKET 4096
#define BEGIN  1000

#define WAIT(reason) TRACE_WHY(reason, THREAD_WAITING)
#define STAY(reason) TRACE_WHY(reason, THREAD_READY)

/* Ticks are nanoseconds. */
static void run_open(struct run *run)
{
    run_init(run);
    run->verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
}

/* In the row that begins so; NULL: there is none. */
static const char *cell(const struct figure *table, const char *row, size_t column)
{
    for (size_t i = 0; i < table->cells.count; i += table->columns.count) {
        if (strcmp(table->cells.item[i], row) == 0) {
            return table->cells.item[i + column];
        }
    }
    return NULL;
}

/* ---- threads ---- */

/* As in unit_trace_views.c: of 1000 ticks the bench 110, the worker 200, a DPC 30, two interrupts
 * of 50, a page fault of 20; the rest is idle, except dispatch. */
static void build_threads(struct run_bench *bench)
{
    struct trace_builder trace;

    trace_builder_init(&trace, BEGIN, PACKET);
    TRACE_ADD(&trace, 1000, thread_is, 1, 0, 31, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&trace, 1000, thread_is, 0, 0, 0, THREAD_READY, WAIT_NONE);
    TRACE_ADD(&trace, 1010, thread_start, 2, 1, 10);
    TRACE_ADD(&trace, 1010, thread_ready, 2, 1);
    TRACE_ADD(&trace, 1100, thread_switch, 1, 2, WAIT(WAIT_JOIN));
    TRACE_ADD(&trace, 1150, fault_entry, 0x5000, FAULT_DEMAND_ZERO);
    TRACE_ADD(&trace, 1170, fault_exit, FAULT_DEMAND_ZERO);
    TRACE_ADD(&trace, 1200, thread_switch, 2, 0, WAIT(WAIT_SEMAPHORE));
    TRACE_ADD(&trace, 1500, isr_entry, 64);
    TRACE_ADD(&trace, 1520, dpc_queue, 1);
    TRACE_ADD(&trace, 1550, isr_exit, 64);
    TRACE_ADD(&trace, 1560, dpc_entry, 1);
    TRACE_ADD(&trace, 1575, thread_ready, 2, TRACE_BY(TRACE_BY_DPC, 1));
    TRACE_ADD(&trace, 1590, dpc_exit, 1);
    TRACE_ADD(&trace, 1600, thread_switch, 0, 2, STAY(WAIT_PREEMPTED));
    TRACE_ADD(&trace, 1620, isr_entry, 65);
    TRACE_ADD(&trace, 1670, isr_exit, 65);
    TRACE_ADD(&trace, 1760, thread_ready, 1, 2);
    TRACE_ADD(&trace, 1770, thread_switch, 2, 1, TRACE_WHY(WAIT_EXIT, THREAD_ENDED));
    TRACE_ADD(&trace, 1780, thread_switch, 1, 0, WAIT(WAIT_SLEEP));
    trace_builder_finish(&trace, 2000, bench);
    trace_builder_name(bench, "thread", 2, "worker");
    trace_builder_name(bench, "vector", 64, "lapic_timer");
    trace_builder_name(bench, "dpc", 1, "work");
}

struct expected_span {
    const char *lane, *state;
    double begin, end;
};

static bool has_span(const struct figure *figure, const struct expected_span *expected)
{
    for (size_t i = 0; i < figure->span_count; i++) {
        const struct figure_span *span = &figure->spans[i];

        if (strcmp(figure->lanes.item[span->lane], expected->lane) == 0 &&
            strcmp(figure->states.item[span->state], expected->state) == 0 &&
            fabs(span->begin * 1000 - expected->begin) < 0.001 &&
            fabs(span->end * 1000 - expected->end) < 0.001) {
            return true;
        }
    }
    fprintf(stderr, "no span of %s, %s, %g to %g\n", expected->lane, expected->state,
            expected->begin, expected->end);
    return false;
}

static void test_timeline(void)
{
    static const struct expected_span spans[] = {
        {"bench", "running", 0, 100},
        {"bench", "waiting", 100, 760},
        {"bench", "ready", 760, 770},
        {"bench", "running", 770, 780},
        {"bench", "waiting", 780, 1000},
        {"idle", "idle", 200, 600},
        {"idle", "idle", 780, 1000},
        {"worker", "ready", 10, 100},
        {"worker", "running", 100, 150},
        {"worker", "page fault", 150, 170},
        {"worker", "running", 170, 200},
        {"worker", "waiting", 200, 575},
        {"worker", "ready", 575, 600},
        {"worker", "running", 600, 770},
        {"interrupt lapic_timer", "interrupt", 500, 550},
        {"interrupt vector 41h", "interrupt", 620, 670},
        {"DPC work", "deferred call", 560, 590},
    };
    struct figures figures;
    struct run run;

    run_open(&run);
    build_threads(build_bench(&run, "b", 1));
    figures_init(&figures);
    figures_threads(&figures, &run);
    const struct figure *figure = figure_of(&figures, "b-threads");

    CHECK(figure != NULL && figure->kind == FIGURE_TIMELINE);
    CHECK_TEXT(figure->x.unit, "us");
    CHECK_EQUAL(figure->lanes.count, 6);
    CHECK_EQUAL(figure->span_count, sizeof(spans) / sizeof(spans[0]));
    for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
        CHECK(has_span(figure, &spans[i]));
    }
    figures_free(&figures);
    run_free(&run);
}

/* Two requests at once have two lanes beside the thread's; one that never came back is noted. */
static void test_disk_lanes(void)
{
    static const struct expected_span spans[] = {
        {"bench", "running", 0, 1000},
        {"disk model", "disk request", 100, 300},
        {"disk model, 2nd", "disk request", 200, 400},
        {"disk model", "the next one", 500, 1000},
    };
    struct trace_builder trace;
    struct figures figures;
    struct run run;

    run_open(&run);
    struct run_bench *bench = build_bench(&run, "b", 1);

    trace_builder_name(bench, "device", 0, "model");
    trace_builder_init(&trace, BEGIN, PACKET);
    TRACE_ADD(&trace, 1000, thread_is, 1, 0, 31, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&trace, 1100, block_issue, 0, 0, 0, 8, 1);
    TRACE_ADD(&trace, 1200, block_issue, 0, 1, 8, 8, 2);
    TRACE_ADD(&trace, 1300, block_complete, 0, 0, BLOCK_GOOD, 1);
    TRACE_ADD(&trace, 1400, block_complete, 0, 1, BLOCK_GOOD, 0);
    TRACE_ADD(&trace, 1500, block_issue, 0, 2, 8, 8, 1);
    trace_builder_finish(&trace, 2000, bench);
    figures_init(&figures);
    figures_threads(&figures, &run);
    const struct figure *figure = figure_of(&figures, "b-threads");

    CHECK_EQUAL(figure->lanes.count, 3);
    CHECK_EQUAL(figure->span_count, sizeof(spans) / sizeof(spans[0]));
    for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
        CHECK(has_span(figure, &spans[i]));
    }
    CHECK(strstr(figure->how, "; 1 without a completion are drawn up to the last known event"));
    CHECK_TEXT(cell(figure_of(&figures, "b-delays"), "disk model", 2), "2");
    CHECK_TEXT(cell(figure_of(&figures, "b-delays"), "disk model", 4), "200.0 ns");
    figures_free(&figures);
    run_free(&run);
}

static void test_accounts(void)
{
    struct figures figures;
    struct run run;

    run_open(&run);
    build_threads(build_bench(&run, "b", 1));
    figures_init(&figures);
    figures_threads(&figures, &run);
    const struct figure *table = figure_of(&figures, "b-accounts");
    const struct figure *delays = figure_of(&figures, "b-delays");

    CHECK(table != NULL && delays != NULL);
    CHECK_TEXT(cell(table, "idle", 1), "520");
    CHECK_TEXT(cell(table, "thread worker", 3), "20.00 %");
    CHECK_TEXT(cell(table, "page faults", 1), "20");
    CHECK_TEXT(cell(table, "interrupt lapic_timer", 2), "50.00 ns");
    CHECK_TEXT(cell(table, "elapsed", 1), "1000");
    CHECK(cell(table, "unknown", 1) == NULL);
    /* Woken three times, one of them by its start: 90, 25 and the bench 10 ticks. */
    CHECK_TEXT(cell(delays, "thread worker", 2), "2");
    CHECK_TEXT(cell(delays, "thread worker", 5), "90.00 ns");
    CHECK_TEXT(cell(delays, "thread bench", 5), "10.00 ns");
    CHECK_TEXT(cell(delays, "DPC work", 3), "30.00 ns");
    CHECK(figure_of(&figures, "b-sampling") == NULL); /* no clock ticked */
    CHECK(figure_of(&figures, "b-busy") == NULL);     /* too short for intervals */
    figures_free(&figures);
    run_free(&run);
}

/* Where the time of all traced benches went: one bar of 100 %, by the accounts. */
static void test_whereabouts(void)
{
    static const struct {
        const char *state;
        double ticks;
    } parts[] = {
        {"threads 31 %", 310},
        {"page faults 2 %", 20},
        {"idle 52 %", 520},
    };
    struct figures figures;
    struct run run;
    double at = 0;
    size_t found = 0;

    run_open(&run);
    build_threads(build_bench(&run, "b", 1));
    build_threads(build_bench(&run, "c", 1));
    figures_init(&figures);
    figures_threads(&figures, &run);
    const struct figure *bar = figure_of(&figures, "key-time");

    CHECK(bar != NULL && bar->kind == FIGURE_TIMELINE);
    CHECK_TEXT(bar->section, FIGURE_SECTION_KEY);
    CHECK_TEXT(bar->lanes.item[0], "2 benches");
    for (size_t i = 0; i < bar->span_count; i++) {
        const struct figure_span *span = &bar->spans[i];

        CHECK(fabs(span->begin - at) < 1e-9);
        at = span->end;
        for (size_t k = 0; k < sizeof(parts) / sizeof(parts[0]); k++) {
            if (strcmp(bar->states.item[span->state], parts[k].state) == 0) {
                CHECK(fabs(span->end - span->begin - parts[k].ticks / 10) < 1e-9);
                found++;
            }
        }
    }
    CHECK(fabs(at - 100) < 1e-9);
    CHECK_EQUAL(found, sizeof(parts) / sizeof(parts[0]));
    figures_free(&figures);
    run_free(&run);
}

/* Two deferred calls of one name are two rows. */
static void test_names(void)
{
    char text[ACCOUNT_NAME_MAX];
    struct run run;

    run_open(&run);
    struct run_bench *bench = build_bench(&run, "b", 1);

    build_object(bench, "thread", 1, "input");
    build_object(bench, "dpc", 1, "input");
    build_object(bench, "dpc", 2, "input");
    build_object(bench, "dpc", 3, "other");
    CHECK_TEXT(account_name(bench, ACCOUNT_DPC, 1, text), "input");
    CHECK_TEXT(account_name(bench, ACCOUNT_DPC, 2, text), "input, 2");
    CHECK_TEXT(account_name(bench, ACCOUNT_DPC, 3, text), "other");
    CHECK_TEXT(account_name(bench, ACCOUNT_DPC, 4, text), "DPC 4");
    run_free(&run);
}

/* A thread that runs a tenth of the time, but whenever the clock ticks. */
static void test_sampling(void)
{
    struct trace_builder trace;
    struct figures figures;
    struct run run;

    run_open(&run);
    struct run_bench *bench = build_bench(&run, "b", 1);

    trace_builder_init(&trace, 0, PACKET);
    TRACE_ADD(&trace, 0, thread_is, 0, 0, 0, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&trace, 0, thread_is, 2, 0, 9, THREAD_WAITING, WAIT_SLEEP);
    for (uint64_t i = 0; i < 20; i++) {
        const uint64_t now = 1000 * i;

        TRACE_ADD(&trace, now + 100, thread_ready, 2, TRACE_BY(TRACE_BY_VECTOR, 64));
        TRACE_ADD(&trace, now + 100, thread_switch, 0, 2, STAY(WAIT_YIELD));
        TRACE_ADD(&trace, now + 150, tick, 2);
        TRACE_ADD(&trace, now + 200, thread_switch, 2, 0, WAIT(WAIT_SLEEP));
    }
    trace_builder_finish(&trace, 20000, bench);
    trace_builder_name(bench, "thread", 2, "sly");
    figures_init(&figures);
    figures_threads(&figures, &run);
    const struct figure *figure = figure_of(&figures, "b-sampling");

    CHECK(figure != NULL && figure->series_count == 2 && figure->groups.count == 2);
    for (size_t i = 0; figure != NULL && i < 2; i++) {
        const bool is_sly = strcmp(figure->groups.item[i], "sly") == 0;

        CHECK(fabs(figure->series[0].y[i] - (is_sly ? 100 : 0)) < 1e-9);
        CHECK(fabs(figure->series[1].y[i] - (is_sly ? 10 : 90)) < 1e-9);
    }
    figures_free(&figures);
    run_free(&run);
}

/* Of a packet that is lost nothing is drawn; of a second part what is in it follows the first. */
static void test_lost_and_second_part(void)
{
    static const struct expected_span first = {"bench", "running", 0, 100};
    static const struct expected_span third = {"bench", "running", 1000, 1500};
    struct trace_builder trace;
    struct figures figures;
    struct run run;

    run_open(&run);
    struct run_bench *bench = build_bench(&run, "b", 1);

    trace_builder_init(&trace, 5000, PACKET);
    TRACE_ADD(&trace, 5000, thread_is, 1, 0, 31, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&trace, 5100, mark, 1, 1);
    trace_builder_turn(&trace, 5100, 5100, 0);
    TRACE_ADD(&trace, 5200, mark, 1, 2);
    trace_builder_lose(&trace);
    trace_builder_turn(&trace, 5800, 5800, 0);
    TRACE_ADD(&trace, 5900, mark, 1, 3);
    trace_builder_finish(&trace, 6000, bench);
    trace_builder_init(&trace, 90000, PACKET);
    TRACE_ADD(&trace, 90000, thread_is, 1, 0, 31, THREAD_RUNNING, WAIT_NONE);
    trace_builder_finish(&trace, 90500, bench);
    figures_init(&figures);
    figures_threads(&figures, &run);
    const struct figure *figure = figure_of(&figures, "b-threads");

    CHECK(figure != NULL);
    CHECK_EQUAL(figure->span_count, 2);
    CHECK(has_span(figure, &first));
    CHECK(has_span(figure, &third));
    CHECK_TEXT(cell(figure_of(&figures, "b-accounts"), "unknown", 1), "900");
    figures_free(&figures);
    run_free(&run);
}

/* Threads that switch more often than any picture shows: few spans, and their times are kept. */
static void test_many_switches(void)
{
    const uint64_t switches = 100000;
    struct trace_builder trace;
    struct figures figures;
    struct run run;

    run_open(&run);
    struct run_bench *bench = build_bench(&run, "b", 1);

    trace_builder_init(&trace, 0, PACKET);
    TRACE_ADD(&trace, 0, thread_is, 0, 0, 0, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&trace, 0, thread_is, 2, 0, 9, THREAD_READY, WAIT_YIELD);
    for (uint64_t i = 1; i < switches; i++) {
        TRACE_ADD(&trace, 100 * i, thread_switch, 1 - i % 2 ? 2 : 0, i % 2 ? 2 : 0,
                  STAY(WAIT_YIELD));
    }
    trace_builder_finish(&trace, 100 * switches, bench);
    figures_init(&figures);
    figures_threads(&figures, &run);
    const struct figure *figure = figure_of(&figures, "b-threads");
    double last = 0;

    CHECK(figure != NULL && figure->span_count < 60000);
    for (size_t i = 0; i < figure->span_count; i++) {
        last = fmax(last, figure->spans[i].end);
    }
    CHECK(fabs(last - 10) < 1e-9); /* ms */
    CHECK_TEXT(cell(figure_of(&figures, "b-accounts"), "idle", 3), "50.00 %");
    figures_free(&figures);
    run_free(&run);
}

static void test_no_trace(void)
{
    struct figures figures;
    struct run run;

    run_open(&run);
    build_bench(&run, "plain", 1);
    struct run_bench *bench = build_bench(&run, "cut", 1);
    struct trace_builder trace;

    trace_builder_init(&trace, 0, PACKET);
    TRACE_ADD(&trace, 10, mark, 1, 1);
    trace_builder_lose(&trace);
    trace_builder_finish(&trace, 100, bench);
    figures_init(&figures);
    figures_threads(&figures, &run);
    CHECK_EQUAL(figures.count, 1);
    CHECK_EQUAL(figures.item[0].kind, FIGURE_ABSENT);
    CHECK_TEXT(figures.item[0].absent, "no event of its trace arrived");
    figures_free(&figures);
    run_free(&run);
}

/* ---- noise ---- */

static struct run_bench *build_gap(struct run *run, const int64_t *times, const int64_t *lengths,
                                   size_t n)
{
    static const int64_t bounds[] = {272, 304, 4096};
    static const int64_t counts[] = {9989, 10, 1};
    struct run_bench *bench = build_bench(run, "gap", 1);

    build_series(bench, "gap_time", NULL, NULL, times, n);
    build_series(bench, "gap_length", NULL, NULL, lengths, n);
    build_series(bench, "histogram_bound", NULL, NULL, bounds, 3);
    build_series(bench, "histogram_count", NULL, NULL, counts, 3);
    build_fact(bench, "elapsed", 2000000000);
    build_fact(bench, "dead", 0);
    build_fact(bench, "threshold", 1000);
    return bench;
}

static void test_no_gaps(void)
{
    static const int64_t none[1] = {0};
    struct figures figures;
    struct run run;

    run_open(&run);
    build_gap(&run, none, none, 0);
    figures_init(&figures);
    figures_noise(&figures, &run);
    /* -ln 0.05 / 2 s */
    CHECK_TEXT(cell(figure_of(&figures, "gap-rate"), "rate", 1),
               "none: fewer than 1.498 per s (95 % confidence)");
    CHECK_TEXT(figure_of(&figures, "gap-scatter")->absent,
               "there was no gap above the threshold; it is unknown which gaps were missed: the "
               "run has no curve of gap from bench sensitivity");
    CHECK_TEXT(figure_of(&figures, "gap")->absent, "there are too few gaps");
    const struct figure *histogram = figure_of(&figures, "gap-histogram");

    /* A bucket is a sixteenth of its octave: 272 to 288, 4096 to 4352. */
    CHECK(fabs(histogram->series[0].low[0] - 272) < 1e-9);
    CHECK(fabs(histogram->series[0].high[0] - 288) < 1e-9);
    CHECK(fabs(histogram->series[0].high[2] - 4352) < 1e-9);
    CHECK_EQUAL(histogram->series[0].y[1], 10);
    const struct figure *nines = figure_of(&figures, "gap-nines");

    CHECK(fabs(nines->series[0].y[0] - 1) < 1e-12);
    CHECK(fabs(nines->series[0].y[1] - 11e-4) < 1e-12);
    CHECK(fabs(nines->series[0].y[2] - 1e-4) < 1e-12);
    CHECK(fabs(nines->series[1].y[2] - 4224.0 / (9989 * 280 + 10 * 312 + 4224)) < 1e-12);
    figures_free(&figures);
    run_free(&run);
}

/* 500 gaps of 2000 ticks, one each 4 ms; one of 50000 ticks. */
static void test_gaps(void)
{
    static int64_t times[501];
    static int64_t lengths[501];
    struct figures figures;
    struct run run;

    for (size_t i = 0; i < 500; i++) {
        times[i] = 1000000 + 4000000 * (int64_t)i;
        lengths[i] = 2000;
    }
    times[500] = 1999000000;
    lengths[500] = 50000;
    run_open(&run);
    build_gap(&run, times, lengths, 501);
    figures_init(&figures);
    figures_noise(&figures, &run);
    const struct figure *rate = figure_of(&figures, "gap-rate");
    const struct figure *periods = figure_of(&figures, "gap-periods");
    const struct figure *scatter = figure_of(&figures, "gap-scatter");

    /* Means m of which P(501 or more) and P(501 or fewer) are 2.5 %, by sums of the Poisson
     * distribution: 458.08 and 546.85 in 2 s. */
    CHECK_TEXT(cell(rate, "rate", 1), "250.5 per s (229 to 273.4 at 95 %, Poisson)");
    CHECK_TEXT(cell(rate, "longest", 1), "50.00 us");
    CHECK_TEXT(cell(rate, "which began at", 1), "1.999 s");
    CHECK_EQUAL(scatter->series[0].n, 501);
    CHECK(periods != NULL && periods->kind == FIGURE_TABLE);
    CHECK_TEXT(cell(periods, "gaps", 1), "4.000 ms");
    CHECK_TEXT(cell(periods, "gaps", 2), "250 Hz");
    CHECK_TEXT(cell(periods, "gaps", 3), "95.2 %"); /* 500 x 2000 of 1050000 */
    CHECK_EQUAL(figure_of(&figures, "gap-spectrum-gaps")->series_count, 2);
    figures_free(&figures);
    run_free(&run);
}

/* ---- counters ---- */

static void test_counters(void)
{
    static const int64_t ticks[] = {100, 100, 100};
    static const int64_t instructions[] = {1001, 1003, 1002};
    static const int64_t cycles[] = {2004, 2004, 2004};
    static const int64_t misses[] = {0, 7, 3};
    struct figures figures;
    struct run run;

    run_open(&run);
    struct run_bench *kernels = build_bench(&run, "counters", 1);
    struct run_bench *first = build_bench(&run, "idle", 1);
    struct run_bench *second = build_bench(&run, "idle", 2);

    build_series(kernels, "adds", NULL, NULL, ticks, 3);
    build_series(kernels, "adds.instructions", "adds", "instructions", instructions, 3);
    build_fact(kernels, "adds.instructions.expected", 1000);
    build_series(first, "floor", NULL, NULL, ticks, 3);
    build_series(first, "floor.instructions", "floor", "instructions", instructions, 3);
    build_series(first, "floor.cycles", "floor", "cycles", cycles, 3);
    build_series(second, "floor", NULL, NULL, ticks, 3);
    build_series(second, "floor.dtlb-misses", "floor", "dtlb-misses", misses, 3);
    figures_init(&figures);
    figures_counters(&figures, &run);
    const struct figure *bars = figure_of(&figures, "idle-counts");

    CHECK(bars != NULL && bars->groups.count == 3 && bars->series_count == 1);
    CHECK_TEXT(bars->series[0].name, "floor");
    CHECK_TEXT(bars->groups.item[2], "dtlb-misses");
    CHECK_EQUAL(bars->series[0].y[0], 1002);
    CHECK_EQUAL(bars->series[0].low[0], 1001);
    CHECK_EQUAL(bars->series[0].high[2], 7);
    CHECK(bars->y.logarithmic);
    const struct figure *answers = figure_of(&figures, "counters-answers");

    CHECK_TEXT(cell(answers, "adds", 2), "1000");
    CHECK_TEXT(cell(answers, "adds", 3), "1002");
    CHECK_TEXT(cell(answers, "adds", 5), "+0.200 %");
    const struct figure *ratios = figure_of(&figures, "counts-ratios");

    CHECK_TEXT(cell(ratios, "idle, run 1", 2), "instructions per cycle");
    CHECK_TEXT(cell(ratios, "idle, run 1", 3), "0.5000");
    CHECK(figure_of(&figures, "counters-truth") != NULL);
    figures_free(&figures);
    run_free(&run);
}

int main(void)
{
    RUN(test_timeline());
    RUN(test_disk_lanes());
    RUN(test_accounts());
    RUN(test_whereabouts());
    RUN(test_names());
    RUN(test_sampling());
    RUN(test_lost_and_second_part());
    RUN(test_many_switches());
    RUN(test_no_trace());
    RUN(test_no_gaps());
    RUN(test_gaps());
    RUN(test_counters());
    return unit_finish("unit_figures_trace");
}
