/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of the LAPIC timer by a multiplication: kernel/clock/clock.h. */
#include "kernel/clock/clock.h"
#include "tools/tests/support/unit.h"

static uint32_t counts(uint64_t lapic_hz, uint64_t tsc_hz, int64_t ticks)
{
    const uint64_t of_a_tick = (lapic_hz << 32) / tsc_hz;
    const struct clock_lapic_factor factor = {of_a_tick, UINT64_MAX / of_a_tick};

    return clock_lapic_counts_by(&factor, ticks);
}

static void test_rates(void)
{
    CHECK_EQUAL(counts(1000000000, 1000000000, 80000), 80000);
    CHECK_EQUAL(counts(25000000, 2500000000, 100), 1);
    CHECK_EQUAL(counts(25000000, 2500000000, 1000100), 10000); /* rounded down: 10001 - 2^-32 */
    CHECK_EQUAL(counts(24000000, 3000000000, 3000000000), 23999999);
    CHECK_EQUAL(counts(2000000000, 1000000000, 5), 10);
}

/* A count of 0 would stop the timer. */
static void test_least(void)
{
    CHECK_EQUAL(counts(25000000, 2500000000, 99), 1);
    CHECK_EQUAL(counts(25000000, 2500000000, 0), 1);
    CHECK_EQUAL(counts(1000000000, 1000000000, 0), 1);
    CHECK_EQUAL(counts(1000000000, 1000000000, -1), 1);
    CHECK_EQUAL(counts(1000000000, 1000000000, INT64_MIN), 1);
}

/* What does not fit is the most that does: another interrupt comes before. */
static void test_most(void)
{
    CHECK_EQUAL(counts(1000000000, 1000000000, UINT32_MAX), UINT32_MAX);
    CHECK_EQUAL(counts(1000000000, 1000000000, 1ll << 32), UINT32_MAX);
    CHECK_EQUAL(counts(1000000000, 1000000000, INT64_MAX), UINT32_MAX);
    CHECK_EQUAL(counts(25000000, 2500000000, 101ll << 32), UINT32_MAX);
    CHECK_EQUAL(counts(2000000000, 1000000000, 1ll << 31), UINT32_MAX);
}

int main(void)
{
    RUN(test_rates());
    RUN(test_least());
    RUN(test_most());
    return unit_finish("unit_clock");
}
