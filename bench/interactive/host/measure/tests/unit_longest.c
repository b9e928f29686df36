/* SPDX-License-Identifier: BSD-2-Clause */
/* The longest actions by name, in several systems beside each other. */
#include <math.h>

#include "bench/interactive/host/measure/longest.h"
#include "kernel/input/event.h"
#include "tools/tests/support/unit.h"

/*
 * The geometric law of intervals and its standard errors, against many samples drawn from it; and
 * intervals of a run made by hand.
 */

#define SAMPLES   2000
#define INTERVALS 200

static uint64_t seed = 1;

/* How many trials until one succeeds with probability p. */
static double draw_interval(double p)
{
    double interval = 1;

    while ((double)unit_random(&seed) / 18446744073709551616.0 >= p) {
        interval++;
    }
    return interval;
}

/* In standard errors: each of mean and ratio of a sample, less the law's. */
static void draw_sample(double p, const struct geometric_law *law, double *mean_off,
                        double *ratio_off)
{
    double sum = 0;
    double squares = 0;

    for (int i = 0; i < INTERVALS; i++) {
        const double interval = draw_interval(p);

        sum += interval;
        squares += interval * interval;
    }
    const double mean = sum / INTERVALS;
    const double deviation = sqrt((squares - sum * mean) / (INTERVALS - 1));

    *mean_off = (mean - law->mean) / law->mean_error;
    *ratio_off = (deviation / mean - law->ratio) / law->ratio_error;
}

/* Offs in standard errors have a deviation of 1, and few are beyond 3. */
static void check_law(double p)
{
    struct geometric_law law;
    double squares[2] = {0};
    int beyond[2] = {0};

    geometric_law(p, INTERVALS, &law);
    for (int i = 0; i < SAMPLES; i++) {
        double off[2];

        draw_sample(p, &law, &off[0], &off[1]);
        for (int k = 0; k < 2; k++) {
            squares[k] += off[k] * off[k];
            beyond[k] += fabs(off[k]) > 3;
        }
    }
    for (int k = 0; k < 2; k++) {
        const double deviation = sqrt(squares[k] / SAMPLES);

        CHECK(deviation > 0.88 && deviation < 1.12);
        CHECK(beyond[k] < SAMPLES / 50);
    }
}

static void test_law(void)
{
    struct geometric_law law;

    geometric_law(0.1, 100, &law);
    CHECK(fabs(law.mean - 10) < 1e-9);
    CHECK(fabs(law.mean_error - sqrt(0.9) * 10 / 10) < 1e-9);
    CHECK(fabs(law.ratio - sqrt(0.9)) < 1e-9);
    check_law(0.1);
    check_law(0.5);
    check_law(0.02);
}

/* Ten keys 100 ticks apart of phase 4; the second, fifth and tenth are long; a release and a key
 * without end between them are none. */
static void test_phase(void)
{
    struct interactive_event events[12] = {0};
    struct interactive_phase phase = {.phase = 4, .name = "random"};
    const struct interactive interactive = {
        .events = events, .count = 12, .phases = &phase, .phase_count = 1};
    struct long_events found[2];

    for (size_t i = 0; i < 10; i++) {
        const bool is_long = i == 1 || i == 4 || i == 9;

        events[i] = (struct interactive_event){.kind = INPUT_KEY_DOWN,
                                               .came = true,
                                               .has_phase = true,
                                               .phase = 4,
                                               .has_arrival = true,
                                               .arrival = 1000 + 100 * i,
                                               .has_done = true,
                                               .done = 1000 + 100 * i + (is_long ? 51 : 50)};
    }
    events[10] = events[4];
    events[10].kind = INPUT_KEY_UP;
    events[11] = events[4];
    events[11].has_done = false;
    CHECK_EQUAL(long_events_of(&interactive, 50, 0.25, found, 2), 1);
    CHECK_EQUAL(found[0].keys, 10);
    CHECK_EQUAL(found[0].long_keys, 3);
    CHECK(fabs(found[0].spacing - 100) < 1e-9);
    CHECK(fabs(found[0].interarrival.mean - 400) < 1e-9);
    CHECK(fabs(found[0].interarrival.deviation - sqrt(20000)) < 1e-6);
    CHECK(found[0].random);
    CHECK(fabs(found[0].law.mean - 4) < 1e-9);
    CHECK(fabs(found[0].law.mean_error - sqrt(0.75) * 4 / sqrt(2)) < 1e-9);
    CHECK_EQUAL(long_events_of(&interactive, 51, 0.25, found, 2), 1);
    CHECK_EQUAL(found[0].long_keys, 0);
    CHECK(isnan(found[0].interarrival.mean));
    CHECK_EQUAL(long_events_of(&interactive, 50, 0.25, found, 0), 0);
}

enum { START, PAGE, SAVE, CLASSES };

static const char *classes[CLASSES] = {"start", "page_down", "save"};
static const struct interactive_phase phases[] = {{.phase = 1, .name = "in_kernel.test"},
                                                  {.phase = 2, .name = "server.test"}};

static struct action action_of(unsigned class, uint8_t phase, int64_t service)
{
    struct action action = {
        .class = class,
        .phase = &phases[phase - 1],
        .known = {[MEASURE_SERVICE] = true},
        .latency = {[MEASURE_SERVICE] = service},
    };

    return action;
}

/* Two systems; the second has a page more, and an action of unknown length. */
static void test_systems(void)
{
    struct action list[] = {
        action_of(START, 1, 500), action_of(PAGE, 1, 20),   action_of(PAGE, 1, 90),
        action_of(SAVE, 1, 600),  action_of(START, 2, 700), action_of(PAGE, 2, 30),
        action_of(PAGE, 2, 80),   action_of(PAGE, 2, 10),   action_of(SAVE, 2, 650),
        action_of(SAVE, 2, 9999),
    };
    struct actions actions = {.actions = list,
                              .count = sizeof(list) / sizeof(list[0]),
                              .classes = classes,
                              .class_count = CLASSES};
    struct longest longest;
    char text[LONGEST_NAME_MAX];

    list[9].known[MEASURE_SERVICE] = false;
    list[4].has_disk = true;
    list[4].disk = 350;
    longest_init(&longest, &actions, MEASURE_SERVICE, 10);
    CHECK_EQUAL(longest.system_count, 2);
    CHECK_TEXT(longest.systems[1], "server.test");
    CHECK_EQUAL(longest.count, 5); /* not the one of unknown length */
    CHECK_TEXT(longest_name(&longest.rows[0], text), "start");
    CHECK(longest.rows[0].action[0] == &list[0] && longest.rows[0].action[1] == &list[4]);
    CHECK_TEXT(longest_name(&longest.rows[1], text), "save 1");
    CHECK_TEXT(longest_name(&longest.rows[2], text), "page_down 2");
    CHECK_TEXT(longest_name(&longest.rows[4], text), "page_down 3");
    CHECK(longest.rows[4].action[0] == NULL && longest.rows[4].action[1] == &list[7]);
    CHECK(!longest_on_disk(&longest));
    CHECK(fabs(longest_disk_share(&list[4]) - 0.5) < 1e-12);
    CHECK(isnan(longest_disk_share(&list[0])));
    list[4].disk_requests = 1;
    CHECK(longest_on_disk(&longest));
    longest_free(&longest);
    longest_init(&longest, &actions, MEASURE_SERVICE, 2);
    CHECK_EQUAL(longest.count, 2);
    longest_free(&longest);
    longest_init(&longest, &actions, MEASURE_IDLE, 2);
    CHECK_EQUAL(longest.count, 0);
    longest_free(&longest);
}

static void test_nothing(void)
{
    const struct actions none = {0};
    struct longest longest;

    longest_init(&longest, &none, MEASURE_SERVICE, 3);
    CHECK_EQUAL(longest.count, 0);
    CHECK_EQUAL(longest.system_count, 0);
    CHECK(!longest_on_disk(&longest));
    longest_free(&longest);
}

static void test_driver(void)
{
    char structure[LONGEST_SYSTEM_MAX];

    CHECK_TEXT(longest_driver("in_kernel.fast", structure), "fast");
    CHECK_TEXT(structure, "in_kernel");
    CHECK_TEXT(longest_driver("fast", structure), "");
    CHECK_TEXT(structure, "fast");
    CHECK_TEXT(longest_driver(NULL, structure), "");
    CHECK_TEXT(structure, "");
}

int main(void)
{
    RUN(test_systems());
    RUN(test_nothing());
    RUN(test_driver());
    RUN(test_law());
    RUN(test_phase());
    return unit_finish("unit_longest");
}
