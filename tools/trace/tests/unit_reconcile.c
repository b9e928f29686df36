/* SPDX-License-Identifier: BSD-2-Clause */
/* The idle loop against the trace of the same time. */
#include "tools/trace/reconcile.h"

#include <math.h>

#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/tests/support/unit.h"

#define PACKET 4096
#define BEGIN  1000

/* What a test has at hand. */
struct bed {
    struct run run;
    struct run_bench *bench;
    struct trace_builder trace;
    struct reconcile reconcile;
};

/* The idle thread runs from the begin. */
static void bed_open(struct bed *bed)
{
    memset(bed, 0, sizeof(*bed));
    run_init(&bed->run);
    bed->bench = build_bench(&bed->run, "b", 1);
    trace_builder_init(&bed->trace, BEGIN, PACKET);
    TRACE_ADD(&bed->trace, BEGIN, thread_is, 0, 0, 0, THREAD_RUNNING, WAIT_NONE);
}

/* An interrupt of that length. */
static void interrupt(struct bed *bed, uint64_t at, uint64_t ticks)
{
    TRACE_ADD(&bed->trace, at, isr_entry, 64);
    TRACE_ADD(&bed->trace, at + ticks, isr_exit, 64);
}

static void bed_read(struct bed *bed)
{
    struct accounting accounting;

    reconcile_init(&bed->reconcile, bed->bench);
    const struct account_observer observer = reconcile_observer(&bed->reconcile);

    CHECK(bed->reconcile.present);
    CHECK(accounting_read(&accounting, bed->bench, &observer, 1));
    accounting_free(&accounting);
}

static void bed_close(struct bed *bed)
{
    run_free(&bed->run);
}

static void check_class(const struct reconcile_class *class, uint64_t n, int64_t elongation,
                        int64_t predicted, int64_t largest, uint64_t within)
{
    CHECK_EQUAL(class->n, n);
    CHECK_EQUAL(class->elongation, elongation);
    CHECK_EQUAL(class->predicted, predicted);
    CHECK_EQUAL(class->largest, largest);
    CHECK_EQUAL(class->within, within);
}

/*
 * Samples of 100 ticks from 1050 on; an iteration is 4.
 *
 *     0  1050-1150  100  nothing
 *     1  1150-1290  140  an interrupt of 40
 *     2  1290-1420  130  an interrupt of 25: 5 too long
 *     3  1420-1550  130  two, of 10 and 20
 *     4  1550-1647   97  nothing: 3 too short, and so the shortest
 */
static const int64_t samples[] = {100, 140, 130, 130, 97};

static void build(struct bed *bed)
{
    interrupt(bed, 1200, 40);
    interrupt(bed, 1300, 25);
    interrupt(bed, 1430, 10);
    interrupt(bed, 1500, 20);
    build_series(bed->bench, "idle", NULL, NULL, samples, 5);
    build_fact(bed->bench, "idle_origin", 50);
    build_fact(bed->bench, "iteration_millitick", 3500); /* an error of 4 is within */
}

static void test_samples(void)
{
    struct reconcile_class total;
    struct bed bed;

    bed_open(&bed);
    build(&bed);
    trace_builder_finish(&bed.trace, 2000, bed.bench);
    bed_read(&bed);
    CHECK_EQUAL(bed.reconcile.shortest, 97);
    check_class(&bed.reconcile.quiet, 2, 3 + 0, 0, 3, 2);
    check_class(&bed.reconcile.single, 2, 43 + 33, 40 + 25, 8, 1);
    CHECK_EQUAL(bed.reconcile.single.largest_at, 2);
    check_class(&bed.reconcile.several, 1, 33, 30, 3, 1);
    reconcile_total(&bed.reconcile, &total);
    check_class(&total, 5, 112, 95, 8, 4);
    CHECK_EQUAL(total.largest_at, 2);
    CHECK_EQUAL(reconcile_outside(&bed.reconcile), 0);
    CHECK_EQUAL(bed.reconcile.behind, 353);
    CHECK(reconcile_lacks_end(&bed.reconcile));
    CHECK(fabs(reconcile_iterations(&bed.reconcile, 7) - 2) < 1e-9);
    bed_close(&bed);
}

/* The loop runs on processor 0; another thread runs on processor 1 all the time. */
static void test_processors(void)
{
    struct reconcile_class total;
    struct trace_builder other;
    struct bed bed;

    bed_open(&bed);
    bed.trace.part = 1;
    trace_builder_init(&other, BEGIN, PACKET);
    other.cpu = 1;
    other.part = 1;
    TRACE_ADD(&other, BEGIN, thread_is, 2, 0, 9, THREAD_RUNNING, WAIT_NONE);
    for (uint64_t at = 1100; at < 1900; at += 70) {
        TRACE_ADD(&other, at, tick, 2);
    }
    build(&bed);
    trace_builder_finish(&bed.trace, 2000, bed.bench);
    trace_builder_finish(&other, 3000, bed.bench);
    bed_read(&bed);
    check_class(&bed.reconcile.quiet, 2, 3 + 0, 0, 3, 2);
    check_class(&bed.reconcile.single, 2, 43 + 33, 40 + 25, 8, 1);
    check_class(&bed.reconcile.several, 1, 33, 30, 3, 1);
    reconcile_total(&bed.reconcile, &total);
    check_class(&total, 5, 112, 95, 8, 4);
    CHECK_EQUAL(reconcile_outside(&bed.reconcile), 0);
    CHECK_EQUAL(bed.reconcile.behind, 353);
    bed_close(&bed);
}

/* The calibration saw a shorter one. */
static void test_calibrated(void)
{
    struct bed bed;

    bed_open(&bed);
    build(&bed);
    build_fact(bed.bench, "sample_ticks", 95);
    trace_builder_finish(&bed.trace, 2000, bed.bench);
    bed_read(&bed);
    CHECK_EQUAL(bed.reconcile.shortest, 95);
    check_class(&bed.reconcile.quiet, 2, 5 + 2, 0, 5, 1);
    bed_close(&bed);

    bed_open(&bed);
    build(&bed);
    build_fact(bed.bench, "sample_ticks", 98);
    trace_builder_finish(&bed.trace, 2000, bed.bench);
    bed_read(&bed);
    CHECK_EQUAL(bed.reconcile.shortest, 97);
    bed_close(&bed);
}

/* Samples of real time, where nothing disturbed any: the shortest tenth, 98 and 99, spread over 1,
 * and what is up to 5 of that and an iteration longer than the shortest is within. */
static void test_spread(void)
{
    static const int64_t lengths[] = {100, 104, 98,  99,  107, 110, 101, 113, 103, 102,
                                      105, 106, 108, 109, 111, 112, 100, 104, 103, 105};
    struct accounting accounting;
    struct bed bed;

    bed_open(&bed);
    build_series(bed.bench, "idle", NULL, NULL, lengths, 20);
    build_fact(bed.bench, "idle_origin", 50);
    build_fact(bed.bench, "iteration_millitick", 400);
    trace_builder_finish(&bed.trace, 9000, bed.bench);
    reconcile_init(&bed.reconcile, bed.bench);
    CHECK_EQUAL(bed.reconcile.tolerance, 1);
    reconcile_allow_spread(&bed.reconcile);
    CHECK_EQUAL(bed.reconcile.tolerance, 6);
    const struct account_observer observer = reconcile_observer(&bed.reconcile);

    CHECK(accounting_read(&accounting, bed.bench, &observer, 1));
    accounting_free(&accounting);
    CHECK_EQUAL(bed.reconcile.quiet.n, 20);
    CHECK_EQUAL(bed.reconcile.quiet.within, 2);
    CHECK_EQUAL(bed.reconcile.quiet.near, 10);
    bed_close(&bed);
}

/* An episode across the end of a sample belongs to neither: both are compared as a whole. */
static void test_across(void)
{
    struct bed bed;

    bed_open(&bed);
    interrupt(&bed, 1140, 20);
    build_series(bed.bench, "idle", NULL, NULL, (int64_t[]){110, 110, 100, 100}, 4);
    build_fact(bed.bench, "idle_origin", 40);
    trace_builder_finish(&bed.trace, 2000, bed.bench);
    bed_read(&bed);
    check_class(&bed.reconcile.several, 2, 20, 20, 0, 2);
    check_class(&bed.reconcile.quiet, 2, 0, 0, 0, 2);
    CHECK(isnan(reconcile_iterations(&bed.reconcile, 1)));
    bed_close(&bed);
}

/* Samples before the trace, in a gap, and behind it are not compared. */
static void test_outside(void)
{
    struct bed bed;

    bed_open(&bed);
    interrupt(&bed, 1310, 20);
    TRACE_ADD(&bed.trace, 1395, mark, 0, 0);
    trace_builder_turn(&bed.trace, 1400, 1400, 0);
    TRACE_ADD(&bed.trace, 1420, mark, 0, 0);
    trace_builder_lose(&bed.trace);
    trace_builder_turn(&bed.trace, 1450, 1450, 0);
    TRACE_ADD(&bed.trace, 1460, thread_switch, 1, 0, TRACE_WHY(WAIT_SLEEP, THREAD_WAITING));
    /* 950-1050, -1150, -1250, -1350 (holds 1310-1330), -1450 and -1550 (gap), -1650, -1750. */
    build_series(bed.bench, "idle", NULL, NULL,
                 (int64_t[]){100, 100, 100, 100, 100, 100, 100, 100, 100}, 9);
    build_fact(bed.bench, "idle_origin", -50);
    trace_builder_finish(&bed.trace, 1700, bed.bench);
    bed_read(&bed);
    check_class(&bed.reconcile.quiet, 3, 0, 0, 0, 3);
    check_class(&bed.reconcile.single, 1, 0, 20, -20, 0);
    CHECK_EQUAL(bed.reconcile.several.n, 0);
    CHECK_EQUAL(reconcile_outside(&bed.reconcile), 5);
    bed_close(&bed);
}

/* A hole in the samples: what comes behind it has no place in time. */
static void test_hole(void)
{
    struct bed bed;

    bed_open(&bed);
    build(&bed);
    build_hole(run_find_series(bed.bench, "idle"), 2);
    trace_builder_finish(&bed.trace, 2000, bed.bench);
    bed_read(&bed);
    CHECK_EQUAL(bed.reconcile.quiet.n, 1);
    CHECK_EQUAL(bed.reconcile.single.n, 1);
    CHECK_EQUAL(reconcile_outside(&bed.reconcile), 3);
    bed_close(&bed);
}

/* Several parts: the origin counts from the first; samples between the parts are left out. */
static void test_parts(void)
{
    struct bed bed;

    bed_open(&bed);
    trace_builder_finish(&bed.trace, 1150, bed.bench);
    trace_builder_init(&bed.trace, 1200, PACKET);
    TRACE_ADD(&bed.trace, 1200, thread_is, 0, 0, 0, THREAD_RUNNING, WAIT_NONE);
    trace_builder_finish(&bed.trace, 1400, bed.bench);
    /* 1050-1150, -1250, -1350. */
    build_series(bed.bench, "idle", NULL, NULL, (int64_t[]){100, 100, 100}, 3);
    build_fact(bed.bench, "idle_origin", 1050 - BEGIN);
    bed_read(&bed);
    check_class(&bed.reconcile.quiet, 2, 0, 0, 0, 2);
    CHECK_EQUAL(reconcile_outside(&bed.reconcile), 1);
    bed_close(&bed);
}

/* What it takes, and the reason where that is missing. */
static void test_absent(void)
{
    struct bed bed;

    bed_open(&bed);
    build_series(bed.bench, "idle", NULL, NULL, samples, 5);
    trace_builder_finish(&bed.trace, 2000, bed.bench);
    reconcile_init(&bed.reconcile, bed.bench);
    CHECK(!bed.reconcile.present);
    CHECK(bed.reconcile.why == NULL); /* it does not try to */
    bed_close(&bed);

    bed_open(&bed);
    build_fact(bed.bench, "idle_origin", 50);
    trace_builder_finish(&bed.trace, 2000, bed.bench);
    reconcile_init(&bed.reconcile, bed.bench);
    CHECK(!bed.reconcile.present);
    CHECK(bed.reconcile.why != NULL);
    bed_close(&bed);

    bed_open(&bed);
    build_fact(bed.bench, "idle_origin", 50);
    build_series(bed.bench, "idle", NULL, NULL, (int64_t[]){100, -1}, 2);
    trace_builder_finish(&bed.trace, 2000, bed.bench);
    reconcile_init(&bed.reconcile, bed.bench);
    CHECK(!bed.reconcile.present);
    CHECK(bed.reconcile.why != NULL);
    bed_close(&bed);
}

int main(void)
{
    RUN(test_samples());
    RUN(test_processors());
    RUN(test_calibrated());
    RUN(test_spread());
    RUN(test_across());
    RUN(test_outside());
    RUN(test_hole());
    RUN(test_parts());
    RUN(test_absent());
    return unit_finish("unit_reconcile");
}
