/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorted numbers are those of qsort(), and equal ones stay in their order. */
#include "tools/base/sort.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tests/support/unit.h"

#define COUNT_MAX 2100

static uint64_t state = 1;

static uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static int by_integer(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left;
    const int64_t b = *(const int64_t *)right;

    return a < b ? -1 : a > b;
}

static int by_value(const void *left, const void *right)
{
    const struct sort_placed *a = left;
    const struct sort_placed *b = right;

    return a->value < b->value ? -1 : a->value > b->value;
}

/* Of `count` items, many of which are equal: each keeps its place among its equals. */
static void check_stable(size_t count, uint64_t values)
{
    static struct sort_placed items[COUNT_MAX], known[COUNT_MAX];

    for (size_t i = 0; i < count; i++) {
        items[i] = (struct sort_placed){(double)(next() % values), i};
    }
    memcpy(known, items, sizeof(known));
    sort_placed(known, count);
    sort_stable(items, count, sizeof(*items), by_value);
    CHECK(memcmp(items, known, count * sizeof(*items)) == 0);
}

/* Of `count` values below `values`. */
static void check_integers(size_t count, uint64_t values)
{
    static int64_t items[COUNT_MAX], known[COUNT_MAX];

    for (size_t i = 0; i < count; i++) {
        items[i] = (int64_t)(values != 0 ? next() % values : next());
    }
    memcpy(known, items, sizeof(known));
    qsort(known, count, sizeof(*known), by_integer);
    sort_integers(items, count);
    CHECK(memcmp(items, known, count * sizeof(*items)) == 0);
}

static void check_reals(size_t count, uint64_t values)
{
    static struct sort_placed placed[COUNT_MAX];
    static double items[COUNT_MAX], before[COUNT_MAX];
    bool ok = true;

    for (size_t i = 0; i < count; i++) {
        items[i] = i % 50 == 7 ? INFINITY : (double)(next() % values) - (double)values / 2;
        before[i] = items[i];
        placed[i] = (struct sort_placed){items[i], i};
    }
    sort_reals(items, count);
    sort_placed(placed, count);
    for (size_t i = 0; i < count; i++) {
        ok = ok && items[i] == placed[i].value && before[placed[i].index] == placed[i].value;
        ok = ok &&
             (i == 0 || placed[i - 1].value < placed[i].value ||
              (placed[i - 1].value == placed[i].value && placed[i - 1].index < placed[i].index));
    }
    CHECK(ok);
}

/* By the first member, or falling by the second; equal ones stay. */
static void test_by(void)
{
    static const int64_t items[][2] = {{3, INT64_MIN}, {-1, 5}, {3, 5}, {INT64_MAX, -7}, {-1, 9}};
    static const int64_t rising[][2] = {{-1, 5}, {-1, 9}, {3, INT64_MIN}, {3, 5}, {INT64_MAX, -7}};
    static const int64_t falling[][2] = {{-1, 9}, {-1, 5}, {3, 5}, {INT64_MAX, -7}, {3, INT64_MIN}};
    int64_t list[5][2];

    memcpy(list, items, sizeof(list));
    sort_by(list, 5, sizeof(list[0]), 0, false);
    CHECK(memcmp(list, rising, sizeof(list)) == 0);
    memcpy(list, items, sizeof(list));
    sort_by(list, 5, sizeof(list[0]), sizeof(int64_t), true);
    CHECK(memcmp(list, falling, sizeof(list)) == 0);
    sort_by(list, 0, sizeof(list[0]), 0, false);
}

static void test_counts(void)
{
    for (size_t count = 0; count < 200; count++) {
        check_integers(count, 0);
        check_integers(count, 10);
        check_reals(count, 1 << 20);
        check_reals(count, 5);
        check_stable(count, 5);
    }
    check_integers(COUNT_MAX, 0);
    check_integers(COUNT_MAX, 1);
    check_reals(COUNT_MAX, 1000);
    check_stable(COUNT_MAX, 100);
}

int main(void)
{
    RUN(test_counts());
    RUN(test_by());
    return unit_finish("unit_sort");
}
