/* SPDX-License-Identifier: BSD-2-Clause */
/* What the idle loop is held to: bench/noise/recover.h, on samples made here. */
#include "bench/noise/recover.h"

#include <string.h>

#include "tools/tests/support/unit.h"

#define FLOOR   1000
#define OUTSIDE 64
#define SAMPLES 12
#define SPANS   4

static const struct recover_limits exact = {
    .exact = true, .outside = OUTSIDE, .asked = 30, .asked_ppm = 100};
static const struct recover_limits real = {
    .outside = OUTSIDE, .sample = 4, .each = 30, .percent = 5, .asked = 30, .asked_ppm = 100000};
static const struct recover_limits emulated = {.stolen = true,
                                               .outside = OUTSIDE,
                                               .sample = 4,
                                               .each = 30,
                                               .percent = 25,
                                               .asked = 30,
                                               .asked_ppm = 400000};

/* Samples 1, 4 and 8 hold interrupts; the last of them two. */
struct made {
    int64_t lengths[SAMPLES];
    struct recover_span spans[SPANS];
    int64_t early[1];
    size_t early_count;
};

static struct made made_well(void)
{
    struct made made = {
        .spans = {{1100, 520, 500}, {4700, 320, 300}, {9300, 820, 800}, {10500, 110, 100}}};

    for (size_t i = 0; i < SAMPLES; i++) {
        made.lengths[i] = FLOOR;
    }
    made.lengths[1] += 520 + OUTSIDE;
    made.lengths[4] += 320 + OUTSIDE;
    made.lengths[8] += 820 + 110 + 2 * OUTSIDE;
    return made;
}

static struct recover_group group[SPANS];

/* Does it hold? The reason goes to `reason`. */
static bool holds(const struct made *made, const struct recover_limits *limits,
                  struct recovery *recovery, char reason[RECOVER_REASON_MAX])
{
    int64_t quiet[SAMPLES];

    recover_judge(&(struct recover_input){.lengths = made->lengths,
                                          .samples = SAMPLES,
                                          .spans = made->spans,
                                          .count = SPANS,
                                          .early = made->early,
                                          .early_count = made->early_count,
                                          .floor = FLOOR,
                                          .quiet = quiet,
                                          .group = group},
                  limits, recovery);
    return recover_holds(recovery, limits, reason);
}

static bool fails(const struct made *made, const struct recover_limits *limits, const char *why)
{
    struct recovery recovery;
    char reason[RECOVER_REASON_MAX];

    return !holds(made, limits, &recovery, reason) && strstr(reason, why) != NULL;
}

static bool is_good(const struct made *made, const struct recover_limits *limits)
{
    struct recovery recovery;
    char reason[RECOVER_REASON_MAX];

    return holds(made, limits, &recovery, reason) && reason[0] == '\0';
}

static void test_good(void)
{
    const struct made made = made_well();
    struct recovery recovery;
    char reason[RECOVER_REASON_MAX];

    CHECK(holds(&made, &exact, &recovery, reason));
    CHECK_EQUAL(recovery.groups, 3);
    CHECK_EQUAL(recovery.within, 3);
    CHECK_EQUAL(recovery.asked, 4);
    CHECK_EQUAL(recovery.floor, FLOOR);
    CHECK_EQUAL(recovery.injected, 520 + 320 + 820 + 110);
    CHECK_EQUAL(recovery.recovered, recovery.injected);
    CHECK_EQUAL(recovery.largest_error, 0);
    CHECK_EQUAL(group[2].count, 2);
    CHECK(is_good(&made, &real) && is_good(&made, &emulated));
}

/* One tick in exact time; in real time beyond the tolerance of each group. */
static void test_lost_work(void)
{
    struct made made = made_well();

    made.lengths[4]--;
    CHECK(fails(&made, &exact, "1 of 3 samples are shorter"));
    made.lengths[4] -= 20;
    CHECK(is_good(&made, &real));
    made.lengths[4] -= 200;
    CHECK(fails(&made, &real, "1 of 3 samples are shorter"));
    made.lengths[4] -= 150;
    CHECK(fails(&made, &emulated, "1 of 3 samples are shorter"));
}

static void test_stolen_time(void)
{
    struct made made = made_well();
    struct recovery recovery;
    char reason[RECOVER_REASON_MAX];

    made.lengths[3]++;
    made.spans[1].entry++;
    made.spans[2].entry++;
    made.spans[3].entry++;
    CHECK(fails(&made, &exact, "1 samples without an interrupt are too long"));
    CHECK(is_good(&made, &real));
    made = made_well();
    made.lengths[8] += 40;
    CHECK(fails(&made, &exact, "1 of 3 groups of interrupts are outside"));
    CHECK(holds(&made, &real, &recovery, reason));
    CHECK_EQUAL(recovery.within, 3); /* 4 and twice 30 */
    made.lengths[8] += 4000;
    CHECK(holds(&made, &real, &recovery, reason));
    CHECK_EQUAL(recovery.within, 2);
    CHECK_EQUAL(recovery.largest_error, 4040);
    /* Most of them: only behind an emulator. */
    made.lengths[4] += 4000;
    made.spans[2].entry += 4000;
    made.spans[3].entry += 4000;
    CHECK(fails(&made, &real, "2 of 3 groups of interrupts are outside"));
    CHECK(holds(&made, &emulated, &recovery, reason));
    CHECK_EQUAL(recovery.within, 1);
}

static void test_half_the_work(void)
{
    struct made made = made_well();

    /* The section and its sample agree, and the work is half of what was asked for. */
    made.spans[2].length = 420;
    made.lengths[8] -= 400;
    CHECK(fails(&made, &exact,
                "1 of 4 events did less work than requested, the first of them event 2"));
    CHECK(fails(&made, &real, "event 2"));
    CHECK(fails(&made, &emulated, "event 2"));
    made = made_well();
    made.spans[0].length += 200;
    made.lengths[1] += 200;
    for (size_t i = 1; i < SPANS; i++) {
        made.spans[i].entry += 200;
    }
    CHECK(fails(&made, &exact, "1 of 4 events did more work than requested"));
    CHECK(is_good(&made, &real));
}

static void test_speed(void)
{
    struct made made = made_well();

    /* The processor runs at four fifths of its speed: samples and work alike take longer. */
    for (size_t i = 0; i < SAMPLES; i++) {
        made.lengths[i] = made.lengths[i] * 5 / 4;
    }
    for (size_t i = 0; i < SPANS; i++) {
        made.spans[i].entry = made.spans[i].entry * 5 / 4;
        made.spans[i].length = made.spans[i].length * 5 / 4;
    }
    CHECK(is_good(&made, &real));
}

static void test_early_and_late(void)
{
    struct made made = made_well();

    made.lengths[2] += 77;
    for (size_t i = 1; i < SPANS; i++) {
        made.spans[i].entry += 77;
    }
    CHECK(fails(&made, &exact, "samples without an interrupt"));
    made.early[0] = 2800;
    made.early_count = 1;
    CHECK(is_good(&made, &exact));
    made.spans[3].entry = 1000000;
    made.lengths[8] -= 110 + OUTSIDE;
    CHECK(fails(&made, &exact, "1 interrupts came after the last sample"));
    CHECK(is_good(&made, &real));
}

/* An interrupt at the end of a sample is in the next one; those in the last sample are seen. */
static void test_edges(void)
{
    struct made made = made_well();

    made.spans[0].entry = FLOOR;
    CHECK(is_good(&made, &exact));
    made.lengths[8] -= 110 + OUTSIDE;
    made.lengths[SAMPLES - 1] += 110 + OUTSIDE;
    made.spans[3].entry = 12952;
    CHECK(is_good(&made, &exact));
}

int main(void)
{
    RUN(test_good());
    RUN(test_lost_work());
    RUN(test_stolen_time());
    RUN(test_half_the_work());
    RUN(test_speed());
    RUN(test_early_and_late());
    RUN(test_edges());
    return unit_finish("unit_recover");
}
