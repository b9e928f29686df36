/* SPDX-License-Identifier: BSD-2-Clause */
/* The worst of many events against sorting all of them. */
#include <stdlib.h>

#include "kernel/run/worst.h"
#include "tools/tests/support/unit.h"

#define COUNT_MAX 400
#define SLOTS_MAX (2 * COUNT_MAX)

static int by_length(const void *left, const void *right)
{
    const struct worst_event *a = left;
    const struct worst_event *b = right;

    if (a->length != b->length) {
        return a->length > b->length ? -1 : 1;
    }
    return a->time < b->time ? -1 : a->time > b->time;
}

static int by_time(const void *left, const void *right)
{
    const struct worst_event *a = left;
    const struct worst_event *b = right;

    return a->time < b->time ? -1 : a->time > b->time;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void check_totals(const struct worst *worst, const struct worst_event *all, size_t count)
{
    int64_t sum = 0;
    int64_t max = 0;
    int64_t max_time = 0;

    for (size_t i = 0; i < count; i++) {
        sum += all[i].length;
        if (i == 0 || all[i].length > max) {
            max = all[i].length;
            max_time = all[i].time;
        }
    }
    CHECK_EQUAL(worst->count, count);
    CHECK_EQUAL(worst->sum, sum);
    CHECK_EQUAL(worst->max, max);
    CHECK_EQUAL(worst->max_time, max_time);
}

/* `slots`: what the keeper wrote where it was sent to. */
static void check(const struct worst_event *all, size_t count, size_t first, size_t largest)
{
    static struct worst_event events[COUNT_MAX];
    static struct worst_event slots[SLOTS_MAX];
    static struct worst_event later[COUNT_MAX];
    const size_t first_count = smaller(first, count);
    const size_t later_count = count - first_count;
    const size_t kept = smaller(largest, later_count);
    struct worst worst;
    int64_t rest = 0;

    worst_init(&worst, first, events, largest);
    for (size_t i = 0; i < count; i++) {
        const size_t slot = worst_take(&worst, all[i].length, all[i].time);

        if (slot != WORST_NONE) {
            CHECK(slot < first + largest);
            slots[slot] = all[i];
        }
    }
    worst_sort(&worst);
    check_totals(&worst, all, count);

    memcpy(later, all + first_count, later_count * sizeof(*later));
    qsort(later, later_count, sizeof(*later), by_length);
    for (size_t i = kept; i < later_count; i++) {
        rest += later[i].length;
    }
    qsort(later, kept, sizeof(*later), by_time);
    CHECK_EQUAL(worst.first_count, first_count);
    CHECK_EQUAL(worst.largest_count, kept);
    CHECK_EQUAL(worst.rest, later_count - kept);
    CHECK_EQUAL(worst.rest_sum, rest);
    for (size_t i = 0; i < first_count; i++) {
        CHECK_EQUAL(slots[i].time, all[i].time);
    }
    for (size_t i = 0; i < kept; i++) {
        CHECK_EQUAL(events[i].length, later[i].length);
        CHECK_EQUAL(events[i].time, later[i].time);
        CHECK_EQUAL(slots[events[i].slot].time, later[i].time);
        CHECK_EQUAL(slots[events[i].slot].length, later[i].length);
    }
}

/* From lengths that differ to lengths that are mostly equal. */
static void test_random(void)
{
    static struct worst_event all[COUNT_MAX];
    uint64_t state = 1;

    for (unsigned round = 0; round < 3000; round++) {
        const size_t count = unit_random(&state) % (COUNT_MAX + 1);
        const unsigned shift = 24 + round % 40;

        for (size_t i = 0; i < count; i++) {
            all[i].length = (int64_t)(unit_random(&state) >> shift);
            all[i].time = (i > 0 ? all[i - 1].time : 0) + 1 + (int64_t)(unit_random(&state) % 100);
        }
        check(all, count, unit_random(&state) % 50, unit_random(&state) % 50);
    }
}

/* Rising and falling lengths, and no room at all. */
static void test_orders(void)
{
    static struct worst_event all[COUNT_MAX];

    for (unsigned falls = 0; falls < 2; falls++) {
        for (size_t i = 0; i < COUNT_MAX; i++) {
            all[i].length = falls != 0 ? (int64_t)(COUNT_MAX - i) : (int64_t)i;
            all[i].time = (int64_t)(10 * i);
        }
        check(all, COUNT_MAX, 0, 0);
        check(all, COUNT_MAX, 0, 1);
        check(all, COUNT_MAX, 1, 0);
        check(all, COUNT_MAX, 7, 100);
        check(all, COUNT_MAX, COUNT_MAX, 3);
        check(all, COUNT_MAX, 3, COUNT_MAX);
        check(all, 0, 3, 3);
    }
}

/* What bench gap keeps by default, on a machine with more: the longest comes last of all, far
 * behind the first. */
static void test_longest_is_late(void)
{
    enum { FIRST = 10000, LARGEST = 1000, COUNT = 12345 };
    static struct worst_event events[LARGEST];
    struct worst worst;

    worst_init(&worst, FIRST, events, LARGEST);
    for (int64_t i = 0; i < COUNT; i++) {
        worst_take(&worst, i == COUNT - 5 ? 8500000 : 1000 + i % 977, 30000 * i);
    }
    worst_sort(&worst);
    CHECK_EQUAL(worst.max, 8500000);
    CHECK_EQUAL(worst.max_time, 30000 * (COUNT - 5));
    CHECK_EQUAL(worst.first_count, FIRST);
    CHECK_EQUAL(worst.largest_count, LARGEST);
    CHECK_EQUAL(worst.rest, COUNT - FIRST - LARGEST);
    size_t found = 0;

    for (size_t i = 0; i < worst.largest_count; i++) {
        found += events[i].length == 8500000 && events[i].time == worst.max_time;
    }
    CHECK_EQUAL(found, 1);
}

static void test_sum_does_not_fit(void)
{
    struct worst worst;

    worst_init(&worst, 0, NULL, 0);
    for (int64_t i = 0; i < 3; i++) {
        CHECK(worst_take(&worst, INT64_MAX / 2, i) == WORST_NONE);
    }
    CHECK_EQUAL(worst.sum, INT64_MAX);
    CHECK_EQUAL(worst.rest_sum, INT64_MAX);
    CHECK_EQUAL(worst.rest, 3);
}

int main(void)
{
    RUN(test_random());
    RUN(test_orders());
    RUN(test_longest_is_late());
    RUN(test_sum_does_not_fit());
    return unit_finish("unit_worst");
}
