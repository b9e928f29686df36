/* SPDX-License-Identifier: BSD-2-Clause */
/* Distributions by classes against sorted values, and the event list against a plain search. */
#include "tools/sim/engine/event_list.h"
#include "tools/sim/engine/tally.h"
#include "tools/sim/model/model_reader.h"
#include "tools/tests/support/unit.h"

#include <stdlib.h>

#define VALUES 5000

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;

    return (a > b) - (a < b);
}

/* A tenth of zeroes; the others from 2^-10 to 2^20. */
static double some_value(uint64_t *state)
{
    const double part = (double)(unit_random(state) % 100000) / 100000;

    return unit_random(state) % 10 == 0 ? 0 : exp2(100 * part - 49);
}

static void test_quantiles(void)
{
    static double values[VALUES];
    uint64_t state = 1;
    struct sim_distribution distribution;

    sim_distribution_init(&distribution, true);
    CHECK(isnan(sim_distribution_quantile(&distribution, 0.5)));
    CHECK(isnan(sim_distribution_mean(&distribution)));
    for (size_t i = 0; i < VALUES; i++) {
        values[i] = some_value(&state);
        sim_distribution_add(&distribution, values[i]);
    }
    qsort(values, VALUES, sizeof(values[0]), ascending);
    for (size_t i = 1; i <= VALUES; i += 7) {
        const double quantile = sim_distribution_quantile(&distribution, (double)i / VALUES);

        CHECK(fabs(quantile - values[i - 1]) <= values[i - 1] / (2 * SIM_HISTOGRAM_PARTS));
    }
    CHECK(sim_distribution_quantile(&distribution, 0) == 0);
    CHECK(sim_distribution_quantile(&distribution, 1) <= values[VALUES - 1]);
    sim_distribution_free(&distribution);
}

/* Every value that is not 0 has a class: the least, the greatest, and each bound. */
static void test_classes(void)
{
    CHECK_EQUAL(sim_class(0x1p-50), 0);
    CHECK_EQUAL(sim_class(1e-300), 0);
    CHECK(sim_class(SIM_NUMBER_LEAST) > 0 && sim_class(1000 * SIM_NUMBER_MOST) < SIM_CLASSES - 1);
    CHECK_EQUAL(sim_class(1), (size_t)50 * SIM_HISTOGRAM_PARTS);
    CHECK_EQUAL(sim_class(nextafter(1, 0)), (size_t)50 * SIM_HISTOGRAM_PARTS - 1);
    CHECK_EQUAL(sim_class(1 + 1.0 / SIM_HISTOGRAM_PARTS), (size_t)50 * SIM_HISTOGRAM_PARTS + 1);
    CHECK_EQUAL(sim_class(nextafter(0x1p60, 0)), SIM_CLASSES - 1);
    CHECK_EQUAL(sim_class(1e300), SIM_CLASSES - 1);
}

static void test_moments_and_points(void)
{
    struct sim_distribution a, b;

    sim_distribution_init(&a, false);
    sim_distribution_init(&b, false);
    a.point_count = 2;
    b.point_count = 2;
    a.point[0] = b.point[0] = 2;
    a.point[1] = b.point[1] = 3;
    for (int i = 0; i < 4; i++) {
        sim_distribution_add(i % 2 == 0 ? &a : &b, i);
    }
    sim_distribution_add(&b, 4);
    sim_distribution_merge(&a, &b); /* 0 1 2 3 4 */
    CHECK_EQUAL(a.count, 5);
    CHECK_EQUAL(a.zeroes, 1);
    CHECK_EQUAL(a.beyond[0], 2); /* a value at the point is not beyond it */
    CHECK_EQUAL(a.beyond[1], 1);
    CHECK(a.least == 0 && a.greatest == 4);
    CHECK(sim_distribution_mean(&a) == 2);
    CHECK(fabs(sim_distribution_deviation(&a) - sqrt(2.5)) < 1e-12);
    CHECK(isnan(sim_distribution_quantile(&a, 0.5)));
    sim_distribution_free(&a);
    sim_distribution_free(&b);
}

/* ---- the event list ---- */

#define SLOTS 40

/* What is in the list by a plain search: times are few, so that many are the same. */
struct plain {
    bool there[SLOTS];
    double time[SLOTS];
    uint64_t set[SLOTS];
};

static size_t plain_first(const struct plain *plain)
{
    size_t first = SLOTS;

    for (size_t i = 0; i < SLOTS; i++) {
        if (plain->there[i] &&
            (first == SLOTS || plain->time[i] < plain->time[first] ||
             (plain->time[i] == plain->time[first] && plain->set[i] < plain->set[first]))) {
            first = i;
        }
    }
    return first;
}

static void test_event_list(void)
{
    struct event_list list = {0};
    struct plain plain = {0};
    uint64_t state = 2;
    size_t count = 0;

    event_list_grow(&list, 3);
    event_list_grow(&list, SLOTS);
    CHECK(list.slots >= SLOTS);
    for (uint64_t step = 0; step < 20000; step++) {
        const size_t slot = unit_random(&state) % SLOTS;
        const double time =
            unit_random(&state) % 20 == 0 ? INFINITY : (double)(unit_random(&state) % 50);

        if (count > 0 && unit_random(&state) % 4 == 0) {
            CHECK_EQUAL(event_slot(&list.heap[0]), plain_first(&plain));
            plain.there[plain_first(&plain)] = false;
            event_list_drop_first(&list);
            count--;
        } else {
            if (plain.there[slot]) {
                event_list_set(&list, (uint32_t)slot, time);
            } else {
                event_list_add(&list, (uint32_t)slot, time);
                count++;
            }
            plain.there[slot] = true;
            plain.time[slot] = time;
            plain.set[slot] = step;
        }
        CHECK_EQUAL(list.count, count);
        CHECK(count == 0 || event_slot(&list.heap[0]) == plain_first(&plain));
    }
    event_list_free(&list);
}

int main(void)
{
    RUN(test_quantiles());
    RUN(test_classes());
    RUN(test_moments_and_points());
    RUN(test_event_list());
    return unit_finish("unit_sim_tally");
}
