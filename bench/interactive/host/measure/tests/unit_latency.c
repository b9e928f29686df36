/* SPDX-License-Identifier: BSD-2-Clause */
/* The paper's measures of latency, against what formulas and hand computation state. */
#include "bench/interactive/host/measure/latency.h"

#include <math.h>

#include "kernel/input/event.h"
#include "tools/tests/support/unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Equal to the precision of a double. */
static void check_near(double value, double wanted)
{
    const double size = fabs(wanted) > 1 ? fabs(wanted) : 1;

    if (!(fabs(value - wanted) <= 1e-12 * size)) {
        fprintf(stderr, "%.17g is not %.17g\n", value, wanted);
    }
    CHECK(fabs(value - wanted) <= 1e-12 * size);
}

/* ---- histogram ---- */

static void check_bin(const struct latency_bin *bin, double from, double to, uint64_t n)
{
    check_near(bin->from, from);
    check_near(bin->to, to);
    CHECK_EQUAL(bin->n, n);
}

/* From 3 to 4000 of 0.001 of a unit each: the bounds are 0.002, 0.005, ..., 2, 5. */
static void test_histogram_series(void)
{
    static const int64_t latencies[] = {3, 4, 5, 9, 10, 4000, 19, 20, 99, 100, -7 + 10};
    struct latency_bin bins[LATENCY_BINS_MAX];

    CHECK_EQUAL(latency_histogram(latencies, COUNT(latencies), 0.001, LATENCY_COARSE, bins), 10);
    check_bin(&bins[0], 0.002, 0.005, 3);
    check_bin(&bins[1], 0.005, 0.01, 2);
    check_bin(&bins[2], 0.01, 0.02, 2);
    check_bin(&bins[3], 0.02, 0.05, 1);
    check_bin(&bins[4], 0.05, 0.1, 1);
    check_bin(&bins[5], 0.1, 0.2, 1);
    check_bin(&bins[6], 0.2, 0.5, 0);
    check_bin(&bins[9], 2, 5, 1);
    /* figures have ten bounds in a decade: 0.0025, 0.0032, ..., 4, 5 */
    CHECK_EQUAL(latency_histogram(latencies, COUNT(latencies), 0.001, LATENCY_FINE, bins), 33);
    check_bin(&bins[0], 0.0025, 0.0032, 2);
    check_bin(&bins[1], 0.0032, 0.004, 0);
    check_bin(&bins[6], 0.01, 0.0125, 1);
    check_bin(&bins[32], 4, 5, 1);
}

/* 80 to 104 in steps of 1; and what is the same shares one bin, not too narrow. */
static void test_histogram_equal(void)
{
    static const int64_t same[] = {12345, 12345};
    struct latency_bin bins[LATENCY_BINS_MAX];
    int64_t latencies[50];

    for (int64_t i = 0; i < 50; i++) {
        latencies[i] = 80 + i / 2;
    }
    CHECK_EQUAL(latency_histogram(latencies, 50, 1, LATENCY_FINE, bins), 25);
    for (size_t i = 0; i < 25; i++) {
        check_bin(&bins[i], (double)(80 + i), (double)(81 + i), 2);
    }
    latencies[0] = 160;
    latencies[1] = 79;
    CHECK_EQUAL(latency_histogram(latencies, 50, 1, LATENCY_FINE, bins), 18);
    check_bin(&bins[0], 75, 80, 1);
    check_bin(&bins[1], 80, 85, 8);
    check_bin(&bins[17], 160, 165, 1);
    CHECK_EQUAL(latency_histogram(same, 2, 1, LATENCY_FINE, bins), 1);
    check_bin(&bins[0], 12300, 12400, 2);
}

/* Whatever comes, all of it is in bins that follow each other. */
static void test_histogram_any(void)
{
    struct latency_bin bins[LATENCY_BINS_MAX];
    uint64_t seed = 99;
    int64_t latencies[40];

    for (unsigned round = 0; round < 2000; round++) {
        const size_t n = unit_random(&seed) % 40;
        const double unit = pow(10, (double)(unit_random(&seed) % 30) - 15);
        uint64_t sum = 0;

        for (size_t i = 0; i < n; i++) {
            latencies[i] = (int64_t)(unit_random(&seed) >> (unit_random(&seed) % 64));
        }
        const size_t count = latency_histogram(
            latencies, n, unit, round % 2 == 0 ? LATENCY_COARSE : LATENCY_FINE, bins);

        CHECK(count <= LATENCY_BINS_MAX && (count == 0) == (n == 0));
        for (size_t i = 0; i < count; i++) {
            CHECK(bins[i].from < bins[i].to);
            CHECK(i == 0 || bins[i].from == bins[i - 1].to);
            sum += bins[i].n;
        }
        CHECK_EQUAL(sum, n);
        CHECK(n == 0 || (bins[0].n > 0 && bins[count - 1].n > 0));
    }
}

/* ---- cumulative latency ---- */

/* 1 to 100 in any order: the first k have k (k + 1) / 10100 of all. */
static void test_curve(void)
{
    struct latency_curve curve;
    int64_t latencies[100];

    for (int64_t i = 0; i < 100; i++) {
        latencies[i] = i * 37 % 100 + 1;
    }
    latency_curve_init(&curve, latencies, 100);
    for (size_t k = 0; k <= 100; k++) {
        check_near(latency_share_of(&curve, k), (double)(k * (k + 1)) / 10100);
        check_near(latency_share_upto(&curve, (int64_t)k), (double)(k * (k + 1)) / 10100);
    }
    check_near(latency_share_of(&curve, 1000), 1);
    check_near(latency_share_upto(&curve, INT64_MAX), 1);
    check_near(latency_share_upto(&curve, -1), 0);
    CHECK_EQUAL(latency_at_share(&curve, 0.8), 90); /* 89 * 90 / 10100 is 0.793 */
    CHECK_EQUAL(latency_at_share(&curve, 1), 100);
    CHECK_EQUAL(latency_at_share(&curve, 1e-9), 1);
    latency_curve_free(&curve);
}

static void test_curve_ends(void)
{
    static const int64_t none[] = {0, -5, 0};
    static const int64_t some[] = {-5, 10, 10};
    static const int64_t half[] = {20, 5, 15};
    struct latency_curve curve;

    latency_curve_init(&curve, none, 3);
    CHECK(isnan(latency_share_of(&curve, 3)));
    CHECK(isnan(latency_share_upto(&curve, 3)));
    latency_curve_free(&curve);
    latency_curve_init(&curve, none, 0);
    CHECK(isnan(latency_share_of(&curve, 1)));
    latency_curve_free(&curve);
    latency_curve_init(&curve, some, 3);
    check_near(latency_share_of(&curve, 1), 0);
    check_near(latency_share_of(&curve, 2), 0.5);
    latency_curve_free(&curve);
    latency_curve_init(&curve, half, 3);
    CHECK_EQUAL(latency_at_share(&curve, 0.5), 15); /* exactly half */
    latency_curve_free(&curve);
}

/* ---- interarrival ---- */

/* Above 100 begin at 0, 10, 30, 60: intervals of 10, 20 and 30. */
static void test_interarrivals(void)
{
    static const struct latency_event events[] = {{0, 101, 0, 0},  {5, 100, 0, 0}, {10, 130, 1, 0},
                                                  {30, 110, 0, 0}, {40, 99, 0, 0}, {60, 125, 1, 0}};
    struct latency_interarrival interarrival;

    latency_interarrivals(events, COUNT(events), 100, &interarrival);
    CHECK_EQUAL(interarrival.events, 4);
    check_near(interarrival.mean, 20);
    check_near(interarrival.deviation, 10);
    latency_interarrivals(events, COUNT(events), 109, &interarrival);
    CHECK_EQUAL(interarrival.events, 3);
    check_near(interarrival.mean, 25);
    check_near(interarrival.deviation, sqrt(50)); /* 20 and 30 */
    latency_interarrivals(events, COUNT(events), 120, &interarrival);
    CHECK_EQUAL(interarrival.events, 2);
    check_near(interarrival.mean, 50);
    CHECK(isnan(interarrival.deviation));
    latency_interarrivals(events, COUNT(events), 125, &interarrival);
    CHECK_EQUAL(interarrival.events, 1);
    CHECK(isnan(interarrival.mean) && isnan(interarrival.deviation));
    latency_interarrivals(events, COUNT(events), 1000, &interarrival);
    CHECK_EQUAL(interarrival.events, 0);
    CHECK(isnan(interarrival.mean) && isnan(interarrival.deviation));
}

/* Far from 0, one a 1000 ticks: the deviation of what never varies is 0. */
static void test_interarrivals_far(void)
{
    struct latency_event events[1000];
    struct latency_interarrival interarrival;

    for (int64_t i = 0; i < 1000; i++) {
        events[i] = (struct latency_event){INT64_MAX - 2000000 + 1000 * i, 1, 0, 0};
    }
    latency_interarrivals(events, 1000, 0, &interarrival);
    CHECK_EQUAL(interarrival.events, 1000);
    CHECK(interarrival.mean == 1000);
    CHECK(interarrival.deviation == 0);
    /* Intervals of 1 to n: the variance of a sample is n (n + 1) / 12. */
    for (int64_t i = 0; i < 1000; i++) {
        events[i].begin = i * (i + 1) / 2;
    }
    latency_interarrivals(events, 1000, 0, &interarrival);
    check_near(interarrival.mean, 500);
    check_near(interarrival.deviation, sqrt(999.0 * 1000 / 12));
}

/* ---- responsiveness ---- */

static void test_responsiveness(void)
{
    static const struct latency_event events[] = {{0, 150, INPUT_KEY_DOWN, 0},
                                                  {0, 90, INPUT_KEY_DOWN, 0},
                                                  {0, 150, INPUT_MOVE, 0},
                                                  {0, 100, INPUT_KEY_UP, 0},
                                                  {0, -9, INPUT_KEY_UP, 0}};
    struct latency_responsiveness responsiveness;

    latency_respond(events, COUNT(events), 100, &responsiveness);
    CHECK_EQUAL(responsiveness.events, 2);
    check_near(responsiveness.excess, 100);
    latency_respond(events, COUNT(events), 80, &responsiveness);
    CHECK_EQUAL(responsiveness.events, 4);
    check_near(responsiveness.excess, 70 + 10 + 70 + 20);
    latency_respond(events, 0, 100, &responsiveness);
    CHECK_EQUAL(responsiveness.events, 0);
    CHECK(responsiveness.excess == 0);
}

/* ---- utilisation ---- */

/* The paper's own sample: 10 ms for 1 ms of idle time are 90 % (section 2.5). */
static void test_utilisation(void)
{
    CHECK(latency_utilisation(10, 1) == 0.9);
    CHECK(latency_utilisation(1, 1) == 0);
    CHECK(latency_utilisation(0, 1) == 0);
    CHECK(latency_utilisation(1, 2) == 0);
    CHECK(latency_utilisation(10, 0) == 1);
}

/* Samples of 100, except one of 200 and one of 400: half, then three quarters of them. */
static void test_windows(void)
{
    static const int64_t samples[] = {100, 200, 400, 100, 50};
    static const double by_100[] = {0, 0.5, 0.5, 0.75, 0.75, 0.75, 0.75, 0, 0};
    double windows[100];

    CHECK_EQUAL(latency_windows(samples, 5, 100, 100, windows, 100), 9);
    for (size_t i = 0; i < COUNT(by_100); i++) {
        check_near(windows[i], by_100[i]);
    }
    CHECK_EQUAL(latency_windows(samples, 5, 100, 400, windows, 100), 3);
    check_near(windows[0], (0.5 * 200 + 0.75 * 100) / 400);
    check_near(windows[1], 0.75 * 300 / 400);
    check_near(windows[2], 0);
    CHECK_EQUAL(latency_windows(samples, 5, 100, 1000, windows, 100), 1);
    check_near(windows[0], (100.0 + 300) / 850);
    CHECK_EQUAL(latency_windows(samples, 5, 100, 100, windows, 3), 3);
    CHECK_EQUAL(latency_windows(samples, 0, 100, 100, windows, 100), 0);
}

/* Whatever the windows, the time that was taken is the same. */
static void test_windows_sum(void)
{
    static double windows[8000];
    uint64_t seed = 4711;
    int64_t samples[200];

    for (int64_t window = 1; window < 400; window += 13) {
        int64_t elapsed = 0;
        int64_t taken = 0;
        double sum = 0;

        for (size_t i = 0; i < COUNT(samples); i++) {
            samples[i] = 10 + (int64_t)(unit_random(&seed) % 30);
            elapsed += samples[i];
            taken += samples[i] - 10;
        }
        const size_t count = latency_windows(samples, COUNT(samples), 10, window, windows, 8000);

        CHECK_EQUAL(count, (elapsed + window - 1) / window);
        for (size_t i = 0; i < count; i++) {
            const int64_t length = i + 1 < count ? window : elapsed - (int64_t)i * window;

            sum += windows[i] * (double)length;
        }
        CHECK(fabs(sum - (double)taken) < 1e-6);
    }
}

int main(void)
{
    RUN(test_histogram_series());
    RUN(test_histogram_equal());
    RUN(test_histogram_any());
    RUN(test_curve());
    RUN(test_curve_ends());
    RUN(test_interarrivals());
    RUN(test_interarrivals_far());
    RUN(test_responsiveness());
    RUN(test_utilisation());
    RUN(test_windows());
    RUN(test_windows_sum());
    return unit_finish("unit_latency");
}
