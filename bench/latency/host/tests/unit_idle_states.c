/* SPDX-License-Identifier: BSD-2-Clause */
/* States of bench cstate by the names of their series, and the settling of bench ramp. */
#include <math.h>

#include "bench/latency/host/idle_states.h"
#include "bench/latency/names.h"
#include "kernel/run/names.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- cstate ---- */

/* The names are kept, not copied. */
#define ADD_CURVE(bench, name, n) add_curve(bench, name, name SUFFIX_X, name SUFFIX_N, n)

static void add_curve(struct run_bench *bench, const char *name, const char *place,
                      const char *repetitions, size_t n)
{
    static const int64_t x[] = {20, 2500};
    static const int64_t ones[] = {1, 1};
    static const int64_t ticks[] = {5, 7, 6, 100, 300, 200};

    build_series(bench, name, NULL, NULL, ticks, n);
    build_series(bench, place, NULL, NULL, x, COUNT(x));
    build_series(bench, repetitions, NULL, NULL, ones, COUNT(ones));
}

static void test_states(void)
{
    struct run run;
    size_t count;
    char text[IDLE_SPAN_MAX];

    run_init(&run);
    struct run_bench *bench = build_bench(&run, BENCH_CSTATE, 1);

    ADD_CURVE(bench, "alone.hlt.0", 6);
    ADD_CURVE(bench, "together.mwait20.13", 6);
    ADD_CURVE(bench, "alone.mwait00.", 6); /* no number */
    ADD_CURVE(bench, "alone.hlt.1x", 6);
    ADD_CURVE(bench, "apart.hlt.0", 6);
    ADD_CURVE(bench, "alone.hlt.2", 5); /* not whole */
    build_fact(bench, "early.together.mwait20.13", 4);
    struct idle_state *states = idle_states_read(bench, &count);

    CHECK_EQUAL(count, 2);
    if (count != 2) {
        return;
    }
    CHECK_TEXT(states[0].name, "hlt");
    CHECK(!states[0].together && !states[0].has_early);
    CHECK_EQUAL(states[0].processor, 0);
    CHECK_TEXT(states[1].name, "mwait20");
    CHECK(states[1].together && states[1].has_early);
    CHECK_EQUAL(states[1].processor, 13);
    CHECK_EQUAL(states[1].early, 4);
    CHECK_EQUAL(states[1].curve.points, 2);
    CHECK(curve_median(&states[1].curve, 0) == 6);
    CHECK(curve_median(&states[1].curve, 1) == 200);
    CHECK_TEXT(idle_span_text(20, text), "20 us");
    CHECK_TEXT(idle_span_text(2500, text), "2.5 ms");
    idle_states_free(states, count);
    run_free(&run);
}

/* ---- ramp ---- */

#define PIECES 16

static struct ramp ramp_of(double speed[PIECES], double end[PIECES])
{
    struct ramp ramp = {.trials = 1, .pieces = PIECES, .speed = speed, .end = end};

    for (size_t i = 0; i < PIECES; i++) {
        end[i] = (double)(100 * (i + 1));
    }
    ramp_settle(&ramp);
    return ramp;
}

static void test_settling(void)
{
    double speed[PIECES], end[PIECES];

    for (size_t i = 0; i < PIECES; i++) {
        speed[i] = 1;
    }
    struct ramp ramp = ramp_of(speed, end);

    CHECK(ramp.has_settled && ramp.settled == 0 && ramp.lost == 0 && ramp.final == 1);
    /* A single piece that is off, later: it counts, and what is lost is its alone. */
    speed[5] = 0.5;
    ramp = ramp_of(speed, end);
    CHECK(ramp.has_settled && ramp.settled == 600);
    CHECK(fabs(ramp.lost - 50) < 1e-9);
    /* Just within 1 %, and just beyond, to either side. */
    speed[5] = 1.0099;
    ramp = ramp_of(speed, end);
    CHECK(ramp.settled == 0);
    speed[5] = 1.0101;
    ramp = ramp_of(speed, end);
    CHECK(ramp.settled == 600 && ramp.lost < 0);
    speed[5] = 0.9899;
    ramp = ramp_of(speed, end);
    CHECK(ramp.settled == 600);
    /* The last piece before the last quarter may be off, none in it. */
    speed[5] = 1;
    speed[11] = 0.5;
    ramp = ramp_of(speed, end);
    CHECK(ramp.has_settled && ramp.settled == 1200);
    speed[12] = 0.5;
    ramp = ramp_of(speed, end);
    CHECK(!ramp.has_settled && ramp.final == 1);
}

static void test_reading(void)
{
    static const int64_t work[] = {80, 80, 80, 80, 80, 80, 80, 80};
    static const int64_t at[] = {150, 250, 350, 450, 550, 650, 750, 850};
    static const int64_t aperf[] = {50, 150, 250, 350, 450, 550, 650, 750};
    struct ramp ramps[RAMP_STATES_MAX];
    struct run run;

    run_init(&run);
    struct run_bench *bench = build_bench(&run, BENCH_RAMP, 1);

    build_fact(bench, FACT_RAMP_PIECES, 8);
    build_series(bench, PREFIX_RAMP_WORK "hlt", NULL, NULL, work, COUNT(work));
    build_series(bench, PREFIX_RAMP_AT "hlt", NULL, NULL, at, COUNT(at));
    build_series(bench, PREFIX_RAMP_APERF "hlt", NULL, NULL, aperf, COUNT(aperf));
    build_series(bench, PREFIX_RAMP_WORK "pause", NULL, NULL, work, COUNT(work));
    build_series(bench, PREFIX_RAMP_AT "pause", NULL, NULL, at, COUNT(at));
    build_series(bench, PREFIX_RAMP_WORK "mwait00", NULL, NULL, work, COUNT(work)); /* no `at` */
    CHECK_EQUAL(ramps_read(bench, ramps), 2);
    CHECK_TEXT(ramps[0].state, "hlt");
    CHECK(ramps[0].by_aperf && ramps[0].final == 1);
    /* Its interval is the piece and what the readings take in all others: 80 and 20. */
    CHECK(ramps[0].speed[0] == 0.5);
    CHECK(ramps[0].settled == 150);
    CHECK(!ramps[1].by_aperf && ramps[1].speed[0] == 1 && ramps[1].settled == 0);
    ramp_free(&ramps[0]);
    ramp_free(&ramps[1]);
    run_free(&run);
}

int main(void)
{
    RUN(test_states());
    RUN(test_settling());
    RUN(test_reading());
    return unit_finish("unit_idle_states");
}
