/* SPDX-License-Identifier: BSD-2-Clause */
/* Does a clock keep the rate of the boot? kernel/clock/verdict.h, against clocks made here. */
#include "kernel/clock/verdict.h"
#include "tools/tests/support/unit.h"

#define GHZ 1000000000u

static const struct counted_clock hpet = {100000000, UINT64_MAX, 1};
static const struct counted_clock pm_timer = {3579545, 0xffffff, 1};
static const struct counted_clock pit = {1193182, 0xffff, 1};

/* A clock that counts from time 0, read at `ns` between two readings of a TSC of `tsc_hz`. */
static struct clock_reading read_at(const struct counted_clock *clock, uint64_t ns, uint64_t tsc_hz)
{
    const uint64_t tsc = 1000 + (uint64_t)((__uint128_t)ns * tsc_hz / GHZ);
    const uint64_t count = (uint64_t)((__uint128_t)ns * clock->hz / GHZ);

    return (struct clock_reading){tsc - 80, tsc + 80, count & clock->mask};
}

static enum invariant_answer judge(const struct counted_clock *clock, uint64_t from, uint64_t to,
                                   uint64_t now_hz, struct rate_bounds *seen)
{
    const struct clock_reading begin = read_at(clock, from, GHZ);
    struct clock_reading end = read_at(clock, to, GHZ);
    const uint64_t ticks = (uint64_t)((__uint128_t)(to - from) * now_hz / GHZ);
    const struct rate_bounds known = invariant_around(GHZ);

    end.before = begin.before + ticks;
    end.after = begin.after + ticks;
    return invariant_judge(clock, &begin, &end, &known, seen);
}

/* Spans from 5 ms to an hour; the clock wraps up to 70,000 times. */
static void test_kept_rate(void)
{
    static const struct counted_clock *const clocks[] = {&hpet, &pm_timer, &pit};
    static const uint64_t spans[] = {5000000, 54999999, 4700000001, 12000000007, 3600000000000};

    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < sizeof(spans) / sizeof(spans[0]); k++) {
            struct rate_bounds seen = {0};
            const enum invariant_answer answer =
                judge(clocks[i], 123456789, 123456789 + spans[k], GHZ, &seen);
            /* 1000 ppm to both sides of the span must be less than half a turn. */
            const bool clear = clocks[i] == &hpet || k < 4;

            CHECK_EQUAL(answer, clear ? INVARIANT_HOLDS : INVARIANT_UNKNOWN);
            CHECK(!clear || (seen.low_hz <= GHZ && seen.high_hz >= GHZ));
        }
    }
}

static void test_changed_rate(void)
{
    struct rate_bounds seen;

    CHECK_EQUAL(judge(&hpet, 0, 5000000, 2 * (uint64_t)GHZ, &seen), INVARIANT_CHANGED);
    CHECK(seen.low_hz > 1999000000 && seen.high_hz < 2001000000);
    CHECK_EQUAL(judge(&pm_timer, 77, 3000000000, GHZ / 2, &seen), INVARIANT_CHANGED);
    CHECK(seen.low_hz > 499900000 && seen.high_hz < 500100000);
    /* Just inside the bound, and just outside. */
    CHECK_EQUAL(judge(&pm_timer, 77, 2000000000, GHZ + GHZ / 1000, &seen), INVARIANT_HOLDS);
    CHECK_EQUAL(judge(&pm_timer, 77, 2000000000, GHZ + GHZ / 990, &seen), INVARIANT_CHANGED);
    CHECK_EQUAL(judge(&pit, 77, 50000000, GHZ - GHZ / 900, &seen), INVARIANT_CHANGED);
}

static void test_standing(void)
{
    const struct rate_bounds known = invariant_around(GHZ);
    struct clock_reading begin = {1000, 1100, 5};
    struct clock_reading end = {10000000, 10000100, 5};
    struct rate_bounds seen;

    CHECK_EQUAL(invariant_judge(&pm_timer, &begin, &end, &known, &seen), INVARIANT_STANDS);
    CHECK_EQUAL(invariant_judge(&pm_timer, &end, &begin, &known, &seen), INVARIANT_BACK);
    CHECK_EQUAL(invariant_judge(&pm_timer, &begin, &begin, &known, &seen), INVARIANT_BACK);
    begin.after = UINT64_MAX;
    CHECK_EQUAL(invariant_judge(&pm_timer, &begin, &end, &known, &seen), INVARIANT_BACK);
}

/* What takes the processor away between two readings widens the bounds; the verdict stays. */
static void test_disturbed(void)
{
    const struct rate_bounds known = invariant_around(GHZ);
    const struct clock_reading begin = read_at(&pm_timer, 1000000, GHZ);
    struct clock_reading end = read_at(&pm_timer, 6000000, GHZ);
    struct rate_bounds seen;

    end.after += 300000000; /* 300 ms behind the clock's reading */
    CHECK_EQUAL(invariant_judge(&pm_timer, &begin, &end, &known, &seen), INVARIANT_HOLDS);
    CHECK(seen.low_hz <= GHZ && seen.high_hz > 2 * (uint64_t)GHZ);
}

/* In exact time: the bounds narrow until one tick in 10^8 is seen. */
static void test_narrowing(void)
{
    struct rate_bounds known = invariant_around(GHZ + 5000);
    struct rate_bounds seen;
    uint64_t now = 1000;

    for (int i = 0; i < 40; i++) {
        const struct clock_reading begin = read_at(&hpet, now, GHZ);

        now += 100000003;
        const struct clock_reading end = read_at(&hpet, now, GHZ);

        CHECK_EQUAL(invariant_judge(&hpet, &begin, &end, &known, &seen), INVARIANT_HOLDS);
        known = invariant_narrow(&known, &seen);
    }
    CHECK(known.low_hz <= GHZ && GHZ <= known.high_hz && known.high_hz - known.low_hz < 4000);
    const struct clock_reading begin = read_at(&hpet, now, GHZ);
    const struct clock_reading end = read_at(&hpet, now + 1000000000, GHZ + 10000);
    const struct clock_reading shifted = {
        begin.before + end.before - read_at(&hpet, now, GHZ + 10000).before,
        begin.after + end.after - read_at(&hpet, now, GHZ + 10000).after, end.count};

    CHECK_EQUAL(invariant_judge(&hpet, &begin, &shifted, &known, &seen), INVARIANT_CHANGED);
}

/* A clock that an emulator computes from whole microseconds. */
static void test_coarse_clock(void)
{
    const struct counted_clock coarse = {3579545, 0xffffff, 4};
    const struct rate_bounds known = invariant_around(GHZ);
    struct rate_bounds seen;

    for (uint64_t at = 0; at < 2000; at += 7) {
        const struct clock_reading begin = read_at(&coarse, at / 1000 * 1000, GHZ);
        struct clock_reading end = read_at(&coarse, (5000000 + at * 3) / 1000 * 1000, GHZ);

        end.before += at * 3 % 1000;
        end.after += at * 3 % 1000;
        CHECK_EQUAL(invariant_judge(&coarse, &begin, &end, &known, &seen), INVARIANT_HOLDS);
    }
}

int main(void)
{
    RUN(test_kept_rate());
    RUN(test_changed_rate());
    RUN(test_standing());
    RUN(test_disturbed());
    RUN(test_narrowing());
    RUN(test_coarse_clock());
    return unit_finish("unit_invariant");
}
