/* SPDX-License-Identifier: BSD-2-Clause */
/* The spread of samples against sorting. */
#include <stdlib.h>

#include "kernel/run/worst.h"
#include "tools/tests/support/unit.h"

#define COUNT_MAX 40

static int compare(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left;
    const int64_t b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

static void check(const int64_t *samples, size_t count)
{
    int64_t sorted[COUNT_MAX];
    struct spread spread;

    memcpy(sorted, samples, count * sizeof(*samples));
    qsort(sorted, count, sizeof(*sorted), compare);
    spread_of(samples, count, &spread);
    CHECK_EQUAL(spread.min, sorted[0]);
    CHECK_EQUAL(spread.median, sorted[(count - 1) / 2]);
    CHECK_EQUAL(spread.max, sorted[count - 1]);
}

static void test_ends(void)
{
    const int64_t ends[] = {INT64_MAX, INT64_MIN, 0, INT64_MAX, -1};

    for (size_t count = 1; count <= sizeof(ends) / sizeof(ends[0]); count++) {
        check(ends, count);
    }
}

static void test_random(void)
{
    uint64_t state = 1;

    for (unsigned round = 0; round < 2000; round++) {
        int64_t samples[COUNT_MAX];
        const size_t count = 1 + round % COUNT_MAX;

        for (size_t i = 0; i < count; i++) {
            unit_random(&state);
            samples[i] = (int64_t)state >> round % 64; /* from wide to mostly equal */
        }
        check(samples, count);
    }
}

int main(void)
{
    RUN(test_ends());
    RUN(test_random());
    return unit_finish("unit_spread");
}
