/* SPDX-License-Identifier: BSD-2-Clause */
/* An animated event in samples of an idle loop that are made up. */
#include "bench/interactive/host/measure/stairs.h"

#include <math.h>
#include <stdlib.h>

#include "tools/base/alloc.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define SAMPLE    1000
#define THRESHOLD 50
#define WORKS_MAX 2000

/* Work that is to be done, by when it begins; what comes while other work is done waits for it. */
struct work {
    int64_t begin, ticks;
};

struct bed {
    struct work works[WORKS_MAX];
    size_t work_count;
    int64_t *samples;
    size_t n, capacity;
    struct stairs stairs;
};

static void add_work(struct bed *bed, int64_t begin, int64_t ticks)
{
    bed->works[bed->work_count++] = (struct work){begin, ticks};
}

static int by_begin(const void *left, const void *right)
{
    const struct work *a = left;
    const struct work *b = right;

    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/* Runs the idle loop until `end`: each sample is SAMPLE ticks of the loop, and all the work that
 * begins before it is over. */
static void run_loop(struct bed *bed, int64_t end)
{
    size_t next = 0;
    int64_t now = 0;

    qsort(bed->works, bed->work_count, sizeof(*bed->works), by_begin);
    while (now < end) {
        int64_t left = SAMPLE;
        const int64_t begin = now;

        while (next < bed->work_count && bed->works[next].begin < now + left) {
            const int64_t at = bed->works[next].begin > now ? bed->works[next].begin : now;

            left -= at - now;
            now = at + bed->works[next++].ticks;
        }
        now += left;
        bed->samples = alloc_grow(bed->samples, &bed->capacity, bed->n + 1, sizeof(*bed->samples));
        bed->samples[bed->n++] = now - begin;
    }
}

static void find(struct bed *bed, int64_t end)
{
    run_loop(bed, end);
    stairs_find(bed->samples, bed->n, SAMPLE, THRESHOLD, &bed->stairs);
}

static void bed_close(struct bed *bed)
{
    stairs_free(&bed->stairs);
    free(bed->samples);
}

#define INPUT_AT    33333
#define INPUT_TICKS 80000
#define PERIOD      10000
#define STEPS       20
#define FINAL_TICKS 45000

/* The paper's figure 4 in thousandths: 80 ms of work, steps that a clock of 10 ms paces, each
 * `growth` longer than the last, and the redraw with the next tick. */
static int64_t add_maximize(struct bed *bed, int64_t period, size_t steps, int64_t growth)
{
    int64_t at = (INPUT_AT + INPUT_TICKS) / period * period + period;

    add_work(bed, INPUT_AT, INPUT_TICKS);
    for (size_t i = 0; i < steps; i++, at += period) {
        add_work(bed, at, 1000 + growth * (int64_t)i);
    }
    add_work(bed, at, FINAL_TICKS);
    return at + FINAL_TICKS;
}

static void check_found(const struct bed *bed, double period, size_t steps)
{
    const struct stairs *stairs = &bed->stairs;

    CHECK(stairs->why == NULL);
    CHECK_EQUAL(stairs_count(stairs), steps);
    CHECK(fabs(stairs->period - period) <= 2.0 * SAMPLE / (double)(steps > 1 ? steps - 1 : 1));
    CHECK(stairs->alignment <= 1);
    CHECK_EQUAL(stairs->bursts[stairs->first].ticks, INPUT_TICKS);
    CHECK_EQUAL(stairs->bursts[stairs->last].ticks, FINAL_TICKS);
    /* Where a burst began is known to a sample. */
    CHECK(stairs->bursts[stairs->first].begin <= INPUT_AT &&
          stairs->bursts[stairs->first].begin > INPUT_AT - SAMPLE);
}

static void test_maximize(void)
{
    struct bed bed = {0};
    const int64_t end = add_maximize(&bed, PERIOD, STEPS, 200);

    find(&bed, end + 100000);
    check_found(&bed, PERIOD, STEPS);
    CHECK_EQUAL(bed.stairs.burst_count, STEPS + 2);
    CHECK(stairs_grow(&bed.stairs));
    CHECK_EQUAL(bed.stairs.longer, STEPS - 1);
    for (size_t i = 0; i < STEPS; i++) {
        const struct stair_burst *burst = &bed.stairs.bursts[i + 1];
        const int64_t at = 120000 + PERIOD * (int64_t)i;

        CHECK_EQUAL(burst->ticks, 1000 + 200 * (int64_t)i);
        CHECK_EQUAL(burst->samples, 1);
        CHECK(burst->begin <= at && at < burst->begin + SAMPLE);
    }
    bed_close(&bed);
}

/* Other periods, and clocks of which the application takes every second or third tick now. */
static void test_periods(void)
{
    static const int64_t periods[] = {4300, 7777, 16667, 25000};

    for (size_t i = 0; i < sizeof(periods) / sizeof(periods[0]); i++) {
        struct bed bed = {0};
        const int64_t end = add_maximize(&bed, periods[i], STEPS, 50);

        find(&bed, end + 100000);
        check_found(&bed, (double)periods[i], STEPS);
        bed_close(&bed);
    }
}

static void test_skipped_ticks(void)
{
    static const int64_t ticks[] = {20, 22, 24, 27, 30, 32, 34, 37, 39, 42};
    const size_t steps = sizeof(ticks) / sizeof(ticks[0]);
    struct bed bed = {0};

    add_work(&bed, INPUT_AT, INPUT_TICKS);
    for (size_t i = 0; i < steps; i++) {
        add_work(&bed, ticks[i] * PERIOD, 1000 + 100 * (int64_t)i);
    }
    add_work(&bed, 45 * PERIOD, FINAL_TICKS);
    find(&bed, 600000);
    check_found(&bed, PERIOD, steps); /* not the 20000 that its shortest distance is */
    bed_close(&bed);
}

/* Steps of one length, and of lengths that go up and down. */
static void test_not_growing(void)
{
    struct bed bed = {0};

    find(&bed, add_maximize(&bed, PERIOD, STEPS, 0) + 100000);
    check_found(&bed, PERIOD, STEPS);
    CHECK(!stairs_grow(&bed.stairs));
    CHECK_EQUAL(bed.stairs.longer, 0);
    bed_close(&bed);

    memset(&bed, 0, sizeof(bed));
    const int64_t end = add_maximize(&bed, PERIOD, STEPS, 200);

    bed.works[10].ticks = 1100;
    find(&bed, end + 100000);
    check_found(&bed, PERIOD, STEPS);
    CHECK(!stairs_grow(&bed.stairs));
    CHECK_EQUAL(bed.stairs.longer, STEPS - 2);
    bed_close(&bed);
}

/* Samples that vary by less than the threshold, and now and then other work, before and behind. */
static void test_noise(void)
{
    uint64_t random = 4711;

    for (unsigned round = 0; round < 20; round++) {
        struct bed bed = {0};
        const int64_t end = add_maximize(&bed, PERIOD, STEPS, 200);

        for (unsigned i = 0; i < 20; i++) {
            const int64_t ticks = 100 + (int64_t)(unit_random(&random) % 3000);
            const int64_t at = (int64_t)(unit_random(&random) % 30000);

            add_work(&bed, i % 2 == 0 ? at : end + 1000 + at, ticks);
        }
        run_loop(&bed, end + 100000);
        for (size_t i = 0; i < bed.n; i++) {
            bed.samples[i] += (int64_t)(unit_random(&random) % (THRESHOLD / 2));
        }
        stairs_find(bed.samples, bed.n, SAMPLE, THRESHOLD, &bed.stairs);
        CHECK(bed.stairs.why == NULL);
        CHECK_EQUAL(stairs_count(&bed.stairs), STEPS);
        CHECK(stairs_grow(&bed.stairs));
        CHECK(fabs(bed.stairs.period - PERIOD) <= 2.0 * SAMPLE / (STEPS - 1));
        bed_close(&bed);
    }
}

/* Nothing, one long burst, two with nothing between. */
static void test_none(void)
{
    struct bed bed = {0};

    find(&bed, 100000);
    CHECK(bed.stairs.why != NULL);
    CHECK_EQUAL(stairs_count(&bed.stairs), 0);
    CHECK(!stairs_grow(&bed.stairs));
    bed_close(&bed);

    memset(&bed, 0, sizeof(bed));
    add_work(&bed, INPUT_AT, INPUT_TICKS);
    add_work(&bed, 300000, FINAL_TICKS);
    find(&bed, 500000);
    CHECK_EQUAL(bed.stairs.burst_count, 2);
    CHECK(bed.stairs.why != NULL);
    bed_close(&bed);

    memset(&bed, 0, sizeof(bed));
    stairs_find(NULL, 0, 0, 0, &bed.stairs);
    CHECK(bed.stairs.why != NULL);
    bed_close(&bed);
}

/* A clock alone, with no busy periods around it; and too few of its ticks between two. */
static void test_clock_alone(void)
{
    struct bed bed = {0};

    for (int64_t i = 1; i < 50; i++) {
        add_work(&bed, i * PERIOD, 1000);
    }
    find(&bed, 600000);
    CHECK_EQUAL(bed.stairs.burst_count, 49);
    CHECK(bed.stairs.why != NULL);
    bed_close(&bed);

    memset(&bed, 0, sizeof(bed));
    find(&bed, add_maximize(&bed, PERIOD, 2, 200) + 100000);
    CHECK_EQUAL(bed.stairs.burst_count, 4);
    CHECK(bed.stairs.why != NULL);
    bed_close(&bed);
}

/* Bursts at any time between two busy periods are no stairs: less often than 1 in 100, though many
 * periods are tried. */
static void test_random(void)
{
    uint64_t random = 31;
    unsigned found = 0;

    for (unsigned round = 0; round < 2000; round++) {
        struct bed bed = {0};
        int64_t at = INPUT_AT + INPUT_TICKS;

        add_work(&bed, INPUT_AT, INPUT_TICKS);
        for (unsigned i = 0; i < 3 + round % 10; i++) {
            at += 6000 + (int64_t)(unit_random(&random) % 14000);
            add_work(&bed, at, 500 + (int64_t)(unit_random(&random) % 2000));
        }
        add_work(&bed, at + 12000, FINAL_TICKS);
        find(&bed, at + 100000);
        found += bed.stairs.why == NULL;
        bed_close(&bed);
    }

    CHECK(found < 2000 / 100);
}

/* Keys that come at one distance, each as much work as the others or a little more. */
static void test_keys(void)
{
    struct bed bed = {0};

    for (int64_t i = 1; i < 50; i++) {
        add_work(&bed, i * PERIOD, i % 17 == 0 ? 2010 : 2000);
    }
    find(&bed, 600000);
    CHECK(bed.stairs.why != NULL);
    bed_close(&bed);
}

/* Two animations: the one with more steps. A step is longer than the first busy period: no stair.
 */
static void test_two(void)
{
    struct bed bed = {0};

    add_maximize(&bed, PERIOD, STEPS, 200);
    add_work(&bed, 700000, INPUT_TICKS);
    for (int64_t i = 0; i < STEPS + 5; i++) {
        add_work(&bed, 800000 + i * PERIOD, 1000 + 10 * i);
    }
    add_work(&bed, 800000 + (STEPS + 5) * PERIOD, FINAL_TICKS + 1);
    find(&bed, 1200000);
    CHECK_EQUAL(stairs_count(&bed.stairs), STEPS + 5);
    CHECK_EQUAL(bed.stairs.bursts[bed.stairs.last].ticks, FINAL_TICKS + 1);
    bed_close(&bed);

    memset(&bed, 0, sizeof(bed));
    const int64_t end = add_maximize(&bed, 2 * INPUT_TICKS, 5, 10);

    bed.works[3].ticks = INPUT_TICKS + 1;
    find(&bed, end + 100000);
    CHECK(bed.stairs.why != NULL);
    bed_close(&bed);
}

/* ---- benches ---- */

static void test_bench(void)
{
    struct stairs_truth truth;
    struct bed bed = {0};
    struct run run;

    run_init(&run);
    struct run_bench *bench = build_bench(&run, "maximize", 1);

    stairs_of(bench, &bed.stairs);
    CHECK(bed.stairs.why != NULL);
    CHECK(!stairs_compare(&bed.stairs, bench, &truth));
    stairs_free(&bed.stairs);

    run_loop(&bed, add_maximize(&bed, PERIOD, STEPS, 200) + 100000);
    build_series(bench, "idle", NULL, NULL, bed.samples, bed.n);
    build_fact(bench, "idle_origin", 250);
    build_trace(bench, NULL, 0)->begin = 5000;
    stairs_of(bench, &bed.stairs);
    check_found(&bed, PERIOD, STEPS);
    CHECK_EQUAL(bed.stairs.shortest, SAMPLE);
    CHECK_EQUAL(bed.stairs.threshold, SAMPLE / 100 + 1);
    CHECK(!stairs_compare(&bed.stairs, bench, &truth)); /* it does not state */
    build_fact(bench, "clock_period", PERIOD);
    build_fact(bench, "clock_origin", 250 + 3 * PERIOD);
    CHECK(stairs_compare(&bed.stairs, bench, &truth));
    CHECK_EQUAL(truth.clock_period, PERIOD);
    CHECK(fabs(truth.period_error) <= 2.0 * SAMPLE / (STEPS - 1));
    CHECK(fabs(truth.phase_error) <= SAMPLE);
    bench->facts[2].value += PERIOD / 4; /* a quarter of a period off */
    CHECK(stairs_compare(&bed.stairs, bench, &truth));
    CHECK(fabs(truth.phase_error + PERIOD / 4.0) <= SAMPLE);
    bed_close(&bed);
    run_free(&run);
}

/* Short disturbances at any time, also between the stairs: a higher threshold is above them. */
static void test_disturbed_bench(void)
{
    uint64_t random = 815;
    struct bed bed = {0};
    struct run run;
    const int64_t end = add_maximize(&bed, PERIOD, STEPS, 200);

    for (unsigned i = 0; i < 100; i++) {
        add_work(&bed, (int64_t)(unit_random(&random) % (uint64_t)end),
                 20 + (int64_t)(unit_random(&random) % 200));
    }
    run_loop(&bed, end + 100000);
    run_init(&run);
    struct run_bench *bench = build_bench(&run, "maximize", 1);

    build_series(bench, "idle", NULL, NULL, bed.samples, bed.n);
    build_fact(bench, "idle_origin", 0);
    build_trace(bench, NULL, 0);
    stairs_of(bench, &bed.stairs);
    CHECK(bed.stairs.why == NULL);
    CHECK(bed.stairs.threshold > 200);
    CHECK_EQUAL(stairs_count(&bed.stairs), STEPS);
    CHECK(fabs(bed.stairs.period - PERIOD) <= 2.0 * SAMPLE / (STEPS - 1));
    bed_close(&bed);
    run_free(&run);
}

int main(void)
{
    RUN(test_maximize());
    RUN(test_periods());
    RUN(test_skipped_ticks());
    RUN(test_not_growing());
    RUN(test_noise());
    RUN(test_none());
    RUN(test_clock_alone());
    RUN(test_random());
    RUN(test_keys());
    RUN(test_two());
    RUN(test_bench());
    RUN(test_disturbed_bench());
    return unit_finish("unit_stairs");
}
