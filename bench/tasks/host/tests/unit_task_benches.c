/* SPDX-License-Identifier: BSD-2-Clause */
/* The benches of threads: what is made of traces and facts put together by hand. */
#include <math.h>

#include "bench/tasks/host/task_benches.h"
#include "kernel/trace/trace.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/tests/support/unit.h"

#define PACKET 4096
#define BEGIN  1000

struct bed {
    struct run run;
    struct run_bench *bench;
    struct trace_builder trace;
};

static void bed_open(struct bed *bed)
{
    memset(bed, 0, sizeof(*bed));
    run_init(&bed->run);
    bed->bench = build_bench(&bed->run, "b", 1);
    trace_builder_init(&bed->trace, BEGIN, PACKET);
}

static bool near(double left, double right)
{
    return fabs(left - right) < 1e-12;
}

static const uint8_t sleeping = TRACE_WHY(WAIT_SLEEP, THREAD_WAITING);

/* ---- switches ---- */

static void name_marks(struct run_bench *bench)
{
    trace_builder_name(bench, "mark", 0, "message");
    trace_builder_name(bench, "mark", 1, "yield");
    trace_builder_name(bench, "mark", 2, "end");
    trace_builder_name(bench, "mark", 3, "message"); /* of another session */
    build_fact(bench, "switches_message", 2);
    build_fact(bench, "late_message", 0);
    build_fact(bench, "switches_yield", 4);
    build_fact(bench, "late_yield", 1);
}

static void test_switches(void)
{
    struct switch_phase phases[TASK_MARKS_MAX];
    struct bed bed;

    bed_open(&bed);
    name_marks(bed.bench);
    TRACE_ADD(&bed.trace, 1010, thread_switch, 1, 2, sleeping); /* before any mark */
    TRACE_ADD(&bed.trace, 1020, mark, 0, 64);
    TRACE_ADD(&bed.trace, 1030, thread_switch, 2, 3, sleeping);
    TRACE_ADD(&bed.trace, 1040, thread_ready, 2, 3);
    TRACE_ADD(&bed.trace, 1050, thread_switch, 3, 2, sleeping);
    TRACE_ADD(&bed.trace, 1070, mark, 2, 1);
    TRACE_ADD(&bed.trace, 1080, thread_switch, 2, 1, sleeping); /* behind it */
    TRACE_ADD(&bed.trace, 1085, mark, 9, 7);                    /* of no name */
    TRACE_ADD(&bed.trace, 1090, mark, 1, 2);
    TRACE_ADD(&bed.trace, 1100, thread_switch, 1, 2, sleeping);
    trace_builder_finish(&bed.trace, 1200, bed.bench);
    /* The second way goes on in another part. */
    trace_builder_init(&bed.trace, 2000, PACKET);
    TRACE_ADD(&bed.trace, 2010, thread_switch, 2, 1, sleeping);
    trace_builder_turn(&bed.trace, 2020, 2020, 0);
    trace_builder_lose(&bed.trace);
    trace_builder_turn(&bed.trace, 2030, 2030, 0);
    TRACE_ADD(&bed.trace, 2040, mark, 2, 1);
    TRACE_ADD(&bed.trace, 2050, mark, 0, 64); /* never ends */
    trace_builder_finish(&bed.trace, 2200, bed.bench);

    CHECK_EQUAL(task_switch_phases(bed.bench, phases), 2);
    CHECK_TEXT(phases[0].way, "message");
    CHECK_EQUAL(phases[0].threads, 64);
    CHECK_EQUAL(phases[0].switches, 2);
    CHECK_EQUAL(phases[0].ticks, 50);
    CHECK_EQUAL(phases[0].lost, 0);
    CHECK_EQUAL(phases[0].expected, 2);
    CHECK_TEXT(phases[1].way, "yield");
    CHECK_EQUAL(phases[1].switches, 2);
    CHECK_EQUAL(phases[1].lost, 1);
    CHECK_EQUAL(phases[1].expected, 4);
    CHECK_EQUAL(phases[1].late, 1);
    run_free(&bed.run);
}

/* A switch is of the way whose thread made it, whatever marks are left. */
static void test_switches_without_marks(void)
{
    struct switch_phase phases[TASK_MARKS_MAX];
    struct bed bed;

    bed_open(&bed);
    name_marks(bed.bench);
    trace_builder_name(bed.bench, "thread", 2, "message 0");
    trace_builder_name(bed.bench, "thread", 3, "message 1");
    trace_builder_name(bed.bench, "thread", 4, "yield 0");
    trace_builder_name(bed.bench, "thread", 5, "yield 1");
    TRACE_ADD(&bed.trace, 1010, thread_switch, 2, 3, sleeping); /* no round */
    TRACE_ADD(&bed.trace, 1020, mark, 0, 2);
    TRACE_ADD(&bed.trace, 1030, thread_switch, 2, 3, sleeping);
    TRACE_ADD(&bed.trace, 1040, thread_switch, 3, 0, sleeping);
    TRACE_ADD(&bed.trace, 1050, thread_switch, 0, 2, sleeping); /* to the way's, from idle */
    TRACE_ADD(&bed.trace, 1060, thread_switch, 0, 1, sleeping); /* of no way */
    trace_builder_turn(&bed.trace, 1100, 1100, 0);
    trace_builder_lose(&bed.trace); /* the end, and the mark of the next way */
    trace_builder_turn(&bed.trace, 1200, 1200, 0);
    TRACE_ADD(&bed.trace, 1210, thread_switch, 4, 5, sleeping);
    TRACE_ADD(&bed.trace, 1220, thread_switch, 5, 4, sleeping);
    trace_builder_finish(&bed.trace, 1300, bed.bench);

    CHECK_EQUAL(task_switch_phases(bed.bench, phases), 2);
    CHECK_TEXT(phases[0].way, "message");
    CHECK_EQUAL(phases[0].switches, 3);
    CHECK_EQUAL(phases[0].lost, 1);
    CHECK_EQUAL(phases[0].ticks, 0);
    CHECK_TEXT(phases[1].way, "yield");
    CHECK_EQUAL(phases[1].switches, 2);
    CHECK_EQUAL(phases[1].threads, 0);
    CHECK_EQUAL(phases[1].lost, 1);
    run_free(&bed.run);
}

/* ---- aliasing ---- */

/* Two periods of 1000 ticks: each thread works 500 of each; the tick charges only the second. */
static void build_aliasing(struct bed *bed)
{
    bed_open(bed);
    trace_builder_name(bed->bench, "thread", 2, "hidden");
    trace_builder_name(bed->bench, "thread", 3, "seen");
    build_fact(bed->bench, "tick_period", 1000);
    build_fact(bed->bench, "work_ticks", 499);
    build_series(bed->bench, "hidden", NULL, NULL, (int64_t[]){500, 502}, 2);
    build_series(bed->bench, "seen", NULL, NULL, (int64_t[]){510, 510}, 2);
    TRACE_ADD(&bed->trace, 1000, thread_switch, 3, 0, sleeping);
    for (uint64_t i = 0; i < 2; i++) {
        TRACE_ADD(&bed->trace, 1100 + 1000 * i, thread_switch, 0, 2,
                  TRACE_WHY(WAIT_PREEMPTED, THREAD_READY));
        TRACE_ADD(&bed->trace, 1600 + 1000 * i, thread_switch, 2, 0, sleeping);
    }
    for (uint64_t i = 0; i < 2; i++) {
        TRACE_ADD(&bed->trace, 3700 + 1000 * i, thread_switch, 0, 3,
                  TRACE_WHY(WAIT_PREEMPTED, THREAD_READY));
        TRACE_ADD(&bed->trace, 4000 + 1000 * i, tick, 3);
        TRACE_ADD(&bed->trace, 4201 + 1000 * i, thread_switch, 3, 0, sleeping);
    }
}

static void test_aliasing(void)
{
    struct aliased_thread threads[ALIASED_THREADS];
    const char *why = NULL;
    struct bed bed;

    build_aliasing(&bed);
    CHECK(!task_aliased_threads(bed.bench, threads, &why));
    CHECK_TEXT(why, "the run has no trace");
    trace_builder_finish(&bed.trace, 6000, bed.bench);
    CHECK(task_aliased_threads(bed.bench, threads, &why));
    CHECK_TEXT(threads[0].name, "hidden");
    CHECK(near(threads[0].truth, 0.499));
    CHECK(near(threads[0].by_itself, 0.501));
    CHECK(near(threads[0].by_events, 0.5));
    CHECK(near(threads[0].by_samples, 0));
    CHECK(near(threads[1].by_itself, 0.51));
    CHECK(near(threads[1].by_events, 0.501));
    CHECK(near(threads[1].by_samples, 1));
    build_hole(run_find_series(bed.bench, "seen"), 0);
    CHECK(!task_aliased_threads(bed.bench, threads, &why));
    CHECK_TEXT(why, "threads \"hidden\" and \"seen\", or their samples, are missing");
    run_free(&bed.run);
}

static void test_aliasing_lost(void)
{
    struct aliased_thread threads[ALIASED_THREADS];
    const char *why = NULL;
    struct bed bed;

    build_aliasing(&bed);
    trace_builder_turn(&bed.trace, 5300, 5300, 0);
    trace_builder_lose(&bed.trace);
    trace_builder_finish(&bed.trace, 6000, bed.bench);
    CHECK(!task_aliased_threads(bed.bench, threads, &why));
    CHECK_TEXT(why, "parts of the trace are missing");
    run_free(&bed.run);
}

/* ---- inversion ---- */

static void test_inversion(void)
{
    struct inverted_wait waits[INVERTED_WAITS];
    struct bed bed;

    bed_open(&bed);
    trace_builder_name(bed.bench, "thread", 2, "plain low");
    trace_builder_name(bed.bench, "thread", 3, "plain high");
    build_fact(bed.bench, "plain_expected", 90);
    build_fact(bed.bench, "plain_observed", 105);
    build_fact(bed.bench, "chain_expected", 50);
    build_fact(bed.bench, "chain_observed", 51);
    TRACE_ADD(&bed.trace, 1000, thread_start, 3, 0, 15);
    TRACE_ADD(&bed.trace, 1001, thread_switch, 2, 3, TRACE_WHY(WAIT_PREEMPTED, THREAD_READY));
    TRACE_ADD(&bed.trace, 1010, thread_switch, 3, 2, TRACE_WHY(WAIT_MUTEX, THREAD_WAITING));
    TRACE_ADD(&bed.trace, 1110, thread_ready, 3, 2);
    TRACE_ADD(&bed.trace, 1113, thread_switch, 2, 3, TRACE_WHY(WAIT_OVERTAKEN, THREAD_READY));
    trace_builder_finish(&bed.trace, 1200, bed.bench);

    CHECK_EQUAL(task_inverted_waits(bed.bench, waits), 2);
    CHECK_TEXT(waits[0].variant, "plain");
    CHECK_EQUAL(waits[0].expected, 90);
    CHECK_EQUAL(waits[0].observed, 105);
    CHECK(waits[0].has_traced);
    CHECK_EQUAL(waits[0].traced, 100);
    CHECK_EQUAL(waits[0].observed_error, 15);
    CHECK_EQUAL(waits[0].traced_error, 10);
    CHECK_TEXT(waits[1].variant, "chain");
    CHECK(!waits[1].has_traced);
    run_free(&bed.run);
}

/* ---- overload ---- */

#define MARKS 500

/* `made` marks between two records before and one behind. The first part discards the last 200 of
 * all records, the second overwrites its first packet. */
static void build_overload(struct bed *bed, int64_t made)
{
    bed_open(bed);
    trace_builder_name(bed->bench, "mark", 0, "produced");
    build_fact(bed->bench, "produced_stop", made);
    build_fact(bed->bench, "produced_overwrite", made);
    TRACE_ADD(&bed->trace, 1001, thread_ready, 1, 1);
    TRACE_ADD(&bed->trace, 1002, thread_switch, 1, 2, sleeping);
    for (uint64_t i = 0; i < MARKS - 199; i++) {
        TRACE_ADD(&bed->trace, 1010 + i, mark, 0, i);
    }
    trace_builder_discard(&bed->trace, 200);
    trace_builder_finish(&bed->trace, 5000, bed->bench);

    trace_builder_init(&bed->trace, 6000, PACKET);
    TRACE_ADD(&bed->trace, 6001, thread_ready, 1, 1);
    TRACE_ADD(&bed->trace, 6002, thread_switch, 1, 2, sleeping);
    for (uint64_t i = 0; i < MARKS; i++) {
        if (i == 100) {
            trace_builder_overwrite(&bed->trace);
            trace_builder_turn(&bed->trace, 6109, 6109, 0);
        }
        TRACE_ADD(&bed->trace, 6010 + i, mark, 0, i);
    }
    TRACE_ADD(&bed->trace, 7000, thread_switch, 2, 1, sleeping);
    trace_builder_finish(&bed->trace, 8000, bed->bench);
}

static void test_overload(void)
{
    struct overload overload;
    const char *why = NULL;
    struct bed bed;

    build_overload(&bed, MARKS);
    CHECK(task_overload(bed.bench, &overload, &why));
    CHECK_EQUAL(overload.before, 2);
    CHECK_EQUAL(overload.behind, 1);
    for (size_t i = 0; i < OVERLOAD_PARTS; i++) {
        CHECK_EQUAL(overload.part[i].produced, MARKS);
        CHECK_EQUAL(overload.part[i].unaccounted, 0);
    }
    CHECK_EQUAL(overload.part[0].marks, MARKS - 199);
    CHECK_EQUAL(overload.part[0].discarded, 200);
    CHECK_EQUAL(overload.part[1].marks, MARKS - 100);
    CHECK_EQUAL(overload.part[1].overwritten, 102);
    run_free(&bed.run);

    build_overload(&bed, MARKS + 3); /* three marks vanished */
    CHECK(task_overload(bed.bench, &overload, &why));
    CHECK_EQUAL(overload.part[0].unaccounted, -3);
    CHECK_EQUAL(overload.part[1].unaccounted, -3);
    run_free(&bed.run);
}

static void test_overload_missing(void)
{
    struct overload overload;
    const char *why = NULL;
    struct bed bed;

    bed_open(&bed);
    CHECK(!task_overload(bed.bench, &overload, &why));
    CHECK_TEXT(why, "the trace does not have two parts");
    for (uint64_t i = 0; i < OVERLOAD_PARTS; i++) {
        if (i > 0) {
            trace_builder_init(&bed.trace, 2000, PACKET);
        }
        TRACE_ADD(&bed.trace, 2001, thread_ready, 1, 1);
        trace_builder_finish(&bed.trace, 3000, bed.bench);
    }
    CHECK(!task_overload(bed.bench, &overload, &why));
    CHECK_TEXT(why, "a part of the trace contains no mark");
    run_free(&bed.run);
}

int main(void)
{
    RUN(test_switches());
    RUN(test_switches_without_marks());
    RUN(test_aliasing());
    RUN(test_aliasing_lost());
    RUN(test_inversion());
    RUN(test_overload());
    RUN(test_overload_missing());
    return unit_finish("unit_task_benches");
}
