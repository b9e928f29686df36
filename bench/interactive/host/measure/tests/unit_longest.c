/* SPDX-License-Identifier: BSD-2-Clause */
/* The longest actions by name, in several systems beside each other. */
#include "bench/interactive/host/measure/longest.h"

#include <math.h>

#include "tools/tests/support/unit.h"

enum { START, PAGE, SAVE, CLASSES };

static const char *classes[CLASSES] = {"start", "page_down", "save"};
static const char *const phases[] = {"in_kernel.test", "server.test"};

static struct action action_of(unsigned class, uint8_t phase, int64_t service)
{
    struct action action = {
        .class = class,
        .has_phase = true,
        .phase = phase,
        .phase_name = phases[phase - 1],
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

    CHECK_TEXT(longest_driver("in_kernel.sync", structure), "sync");
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
    return unit_finish("unit_longest");
}
